#include "bench/support/process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#ifdef TROUPE_HAS_JEMALLOC
#include <jemalloc/jemalloc.h>
#endif
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

[[noreturn]] void fail(const std::string& text) {
  throw std::runtime_error(text + ": " + std::strerror(errno));
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Writes all of it; what cannot be written is lost, and the reader notices.
void write_all(int to, const void* data, std::size_t size) {
  auto from = static_cast<const char*>(data);
  while (size > 0) {
    const auto n = ::write(to, from, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return;
    from += n;
    size -= static_cast<std::size_t>(n);
  }
}

double cpu_seconds_of(const rusage& used) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double resident_bytes_of(const std::string& process) {
  std::ifstream statm("/proc/" + process + "/statm");
  double total_pages = 0.0;
  double resident_pages = 0.0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

} // namespace

child_process::child_process(const std::vector<std::string>& argv) {
  int ends[2];
  int words[2];
  if (::pipe2(ends, O_CLOEXEC) != 0 || ::pipe2(words, O_CLOEXEC) != 0)
    fail("pipe");
  std::vector<char*> arguments;
  for (const auto& one : argv)
    arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0)
    fail("fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(words[0], STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::execv(arguments[0], arguments.data());
    std::fprintf(stderr, "cannot start %s: %s\n", arguments[0], std::strerror(errno));
    ::_exit(127);
  }
  ::close(ends[1]);
  ::close(words[0]);
  output_ = ends[0];
  input_ = words[1];
  running_ = true;
}

child_process::~child_process() {
  if (running_) {
    ::kill(pid_, SIGKILL);
    reap(true);
  }
  if (dropping_.joinable())
    dropping_.join();
  ::close(output_);
  ::close(input_);
}

void child_process::drop_output() {
  buffer_.clear();
  dropping_ = std::thread([from = output_] {
    char piece[4096];
    for (;;) {
      const auto n = ::read(from, piece, sizeof piece);
      if (n == 0 || (n < 0 && errno != EINTR))
        return;
    }
  });
}

std::string child_process::read_line(std::chrono::seconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  for (;;) {
    if (const auto end = buffer_.find('\n'); end != std::string::npos) {
      auto line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd ready{output_, POLLIN, 0};
    const int n = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (n == 0)
      throw std::runtime_error("a program under test prints nothing");
    if (n < 0 && errno != EINTR)
      fail("poll");
    char chunk[4096];
    const auto got = ::read(output_, chunk, sizeof chunk);
    if (got == 0)
      throw std::runtime_error(
          "a program under test ended before it said what was expected; it printed: " + buffer_);
    if (got > 0)
      buffer_.append(chunk, static_cast<std::size_t>(got));
  }
}

bool child_process::reap(bool block) {
  rusage used{};
  pid_t got = 0;
  do
    got = ::wait4(pid_, &status_, block ? 0 : WNOHANG, &used);
  while (got < 0 && errno == EINTR);
  if (got != pid_)
    return false;
  running_ = false;
  cpu_seconds_ = cpu_seconds_of(used);
  return true;
}

double child_process::resident_bytes() const {
  return resident_bytes_of(std::to_string(pid_));
}

int child_process::terminate(std::chrono::seconds wait) {
  if (!running_)
    return exit_code_of(status_);
  ::kill(pid_, SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (!reap(false)) {
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(pid_, SIGKILL);
      reap(true);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return exit_code_of(status_);
}

int child_process::wait() {
  if (running_)
    reap(true);
  return exit_code_of(status_);
}

std::uint16_t listening_port(child_process& server) {
  constexpr int lines_max = 20; // Notes about settings come before it.
  std::string all;
  for (int lines = 0; lines < lines_max; ++lines) {
    const auto line = server.read_line();
    // Other lines name addresses, too: that of the settings, for one.
    for (const std::string lead : {"listening on http://127.0.0.1:", "listening on 127.0.0.1:"})
      if (const auto at = line.find(lead); at != std::string::npos) {
        server.drop_output();
        return static_cast<std::uint16_t>(std::stoul(line.substr(at + lead.size())));
      }
    all += line + '\n';
  }
  throw std::runtime_error("a server does not say where it listens, but:\n" + all);
}

std::vector<double> run_in_child(const std::function<std::vector<double>()>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    fail("pipe");
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child < 0)
    fail("fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      const auto figures = work();
      write_all(ends[1], figures.data(), figures.size() * sizeof(double));
      ::_exit(0);
    } catch (const std::exception& failure) {
      write_all(ends[1], failure.what(), std::strlen(failure.what()));
      ::_exit(1);
    }
  }
  ::close(ends[1]);
  std::string answer;
  char chunk[4096];
  for (;;) {
    const auto n = ::read(ends[0], chunk, sizeof chunk);
    if (n > 0)
      answer.append(chunk, static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      break;
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (const int code = exit_code_of(status); code != 0)
    throw std::runtime_error(
        code == 1 ? answer : "a measured process ended with code " + std::to_string(code));
  std::vector<double> figures(answer.size() / sizeof(double));
  std::memcpy(figures.data(), answer.data(), figures.size() * sizeof(double));
  return figures;
}

double resident_bytes() {
  return resident_bytes_of("self");
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return cpu_seconds_of(used);
}

double allocated_bytes() {
#ifdef TROUPE_HAS_JEMALLOC
  std::uint64_t epoch = 1; // The figures are those of the last change of epoch.
  ::mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch);
  std::size_t allocated = 0;
  auto size = sizeof allocated;
  if (::mallctl("stats.allocated", &allocated, &size, nullptr, 0) == 0)
    return static_cast<double>(allocated);
#endif
  const auto info = ::mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

} // namespace troupe::bench
