#include "sim/jobs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "sim/text_files.hpp"

namespace troupe::sim {

namespace {

[[noreturn]] void refuse(const char* action) {
  throw std::system_error(errno, std::generic_category(), action);
}

// -- messages: a kind, the number of fields, and each with its length before it --------------------

void put_number(std::string& to, std::uint64_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

struct message {
  char kind;
  std::vector<std::string> fields;
};

/// Takes one from the front of `from`. Nothing: it is not whole yet.
std::optional<message> take_message(std::string_view& from) {
  auto left = from;
  const auto number = [&]() -> std::optional<std::uint64_t> {
    std::uint64_t out = 0;
    if (left.size() < sizeof out)
      return std::nullopt;
    std::memcpy(&out, left.data(), sizeof out);
    left.remove_prefix(sizeof out);
    return out;
  };
  if (left.empty())
    return std::nullopt;
  message out{left.front(), {}};
  left.remove_prefix(1);
  const auto count = number();
  if (!count)
    return std::nullopt;
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto size = number();
    if (!size || left.size() < *size)
      return std::nullopt;
    out.fields.emplace_back(left.substr(0, *size));
    left.remove_prefix(*size);
  }
  from = left;
  return out;
}

// -- signals --------------------------------------------------------------------------------------

struct stop_signals {
  stop_signals() {
    sigset_t all;
    ::sigemptyset(&all);
    for (const int each : {SIGHUP, SIGINT, SIGTERM}) {
      struct sigaction before {};
      ::sigaction(each, nullptr, &before);
      if (before.sa_handler != SIG_IGN) // nohup
        ::sigaddset(&all, each);
    }
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    file = ::signalfd(-1, &all, SFD_CLOEXEC);
    if (file < 0)
      refuse("signals cannot be waited for");
  }
  ~stop_signals() { ::close(file); }
  stop_signals(const stop_signals&) = delete;
  stop_signals& operator=(const stop_signals&) = delete;

  [[nodiscard]] int take() const {
    signalfd_siginfo one{};
    return ::read(file, &one, sizeof one) == sizeof one ? static_cast<int>(one.ssi_signo) : 0;
  }

  int file = -1;
};

// -- processes ------------------------------------------------------------------------------------

/// A process that ends with `_exit` is not looked at otherwise. It prints the findings.
bool leaks() {
#ifdef __SANITIZE_ADDRESS__
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

struct child {
  pid_t id;
  int pipe;
  std::string arrived; ///< The begin of a message.
  job_step doing{"a job, before it has begun,", "", ""};
};

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return "by signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status))
           + ")";
  return "with code " + std::to_string(WEXITSTATUS(status));
}

class children {
public:
  children() = default;
  children(const children&) = delete;
  children& operator=(const children&) = delete;
  ~children() {
    for (const auto& each : all_)
      ::kill(each.id, SIGKILL);
    while (!all_.empty())
      end(all_.back());
  }

  void start(const std::function<void(job&)>& work) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
      refuse("a pipe cannot be made");
    const auto parent = ::getpid();
    const auto id = ::fork();
    if (id == 0) {
      ::close(ends[0]);
      run(work, ends[1], parent);
    }
    ::close(ends[1]);
    if (id < 0) {
      ::close(ends[0]);
      refuse("a process cannot be started");
    }
    all_.push_back({id, ends[0], {}});
  }

  /// How it has ended.
  int end(child& one) {
    int status = 0;
    ::close(one.pipe);
    while (::waitpid(one.id, &status, 0) < 0 && errno == EINTR) {
    }
    all_.erase(all_.begin() + (&one - all_.data()));
    return status;
  }

  [[nodiscard]] std::vector<child>& all() noexcept { return all_; }

private:
  /// An exception ends the process, not its parent's work.
  [[noreturn]] static void run(const std::function<void(job&)>& work, int pipe,
                               pid_t parent) noexcept {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
      ::_exit(1);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    job here(pipe);
    work(here);
    ::_exit(leaks() ? 1 : 0);
  }

  std::vector<child> all_;
};

/// False: all jobs are to end.
bool handle_messages(child& from, const job_reader& reader) {
  std::string_view left = from.arrived;
  while (auto next = take_message(left)) {
    if (next->kind == 'b')
      from.doing = {next->fields.at(0), next->fields.at(1), next->fields.at(2)};
    else if (next->kind == 'p')
      print(next->fields.at(0));
    else if (!reader.take(next->fields))
      return false;
  }
  from.arrived.erase(0, from.arrived.size() - left.size());
  return true;
}

/// False: all jobs are to end.
bool handle_end(children& in, child& one, const job_reader& reader) {
  const auto doing = one.doing;
  const auto status = in.end(one);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  print(doing.name + " ends its process " + how_it_ended(status) + "\n"
        + (doing.left_out.empty() ? "" : "  " + doing.left_out + "\n")
        + (doing.repeat_it.empty() ? "" : "  repeat it: " + doing.repeat_it + "\n"));
  return reader.note_death();
}

/// False: all jobs are to end.
bool handle_arrival(children& in, child& one, const job_reader& reader) {
  std::array<char, 65'536> buffer{};
  const auto count = ::read(one.pipe, buffer.data(), buffer.size());
  if (count < 0)
    return errno == EINTR;
  if (count == 0)
    return handle_end(in, one, reader);
  one.arrived.append(buffer.data(), static_cast<std::size_t>(count));
  return handle_messages(one, reader);
}

} // namespace

void job::send(char kind, const std::vector<std::string>& fields) {
  std::string bytes(1, kind);
  put_number(bytes, fields.size());
  for (const auto& each : fields) {
    put_number(bytes, each.size());
    bytes += each;
  }
  for (std::string_view left = bytes; !left.empty();) {
    const auto count = ::write(pipe_, left.data(), left.size());
    if (count < 0 && errno != EINTR)
      ::_exit(1);
    left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
}

int run_jobs(unsigned count, const std::function<void(unsigned number, job& here)>& work,
             const job_reader& reader) {
  const stop_signals signals;
  children running;
  for (unsigned number = 0; number < count; ++number)
    running.start([&](job& here) { work(number, here); });
  while (!running.all().empty()) {
    std::vector<pollfd> waiting{{signals.file, POLLIN, 0}};
    for (const auto& each : running.all())
      waiting.push_back({each.pipe, POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), -1) < 0)
      continue;
    if (waiting.front().revents != 0)
      return signals.take();
    // Backwards, since those that have ended are taken out.
    for (auto i = running.all().size(); i-- > 0;)
      if (waiting[i + 1].revents != 0 && !handle_arrival(running, running.all()[i], reader))
        return 0;
  }
  return 0;
}

} // namespace troupe::sim
