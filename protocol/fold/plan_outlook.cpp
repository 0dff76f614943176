#include "protocol/fold/plan_outlook.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

namespace troupe {

namespace {

/// A search costs about a tenth of an index.
constexpr std::size_t searches_max = 8;

/// N of `<prefix>N`, if it is below `size`.
std::optional<std::uint32_t> position(std::string_view text, std::string_view prefix,
                                      std::size_t size) {
  if (!text.starts_with(prefix))
    return std::nullopt;
  text.remove_prefix(prefix.size());
  std::uint32_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto whole = ec == std::errc{} && end == text.data() + text.size();
  return whole && value < size ? std::optional{value} : std::nullopt;
}

template<class Index>
auto find_in(const Index& in, std::string_view name) {
  const auto found = in.find(name);
  return found == in.end() ? std::nullopt : std::optional{found->second};
}

template<class Index, class Position>
void add_to(Index& to, std::string_view name, Position at) {
  if (!name.empty())
    to.try_emplace(name, at);
}

bool is_blocked(const plan_view& plan) {
  return plan.state == plan_state::blocked;
}

bool is_open(const plan_view& plan, std::uint32_t task) {
  return task < plan.tasks.size() && plan.tasks[task].state != task_state::completed;
}

const std::vector<std::uint32_t>&
list_at(const std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>& lists,
        std::uint32_t plan) {
  static const std::vector<std::uint32_t> none;
  const auto found = lists.find(plan);
  return found == lists.end() ? none : found->second;
}

} // namespace

// -- ids ------------------------------------------------------------------------------------------

std::string id_lookup::plan(const std::string& name) {
  const auto at = plan_at(name);
  return at && !owner_.plans[*at].spec->id.empty() ? owner_.plans[*at].spec->id.str() : name;
}

std::optional<std::uint32_t> id_lookup::plan_at(const std::string& name) {
  if (const auto at = generated_plan_at(name))
    return at;
  std::optional<std::uint32_t> at;
  if (!indexed_plans_ && searches_ < searches_max) {
    ++searches_;
    indexed_ += owner_.plans.size();
    at = search_plan(name);
  } else {
    if (!indexed_plans_)
      index_plans();
    at = find_in(plan_ids_, name);
    if (!at)
      at = find_in(plan_names_, name);
  }
  if (!at)
    at = position(name, "plan-", owner_.plans.size());
  return at;
}

/// As the index finds it.
std::optional<std::uint32_t> id_lookup::search_plan(std::string_view name) const {
  std::optional<std::uint32_t> named;
  for (std::uint32_t p = 0; p < owner_.plans.size() && !name.empty(); ++p) {
    const auto& spec = *owner_.plans[p].spec;
    if (spec.key == name || spec.id.str() == name)
      return p;
    if (!named && spec.name == name)
      named = p;
  }
  return named;
}

/// Nobody may choose an id of this form for another plan.
std::optional<std::uint32_t> id_lookup::generated_plan_at(std::string_view id) const {
  const auto& own = owner_.id.str();
  if (own.empty() || !id.starts_with(own))
    return std::nullopt;
  const auto at = position(id.substr(own.size()), ".p", owner_.plans.size());
  return at && owner_.plans[*at].spec->id.str() == id ? at : std::nullopt;
}

std::string id_lookup::task(std::uint32_t plan, std::uint32_t task, std::size_t which) {
  const auto& name = owner_.plans[plan].spec->tasks[task].dependencies[which];
  if (const auto at = noted(plan, task, which))
    return id_at(*at, name);
  if (!indexed_tasks_)
    index_tasks();
  auto at = find_in(task_ids_, name);
  if (!at)
    at = find_in(names_in_plan_[plan], name);
  if (!at)
    at = find_in(task_names_, name);
  if (!at)
    at = by_position(plan, name);
  return at ? id_at(*at, name) : name;
}

/// As it was noted when the plan was accepted or changed.
std::optional<id_lookup::task_at> id_lookup::noted(std::uint32_t plan, std::uint32_t task,
                                                   std::size_t which) const {
  const auto& spec = *owner_.plans[plan].spec;
  const auto& indexes = spec.tasks[task].dependency_indexes;
  if (which >= indexes.size())
    return std::nullopt;
  if (indexes[which] != elsewhere)
    return indexes[which] < size_of(plan) ? std::optional{task_at{plan, indexes[which]}}
                                          : std::nullopt;
  const auto of_task = std::equal_range(
      spec.outside.begin(), spec.outside.end(), outside_dependency{.task = task},
      [](const outside_dependency& a, const outside_dependency& b) { return a.task < b.task; });
  if (of_task.second - of_task.first != std::ranges::count(indexes, elsewhere))
    return std::nullopt; // recorded before they were noted
  const auto before =
      std::count(indexes.begin(), indexes.begin() + static_cast<std::ptrdiff_t>(which), elsewhere);
  const auto& on = of_task.first[before];
  const bool exists = on.on_plan < owner_.plans.size() && on.on_task < size_of(on.on_plan);
  return exists ? std::optional{task_at{on.on_plan, on.on_task}} : std::nullopt;
}

std::size_t id_lookup::size_of(std::uint32_t plan) const {
  return owner_.plans[plan].spec->tasks.size();
}

std::string id_lookup::id_at(task_at at, const std::string& name) const {
  auto id = owner_.plans[at.plan].task_at(at.task);
  return id.empty() ? name : id.str();
}

/// `task-1` of the same plan, `plan-0/task-1` of another.
std::optional<id_lookup::task_at> id_lookup::by_position(std::uint32_t plan,
                                                         std::string_view name) const {
  if (const auto slash = name.find('/'); slash != std::string_view::npos) {
    const auto other = position(name.substr(0, slash), "plan-", owner_.plans.size());
    return other ? by_position(*other, name.substr(slash + 1)) : std::nullopt;
  }
  const auto at = position(name, "task-", size_of(plan));
  return at ? std::optional{task_at{plan, *at}} : std::nullopt;
}

void id_lookup::index_plans() {
  indexed_plans_ = true;
  indexed_ += owner_.plans.size();
  for (std::uint32_t p = 0; p < owner_.plans.size(); ++p) {
    const auto& spec = *owner_.plans[p].spec;
    if (spec.is_removed)
      continue;
    add_to(plan_ids_, spec.key, p);
    add_to(plan_ids_, spec.id.str(), p);
    add_to(plan_names_, spec.name, p);
  }
}

void id_lookup::index_tasks() {
  indexed_tasks_ = true;
  indexed_ += owner_.plans.size();
  names_in_plan_.resize(owner_.plans.size());
  for (std::uint32_t p = 0; p < owner_.plans.size(); ++p)
    for (std::uint32_t t = 0; t < size_of(p); ++t) {
      const auto& spec = owner_.plans[p].spec->tasks[t];
      if (spec.is_removed)
        continue;
      add_to(task_ids_, spec.key, task_at{p, t});
      add_to(task_ids_, spec.id.str(), task_at{p, t});
      add_to(names_in_plan_[p], spec.name, task_at{p, t});
      add_to(task_names_, spec.name, task_at{p, t});
    }
}

// -- states ---------------------------------------------------------------------------------------

plan_outlook::plan_outlook(const objective_view& owner, const std::vector<std::uint32_t>& shown)
    : owner_(owner), ids_(owner) {
  for (std::uint32_t i = 0; i < owner.pending_inputs.size(); ++i)
    inputs_[owner.pending_inputs[i].plan].push_back(i);
  if (!owner.rollup.is_kept || owner.rollup.plans_blocked > 0)
    find_blocked(shown);
}

const std::vector<std::uint32_t>& plan_outlook::waits_for(std::uint32_t plan) const {
  return list_at(waits_for_, plan);
}

plan_state plan_outlook::state(std::uint32_t plan) const {
  return waits_for(plan).empty() ? owner_.plans[plan].state : plan_state::blocked;
}

const std::vector<std::uint32_t>& plan_outlook::inputs(std::uint32_t plan) const {
  return list_at(inputs_, plan);
}

/// From each blocked plan to those that wait for nothing that runs: linear in the dependencies of
/// what is looked at.
void plan_outlook::find_blocked(std::vector<std::uint32_t> looked_at) {
  plan_lists open;
  plan_lists dependents;
  std::unordered_map<std::uint32_t, std::size_t> others;
  std::vector<std::uint32_t> blocked;
  for (const auto plan : looked_at)
    others.emplace(plan, 0);
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    const auto plan = looked_at[i];
    if (is_blocked(owner_.plans[plan]))
      blocked.push_back(plan);
    auto& waits = open[plan];
    find_open(plan, waits);
    for (const auto on : waits) {
      dependents[on].push_back(plan);
      if (others.emplace(on, 0).second)
        looked_at.push_back(on);
    }
    others[plan] = waits.size();
  }
  looked_at_ = looked_at.size();
  for (std::size_t i = 0; i < blocked.size(); ++i)
    for (const auto waiting : list_at(dependents, blocked[i]))
      if (--others[waiting] == 0) {
        waits_for_[waiting] = open[waiting];
        blocked.push_back(waiting);
      }
}

