#include "tests/apps/process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char** environ;

namespace troupe::testing {

using steady = std::chrono::steady_clock;

namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe2");
  return ends;
}

void close_end(int& descriptor) {
  if (descriptor >= 0)
    ::close(std::exchange(descriptor, -1));
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& each : texts)
    out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

/// This process's environment with `added` in place of what it names.
std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> out;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string old(*each);
    bool replaced = false;
    for (const auto& text : added)
      replaced = replaced || text.substr(0, text.find('=')) == old.substr(0, old.find('='));
    if (!replaced)
      out.push_back(old);
  }
  out.insert(out.end(), added.begin(), added.end());
  return out;
}

} // namespace

void process::start(std::vector<std::string>& words, const std::vector<std::string>& environment,
                    const posix_spawn_file_actions_t& actions,
                    const posix_spawnattr_t* attributes) {
  auto variables = environment_with(environment);
  const auto argv = pointers(words);
  const auto envp = pointers(variables);
  const int failed =
      ::posix_spawn(&id_, words[0].c_str(), &actions, attributes, argv.data(), envp.data());
  if (failed != 0)
    throw std::system_error(failed, std::generic_category(), words[0]);
}

process::process(std::vector<std::string> words, std::vector<std::string> environment) {
  std::signal(SIGPIPE, SIG_IGN);
  auto in = make_pipe();
  auto out = make_pipe();
  auto err = make_pipe();
  in_ = in[1];
  out_pipe_ = out[0];
  err_pipe_ = err[0];
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  start(words, environment, actions, nullptr);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  ::close(err[1]);
}

process::process(std::vector<std::string> words, std::vector<std::string> environment,
                 screen_size size) {
  in_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  std::array<char, 64> name{};
  const winsize window{size.rows, size.columns, 0, 0};
  if (in_ < 0 || ::grantpt(in_) != 0 || ::unlockpt(in_) != 0
      || ::ptsname_r(in_, name.data(), name.size()) != 0 || ::ioctl(in_, TIOCSWINSZ, &window) != 0)
    throw std::system_error(errno, std::generic_category(), "a terminal");
  out_pipe_ = ::fcntl(in_, F_DUPFD_CLOEXEC, 0);
  terminal_ = ::fcntl(in_, F_DUPFD_CLOEXEC, 0);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  // The first terminal that the leader of a session opens is its own.
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, name.data(), O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  start(words, environment, actions, &attributes);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
}

process::~process() {
  if (id_ > 0) {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  close_end(in_);
  close_end(out_pipe_);
  close_end(err_pipe_);
  close_end(terminal_);
}

void process::send_input(const std::string& text) {
  std::string_view left = text;
  while (!left.empty()) {
    const auto n = ::write(in_, left.data(), left.size());
    if (n < 0)
      return; // the program does not read its input
    left.remove_prefix(static_cast<std::size_t>(n));
  }
}

void process::close_input() {
  close_end(in_);
}

void process::close_output() {
  close_end(out_pipe_);
}

void process::signal(int number) {
  ::kill(id_, number);
}

void process::resize(screen_size size) const {
  const winsize window{size.rows, size.columns, 0, 0};
  ::ioctl(terminal_, TIOCSWINSZ, &window);
}

bool process::is_cooked() const {
  termios mode{};
  return ::tcgetattr(terminal_, &mode) == 0 && (mode.c_lflag & ICANON) != 0
         && (mode.c_lflag & ECHO) != 0;
}

bool process::read_some(steady::time_point until) {
  std::array<pollfd, 2> waits{pollfd{out_pipe_, POLLIN, 0}, pollfd{err_pipe_, POLLIN, 0}};
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - steady::now()).count() + 1;
  if ((out_pipe_ < 0 && err_pipe_ < 0) || left <= 0
      || ::poll(waits.data(), waits.size(), static_cast<int>(left)) <= 0)
    return false;
  const auto drain = [](short ready, int& descriptor, std::string& into) {
    if (ready == 0)
      return;
    std::array<char, 65536> bytes;
    const auto n = ::read(descriptor, bytes.data(), bytes.size());
    if (n > 0)
      into.append(bytes.data(), static_cast<std::size_t>(n));
    else
      close_end(descriptor);
  };
  drain(waits[0].revents, out_pipe_, out_);
  drain(waits[1].revents, err_pipe_, err_);
  return true;
}

bool process::read_until(const std::function<bool(const process&)>& enough,
                         std::chrono::milliseconds bound) {
  const auto until = steady::now() + bound;
  while (!enough(*this))
    if (!read_some(until))
      return enough(*this);
  return true;
}

int process::wait(std::chrono::milliseconds bound) {
  close_input();
  const auto until = steady::now() + bound;
  while (read_some(until)) {
  }
  bool late = steady::now() >= until && (out_pipe_ >= 0 || err_pipe_ >= 0);
  if (late)
    ::kill(id_, SIGKILL);
  while (read_some(steady::now() + std::chrono::seconds{1})) {
  }
  int status = 0;
  ::waitpid(std::exchange(id_, -1), &status, 0);
  if (late)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

outcome run_program(std::vector<std::string> words, const std::string& input,
                    std::vector<std::string> environment) {
  process program(std::move(words), std::move(environment));
  program.send_input(input);
  outcome out;
  out.code = program.wait();
  out.out = program.out();
  out.err = program.err();
  return out;
}

std::string troupe_binary() {
  const char* given = std::getenv("TROUPE_BINARY");
  return given != nullptr ? given : TROUPE_BINARY_BUILT;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin))
    out.push_back(text.substr(begin, end - begin));
  return out;
}

} // namespace troupe::testing
