#include "actors/objective_graph.hpp"

#include "protocol/near_name.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace troupe {

namespace {

constexpr std::uint32_t nobody = UINT32_MAX;
constexpr std::uint32_t ambiguous = UINT32_MAX - 1;
constexpr std::size_t cycle_names_max = 20;
constexpr std::size_t compared_names_max = 10'000; // for hints

using name_index = std::unordered_map<std::string_view, std::uint32_t>;

// "<prefix>-<number>": the number, if it is below `size`.
std::optional<std::uint32_t> position(std::string_view text, std::string_view prefix,
                                      std::size_t size) {
  if (text.size() <= prefix.size() + 1 || !text.starts_with(prefix) || text[prefix.size()] != '-')
    return std::nullopt;
  text.remove_prefix(prefix.size() + 1);
  std::uint32_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || end != text.data() + text.size() || value >= size)
    return std::nullopt;
  return value;
}

void add_name(name_index& names, std::string_view name, std::uint32_t index) {
  if (name.empty())
    return;
  const auto [it, fresh] = names.try_emplace(name, index);
  if (!fresh && it->second != index)
    it->second = ambiguous;
}

std::string plan_pointer(std::size_t plan) {
  return "/plans/" + std::to_string(plan);
}

std::string list_pointer(std::size_t plan, std::string_view list, std::size_t index) {
  return plan_pointer(plan).append("/").append(list).append("/").append(std::to_string(index));
}

void remove_duplicates(std::vector<std::uint32_t>& plans) {
  std::sort(plans.begin(), plans.end());
  plans.erase(std::unique(plans.begin(), plans.end()), plans.end());
}

std::string_view name_of(const task_spec& spec) {
  return spec.key.empty() ? spec.name : spec.key;
}

std::string_view name_of(const plan_spec_ptr& spec) {
  return spec->key.empty() ? spec->name : spec->key;
}

