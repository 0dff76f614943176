// Hands out slots: one for each agent that may only do so many tasks at once, one for each objective with `maxParallel`. The order is
// slot_pool's; this only carries it out.
#pragma once

#include <unordered_map>

#include "actors/handles.hpp"
#include "actors/slot_pool.hpp"

namespace troupe {

struct throttle_actor {
  using handle = throttle_handle;
  static inline const char* name = "troupe.throttle";

  throttle_actor(actor_pointer<handle>, std::uint32_t capacity) : pool_(capacity) {}

  actor_behavior<handle> make_behavior() {
    return {
        [this](const want_slot& what) {
          waiting_.emplace(what.ticket, what.who);
          pool_.request(what.ticket, what.owner);
          grant();
        },
        [this](const return_slot& what) {
          waiting_.erase(what.ticket);
          pool_.give_back(what.ticket);
          grant();
        },
    };
  }

private:
  void grant() {
    while (const auto ticket = pool_.next()) {
      const auto it = waiting_.find(*ticket);
      tell(it->second, slot_granted{*ticket});
      waiting_.erase(it);
    }
  }

  slot_pool pool_;
  std::unordered_map<slot_ticket, task_handle> waiting_;
};

} // namespace troupe
