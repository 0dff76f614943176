// Hands out slots: one for each agent that may only do so many tasks at once, one for each
// objective with `maxParallel`. The order is slot_pool's; this only carries it out.
//
// A task that needs several asks the first only, and is granted once it has all: a throttle passes
// on what it has granted to the next one, and what it is given back too. So requests keep the order
// in which they were made all the way.
#pragma once

#include "actors/environment.hpp"
#include "actors/messages.hpp"
#include "actors/slots/slot_pool.hpp"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace troupe {

struct throttle_actor {
  using handle = throttle_handle;
  static inline const char* name = "troupe.throttle";

  throttle_actor(actor_pointer<handle>, environment& env, std::uint32_t capacity)
      : env_(env), pool_(capacity) {}

  actor_behavior<handle> make_behavior();

private:
  /// What was asked for and not given back.
  struct entry {
    task_handle task;     ///< Null once it has its slot here.
    slot_request request; ///< For the next throttle, if there is one.
    std::string agent;
  };

  void on_wanted(want_slot& wanted);
  void on_returned(const return_slot& returned);
  void on_reordered(const reorder_slots& message);
  void grant();

  environment& env_;
  slot_pool pool_;
  std::unordered_map<slot_ticket, entry> entries_;
  std::unordered_set<slot_ticket> returned_early_; ///< Given back before they were asked for: the
                                                   ///< two come from different actors.
};

/// Asks for all slots that a task needs to run: its objective's (`objective` may be null), then its
/// agent's, if that has a limit. slot_granted follows. False: it needs none.
[[nodiscard]] bool request_slots(environment& env, const throttle_handle& objective,
                                 const std::string& agent, slot_request wanted,
                                 const task_handle& task);
/// Whether it needs any.
[[nodiscard]] bool needs_slots(const environment& env, const throttle_handle& objective,
                               const std::string& agent);
/// What waits of an objective is moved wherever it waits.
void reorder_slots_of(environment& env, const throttle_handle& objective,
                      const reorder_slots& message);
/// Gives them back, or withdraws the request.
void return_slots(environment& env, const throttle_handle& objective, const std::string& agent,
                  const return_slot& returned);

} // namespace troupe
