#include "apps/plan/mended_plan.hpp"

#include "apps/terminal/shown_name.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/counted.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace troupe {

namespace {

/// No counterpart.
constexpr std::uint32_t nowhere = 0xffffffff;

template<class Part>
std::string name_in_file(const Part& part) {
  return part.name.empty() ? part.key : part.name;
}

/// For each of the `count` new parts its place among the old ones, or `nowhere`.
template<class Old, class New>
std::vector<std::uint32_t> places_of(std::size_t count, const Old& old_at, std::size_t old_count,
                                     const New& new_at) {
  std::vector<std::uint32_t> out(count, nowhere);
  std::vector<bool> is_taken(old_count, false);
  std::map<std::string, std::uint32_t> by_key;
  for (std::uint32_t o = 0; o < old_count; ++o)
    if (!old_at(o).is_removed && !old_at(o).key.empty())
      by_key.emplace(old_at(o).key, o);
  const auto take = [&](std::size_t n, std::uint32_t o) {
    out[n] = o;
    is_taken[o] = true;
  };
  for (std::size_t n = 0; n < count; ++n)
    if (const auto found = by_key.find(new_at(n).key); found != by_key.end())
      take(n, found->second);
  // One entry for each name; `nowhere` if several have it.
  const auto names_of = [](std::size_t size, const auto& at, const auto& counts) {
    std::map<std::string, std::uint32_t> names;
    for (std::uint32_t i = 0; i < size; ++i)
      if (counts(i))
        if (const auto [it, fresh] = names.emplace(name_in_file(at(i)), i); !fresh)
          it->second = nowhere;
    return names;
  };
  const auto old_names = names_of(
      old_count, old_at, [&](std::uint32_t o) { return !is_taken[o] && !old_at(o).is_removed; });
  const auto new_names =
      names_of(count, new_at, [&](std::uint32_t n) { return out[n] == nowhere; });
  for (const auto& [name, n] : new_names)
    if (const auto found = old_names.find(name);
        !name.empty() && n != nowhere && found != old_names.end() && found->second != nowhere)
      take(n, found->second);
  // Without id and name only the position is left.
  for (std::uint32_t n = 0; n < count; ++n)
    if (out[n] == nowhere && name_in_file(new_at(n)).empty() && n < old_count && !is_taken[n]
        && !old_at(n).is_removed && name_in_file(old_at(n)).empty())
      take(n, n);
  return out;
}

bool refers_to_positions(const task_spec& task) {
  const auto text = boost::json::serialize(task.input);
  return text.find("${tasks.task-") != std::string::npos
         || text.find("${tasks.plan-") != std::string::npos;
}

bool is_same_work(const task_spec& before, const task_spec& now) {
  return name_in_file(before) == name_in_file(now) && before.description == now.description
         && before.agent == now.agent && before.input == now.input && before.retry == now.retry
         && before.timeout == now.timeout && before.expected == now.expected
         && before.priority == now.priority && before.metadata == now.metadata;
}

/// A deadline that has passed is no more in the record.
bool is_same_deadline(const task_spec& before, const task_spec& now, timestamp ended) {
  if (before.deadline_after != now.deadline_after)
    return false;
  return before.deadline == now.deadline
         || (!before.deadline && now.deadline && *now.deadline <= ended);
}

class mender {
public:
  mender(const objective_view& recorded, const objective_spec& file,
         const resolved_objective& edges, const std::set<task_position>& made_by_tasks,
         const std::set<std::uint32_t>& made_plans)
      : recorded_(recorded), file_(file), edges_(edges), made_by_tasks_(made_by_tasks),
        made_plans_(made_plans) {}

  result<mended_run> run() {
    const auto old_plan = [&](std::size_t p) -> const plan_spec& {
      return *recorded_.plans[p].spec;
    };
    const auto only = only_plan_of(recorded_, made_plans_);
    plans_ = file_.plans.size() == 1 && only
                 ? std::vector{*only} // It may have another name.
                 : places_of(file_.plans.size(), old_plan, recorded_.plans.size(),
                             [&](std::size_t p) -> const plan_spec& { return *file_.plans[p]; });
    for (std::size_t p = 0; p < plans_.size(); ++p)
      tasks_.push_back(places_in_plan(p));
    if (auto ok = check_positions(); !ok)
      return ok.error();
    auto relations = resolve_accepted(plan_specs());
    if (!relations)
      return relations.error();
    relations_ = std::move(*relations);
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      if (auto ok = plans_[p] == nowhere ? add_plan(p) : change_plan_at(p); !ok)
        return ok.error();
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      if (auto ok = order_plan(p); !ok)
        return ok.error();
    if (file_.parallel_max != recorded_.parallel_max)
      out_.objective.emplace_back(edit_objective{.parallel_max = file_.parallel_max});
    drop_plans();
    return std::move(out_);
  }

private:
  [[nodiscard]] std::vector<plan_spec_ptr> plan_specs() const {
    std::vector<plan_spec_ptr> out;
    for (const auto& plan : recorded_.plans)
      out.push_back(plan.spec);
    return out;
  }

