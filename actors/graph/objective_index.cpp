#include "actors/graph/objective_index.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace troupe {

namespace {

std::uint64_t packed(const task_position& at) {
  return std::uint64_t{at.plan} << 32U | at.task;
}

task_position unpacked(std::uint64_t at) {
  return {static_cast<std::uint32_t>(at >> 32U), static_cast<std::uint32_t>(at)};
}

std::vector<std::string> sorted_dependencies(const task_spec* task) {
  if (!task || task->is_removed)
    return {};
  auto out = task->dependencies;
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> without(const std::vector<std::string>& all,
                                 const std::vector<std::string>& some) {
  std::vector<std::string> out;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(out));
  return out;
}

} // namespace

std::vector<std::uint32_t> tasks_touched_by(const plan_changed& changed, std::uint32_t size) {
  std::vector<std::uint32_t> out;
  for (const auto& each : changed.operations)
    if (std::holds_alternative<add_task>(each))
      out.push_back(size++);
    else if (const auto* removed = std::get_if<remove_task<std::uint32_t>>(&each))
      out.push_back(removed->task);
    else if (const auto* added = std::get_if<add_dependency<std::uint32_t>>(&each))
      out.push_back(added->task);
    else if (const auto* dropped = std::get_if<remove_dependency<std::uint32_t>>(&each))
      out.push_back(dropped->task);
    else if (const auto* renamed = std::get_if<rename_task<std::uint32_t>>(&each))
      out.push_back(renamed->task);
    else if (const auto* put = std::get_if<put_task<std::uint32_t>>(&each))
      out.push_back(put->task);
  std::sort(out.begin(), out.end(), std::greater<>{});
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

objective_index::objective_index(std::vector<plan_spec_ptr> plans,
                                 const std::vector<plan_relations>& relations)
    : plans_(std::move(plans)) {
  for (const auto& each : relations) {
    alternative_of_.push_back(each.alternative_of);
    alternatives_.push_back(each.alternatives);
  }
  const auto count = static_cast<std::uint32_t>(plans_.size());
  for (std::uint32_t p = 0; p < count; ++p) {
    add_tasks(p);
    add_plan_names(p);
  }
  for (std::uint32_t p = 0; p < count; ++p) // ids of later plans count, too
    add_uses(p);
}

void objective_index::add(const plan_spec_ptr& plan, const plan_relations& relations) {
  const auto p = static_cast<std::uint32_t>(plans_.size());
  plans_.push_back(plan);
  for (const auto other : relations.alternatives)
    alternative_of_[other] = p;
  alternative_of_.push_back(relations.alternative_of);
  alternatives_.push_back(relations.alternatives);
  add_tasks(p);
  add_plan_names(p);
  add_uses(p);
}

void objective_index::apply(const plan_spec_ptr& plan, const plan_changed& changed) {
  const auto before = std::exchange(plans_[changed.plan], plan);
  const auto size = static_cast<std::uint32_t>(before->tasks.size());
  const auto touched = tasks_touched_by(changed, size);
  const auto before_of = [&](std::uint32_t t) { return t < size ? &before->tasks[t] : nullptr; };
  // All old names go first: a key may have moved from one task to another.
  for (const auto t : touched) {
    ++looked_at_;
    if (const auto* was = before_of(t); was && !was->is_removed)
      remove_names({changed.plan, t}, *was);
  }
  for (const auto t : touched)
    if (const auto& is = plan->tasks[t]; !is.is_removed)
      add_names({changed.plan, t}, is);
  for (const auto t : touched) {
    const task_position at{changed.plan, t};
    const auto* was = before_of(t);
    const auto& is = plan->tasks[t];
    const auto texts_before = sorted_dependencies(was);
    const auto texts = sorted_dependencies(&is);
    for (const auto& gone : without(texts_before, texts))
      remove_use(at, gone);
    for (const auto& fresh : without(texts, texts_before))
      if (!find_task(fresh))
        add_use(at, fresh, false);
  }
}

// -- plans ---------------------------------------------------------------------------------------

void objective_index::add_plan_names(std::uint32_t plan) {
  if (plans_[plan]->is_removed)
    return;
  for (const auto& id : {plans_[plan]->key, plans_[plan]->id.str()})
    if (!id.empty())
      plan_ids_.try_emplace(id, plan);
  add_name(plan_names_, plans_[plan]->name, plan);
}

std::optional<std::uint32_t> objective_index::find_plan(std::string_view id) const {
  const auto known = plan_ids_.find(id);
  return known == plan_ids_.end() ? std::nullopt : std::optional{known->second};
}

std::uint32_t objective_index::find_plan_named(std::string_view name) const {
  const auto known = plan_names_.find(name);
  return known == plan_names_.end() ? not_found : known->second;
}

const plan_use* objective_index::find_plan_use(std::string_view name) const {
  const auto known = plan_uses_.find(name);
  return known == plan_uses_.end() ? nullptr : &known->second;
}

// -- tasks ---------------------------------------------------------------------------------------

void objective_index::add_tasks(std::uint32_t plan) {
  const auto& tasks = plans_[plan]->tasks;
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    ++looked_at_;
    if (!tasks[t].is_removed)
      add_names({plan, t}, tasks[t]);
  }
}

