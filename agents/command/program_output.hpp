// What one program writes, as lines with their times: its last line is shown while it runs, its
// first and last lines are kept in the record of its task. Plain values; `command` puts them
// together.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/agents/program_log.hpp>

#include <array>
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

/// The end of stdout or stderr that is part of the reason of a failure, in bytes.
inline constexpr std::size_t failure_tail_bytes_max = 4096;

/// Metadata of a message of the history that holds the lines of a program: `{"attempt": 1, "end":
/// "exited with 3"}`; `end` only if the program has failed.
inline constexpr std::string_view program_log_key = "troupe/v1/log";

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

/// Lines bounded from the middle: the first ones and the last ones.
class bounded_lines {
public:
  /// `part_bytes_max`: of the first lines, and of the last ones.
  explicit bounded_lines(std::size_t part_bytes_max) : part_bytes_max_(part_bytes_max) {}

  /// True: it is one of the first lines, and not kept here.
  [[nodiscard]] bool is_first(const program_line& line);
  /// One that is not among the first.
  void keep(program_line line);

  /// The last lines, in order.
  [[nodiscard]] const std::deque<program_line>& last() const { return last_; }
  /// Between the first and the last ones.
  [[nodiscard]] std::uint64_t left_out_lines() const { return left_out_lines_; }
  [[nodiscard]] std::uint64_t left_out_bytes() const { return left_out_bytes_; }
  /// `... 1204 lines (3.1 MB) left out ...`; empty if none are.
  [[nodiscard]] std::string left_out() const;

private:
  std::size_t part_bytes_max_;
  std::size_t first_bytes_ = 0;
  bool first_is_full_ = false;
  std::deque<program_line> last_;
  std::size_t last_bytes_ = 0;
  std::uint64_t left_out_lines_ = 0;
  std::uint64_t left_out_bytes_ = 0;
};

/// All that is known of what a program has written.
class program_output {
public:
  /// The lines that `bytes` complete. They are kept here as well.
  std::vector<program_line> add(bool is_stderr, std::string_view bytes, timestamp at);
  /// The same for what has no newline, at the end.
  std::vector<program_line> finish(timestamp at);

  /// For the record: each line with its time and stream, and how much is left out in the middle.
  /// `end`: why it has failed; empty if it has not.
  [[nodiscard]] report_message log_message(std::uint32_t attempt, std::string_view end) const;
  [[nodiscard]] bool has_stderr() const { return has_stderr_; }
  [[nodiscard]] bool is_empty() const { return first_.empty() && bounded_.last().empty(); }
  /// The end of stderr, else of stdout, as the reason of a failure has it: `: disk full`, `: ...
  /// full`; empty if nothing was written.
  [[nodiscard]] std::string failure_tail() const;

private:
  void keep(program_line line);

  std::array<line_cutter, 2> cutters_; ///< stdout, stderr.
  std::array<std::string, 2> tails_;
  std::array<bool, 2> is_tail_cut_{};
  std::vector<program_line> first_;
  bounded_lines bounded_{program_log_part_bytes_max};
  bool has_stderr_ = false;
};

/// `2026-11-23T07:11:43.483Z stderr text`
[[nodiscard]] std::string shown_line(const program_line& line);
/// The way back. Nothing if it is none: it says how much is left out, for one.
[[nodiscard]] std::optional<program_line> read_shown_line(std::string_view shown);

} // namespace troupe
