#include "apps/signals.hpp"

#include "apps/options.hpp"
#include "apps/terminal/console.hpp"

#include <array>
#include <cerrno>
#include <csignal>
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
std::atomic<void (*)()> last_words{nullptr};
static_assert(std::atomic<int>::is_always_lock_free
              && std::atomic<void (*)()>::is_always_lock_free);

extern "C" void on_signal(int number) {
  const int saved = errno;
  if (number == SIGCONT) {
    continued = true;
  } else if (++stops > 1) {
    if (auto* const words = last_words.load())
      words();
    ::_exit(exit_canceled);
  }
  const char byte = 0;
  [[maybe_unused]] const auto written = ::write(wake_pipe[1], &byte, 1);
  errno = saved;
}

constexpr std::array<int, 3> watched{SIGINT, SIGTERM, SIGCONT};
std::array<struct sigaction, watched.size()> previous;

} // namespace

stop_signals::stop_signals() {
  if (::pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < watched.size(); ++i)
    ::sigaction(watched[i], &action, &previous[i]);
}

stop_signals::~stop_signals() {
  for (std::size_t i = 0; i < watched.size(); ++i)
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

void stop_signals::before_forced_end(void (*function)()) noexcept {
  last_words = function;
}

} // namespace troupe
