// The awaited reads of a store that answers everything at once.
#include <troupe/store/store.hpp>

#include <utility>

namespace troupe {

namespace {

/// What `read` returns, or why the disk could not be read.
template<class T, class Read>
result<T> attempt(Read read) {
  try {
    return read();
  } catch (const store_unreadable& failure) {
    return make_error(errc::store_unreadable, failure.what());
  }
}

} // namespace

void store::read_task(const task_id& id, read_done<task_ptr> done, const std::string&) const {
  done(attempt<task_ptr>([&]() -> result<task_ptr> {
    if (auto found = find_task(id))
      return found;
    return unknown_task(id.str());
  }));
}

void store::read_objective(const objective_id& id, read_done<objective_ptr> done,
                           const std::string&) const {
  done(attempt<objective_ptr>([&]() -> result<objective_ptr> {
    if (auto found = find_objective(id))
      return found;
    return unknown_objective(id.str());
  }));
}

void store::read_objective(const plan_id& id, read_done<objective_ptr> done,
                           const std::string&) const {
  done(attempt<objective_ptr>([&]() -> result<objective_ptr> {
    const auto whole = objective_of(id);
    auto found = whole ? find_objective(*whole) : nullptr;
    if (found)
      return found;
    return unknown_plan(id.str());
  }));
}

void store::read_placement(const task_id& id, read_done<placement> done, const std::string&) const {
  done(attempt<placement>([&]() -> result<placement> {
    const auto found = find_task(id);
    if (!found)
      return unknown_task(id.str());
    placement out{.kind = placement::id_kind::task, .owner = found->owner, .objective = {}};
    if (found->origin) {
      out.objective = objective_id{found->context};
      out.plan = found->origin.plan_index;
      out.task = found->origin.task_index;
    }
    return out;
  }));
}

void store::read_placement(const objective_id& id, read_done<placement> done,
                           const std::string&) const {
  done(attempt<placement>([&]() -> result<placement> {
    const auto found = find_objective(id);
    if (!found)
      return unknown_objective(id.str());
    return placement{.kind = placement::id_kind::objective, .owner = found->owner, .objective = id};
  }));
}

void store::read_placement(const plan_id& id, read_done<placement> done, const std::string&) const {
  done(attempt<placement>([&]() -> result<placement> {
    const auto whole = objective_of(id);
    const auto found = whole ? find_objective(*whole) : nullptr;
    for (std::uint32_t index = 0; found && index < found->plans.size(); ++index)
      if (found->plans[index].spec->id == id)
        return placement{.kind = placement::id_kind::plan,
                         .owner = found->owner,
                         .objective = *whole,
                         .plan = index};
    return unknown_plan(id.str());
  }));
}

void store::list(const list_tasks& query, read_done<task_page> done, const std::string&) const {
  done(attempt<task_page>([&] { return list(query); }));
}

void store::list(const list_objectives& query, read_done<objective_page> done,
                 const std::string&) const {
  done(attempt<objective_page>([&] { return list(query); }));
}

void store::snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                          const std::string&) {
  done(attempt<task_snapshot>([&]() -> result<task_snapshot> {
    auto found = snapshot_task(id, std::move(who));
    if (found.record)
      return found;
    return unknown_task(id.str());
  }));
}

void store::snapshot_objective(const objective_id& id, watcher_ptr who,
                               read_done<objective_snapshot> done, const std::string&) {
  done(attempt<objective_snapshot>([&]() -> result<objective_snapshot> {
    auto found = snapshot_objective(id, std::move(who));
    if (found.view)
      return found;
    return unknown_objective(id.str());
  }));
}

void store::read_changes(const task_id& id, const journal_range& range,
                         read_done<journal_page> done, const std::string&) const {
  done(attempt<journal_page>([&] { return read_changes(id, range); }));
}

void store::read_changes(const objective_id& id, const journal_range& range,
                         read_done<journal_page> done, const std::string&) const {
  done(attempt<journal_page>([&] { return read_changes(id, range); }));
}

} // namespace troupe
