// SIGINT and SIGTERM as something a poll loop can wait for: the first asks for an end, the second
// ends the process at once, wherever it hangs. One object per process.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

namespace troupe {

struct signal_choice {
  /// A second signal is none within this time after the first: people and supervisors send two.
  std::chrono::milliseconds one_within{0};
  /// SIGHUP asks for a reload, and SIGUSR1 does nothing. Else both end the process.
  bool is_server = false;
};

class stop_signals {
public:
  /// Takes over SIGINT, SIGTERM and SIGCONT, of a server also SIGHUP and SIGUSR1.
  explicit stop_signals(signal_choice choice = {});
  /// Gives the signals back.
  ~stop_signals();
  stop_signals(const stop_signals&) = delete;
  stop_signals& operator=(const stop_signals&) = delete;

  /// Readable after any of them.
  [[nodiscard]] int descriptor() const noexcept;
  /// Empties the descriptor.
  void clear() noexcept;
  /// An end was asked for.
  [[nodiscard]] bool stop_requested() const noexcept;
  /// The process was stopped and goes on (SIGCONT) since the last call.
  [[nodiscard]] bool take_continued() noexcept;
  /// A reload was asked for (SIGHUP) since the last call.
  [[nodiscard]] bool take_reload() noexcept;

  /// Runs in the signal handler of the second request, just before the process ends with exit code
  /// 130. Async-signal-safe calls only; null for none.
  void before_forced_end(void (*function)()) noexcept;
};

/// Of a command that only waits for others: SIGINT and SIGTERM end the process with exit code 130,
/// after the last words that were set are written to standard error. One object per process.
class interrupt_words {
public:
  interrupt_words();
  ~interrupt_words();
  interrupt_words(const interrupt_words&) = delete;
  interrupt_words& operator=(const interrupt_words&) = delete;

  /// A line; empty for none.
  void set(const std::string& line) noexcept;
};

/// For the store to close at the end, when the last records reach the disk.
inline constexpr std::chrono::milliseconds close_bound{10'000};

/// From now on the process ends within `bound`, with `code` and a line on standard error, whatever
/// hangs (a disk that never comes back, a reader that never reads). What was acknowledged is safe
/// either way.
void end_within(std::chrono::milliseconds bound, int code, std::string complaint);

} // namespace troupe
