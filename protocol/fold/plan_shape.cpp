#include "protocol/fold/plan_shape.hpp"

#include <algorithm>
#include <charconv>
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

named_tasks& plan_shape::by_name(const plan_spec& plan) {
  if (!by_name_)
    by_name_.emplace(plan);
  return *by_name_;
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

std::vector<std::uint32_t> plan_shape::path(const plan_spec& plan, std::uint32_t task,
                                            std::uint32_t on) const {
  std::unordered_map<std::uint32_t, std::uint32_t> dependent_of;
  frontier up{task};
  while (!up.is_done() && !up.known.contains(on)) {
    const auto from = up.found[up.next++];
    for_each_dependency(plan.tasks[from], [&](std::uint32_t other) {
      ++looked_at_;
      dependent_of.try_emplace(other, from);
      up.add(other);
    });
  }
  if (!up.known.contains(on))
    return {};
  std::vector<std::uint32_t> out{on};
  while (out.back() != task)
    out.push_back(dependent_of.at(out.back()));
  std::ranges::reverse(out);
  return out;
}

/// Takes away what depends on nothing that is left (Kahn, 1962). What stays has a cycle.
std::vector<std::uint32_t> plan_shape::cycle(const plan_spec& plan) const {
  std::vector<std::uint32_t> waits_for(dependents_.size()); // Tasks that are left.
  for (const auto& all : dependents_)
    for (const auto dependent : all)
      ++waits_for[dependent];
  std::vector<std::uint32_t> taken;
  for (std::uint32_t task = 0; task < waits_for.size(); ++task)
    if (waits_for[task] == 0)
      taken.push_back(task);
  for (std::size_t next = 0; next < taken.size(); ++next) {
    looked_at_ += 1 + dependents_[taken[next]].size();
    for (const auto dependent : dependents_[taken[next]])
      if (--waits_for[dependent] == 0)
        taken.push_back(dependent);
  }
  const auto left = std::ranges::find_if(waits_for, [](auto count) { return count != 0; });
  if (left == waits_for.end())
    return {};
  // Each task that is left depends on another one that is left.
  std::vector<std::uint32_t> way;
  auto task = static_cast<std::uint32_t>(left - waits_for.begin());
  auto begin = way.end();
  for (; begin == way.end(); begin = std::ranges::find(way, task)) {
    way.push_back(task);
    auto next = task;
    for_each_dependency(plan.tasks[task], [&](std::uint32_t on) {
      if (waits_for[on] != 0)
        next = on;
    });
    task = next;
  }
  way.erase(way.begin(), begin);
  return way;
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

} // namespace troupe
