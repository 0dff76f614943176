#include "net/push/push_items.hpp"

#include "protocol/a2a/codec_v0_3.hpp"
#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/store/store.hpp>

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
  delivered_ = from.after;
  skip_ = from.events;
  so_far_ = nullptr;
  ended_ = false;
  after_ = reads_after();
}

std::uint64_t push_items::reads_after() const noexcept {
  return payload_ == push_payload::v0_3 ? 0 : delivered_;
}

void push_items::start_at(const task_ptr& snapshot, std::uint64_t sequence, bool tell) {
  after_ = delivered_ = sequence;
  skip_ = 0;
  if (payload_ == push_payload::v0_3)
    so_far_ = std::make_shared<task>(*snapshot);
  ended_ = is_terminal(snapshot->status.state);
  if (tell)
    items_.push_back({write_task(*snapshot, payload_, tells_progress_), sequence, 0, ended_});
}

void push_items::take(const change& news, const task_ptr& withdrawn) {
  if (news.sequence <= after_ || ended_)
    return;
  if (news.task.id == id_) {
    take_events(news);
  } else if (withdrawn) {
    if (payload_ == push_payload::v0_3)
      so_far_ = std::make_shared<task>(*withdrawn);
    change ending;
    ending.context = withdrawn->context;
    ending.task.id = id_;
    ending.at = withdrawn->status.at;
    ending.sequence = news.sequence;
    ending.events.emplace_back(
        task_moved{withdrawn->status.state, withdrawn->attempt, withdrawn->status.message});
    take_events(ending);
  }
  if (news.sequence > delivered_)
    skip_ = 0;
  after_ = news.sequence;
}

void push_items::take_events(const change& change) {
  for (std::size_t i = 0; i < change.events.size() && !ended_; ++i) {
    const auto& fact = change.events[i];
    const auto state = state_after(fact);
    ended_ = state && is_terminal(*state);
    if (payload_ == push_payload::v0_3) {
      if (const auto* created = std::get_if<task_created>(&fact))
        so_far_ = std::make_shared<task>(*created->record);
      else if (so_far_)
        apply_event(*so_far_, change, fact);
    }
    if (change.sequence <= delivered_ || i < skip_)
      continue;
    auto body = write(change, fact);
    if (!body.empty())
      add({.body = std::move(body),
           .last = ended_,
           .is_progress = std::holds_alternative<task_progress>(fact)},
          change, i);
  }
}

/// Empty for what a notification does not tell.
std::string push_items::write(const change& where, const event& fact) const {
  const bool is_progress = std::holds_alternative<task_progress>(fact);
  if (is_progress && !tells_progress_)
    return {};
  if (payload_ == push_payload::v0_3) {
    const bool is_told = is_progress || state_after(fact) || is_message_of_agent(fact)
                         || std::holds_alternative<question_reminded>(fact);
    return is_told && so_far_ ? write_task(*so_far_, payload_, tells_progress_) : std::string{};
  }
  if (const auto* created = std::get_if<task_created>(&fact))
    return write_task(*created->record, payload_, tells_progress_);
  std::string out;
  json_writer to(out);
  static_cast<void>(v1_0::write_stream_event(to, where, fact));
  return out;
}

void push_items::add(push_item item, const change& where, std::size_t index) {
  const bool whole = index + 1 == where.events.size();
  item.after = whole ? where.sequence : after_;
  item.events = whole ? 0 : static_cast<std::uint32_t>(index + 1);
  if (item.is_progress && !items_.empty() && items_.back().is_progress)
    items_.pop_back();
  items_.push_back(std::move(item));
}

} // namespace troupe::net
