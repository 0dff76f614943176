// Ends process groups when this process dies without having a chance to (kill -9, out of memory).
// The kernel kills only the direct children then (PR_SET_PDEATHSIG); what those started would go on
// beside the next attempt. So a small shell waits at a pipe for our end and knows the groups that
// run; what has left them it finds by its environment (process_orphans). Used by process_reactor
// alone, on its thread.
#pragma once

#include "agents/command/process_spawn.hpp"

#include <string>
#include <vector>

namespace troupe {

class process_warden {
public:
  /// Starts the shell. Where that fails, there is no warden and all else works. `mark`: how the
  /// variable of all descendants begins, up to a dot (process_orphans::mark).
  explicit process_warden(const std::string& mark);
  /// Ends the shell; it ends nothing then.
  ~process_warden();
  process_warden(const process_warden&) = delete;
  process_warden& operator=(const process_warden&) = delete;

  /// Replaces the list of process groups that run now.
  void know(const std::vector<pid_t>& groups);
  /// Of the shell; -1: there is none.
  [[nodiscard]] pid_t pid() const noexcept { return shell_.pid; }

private:
  void tell(const std::string& line);

  spawned_process shell_;
};

} // namespace troupe