  [[nodiscard]] std::vector<std::uint32_t> places_in_plan(std::size_t p) const {
    const auto& now = file_.plans[p]->tasks;
    if (plans_[p] == nowhere)
      return std::vector<std::uint32_t>(now.size(), nowhere);
    const auto& before = recorded_.plans[plans_[p]].spec->tasks;
    return places_of(
        now.size(), [&](std::size_t t) -> const task_spec& { return before[t]; }, before.size(),
        [&](std::size_t t) -> const task_spec& { return now[t]; });
  }

  /// References by position would mean other tasks than in the file.
  [[nodiscard]] result<void> check_positions() const {
    bool has_moved = false;
    for (std::uint32_t p = 0; p < plans_.size(); ++p) {
      has_moved = has_moved || plans_[p] != p;
      for (std::uint32_t t = 0; t < tasks_[p].size(); ++t)
        has_moved = has_moved || (tasks_[p][t] != t && tasks_[p][t] != nowhere)
                    || (tasks_[p][t] == nowhere && t + 1 < tasks_[p].size());
    }
    if (!has_moved)
      return {};
    for (const auto& plan : file_.plans)
      for (std::size_t t = 0; t < plan->tasks.size(); ++t)
        if (refers_to_positions(plan->tasks[t]))
          return make_error(errc::invalid_reference,
                            "the task " + troupe::quoted(shown_name(plan->tasks[t], t))
                                + " refers to another one by its position, and tasks have moved; "
                                  "use its name");
    return {};
  }

  [[nodiscard]] static bool stays(const task_summary& summary) {
    return summary.state == task_state::completed || summary.is_skipped;
  }

  [[nodiscard]] std::string alias_of(task_position at) const {
    return "new:" + std::to_string(at.plan) + "." + std::to_string(at.task);
  }
  /// How operations call a task of the file.
  [[nodiscard]] std::string name_of(task_position at) const {
    const auto old = tasks_[at.plan][at.task];
    return old == nowhere ? alias_of(at)
                          : recorded_.plans[plans_[at.plan]].spec->tasks[old].id.str();
  }
  [[nodiscard]] std::string plan_name_of(std::uint32_t p) const {
    return plans_[p] == nowhere ? "new:" + std::to_string(p)
                                : recorded_.plans[plans_[p]].spec->id.str();
  }

  /// On what a task of the file depends: in its plan, and in others.
  struct needs {
    std::vector<std::uint32_t> inside; ///< Positions in the plan of the file.
    std::set<task_position> outside;   ///< Positions in the file.
  };
  [[nodiscard]] needs needs_of(task_position at) const {
    needs out;
    const auto& of = edges_.plans[at.plan];
    for (auto i = of.dependency_offsets[at.task]; i < of.dependency_offsets[at.task + 1]; ++i) {
      const auto& on = of.dependency_positions[i];
      if (on.plan != at.plan)
        out.outside.insert(on);
      else if (std::ranges::find(out.inside, on.task) == out.inside.end())
        out.inside.push_back(on.task);
    }
    return out;
  }

  // -- tasks --------------------------------------------------------------------------------------

  result<void> change_plan_at(std::uint32_t p) {
    const auto& before = recorded_.plans[plans_[p]];
    if (before.state == plan_state::completed || before.skip_requested) {
      note_staying(p);
      return {};
    }
    mended_plan change{before.spec->id, {}};
    std::vector<wanted_operation> puts;
    for (std::uint32_t t = 0; t < tasks_[p].size(); ++t)
      if (tasks_[p][t] != nowhere)
        if (auto ok = compare({p, t}, change.operations, puts); !ok)
          return ok;
    if (auto ok = add_tasks(p, change.operations); !ok)
      return ok;
    std::ranges::move(puts, std::back_inserter(change.operations));
    remove_tasks(p, change.operations);
    edit(*before.spec, *file_.plans[p], change.operations);
    if (!change.operations.empty())
      out_.plans.push_back(std::move(change));
    return {};
  }

