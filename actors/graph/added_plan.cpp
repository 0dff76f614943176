#include "actors/graph/added_plan.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace troupe {

namespace {

/// One plan being resolved against the index of the others.
class addition {
public:
  addition(const objective_index& known, const plan_spec_ptr& plan)
      : known_(known), spec_(plan), plan_(static_cast<std::uint32_t>(known.plans().size())) {}

  result<resolved_addition> run() {
    for (const auto step : {&addition::check_plan_names, &addition::resolve_plans,
                            &addition::check_task_names, &addition::resolve_tasks,
                            &addition::refuse_nested_alternatives, &addition::refuse_cycles})
      if (auto ok = (this->*step)(); !ok)
        return ok.error();
    return std::move(out_);
  }

private:
  // -- plans --------------------------------------------------------------------------------------

  result<void> check_plan_names() {
    for (const auto id : {std::string_view{spec_->key}, std::string_view{spec_->id.str()}})
      if (!id.empty() && known_.find_plan(id))
        return refuse_repeated_id("plan", id, plan_pointer(plan_));
    for (const auto name : {std::string_view{spec_->key}, std::string_view{spec_->id.str()},
                            std::string_view{spec_->name}})
      if (const auto* use = known_.find_plan_use(name))
        return refuse_plan(
            use->plan, std::string{name}, use->as_alternative ? "lists" : "depends on",
            list_pointer(use->plan, use->as_alternative ? "alternatives" : "dependencies", use->at),
            ambiguous);
    return {};
  }

  result<void> resolve_plans() {
    auto& plan = out_.plan;
    for (std::size_t i = 0; i < spec_->dependencies.size(); ++i) {
      auto found =
          find_plan(spec_->dependencies[i], "depends on", list_pointer(plan_, "dependencies", i));
      if (!found)
        return found.error();
      plan.dependencies.push_back(*found);
    }
    std::sort(plan.dependencies.begin(), plan.dependencies.end());
    plan.dependencies.erase(std::unique(plan.dependencies.begin(), plan.dependencies.end()),
                            plan.dependencies.end());
    for (std::size_t i = 0; i < spec_->alternatives.size(); ++i) {
      const auto where = list_pointer(plan_, "alternatives", i);
      auto found = find_plan(spec_->alternatives[i], "lists", where);
      if (!found)
        return found.error();
      if (const auto other = known_.alternative_of(*found))
        return refuse_shared_alternative(label(*found), label(*other), label(plan_), where);
      if (std::find(plan.alternatives.begin(), plan.alternatives.end(), *found)
          == plan.alternatives.end())
        plan.alternatives.push_back(*found);
    }
    return {};
  }

  result<std::uint32_t> find_plan(const std::string& text, std::string_view verb,
                                  const std::string& where) const {
    const bool is_own_id = !text.empty() && (text == spec_->key || text == spec_->id.str());
    auto found = not_found;
    if (is_own_id) {
      found = plan_;
    } else if (const auto id = known_.find_plan(text)) {
      found = *id;
    } else if (const auto named = known_.find_plan_named(text); named != not_found) {
      found = text == spec_->name ? ambiguous : named;
    } else if (!text.empty() && text == spec_->name) {
      found = plan_;
    } else if (const auto at = find_position(text, "plan", plan_ + 1);
               at && (*at == plan_ || !known_.plans()[*at]->is_removed)) {
      found = *at;
    }
    if (found < plan_)
      return found;
    return refuse_plan(plan_, text, verb, where, found);
  }

  error refuse_plan(std::uint32_t user, const std::string& text, std::string_view verb,
                    std::string where, std::uint32_t found) const {
    return refuse_plan_name(label(user), verb, text, found, known_.plans(), std::move(where));
  }

  [[nodiscard]] std::string label(std::uint32_t plan) const {
    return label_of(plan == plan_ ? *spec_ : *known_.plans()[plan], plan);
  }

  // -- tasks --------------------------------------------------------------------------------------

  result<void> check_task_names() {
    const auto& tasks = spec_->tasks;
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      known_.count_looks(1);
      for (const auto id : {std::string_view{tasks[t].key}, std::string_view{tasks[t].id.str()}}) {
        if (id.empty())
          continue;
        const auto [it, fresh] = own_ids_.try_emplace(id, t);
        if ((!fresh && it->second != t) || known_.find_task(id))
          return refuse_repeated_id("task", id, task_pointer(plan_, t));
        if (const auto user = known_.find_task_use(id, true))
          return refuse_use(*user, id);
      }
      add_name(own_names_, tasks[t].name, t);
      if (const auto user = known_.find_task_use(tasks[t].name, false))
        return refuse_use(*user, tasks[t].name);
    }
    return {};
  }

