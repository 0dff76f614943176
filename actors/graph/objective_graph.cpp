#include "actors/graph/objective_graph.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace troupe {

namespace {

constexpr std::size_t cycle_names_max = 20;

void remove_duplicates(std::vector<std::uint32_t>& plans) {
  std::sort(plans.begin(), plans.end());
  plans.erase(std::unique(plans.begin(), plans.end()), plans.end());
}

// Numbers all tasks of all plans through and finds them by key, id, name and position.
class task_finder {
public:
  explicit task_finder(const std::vector<plan_spec_ptr>& plans) : plans_(plans) {
    for (const auto& plan : plans) {
      offsets_.push_back(total_);
      total_ += static_cast<std::uint32_t>(plan->tasks.size());
    }
  }

  [[nodiscard]] std::uint32_t total() const { return total_; }
  [[nodiscard]] std::uint32_t offset(std::uint32_t plan) const { return offsets_[plan]; }

  [[nodiscard]] task_position at(std::uint32_t number) const {
    const auto it = std::upper_bound(offsets_.begin(), offsets_.end(), number);
    auto plan = static_cast<std::uint32_t>(it - offsets_.begin() - 1);
    return {plan, number - offsets_[plan]};
  }

  [[nodiscard]] std::string name_of(std::uint32_t number) const {
    const auto where = at(number);
    return label_of(plans_[where.plan]->tasks[where.task], where.task);
  }

  // Ids must be unique over the whole objective.
  // What was accepted is known by its indexes, and is never refused again.
  result<void> index_ids(bool accepted) {
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      for (std::uint32_t t = 0; t < plans_[p]->tasks.size(); ++t) {
        const auto& spec = plans_[p]->tasks[t];
        for (const auto& id : {std::string_view{spec.key}, std::string_view{spec.id.str()}}) {
          if (id.empty() || spec.is_removed)
            continue;
          const auto number = offsets_[p] + t;
          const auto [it, fresh] = ids_.try_emplace(id, number);
          if (!fresh && it->second != number && !accepted)
            return refuse_repeated_id("task", id, task_pointer(p, t));
        }
      }
    return {};
  }

  // Names are looked up only when an id is not found, so their index is built on first use.
  void index_names() {
    if (names_indexed_)
      return;
    names_indexed_ = true;
    names_in_plan_.resize(plans_.size());
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      for (std::uint32_t t = 0; t < plans_[p]->tasks.size(); ++t) {
        if (plans_[p]->tasks[t].is_removed)
          continue;
        add_name(names_in_plan_[p], plans_[p]->tasks[t].name, offsets_[p] + t);
        add_name(names_, plans_[p]->tasks[t].name, offsets_[p] + t);
      }
  }

  [[nodiscard]] std::uint32_t find(std::uint32_t plan, std::string_view text) {
    if (const auto it = ids_.find(text); it != ids_.end())
      return it->second;
    index_names();
    for (const auto* names : {&names_in_plan_[plan], &names_})
      if (const auto it = names->find(text); it != names->end())
        return it->second;
    if (const auto at = find_position(text, "task", plans_[plan]->tasks.size()))
      return offsets_[plan] + *at;
    if (const auto slash = text.find('/'); slash != std::string_view::npos)
      if (const auto other = find_position(text.substr(0, slash), "plan", plans_.size()))
        if (const auto at =
                find_position(text.substr(slash + 1), "task", plans_[*other]->tasks.size()))
          return offsets_[*other] + *at;
    return not_found;
  }

private:
  const std::vector<plan_spec_ptr>& plans_;
  std::vector<std::uint32_t> offsets_;
  std::uint32_t total_ = 0;
  name_index ids_;
  std::vector<name_index> names_in_plan_;
  name_index names_;
  bool names_indexed_ = false;
};

class resolver {
public:
  explicit resolver(const std::vector<plan_spec_ptr>& plans) : plans_(plans), tasks_(plans) {}