  /// What has completed stays, whatever the file says.
  void note_staying(std::uint32_t p) {
    for (std::uint32_t t = 0; t < tasks_[p].size(); ++t)
      if (tasks_[p][t] == nowhere || differs({p, t}))
        note_staying(*file_.plans[p], t);
  }
  void note_staying(const plan_spec& plan, std::uint32_t t) {
    out_.staying.push_back(shown_name(plan.tasks[t], t));
  }

  [[nodiscard]] bool differs(task_position at) const {
    return !is_same_work(before_of(at), file_.plans[at.plan]->tasks[at.task])
           || has_other_dependencies(at);
  }
  [[nodiscard]] const task_spec& before_of(task_position at) const {
    return recorded_.plans[plans_[at.plan]].spec->tasks[tasks_[at.plan][at.task]];
  }
  [[nodiscard]] bool has_other_dependencies(task_position at) const {
    std::set<std::uint32_t> now;
    for (const auto on : needs_of(at).inside)
      now.insert(tasks_[at.plan][on]); // `nowhere` is in no record.
    std::set<std::uint32_t> before;
    for (const auto on : before_of(at).dependency_indexes)
      if (on != elsewhere)
        before.insert(on);
    return now != before;
  }

  /// Whether a task waits for the same tasks of other plans as before.
  [[nodiscard]] bool has_same_outside(task_position at, const needs& now) const {
    std::set<task_position> before;
    const auto& plan = *recorded_.plans[plans_[at.plan]].spec;
    for (const auto& each : plan.outside)
      if (each.task == tasks_[at.plan][at.task])
        before.insert({each.on_plan, each.on_task});
    std::set<task_position> wanted;
    for (const auto& on : now.outside)
      wanted.insert({plans_[on.plan], tasks_[on.plan][on.task]});
    return before == wanted;
  }

  result<void> compare(task_position at, std::vector<wanted_operation>& first,
                       std::vector<wanted_operation>& puts) {
    const auto& plan = recorded_.plans[plans_[at.plan]];
    const auto old = tasks_[at.plan][at.task];
    const auto& before = before_of(at);
    const auto& now = file_.plans[at.plan]->tasks[at.task];
    const bool is_other = differs(at);
    if (stays(plan.tasks[old])) {
      if (is_other)
        note_staying(*plan.spec, old);
      return {};
    }
    const auto needed = needs_of(at);
    if (!has_same_outside(at, needed))
      return make_error(errc::invalid_params,
                        "the task " + troupe::quoted(shown_name(now, at.task))
                            + " waits for other tasks of other plans than in the run, which "
                              "cannot be changed");
    if (!is_other && is_same_deadline(before, now, recorded_.updated))
      return {};
    std::set<std::uint32_t> kept;
    put_task<std::string> put{before.id.str(), now};
    put.spec.dependencies.clear();
    put.spec.dependency_indexes.clear();
    for (const auto on : needed.inside) {
      kept.insert(tasks_[at.plan][on]);
      put.spec.dependencies.push_back(name_of({at.plan, on}));
    }
    // By their ids: a server shows those of the last try (`trip.p0.t1.r1`), and does not take them.
    for (const auto& each : plan.spec->outside)
      if (each.task == old)
        put.spec.dependencies.push_back(
            recorded_.plans[each.on_plan].spec->tasks[each.on_task].id.str());
    // First, so that a dependency that is turned round is no cycle meanwhile.
    for (const auto on :
         std::set(before.dependency_indexes.begin(), before.dependency_indexes.end()))
      if (on != elsewhere && !kept.contains(on))
        first.emplace_back(
            remove_dependency<std::string>{before.id.str(), plan.spec->tasks[on].id.str()});
    puts.emplace_back(std::move(put));
    ++out_.changed;
    return {};
  }

