// Ends process groups when this process dies without having a chance to (kill -9, out of memory).
// The kernel kills only the direct children then (PR_SET_PDEATHSIG); what those started would go on
// beside the next attempt. So a small shell waits at a pipe for our end and knows the groups that
// run. Used by process_reactor alone, on its thread.
#pragma once

#include "agents/process_spawn.hpp"

#include <vector>

namespace troupe {

class process_warden {
public:
  /// Starts the shell. Where that fails, there is no warden and all else works.
  process_warden();
  /// Ends the shell; the groups it knows last are left alone.
  ~process_warden();
  process_warden(const process_warden&) = delete;
  process_warden& operator=(const process_warden&) = delete;

  /// All groups that run now.
  void know(const std::vector<pid_t>& groups);

private:
  spawned_process shell_;
};

} // namespace troupe
