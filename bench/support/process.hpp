// Other processes, for benchmarks that must not share one with the thing measured: a program
// started with its output on a pipe, and a function run in a forked child that sends figures back.
// Parent side: one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace troupe::bench {

/// A running program whose standard output and error we read; its standard input is open and says
/// nothing. Killed when the object goes away and it still runs.
class child_process {
public:
  /// `argv[0]` is a path. Throws std::runtime_error if it cannot be started.
  explicit child_process(const std::vector<std::string>& argv);
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  /// The next line it prints, without the newline. Throws if it ends or says nothing for `wait`.
  [[nodiscard]] std::string read_line(std::chrono::seconds wait = std::chrono::seconds(30));
  /// What it prints from now on is read by a thread of its own and dropped: a program may print
  /// more than a pipe takes, and then it waits for its reader.
  void drop_output();
  /// Bytes of memory it has resident.
  [[nodiscard]] double resident_bytes() const;
  /// SIGTERM, and SIGKILL after `wait`. Returns the exit code, or 128 + the signal.
  int terminate(std::chrono::seconds wait = std::chrono::seconds(20));
  /// Waits for it to end by itself; the exit code, or 128 + the signal.
  int wait();
  /// Seconds of user and system time it used; valid once it ended.
  [[nodiscard]] double cpu_seconds() const noexcept { return cpu_seconds_; }

private:
  bool reap(bool block);

  pid_t pid_ = -1;
  int output_ = -1;
  int input_ = -1;
  int status_ = 0;
  double cpu_seconds_ = 0.0;
  bool running_ = false;
  std::string buffer_;
  std::thread dropping_;
};

/// The port of the server, read from the line where it says `listening on 127.0.0.1:PORT` or
/// `listening on http://127.0.0.1:PORT/`: one of its first lines. What it prints later is dropped.
/// Throws if there is no such line.
[[nodiscard]] std::uint16_t listening_port(child_process& server);

/// Runs `work` in a forked child and returns the figures it returns; the child leaves by _exit, as
/// a killed process would: no destructor of what lives outside `work` runs. Call it while this
/// process has one thread. Throws if the child fails, with its words.
[[nodiscard]] std::vector<double> run_in_child(const std::function<std::vector<double>()>& work);

/// Bytes of memory this process has resident (/proc/self/statm).
[[nodiscard]] double resident_bytes();
/// Seconds of user and system time that this process used.
[[nodiscard]] double cpu_seconds();
/// Bytes that malloc has handed out and not got back.
[[nodiscard]] double allocated_bytes();

} // namespace troupe::bench
