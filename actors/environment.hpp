// What every actor of one gateway shares: the store, the agents, the options, the directory of live
// actors and the throttles. Made by the gateway before the first actor and destroyed after the
// last; actors keep a plain reference.
#pragma once

#include "actors/directory.hpp"
#include "actors/gateway/deadline_desk.hpp"
#include "actors/manual_clock.hpp"
#include "actors/messages.hpp"
#include "actors/task/artifact_cache.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/store/store.hpp>

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>

namespace troupe {

struct environment {
  environment(caf::actor_system& sys, store& recs, const agent_registry& who, executor_options opts)
      : system(sys), records(recs), agents(who), options(opts), memory(*opts.memory) {}

  caf::actor_system& system;
  store& records;
  const agent_registry& agents;
  const executor_options options;

  directory<objective_handle> objectives; ///< By objective id; only those with a live actor.
  directory<task_handle> lone_tasks;      ///< By task id; only those that have a record and go on.
  directory<task_handle> stopping_tasks;  ///< By task id; canceled, and their agents have yet to
                                          ///< stop. On a turned clock no grace would end that.
  std::mutex entering; ///< Held while an actor for something that exists already is spawned and put
                       ///< into its directory.
  std::uint64_t entered = 0; ///< How often that happened to objectives; with `entering` held.
  std::unordered_map<std::string, throttle_handle>
      agent_slots; ///< By agent name, of those that have a limit. Read-only once filled.

  deadline_desk deadlines; ///< Of what tasks wait for.

  std::atomic<slot_ticket> last_ticket{0};
  std::atomic<std::size_t> live_tasks{0}; ///< Task actors.
  /// Account live_work is what live work was given: the plans of objectives, begun or not, with
  /// their indexes, messages to tasks, and the artifacts in `artifacts`.
  memory_budget& memory;
  const std::shared_ptr<artifact_cache> artifacts = std::make_shared<artifact_cache>(
      options.memory);               ///< What running tasks were given of others.
  std::atomic<bool> stopping{false}; ///< The gateway is being destroyed: actors end without a word.

  /// Whether there is room for so much live work. Errors: overloaded.
  [[nodiscard]] result<void> has_room(std::size_t bytes) const;
  [[nodiscard]] timestamp now() const {
    return options.by_hand ? options.by_hand->now() : options.time->now();
  }
  /// First of all in such an actor: it must not leave its directory before it was put there, for
  /// then it would stay for ever.
  void wait_until_entered() { const std::lock_guard lock{entering}; }
};

} // namespace troupe
