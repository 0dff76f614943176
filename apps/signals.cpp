#include "apps/signals.hpp"

#include "apps/options.hpp"
#include "apps/terminal/console.hpp"
#include <troupe/protocol/time_source.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace troupe {

namespace {

// What a signal handler may touch: lock-free atomics and file descriptors.
std::array<int, 2> wake_pipe{-1, -1};
std::atomic<int> stops{0};
std::atomic<bool> continued{false};
std::atomic<bool> reload_asked{false};
std::atomic<std::int64_t> first_stop{0}; ///< Steady time, in nanoseconds.
std::atomic<std::int64_t> one_within{0}; ///< Nanoseconds.
std::atomic<void (*)()> last_words{nullptr};
static_assert(std::atomic<int>::is_always_lock_free
              && std::atomic<std::int64_t>::is_always_lock_free
              && std::atomic<void (*)()>::is_always_lock_free);

/// Also of use in a signal handler: the system's clock takes no lock.
std::int64_t steady_now() {
  return system_time().steady().time_since_epoch().count();
}

/// Whether the stop that just came is another one than the first.
bool is_second_stop() {
  if (++stops == 1) {
    first_stop = steady_now();
    return false;
  }
  const std::int64_t first = first_stop; // 0: another thread is about to say when it was.
  return first == 0 ? one_within == 0 : steady_now() - first >= one_within;
}

extern "C" void on_signal(int number) {
  const int saved = errno;
  if (number == SIGCONT) {
    continued = true;
  } else if (number == SIGHUP) {
    reload_asked = true;
  } else if (number != SIGUSR1 && is_second_stop()) {
    if (auto* const words = last_words.load())
      words();
    ::_exit(exit_canceled);
  }
  const char byte = 0;
  [[maybe_unused]] const auto written = ::write(wake_pipe[1], &byte, 1);
  errno = saved;
}

// Two lines, so that one can be written while the other may be read.
struct last_line {
  std::array<char, 512> text{};
  std::size_t size = 0;
};
std::array<last_line, 2> last_lines;
std::atomic<const last_line*> line_to_say{nullptr};
std::array<struct sigaction, 2> actions_before_words;
constexpr std::array<int, 2> interrupts{SIGINT, SIGTERM};

extern "C" void on_interrupt(int) {
  if (const auto* line = line_to_say.load()) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line->text.data(), line->size);
  }
  ::_exit(exit_canceled);
}

constexpr std::array<int, 5> watched{SIGINT, SIGTERM, SIGCONT, SIGHUP, SIGUSR1};
constexpr std::size_t watched_by_all = 3; ///< The rest is of servers.
std::array<struct sigaction, watched.size()> previous;
std::size_t taken = 0; ///< Of `watched`.

} // namespace

stop_signals::stop_signals(signal_choice choice) {
  one_within = std::chrono::nanoseconds(choice.one_within).count();
  static_cast<void>(steady_now()); // Whatever it sets up is there when a signal comes.
  taken = choice.is_server ? watched.size() : watched_by_all;
  if (::pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < taken; ++i)
    ::sigaction(watched[i], &action, &previous[i]);
}

stop_signals::~stop_signals() {
  for (std::size_t i = 0; i < taken; ++i)
    ::sigaction(watched[i], &previous[i], nullptr);
  ::close(wake_pipe[0]);
  ::close(wake_pipe[1]);
  last_words = nullptr;
}

int stop_signals::descriptor() const noexcept {
  return wake_pipe[0];
}

void stop_signals::clear() noexcept {
  std::array<char, 64> bytes;
  while (::read(wake_pipe[0], bytes.data(), bytes.size()) > 0) {
  }
}

bool stop_signals::stop_requested() const noexcept {
  return stops > 0;
}

interrupt_words::interrupt_words() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < interrupts.size(); ++i)
    ::sigaction(interrupts[i], &action, &actions_before_words[i]);
}

interrupt_words::~interrupt_words() {
  for (std::size_t i = 0; i < interrupts.size(); ++i)
    ::sigaction(interrupts[i], &actions_before_words[i], nullptr);
  line_to_say = nullptr;
}

void interrupt_words::set(const std::string& line) noexcept {
  auto& next = line_to_say == &last_lines[0] ? last_lines[1] : last_lines[0];
  const auto size = std::min(line.size(), next.text.size() - 1);
  std::copy_n(line.begin(), size, next.text.begin());
  next.text[size] = '\n';
  next.size = size + 1;
  line_to_say = line.empty() ? nullptr : &next;
}

void end_within(std::chrono::milliseconds bound, int code, std::string complaint) {
  std::thread([bound, code, text = std::move(complaint)] {
    std::this_thread::sleep_for(bound);
    if (auto* const words = last_words.load())
      words();
    complain(text);
    ::_exit(code);
  }).detach();
}

bool stop_signals::take_continued() noexcept {
  return continued.exchange(false);
}

bool stop_signals::take_reload() noexcept {
  return reload_asked.exchange(false);
}

void stop_signals::before_forced_end(void (*function)()) noexcept {
  last_words = function;
}

} // namespace troupe
