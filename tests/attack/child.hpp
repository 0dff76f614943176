// A part of the attack in a process of its own: it is told what to do, and answers, in lines.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace troupe::attack {

/// The lines that come to a process, and those it writes. One thread.
class line_pipe {
public:
  line_pipe(int in, int out) : in_(in), out_(out) {}
  /// The next line without its end; nothing if none has come within `bound`, or `is_over`.
  std::optional<std::string> read(std::chrono::milliseconds bound);
  void write(std::string_view line) const;
  /// The other side has gone.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

private:
  int in_;
  int out_;
  std::string input_;
  bool is_over_ = false;
};

class child {
public:
  /// Runs `work` in a forked process until it returns. Call it while this process has one thread.
  explicit child(const std::function<void(line_pipe&)>& work);
  /// Kills it if it still runs.
  ~child();
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  void tell(std::string_view line) const { pipe_->write(line); }
  /// What it answers. Throws std::runtime_error if nothing comes within `bound`.
  std::string ask(std::string_view line, std::chrono::milliseconds bound = std::chrono::minutes(3));

private:
  pid_t id_ = -1;
  std::optional<line_pipe> pipe_;
};

} // namespace troupe::attack