void objective_index::add_names(const task_position& at, const task_spec& task) {
  if (!task.key.empty())
    task_ids_.try_emplace(task.key, at);
  if (!task.id.empty() && !is_generated(task.id, plans_[at.plan]->id, at.task))
    task_ids_.try_emplace(task.id.str(), at);
  if (task.name.empty())
    return;
  auto& named = task_names_[task.name];
  ++named.count;
  named.sum += packed(at);
}

void objective_index::remove_names(const task_position& at, const task_spec& task) {
  for (const auto& id : {task.key, task.id.str()})
    if (const auto known = task_ids_.find(id); known != task_ids_.end() && known->second == at)
      task_ids_.erase(known);
  const auto named = task_names_.find(task.name);
  if (named == task_names_.end())
    return;
  named->second.sum -= packed(at);
  if (--named->second.count == 0)
    task_names_.erase(named);
}

std::optional<task_position> objective_index::find_task(std::string_view id) const {
  if (const auto known = task_ids_.find(id); known != task_ids_.end())
    return known->second;
  // A generated id says its place.
  const auto dot = id.rfind(".t");
  const auto plan = dot == std::string_view::npos ? std::nullopt : find_plan(id.substr(0, dot));
  if (!plan)
    return std::nullopt;
  const auto digits = id.substr(dot + 2);
  std::uint32_t task = 0;
  static_cast<void>(std::from_chars(digits.data(), digits.data() + digits.size(), task));
  const auto& tasks = plans_[*plan]->tasks;
  const bool is_there =
      task < tasks.size() && !tasks[task].is_removed && tasks[task].id.str() == id;
  return is_there ? std::optional{task_position{*plan, task}} : std::nullopt;
}

objective_index::named_tasks objective_index::find_tasks_named(std::string_view name) const {
  const auto known = task_names_.find(name);
  if (known == task_names_.end())
    return {};
  const auto& [count, sum] = known->second;
  return {count, count == 1 ? std::optional{unpacked(sum)} : std::nullopt};
}

std::optional<task_position> objective_index::find_task_at(std::string_view text) const {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos)
    return std::nullopt;
  const auto plan = find_position(text.substr(0, slash), "plan", plans_.size());
  if (!plan)
    return std::nullopt;
  const auto& tasks = plans_[*plan]->tasks;
  const auto task = find_position(text.substr(slash + 1), "task", tasks.size());
  if (!task || tasks[*task].is_removed)
    return std::nullopt;
  return task_position{*plan, *task};
}

// -- names that dependencies use -----------------------------------------------------------------

void objective_index::add_uses(std::uint32_t p) {
  const auto& plan = *plans_[p];
  std::unordered_set<std::string_view> own;
  for (std::uint32_t t = 0; t < plan.tasks.size(); ++t) {
    if (plan.tasks[t].is_removed)
      continue;
    for (const auto& text : plan.tasks[t].dependencies) {
      if (find_task(text))
        continue;
      if (own.empty())
        for (const auto& task : plan.tasks)
          own.insert(task.name);
      add_use({p, t}, text, own.contains(text));
    }
  }
  const auto add_plan_uses = [&](const std::vector<std::string>& texts, bool as_alternative) {
    for (std::uint32_t i = 0; i < texts.size(); ++i)
      if (!find_plan(texts[i]))
        plan_uses_.try_emplace(texts[i], plan_use{p, i, as_alternative});
  };
  add_plan_uses(plan.dependencies, false);
  add_plan_uses(plan.alternatives, true);
}

void objective_index::add_use(const task_position& at, const std::string& text, bool by_own_name) {
  auto& uses = task_uses_[text];
  (by_own_name ? uses.by_own_name : uses.others).push_back(at);
}

void objective_index::remove_use(const task_position& at, const std::string& text) {
  const auto known = task_uses_.find(text);
  if (known == task_uses_.end())
    return;
  for (auto* uses : {&known->second.by_own_name, &known->second.others}) {
    // From the back: a change goes through its tasks in that order.
    const auto found = std::find(uses->rbegin(), uses->rend(), at);
    if (found != uses->rend())
      uses->erase(std::next(found).base());
  }
  if (known->second.by_own_name.empty() && known->second.others.empty())
    task_uses_.erase(known);
}

std::optional<task_position> objective_index::find_task_use(std::string_view text,
                                                            bool by_id) const {
  const auto known = task_uses_.find(text);
  if (known == task_uses_.end() || find_task(text)) // an id comes before all names
    return std::nullopt;
  if (!known->second.others.empty())
    return known->second.others.front();
  if (by_id && !known->second.by_own_name.empty())
    return known->second.by_own_name.front();
  return std::nullopt;
}

} // namespace troupe
