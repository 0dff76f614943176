#include "agents/process_orphans.hpp"

#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace troupe {

namespace {

/// All of this process, whichever thread started or adopted them.
std::vector<pid_t> children() {
  std::vector<pid_t> out;
  std::error_code failed;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", failed)) {
    std::ifstream list(thread.path() / "children"); // gone with its thread
    for (pid_t pid = 0; list >> pid;)
      out.push_back(pid);
  }
  return out;
}

bool has(const auto& list, auto item) {
  return std::ranges::find(list, item) != list.end();
}

} // namespace

process_orphans::process_orphans(bool adopts)
    : adopts_(adopts), mark_("TROUPE_RUN=" + thread_id_source().next("run")) {
  if (!adopts_)
    return;
  before_ = children();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

process_orphans::~process_orphans() {
  if (adopts_)
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

std::string process_orphans::mark(process_key program) const {
  return mark_ + '.' + std::to_string(program);
}

std::vector<process_orphans::orphan> process_orphans::look(const programs& known) const {
  std::vector<orphan> out;
  if (!adopts_)
    return out;
  for (const auto pid : children()) {
    if (has(known.started, pid) || has(before_, pid)
        || ::waitpid(pid, nullptr, WNOHANG | __WALL) == pid)
      continue;
    const auto of = program_of(pid);
    if (of ? has(known.running, *of) : !known.running.empty())
      continue;
    ::kill(pid, SIGKILL); // it is not reaped yet, so its pid belongs to no other
    out.push_back({pid, of});
  }
  return out;
}

std::optional<process_key> process_orphans::program_of(pid_t pid) const {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  for (std::string variable; std::getline(file, variable, '\0');) {
    if (!variable.starts_with(mark_ + '.'))
      continue;
    const auto number = std::string_view(variable).substr(mark_.size() + 1);
    process_key out = 0;
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), out);
    if (failed == std::errc{})
      return out;
  }
  return std::nullopt;
}

} // namespace troupe