  /// New tasks, each after those on which it depends.
  result<void> add_tasks(std::uint32_t p, std::vector<wanted_operation>& to) {
    const auto& tasks = file_.plans[p]->tasks;
    std::vector<bool> is_done(tasks.size(), false);
    std::vector<std::uint32_t> open;
    for (auto t = static_cast<std::uint32_t>(tasks.size()); t-- > 0;)
      if (tasks_[p][t] == nowhere)
        open.push_back(t);
    while (!open.empty()) {
      const auto t = open.back();
      if (is_done[t]) {
        open.pop_back();
        continue;
      }
      const auto needed = needs_of({p, t});
      if (!needed.outside.empty())
        return make_error(errc::invalid_params,
                          "the new task " + troupe::quoted(shown_name(tasks[t], t))
                              + " waits for a task of another plan, which a plan that has begun "
                                "cannot take");
      const auto before = open.size();
      for (const auto on : needed.inside)
        if (tasks_[p][on] == nowhere && !is_done[on])
          open.push_back(on);
      if (open.size() > before)
        continue; // There is no cycle: the file was checked.
      add_task added{tasks[t], alias_of({p, t})};
      added.spec.dependencies.clear();
      added.spec.dependency_indexes.clear();
      for (const auto on : needed.inside)
        added.spec.dependencies.push_back(name_of({p, on}));
      to.emplace_back(std::move(added));
      is_done[t] = true;
      open.pop_back();
      ++out_.added;
    }
    return {};
  }

  void remove_tasks(std::uint32_t p, std::vector<wanted_operation>& to) {
    const auto& plan = recorded_.plans[plans_[p]];
    const std::set<std::uint32_t> kept(tasks_[p].begin(), tasks_[p].end());
    for (auto t = static_cast<std::uint32_t>(plan.spec->tasks.size()); t-- > 0;) {
      const auto& task = plan.spec->tasks[t];
      if (kept.contains(t) || task.is_removed || task.caller != no_caller
          || made_by_tasks_.contains({plans_[p], t}))
        continue;
      if (stays(plan.tasks[t])) {
        note_staying(*plan.spec, t);
        continue;
      }
      to.emplace_back(remove_task<std::string>{task.id.str()});
      ++out_.removed;
    }
  }

  static void edit(const plan_spec& before, const plan_spec& now,
                   std::vector<wanted_operation>& to) {
    edit_plan out;
    bool is_other = false;
    if (before.name != now.name && !now.name.empty()) {
      out.edited.name = now.name;
      is_other = true;
    }
    if (before.description != now.description && !now.description.empty()) {
      out.edited.description = now.description;
      is_other = true;
    }
    if (before.parallel_max != now.parallel_max) {
      out.parallel_max = now.parallel_max;
      is_other = true;
    }
    if (before.failure != now.failure) {
      out.failure = now.failure;
      is_other = true;
    }
    if (before.priority != now.priority) {
      out.priority = now.priority;
      is_other = true;
    }
    if (is_other)
      to.emplace_back(std::move(out));
  }

  // -- plans --------------------------------------------------------------------------------------

  result<void> add_plan(std::uint32_t p) {
    auto plan = std::make_shared<plan_spec>(*file_.plans[p]);
    plan->dependencies.clear(); // order_plan sets them: the others may be new, too.
    for (const auto other : edges_.plans[p].alternatives)
      if (plans_[other] == nowhere)
        return make_error(errc::invalid_params,
                          "the new plan " + troupe::quoted(shown_name(*plan, p))
                              + " has an alternative that is new, too; begin a new run");
    for (std::uint32_t t = 0; t < plan->tasks.size(); ++t) {
      const auto needed = needs_of({p, t});
      if (needed.outside.empty())
        continue;
      auto& task = plan->tasks.edit(t);
      task.dependencies.clear();
      for (const auto on : needed.inside)
        task.dependencies.push_back("task-" + std::to_string(on));
      for (const auto& on : needed.outside) {
        if (tasks_[on.plan][on.task] == nowhere)
          return make_error(errc::invalid_params,
                            "the task " + troupe::quoted(shown_name(task, t))
                                + " of a new plan waits for a new task of another plan; begin a "
                                  "new run");
        task.dependencies.push_back(name_of(on));
      }
    }
    out_.added += plan->tasks.size();
    out_.objective.emplace_back(new_plan{std::move(plan), false, plan_name_of(p)});
    return {};
  }

