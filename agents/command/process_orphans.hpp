// What programs leave behind: descendants that have left their group (setsid) and whose parents are
// gone. They become children of this process, if it adopts them (PR_SET_CHILD_SUBREAPER), and are
// ended when their program is. A variable in their environment says of which program they are. Used
// by process_reactor alone, on its thread.
#pragma once

#include "agents/command/process_reactor.hpp"

#include <optional>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/types.h>

namespace troupe {

class process_orphans {
public:
  /// `adopts`: what has lost its parent becomes ours; then this process must start nothing but the
  /// programs of one reactor. The children that it has now, from before an exec, are no orphans.
  /// Otherwise `look` finds nothing.
  /// `send_signal` is for tests.
  explicit process_orphans(bool adopts, int (*send_signal)(pid_t, int) = &::kill);
  ~process_orphans();
  process_orphans(const process_orphans&) = delete;
  process_orphans& operator=(const process_orphans&) = delete;

  [[nodiscard]] bool adopts() const noexcept { return adopts_; }
  /// `TROUPE_RUN=...`: how the variables of all programs of this reactor begin, up to a dot.
  [[nodiscard]] const std::string& mark() const noexcept { return mark_; }
  /// The whole variable of one program.
  [[nodiscard]] std::string mark(process_key program) const;

  struct programs {
    std::vector<pid_t> started;       ///< Children that are no orphans.
    std::vector<process_key> running; ///< An orphan may live as long as its program.
  };
  struct orphan {
    pid_t pid;
    std::optional<process_key> of; ///< None: its environment does not say.
  };

  struct finding {
    std::vector<orphan> killed;
    bool is_whole = true;  ///< False: look again, there may be more than was found.
    bool any_left = false; ///< Orphans that have not ended yet; not all of them can be killed.
  };

  /// Reaps the orphans that have ended. Kills those whose program has ended, and names them. An
  /// orphan without a mark is killed when no program runs. `is_whole` is false if orphans were
  /// reaped, because only the next search finds their children, or if there are no file descriptors
  /// left.
  [[nodiscard]] finding look(const programs& known) const;

private:
  struct owner {
    std::optional<process_key> program;
    bool is_known = true; ///< False: its environment cannot be read now.
  };
  [[nodiscard]] owner owner_of(pid_t pid) const;

  bool adopts_;
  int (*send_signal_)(pid_t, int);
  std::string mark_;
  std::vector<pid_t> before_; ///< Children that others started, and have to reap.
};

} // namespace troupe
