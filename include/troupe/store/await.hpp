// Waiting for an awaited read, for programs and tests that have a thread to wait with. Event loops,
// actors and whatever a store calls must not: they would wait for each other.
#pragma once

#include <troupe/store/store.hpp>

#include <future>
#include <memory>
#include <utility>

namespace troupe {

/// Calls `start(read_done<T>)` and waits for its answer.
template<class T, class Start>
[[nodiscard]] result<T> await_read(Start start) {
  const auto answer = std::make_shared<std::promise<result<T>>>();
  auto out = answer->get_future();
  start(read_done<T>{[answer](result<T> found) { answer->set_value(std::move(found)); }});
  return out.get();
}

/// The task. Errors: those of store::read_task.
[[nodiscard]] inline result<task_ptr> await_task(const store& in, const task_id& id) {
  return await_read<task_ptr>([&](auto done) { in.read_task(id, std::move(done)); });
}

/// The objective. Errors: those of store::read_objective.
[[nodiscard]] inline result<objective_ptr> await_objective(const store& in,
                                                           const objective_id& id) {
  return await_read<objective_ptr>([&](auto done) { in.read_objective(id, std::move(done)); });
}

} // namespace troupe