  result<void> resolve_tasks() {
    auto& plan = out_.plan;
    const auto& tasks = spec_->tasks;
    plan.dependency_offsets.reserve(tasks.size() + 1);
    plan.dependency_offsets.push_back(0);
    std::vector<task_position> seen;
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      seen.clear();
      for (std::uint32_t i = 0; i < tasks[t].dependencies.size(); ++i) {
        bool is_ambiguous = false;
        const auto found = find_task(tasks[t].dependencies[i], is_ambiguous);
        if (is_ambiguous || !found || *found == task_position{plan_, t})
          return refuse_task_dependency(tasks, {plan_, t}, i,
                                        is_ambiguous ? ambiguous
                                        : found      ? t
                                                     : not_found);
        plan.dependency_positions.push_back(*found);
        seen.push_back(*found);
      }
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      for (const auto& from : seen) {
        if (from.plan == plan_) {
          plan.edges.push_back({from.task, t});
          continue;
        }
        plan.externals.resize(tasks.size());
        ++plan.externals[t];
        out_.awaited.push_back({from, {plan_, t}});
      }
      plan.dependency_offsets.push_back(
          static_cast<std::uint32_t>(plan.dependency_positions.size()));
    }
    return {};
  }

  [[nodiscard]] std::optional<task_position> find_task(std::string_view text,
                                                       bool& is_ambiguous) const {
    if (const auto own = own_ids_.find(text); own != own_ids_.end())
      return task_position{plan_, own->second};
    if (const auto other = known_.find_task(text))
      return other;
    if (const auto own = own_names_.find(text); own != own_names_.end()) {
      is_ambiguous = own->second == ambiguous;
      return task_position{plan_, own->second};
    }
    if (const auto others = known_.find_tasks_named(text); others.count > 0) {
      is_ambiguous = others.count > 1;
      return others.only;
    }
    if (const auto own = find_position(text, "task", spec_->tasks.size()))
      return task_position{plan_, *own};
    const auto slash = text.find('/');
    if (slash == std::string_view::npos
        || find_position(text.substr(0, slash), "plan", plan_ + 1) != plan_)
      return known_.find_task_at(text);
    if (const auto own = find_position(text.substr(slash + 1), "task", spec_->tasks.size()))
      return task_position{plan_, *own};
    return std::nullopt;
  }

  /// `user` has a dependency that is written so.
  error refuse_use(const task_position& user, std::string_view text) const {
    const auto& tasks = known_.plans()[user.plan]->tasks;
    const auto& written = tasks[user.task].dependencies;
    const auto at = std::find(written.begin(), written.end(), text) - written.begin();
    return refuse_task_dependency(tasks, user, static_cast<std::size_t>(at), ambiguous);
  }

  // -- the whole ----------------------------------------------------------------------------------

  result<void> refuse_nested_alternatives() {
    for (const auto p : out_.plan.alternatives)
      if (const auto& nested = known_.alternatives(p); !nested.empty())
        return refuse_nested_alternative(label(p), label(plan_), label(nested.front()),
                                         list_pointer(p, "alternatives", 0));
    return {};
  }

  // Nothing of the older plans waits for the new one, unless they are its alternatives: a cycle is
  // within it.
  result<void> refuse_cycles() {
    const bool waits_for_others = !out_.awaited.empty() || !out_.plan.dependencies.empty();
    if (!out_.plan.alternatives.empty() && waits_for_others)
      return refuse_any_cycle();
    plan_graph graph{static_cast<std::uint32_t>(spec_->tasks.size()), out_.plan.edges};
    auto order = graph.start();
    for (std::size_t i = 0; i < order.size(); ++i)
      graph.complete(order[i], order);
    return order.size() == spec_->tasks.size() ? result<void>{} : refuse_any_cycle();
  }

  result<void> refuse_any_cycle() {
    auto all = known_.plans();
    all.push_back(spec_);
    for (const auto& plan : all)
      known_.count_looks(plan->tasks.size());
    if (auto resolved = resolve_dependencies(all); !resolved)
      return resolved.error();
    return {};
  }

  const objective_index& known_;
  const plan_spec_ptr& spec_;
  const std::uint32_t plan_;
  name_index own_ids_;
  name_index own_names_;
  resolved_addition out_;
};

} // namespace

result<resolved_addition> resolve_added_plan(const objective_index& known,
                                             const plan_spec_ptr& plan) {
  return addition{known, plan}.run();
}

} // namespace troupe
