#include "agents/command/process_reactor.hpp"

#include "agents/command/process_orphans.hpp"
#include "agents/command/process_warden.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe {

namespace {

using steady_point = time_source::steady_point;

constexpr std::size_t read_bytes = 64 * 1024; // one pipe's capacity
constexpr std::size_t reads_per_turn_max = 4; // then the next process has its turn
constexpr std::size_t writes_per_turn_max = 4;
constexpr std::size_t events_per_turn_max = 64;
constexpr std::chrono::milliseconds poll_interval{20}; // only where the kernel has no pidfd

enum class stream : std::uint64_t { wake, input, output, errors, exit };

// What epoll hands back: the process and which of its descriptors. A stale event finds no process
// and is dropped.
std::uint64_t tag(process_key key, stream which) {
  return key * 8 + static_cast<std::uint64_t>(which);
}

unique_fd open_pidfd(pid_t pid) {
  return unique_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

// The time between two searches for orphans of a program that has ended.
constexpr std::chrono::milliseconds clear_interval{2};
// While there are programs or orphans: those that end are reaped.
constexpr std::chrono::seconds look_interval{1};

enum class phase : std::uint8_t {
  running,
  lingering,
  terminating,
  killed,
  clearing ///< Reaped; its orphans end.
};

struct process {
  pid_t pid = -1;
  unique_fd input, output, errors, exit;
  std::unique_ptr<process_listener> listener;
  text_pieces to_write;
  std::string piece;       ///< The last one taken from `to_write`.
  std::size_t written = 0; ///< Of `piece`.
  bool keep_input_open = false;
  bool input_watched = false;
  std::size_t output_bytes = 0;
  std::size_t output_bytes_max = 0;
  std::chrono::nanoseconds kill_after{};
  phase now = phase::running;
  std::optional<steady_point> deadline;
  steady_point clear_until{}; ///< While clearing.
  process_exit end;

  // Signals the group, and the process if it has left the group. Each gets the signal once, because
  // a program may treat a second SIGTERM differently. It is not reaped yet, so its pid belongs to
  // no other process.
  void signal(int number) const {
    ::kill(-pid, number);
    if (::getpgid(pid) != pid)
      ::kill(pid, number);
  }
};

enum class command_kind : std::uint8_t { start, write, terminate, kill };

struct reactor_command {
  command_kind kind = command_kind::start;
  process_key key = 0;
  process_spec spec;
  std::unique_ptr<process_listener> listener;
  text_pieces input;
};

} // namespace

class process_reactor::loop {
public:
  loop(const time_source& time, bool adopts_orphans)
      : time_(time), orphans_(adopts_orphans), epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!epoll_ || !wake_ || !watch(wake_, EPOLLIN, tag(0, stream::wake)))
      throw std::system_error(errno, std::generic_category(), "cannot watch processes");
  }

  process_key next_key() { return ++last_key_; }

  void post(reactor_command command) {
    bool first = false;
    {
      const std::lock_guard guard(mutex_);
      first = commands_.empty();
      commands_.push_back(std::move(command));
    }
    if (first)
      wake();
  }

  void stop() {
    stopping_ = true;
    wake();
  }

  void run() {
    while (!stopping_)
      turn(wait_ms());
    kill_all();
  }

  /// Waits at most so long for something to do, and does it.
  void turn(int wait_ms_max) {
    std::array<epoll_event, events_per_turn_max> events{};
    const auto count =
        ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), wait_ms_max);
    for (int i = 0; i < count; ++i)
      handle(events[static_cast<std::size_t>(i)].data.u64);
    obey();
    meet_deadlines();
  }

  /// The same without waiting.
  void turn() {
    is_turning_ = true;
    turn(0);
    is_turning_ = false;
    if (stopping_)
      kill_all();
  }

  /// Ends what runs, if need be at the end of the turn that is under way. For a reactor without a
  /// thread.
  void end() {
    stopping_ = true;
    if (!is_turning_)
      kill_all();
  }

  void kill_all() {
    for (const auto& [key, one] : processes_)
      if (one.now != phase::clearing)
        one.signal(SIGKILL);
    std::vector<pid_t> left;
    for (const auto& [key, one] : processes_)
      if (one.now != phase::clearing)
        left.push_back(one.pid);
    processes_.clear();
    // Each search finds what the killed processes had started. Some processes (of another user)
    // cannot be killed, so the number of searches is limited.
    for (auto looks = clear_max / clear_interval; looks > 0; --looks) {
      std::erase_if(left, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG | __WALL) != 0; });
      const auto found = look();
      if (left.empty() && found.is_whole && found.killed.empty())
        break;
      ::poll(nullptr, 0, static_cast<int>(clear_interval.count()));
    }
    warden_.reset();
  }

