#include "actors/service/plan_history.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/is_one_of.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

void plan_history_reader::take(const change_ptr& change) {
  for (std::size_t i = 0; i < change->events.size(); ++i) {
    const auto& each = change->events[i];
    revision_ = revision_after(revision_, each);
    if (const auto* created = std::get_if<objective_created>(&each)) {
      plans_ = created->spec ? static_cast<std::uint32_t>(created->spec->plans.size()) : 0;
    } else if (std::holds_alternative<plan_added>(each)) {
      if (plans_++ == plan_)
        note(change, i);
    } else if (const auto* plan = std::get_if<plan_edited>(&each)) {
      if (plan->plan == plan_)
        note(change, i);
    } else if (const auto* renewed = std::get_if<tasks_renewed>(&each)) {
      if (renewed->plan == plan_)
        note(change, i);
    } else if (const auto* changed = std::get_if<plan_changed>(&each)) {
      if (changed->plan == plan_)
        note(change, i);
    } else if (const auto* whole = std::get_if<objective_changed>(&each)) {
      if (std::ranges::any_of(whole->operations,
                              [this](const auto& one) { return plan_of(one) == plan_; }))
        note(change, i);
    }
  }
}

bool past_objective_reader::take(const change_ptr& change) {
  for (const auto& each : change->events) {
    if (revision_after(view_.revision, each) > revision_)
      return false;
    std::visit(
        [&]<class Event>(const Event& one) {
          if constexpr (is_one_of<Event, objective_created, objective_edited, plan_added,
                                  plan_edited, plan_changed, objective_changed, tasks_renewed>)
            apply(view_, *change, one);
        },
        each);
  }
  return true;
}

void objective_history_reader::take(const change_ptr& change) {
  for (std::size_t i = 0; i < change->events.size(); ++i) {
    const auto now = revision_after(revision_, change->events[i]);
    const bool is_same =
        !found_.empty() && found_.back().revision == now && found_.back().change == change;
    const bool is_new = std::exchange(revision_, now) != now;
    if (is_same)
      found_.back().last = i;
    if (is_same || !is_new || now <= after_ || (before_ != 0 && now >= before_))
      continue;
    found_.push_back({now, change, i, i});
    if (found_.size() <= count_)
      continue;
    found_.erase(found_.begin());
    has_more_ = true;
  }
}

std::vector<objective_revision> objective_history_reader::take_revisions() {
  std::ranges::reverse(found_);
  return std::move(found_);
}

// A change that brings tasks back has an event for them before its own: both are one revision.
void plan_history_reader::note(const change_ptr& change, std::size_t at) {
  if (revision_ <= after_ || (before_ != 0 && revision_ >= before_))
    return;
  if (!found_.empty() && found_.back().revision == revision_)
    found_.pop_back();
  found_.push_back({revision_, change, at});
  if (found_.size() <= count_)
    return;
  found_.erase(found_.begin());
  has_more_ = true;
}

std::vector<plan_revision> plan_history_reader::take_revisions() {
  std::ranges::reverse(found_);
  return std::move(found_);
}

} // namespace troupe
