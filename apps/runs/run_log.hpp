// What the programs of a run write, as a file beside its record: one JSON object a line, so that
// `troupe logs` can follow it from another process while the run goes on.
#pragma once

#include "agents/command/program_output.hpp"
#include <troupe/agents/program_log.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// Of one attempt: of its first lines, and as much of its last ones.
inline constexpr std::size_t run_log_part_bytes_max = std::size_t{1} << 20;

/// A line of that file.
struct logged_line {
  std::string task; ///< Its id.
  std::string plan; ///< As shown_name.
  std::string name; ///< As shown_name.
  std::string key;  ///< Of the task, as written in the document; may be empty.
  std::uint32_t attempt = 1;
  bool is_gap = false; ///< `line` says what is left out.
  program_line line;

  friend bool operator==(const logged_line&, const logged_line&) = default;
};

/// As JSON with a newline.
[[nodiscard]] std::string write_logged(const logged_line& line);
/// Errors: parse_error.
[[nodiscard]] result<logged_line> read_logged(std::string_view text);

/// `   1.24s  compile | text`: how a terminal shows it; the time since `begun`.
[[nodiscard]] std::string draw_logged(const logged_line& line, timestamp begun, bool has_name,
                                      bool colour);

/// Whether a person may mean the task of `line` by `name`: its id, its id in the document, its
/// name, or `Plan / Task`.
[[nodiscard]] bool is_called(const logged_line& line, std::string_view name);

/// Writes the file, from `open` to `close`; programs may end later.
class run_log final : public program_log {
public:
  run_log() = default;
  ~run_log() override;
  run_log(const run_log&) = delete;
  run_log& operator=(const run_log&) = delete;

  /// The plans whose tasks are named.
  using plan_finder = std::function<std::vector<plan_spec_ptr>()>;

  /// Continues the file, or makes it. `find` is called with the first line, and with one of a task
  /// that it did not find before. Errors: unavailable.
  [[nodiscard]] result<void> open(const std::string& path, plan_finder find);
  void close();

  void on_line(const order& of, const program_line& line) override;
  void on_end(const order& of) override;

private:
  [[nodiscard]] logged_line about(const order& of);
  void write(const logged_line& line) const;

  std::mutex mutex_; // guards the rest
  int file_ = -1;
  plan_finder find_;
  std::vector<plan_spec_ptr> plans_;
  std::map<std::pair<std::string, std::uint32_t>, bounded_lines> running_; ///< By task and attempt.
};

/// Reads the file as it grows.
class run_log_reader {
public:
  explicit run_log_reader(std::string path) : path_(std::move(path)) {}
  ~run_log_reader();
  run_log_reader(const run_log_reader&) = delete;
  run_log_reader& operator=(const run_log_reader&) = delete;

  /// Whole lines that came since the last call, at most some megabytes of them; none if there is no
  /// file yet.
  [[nodiscard]] std::vector<logged_line> next();

private:
  const std::string path_;
  int file_ = -1;
  std::string begun_;
};

} // namespace troupe
