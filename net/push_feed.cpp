#include "net/push_feed.hpp"

#include "protocol/codec_v0_3.hpp"
#include "protocol/codec_v1_0.hpp"
#include "protocol/json_writer.hpp"
#include "store/apply.hpp"
#include "store/store.hpp"

#include <memory>
#include <utility>

namespace troupe::net {

namespace {

std::string write_task(const task& what, push_payload payload) {
  std::string out;
  json_writer to(out);
  switch (payload) {
    case push_payload::v1_0:
      to.begin_object().key("task");
      v1_0::write(to, what);
      to.end_object();
      break;
    case push_payload::v0_3:
      v0_3::write(to, what);
      break;
  }
  return out;
}

/// Empty for what a notification does not tell.
std::string write_event(const change& where, const event& what) {
  std::string out;
  if (!std::holds_alternative<task_moved>(what) && !std::holds_alternative<task_artifact>(what))
    return out;
  json_writer to(out);
  v1_0::write_stream_event(to, where, what);
  return out;
}

/// The states a task may be in after an event; nothing if the event moves none.
std::optional<task_state> state_after(const event& what) {
  if (const auto* created = std::get_if<task_created>(&what))
    return created->record->status.state;
  if (const auto* moved = std::get_if<task_moved>(&what))
    return moved->to;
  return std::nullopt;
}

void apply_event(task& record, const change& where, const event& what) {
  change one;
  one.context = where.context;
  one.task = where.task;
  one.at = where.at;
  one.sequence = where.sequence;
  one.events.push_back(what);
  apply_events(record, one);
}

} // namespace

push_feed::push_feed(task_id id, push_payload payload, const push_progress& from)
  : id_(std::move(id)), payload_(payload) {
  reset(from);
}

void push_feed::reset(const push_progress& from) {
  items_.clear();
  told_ = from.after;
  skip_ = from.events;
  so_far_ = nullptr;
  ended_ = false;
  after_ = reads_after();
}

std::uint64_t push_feed::reads_after() const noexcept { return payload_ == push_payload::v0_3 ? 0 : told_; }

void push_feed::start_at(const task_ptr& snapshot, std::uint64_t sequence, bool tell) {
  after_ = told_ = sequence;
  skip_ = 0;
  if (payload_ == push_payload::v0_3)
    so_far_ = std::make_shared<task>(*snapshot);
  ended_ = is_terminal(snapshot->status.state);
  if (tell)
    items_.push_back({write_task(*snapshot, payload_), sequence, 0, ended_});
}

void push_feed::take(const change& what, const task_ptr& withdrawn) {
  if (what.sequence <= after_ || ended_)
    return;
  if (what.task.id == id_) {
    take_events(what);
  } else if (withdrawn) {
    if (payload_ == push_payload::v0_3)
      so_far_ = std::make_shared<task>(*withdrawn);
    change ending;
    ending.context = withdrawn->context;
    ending.task.id = id_;
    ending.at = withdrawn->status.at;
    ending.sequence = what.sequence;
    ending.events.emplace_back(task_moved{withdrawn->status.state, withdrawn->attempt, withdrawn->status.message});
    take_events(ending);
  }
  if (what.sequence > told_)
    skip_ = 0;
  after_ = what.sequence;
}

void push_feed::take_events(const change& what) {
  for (std::size_t i = 0; i < what.events.size() && !ended_; ++i) {
    const auto& fact = what.events[i];
    const auto state = state_after(fact);
    ended_ = state && is_terminal(*state);
    if (payload_ == push_payload::v0_3) {
      if (const auto* created = std::get_if<task_created>(&fact))
        so_far_ = std::make_shared<task>(*created->record);
      else if (so_far_)
        apply_event(*so_far_, what, fact);
    }
    if (what.sequence <= told_ || i < skip_)
      continue;
    std::string body;
    if (payload_ == push_payload::v0_3)
      body = state && so_far_ ? write_task(*so_far_, payload_) : std::string{};
    else if (const auto* created = std::get_if<task_created>(&fact))
      body = write_task(*created->record, payload_);
    else
      body = write_event(what, fact);
    if (!body.empty())
      add(std::move(body), what, i, ended_);
  }
}

void push_feed::add(std::string body, const change& where, std::size_t index, bool last) {
  const bool whole = index + 1 == where.events.size();
  items_.push_back({std::move(body), whole ? where.sequence : after_,
                    whole ? 0 : static_cast<std::uint32_t>(index + 1), last});
}

} // namespace troupe::net
