// Reads the owner of an id before any record: an object of another client is answered like one that
// does not exist, and as fast.
#pragma once

#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/principal.hpp>
#include <troupe/store/store.hpp>

#include <utility>

namespace troupe {

[[nodiscard]] inline bool is_not_found(errc code) noexcept {
  return code == errc::task_not_found || code == errc::objective_not_found
         || code == errc::plan_not_found;
}

[[nodiscard]] inline error unknown_of(const task_id& id) {
  return unknown_task(id.str());
}
[[nodiscard]] inline error unknown_of(const objective_id& id) {
  return unknown_objective(id.str());
}
[[nodiscard]] inline error unknown_of(const plan_id& id) {
  return unknown_plan(id.str());
}

/// Calls `next(placement, done)` with the place of the object if `who` owns it; else `done` with
/// the error of an id that does not exist. Calls one of the two, exactly once: before it returns,
/// or on a reader's thread.
template<class Id, class T, class Next>
void place(const store& records, const principal& who, const Id& id, reply<T> done, Next next) {
  records.read_placement(
      id,
      [who, id, done = std::move(done), next = std::move(next)](result<placement> at) mutable {
        if (at ? !owns(who, at->owner) : is_not_found(at.error().code))
          return done(unknown_of(id));
        if (!at)
          return done(at.error());
        next(std::move(*at), std::move(done));
      },
      client_of(who));
}

} // namespace troupe