  result<resolved_objective> run(bool accepted) {
    out_.plans.resize(plans_.size());
    awaited_by_.assign(tasks_.total(), not_found);
    if (auto ok = resolve_plans(); !ok)
      return ok.error();
    if (auto ok = tasks_.index_ids(accepted); !ok)
      return ok.error();
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      if (auto ok = resolve_tasks(p); !ok)
        return ok.error();
    for (auto& plan : out_.plans)
      std::sort(plan.outgoing.begin(), plan.outgoing.end(),
                [](const outgoing_edge& a, const outgoing_edge& b) { return a.task < b.task; });
    if (auto ok = accepted ? result<void>{} : refuse_nested_alternatives(); !ok)
      return ok.error();
    if (auto ok = accepted ? result<void>{} : refuse_cycles(); !ok)
      return ok.error();
    return std::move(out_);
  }

private:
  result<void> resolve_plans() {
    name_index ids;
    name_index names;
    for (std::uint32_t p = 0; p < plans_.size(); ++p) {
      if (plans_[p]->is_removed)
        continue;
      for (const auto& id :
           {std::string_view{plans_[p]->key}, std::string_view{plans_[p]->id.str()}}) {
        if (id.empty())
          continue;
        const auto [it, fresh] = ids.try_emplace(id, p);
        if (!fresh && it->second != p)
          return refuse_repeated_id("plan", id, plan_pointer(p));
      }
      add_name(names, plans_[p]->name, p);
    }
    for (std::uint32_t p = 0; p < plans_.size(); ++p) {
      for (std::size_t i = 0; i < plans_[p]->dependencies.size(); ++i) {
        auto found = find_plan(ids, names, p, plans_[p]->dependencies[i], "depends on",
                               list_pointer(p, "dependencies", i));
        if (!found)
          return found.error();
        out_.plans[p].dependencies.push_back(*found);
      }
      remove_duplicates(out_.plans[p].dependencies);
      for (std::size_t i = 0; i < plans_[p]->alternatives.size(); ++i) {
        const auto where = list_pointer(p, "alternatives", i);
        auto found = find_plan(ids, names, p, plans_[p]->alternatives[i], "lists", where);
        if (!found)
          return found.error();
        auto& other = out_.plans[*found];
        if (other.alternative_of && *other.alternative_of != p)
          return refuse_shared_alternative(label(*found), label(*other.alternative_of), label(p),
                                           where);
        if (!std::exchange(other.alternative_of, p))
          out_.plans[p].alternatives.push_back(*found);
      }
    }
    return {};
  }

  result<std::uint32_t> find_plan(const name_index& ids, const name_index& names, std::uint32_t p,
                                  const std::string& text, std::string_view verb,
                                  const std::string& where) const {
    auto found = not_found;
    if (const auto it = ids.find(text); it != ids.end())
      found = it->second;
    else if (const auto named = names.find(text); named != names.end())
      found = named->second;
    else if (const auto at = find_position(text, "plan", plans_.size());
             at && !plans_[*at]->is_removed)
      found = *at;
    if (found == ambiguous || found == not_found || found == p)
      return refuse_plan_name(label(p), verb, text, found, plans_, where);
    return found;
  }

  result<void> resolve_tasks(std::uint32_t p) {
    auto& plan = out_.plans[p];
    const auto& specs = plans_[p]->tasks;
    plan.dependency_offsets.reserve(specs.size() + 1);
    plan.dependency_offsets.push_back(0);
    auto outside = plans_[p]->outside.begin();
    for (std::uint32_t t = 0; t < specs.size(); ++t) {
      for (std::size_t i = 0; i < specs[t].dependencies.size() && !specs[t].is_removed; ++i) {
        const auto found = find_noted(p, t, i, outside);
        const auto own = tasks_.offset(p) + t;
        if (found == not_found || found == ambiguous || found == own)
          return refuse_task_dependency(specs, {p, t}, i, found);
        const auto where = tasks_.at(found);
        plan.dependency_positions.push_back(where);
        if (std::exchange(awaited_by_[found], own) == own)
          continue; // the same again
        if (where.plan == p) {
          plan.edges.push_back({where.task, t});
        } else {
          plan.externals.resize(specs.size());
          ++plan.externals[t];
          out_.plans[where.plan].outgoing.push_back({where.task, {p, t}});
        }
      }
      plan.dependency_offsets.push_back(
          static_cast<std::uint32_t>(plan.dependency_positions.size()));
    }
    return {};
  }

  /// Finds the task as it was noted when the plan was accepted, or else by its written name.
  /// `outside` says how far the noted dependencies on other plans have been read.
  std::uint32_t find_noted(std::uint32_t p, std::uint32_t t, std::size_t i,
                           chunked<outside_dependency>::const_iterator& outside) {
    const auto& spec = plans_[p]->tasks[t];
    const bool is_noted = spec.dependency_indexes.size() == spec.dependencies.size();
    if (!is_noted)
      return tasks_.find(p, spec.dependencies[i]);
    if (const auto index = spec.dependency_indexes[i]; index != elsewhere)
      return index < plans_[p]->tasks.size() ? tasks_.offset(p) + index : not_found;
    const auto end = plans_[p]->outside.end();
    while (outside != end && outside->task < t)
      ++outside;
    if (outside == end || outside->task != t)
      return tasks_.find(p, spec.dependencies[i]); // recorded before they were noted
    const auto on_plan = outside->on_plan;
    const auto on_task = outside->on_task;
    ++outside;
    const bool exists = on_plan < plans_.size() && on_task < plans_[on_plan]->tasks.size();
    return exists ? tasks_.offset(on_plan) + on_task : not_found;
  }

