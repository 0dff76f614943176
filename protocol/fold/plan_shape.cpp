#include "protocol/fold/plan_shape.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/named_tasks.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_set>
#include <utility>

namespace troupe {

namespace {

/// The number that follows `prefix` and ends `text`.
std::optional<std::uint32_t> number_after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix) || text.size() == prefix.size())
    return std::nullopt;
  text.remove_prefix(prefix.size());
  std::uint32_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_plain = failed == std::errc{} && end == text.data() + text.size()
                        && (text.size() == 1 || text.front() != '0');
  return is_plain ? std::optional{value} : std::nullopt;
}

template<class Visit>
void for_each_dependency(const task_spec& task, Visit visit) {
  for (const auto on : task.dependency_indexes)
    if (on != elsewhere)
      visit(on);
}

bool has_dependency(const task_spec& task, std::uint32_t on) {
  return std::ranges::find(task.dependency_indexes, on) != task.dependency_indexes.end();
}

/// One side of a search that goes on a step at a time.
struct frontier {
  std::vector<std::uint32_t> found;
  std::unordered_set<std::uint32_t> known;
  std::size_t next = 0;

  explicit frontier(std::uint32_t from) : found{from}, known{from} {}

  void add(std::uint32_t task) {
    if (known.insert(task).second)
      found.push_back(task);
  }
  [[nodiscard]] bool is_done() const { return next == found.size(); }
};

} // namespace

// -- the index -----------------------------------------------------------------------------------

plan_shape::plan_shape(const plan_spec& plan)
    : plan_id_(plan.id.str()), dependents_(plan.tasks.size()), is_removed_(plan.tasks.size()) {
  for (std::uint32_t task = 0; task < plan.tasks.size(); ++task) {
    ++looked_at_;
    const auto& spec = plan.tasks[task];
    is_removed_[task] = spec.is_removed;
    if (spec.is_removed)
      continue;
    ++tasks_;
    add_names(plan, task);
    for_each_dependency(spec, [&](std::uint32_t on) { link(task, on); });
  }
}

void plan_shape::add_names(const plan_spec& plan, std::uint32_t task) {
  const auto& spec = plan.tasks[task];
  if (!spec.key.empty())
    names_.try_emplace(spec.key, task);
  if (!spec.id.empty() && !is_generated(spec.id, plan.id, task))
    names_.try_emplace(spec.id.str(), task);
}

void plan_shape::remove_names(const plan_spec& plan, std::uint32_t task) {
  for (const auto& name : {plan.tasks[task].key, plan.tasks[task].id.str()})
    if (const auto known = names_.find(name); known != names_.end() && known->second == task)
      names_.erase(known);
}

void plan_shape::link(std::uint32_t task, std::uint32_t on) {
  ++looked_at_;
  if (on >= dependents_.size())
    return;
  auto& known = dependents_[on];
  if (known.empty() || known.back() != task) // it may be written twice
    known.push_back(task);
}