private:
  static void wait_for(pid_t pid) {
    while (::waitpid(pid, nullptr, __WALL) < 0 && errno == EINTR) {
    }
  }

  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written =
        ::write(wake_.get(), &one, sizeof one); // full: it is awake already
  }

  bool watch(const unique_fd& fd, std::uint32_t events, std::uint64_t which) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = which;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0;
  }

  // -- commands -----------------------------------------------------------------------------------

  void obey() {
    std::vector<reactor_command> todo;
    {
      const std::lock_guard guard(mutex_);
      todo.swap(commands_);
    }
    for (auto& command : todo) {
      if (command.kind == command_kind::start) {
        begin(command.key, std::move(command.spec), std::move(command.listener));
        continue;
      }
      const auto at = processes_.find(command.key);
      if (at == processes_.end() || at->second.now == phase::clearing)
        continue;
      if (command.kind == command_kind::write)
        write_more(command.key, at->second, std::move(command.input));
      else if (command.kind == command_kind::terminate)
        terminate(at->second);
      else
        kill(at->second);
    }
  }

  void begin(process_key key, process_spec spec, std::unique_ptr<process_listener> listener) {
    if (!warden_)
      warden_.emplace(orphans_.mark());
    std::erase_if(spec.environment,
                  [](const std::string& one) { return one.starts_with("TROUPE_RUN="); });
    spec.environment.push_back(orphans_.mark(key));
    auto outcome = spawn(spec);
    if (const auto* failure = std::get_if<spawn_failure>(&outcome))
      return listener->on_start_failed(*failure);
    auto& child = std::get<spawned_process>(outcome);
    auto& one = processes_[key];
    one.pid = child.pid;
    tell_warden();
    one.input = std::move(child.input);
    one.output = std::move(child.output);
    one.errors = std::move(child.errors);
    one.listener = std::move(listener);
    one.keep_input_open = spec.keep_input_open;
    one.output_bytes_max = spec.output_bytes_max;
    one.kill_after = spec.kill_after;
    one.exit = open_pidfd(one.pid);
    if (!one.exit || !watch(one.exit, EPOLLIN, tag(key, stream::exit))) {
      one.exit.reset();
      ++polled_;
    }
    // If the kernel refuses to watch a pipe (no memory), its content is read when the process ends.
    watch(one.output, EPOLLIN, tag(key, stream::output));
    watch(one.errors, EPOLLIN, tag(key, stream::errors));
    write_more(key, one, spec.input ? std::move(*spec.input) : text_pieces{});
  }

  void tell_warden() {
    std::vector<pid_t> groups;
    for (const auto& [key, one] : processes_)
      if (one.pid > 0)
        groups.push_back(one.pid);
    warden_->know(groups);
  }

  void terminate(process& one) {
    if (one.now == phase::terminating || one.now == phase::killed)
      return;
    one.signal(SIGTERM);
    one.now = phase::terminating;
    one.deadline = time_.steady() + one.kill_after;
  }

  void kill(process& one) {
    one.signal(SIGKILL);
    one.now = phase::killed;
    one.deadline.reset();
  }

  // -- deadlines ----------------------------------------------------------------------------------

  [[nodiscard]] int wait_ms() const {
    std::optional<steady_point> next;
    for (const auto& [key, one] : processes_)
      if (one.deadline && (!next || *one.deadline < *next))
        next = one.deadline;
    auto wait = std::chrono::milliseconds{-1};
    if (looks_now_and_then() && (!next || next_look_ < *next))
      next = next_look_;
    if (next)
      wait = std::max(std::chrono::ceil<std::chrono::milliseconds>(*next - time_.steady()),
                      std::chrono::milliseconds{0});
    if (polled_ > 0)
      wait = next ? std::min(wait, poll_interval) : poll_interval;
    return static_cast<int>(std::min<std::chrono::milliseconds::rep>(wait.count(), 3'600'000));
  }

  void meet_deadlines() {
    const auto now = time_.steady();
    std::vector<process_key> polled;
    for (auto& [key, one] : processes_) {
      if (one.now == phase::clearing)
        continue;
      if (one.deadline && *one.deadline <= now) {
        if (one.now == phase::lingering)
          terminate(one);
        else
          kill(one);
      }
      if (!one.exit)
        polled.push_back(key);
    }
    for (const auto key : polled)
      reap(key);
    clear(now);
  }

  // -- orphans ------------------------------------------------------------------------------------

  [[nodiscard]] process_orphans::finding look() const {
    process_orphans::programs known;
    if (warden_)
      known.started.push_back(warden_->pid());
    for (const auto& [key, one] : processes_) {
      if (one.now == phase::clearing)
        continue;
      known.started.push_back(one.pid);
      known.running.push_back(key);
    }
    return orphans_.look(known);
  }

  [[nodiscard]] bool looks_now_and_then() const {
    return orphans_.adopts() && (!processes_.empty() || any_left_);
  }

  // One look for all programs that have ended since the last. An orphan that does not say whose it
  // is may be of any of them.
  void clear(steady_point now) {
    std::vector<process_key> ended;
    bool is_time = looks_now_and_then() && next_look_ <= now;
    for (const auto& [key, one] : processes_)
      if (one.now == phase::clearing) {
        ended.push_back(key);
        is_time = is_time || *one.deadline <= now;
      }
    if (!is_time)
      return;
    const auto found = look();
    any_left_ = found.any_left || !found.is_whole;
    next_look_ = now + look_interval;
    for (const auto key : ended) {
      auto& one = processes_.at(key);
      const bool is_clear =
          found.is_whole && std::ranges::none_of(found.killed, [key](const auto& orphan) {
            return !orphan.of || *orphan.of == key;
          });
      if (is_clear || one.clear_until <= now)
        report_end(key);
      else
        one.deadline = now + clear_interval;
    }
  }

  // -- streams ------------------------------------------------------------------------------------

  void handle(std::uint64_t number) {
    const auto key = number / 8;
    const auto which = static_cast<stream>(number % 8);
    if (which == stream::wake) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
      return;
    }
    const auto at = processes_.find(key);
    if (at == processes_.end() || at->second.now == phase::clearing)
      return;
    if (which == stream::exit)
      reap(key);
    else if (which == stream::input)
      write_more(key, at->second, {});
    else
      read_stream(at->second, which, read_bytes * reads_per_turn_max);
  }

  // Writes what fits. A program that closes its stdin or never reads it is free to do so.
  void write_more(process_key key, process& one, text_pieces more) {
    if (!one.input)
      return;
    one.to_write.add(std::move(more));
    for (std::size_t writes = 0; take_piece(one); ++writes) {
      if (writes == writes_per_turn_max)
        return watch_input(key, one);
      const auto sent =
          ::write(one.input.get(), one.piece.data() + one.written, one.piece.size() - one.written);
      if (sent >= 0) {
        one.written += static_cast<std::size_t>(sent);
      } else if (errno == EAGAIN) {
        return watch_input(key, one);
      } else if (errno != EINTR) {
        return close_input(one);
      }
    }
    if (!one.keep_input_open)
      return close_input(one);
    if (std::exchange(one.input_watched, false))
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, one.input.get(), nullptr);
  }

  // The next turn in which the program can take something.
  void watch_input(process_key key, process& one) {
    if (!one.input_watched)
      one.input_watched = watch(one.input, EPOLLOUT, tag(key, stream::input));
  }

  // Whether there is something to write.
  static bool take_piece(process& one) {
    if (one.written == one.piece.size()) {
      one.piece = one.to_write.next(input_piece_bytes_max);
      one.written = 0;
    }
    return !one.piece.empty();
  }

  static void close_input(process& one) {
    one.input.reset();
    one.to_write = {};
    one.piece = {};
    one.written = 0;
  }

  // Reads at most `bytes_max`; closes the pipe at its end.
  void read_stream(process& one, stream which, std::size_t bytes_max) {
    auto& from = which == stream::output ? one.output : one.errors;
    while (from && bytes_max > 0) {
      const auto got = ::read(from.get(), buffer_.data(), std::min(buffer_.size(), bytes_max));
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0 && errno == EAGAIN)
        return;
      if (got <= 0)
        return from.reset();
      const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(got));
      bytes_max -= bytes.size();
      if (which == stream::errors)
        take_errors(one, bytes);
      else
        take_output(one, bytes);
    }
  }

  static void take_errors(process& one, std::string_view bytes) {
    try {
      one.listener->on_errors(bytes);
    } catch (const std::exception& thrown) {
      one.end.fault = thrown.what();
    }
  }

  void take_output(process& one, std::string_view bytes) {
    if (one.now == phase::killed || one.end.over_limit)
      return; // it takes nothing any more
    const auto room = one.output_bytes_max - one.output_bytes;
    const bool is_over = bytes.size() > room;
    bytes = bytes.substr(0, room); // It shows what the program was about to write.
    one.output_bytes += bytes.size();
    auto verdict = output_verdict::kill;
    try {
      verdict = bytes.empty() ? output_verdict::go_on : one.listener->on_output(bytes);
    } catch (const std::exception& thrown) {
      one.end.fault = thrown.what();
    }
    if (is_over && verdict == output_verdict::go_on) {
      // Closing the pipe stops even a writer that ignores SIGTERM.
      one.end.over_limit = true;
      one.output.reset();
      return terminate(one);
    }
    if (verdict == output_verdict::kill) {
      kill(one);
    } else if (verdict == output_verdict::finish && one.now == phase::running) {
      close_input(one);
      one.now = phase::lingering;
      one.deadline = time_.steady() + one.kill_after;
    }
  }

  // What is in the pipe now, and no more: a grandchild may hold it open and write for ever.
  void drain(process& one, stream which) {
    const auto& from = which == stream::output ? one.output : one.errors;
    int there = 0;
    if (from && ::ioctl(from.get(), FIONREAD, &there) == 0 && there > 0)
      read_stream(one, which, static_cast<std::size_t>(there));
  }

  // -- the end ------------------------------------------------------------------------------------

  void reap(process_key key) {
    auto& one = processes_.at(key);
    // First only look: as long as it is not reaped its pid, and with it the group's, belongs to no
    // other process.
    siginfo_t info{};
    const auto looked =
        ::waitid(P_PID, static_cast<id_t>(one.pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (looked == 0 && info.si_pid == 0)
      return;
    drain(one, stream::output);
    drain(one, stream::errors);
    const auto pid = std::exchange(one.pid, -1);
    if (looked == 0)
      ::kill(-pid, SIGKILL);
    tell_warden();
    if (looked == 0)
      wait_for(pid);
    one.end.unknown = looked != 0;
    (info.si_code == CLD_EXITED ? one.end.code : one.end.signal) = info.si_status;
    if (!one.exit)
      --polled_;
    close_input(one);
    for (auto* const fd : {&one.output, &one.errors, &one.exit})
      fd->reset();
    one.now = phase::clearing;
    one.deadline = time_.steady();
    one.clear_until = *one.deadline + clear_max;
  }

  void report_end(process_key key) {
    auto& one = processes_.at(key);
    const auto listener = std::move(one.listener);
    const auto end = std::move(one.end);
    processes_.erase(key);
    listener->on_exit(end);
  }

  const time_source& time_;
  const process_orphans orphans_;
  unique_fd epoll_, wake_;
  std::atomic<bool> stopping_{false};
  std::atomic<process_key> last_key_{0};
  std::mutex mutex_; // guards commands_
  std::vector<reactor_command> commands_;
  // Only on the thread that takes the turns:
  std::unordered_map<process_key, process> processes_;
  steady_point next_look_{};
  bool any_left_ = false;                ///< At the last look: orphans, or what is not known.
  bool is_turning_ = false;              ///< In a turn without a thread.
  std::size_t polled_ = 0;               ///< Processes without a pidfd.
  std::optional<process_warden> warden_; ///< From the first process on.
  std::array<char, read_bytes> buffer_{};
};

process_reactor::process_reactor(const time_source& time, bool adopts_orphans)
    : loop_(std::make_shared<loop>(time, adopts_orphans)) {}

void process_reactor::start() {
  // The thread inherits the mask: it takes no signal meant for the program, and a write to a closed
  // pipe is an error value there.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([loop = loop_] { loop->run(); });
  } catch (...) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

process_reactor::~process_reactor() {
  if (!thread_.joinable()) {
    loop_->end();
    return;
  }
  loop_->stop();
  // The last owner may go away while a listener reports its end, on the reactor's own thread.
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

void process_reactor::turn() {
  // A listener may let the last owner of the reactor go.
  const auto here = loop_;
  here->turn();
}

process_key process_reactor::launch(process_spec spec, std::unique_ptr<process_listener> who) {
  const auto key = loop_->next_key();
  loop_->post({command_kind::start, key, std::move(spec), std::move(who), {}});
  return key;
}

void process_reactor::write_input(process_key which, text_pieces more) {
  loop_->post({command_kind::write, which, {}, {}, std::move(more)});
}

void process_reactor::terminate(process_key which) {
  loop_->post({command_kind::terminate, which, {}, {}, {}});
}

void process_reactor::kill(process_key which) {
  loop_->post({command_kind::kill, which, {}, {}, {}});
}

} // namespace troupe
