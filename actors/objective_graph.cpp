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
std::optional<std::uint32_t> position(std::string_view text, std::string_view prefix, std::size_t size) {
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
  result<void> index_ids() {
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      for (std::uint32_t t = 0; t < plans_[p]->tasks.size(); ++t) {
        const auto& spec = plans_[p]->tasks[t];
        for (const auto& id : {std::string_view{spec.key}, std::string_view{spec.id.str()}}) {
          if (id.empty())
            continue;
          const auto number = offsets_[p] + t;
          const auto [it, fresh] = ids_.try_emplace(id, number);
          if (!fresh && it->second != number)
            return make_error(errc::duplicate_id, "the task id \"" + std::string{id} + "\" stands twice", task_pointer(p, t) + "/id");
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
        if (const auto slot = position(text.substr(slash + 1), "task", plans_[*other]->tasks.size()))
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
    if (auto ok = tasks_.index_ids(); !ok)
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
      for (const auto& id : {std::string_view{plans_[p]->key}, std::string_view{plans_[p]->id.str()}}) {
        if (id.empty())
          continue;
        const auto [it, fresh] = ids.try_emplace(id, p);
        if (!fresh && it->second != p)
          return make_error(errc::duplicate_id, "the plan id \"" + std::string{id} + "\" stands twice", plan_pointer(p) + "/id");
      }
      add_name(names, plans_[p]->name, p);
    }
    for (std::uint32_t p = 0; p < plans_.size(); ++p) {
      for (std::size_t i = 0; i < plans_[p]->dependencies.size(); ++i) {
        auto found = find_plan(ids, names, p, plans_[p]->dependencies[i], "depends on", list_pointer(p, "dependencies", i));
        if (!found)
          return found.error();
        out_.plans[p].dependencies.push_back(*found);
      }
      remove_duplicates(out_.plans[p].dependencies);
      for (std::size_t i = 0; i < plans_[p]->alternatives.size(); ++i) {
        const auto where = list_pointer(p, "alternatives", i);
        auto found = find_plan(ids, names, p, plans_[p]->alternatives[i], "names as its alternative", where);
        if (!found)
          return found.error();
        auto& other = out_.plans[*found];
        if (other.alternative_of && *other.alternative_of != p)
          return make_error(errc::invalid_params,
                            "plan \"" + label_of(*plans_[*found], *found) + "\" is named as an alternative by two plans: \""
                                + label_of(*plans_[*other.alternative_of], *other.alternative_of) + "\" and \""
                                + label_of(*plans_[p], p) + "\"",
                            where);
        if (!std::exchange(other.alternative_of, p))
          out_.plans[p].alternatives.push_back(*found);
      }
    }
    return {};
  }

  result<std::uint32_t> find_plan(const name_index& ids, const name_index& names, std::uint32_t p, const std::string& text,
                                  std::string_view verb, const std::string& where) const {
    auto found = nobody;
    if (const auto it = ids.find(text); it != ids.end())
      found = it->second;
    else if (const auto named = names.find(text); named != names.end())
      found = named->second;
    else if (const auto slot = position(text, "plan", plans_.size()))
      found = *slot;
    const auto who = "plan \"" + label_of(*plans_[p], p) + "\" " + std::string{verb} + " ";
    if (found == ambiguous)
      return make_error(errc::invalid_params, who + "\"" + text + "\", which several plans are named; use an id", where);
    if (found == nobody)
      return make_error(errc::unknown_dependency,
                        who + "\"" + text + "\", which is no plan of this objective" + meant(text, plans_), where);
    if (found == p)
      return make_error(errc::dependency_cycle, who + "itself", where);
    return found;
  }

  result<void> resolve_tasks(std::uint32_t p) {
    auto& plan = out_.plans[p];
    const auto& specs = plans_[p]->tasks;
    plan.dependency_offsets.reserve(specs.size() + 1);
    plan.dependency_offsets.push_back(0);
    for (std::uint32_t t = 0; t < specs.size(); ++t) {
      for (std::size_t i = 0; i < specs[t].dependencies.size(); ++i) {
        const auto found = tasks_.find(p, specs[t].dependencies[i]);
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
      plan.dependency_offsets.push_back(static_cast<std::uint32_t>(plan.dependency_positions.size()));
    }
    return {};
  }

  error refuse(task_position task, std::size_t dependency, std::uint32_t found) const {
    const auto& specs = plans_[task.plan]->tasks;
    const auto& text = specs[task.task].dependencies[dependency];
    const auto who = "task \"" + label_of(specs[task.task], task.task) + "\" depends on ";
    auto where = task_pointer(task.plan, task.task) + "/dependencies/" + std::to_string(dependency);
    if (found == ambiguous)
      return make_error(errc::invalid_params, who + "\"" + text + "\", which several tasks are named; use an id", std::move(where));
    if (found == nobody)
      return make_error(errc::unknown_dependency,
                        who + "\"" + text + "\", which is no task of this objective" + meant(text, specs), std::move(where));
    return make_error(errc::dependency_cycle, who + "itself", std::move(where));
  }

  // Who is tried after whom is one list, that of the plan they all stand in for.
  result<void> refuse_nested_alternatives() const {
    for (std::uint32_t p = 0; p < plans_.size(); ++p) {
      const auto& plan = out_.plans[p];
      if (!plan.alternative_of || plan.alternatives.empty())
        continue;
      const auto quoted = [&](std::uint32_t which) { return "\"" + label_of(*plans_[which], which) + "\""; };
      const auto primary = quoted(*plan.alternative_of);
      return make_error(errc::invalid_params,
                        "plan " + quoted(p) + " is an alternative of plan " + primary + " and can have none of its own; list "
                            + quoted(plan.alternatives.front()) + " among the alternatives of " + primary,
                        list_pointer(p, "alternatives", 0));
    }
    return {};
  }

  // One graph over tasks and, per plan, three nodes: its start, its end and its outcome. A plan's tasks come after its start and before its end,
  // its outcome after its end and those of its alternatives; who depends on it comes after its outcome.
  // Kahn's algorithm; what is left over contains a cycle.
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
        edges.push_back({base + edge.task, tasks_.offset(edge.dependent.plan) + edge.dependent.task});
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

  error cycle_error(const std::vector<graph_edge>& edges, const std::vector<std::uint32_t>& sorted) const {
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
    const std::vector<std::uint32_t> cycle(walk.rbegin(), walk.rend() - seen[at]); // in the direction "a -> b": b waits for a
    return make_error(errc::dependency_cycle, "the dependencies form a cycle: " + path_of(cycle), pointer_into(cycle));
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

  // Where to mend it: at a task that depends on another, else at a plan that does. Turns of alternatives alone make no cycle.
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
    return plan_name(plan) + (other_stands_in ? " (for which " + plan_name(plan_of(before)) + " stands in)" : "");
  }

  std::string plan_name(std::uint32_t plan) const { return "plan " + label_of(*plans_[plan], plan); }

  [[nodiscard]] std::uint32_t node_count() const { return start_of(static_cast<std::uint32_t>(plans_.size())); }
  [[nodiscard]] std::uint32_t start_of(std::uint32_t plan) const { return tasks_.total() + 3 * plan; }
  [[nodiscard]] std::uint32_t end_of(std::uint32_t plan) const { return start_of(plan) + 1; }
  [[nodiscard]] std::uint32_t outcome_of(std::uint32_t plan) const { return start_of(plan) + 2; }
  [[nodiscard]] bool is_task(std::uint32_t node) const { return node < tasks_.total(); }
  [[nodiscard]] std::uint32_t plan_of(std::uint32_t node) const { return (node - tasks_.total()) / 3; }

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
  return !spec.key.empty() ? spec.key : !spec.name.empty() ? spec.name : "task-" + std::to_string(position);
}

std::string label_of(const plan_spec& spec, std::size_t position) {
  return !spec.key.empty() ? spec.key : !spec.name.empty() ? spec.name : "plan-" + std::to_string(position);
}

std::span<const outward_edge> resolved_plan::awaited(std::uint32_t task) const noexcept {
  const auto range = std::ranges::equal_range(outward, task, {}, &outward_edge::task);
  return {range.begin(), range.end()};
}

std::vector<task_dependency> resolved_plan::dependencies_of(std::uint32_t task, const task_spec& spec) const {
  std::vector<task_dependency> out;
  std::map<task_position, std::size_t> known;
  const auto first = dependency_offsets[task];
  for (auto i = first; i < dependency_offsets[task + 1]; ++i) {
    const auto [it, fresh] = known.try_emplace(dependency_positions[i], out.size());
    if (fresh)
      out.push_back({dependency_positions[i], {}});
    out[it->second].written.push_back(spec.dependencies[i - first]);
  }
  return out;
}

result<resolved_objective> resolve_dependencies(const std::vector<plan_spec_ptr>& plans) {
  return resolver{plans}.run(false);
}

result<resolved_objective> resolve_accepted(const std::vector<plan_spec_ptr>& plans) {
  return resolver{plans}.run(true);
}

namespace {

enum class prospect : std::uint8_t { met, open, lost };

// How it stands with the wish that `plan` completes, its alternatives included.
prospect prospect_of(const std::vector<resolved_plan>& plans, const std::vector<plan_state>& states, std::uint32_t plan) {
  if (states[plan] == plan_state::completed)
    return prospect::met;
  bool open = !is_settled(states[plan]);
  for (const auto other : plans[plan].alternatives) {
    if (states[other] == plan_state::completed)
      return prospect::met;
    // After a skip of the plan itself nobody starts its alternatives.
    open = open || (!is_settled(states[other]) && states[plan] != plan_state::skipped);
  }
  return open ? prospect::open : prospect::lost;
}

// Whether an alternative's turn has come: met = start it, open = wait, lost = not needed any more.
prospect turn_of(const std::vector<resolved_plan>& plans, const std::vector<plan_state>& states, std::uint32_t plan) {
  const auto primary = *plans[plan].alternative_of;
  if (states[primary] == plan_state::completed || states[primary] == plan_state::skipped)
    return prospect::lost;
  if (states[primary] != plan_state::failed)
    return prospect::open;
  for (const auto other : plans[primary].alternatives) {
    if (other == plan)
      return prospect::met;
    if (states[other] == plan_state::completed)
      return prospect::lost;
    if (!is_settled(states[other]))
      return prospect::open;
  }
  return prospect::open;
}

} // namespace

bool is_met(const std::vector<resolved_plan>& plans, const std::vector<plan_state>& states, std::uint32_t plan) {
  return prospect_of(plans, states, plan) == prospect::met;
}

objective_decision decide(const std::vector<resolved_plan>& plans, const std::vector<plan_state>& now, const std::vector<bool>& held) {
  objective_decision out;
  auto states = now;
  // A skip may decide the fate of further plans, so go round until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t p = 0; p < plans.size(); ++p) {
      if (states[p] != plan_state::pending || (!held.empty() && held[p]))
        continue;
      const auto turn = plans[p].alternative_of ? turn_of(plans, states, p) : prospect::met;
      std::string reason = turn == prospect::lost ? "not needed" : "";
      bool ready = turn == prospect::met;
      for (const auto other : plans[p].dependencies) {
        const auto hope = prospect_of(plans, states, other);
        ready = ready && hope == prospect::met;
        if (hope == prospect::lost && reason.empty())
          reason = "a plan it depends on did not complete";
      }
      if (!reason.empty()) {
        states[p] = plan_state::skipped;
        out.skipped.push_back({p, std::move(reason)});
        changed = true;
      } else if (ready) {
        states[p] = plan_state::working;
        out.start.push_back(p);
      }
    }
  }
  const auto active = [](plan_state state) { return state == plan_state::working || state == plan_state::blocked; };
  if (plans.empty() || std::any_of(states.begin(), states.end(), active)
      || std::find(states.begin(), states.end(), plan_state::pending) != states.end())
    return out;
  bool good = true;
  for (std::uint32_t p = 0; p < plans.size(); ++p)
    // An alternative's failure is its primary's: judged there.
    if (!plans[p].alternative_of)
      good = good && prospect_of(plans, states, p) == prospect::met;
  out.outcome = good ? objective_state::completed : objective_state::failed;
  return out;
}

} // namespace troupe
