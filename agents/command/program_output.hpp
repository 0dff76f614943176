// What one program writes, as lines with their times: its last line is shown while it runs, its
// first and last lines are kept in the record of its task. Plain values; `command` puts them
// together.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/agents/program_log.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Of what a program writes, the record keeps so many bytes of the first lines, and as many of the
/// last ones: enough to see why it failed, also with many attempts.
inline constexpr std::size_t program_log_part_bytes_max = std::size_t{16} << 10;

/// The shortest time from one excerpt of a program's newest lines to the next. Excerpts come when
/// the program has written for half as long again as at the last one, so that the record of a day
/// has about 30 of them, of at most program_log_part_bytes_max each.
inline constexpr std::chrono::seconds excerpt_pause_min{2};

/// Metadata of a message of the history that holds lines of a program: `{"attempt": 1, "end":
/// "exited with 3"}`; `end` only in the last one of an attempt that has failed.
inline constexpr std::string_view program_log_key = "troupe/v1/log";

/// The attempt of whose program the message has lines; nothing: it is another message.
[[nodiscard]] std::optional<std::uint32_t> logged_attempt(const message& said);

/// Cuts the bytes of one stream into lines.
class line_cutter {
public:
  /// The lines that end in `bytes`.
  [[nodiscard]] std::vector<std::string> feed(std::string_view bytes);
  /// What stands after the last newline, once nothing more can come; empty if there is nothing.
  [[nodiscard]] std::string rest();

private:
  std::string begun_;
};

/// Lines bounded from the middle: the first ones and the last ones. A stream with much to say does
/// not push out the last lines of the other one, up to a quarter of the last lines.
class bounded_lines {
public:
  /// `part_bytes_max`: of the first lines, and of the last ones.
  explicit bounded_lines(std::size_t part_bytes_max) : part_bytes_max_(part_bytes_max) {}

  /// True: it is one of the first lines, and not kept here.
  [[nodiscard]] bool is_first(const program_line& line);
  /// One that is not among the first.
  void keep(program_line line);
  /// The last lines were taken: what is left out, and the last ones, are counted from here.
  void begin_anew();

  /// The last lines, in order.
  [[nodiscard]] const std::deque<program_line>& last() const { return last_; }
  /// Between the first and the last ones.
  [[nodiscard]] std::uint64_t left_out_lines() const { return left_out_lines_; }
  [[nodiscard]] std::uint64_t left_out_bytes() const { return left_out_bytes_; }
  /// `... 1204 lines (3.1 MB) left out ...`; empty if none are.
  [[nodiscard]] std::string left_out() const;

private:
  void leave_out_one();

  std::size_t part_bytes_max_;
  std::size_t first_bytes_ = 0;
  bool first_is_full_ = false;
  std::deque<program_line> last_;
  std::array<std::size_t, 2> last_bytes_{}; ///< Of stdout, and of stderr.
  std::uint64_t left_out_lines_ = 0;
  std::uint64_t left_out_bytes_ = 0;
};

/// What is known of what a program has written, and is not in the record yet.
class program_output {
public:
  /// The lines that `bytes` complete. They are kept here as well.
  std::vector<program_line> add(bool is_stderr, std::string_view bytes, timestamp at);
  /// The same for what has no newline, at the end.
  std::vector<program_line> finish(timestamp at);

  /// For the record while the program runs: those of its first lines that came since the last call,
  /// each with its time and stream. Once an excerpt is due, also how much is left out since the
  /// last one, and the newest lines. Nothing if there are none.
  [[nodiscard]] std::optional<report_message> take_new(std::uint32_t attempt, timestamp now);
  /// When the next excerpt may be taken. Nothing if there is nothing for it.
  [[nodiscard]] std::optional<timestamp> excerpt_due() const;
  /// For the record at the end: the lines that were not taken, bounded in the same way. `end`: why
  /// it has failed; empty if it has not. Nothing if there is nothing to say.
  [[nodiscard]] std::optional<report_message> take_rest(std::uint32_t attempt,
                                                        std::string_view end);
  /// The last line of stderr, else of stdout, as the reason of a failure has it: `: disk full`;
  /// empty if there is none that is not blank.
  [[nodiscard]] std::string last_words() const;

private:
  void keep(program_line line);
  /// What is left out before the last lines, and these.
  [[nodiscard]] std::string newest() const;

  std::array<line_cutter, 2> cutters_; ///< stdout, stderr.
  std::array<std::string, 2> last_;    ///< The last lines that are not blank.
  std::vector<program_line> first_;    ///< That were not taken.
  bounded_lines bounded_{program_log_part_bytes_max};
  bool is_empty_ = true;
  timestamp began_{}; ///< Of the first line.
  timestamp taken_{}; ///< Of the last excerpt; else of the first line.
};

/// `2026-11-23T07:11:43.483Z stderr text`
[[nodiscard]] std::string shown_line(const program_line& line);
/// The way back. Nothing if it is none: it says how much is left out, for one.
[[nodiscard]] std::optional<program_line> read_shown_line(std::string_view shown);

} // namespace troupe