void plan_shape::unlink(std::uint32_t task, std::uint32_t on) {
  // Searches from the back: the links that are removed are usually the newest ones.
  auto& known = dependents_[on];
  for (auto at = known.size(); at-- > 0;) {
    ++looked_at_;
    if (known[at] == task) {
      known.erase(known.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
  }
}

std::optional<std::uint32_t> plan_shape::find(std::string_view name) const {
  ++looked_at_;
  std::optional<std::uint32_t> found;
  if (const auto known = names_.find(std::string{name}); known != names_.end())
    found = known->second;
  else if (const auto generated = number_after(name, plan_id_ + ".t"))
    found = generated;
  else
    found = number_after(name, "task-");
  if (!found || *found >= dependents_.size() || is_removed_[*found])
    return std::nullopt;
  return found;
}

bool plan_shape::depends(const plan_spec& plan, std::uint32_t task, std::uint32_t on) const {
  if (task == on)
    return true;
  frontier down{on};
  frontier up{task};
  while (!down.is_done() && !up.is_done()) {
    looked_at_ += 2;
    for (const auto dependent : dependents_[down.found[down.next++]]) {
      ++looked_at_;
      down.add(dependent);
    }
    for_each_dependency(plan.tasks[up.found[up.next++]], [&](std::uint32_t other) {
      ++looked_at_;
      up.add(other);
    });
    if (down.known.contains(task) || up.known.contains(on))
      return true;
  }
  return false;
}

void plan_shape::apply(const plan_spec& plan, const applied_operation& done) {
  if (std::holds_alternative<add_task>(done)) {
    const auto task = static_cast<std::uint32_t>(dependents_.size());
    dependents_.emplace_back();
    is_removed_.push_back(false);
    ++tasks_;
    add_names(plan, task);
    for_each_dependency(plan.tasks[task], [&](std::uint32_t on) { link(task, on); });
  } else if (const auto* removed = std::get_if<remove_task<std::uint32_t>>(&done)) {
    remove_names(plan, removed->task);
    is_removed_[removed->task] = true;
    --tasks_;
  } else if (const auto* added = std::get_if<add_dependency<std::uint32_t>>(&done)) {
    link(added->task, added->on);
  } else if (const auto* dropped = std::get_if<remove_dependency<std::uint32_t>>(&done)) {
    unlink(dropped->task, dropped->on);
  }
}

void plan_shape::revert(const plan_spec& plan, const applied_operation& done) {
  if (std::holds_alternative<add_task>(done)) {
    const auto task = static_cast<std::uint32_t>(dependents_.size() - 1);
    remove_names(plan, task);
    for (const auto on : std::get<add_task>(done).spec.dependency_indexes)
      unlink(task, on);
    dependents_.pop_back();
    is_removed_.pop_back();
    --tasks_;
  } else if (const auto* removed = std::get_if<remove_task<std::uint32_t>>(&done)) {
    is_removed_[removed->task] = false;
    ++tasks_;
    add_names(plan, removed->task);
  } else if (const auto* added = std::get_if<add_dependency<std::uint32_t>>(&done)) {
    unlink(added->task, added->on);
  } else if (const auto* dropped = std::get_if<remove_dependency<std::uint32_t>>(&done)) {
    link(dropped->task, dropped->on);
  }
}

// -- the decision --------------------------------------------------------------------------------

namespace {

/// Applies one wanted operation after the other to a copy of the plan, which shares with it what
/// stays as it is.
class shape_decider {
public:
  shape_decider(const plan_view& plan, plan_shape& shape, const shape_terms& terms)
      : before_(*plan.spec), plan_(plan), shape_(shape), terms_(terms) {
    where_.at = terms.now;
    out_.plan = terms.plan;
    out_.revision = terms.revision;
  }

  result<plan_changed> run(const change_plan& command) {
    out_.author = owner_of(command.who);
    out_.reason = command.reason;
    auto done = check_size(command);
    const auto looks_max = shape_.looked_at() + plan_change_looks_max;
    for (at_ = 0; done && at_ < command.operations.size(); ++at_) {
      done = std::visit([this](const auto& wanted) { return apply_one(wanted); },
                        command.operations[at_]);
      if (done && shape_.looked_at() > looks_max)
        done = refuse(errc::limit_exceeded,
                      "looking for cycles takes too long (limit plan_change_looks_max, "
                          + std::to_string(plan_change_looks_max)
                          + " tasks and dependencies); make the change in several");
    }
    if (done && shape_.tasks() == 0)
      done = make_error(errc::invalid_params,
                        "the change leaves the plan without a task; end the plan instead",
                        "/operations");
    if (done && terms_.check_references)
      done = check_references();
    if (done && terms_.check_cycles && adds_dependencies_)
      done = terms_.check_cycles(*plan_.spec);
    if (done)
      return std::move(out_);
    for (auto each = out_.operations.rbegin(); each != out_.operations.rend(); ++each)
      shape_.revert(*plan_.spec, *each);
    return done.error();
  }

private:
  static result<void> check_size(const change_plan& command) {
    if (command.operations.empty())
      return make_error(errc::invalid_params, "the change has no operations", "/operations");
    if (command.operations.size() > plan_operations_max)
      return make_error(errc::limit_exceeded,
                        "the change has " + std::to_string(command.operations.size())
                            + " operations; the limit is " + std::to_string(plan_operations_max)
                            + ", so make it in several",
                        "/operations");
    return {};
  }

  // -- helpers -------------------------------------------------------------------------------------

  [[nodiscard]] error refuse(errc code, const std::string& why,
                             std::string_view member = "") const {
    const auto at = std::to_string(at_);
    return make_error(code, "operation " + at + ": " + why,
                      "/operations/" + at + std::string{member});
  }

  [[nodiscard]] const task_spec& spec(std::uint32_t task) const { return plan_.spec->tasks[task]; }

  [[nodiscard]] std::string named(std::uint32_t task) const {
    const auto& of = spec(task);
    return "task \"" + (of.key.empty() ? of.id.str() : of.key) + "\"";
  }

  [[nodiscard]] result<std::uint32_t> find(const std::string& name,
                                           std::string_view member = "/task") const {
    if (const auto found = shape_.find(name))
      return *found;
    const auto named = find_named(name, errc::unknown_dependency, member);
    if (!named)
      return named.error();
    if (!*named)
      return refuse(errc::unknown_dependency, "the plan has no task \"" + name + "\"", member);
    return **named;
  }

  /// The task that has that name; nothing if none has it.
  [[nodiscard]] result<std::optional<std::uint32_t>>
  find_named(const std::string& name, errc if_several, std::string_view member) const {
    if (!names_)
      names_.emplace(*plan_.spec);
    const auto count = names_->count(name);
    if (count == 0)
      return std::optional<std::uint32_t>{};
    if (count > 1)
      return refuse(if_several,
                    std::to_string(count) + " tasks of the plan have the name \"" + name
                        + "\"; use an id",
                    member);
    return std::optional{names_->only(name)};
  }

  [[nodiscard]] bool is_fixed(std::uint32_t task) const {
    return task < first_added() && terms_.is_fixed(task);
  }
  [[nodiscard]] std::uint32_t first_added() const {
    return static_cast<std::uint32_t>(plan_.spec->tasks.size()) - added_;
  }

  /// A task that may be changed.
  [[nodiscard]] result<std::uint32_t> find_free(const std::string& name) const {
    auto found = find(name);
    if (found && is_fixed(*found))
      return refuse(errc::invalid_transition,
                    named(*found) + " has begun or ended and stays as it is", "/task");
    return found;
  }

  /// Both ends of a dependency that is added or removed.
  template<template<class> class Operation>
  [[nodiscard]] result<Operation<std::uint32_t>>
  find_ends(const Operation<std::string>& wanted) const {
    const auto task = find_free(wanted.task);
    if (!task)
      return task.error();
    const auto on = find(wanted.on, "/on");
    if (!on)
      return on.error();
    return Operation<std::uint32_t>{*task, *on};
  }

  /// Whether a task that depends on it can ever begin.
  [[nodiscard]] result<void> check_reachable(std::uint32_t on, std::string_view member) const {
    const auto state = on < plan_.tasks.size() ? plan_.tasks[on].state : task_state::unspecified;
    if (!is_terminal(state) || state == task_state::completed)
      return {};
    return refuse(errc::invalid_transition,
                  named(on) + " has " + std::string{to_string(state)}
                      + ", so that what depends on it would never begin",
                  member);
  }

  void done(applied_operation operation) {
    out_.operations.push_back(std::move(operation));
    plan_changed one{out_.plan, {out_.operations.back()}, {}, {}, out_.revision};
    apply(plan_, where_, one);
    shape_.apply(*plan_.spec, out_.operations.back());
  }

  // -- references ----------------------------------------------------------------------------------

  /// The references of `task` may no longer find what they name.
  void may_break_references(std::uint32_t task) { breaks_references_.insert_or_assign(task, at_); }

  /// Once all is applied: what one operation takes away another one may bring back.
  result<void> check_references() {
    for (const auto& [task, operation] : breaks_references_) {
      if (spec(task).is_removed)
        continue;
      const bool is_added = task >= first_added() || replaced_.contains(task);
      at_ = operation;
      if (auto ok = terms_.check_references(task, is_added ? nullptr : &before_, *plan_.spec); ok)
        continue;
      else if (is_added)
        return refuse(ok.error().code, ok.error().message, "/task/input" + ok.error().field);
      else
        return refuse(ok.error().code, named(task) + ": " + ok.error().message);
    }
    return {};
  }

  // -- operations ----------------------------------------------------------------------------------

  result<void> apply_one(const add_task& wanted) {
    auto task = wanted.spec;
    if (plan_.spec->tasks.size() >= terms_.tasks_max)
      return refuse(errc::limit_exceeded,
                    "the plan has had " + std::to_string(plan_.spec->tasks.size())
                        + " tasks; the limit is " + std::to_string(terms_.tasks_max)
                        + " (maxTasksPerPlan)");
    if (!task.id.empty())
      return refuse(errc::invalid_params, "a task that is added gets its id here; name it by a key",
                    "/task/id");
    if (!task.key.empty() && shape_.find(task.key))
      return refuse(errc::duplicate_id, "the task id \"" + task.key + "\" is used twice",
                    "/task/id");
    task.is_removed = false;
    task.dependency_indexes.clear();
    for (auto& text : task.dependencies) {
      const auto on = find(text, "/task/dependencies");
      if (!on)
        return on.error();
      if (auto ok = check_reachable(*on, "/task/dependencies"); !ok)
        return ok;
      if (std::ranges::find(task.dependency_indexes, *on) != task.dependency_indexes.end())
        return refuse(errc::invalid_params, "it depends on " + named(*on) + " twice",
                      "/task/dependencies");
      task.dependency_indexes.push_back(*on);
    }
    task.id = make_task_id(plan_.spec->id, plan_.spec->tasks.size());
    if (task.name.empty())
      task.name = task.key;
    ++added_;
    if (names_)
      names_->add(task.name, static_cast<std::uint32_t>(plan_.spec->tasks.size()));
    done(add_task{std::move(task)});
    may_break_references(static_cast<std::uint32_t>(plan_.spec->tasks.size() - 1));
    return {};
  }

  result<void> apply_one(const remove_task<std::string>& wanted) {
    const auto task = find_free(wanted.task);
    if (!task)
      return task.error();
    if (terms_.is_awaited && terms_.is_awaited(*task))
      return refuse(errc::invalid_transition, "a task of another plan depends on " + named(*task),
                    "/task");
    const auto dependents = shape_.dependents(*task);
    for (auto dependent = dependents.rbegin(); dependent != dependents.rend(); ++dependent) {
      may_break_references(*dependent);
      done(remove_dependency<std::uint32_t>{*dependent, *task});
    }
    const auto dependencies = spec(*task).dependency_indexes;
    for (const auto on : dependencies)
      if (on != elsewhere && has_dependency(spec(*task), on))
        done(remove_dependency<std::uint32_t>{*task, on});
    if (names_)
      names_->remove(spec(*task).name, *task);
    done(remove_task<std::uint32_t>{*task});
    return {};
  }

  result<void> apply_one(const add_dependency<std::string>& wanted) {
    const auto found = find_ends(wanted);
    if (!found)
      return found.error();
    const auto [task, on] = *found;
    if (has_dependency(spec(task), on))
      return refuse(errc::invalid_params, named(task) + " depends on " + named(on) + " already");
    return depend(*found, "/on", "");
  }

  /// `on` and `whole` are the members that say on what, and the dependency itself.
  result<void> depend(const add_dependency<std::uint32_t>& added, std::string_view on,
                      std::string_view whole) {
    if (auto ok = check_reachable(added.on, on); !ok)
      return ok;
    if (shape_.depends(*plan_.spec, added.on, added.task))
      return refuse(errc::dependency_cycle,
                    added.on == added.task ? named(added.task) + " would depend on itself"
                                           : named(added.on) + " depends on " + named(added.task)
                                                 + " already, so that they would form a cycle",
                    whole);
    adds_dependencies_ = true;
    may_break_references(added.task);
    done(added);
    return {};
  }

  result<void> apply_one(const remove_dependency<std::string>& wanted) {
    const auto found = find_ends(wanted);
    if (!found)
      return found.error();
    const auto [task, on] = *found;
    if (!has_dependency(spec(task), on))
      return refuse(errc::unknown_dependency, named(task) + " does not depend on " + named(on),
                    "/on");
    may_break_references(task);
    done(*found);
    return {};
  }

  result<void> apply_one(const rename_task<std::string>& wanted) {
    const auto task = find_free(wanted.task);
    if (!task)
      return task.error();
    if (wanted.name.empty())
      return refuse(errc::invalid_params, "the name is empty", "/name");
    for (const auto dependent : shape_.dependents(*task))
      may_break_references(dependent);
    note_name(*task, wanted.name);
    done(rename_task<std::uint32_t>{*task, wanted.name});
    return {};
  }

  /// `task` is about to get another name.
  void note_name(std::uint32_t task, const std::string& name) {
    if (!names_)
      return;
    names_->remove(spec(task).name, task);
    names_->add(name, task);
  }

  result<void> apply_one(const set_deadline<std::string>& wanted) {
    const auto task = find_free(wanted.task);
    if (!task)
      return task.error();
    done(set_deadline<std::uint32_t>{*task, wanted.deadline});
    return {};
  }

  result<void> apply_one(const set_priority<std::string>& wanted) {
    const auto task = find_free(wanted.task);
    if (!task)
      return task.error();
    done(set_priority<std::uint32_t>{*task, wanted.priority});
    return {};
  }

  result<void> apply_one(const put_task<std::string>& wanted) {
    if (wanted.task.empty()) {
      const auto named = find_named(wanted.spec.name, errc::invalid_params, "/task/name");
      if (!named)
        return named.error();
      return *named ? put(**named, wanted.spec) : apply_one(add_task{wanted.spec});
    }
    const auto found = shape_.find(wanted.task);
    return found ? put(*found, wanted.spec) : apply_one(add_task{wanted.spec});
  }

  result<void> put(std::uint32_t task, const task_spec& next) {
    if (is_fixed(task))
      return refuse(errc::invalid_transition,
                    named(task) + " has begun or ended and stays as it is", "/task");
    const auto inside = dependencies_inside(task, next);
    if (!inside)
      return inside.error();
    for (const auto on : std::vector(spec(task).dependency_indexes))
      if (on != elsewhere && std::ranges::find(*inside, on) == inside->end())
        done(remove_dependency<std::uint32_t>{task, on});
    for (const auto on : *inside)
      if (!has_dependency(spec(task), on))
        if (auto ok = depend({task, on}, "/task/dependencies", "/task/dependencies"); !ok)
          return ok;
    put_task<std::uint32_t> applied{task, next};
    if (next.name.empty())
      applied.spec.name = spec(task).name;
    if (spec(task).name != applied.spec.name) {
      for (const auto dependent : shape_.dependents(task))
        may_break_references(dependent);
      note_name(task, applied.spec.name);
    }
    may_break_references(task);
    replaced_.insert(task);
    applied.spec.id = {};
    applied.spec.key.clear();
    applied.spec.dependencies.clear();
    applied.spec.dependency_indexes.clear();
    done(std::move(applied));
    return {};
  }

  /// The tasks of this plan on which `task` is to depend. Those of other plans stay as they are.
  [[nodiscard]] result<std::vector<std::uint32_t>>
  dependencies_inside(std::uint32_t task, const task_spec& next) const {
    const auto is_outside = names_outside(task);
    std::vector<std::uint32_t> inside;
    std::size_t outside = 0;
    for (const auto& text : next.dependencies) {
      if (is_outside.contains(text)) {
        ++outside;
        continue;
      }
      const auto on = find(text, "/task/dependencies");
      if (!on)
        return on.error();
      if (std::ranges::find(inside, *on) != inside.end())
        return refuse(errc::invalid_params, "it depends on " + named(*on) + " twice",
                      "/task/dependencies");
      inside.push_back(*on);
    }
    if (outside
        != static_cast<std::size_t>(std::ranges::count(spec(task).dependency_indexes, elsewhere)))
      return refuse(errc::invalid_params,
                    named(task)
                        + " keeps its dependencies on tasks of other plans; name each of "
                          "them once",
                    "/task/dependencies");
    return inside;
  }

  /// The tasks of other plans on which `task` depends: as written, and their ids.
  [[nodiscard]] std::unordered_set<std::string> names_outside(std::uint32_t task) const {
    std::unordered_set<std::string> out;
    const auto& of = spec(task);
    for (std::size_t i = 0; i < of.dependency_indexes.size(); ++i)
      if (of.dependency_indexes[i] == elsewhere)
        out.insert(of.dependencies[i]);
    const auto& outside = plan_.spec->outside;
    const auto before = [](const outside_dependency& each, std::uint32_t at) {
      return each.task < at;
    };
    for (auto at = std::lower_bound(outside.begin(), outside.end(), task, before);
         at != outside.end() && (*at).task == task; ++at)
      out.insert((*at).on.str());
    return out;
  }

  const plan_spec& before_;
  plan_view plan_; ///< As it would be.
  plan_shape& shape_;
  const shape_terms& terms_;
  change where_;
  plan_changed out_{};
  mutable std::optional<named_tasks> names_; ///< As they are now. Made when the first is used.
  std::size_t at_ = 0;
  std::uint32_t added_ = 0;
  bool adds_dependencies_ = false;
  std::unordered_set<std::uint32_t> replaced_;
  std::map<std::uint32_t, std::size_t> breaks_references_; ///< By task: the operation that may.
};

} // namespace

result<plan_changed> decide(const plan_view& plan, plan_shape& shape, const change_plan& command,
                            const shape_terms& terms) {
  return shape_decider{plan, shape, terms}.run(command);
}

std::vector<std::uint32_t> removed_by(const plan_changed& change) {
  std::vector<std::uint32_t> out;
  for (const auto& each : change.operations)
    if (const auto* removed = std::get_if<remove_task<std::uint32_t>>(&each))
      out.push_back(removed->task);
  return out;
}

} // namespace troupe
