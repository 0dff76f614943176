#include "store/memory/ended_rows.hpp"

#include "store/text_hash.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe {

namespace {

std::size_t state_of(const task& record) noexcept {
  return static_cast<std::size_t>(record.status.state);
}

bool is_in_time(timestamp at, const task_filter& filter) noexcept {
  return !filter.status_after || at >= *filter.status_after;
}

} // namespace

std::uint64_t ended_rows::add(task_ptr record) {
  const auto number = front_ + rows_.size();
  auto& owner = owners_[record->owner];
  if (!owner)
    owner = std::make_unique<lines>();
  auto& mine = owner->by_state[state_of(*record)];
  auto& context = contexts_[text_hash{}(record->context)];
  const auto ended = record->status.at;
  const auto latest = is_here(mine.newest) ? std::max(ended, at(mine.newest).at_max) : ended;
  rows_.push_back({.record = std::move(record),
                   .at = ended,
                   .at_max = latest,
                   .behind_in_owner = mine.newest,
                   .behind_in_context = context});
  mine.newest = number;
  context = number;
  ++mine.size;
  ++owner->size;
  ++records_;
  return number;
}

task_ptr ended_rows::take(std::uint64_t number) {
  auto out = std::exchange(rows_[number - front_].record, nullptr);
  --records_;
  // A line begins with a row that has a record.
  const auto skip_empty = [&](std::uint64_t& newest, std::uint64_t row::*behind) {
    while (is_here(newest) && !at(newest).record)
      newest = at(newest).*behind;
    return is_here(newest);
  };
  const auto owner = owners_.find(out->owner);
  auto& mine = owner->second->by_state[state_of(*out)];
  skip_empty(mine.newest, &row::behind_in_owner);
  --mine.size;
  if (--owner->second->size == 0)
    owners_.erase(owner);
  const auto context = contexts_.find(text_hash{}(out->context));
  if (!skip_empty(context->second, &row::behind_in_context))
    contexts_.erase(context);
  return out;
}

task_ptr ended_rows::drop_oldest() {
  auto out = oldest() ? take(front_) : nullptr;
  rows_.pop_front();
  ++front_;
  return out;
}

void ended_rows::renumber(
    const std::function<void(const task_ptr& record, std::uint64_t number)>& moved) {
  auto before = std::exchange(*this, {});
  for (auto& each : before.rows_)
    if (each.record) {
      const auto number = add(std::move(each.record));
      moved(at(number).record, number);
    }
}

std::uint64_t ended_rows::list(const task_filter& filter, first_rows<task_ptr>& rows) const {
  if (!filter.context.empty())
    return list_context(filter, rows);
  const auto owner = owners_.find(filter.owner);
  if (owner == owners_.end())
    return 0;
  if (filter.state)
    return list_line(owner->second->by_state[static_cast<std::size_t>(*filter.state)], filter,
                     rows);
  std::uint64_t looked_at = 0;
  for (const auto& each : owner->second->by_state)
    looked_at += list_line(each, filter, rows);
  return looked_at;
}

std::uint64_t ended_rows::list_line(const line& from, const task_filter& filter,
                                    first_rows<task_ptr>& rows) const {
  std::uint64_t looked_at = 0;
  auto unseen = from.size;
  for (auto number = from.newest; unseen > 0; number = at(number).behind_in_owner) {
    const auto& each = at(number);
    if (!is_in_time(each.at_max, filter))
      return looked_at; // Neither it nor what comes after it passes.
    if (!filter.status_after && rows.is_full_for(each.at_max))
      break;
    ++looked_at;
    if (!each.record)
      continue;
    --unseen;
    if (is_in_time(each.at, filter))
      rows.offer(each.at, each.record->id.str(), each.record);
  }
  rows.count_more(unseen);
  return looked_at;
}

std::uint64_t ended_rows::list_context(const task_filter& filter,
                                       first_rows<task_ptr>& rows) const {
  const auto newest = contexts_.find(text_hash{}(filter.context));
  if (newest == contexts_.end())
    return 0;
  std::uint64_t looked_at = 0;
  for (auto number = newest->second; is_here(number); number = at(number).behind_in_context) {
    ++looked_at;
    const auto& each = at(number);
    if (each.record && each.record->context == filter.context && each.record->owner == filter.owner
        && (!filter.state || each.record->status.state == *filter.state)
        && is_in_time(each.at, filter))
      rows.offer(each.at, each.record->id.str(), each.record);
  }
  return looked_at;
}

} // namespace troupe