/// The plans on which alone `plan` waits.
void plan_outlook::find_open(std::uint32_t plan, std::vector<std::uint32_t>& to) {
  if (owner_.plans[plan].state == plan_state::pending) {
    for (const auto& name : owner_.plans[plan].spec->dependencies)
      if (const auto on = ids_.plan_at(name))
        add_open(plan, *on, to);
  } else if (owner_.plans[plan].state == plan_state::working && !add_awaited(plan, to)) {
    to.clear();
  }
}

/// At the end of the list of `plan`, once.
void plan_outlook::add(std::uint32_t plan, std::uint32_t on, std::vector<std::uint32_t>& to) {
  const auto [last, is_first] = named_by_.try_emplace(on, plan);
  if (is_first || std::exchange(last->second, plan) != plan)
    to.push_back(on);
}

/// What is still to complete where `plan` depends on `on`: that itself, or else its alternatives.
void plan_outlook::add_open(std::uint32_t plan, std::uint32_t on, std::vector<std::uint32_t>& to) {
  const auto add_unsettled = [&](std::uint32_t each) {
    if (!is_settled(owner_.plans[each].state))
      add(plan, each, to);
  };
  add_unsettled(on);
  if (owner_.plans[on].state == plan_state::failed)
    for (const auto& name : owner_.plans[on].spec->alternatives)
      if (const auto other = ids_.plan_at(name))
        add_unsettled(*other);
}

