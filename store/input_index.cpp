#include "store/input_index.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Owners are no texts with a zero byte (owner_of).
std::string context_key(const std::string& owner, const std::string& context) {
  return owner + '\0' + context;
}

} // namespace

void input_index::note(const task& record) {
  const std::lock_guard lock{guard_};
  erase(record);
  if (!record.question)
    return;
  row next{record.question->opened, record.id.str(), {}};
  if (record.origin)
    next.plan = record.origin.plan_index;
  const auto add = [&](groups& to, const std::string& key) {
    auto& group = to[key];
    if (!group)
      group = std::make_unique<rows>();
    group->insert(next);
  };
  add(of_owner_, record.owner);
  add(of_context_, context_key(record.owner, record.context));
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
  const auto take = [&](groups& from, const std::string& key) {
    const auto group = from.find(key);
    if (group == from.end())
      return;
    group->second->erase(known->second);
    if (group->second->empty())
      from.erase(group);
  };
  take(of_owner_, record.owner);
  take(of_context_, context_key(record.owner, record.context));
  open_.erase(known);
}

input_index::found input_index::list(const list_inputs& query, const std::optional<position>& after,
                                     std::size_t count) const {
  found out;
  const auto owner = owner_of(query.who);
  const auto& context = query.objective.str();
  const std::lock_guard lock{guard_};
  const auto& all = context.empty() ? of_owner_ : of_context_;
  const auto group = all.find(context.empty() ? owner : context_key(owner, context));
  if (group == all.end())
    return out;
  const auto& open = *group->second;
  const auto passes = [&](const row& each) {
    return !query.plan_index || each.plan == query.plan_index;
  };
  auto at = after ? open.upper_bound(row{after->at, after->id, {}}) : open.begin();
  for (; at != open.end() && out.rows.size() < count; ++at)
    if (passes(*at))
      out.rows.push_back({at->at, at->task});
  out.total = open.size();
  if (query.plan_index)
    out.total = static_cast<std::uint64_t>(std::count_if(open.begin(), open.end(), passes));
  return out;
}

} // namespace troupe