  result<void> refuse_nested_alternatives() const {
    for (std::uint32_t p = 0; p < plans_.size(); ++p) {
      const auto& plan = out_.plans[p];
      if (plan.alternative_of && !plan.alternatives.empty())
        return refuse_nested_alternative(label(p), label(*plan.alternative_of),
                                         label(plan.alternatives.front()),
                                         list_pointer(p, "alternatives", 0));
    }
    return {};
  }

  // One graph over tasks and, per plan, three nodes: its start, its end and its outcome. A plan's
  // tasks come after its start and before its end, its outcome after its end and those of its
  // alternatives; who depends on it comes after its outcome. Kahn's algorithm; what is left over
  // contains a cycle.
  result<void> refuse_cycles() const {
    std::vector<graph_edge> edges;
    for (std::uint32_t p = 0; p < plans_.size(); ++p) {
      const auto& plan = out_.plans[p];
      const auto base = tasks_.offset(p);
      for (std::uint32_t t = 0; t < plans_[p]->tasks.size(); ++t) {
        edges.push_back({start_of(p), base + t});
        edges.push_back({base + t, end_of(p)});
      }
      for (const auto& edge : plan.edges)
        edges.push_back({base + edge.from, base + edge.to});
      for (const auto& edge : plan.outgoing)
        edges.push_back(
            {base + edge.task, tasks_.offset(edge.dependent.plan) + edge.dependent.task});
      edges.push_back({start_of(p), end_of(p)});
      edges.push_back({end_of(p), outcome_of(p)});
      for (const auto other : plan.dependencies)
        edges.push_back({outcome_of(other), start_of(p)});
      auto before = p;
      for (const auto other : plan.alternatives) {
        edges.push_back({end_of(before), start_of(other)}); // they are tried in turn
        edges.push_back({end_of(other), outcome_of(p)});
        before = other;
      }
    }
    plan_graph graph{node_count(), edges};
    auto order = graph.start();
    for (std::size_t i = 0; i < order.size(); ++i)
      graph.complete(order[i], order);
    if (order.size() == node_count())
      return {};
    return cycle_error(edges, order);
  }

  error cycle_error(const std::vector<graph_edge>& edges,
                    const std::vector<std::uint32_t>& sorted) const {
    std::vector<bool> done(node_count());
    for (const auto node : sorted)
      done[node] = true;
    // Every node left has a predecessor that is left: walking backwards must come round.
    std::vector<std::uint32_t> before(node_count(), not_found);
    for (const auto& edge : edges)
      if (!done[edge.from] && !done[edge.to])
        before[edge.to] = edge.from;
    std::uint32_t at = 0;
    while (done[at] || before[at] == not_found)
      ++at;
    std::vector<std::uint32_t> seen(node_count(), not_found);
    std::vector<std::uint32_t> walk;
    for (; seen[at] == not_found; at = before[at]) {
      seen[at] = static_cast<std::uint32_t>(walk.size());
      walk.push_back(at);
    }
    const std::vector<std::uint32_t> cycle(
        walk.rbegin(), walk.rend() - seen[at]); // in the direction "a -> b": b waits for a
    return make_error(errc::dependency_cycle,
                      "the dependencies form a cycle: " + path_of(cycle)
                          + " (each must complete before the next)",
                      pointer_into(cycle));
  }

