// Starts real processes for the tests: arguments, standard input and environment in, exit code and
// what was written out.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/types.h>

namespace troupe::testing {

/// How large a terminal is.
struct screen_size {
  unsigned short rows = 24;
  unsigned short columns = 80;
};

/// A running program with pipes to its standard input, output and error, or with a terminal instead
/// of all three.
class process {
public:
  /// `environment`: `NAME=value`, added to this process's own. Throws if it cannot be started.
  explicit process(std::vector<std::string> words, std::vector<std::string> environment = {});
  /// On a terminal of its own, as its session's leader: `send_input` types (`\x03` is Ctrl-C),
  /// `out` is what came to the screen.
  process(std::vector<std::string> words, std::vector<std::string> environment, screen_size size);
  /// Kills and reaps what still runs.
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  void send_input(const std::string& text);
  void close_input();
  /// The test stops reading; the program's next write fails.
  void close_output();
  void signal(int number);
  /// Of a terminal: its window has another size now.
  void resize(screen_size size) const;
  /// Of a terminal: what is typed is shown, and handed on line by line, as before the program
  /// began.
  [[nodiscard]] bool is_cooked() const;

  /// Reads until `enough` is true of what was written so far, the program ends, or `bound` has
  /// passed. True in the first case.
  bool read_until(const std::function<bool(const process&)>& enough,
                  std::chrono::milliseconds bound);
  /// Reads to the end and reaps. The exit code; 128 + signal if one ended it; -1 if it had to be
  /// killed after `bound`.
  int wait(std::chrono::milliseconds bound = std::chrono::seconds{60});

  [[nodiscard]] const std::string& out() const { return out_; }
  [[nodiscard]] const std::string& err() const { return err_; }
  [[nodiscard]] pid_t id() const { return id_; }

private:
  void start(std::vector<std::string>& words, const std::vector<std::string>& environment,
             const posix_spawn_file_actions_t& actions, const posix_spawnattr_t* attributes);
  bool read_some(std::chrono::steady_clock::time_point until);

  pid_t id_ = -1;
  int in_ = -1;
  int out_pipe_ = -1;
  int err_pipe_ = -1;
  int terminal_ = -1;
  std::string out_;
  std::string err_;
};

/// What a program that ran to its end left behind.
struct outcome {
  int code = -1;
  std::string out;
  std::string err;
};

[[nodiscard]] outcome run_program(std::vector<std::string> words, const std::string& input = {},
                                  std::vector<std::string> environment = {});

/// The path of the `troupe` binary under test.
[[nodiscard]] std::string troupe_binary();

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

} // namespace troupe::testing
