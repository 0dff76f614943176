#include "agents/command/process_orphans.hpp"

#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace troupe {

namespace {

/// A file or directory may be there, but cannot be opened now.
bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/// As `is_shortage` of `errno` says after a stream could not be opened.
bool lacks_means(const std::ifstream& file) {
  return !file.is_open() && is_shortage(errno);
}

/// All of this process, whichever thread started or adopted them. Nothing if that is not known.
std::optional<std::vector<pid_t>> children() {
  std::vector<pid_t> out;
  std::error_code failed;
  auto thread = std::filesystem::directory_iterator("/proc/self/task", failed);
  for (; !failed && thread != std::filesystem::directory_iterator(); thread.increment(failed)) {
    std::ifstream list(thread->path() / "children"); // gone with its thread
    if (lacks_means(list))
      return std::nullopt;
    for (pid_t pid = 0; list >> pid;)
      out.push_back(pid);
  }
  return is_shortage(failed.value()) ? std::nullopt : std::optional(std::move(out));
}

bool has(const auto& list, auto item) {
  return std::ranges::find(list, item) != list.end();
}

} // namespace

process_orphans::process_orphans(bool adopts, int (*send_signal)(pid_t, int))
    : adopts_(adopts), send_signal_(send_signal),
      mark_("TROUPE_RUN=" + thread_id_source().next("run")) {
  if (!adopts_)
    return;
  auto before = children();
  if (!before)
    throw std::system_error(EMFILE, std::generic_category(), "cannot list child processes");
  before_ = std::move(*before);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

process_orphans::~process_orphans() {
  if (adopts_)
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

std::string process_orphans::mark(process_key program) const {
  return mark_ + '.' + std::to_string(program);
}

process_orphans::finding process_orphans::look(const programs& known) const {
  finding out;
  if (!adopts_)
    return out;
  const auto all = children();
  if (!all)
    return {.killed = {}, .is_whole = false, .any_left = true};
  for (const auto pid : *all) {
    if (has(known.started, pid) || has(before_, pid))
      continue;
    if (::waitpid(pid, nullptr, WNOHANG | __WALL) == pid) {
      out.is_whole = false; // its children may have become ours after `children`
      continue;
    }
    out.any_left = true;
    const auto of = owner_of(pid);
    out.is_whole = out.is_whole && of.is_known;
    if (of.program ? has(known.running, *of.program) : !known.running.empty())
      continue;
    // It is not reaped yet, so its pid belongs to no other.
    if (send_signal_(pid, SIGKILL) == 0)
      out.killed.push_back({pid, of.program});
  }
  return out;
}

process_orphans::owner process_orphans::owner_of(pid_t pid) const {
  std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
  if (lacks_means(file))
    return {.program = {}, .is_known = false};
  for (std::string variable; std::getline(file, variable, '\0');) {
    if (!variable.starts_with(mark_ + '.'))
      continue;
    const auto number = std::string_view(variable).substr(mark_.size() + 1);
    process_key out = 0;
    const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), out);
    if (failed == std::errc{})
      return {.program = out};
  }
  return {};
}

} // namespace troupe
