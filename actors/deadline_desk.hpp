// Deadlines of a gateway's tasks, in wall time: one table, whose entries follow from the folds of
// the tasks (the deadline of an open question, the end of a long backoff). A task that waits costs
// no message and no timer of its own; when its deadline has passed it gets one message.
//
// Thread-safe. Has no clock: `turn` is called with the time (actors/housekeeper.hpp, or the clock
// of a test).
#pragma once

#include "actors/handles.hpp"
#include "protocol/timer_table.hpp"
#include <troupe/protocol/time.hpp>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace troupe {

class deadline_desk {
public:
  using purpose = task_timer::purpose;

  /// Sends `task` a message of that kind once `due` has passed, in place of what was due before.
  void put(const task_handle& task, purpose kind, std::uint32_t attempt, timestamp due);
  void erase(caf::actor_id task, purpose kind);
  /// Sends the messages that are due at `now`.
  void turn(timestamp now);
  /// When the next one is due; nothing if there is none.
  [[nodiscard]] std::optional<timestamp> next_due() const;
  [[nodiscard]] std::size_t size() const;
  /// Forgets everything; nothing is sent any more.
  void close();

private:
  using key = std::pair<caf::actor_id, purpose>;
  struct entry {
    task_handle task;
    std::uint32_t attempt;
  };

  mutable std::mutex guard_;
  bool closed_ = false;
  timer_table<key, timestamp> times_;
  std::map<key, entry> tasks_;
};

} // namespace troupe
