#include "net/push/push_items.hpp"

#include "protocol/a2a/codec_v0_3.hpp"
#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/change_size.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/store/store.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace troupe::net {

namespace {

std::string write_task(const task& record, push_payload payload, bool progress) {
  const task_view_options view{.include_progress = progress};
  std::string out;
  json_writer to(out);
  switch (payload) {
    case push_payload::v1_0:
      to.begin_object().key("task");
      v1_0::write(to, record, view);
      to.end_object();
      break;
    case push_payload::v0_3: v0_3::write(to, record, view); break;
  }
  return out;
}

bool is_message_of_agent(const event& fact) noexcept {
  const auto* said = std::get_if<task_message>(&fact);
  return said != nullptr && is_from_agent(*said);
}

bool is_reminder(const event& fact) noexcept {
  const auto* reminded = std::get_if<question_reminded>(&fact);
  return reminded != nullptr && reminded->message != nullptr;
}

bool is_artifact(const event& fact) noexcept {
  const auto* made = std::get_if<task_artifact>(&fact);
  return made != nullptr && made->artifact != nullptr;
}

bool is_progress(const event& fact) noexcept {
  const auto* report = std::get_if<task_progress>(&fact);
  return report != nullptr && report->progress != nullptr;
}

/// The states a task may be in after an event; nothing if the event moves none.
std::optional<task_state> state_after(const event& happened) {
  if (const auto* created = std::get_if<task_created>(&happened))
    return created->record->status.state;
  if (const auto* moved = std::get_if<task_moved>(&happened))
    return moved->to;
  return std::nullopt;
}

} // namespace

push_items::push_items(task_id id, push_payload payload, const push_progress& from, bool progress)
    : id_(std::move(id)), payload_(payload), tells_progress_(progress) {
  reset(from);
}

void push_items::reset(const push_progress& from) {
  items_.clear();
  steps_.clear();
  applied_ = 0;
  has_record_ = false;
  delivered_ = from.after;
  skip_ = from.events;
  so_far_ = nullptr;
  ended_ = false;
  after_ = reads_after();
}

std::uint64_t push_items::reads_after() const noexcept {
  return payload_ == push_payload::v0_3 ? 0 : delivered_;
}

std::size_t push_items::record_bytes() const noexcept {
  std::size_t out = so_far_ ? bytes_of(*so_far_) : 0;
  for (const auto& each : steps_)
    if (each.record)
      out += bytes_of(*each.record);
  return out;
}

void push_items::start_at(const task_ptr& snapshot, std::uint64_t sequence, bool tell) {
  after_ = delivered_ = sequence;
  skip_ = 0;
  ended_ = is_terminal(snapshot->status.state);
  add_step(snapshot, nullptr);
  if (tell)
    items_.push_back({{sequence, 0, ended_, false}, next_step() - 1, event_of_record});
  else if (items_.empty())
    drop_steps_before(next_step());
}

void push_items::take(const change_ptr& news, const task_ptr& withdrawn) {
  if (news->sequence <= after_ || ended_)
    return;
  if (news->task.id == id_) {
    take_events(news, nullptr);
  } else if (withdrawn) {
    auto ending = std::make_shared<change>();
    ending->context = withdrawn->context;
    ending->task.id = id_;
    ending->at = withdrawn->status.at;
    ending->sequence = news->sequence;
    ending->events.emplace_back(
        task_moved{withdrawn->status.state, withdrawn->attempt, withdrawn->status.message});
    take_events(ending, withdrawn);
  }
  if (news->sequence > delivered_)
    skip_ = 0;
  after_ = news->sequence;
}

void push_items::add_step(task_ptr record, change_ptr news) {
  has_record_ = has_record_ || record != nullptr;
  steps_.push_back({std::move(record), std::move(news)});
}

void push_items::take_events(const change_ptr& news, task_ptr replaced) {
  add_step(std::move(replaced), news);
  for (std::size_t i = 0; i < news->events.size() && !ended_; ++i) {
    const auto& fact = news->events[i];
    const auto state = state_after(fact);
    ended_ = state && is_terminal(*state);
    has_record_ = has_record_ || std::holds_alternative<task_created>(fact);
    if (news->sequence > delivered_ && i >= skip_ && is_told(fact))
      add({.last = ended_, .is_progress = is_progress(fact)}, *news, i);
  }
  if (items_.empty())
    drop_steps_before(next_step());
}

bool push_items::is_told(const event& fact) const {
  if (is_progress(fact))
    return tells_progress_ && (payload_ == push_payload::v1_0 || has_record_);
  const bool is_of_both = state_after(fact) || is_message_of_agent(fact) || is_reminder(fact);
  return payload_ == push_payload::v1_0 ? is_of_both || is_artifact(fact)
                                        : is_of_both && has_record_;
}

void push_items::add(push_item item, const change& where, std::size_t event) {
  const bool whole = event + 1 == where.events.size();
  // Not `after_`: which changes of other tasks were passed over before depends on when it began,
  // and the place is part of the notification's id.
  item.after = whole ? where.sequence : where.sequence - 1;
  item.events = whole ? 0 : static_cast<std::uint32_t>(event + 1);
  if (item.is_progress && !items_.empty() && items_.back().item.is_progress)
    items_.pop_back();
  items_.push_back({item, next_step() - 1, event});
}

std::string push_items::write_front() {
  const auto& next = items_.front();
  drop_steps_before(next.number);
  if (payload_ == push_payload::v0_3) {
    go_on_to(next.number, next.event);
    return write_task(*so_far_, payload_, tells_progress_);
  }
  const auto& told = steps_.front();
  if (next.event == event_of_record)
    return write_task(*told.record, payload_, tells_progress_);
  const auto& fact = told.news->events[next.event];
  if (const auto* created = std::get_if<task_created>(&fact))
    return write_task(*created->record, payload_, tells_progress_);
  std::string out;
  json_writer to(out);
  static_cast<void>(v1_0::write_stream_event(to, *told.news, fact));
  return out;
}

void push_items::pop() {
  items_.pop_front();
  drop_steps_before(items_.empty() ? next_step() : items_.front().number);
}

void push_items::drop_steps_before(std::uint64_t number) {
  while (first_step_ < number) {
    if (payload_ == push_payload::v0_3 && steps_.front().news)
      go_on_to(first_step_, steps_.front().news->events.size());
    else if (payload_ == push_payload::v0_3)
      go_on_to(first_step_, event_of_record);
    steps_.pop_front();
    ++first_step_;
    applied_ = 0;
  }
}

void push_items::go_on_to(std::uint64_t number, std::size_t event) {
  const auto& [record, news] = steps_[number - first_step_];
  if (record && applied_ == 0)
    so_far_ = std::make_shared<task>(*record);
  if (event == event_of_record)
    return;
  for (const auto count = std::min(event + 1, news->events.size()); applied_ < count; ++applied_) {
    const auto& fact = news->events[applied_];
    if (const auto* created = std::get_if<task_created>(&fact))
      so_far_ = std::make_shared<task>(*created->record);
    else if (so_far_)
      apply_event(*so_far_, *news, fact);
  }
}

} // namespace troupe::net
