// Waiting for reads of a store, in one word each. What is unknown is null or nothing; every other
// error is thrown. A store without threads reads in turns that these functions take.
#pragma once

#include "store/rocksdb/rocksdb_store.hpp"
#include <troupe/store/await.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace troupe::testing {

/// A read that failed, with its error.
struct read_failed : std::runtime_error {
  explicit read_failed(const error& reason) : runtime_error(reason.message), why(reason) {}
  error why;
};

// A store of any class as what its reads are declared in.
[[nodiscard]] inline const store& as_store(const store& in) {
  return in;
}
[[nodiscard]] inline store& as_store(store& in) {
  return in;
}

/// The answer of `start(done)`.
template<class T, class Start>
[[nodiscard]] result<T> answer_of(const store&, Start start) {
  return await_read<T>(std::move(start));
}
/// The same of a store whose turns the test takes.
template<class T, class Start>
[[nodiscard]] result<T> answer_of(turned_store& in, Start start) {
  const auto answer = std::make_shared<std::optional<result<T>>>();
  start(read_done<T>{[answer](result<T> found) { *answer = std::move(found); }});
  while (!*answer && in.turn()) {
  }
  if (!*answer)
    throw std::runtime_error("the store has nothing to do and has not answered");
  return *std::move(*answer);
}

/// The value, or nothing if there is none of that id.
template<class T>
[[nodiscard]] std::optional<T> if_known(result<T> found) {
  if (found)
    return *std::move(found);
  const auto why = found.error().code;
  if (why != errc::task_not_found && why != errc::objective_not_found
      && why != errc::plan_not_found)
    throw read_failed{found.error()};
  return std::nullopt;
}

template<class Store>
[[nodiscard]] task_ptr find_task(Store& in, const task_id& id) {
  return if_known(answer_of<task_ptr>(
                      in, [&](auto done) { as_store(in).read_task(id, std::move(done)); }))
      .value_or(nullptr);
}
/// Of an objective's id, or of a plan's: the objective with the plan.
template<class Store, class Id>
[[nodiscard]] objective_ptr find_objective(Store& in, const Id& id) {
  return if_known(answer_of<objective_ptr>(
                      in, [&](auto done) { as_store(in).read_objective(id, std::move(done)); }))
      .value_or(nullptr);
}
/// Where a task, a plan or an objective stands, and whose it is.
template<class Store, class Id>
[[nodiscard]] std::optional<placement> find_placement(Store& in, const Id& id) {
  return if_known(answer_of<placement>(
      in, [&](auto done) { as_store(in).read_placement(id, std::move(done)); }));
}

/// Whether a task, plan or objective of that id exists.
template<class Store, class Id>
[[nodiscard]] bool is_known(Store& in, const Id& id) {
  return find_placement(in, id).has_value();
}
/// The objective of a plan; nothing if unknown.
template<class Store>
[[nodiscard]] std::optional<objective_id> objective_of(Store& in, const plan_id& id) {
  const auto found = find_placement(in, id);
  return found ? std::optional{found->objective} : std::nullopt;
}

template<class Store>
[[nodiscard]] result<task_page> list(Store& in, const list_tasks& query) {
  return answer_of<task_page>(in, [&](auto done) { as_store(in).list(query, std::move(done)); });
}
template<class Store>
[[nodiscard]] result<objective_page> list(Store& in, const list_objectives& query) {
  return answer_of<objective_page>(in,
                                   [&](auto done) { as_store(in).list(query, std::move(done)); });
}

/// With a null record if there is no such task.
template<class Store>
[[nodiscard]] task_snapshot snapshot_task(Store& in, const task_id& id, const watcher_ptr& who) {
  return if_known(answer_of<task_snapshot>(
                      in, [&](auto done) { as_store(in).snapshot_task(id, who, std::move(done)); }))
      .value_or(task_snapshot{});
}
/// With a null view if there is no such objective.
template<class Store>
[[nodiscard]] objective_snapshot snapshot_objective(Store& in, const objective_id& id,
                                                    const watcher_ptr& who) {
  return if_known(
             answer_of<objective_snapshot>(
                 in, [&](auto done) { as_store(in).snapshot_objective(id, who, std::move(done)); }))
      .value_or(objective_snapshot{});
}
template<class Store>
task_ptr watch_task(Store& in, const task_id& id, const watcher_ptr& who) {
  return snapshot_task(in, id, who).record;
}
template<class Store>
objective_ptr watch_objective(Store& in, const objective_id& id, const watcher_ptr& who) {
  return snapshot_objective(in, id, who).view;
}

/// Of a task or an objective.
template<class Store, class Id>
[[nodiscard]] result<history_page> read_changes(Store& in, const Id& id,
                                                const history_range& range) {
  return answer_of<history_page>(
      in, [&](auto done) { as_store(in).read_changes(id, range, std::move(done)); });
}

} // namespace troupe::testing