  result<void> order_plan(std::uint32_t p) {
    const auto& wanted = edges_.plans[p];
    std::set<std::uint32_t> now;
    for (const auto on : wanted.dependencies)
      now.insert(plans_[on]);
    if (plans_[p] != nowhere) {
      const auto& before = recorded_.plans[plans_[p]];
      const auto& known = relations_.plans[plans_[p]];
      std::vector<std::uint32_t> alternatives;
      for (const auto other : wanted.alternatives)
        alternatives.push_back(plans_[other]);
      const bool is_open = before.state != plan_state::completed && !before.skip_requested;
      if (is_open && alternatives != known.alternatives)
        return make_error(errc::invalid_params, "the plan "
                                                    + troupe::quoted(shown_name(*before.spec, p))
                                                    + " has other alternatives than in the run, "
                                                      "which cannot be changed");
      if (!is_open || now == std::set(known.dependencies.begin(), known.dependencies.end()))
        return {};
    } else if (now.empty()) {
      return {};
    }
    set_plan_dependencies<std::string> order{plan_name_of(p), {}};
    for (const auto on : wanted.dependencies)
      order.on.push_back(plan_name_of(on));
    out_.objective.emplace_back(std::move(order));
    return {};
  }

  /// Plans that are no longer in the file.
  void drop_plans() {
    const std::set<std::uint32_t> kept(plans_.begin(), plans_.end());
    for (auto p = static_cast<std::uint32_t>(recorded_.plans.size()); p-- > 0;) {
      const auto& plan = recorded_.plans[p];
      if (kept.contains(p) || made_plans_.contains(p) || plan.spec->is_removed
          || plan.skip_requested)
        continue;
      bool has_begun = false;
      std::size_t open = 0;
      for (std::uint32_t t = 0; t < plan.spec->tasks.size(); ++t) {
        has_begun = has_begun || plan.tasks[t].attempt > 0;
        if (plan.state == plan_state::completed || stays(plan.tasks[t]))
          note_staying(*plan.spec, t);
        else if (!plan.spec->tasks[t].is_removed)
          ++open;
      }
      if (plan.state == plan_state::completed)
        continue;
      out_.removed += open;
      if (has_begun)
        out_.objective.emplace_back(skip_plan<std::string>{plan.spec->id.str(), true});
      else
        out_.objective.emplace_back(remove_plan<std::string>{plan.spec->id.str()});
    }
  }

  const objective_view& recorded_;
  const objective_spec& file_;
  const resolved_objective& edges_;
  const std::set<task_position>& made_by_tasks_;
  const std::set<std::uint32_t>& made_plans_;
  resolved_objective relations_;                  ///< Of what is recorded.
  std::vector<std::uint32_t> plans_;              ///< Of each of the file: its place in the record.
  std::vector<std::vector<std::uint32_t>> tasks_; ///< The same of their tasks.
  mended_run out_;
};

} // namespace

std::optional<std::uint32_t> only_plan_of(const objective_view& recorded,
                                          const std::set<std::uint32_t>& made_plans) {
  std::optional<std::uint32_t> out;
  for (std::uint32_t p = 0; p < recorded.plans.size(); ++p) {
    if (made_plans.contains(p))
      continue;
    if (out)
      return std::nullopt;
    out = p;
  }
  return out;
}

result<mended_run> mend_run(const objective_view& recorded, const objective_spec& file,
                            const resolved_objective& edges,
                            const std::set<task_position>& made_by_tasks,
                            const std::set<std::uint32_t>& made_plans) {
  return mender(recorded, file, edges, made_by_tasks, made_plans).run();
}

std::string mended_text(const mended_run& mended) {
  std::string out;
  const auto add = [&](std::size_t number, const char* how) {
    if (number == 0)
      return;
    out += out.empty() ? counted(number, "task") : ", " + std::to_string(number);
    out += std::string(" ") + how;
  };
  add(mended.changed, "changed");
  add(mended.added, "added");
  add(mended.removed, "removed");
  return out;
}

std::vector<std::string> mended_lines(const mended_run& mended, const std::string& file) {
  constexpr std::size_t names_max = 5;
  const auto text = mended_text(mended);
  std::vector<std::string> out{file + " has changed: "
                               + (!text.empty()    ? text
                                  : mended.empty() ? "nothing that is to be done again"
                                                   : "the order or the limits of its plans")};
  std::string list;
  for (std::size_t i = 0; i < std::min(mended.staying.size(), names_max); ++i)
    list += (i == 0 ? "" : ", ") + troupe::quoted(mended.staying[i]);
  if (mended.staying.size() > names_max)
    list += " and " + std::to_string(mended.staying.size() - names_max) + " more";
  if (!list.empty())
    out.push_back("completed tasks stay as they are, whatever the file says now: " + list);
  return out;
}

} // namespace troupe
