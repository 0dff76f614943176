#include "protocol/fold/apply.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/objective_shape.hpp"
#include "protocol/fold/plan_shape.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace troupe {

namespace {

/// Tasks that a message names.
constexpr std::size_t names_shown_max = 3;

/// Tasks of a cycle that a message names.
constexpr std::size_t cycle_tasks_shown_max = 10;

bool has_dependency(const task_spec& task, std::uint32_t on) {
  return std::ranges::find(task.dependency_indexes, on) != task.dependency_indexes.end();
}

/// Applies one wanted operation after the other to a copy of the plan, which shares with it what
/// stays as it is.
class shape_decider {
public:
  shape_decider(const plan_view& plan, plan_shape& shape, const shape_terms& terms)
      : before_(plan), plan_(plan), shape_(shape), terms_(terms), had_names_(shape.has_names()) {
    where_.at = terms.now;
    out_.plan = terms.plan;
    out_.revision = terms.revision;
  }

  result<shape_decision> run(const change_plan& command) {
    out_.author = command.by_task.empty() ? owner_of(command.who) : command.by_task.str();
    out_.reason = command.reason;
    auto done = check_size(command);
    searches_until_ = shape_.looked_at() + cycle_searches_looks_max;
    for (at_ = 0; done && at_ < command.operations.size(); ++at_) {
      done = check_kind(command.operations[at_]);
      if (done)
        done = std::visit([this](const auto& wanted) { return apply_one(wanted); },
                          command.operations[at_]);
    }
    if (done && !unsearched_.empty())
      done = check_unsearched();
    if (done)
      done = bring_back();
    if (done && shape_.tasks() == 0)
      done = make_error(errc::invalid_params,
                        "the change leaves the plan without a task; end the plan instead",
                        "/operations");
    if (done && terms_.check_references)
      done = check_references();
    if (done)
      done = check_readers();
    if (done && plan_.state == plan_state::failed)
      done = check_failed();
    if (done && terms_.check_cycles && adds_dependencies_)
      done = terms_.check_cycles(*plan_.spec);
    if (done)
      report(command.dry_run);
    if (done && !command.dry_run)
      return shape_decision{std::move(out_), std::move(report_)};
    for (auto each = out_.operations.rbegin(); each != out_.operations.rend(); ++each)
      shape_.revert(*plan_.spec, *each);
    take_back_names();
    if (!done)
      return done.error();
    return shape_decision{std::move(out_), std::move(report_)};
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

  // -- helpers ------------------------------------------------------------------------------------

  [[nodiscard]] error refuse(errc code, const std::string& why,
                             std::string_view member = "") const {
    const auto at = std::to_string(at_);
    return make_error(code, "operation " + at + ": " + why,
                      "/operations/" + at + std::string{member});
  }

  [[nodiscard]] const task_spec& spec(std::uint32_t task) const { return plan_.spec->tasks[task]; }

  [[nodiscard]] const std::string& label(std::uint32_t task) const {
    const auto& of = spec(task);
    if (!of.key.empty())
      return of.key;
    return of.name.empty() ? of.id.str() : of.name;
  }
  [[nodiscard]] std::string named(std::uint32_t task) const {
    return "task " + quoted(label(task));
  }

  [[nodiscard]] result<std::uint32_t> find(const std::string& name,
                                           std::string_view member = "/task") const {
    if (const auto alias = aliases_.find(name); alias != aliases_.end())
      return alias->second;
    if (const auto found = shape_.find(name))
      return *found;
    if (const auto found = find_renewed(name))
      return *found;
    const auto named = find_named(name, errc::unknown_dependency, member);
    if (!named)
      return named.error();
    if (!*named)
      return refuse(errc::unknown_dependency, "the plan has no task " + quoted(name), member);
    return **named;
  }

  /// The task that was tried again and has that id now (`o.p0.t1.r2`).
  [[nodiscard]] std::optional<std::uint32_t> find_renewed(const std::string& id) const {
    const auto suffix = id.rfind(".r");
    if (suffix == std::string::npos)
      return std::nullopt;
    const auto found = shape_.find(id.substr(0, suffix));
    return found && plan_.task_at(*found).str() == id ? found : std::nullopt;
  }

  /// The task that has that name; nothing if none has it.
  [[nodiscard]] result<std::optional<std::uint32_t>>
  find_named(const std::string& name, errc if_several, std::string_view member) const {
    const auto& names = shape_.by_name(*plan_.spec);
    const auto count = names.count(name);
    if (count == 0)
      return std::optional<std::uint32_t>{};
    if (count > 1)
      return refuse(if_several,
                    std::to_string(count) + " tasks of the plan have the name " + quoted(name)
                        + "; use an id",
                    member);
    return std::optional{names.only(name)};
  }

  /// The position of the task that is added next.
  [[nodiscard]] std::uint32_t next_task() const {
    return static_cast<std::uint32_t>(plan_.spec->tasks.size());
  }
  [[nodiscard]] std::uint32_t first_added() const {
    return static_cast<std::uint32_t>(plan_.spec->tasks.size()) - added_;
  }

  [[nodiscard]] const task_summary& summary(std::uint32_t task) const { return plan_.tasks[task]; }

  [[nodiscard]] task_run run_of(std::uint32_t task) const {
    return terms_.run_of && task < first_added() && !renewed_.contains(task) ? terms_.run_of(task)
                                                                             : task_run::none;
  }

  /// What an operation does to a task, as the table says; or why it is refused.
  [[nodiscard]] result<change_effect> effect_of(change_kind kind, std::uint32_t task,
                                                std::string_view member = "/task") const {
    const auto stage = stage_of(summary(task), run_of(task));
    const auto rule = rule_of(kind, stage);
    if (rule.effect != change_effect::refuse)
      return rule.effect;
    const auto state = std::string{summary_state(summary(task))};
    switch (rule.refusal) {
      case errc::already_started:
        return refuse(rule.refusal,
                      named(task)
                          + (stage == task_stage::queued ? " waits for a slot"
                                                         : " has begun and stays as it is"),
                      member);
      case errc::nothing_to_retry:
        return refuse(rule.refusal,
                      named(task) + (stage == task_stage::working ? " is working" : " is " + state)
                          + " and has not failed",
                      member);
      case errc::dependency_failed:
        return refuse(rule.refusal,
                      named(task) + " has " + state
                          + ", so that what depends on it would never begin",
                      member);
      default: return refuse(rule.refusal, named(task) + " has " + state, member);
    }
  }

  /// A task that takes the operation.
  [[nodiscard]] result<std::uint32_t> find_for(change_kind kind, const std::string& name) const {
    auto found = find(name);
    if (!found)
      return found;
    if (const auto effect = effect_of(kind, *found); !effect)
      return effect.error();
    return found;
  }

  /// Both ends of a dependency that is added or removed.
  template<template<class> class Operation>
  [[nodiscard]] result<Operation<std::uint32_t>>
  find_ends(const Operation<std::string>& wanted) const {
    const auto task = find_for(std::is_same_v<Operation<std::string>, add_dependency<std::string>>
                                   ? change_kind::depend
                                   : change_kind::free,
                               wanted.task);
    if (!task)
      return task.error();
    const auto on = find(wanted.on, "/on");
    if (!on)
      return on.error();
    return Operation<std::uint32_t>{*task, *on};
  }

  /// Whether a task that depends on it can ever begin.
  [[nodiscard]] result<void> check_reachable(std::uint32_t on, std::string_view member) const {
    if (const auto effect = effect_of(change_kind::depends_on, on, member); !effect)
      return effect.error();
    return {};
  }

  void done(applied_operation operation) {
    out_.operations.push_back(std::move(operation));
    plan_changed one{out_.plan, {out_.operations.back()}, {}, {}, out_.revision};
    apply(plan_, where_, one);
    shape_.apply(*plan_.spec, out_.operations.back());
    note(out_.operations.back());
  }

  /// What is reported of an operation, and which tasks it may have released.
  void note(const applied_operation& operation) {
    if (std::holds_alternative<add_task>(operation)) {
      report_.added.push_back(spec(next_task() - 1).id);
      touched_.push_back(next_task() - 1);
    } else if (const auto* removed = std::get_if<remove_task<std::uint32_t>>(&operation)) {
      report_.removed.push_back(plan_.task_at(removed->task));
    } else if (const auto* less = std::get_if<remove_dependency<std::uint32_t>>(&operation)) {
      touched_.push_back(less->task);
    } else if (const auto* skipped = std::get_if<skip_task<std::uint32_t>>(&operation)) {
      note_dependents(skipped->task);
    } else if (const auto* completed = std::get_if<complete_task<std::uint32_t>>(&operation)) {
      note_dependents(completed->task);
    } else if (const auto* retried = std::get_if<retry_task<std::uint32_t>>(&operation)) {
      touched_.push_back(retried->task);
    }
  }
  void note_dependents(std::uint32_t task) {
    const auto& all = shape_.dependents(task);
    touched_.insert(touched_.end(), all.begin(), all.end());
  }

  // -- references ---------------------------------------------------------------------------------

  /// The references of `task` may no longer find what they name.
  void may_break_references(std::uint32_t task) { breaks_references_.insert_or_assign(task, at_); }

  /// Once all is applied: what one operation takes away another one may bring back.
  result<void> check_references() {
    for (const auto& [task, operation] : breaks_references_) {
      if (spec(task).is_removed)
        continue;
      const bool is_added = task >= first_added() || replaced_.contains(task);
      at_ = operation;
      if (auto ok =
              terms_.check_references(task, is_added ? nullptr : before_.spec.get(), *plan_.spec);
          ok)
        continue;
      else if (is_added)
        return refuse(ok.error().code, ok.error().message, "/task/input" + ok.error().field);
      else
        return refuse(errc::still_read, named(task) + ": " + ok.error().message);
    }
    return {};
  }

  // -- operations ---------------------------------------------------------------------------------

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
      return refuse(errc::duplicate_id, "the task id " + quoted(task.key) + " is used twice",
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
    if (!wanted.as.empty() && !aliases_.try_emplace(wanted.as, next_task()).second)
      return refuse(errc::duplicate_id, "the name " + quoted(wanted.as) + " is used twice", "/as");
    ++added_;
    note_name(next_task(), task.name, true);
    done(add_task{std::move(task)});
    may_break_references(next_task() - 1);
    return {};
  }

  result<void> apply_one(const remove_task<std::string>& wanted) {
    const auto task = find_for(change_kind::remove, wanted.task);
    if (!task)
      return task.error();
    if (auto ok = check_once(*task); !ok)
      return ok;
    if (terms_.is_awaited && terms_.is_awaited(*task))
      return refuse(errc::still_needed, "a task of another plan depends on " + named(*task),
                    "/task");
    const auto dependents = std::vector(shape_.dependents(*task));
    if (wanted.dependents == dependents_rule::refuse && !dependents.empty())
      return refuse(errc::still_needed, list_of(dependents) + " on " + named(*task), "/task");
    if (wanted.dependents == dependents_rule::bridge)
      if (auto ok = bridge(*task, dependents); !ok)
        return ok;
    for (auto dependent = dependents.rbegin(); dependent != dependents.rend(); ++dependent) {
      may_break_references(*dependent);
      done(remove_dependency<std::uint32_t>{*dependent, *task});
    }
    const auto dependencies = spec(*task).dependency_indexes;
    for (const auto on : dependencies)
      if (on != elsewhere && has_dependency(spec(*task), on))
        done(remove_dependency<std::uint32_t>{*task, on});
    note_name(*task, spec(*task).name, false);
    done(remove_task<std::uint32_t>{*task});
    return {};
  }

  /// "task \"a\" and 2 more depend": who depends on a task, as the beginning of a sentence.
  [[nodiscard]] std::string list_of(const std::vector<std::uint32_t>& tasks) const {
    return names_of(tasks) + (tasks.size() == 1 ? " depends" : " depend");
  }

  [[nodiscard]] std::string names_of(const std::vector<std::uint32_t>& tasks) const {
    std::string out;
    for (std::size_t i = 0; i < tasks.size() && i < names_shown_max; ++i)
      out += (i == 0 ? "" : ", ") + named(tasks[i]);
    if (tasks.size() > names_shown_max)
      out += " and " + std::to_string(tasks.size() - names_shown_max) + " more";
    return out;
  }

  /// What depends on `task` shall depend on what it depends on.
  result<void> bridge(std::uint32_t task, const std::vector<std::uint32_t>& dependents) {
    const auto before = spec(task).dependency_indexes;
    if (std::ranges::find(before, elsewhere) != before.end())
      return refuse(errc::invalid_params,
                    "cannot bridge: " + named(task) + " depends on a task of another plan",
                    "/bridge");
    for (const auto dependent : dependents)
      for (const auto on : before)
        if (!has_dependency(spec(dependent), on))
          if (auto ok = depend({dependent, on}, "/bridge", "/bridge"); !ok)
            return ok;
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

  /// In the direction "a -> b": b waits for a. As in documents (objective_graph).
  [[nodiscard]] std::string cycle_of(const add_dependency<std::uint32_t>& added) const {
    std::string out;
    auto way = shape_.path(*plan_.spec, added.on, added.task);
    std::ranges::reverse(way);
    for (std::size_t i = 0; i < std::min(way.size(), cycle_tasks_shown_max); ++i)
      out += quoted(label(way[i])) + " -> ";
    if (way.size() > cycle_tasks_shown_max)
      out += "... (" + std::to_string(way.size() - cycle_tasks_shown_max) + " more) -> ";
    return out + quoted(label(added.task));
  }

  [[nodiscard]] error refuse_cycle(const add_dependency<std::uint32_t>& added,
                                   std::string_view whole) const {
    return refuse(errc::dependency_cycle,
                  added.on == added.task ? named(added.task) + " would depend on itself"
                                         : "they would form a cycle: " + cycle_of(added),
                  whole);
  }

  /// The last one that was added to a cycle is refused.
  result<void> check_unsearched() {
    const auto cycle = shape_.cycle(*plan_.spec);
    if (cycle.empty())
      return {};
    const auto is_in_cycle = [&](const unsearched& each) {
      const auto task = std::ranges::find(cycle, each.added.task);
      if (task == cycle.end())
        return false;
      return each.added.on == (task + 1 == cycle.end() ? cycle.front() : *(task + 1));
    };
    // Without these dependencies there is no cycle, so one of them is found.
    const auto last = std::find_if(unsearched_.rbegin(), unsearched_.rend(), is_in_cycle);
    at_ = last->at;
    return refuse_cycle(last->added, last->whole);
  }

  /// `on` and `whole` are the members that say on what, and the dependency itself.
  result<void> depend(const add_dependency<std::uint32_t>& added, std::string_view on,
                      std::string_view whole) {
    if (auto ok = check_reachable(added.on, on); !ok)
      return ok;
    if (added.on != added.task && shape_.looked_at() >= searches_until_)
      unsearched_.push_back({added, at_, whole});
    else if (shape_.depends(*plan_.spec, added.on, added.task))
      return refuse_cycle(added, whole);
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
    const auto task = find_for(change_kind::edit, wanted.task);
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
    note_name(task, spec(task).name, false);
    note_name(task, name, true);
  }
  /// `task` is about to have that name, or to have it no more.
  void note_name(std::uint32_t task, const std::string& name, bool has_it) {
    if (!shape_.has_names())
      return;
    auto& names = shape_.by_name(*plan_.spec);
    has_it ? names.add(name, task) : names.remove(name, task);
    if (had_names_)
      name_moves_.push_back({task, name, has_it});
  }
  /// The names are again as they were before the change.
  void take_back_names() {
    if (!had_names_)
      return shape_.forget_names();
    auto& names = shape_.by_name(*before_.spec);
    for (auto each = name_moves_.rbegin(); each != name_moves_.rend(); ++each)
      each->has_it ? names.remove(each->name, each->task) : names.add(each->name, each->task);
  }

  result<void> apply_one(const set_deadline<std::string>& wanted) {
    const auto task = find_for(change_kind::edit, wanted.task);
    if (!task)
      return task.error();
    if (auto wrong = check_deadline(deadline_edit{wanted.deadline}, terms_.now))
      return refuse(wrong->code, wrong->message, "/deadline");
    done(set_deadline<std::uint32_t>{*task, wanted.deadline});
    return {};
  }

  result<void> apply_one(const set_priority<std::string>& wanted) {
    const auto task = find_for(change_kind::edit, wanted.task);
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

  result<void> apply_one(const replace_task& wanted) {
    const auto task = find(wanted.task);
    if (!task)
      return task.error();
    const auto effect = effect_of(change_kind::replace, *task);
    if (!effect)
      return effect.error();
    if (*effect == change_effect::renew)
      if (auto ok = renew(*task, true); !ok)
        return ok;
    return wanted.keeps_dependencies ? put_keeping(*task, wanted.spec) : put(*task, wanted.spec);
  }

  /// A plan that has failed is only mended.
  [[nodiscard]] result<void> check_kind(const wanted_operation& wanted) const {
    if (before_.state != plan_state::failed
        || std::holds_alternative<retry_task<std::string>>(wanted)
        || std::holds_alternative<replace_task>(wanted)
        || std::holds_alternative<skip_task<std::string>>(wanted)
        || std::holds_alternative<complete_task<std::string>>(wanted))
      return {};
    return refuse(errc::plan_failed,
                  "a failed plan accepts only retry, replace, skip and complete");
  }

  // -- tasks that end or come back by request -----------------------------------------------------

  /// What ends a task, and what brings it back, is done to it once.
  [[nodiscard]] result<void> check_once(std::uint32_t task) {
    if (decided_.insert(task).second)
      return {};
    return refuse(errc::invalid_params,
                  "an earlier operation of this change ends or retries " + named(task) + " already",
                  "/task");
  }

  /// A new task stands in the place of one that was lost or skipped.
  result<void> renew(std::uint32_t task, bool with_dependents) {
    if (auto ok = check_once(task); !ok)
      return ok;
    come_back(task);
    if (with_dependents)
      revived_.push_back(task);
    return {};
  }

  void come_back(std::uint32_t task) {
    renewed_.insert(task);
    done(retry_task<std::uint32_t>{task});
    apply(plan_, where_, tasks_renewed{out_.plan, {task}});
    report_.retried.push_back(plan_.task_at(task));
  }

  /// Tasks that were canceled because one was lost that is not any more. In a plan that has failed
  /// all may come back, else those that depend on it and never began.
  result<void> bring_back() {
    if (plan_.state == plan_state::failed && !revived_.empty())
      for (std::uint32_t task = 0; task < first_added(); ++task)
        bring_back(task);
    std::deque<std::uint32_t> next(revived_.begin(), revived_.end());
    while (!next.empty()) {
      const auto from = next.front();
      next.pop_front();
      for (const auto dependent : std::vector(shape_.dependents(from)))
        if (bring_back(dependent))
          next.push_back(dependent);
    }
    return {};
  }

  /// False if it stays as it is.
  bool bring_back(std::uint32_t task) {
    const auto& now = summary(task);
    const bool was_canceled = now.state == task_state::canceled
                              && (now.attempt == 0 || plan_.state == plan_state::failed);
    if (!was_canceled || now.is_skipped || spec(task).is_removed || decided_.contains(task))
      return false;
    const auto& on = spec(task).dependency_indexes;
    const bool waits = std::ranges::all_of(on, [&](std::uint32_t each) {
      return each == elsewhere ? plan_.state == plan_state::failed : !is_lost(summary(each));
    });
    if (!waits)
      return false;
    come_back(task);
    if (plan_.state == plan_state::failed)
      revived_.push_back(task);
    return true;
  }

  result<void> apply_one(const skip_task<std::string>& wanted) {
    const auto task = find(wanted.task);
    if (!task)
      return task.error();
    if (auto ok = skip(*task, wanted); !ok || !wanted.skips_after)
      return ok;
    std::deque<std::uint32_t> next{*task};
    while (!next.empty()) {
      const auto from = next.front();
      next.pop_front();
      for (const auto dependent : std::vector(shape_.dependents(from))) {
        if (summary(dependent).is_skipped)
          continue;
        if (auto ok = skip(dependent, wanted); !ok)
          return ok;
        next.push_back(dependent);
      }
    }
    return {};
  }

  result<void> skip(std::uint32_t task, const skip_task<std::string>& wanted) {
    const auto effect = effect_of(change_kind::skip, task);
    if (!effect)
      return effect.error();
    if (*effect == change_effect::nothing)
      return {};
    if (auto ok = check_stop(*effect, task, wanted.cancel); !ok)
      return ok;
    if (auto ok = check_once(task); !ok)
      return ok;
    if (is_lost(summary(task)))
      revived_.push_back(task);
    for (const auto dependent : shape_.dependents(task))
      skipped_for_.insert_or_assign(dependent, std::pair{task, at_});
    done(skip_task<std::uint32_t>{task});
    note_end(*effect, task, task_state::canceled);
    report_.skipped.push_back(plan_.task_at(task));
    return {};
  }

  result<void> apply_one(const complete_task<std::string>& wanted) {
    const auto task = find(wanted.task);
    if (!task)
      return task.error();
    const auto effect = effect_of(change_kind::complete, *task);
    if (!effect)
      return effect.error();
    if (auto ok = check_stop(*effect, *task, wanted.cancel); !ok)
      return ok;
    if (*effect == change_effect::renew) {
      if (auto ok = renew(*task, true); !ok)
        return ok;
    } else if (auto ok = check_once(*task); !ok) {
      return ok;
    }
    done(complete_task<std::uint32_t>{*task, false, wanted.artifacts});
    note_end(*effect, *task, task_state::completed);
    report_.completed.push_back(plan_.task_at(*task));
    return {};
  }

  [[nodiscard]] result<void> check_stop(change_effect effect, std::uint32_t task,
                                        bool may_cancel) const {
    if (effect != change_effect::stop_if_told || may_cancel)
      return {};
    return refuse(errc::already_started,
                  named(task) + " has begun; send \"cancel\": true to stop its agent", "/task");
  }

  /// How the plan will stand. What runs of a task ends later; it counts as ended already.
  void note_end(change_effect effect, std::uint32_t task, task_state to) {
    if (effect == change_effect::stop || effect == change_effect::stop_if_told)
      if (stage_of(before_.tasks[task], run_of(task)) != task_stage::queued)
        report_.canceled.push_back(plan_.task_at(task));
    if (!is_terminal(summary(task).state))
      apply(plan_, where_, tasks_withdrawn{out_.plan, {task}, to, {}});
  }

  result<void> apply_one(const retry_task<std::string>& wanted) {
    const auto task = find(wanted.task);
    if (!task)
      return task.error();
    const auto effect = effect_of(change_kind::retry, *task);
    if (!effect)
      return effect.error();
    if (*effect == change_effect::hurry) {
      if (wanted.with)
        return refuse(errc::already_started, named(*task) + " has begun and keeps what it is to do",
                      "/with");
      if (auto ok = check_once(*task); !ok)
        return ok;
      done(retry_task<std::uint32_t>{*task});
      report_.retried.push_back(plan_.task_at(*task));
      return {};
    }
    if (auto ok = renew(*task, wanted.dependents); !ok)
      return ok;
    return wanted.with ? put_keeping(*task, patched(spec(*task), *wanted.with)) : result<void>{};
  }

  result<void> apply_one(const edit_plan& wanted) {
    done(edit_plan{wanted});
    return {};
  }

  /// What was skipped has made nothing: no task that is still to begin may refer to it.
  result<void> check_readers() {
    if (!terms_.reads)
      return {};
    for (const auto& [reader, skipped] : skipped_for_) {
      const auto& [task, operation] = skipped;
      const bool begins = summary(reader).state == task_state::unspecified;
      if (!begins || spec(reader).is_removed || !terms_.reads(reader, task, *plan_.spec))
        continue;
      at_ = operation;
      return refuse(errc::still_read, "the input of " + named(reader) + " refers to " + named(task),
                    "/task");
    }
    return {};
  }

  /// A plan that has failed goes on only if no task of it stays lost.
  result<void> check_failed() {
    std::vector<std::uint32_t> rest;
    for (std::uint32_t task = 0; task < plan_.tasks.size(); ++task)
      if (!spec(task).is_removed && is_lost(summary(task)))
        rest.push_back(task);
    if (rest.empty())
      return {};
    return make_error(errc::plan_failed, "the change leaves it failed: " + names_of(rest),
                      "/operations");
  }

  /// Says what becomes of the plan to who asked for it.
  void report(bool dry_run) {
    report_.plan = plan_.spec->id;
    report_.revision = out_.revision;
    report_.dry_run = dry_run;
    if (before_.state != plan_state::working && before_.state != plan_state::blocked)
      return;
    std::ranges::sort(touched_);
    // Not std::ranges::unique: clang 14 cannot compile the subrange of GCC's library.
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const auto task : touched_)
      if (is_ready(plan_, task) && !(task < first_added() && is_ready(before_, task)))
        report_.released.push_back(plan_.task_at(task));
  }

  /// Whether a task waits for nothing but its turn.
  [[nodiscard]] bool is_ready(const plan_view& plan, std::uint32_t task) const {
    const auto& of = plan.spec->tasks[task];
    if (of.is_removed || plan.tasks[task].state != task_state::unspecified)
      return false;
    return std::ranges::all_of(of.dependency_indexes, [&](std::uint32_t on) {
      return on == elsewhere ? terms_.waits_outside && !terms_.waits_outside(task)
                             : is_satisfied(plan.tasks[on]);
    });
  }

  // -- what a task is to do -----------------------------------------------------------------------

  result<void> put(std::uint32_t task, const task_spec& next) {
    if (const auto effect = effect_of(change_kind::edit, task); !effect)
      return effect.error();
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
    return put_keeping(task, next);
  }

  /// The task keeps its dependencies.
  result<void> put_keeping(std::uint32_t task, const task_spec& next) {
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
    report_.replaced.push_back(plan_.task_at(task));
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

  const plan_view& before_;
  plan_view plan_; ///< As it would be.
  plan_shape& shape_;
  const shape_terms& terms_;
  change where_;
  plan_changed out_{};
  change_report report_{};
  struct name_move {
    std::uint32_t task;
    std::string name;
    bool has_it; ///< From then on.
  };
  const bool had_names_; ///< `shape_` had them before the change.
  std::vector<name_move> name_moves_;
  std::unordered_map<std::string, std::uint32_t> aliases_; ///< By `add_task::as`.
  std::size_t at_ = 0;
  std::uint32_t added_ = 0;
  bool adds_dependencies_ = false;
  /// A dependency that was added, and may be a part of a cycle.
  struct unsearched {
    add_dependency<std::uint32_t> added;
    std::size_t at; ///< Its operation.
    std::string_view whole;
  };
  std::vector<unsearched> unsearched_;
  std::size_t searches_until_ = 0; ///< In the numbers of plan_shape::looked_at.
  std::unordered_set<std::uint32_t> replaced_;
  std::unordered_set<std::uint32_t> decided_; ///< Removed, skipped, completed or tried again.
  std::unordered_set<std::uint32_t> renewed_;
  std::vector<std::uint32_t> revived_; ///< Whose dependents may come back.
  std::vector<std::uint32_t> touched_; ///< That the change may have released.
  /// By task: the skipped one on which it depends, and the operation.
  std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> skipped_for_;
  std::map<std::uint32_t, std::size_t> breaks_references_; ///< By task: the operation that may.
};

} // namespace

result<shape_decision> decide(const plan_view& plan, plan_shape& shape, const change_plan& command,
                              const shape_terms& terms) {
  return shape_decider{plan, shape, terms}.run(command);
}

std::vector<event> events_of(const plan_view& before, const plan_changed& changed,
                             const std::function<bool(std::uint32_t)>& has_actor) {
  tasks_renewed renewed{changed.plan, {}};
  tasks_withdrawn removed{changed.plan, {}, task_state::canceled, "removed from its plan"};
  tasks_withdrawn skipped{changed.plan, {}, task_state::canceled, "skipped by request"};
  skipped.metadata["opt/v1/skipped"] = true;
  std::vector<event> completed;
  const auto ends_here = [&](std::uint32_t task) {
    const bool is_new = task >= before.tasks.size();
    return is_new || (!is_terminal(before.tasks[task].state) && !has_actor(task));
  };
  for (const auto& each : changed.operations) {
    if (const auto* again = std::get_if<retry_task<std::uint32_t>>(&each)) {
      if (!has_actor(again->task))
        renewed.tasks.push_back(again->task);
    } else if (const auto* gone = std::get_if<remove_task<std::uint32_t>>(&each)) {
      if (ends_here(gone->task))
        removed.tasks.push_back(gone->task);
    } else if (const auto* skip = std::get_if<skip_task<std::uint32_t>>(&each)) {
      if (ends_here(skip->task))
        skipped.tasks.push_back(skip->task);
    } else if (const auto* done = std::get_if<complete_task<std::uint32_t>>(&each)) {
      const bool was_renewed = std::ranges::find(renewed.tasks, done->task) != renewed.tasks.end();
      if (was_renewed || ends_here(done->task))
        completed.emplace_back(tasks_withdrawn{changed.plan,
                                               {done->task},
                                               task_state::completed,
                                               "completed by request",
                                               {},
                                               done->artifacts});
    }
  }
  std::vector<event> out;
  if (!renewed.tasks.empty())
    out.emplace_back(std::move(renewed));
  out.emplace_back(changed);
  for (auto* ended : {&removed, &skipped})
    if (!ended->tasks.empty())
      out.emplace_back(std::move(*ended));
  std::ranges::move(completed, std::back_inserter(out));
  return out;
}

} // namespace troupe