/// The plans for whose tasks a plan waits that has begun. False if a task of it runs, or waits for
/// nothing but a slot.
bool plan_outlook::add_awaited(std::uint32_t index, std::vector<std::uint32_t>& to) {
  const auto& plan = owner_.plans[index];
  const auto& spec = *plan.spec;
  auto outside = spec.outside.begin();
  for (std::uint32_t t = 0; t < plan.tasks.size(); ++t) {
    const auto state = plan.tasks[t].state;
    if (spec.tasks[t].is_removed || is_terminal(state))
      continue;
    if (state != task_state::unspecified)
      return false;
    bool waits = false;
    for (const auto on : spec.tasks[t].dependency_indexes)
      waits = waits || (on < plan.tasks.size() && is_open(plan, on));
    while (outside != spec.outside.end() && (*outside).task < t)
      ++outside;
    for (; outside != spec.outside.end() && (*outside).task == t; ++outside) {
      const auto on = (*outside).on_plan;
      if (on >= owner_.plans.size() || !is_open(owner_.plans[on], (*outside).on_task))
        continue;
      waits = true;
      add(index, on, to);
    }
    if (!waits)
      return false;
  }
  return true;
}

std::vector<plan_state> shown_states(const objective_view& owner) {
  std::vector<std::uint32_t> all(owner.plans.size());
  std::iota(all.begin(), all.end(), 0U);
  const plan_outlook outlook(owner, all);
  std::vector<plan_state> out;
  out.reserve(owner.plans.size());
  for (const auto plan : all)
    out.push_back(outlook.state(plan));
  return out;
}

} // namespace troupe
