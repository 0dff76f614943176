#include "agents/command/process_warden.hpp"

#include <cerrno>
#include <string>
#include <utility>
#include <variant>

#include <sys/wait.h>
#include <unistd.h>

namespace troupe {

namespace {

// Keeps the last whole line (it ends with a dot, so that a torn one does not count) until the pipe
// is closed by our death. What it kills may have started more meanwhile.
constexpr auto script = R"(trap '' HUP INT TERM PIPE
groups=
while read -r line; do case $line in quit.) exit ;; *.) groups=${line%.} ;; esac; done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
for pass in 1 2 3; do
  for one in $(grep -lsF -e "$MARK." /proc/[0-9]*/environ); do
    one=${one#/proc/}
    kill -s KILL "${one%/environ}" 2>/dev/null
  done
done)";

} // namespace

process_warden::process_warden(const std::string& mark) {
  process_spec spec;
  spec.argv = {"/bin/sh", "-c", script, "troupe-warden"};
  spec.environment = {"MARK=" + mark};
  spec.directory = "/";
  spec.input.emplace();
  spec.outlives_us = true;
  auto started = spawn(spec);
  if (auto* shell = std::get_if<spawned_process>(&started)) {
    shell_ = std::move(*shell);
    shell_.output.reset(); // it has nothing to say
    shell_.errors.reset();
  }
}

process_warden::~process_warden() {
  if (shell_.pid < 0)
    return;
  tell("\nquit.\n");
  shell_.input.reset();
  while (::waitpid(shell_.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void process_warden::know(const std::vector<pid_t>& groups) {
  std::string line = "\n";
  for (const auto group : groups)
    line += std::to_string(group) + ' ';
  tell(line + ".\n");
}

void process_warden::tell(const std::string& line) {
  if (!shell_.input)
    return;
  const auto sent = ::write(shell_.input.get(), line.data(), line.size());
  if (sent < 0 && errno != EAGAIN && errno != EINTR)
    shell_.input.reset(); // it is gone
}

} // namespace troupe
