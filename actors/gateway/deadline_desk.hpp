// Deadlines of a gateway's tasks, plans and objectives, in wall time: one table, whose entries
// follow from the folds (the deadline of an open question, a task or an objective, the end of a
// long backoff). What waits costs no message and no timer of its own; when its deadline has passed
// it gets one message.
//
// Thread-safe. Has no clock: `turn` is called with the time (actors/gateway/housekeeper.hpp, or the
// clock of a test).
#pragma once

#include "actors/messages.hpp"
#include "protocol/timer_table.hpp"
#include <troupe/protocol/time.hpp>

#include <functional>
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
  /// The same for an objective, which gets objective_deadline, and a plan, which gets
  /// plan_deadline.
  void put(const objective_handle& objective, timestamp due);
  void put(const plan_handle& plan, timestamp due);
  void erase(caf::actor_id objective_or_plan);
  /// Sends the messages that are due at `now`.
  void turn(timestamp now);
  /// When the next one is due; nothing if there is none.
  [[nodiscard]] std::optional<timestamp> next_due() const;
  [[nodiscard]] std::size_t size() const;
  /// Forgets everything; nothing is sent any more.
  void close();

private:
  using key = std::pair<caf::actor_id, std::optional<purpose>>; ///< No purpose: no task.
  /// Sends the message. Has the handle.
  using sender = std::function<void()>;

  void put(const key& which, timestamp due, sender send);
  void erase(const key& which);

  mutable std::mutex guard_;
  bool closed_ = false;
  timer_table<key, timestamp> times_;
  std::map<key, sender> senders_;
};

} // namespace troupe