// A hint at the name that `text` was probably meant to be.
template<class Specs>
std::string meant(std::string_view text, const Specs& specs) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::min(specs.size(), compared_names_max); ++i)
    names.push_back(name_of(specs[i]));
  return did_you_mean(text, names);
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
            return make_error(errc::duplicate_id,
                              "the task id \"" + std::string{id} + "\" stands twice",
                              task_pointer(p, t) + "/id");
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
    if (const auto slot = position(text, "task", plans_[plan]->tasks.size()))
      return offsets_[plan] + *slot;
    if (const auto slash = text.find('/'); slash != std::string_view::npos)
      if (const auto other = position(text.substr(0, slash), "plan", plans_.size()))
        if (const auto slot =
                position(text.substr(slash + 1), "task", plans_[*other]->tasks.size()))
          return offsets_[*other] + *slot;
    return nobody;
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
    awaited_by_.assign(tasks_.total(), nobody);
    if (auto ok = resolve_plans(); !ok)
      return ok.error();
    if (auto ok = tasks_.index_ids(accepted); !ok)
      return ok.error();
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      if (auto ok = resolve_tasks(p); !ok)
        return ok.error();
    for (auto& plan : out_.plans)
      std::sort(plan.outward.begin(), plan.outward.end(),
                [](const outward_edge& a, const outward_edge& b) { return a.task < b.task; });
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
      for (const auto& id :
           {std::string_view{plans_[p]->key}, std::string_view{plans_[p]->id.str()}}) {
        if (id.empty())
          continue;
        const auto [it, fresh] = ids.try_emplace(id, p);
        if (!fresh && it->second != p)
          return make_error(errc::duplicate_id,
                            "the plan id \"" + std::string{id} + "\" stands twice",
                            plan_pointer(p) + "/id");
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
        auto found =
            find_plan(ids, names, p, plans_[p]->alternatives[i], "names as its alternative", where);
        if (!found)
          return found.error();
        auto& other = out_.plans[*found];
        if (other.alternative_of && *other.alternative_of != p)
          return make_error(errc::invalid_params,
                            "plan \"" + label_of(*plans_[*found], *found)
                                + "\" is named as an alternative by two plans: \""
                                + label_of(*plans_[*other.alternative_of], *other.alternative_of)
                                + "\" and \"" + label_of(*plans_[p], p) + "\"",
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
    auto found = nobody;
    if (const auto it = ids.find(text); it != ids.end())
      found = it->second;
    else if (const auto named = names.find(text); named != names.end())
      found = named->second;
    else if (const auto slot = position(text, "plan", plans_.size()))
      found = *slot;
    const auto who = "plan \"" + label_of(*plans_[p], p) + "\" " + std::string{verb} + " ";
    if (found == ambiguous)
      return make_error(errc::invalid_params,
                        who + "\"" + text + "\", which several plans are named; use an id", where);
    if (found == nobody)
      return make_error(errc::unknown_dependency,
                        who + "\"" + text + "\", which is no plan of this objective"
                            + meant(text, plans_),
                        where);
    if (found == p)
      return make_error(errc::dependency_cycle, who + "itself", where);
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
        if (found == nobody || found == ambiguous || found == own)
          return refuse({p, t}, i, found);
        const auto where = tasks_.at(found);
        plan.dependency_positions.push_back(where);
        if (std::exchange(awaited_by_[found], own) == own)
          continue; // the same again
        if (where.plan == p) {
          plan.edges.push_back({where.task, t});
        } else {
          plan.externals.resize(specs.size());
          ++plan.externals[t];
          out_.plans[where.plan].outward.push_back({where.task, {p, t}});
        }
      }
      plan.dependency_offsets.push_back(
          static_cast<std::uint32_t>(plan.dependency_positions.size()));
    }
    return {};
  }

  /// As it was noted when the plan was accepted, else by what is written. `outside` is how far the
  /// noted dependencies on other plans have been read.
  std::uint32_t find_noted(std::uint32_t p, std::uint32_t t, std::size_t i,
                           chunked<outside_dependency>::const_iterator& outside) {
    const auto& spec = plans_[p]->tasks[t];
    const bool is_noted = spec.dependency_indexes.size() == spec.dependencies.size();
    if (!is_noted)
      return tasks_.find(p, spec.dependencies[i]);
    if (const auto index = spec.dependency_indexes[i]; index != elsewhere)
      return index < plans_[p]->tasks.size() ? tasks_.offset(p) + index : nobody;
    const auto end = plans_[p]->outside.end();
    while (outside != end && outside->task < t)
      ++outside;
    if (outside == end || outside->task != t)
      return tasks_.find(p, spec.dependencies[i]); // recorded before they were noted
    const auto [task, on_plan, on_task] = *outside++;
    const bool exists = on_plan < plans_.size() && on_task < plans_[on_plan]->tasks.size();
    return exists ? tasks_.offset(on_plan) + on_task : nobody;
  }

  error refuse(task_position task, std::size_t dependency, std::uint32_t found) const {
    const auto& specs = plans_[task.plan]->tasks;
    const auto& text = specs[task.task].dependencies[dependency];
    const auto who = "task \"" + label_of(specs[task.task], task.task) + "\" depends on ";
    auto where = task_pointer(task.plan, task.task) + "/dependencies/" + std::to_string(dependency);
    if (found == ambiguous)
      return make_error(errc::invalid_params,
                        who + "\"" + text + "\", which several tasks are named; use an id",
                        std::move(where));
    if (found == nobody)
      return make_error(errc::unknown_dependency,
                        who + "\"" + text + "\", which is no task of this objective"
                            + meant(text, specs),
                        std::move(where));
    return make_error(errc::dependency_cycle, who + "itself", std::move(where));
  }

  // Who is tried after whom is one list, that of the plan they all stand in for.
  result<void> refuse_nested_alternatives() const {
    for (std::uint32_t p = 0; p < plans_.size(); ++p) {
      const auto& plan = out_.plans[p];
      if (!plan.alternative_of || plan.alternatives.empty())
        continue;
      const auto quoted = [&](std::uint32_t which) {
        return "\"" + label_of(*plans_[which], which) + "\"";
      };
      const auto primary = quoted(*plan.alternative_of);
      return make_error(errc::invalid_params,
                        "plan " + quoted(p) + " is an alternative of plan " + primary
                            + " and can have none of its own; list "
                            + quoted(plan.alternatives.front()) + " among the alternatives of "
                            + primary,
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
      for (const auto& edge : plan.outward)
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
    std::vector<std::uint32_t> before(node_count(), nobody);
    for (const auto& edge : edges)
      if (!done[edge.from] && !done[edge.to])
        before[edge.to] = edge.from;
    std::uint32_t at = 0;
    while (done[at] || before[at] == nobody)
      ++at;
    std::vector<std::uint32_t> seen(node_count(), nobody);
    std::vector<std::uint32_t> walk;
    for (; seen[at] == nobody; at = before[at]) {
      seen[at] = static_cast<std::uint32_t>(walk.size());
      walk.push_back(at);
    }
    const std::vector<std::uint32_t> cycle(
        walk.rbegin(), walk.rend() - seen[at]); // in the direction "a -> b": b waits for a
    return make_error(errc::dependency_cycle, "the dependencies form a cycle: " + path_of(cycle),
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
           + (other_stands_in ? " (for which " + plan_name(plan_of(before)) + " stands in)" : "");
  }

  std::string plan_name(std::uint32_t plan) const {
    return "plan " + label_of(*plans_[plan], plan);
  }

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

std::string task_pointer(std::size_t plan, std::size_t task) {
  return "/plans/" + std::to_string(plan) + "/tasks/" + std::to_string(task);
}

std::string label_of(const task_spec& spec, std::size_t position) {
  return !spec.key.empty()    ? spec.key
         : !spec.name.empty() ? spec.name
                              : "task-" + std::to_string(position);
}

std::string label_of(const plan_spec& spec, std::size_t position) {
  return !spec.key.empty()    ? spec.key
         : !spec.name.empty() ? spec.name
                              : "plan-" + std::to_string(position);
}

std::span<const outward_edge> resolved_plan::awaited(std::uint32_t task) const noexcept {
  const auto range = std::ranges::equal_range(outward, task, {}, &outward_edge::task);
  return {range.begin(), range.end()};
}

std::vector<task_dependency> resolved_plan::dependencies_of(const task_position& at,
                                                            const task_spec& spec) const {
  std::vector<task_dependency> out;
  std::map<task_position, std::size_t> known;
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
    const auto [it, fresh] = known.try_emplace(on, out.size());
    if (fresh)
      out.push_back({on, {}});
    out[it->second].written.push_back(spec.dependencies[i]);
  }
  return out;
}

result<resolved_objective> resolve_dependencies(const std::vector<plan_spec_ptr>& plans) {
  return resolver{plans}.run(false);
}

result<resolved_objective> resolve_accepted(const std::vector<plan_spec_ptr>& plans) {
  return resolver{plans}.run(true);
}

// -- one plan after the other --------------------------------------------------------------------------------------------

namespace {

/// Where a name or position is used as a dependency; what is named so later would change what it
/// means.
struct name_use {
  std::uint32_t plan = 0;
  std::uint32_t task = 0;       ///< Of a task.
  std::uint32_t dependency = 0; ///< Its number in the list.
  bool by_own_name =
      false; ///< Found among the names of its own plan: only an id comes before these.
  bool as_alternative = false; ///< Of a plan.
};

using uses = std::unordered_map<std::string_view, name_use>;

} // namespace

struct dependency_resolver::index {
  std::vector<plan_spec_ptr> plans;
  std::vector<std::optional<std::uint32_t>> alternative_of;
  std::vector<std::vector<std::uint32_t>> alternatives;

  std::unordered_map<std::string_view, task_position> task_ids;
  struct named {
    task_position at;
    bool is_ambiguous = false;
  };
  std::unordered_map<std::string_view, named> task_names;
  uses task_uses;

  name_index plan_ids;
  name_index plan_names;
  uses plan_uses;

  mutable std::size_t looked_at = 0;

  // -- reading the index -----------------------------------------------------------------------------------------------

  /// Found by nothing but a name or a position.
  [[nodiscard]] std::optional<task_position>
  find_by_position(std::string_view text, std::uint32_t own, std::size_t own_size) const {
    if (const auto slot = position(text, "task", own_size))
      return task_position{own, *slot};
    const auto slash = text.find('/');
    if (slash == std::string_view::npos)
      return std::nullopt;
    const auto plan = position(text.substr(0, slash), "plan", own + 1);
    if (!plan)
      return std::nullopt;
    const auto size = *plan == own ? own_size : plans[*plan]->tasks.size();
    const auto slot = position(text.substr(slash + 1), "task", size);
    if (slot && *plan != own && plans[*plan]->tasks[*slot].is_removed)
      return std::nullopt;
    return slot ? std::optional{task_position{*plan, *slot}} : std::nullopt;
  }

  // -- adding to it ----------------------------------------------------------------------------------------------------

  void add_task_names(std::uint32_t p) {
    const auto& tasks = plans[p]->tasks;
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      ++looked_at;
      if (tasks[t].is_removed)
        continue;
      for (const auto id : {std::string_view{tasks[t].key}, std::string_view{tasks[t].id.str()}})
        if (!id.empty())
          task_ids.try_emplace(id, task_position{p, t});
      if (tasks[t].name.empty())
        continue;
      const auto [it, fresh] = task_names.try_emplace(tasks[t].name, named{{p, t}});
      it->second.is_ambiguous = it->second.is_ambiguous || !fresh;
    }
  }

  void add_plan_names(std::uint32_t p) {
    for (const auto id : {std::string_view{plans[p]->key}, std::string_view{plans[p]->id.str()}})
      if (!id.empty())
        plan_ids.try_emplace(id, p);
    add_name(plan_names, plans[p]->name, p);
  }

  void add_uses(std::uint32_t p) {
    const auto& plan = *plans[p];
    std::unordered_map<std::string_view, bool> own;
    for (std::uint32_t t = 0; t < plan.tasks.size(); ++t)
      for (std::uint32_t i = 0; i < plan.tasks[t].dependencies.size(); ++i) {
        const std::string_view text = plan.tasks[t].dependencies[i];
        if (task_ids.contains(text))
          continue;
        if (own.empty())
          for (const auto& task : plan.tasks)
            own.try_emplace(task.name, true);
        const bool by_own_name = own.contains(text);
        const auto [it, fresh] = task_uses.try_emplace(text, name_use{p, t, i, by_own_name});
        if (!fresh && it->second.by_own_name && !by_own_name)
          it->second = {p, t, i, false};
      }
    const auto add_plan_uses = [&](const std::vector<std::string>& texts, bool as_alternative) {
      for (std::uint32_t i = 0; i < texts.size(); ++i)
        if (!plan_ids.contains(texts[i]))
          plan_uses.try_emplace(texts[i], name_use{p, 0, i, false, as_alternative});
    };
    add_plan_uses(plan.dependencies, false);
    add_plan_uses(plan.alternatives, true);
  }
};

namespace {

/// One plan being resolved against the index of the others.
class addition {
public:
  using index = dependency_resolver::index;

  addition(const index& known, const plan_spec_ptr& plan)
      : known_(known), spec_(plan), plan_(static_cast<std::uint32_t>(known.plans.size())) {}

  result<resolved_addition> run() {
    for (const auto step : {&addition::check_plan_names, &addition::resolve_plans,
                            &addition::check_task_names, &addition::resolve_tasks,
                            &addition::refuse_nested_alternatives, &addition::refuse_cycles})
      if (auto ok = (this->*step)(); !ok)
        return ok.error();
    return std::move(out_);
  }

private:
  // -- plans ---------------------------------------------------------------------------------------------------------

  result<void> check_plan_names() {
    for (const auto id : {std::string_view{spec_->key}, std::string_view{spec_->id.str()}})
      if (!id.empty() && known_.plan_ids.contains(id))
        return make_error(errc::duplicate_id,
                          "the plan id \"" + std::string{id} + "\" stands twice",
                          plan_pointer(plan_) + "/id");
    for (const auto name : {std::string_view{spec_->key}, std::string_view{spec_->id.str()},
                            std::string_view{spec_->name}})
      if (const auto use = known_.plan_uses.find(name); use != known_.plan_uses.end())
        return refuse_plan(
            use->second.plan, std::string{name},
            use->second.as_alternative ? "names as its alternative" : "depends on",
            list_pointer(use->second.plan,
                         use->second.as_alternative ? "alternatives" : "dependencies",
                         use->second.dependency),
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
    remove_duplicates(plan.dependencies);
    for (std::size_t i = 0; i < spec_->alternatives.size(); ++i) {
      const auto where = list_pointer(plan_, "alternatives", i);
      auto found = find_plan(spec_->alternatives[i], "names as its alternative", where);
      if (!found)
        return found.error();
      if (const auto other = known_.alternative_of[*found])
        return make_error(errc::invalid_params,
                          "plan \"" + label_of(*known_.plans[*found], *found)
                              + "\" is named as an alternative by two plans: \""
                              + label_of(*known_.plans[*other], *other) + "\" and \""
                              + label_of(*spec_, plan_) + "\"",
                          where);
      if (std::find(plan.alternatives.begin(), plan.alternatives.end(), *found)
          == plan.alternatives.end())
        plan.alternatives.push_back(*found);
    }
    return {};
  }

  result<std::uint32_t> find_plan(const std::string& text, std::string_view verb,
                                  const std::string& where) const {
    const bool is_own_id = !text.empty() && (text == spec_->key || text == spec_->id.str());
    auto found = nobody;
    if (is_own_id) {
      found = plan_;
    } else if (const auto it = known_.plan_ids.find(text); it != known_.plan_ids.end()) {
      found = it->second;
    } else if (const auto named = known_.plan_names.find(text); named != known_.plan_names.end()) {
      found = text == spec_->name ? ambiguous : named->second;
    } else if (!text.empty() && text == spec_->name) {
      found = plan_;
    } else if (const auto slot = position(text, "plan", plan_ + 1)) {
      found = *slot;
    }
    if (found < plan_)
      return found;
    return refuse_plan(plan_, text, verb, where, found).error();
  }

  result<void> refuse_plan(std::uint32_t user, const std::string& text, std::string_view verb,
                           std::string where, std::uint32_t found) const {
    const auto who = "plan \"" + label_of(user == plan_ ? *spec_ : *known_.plans[user], user)
                     + "\" " + std::string{verb} + " ";
    if (found == ambiguous)
      return make_error(errc::invalid_params,
                        who + "\"" + text + "\", which several plans are named; use an id",
                        std::move(where));
    if (found == nobody)
      return make_error(errc::unknown_dependency,
                        who + "\"" + text + "\", which is no plan of this objective"
                            + meant(text, known_.plans),
                        std::move(where));
    return make_error(errc::dependency_cycle, who + "itself", std::move(where));
  }

  // -- tasks ---------------------------------------------------------------------------------------------------------

  result<void> check_task_names() {
    const auto& tasks = spec_->tasks;
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      ++known_.looked_at;
      for (const auto id : {std::string_view{tasks[t].key}, std::string_view{tasks[t].id.str()}}) {
        if (id.empty())
          continue;
        const auto [it, fresh] = own_ids_.try_emplace(id, t);
        if ((!fresh && it->second != t) || known_.task_ids.contains(id))
          return make_error(errc::duplicate_id,
                            "the task id \"" + std::string{id} + "\" stands twice",
                            task_pointer(plan_, t) + "/id");
        if (const auto use = known_.task_uses.find(id); use != known_.task_uses.end())
          return refuse_use(use->second);
      }
      add_name(own_names_, tasks[t].name, t);
      if (const auto use = known_.task_uses.find(tasks[t].name);
          use != known_.task_uses.end() && !use->second.by_own_name)
        return refuse_use(use->second);
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
          return refuse_task({plan_, t}, i, is_ambiguous ? ambiguous : found ? t : nobody);
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
    if (const auto other = known_.task_ids.find(text); other != known_.task_ids.end())
      return other->second;
    if (const auto own = own_names_.find(text); own != own_names_.end()) {
      is_ambiguous = own->second == ambiguous;
      return task_position{plan_, own->second};
    }
    if (const auto other = known_.task_names.find(text); other != known_.task_names.end()) {
      is_ambiguous = other->second.is_ambiguous;
      return other->second.at;
    }
    return known_.find_by_position(text, plan_, spec_->tasks.size());
  }

  result<void> refuse_use(const name_use& use) const {
    return refuse_task({use.plan, use.task}, use.dependency, ambiguous);
  }

  result<void> refuse_task(task_position task, std::size_t dependency, std::uint32_t found) const {
    const auto& specs = (task.plan == plan_ ? spec_ : known_.plans[task.plan])->tasks;
    const auto& text = specs[task.task].dependencies[dependency];
    const auto who = "task \"" + label_of(specs[task.task], task.task) + "\" depends on ";
    auto where = task_pointer(task.plan, task.task) + "/dependencies/" + std::to_string(dependency);
    if (found == ambiguous)
      return make_error(errc::invalid_params,
                        who + "\"" + text + "\", which several tasks are named; use an id",
                        std::move(where));
    if (found == nobody)
      return make_error(errc::unknown_dependency,
                        who + "\"" + text + "\", which is no task of this objective"
                            + meant(text, specs),
                        std::move(where));
    return make_error(errc::dependency_cycle, who + "itself", std::move(where));
  }

  // -- the whole -----------------------------------------------------------------------------------------------------

  result<void> refuse_nested_alternatives() {
    for (const auto p : out_.plan.alternatives) {
      if (known_.alternatives[p].empty())
        continue;
      const auto quoted = [&](std::uint32_t which) {
        return "\"" + label_of(which == plan_ ? *spec_ : *known_.plans[which], which) + "\"";
      };
      return make_error(errc::invalid_params,
                        "plan " + quoted(p) + " is an alternative of plan " + quoted(plan_)
                            + " and can have none of its own; list "
                            + quoted(known_.alternatives[p].front()) + " among the alternatives of "
                            + quoted(plan_),
                        list_pointer(p, "alternatives", 0));
    }
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
    auto all = known_.plans;
    all.push_back(spec_);
    for (const auto& plan : all)
      known_.looked_at += plan->tasks.size();
    if (auto resolved = resolve_dependencies(all); !resolved)
      return resolved.error();
    return {};
  }

  const index& known_;
  const plan_spec_ptr& spec_;
  const std::uint32_t plan_;
  name_index own_ids_;
  name_index own_names_;
  resolved_addition out_;
};

} // namespace

dependency_resolver::dependency_resolver(std::vector<plan_spec_ptr> plans,
                                         const std::vector<plan_relations>& relations)
    : index_(std::make_unique<index>()) {
  index_->plans = std::move(plans);
  index_->alternative_of.reserve(relations.size());
  for (const auto& each : relations) {
    index_->alternative_of.push_back(each.alternative_of);
    index_->alternatives.push_back(each.alternatives);
  }
  const auto count = static_cast<std::uint32_t>(index_->plans.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    index_->add_task_names(p);
    index_->add_plan_names(p);
  }
  for (std::uint32_t p = 0; p < count; ++p)
    index_->add_uses(p);
}

dependency_resolver::~dependency_resolver() = default;

result<resolved_addition> dependency_resolver::resolve(const plan_spec_ptr& plan) const {
  return addition{*index_, plan}.run();
}

void dependency_resolver::add(const plan_spec_ptr& plan, const plan_relations& relations) {
  const auto p = static_cast<std::uint32_t>(index_->plans.size());
  index_->plans.push_back(plan);
  for (const auto other : relations.alternatives)
    index_->alternative_of[other] = p;
  index_->alternative_of.push_back(relations.alternative_of);
  index_->alternatives.push_back(relations.alternatives);
  index_->add_task_names(p);
  index_->add_plan_names(p);
  index_->add_uses(p);
}

const std::vector<plan_spec_ptr>& dependency_resolver::plans() const noexcept {
  return index_->plans;
}

std::size_t dependency_resolver::tasks_looked_at() const noexcept {
  return index_->looked_at;
}

} // namespace troupe