  std::string path_of(const std::vector<std::uint32_t>& cycle) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      auto name = node_name(cycle[i], cycle[i > 0 ? i - 1 : cycle.size() - 1]);
      if (names.empty() || names.back() != name)
        names.push_back(std::move(name));
    }
    if (names.size() > 1 && names.front() == names.back())
      names.pop_back();
    const auto count = names.size();
    std::string path;
    for (std::size_t i = 0; i < std::min(count, cycle_names_max); ++i)
      path += names[i] + " -> ";
    if (count > cycle_names_max)
      path += "... (" + std::to_string(count - cycle_names_max) + " more) -> ";
    return path + names.front();
  }

  // Where to mend it: at a task that depends on another, else at a plan that does. Turns of
  // alternatives alone make no cycle.
  std::string pointer_into(const std::vector<std::uint32_t>& cycle) const {
    std::string pointer;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const auto from = cycle[i];
      const auto to = cycle[(i + 1) % cycle.size()];
      if (is_task(from) && is_task(to)) {
        const auto where = tasks_.at(to);
        return task_pointer(where.plan, where.task) + "/dependencies";
      }
      if (!is_task(from) && from == outcome_of(plan_of(from)))
        pointer = plan_pointer(plan_of(to)) + "/dependencies";
    }
    return pointer;
  }

  std::string node_name(std::uint32_t node, std::uint32_t before) const {
    if (is_task(node))
      return tasks_.name_of(node);
    const auto plan = plan_of(node);
    const bool other_stands_in = node == outcome_of(plan) && before != end_of(plan);
    return plan_name(plan)
           + (other_stands_in ? " (" + plan_name(plan_of(before)) + " is its alternative)" : "");
  }

  std::string label(std::uint32_t plan) const { return label_of(*plans_[plan], plan); }
  std::string plan_name(std::uint32_t plan) const { return "plan " + label(plan); }

  [[nodiscard]] std::uint32_t node_count() const {
    return start_of(static_cast<std::uint32_t>(plans_.size()));
  }
  [[nodiscard]] std::uint32_t start_of(std::uint32_t plan) const {
    return tasks_.total() + 3 * plan;
  }
  [[nodiscard]] std::uint32_t end_of(std::uint32_t plan) const { return start_of(plan) + 1; }
  [[nodiscard]] std::uint32_t outcome_of(std::uint32_t plan) const { return start_of(plan) + 2; }
  [[nodiscard]] bool is_task(std::uint32_t node) const { return node < tasks_.total(); }
  [[nodiscard]] std::uint32_t plan_of(std::uint32_t node) const {
    return (node - tasks_.total()) / 3;
  }

  const std::vector<plan_spec_ptr>& plans_;
  task_finder tasks_;
  std::vector<std::uint32_t> awaited_by_; // by task: the last one found to depend on it
  resolved_objective out_;
};

} // namespace

std::span<const outgoing_edge> resolved_plan::awaited(std::uint32_t task) const noexcept {
  const auto range = std::ranges::equal_range(outgoing, task, {}, &outgoing_edge::task);
  return {range.begin(), range.end()};
}

template<class Visit>
void resolved_plan::for_each_dependency(const task_position& at, const task_spec& spec,
                                        Visit visit) const {
  const bool is_noted = spec.dependency_indexes.size() == spec.dependencies.size();
  auto row = at.task < size() ? dependency_offsets[at.task] : 0;
  const auto end = at.task < size() ? dependency_offsets[at.task + 1] : 0;
  for (std::size_t i = 0; i < spec.dependencies.size(); ++i) {
    task_position on{at.plan, is_noted ? spec.dependency_indexes[i] : elsewhere};
    if (on.task == elsewhere) {
      while (is_noted && row < end && dependency_positions[row].plan == at.plan)
        ++row;
      if (row >= end)
        continue;
      on = dependency_positions[row++];
    }
    visit(on, i);
  }
}

std::vector<task_dependency> resolved_plan::dependencies_of(const task_position& at,
                                                            const task_spec& spec) const {
  std::vector<task_dependency> out;
  std::map<task_position, std::size_t> known;
  for_each_dependency(at, spec, [&](const task_position& on, std::size_t i) {
    const auto [it, fresh] = known.try_emplace(on, out.size());
    if (fresh)
      out.push_back({on, {}});
    out[it->second].written.push_back(spec.dependencies[i]);
  });
  return out;
}

plan_graph resolved_plan::graph(std::uint32_t plan, const plan_spec& spec) const {
  const auto count = static_cast<std::uint32_t>(spec.tasks.size());
  std::vector<graph_edge> inner;
  std::vector<std::uint32_t> outer;
  std::vector<task_position> others;
  for (std::uint32_t task = 0; task < count; ++task) {
    if (spec.tasks[task].is_removed)
      continue;
    others.clear();
    for_each_dependency({plan, task}, spec.tasks[task], [&](const task_position& on, std::size_t) {
      if (on.plan == plan)
        inner.push_back({on.task, task});
      else
        others.push_back(on);
    });
    if (others.empty())
      continue;
    std::sort(others.begin(), others.end());
    outer.resize(count);
    outer[task] =
        static_cast<std::uint32_t>(std::unique(others.begin(), others.end()) - others.begin());
  }
  plan_graph out{count, inner, outer};
  std::vector<std::uint32_t> none;
  for (std::uint32_t task = 0; task < count; ++task)
    if (spec.tasks[task].is_removed)
      out.remove_task(task, {}, none);
  return out;
}

result<resolved_objective> resolve_dependencies(const std::vector<plan_spec_ptr>& plans) {
  return resolver{plans}.run(false);
}

result<resolved_objective> resolve_accepted(const std::vector<plan_spec_ptr>& plans) {
  return resolver{plans}.run(true);
}

} // namespace troupe
