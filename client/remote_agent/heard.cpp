#include "client/remote_agent/heard.hpp"

#include "client/remote_agent/route.hpp"
#include "client/remote_agent/words.hpp"
#include "protocol/json/text_in.hpp"

#include <variant>

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

/// Between two texts.
constexpr std::string_view empty_line = "\n\n";

void add_text(std::string& to, std::string_view more) {
  if (more.empty())
    return;
  if (!to.empty())
    to += empty_line;
  to += more;
}

/// The text parts of a message or artifact in common words.
std::string text_of_parts(const json::object& from) {
  std::string out;
  const auto* found = from.if_contains("parts");
  const auto* parts = found != nullptr ? found->if_array() : nullptr;
  if (parts != nullptr)
    for (const auto& each : *parts)
      if (text_in(each, "kind") == "text")
        add_text(out, text_in(each, "text"));
  return out;
}

std::string text_of_message(const message& said) {
  std::string out;
  for (const auto& each : said.parts)
    if (const auto* text = std::get_if<text_content>(&each.content))
      add_text(out, text->text);
  return out;
}

} // namespace

void heard::take_text(const message& said) {
  auto text = text_of_message(said);
  const auto same = said_at_.find(said.message_id);
  if (same != said_at_.end()) {
    said_[same->second] = std::move(text);
  } else if (!text.empty()) {
    if (!said.message_id.empty())
      said_at_.emplace(said.message_id, said_.size());
    said_.push_back(std::move(text));
  }
}

json::object* heard::artifact_with(const std::string& id) {
  const auto found = artifacts_at_.find(id);
  return found == artifacts_at_.end() ? nullptr : artifacts_[found->second].if_object();
}

void heard::take_whole_artifact(const json::value& made) {
  const auto* object = made.if_object();
  if (object == nullptr)
    return;
  const auto id = text_in(*object, "artifactId");
  if (auto* known = artifact_with(id)) {
    *known = *object;
  } else {
    artifacts_at_.emplace(id, artifacts_.size());
    artifacts_.push_back(*object);
  }
}

void heard::take_chunk(const json::object& event, bool append) {
  const auto* made = event.if_contains("artifact");
  const auto* object = made != nullptr ? made->if_object() : nullptr;
  if (object == nullptr)
    return;
  auto* known = artifact_with(text_in(*object, "artifactId"));
  if (!append || known == nullptr)
    return take_whole_artifact(*made);
  const auto* more = object->if_contains("parts");
  auto& parts = (*known)["parts"];
  if (more != nullptr && more->is_array()) {
    if (!parts.is_array())
      parts.emplace_array();
    for (const auto& each : more->get_array())
      parts.get_array().push_back(each);
  }
}

void heard::take(const wire::answer& read, json::object raw) {
  const auto learn = [&](const troupe::task_id& id, const std::string& context, task_state state) {
    has_task_ = true;
    task_id_ = id.str();
    if (!context.empty())
      context_id_ = context;
    state_ = state;
  };
  if (const auto* said = std::get_if<message>(&read)) {
    ++messages_;
    message_id_ = said->message_id;
    if (!said->context_id.empty())
      context_id_ = said->context_id;
    if (!said->task_id.empty())
      task_id_ = said->task_id;
    take_text(*said);
  } else if (const auto* whole = std::get_if<task>(&read)) {
    learn(whole->id, whole->context, whole->status.state);
    for (const auto& each : whole->history)
      take_text(*each);
    if (whole->status.message)
      take_text(*whole->status.message);
    if (const auto* all = raw.if_contains("artifacts"); all != nullptr && all->is_array())
      for (const auto& each : all->get_array())
        take_whole_artifact(each);
  } else if (const auto* moved = std::get_if<wire::status_update>(&read)) {
    learn(moved->task, moved->context, moved->status.state);
    if (moved->status.message)
      take_text(*moved->status.message);
  } else if (const auto* made = std::get_if<wire::artifact_update>(&read)) {
    learn(made->task, made->context, state_.value_or(task_state::working));
    take_chunk(raw, made->append);
  }
  last_ = std::move(raw);
  if (streams_)
    events_.push_back(last_);
}

std::string heard::text() const {
  std::string out;
  for (const auto& text : said_)
    add_text(out, text);
  for (const auto& each : artifacts_)
    if (const auto* object = each.if_object())
      add_text(out, text_of_parts(*object));
  return out;
}

void heard::forget_task() noexcept {
  task_id_.clear();
  has_task_ = false;
  state_.reset();
}

json::object heard::continuation(const heard_from& agent, std::string_view handle) const {
  json::object out;
  if (task_id_.empty() && context_id_.empty())
    return out;
  out["target"] = shown_target(agent.to);
  if (!task_id_.empty()) {
    const bool goes_on = !has_ended();
    json::object task;
    if (!handle.empty())
      task["task_handle"] = handle;
    task["task_id"] = task_id_;
    if (state_)
      task["status"] = state_word(*state_);
    task["can_resume_send"] = goes_on;
    task["can_send"] = goes_on;
    task["can_status"] = true;
    task["can_cancel"] = goes_on;
    task["can_watch"] = goes_on && agent.streaming.value_or(true);
    out["task"] = std::move(task);
  }
  if (!context_id_.empty()) {
    json::object conversation;
    conversation["context_id"] = context_id_;
    conversation["can_send"] = true;
    out["conversation"] = std::move(conversation);
  }
  return out;
}

json::object heard::summary(const heard_from& agent, std::string_view handle) const {
  json::object out;
  if (!agent.to.alias.empty())
    out["target_alias"] = agent.to.alias;
  out["target_url"] = agent.to.target_url;
  if (!agent.target_name.empty())
    out["target_name"] = agent.target_name;
  if (agent.streaming)
    out["streaming_supported"] = *agent.streaming;
  if (has_task_)
    out["response_kind"] = "task";
  else if (messages_ == 1)
    out["response_kind"] = "message";
  if (auto text = this->text(); !text.empty())
    out["message_text"] = std::move(text);
  if (!artifacts_.empty())
    out["artifacts"] = artifacts_;
  if (dropped_ > 0)
    out["dropped_events"] = dropped_;
  if (has_missed_)
    out["missed_updates"] = true;
  if (auto next = continuation(agent, handle); !next.empty())
    out["continuation"] = std::move(next);
  return out;
}

json::value heard::raw() const {
  if (!streams_)
    return last_;
  json::object out;
  out["events"] = events_;
  if (!events_.empty())
    out["finalEvent"] = last_;
  return out;
}

} // namespace troupe::remote_agent
