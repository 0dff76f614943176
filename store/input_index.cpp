#include "store/input_index.hpp"

#include <utility>

namespace troupe {

namespace {

/// Owners are no texts with a zero byte (owner_of).
std::string context_key(const std::string& owner, const std::string& context) {
  return owner + '\0' + context;
}

std::string plan_key(const std::string& owner, const std::string& context, std::uint32_t plan) {
  return context_key(owner, context) + '\0' + std::to_string(plan);
}

} // namespace

template<class Use>
void input_index::at_places(const task& record, const row& which, Use use) {
  use(of_owner_, record.owner);
  use(of_context_, context_key(record.owner, record.context));
  if (which.plan)
    use(of_plan_, plan_key(record.owner, record.context, *which.plan));
}

void input_index::note(const task& record) {
  const std::lock_guard lock{guard_};
  erase(record);
  if (!record.question)
    return;
  row next{record.question->opened, record.id.str(), {}};
  if (record.origin)
    next.plan = record.origin.plan_index;
  at_places(record, next, [&](groups& to, const std::string& key) {
    auto& group = to[key];
    if (!group)
      group = std::make_unique<rows>();
    group->insert(next);
  });
  open_.insert_or_assign(record.id.str(), std::move(next));
}

void input_index::drop(const task& record) {
  const std::lock_guard lock{guard_};
  erase(record);
}

void input_index::erase(const task& record) {
  const auto known = open_.find(record.id.str());
  if (known == open_.end())
    return;
  at_places(record, known->second, [&](groups& from, const std::string& key) {
    const auto group = from.find(key);
    if (group == from.end())
      return;
    group->second->erase(known->second);
    if (group->second->empty())
      from.erase(group);
  });
  open_.erase(known);
}

input_index::found input_index::list(const list_inputs& query, const std::optional<position>& after,
                                     std::size_t count) const {
  found out;
  const auto owner = owner_of(query.who);
  const auto& context = query.objective.str();
  const std::lock_guard lock{guard_};
  const auto in_group = [&](const groups& all, const std::string& key) {
    const auto group = all.find(key);
    return group == all.end() ? nullptr : group->second.get();
  };
  const auto* open = query.plan_index
                         ? in_group(of_plan_, plan_key(owner, context, *query.plan_index))
                     : context.empty() ? in_group(of_owner_, owner)
                                       : in_group(of_context_, context_key(owner, context));
  if (open == nullptr)
    return out;
  auto at = after ? open->upper_bound(row{after->at, after->id, {}}) : open->begin();
  for (; at != open->end() && out.rows.size() < count; ++at)
    out.rows.push_back({at->at, at->task});
  out.total = open->size();
  return out;
}

} // namespace troupe
