// The steps that commands of the gateway share and that are no templates.
#include "actors/gateway/gateway_steps.hpp"

#include <utility>

namespace troupe {

error is_elsewhere(const std::string& id, const std::string& address) {
  return make_error(errc::not_here,
                    troupe::quoted(id) + " is served by " + address + "; send the request there",
                    id);
}

error moves_for_long(const std::string& id) {
  return make_error(errc::unavailable,
                    troupe::quoted(id) + " is being moved to another server; try again", id);
}

error objective_is_ending(const objective_id& id) {
  return make_error(errc::unavailable, "the objective is ending now; try again", id.str());
}

bool has_pins(const message& in) {
  for (const auto& part : in.parts)
    if (part.metadata.contains(reference_artifact_key))
      return true;
  return false;
}

void gateway::impl::objective_actor_for(const objective_id& id,
                                        std::function<void(result<objective_handle>)> next,
                                        int tries) {
  const auto found = env->objectives.locate(id.str());
  if (const auto* other = std::get_if<there>(&found))
    return next(is_elsewhere(id.str(), other->address));
  if (std::holds_alternative<being_moved>(found))
    return env->objectives.wait(
        id.str(), env->now() + move_wait_max,
        [this, id, next = std::move(next), tries](const whereabouts<objective_handle>& now) {
          if (std::holds_alternative<being_moved>(now) || tries <= 1)
            next(moves_for_long(id.str()));
          else
            objective_actor_for(id, next, tries - 1);
        });
  if (const auto& live = std::get<here<objective_handle>>(found).actor)
    return next(live);
  // The objective has settled, so its record is read from the disk. The record must still be
  // current when the actor begins: if an actor has begun and ended meanwhile, it is read again.
  std::uint64_t entered = 0;
  {
    const std::lock_guard lock{env->entering};
    entered = env->entered;
  }
  records.read_objective(
      id, [this, id, next = std::move(next), tries, entered](const result<objective_ptr>& view) {
        if (!view)
          return next(is_not_found(view.error().code) ? unknown_of(id) : view.error());
        result<objective_handle> actor = objective_is_ending(id);
        bool is_old = false;
        {
          const std::lock_guard lock{env->entering};
          if (auto live = env->objectives.find(id.str()))
            actor = std::move(live);
          else if (env->entered != entered)
            is_old = true;
          else if (!env->stopping)
            actor = spawn_existing(**view);
        }
        if (is_old && tries > 1)
          return objective_actor_for(id, next, tries - 1);
        next(std::move(actor));
      });
}

} // namespace troupe
