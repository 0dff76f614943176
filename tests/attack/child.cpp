#include "tests/attack/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace troupe::attack {

std::optional<std::string> line_pipe::read(std::chrono::milliseconds bound) {
  const auto until = std::chrono::steady_clock::now() + bound;
  for (;;) {
    if (const auto end = input_.find('\n'); end != std::string::npos) {
      auto line = input_.substr(0, end);
      input_.erase(0, end + 1);
      return line;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    pollfd one{in_, POLLIN, 0};
    if (is_over_ || ::poll(&one, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0) <= 0)
      return std::nullopt;
    std::array<char, 4096> buffer;
    const auto count = ::read(in_, buffer.data(), buffer.size());
    is_over_ = count <= 0;
    if (count > 0)
      input_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void line_pipe::write(std::string_view line) const {
  std::string text(line);
  text += '\n';
  for (std::string_view rest = text; !rest.empty();) {
    const auto count = ::write(out_, rest.data(), rest.size());
    if (count <= 0)
      return; // Nobody reads it.
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

child::child(const std::function<void(line_pipe&)>& work) {
  std::array<int, 2> down{};
  std::array<int, 2> up{};
  if (::pipe2(down.data(), O_CLOEXEC) != 0 || ::pipe2(up.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("pipe2: ") + std::strerror(errno));
  std::fflush(nullptr);
  id_ = ::fork();
  if (id_ < 0)
    throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (id_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(down[1]);
    ::close(up[0]);
    line_pipe pipe(down[0], up[1]);
    try {
      work(pipe);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "troupe_attack: %s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(down[0]);
  ::close(up[1]);
  pipe_.emplace(up[0], down[1]);
}

child::~child() {
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
}

std::string child::ask(std::string_view line, std::chrono::milliseconds bound) {
  tell(line);
  auto answer = pipe_->read(bound);
  if (!answer)
    throw std::runtime_error("no answer to \"" + std::string(line) + '"');
  return std::move(*answer);
}

} // namespace troupe::attack
