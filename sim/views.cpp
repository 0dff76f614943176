#include "sim/views.hpp"

#include <boost/json/parse.hpp>

#include <stdexcept>

namespace troupe::sim {

namespace json = boost::json;

namespace {

constexpr int error_of_server = -32603;
constexpr int http_status_failed = 500;

/// Messages of 0.3 over REST have "content" in place of "parts".
std::string text_of_parts(const json::object& in) {
  std::string out;
  const auto* content = array_at(in, "content");
  if (const auto* parts = content != nullptr ? content : array_at(in, "parts"))
    for (const auto& each : *parts)
      out += text_at(each.as_object(), "text");
  return out;
}

void read_status(const json::object& in, task_view& into) {
  if (const auto* status = object_at(in, "status")) {
    into.state = text_at(*status, "state");
    into.since = text_at(*status, "timestamp");
    const auto* message = object_at(*status, "message");
    const auto* metadata = message == nullptr ? nullptr : object_at(*message, "metadata");
    if (metadata != nullptr)
      into.question = text_at(*metadata, "opt/v1/inputId");
  }
}

/// "input-required" is TASK_STATE_INPUT_REQUIRED.
std::string wire_state(std::string_view state) {
  std::string out = "TASK_STATE_";
  for (const char c : state)
    out += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return out;
}

/// 0.3 writes "input-required" over JSON-RPC, and over REST the names of its proto.
std::string state_of_any(const std::string& state) {
  if (state == "TASK_STATE_CANCELLED")
    return "TASK_STATE_CANCELED";
  return state.empty() || state.starts_with("TASK_STATE_") ? state : wire_state(state);
}

std::string cursor_of(const json::object& in) {
  const auto* metadata = object_at(in, "metadata");
  return metadata == nullptr ? std::string{} : text_at(*metadata, "troupe/v1/cursor");
}

double number_at(const json::object& in, std::string_view name) {
  const auto* found = in.if_contains(name);
  return found != nullptr && found->is_number() ? found->to_number<double>() : 0;
}

shown_progress read_progress(const json::object& in) {
  const auto* found = object_at(in, "progress");
  return found == nullptr ? shown_progress{}
                          : shown_progress{number_at(*found, "fraction"), number_at(*found, "done"),
                                           number_at(*found, "total")};
}

} // namespace

const json::object* object_at(const json::object& in, std::string_view name) {
  const auto* found = in.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

const json::array* array_at(const json::object& in, std::string_view name) {
  const auto* found = in.if_contains(name);
  return found == nullptr ? nullptr : found->if_array();
}

std::uint64_t count_at(const json::object& in, std::string_view name) {
  const auto* found = in.if_contains(name);
  return found != nullptr && found->is_number() ? found->to_number<std::uint64_t>() : 0;
}

std::string text_at(const json::object& in, std::string_view name) {
  const auto* found = in.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string{};
}

task_view read_task_0_3(const json::object& task) {
  auto out = read_task(task);
  if (const auto* history = array_at(task, "history"))
    for (const auto& each : *history)
      if (text_at(each.as_object(), "role") == "user")
        out.messages.push_back(text_at(each.as_object(), "messageId"));
  out.state = state_of_any(out.state);
  return out;
}

task_view read_task(const json::object& task) {
  task_view out;
  out.id = text_at(task, "id");
  read_status(task, out);
  if (const auto* artifacts = array_at(task, "artifacts")) {
    out.artifacts.emplace();
    for (const auto& each : *artifacts)
      (*out.artifacts)[text_at(each.as_object(), "artifactId")] = text_of_parts(each.as_object());
  }
  if (const auto* history = array_at(task, "history"))
    for (const auto& each : *history)
      if (text_at(each.as_object(), "role") == "ROLE_USER")
        out.messages.push_back(text_at(each.as_object(), "messageId"));
  return out;
}

std::vector<task_view> read_objective_tasks(const json::object& result) {
  std::vector<task_view> out;
  const auto* objective = object_at(result, "objective");
  const auto* plans = array_at(objective == nullptr ? result : *objective, "plans");
  if (plans == nullptr)
    return out;
  for (const auto& plan : *plans)
    if (const auto* tasks = array_at(plan.as_object(), "tasks"))
      for (const auto& each : *tasks) {
        const auto state = text_at(each.as_object(), "status");
        if (state == "pending" || state == "skipped")
          continue;
        out.emplace_back();
        out.back().id = text_at(each.as_object(), "id");
        out.back().state = wire_state(state);
      }
  return out;
}

shown_plan read_plan(const json::object& plan) {
  shown_plan out;
  out.id = text_at(plan, "id");
  out.name = text_at(plan, "name");
  out.state = text_at(plan, "status");
  out.revision = count_at(plan, "revision");
  out.progress = read_progress(plan);
  if (const auto* tasks = array_at(plan, "tasks"))
    for (const auto& each : *tasks) {
      const auto& task = each.as_object();
      out.tasks.push_back({text_at(task, "id"), text_at(task, "name"), text_at(task, "status"),
                           number_at(task, "expectedSeconds")});
    }
  return out;
}

shown_objective read_objective(const json::object& objective) {
  shown_objective out;
  out.id = text_at(objective, "id");
  out.name = text_at(objective, "name");
  out.state = text_at(objective, "status");
  out.revision = count_at(objective, "revision");
  out.progress = read_progress(objective);
  if (const auto* plans = array_at(objective, "plans"))
    for (const auto& each : *plans)
      out.plans.push_back(read_plan(each.as_object()));
  return out;
}

void note_names(const shown_plan& plan, const std::string& client, history& into) {
  into.shown_names.emplace(plan.name, client);
  for (const auto& task : plan.tasks)
    into.shown_names.emplace(task.name, client);
}

void note_names(const shown_objective& objective, const std::string& client, history& into) {
  into.shown_names.emplace(objective.name, client);
  for (const auto& plan : objective.plans)
    note_names(plan, client, into);
}

void note_leaks(const std::string& bytes, const std::string& to, history& into) {
  if (bytes.find(stranger_mark) != std::string::npos)
    into.leaks.push_back(to + " was shown " + bytes);
}

std::vector<shown_revision> read_revisions(const json::object& result) {
  std::vector<shown_revision> out;
  if (const auto* changes = array_at(result, "changes"))
    for (const auto& each : *changes) {
      auto& one = out.emplace_back();
      one.revision = count_at(each.as_object(), "revision");
      one.reason = text_at(each.as_object(), "reason");
      if (const auto* operations = array_at(each.as_object(), "operations"))
        for (const auto& operation : *operations)
          one.operations.push_back(text_at(operation.as_object(), "op"));
    }
  return out;
}

std::vector<shown_cancel> read_cancels(const json::object& task) {
  std::vector<shown_cancel> out;
  const auto* metadata = object_at(task, "metadata");
  const auto* cancels = metadata == nullptr ? nullptr : array_at(*metadata, "troupe/v1/cancel");
  if (cancels == nullptr)
    return out;
  for (const auto& each : *cancels)
    if (const auto* path = array_at(each.as_object(), "path"); path != nullptr && path->size() == 1)
      out.push_back({std::string(path->front().as_string()), text_at(each.as_object(), "outcome")});
  return out;
}

std::vector<std::string> read_pending_inputs(const json::object& shown) {
  std::vector<std::string> out;
  if (const auto* pending = array_at(shown, "pendingInputs"))
    for (const auto& each : *pending)
      out.push_back(text_at(each.as_object(), "inputId"));
  return out;
}

read_refusal read_error(const json::value& error) {
  read_refusal out;
  out.code = 1;
  const auto* whole = error.if_object();
  if (whole == nullptr)
    return out;
  const auto* code = whole->if_contains("code");
  if (code != nullptr && code->is_int64())
    out.code = static_cast<int>(code->as_int64());
  const auto* data = array_at(*whole, "data");
  if (data == nullptr && (data = array_at(*whole, "details")) == nullptr)
    return out;
  if (whole->contains("details")) // Over REST the code is the status of HTTP.
    out.code = out.code >= http_status_failed ? error_of_server : -out.code;
  for (const auto& each : *data) {
    const auto* detail = each.if_object();
    if (detail == nullptr)
      continue;
    if (out.reason.empty())
      out.reason = text_at(*detail, "reason");
    if (const auto* value = object_at(*detail, "value"))
      out.by = text_at(*value, "by");
  }
  return out;
}

namespace {

/// Of 0.3 over JSON-RPC the kind stands in the event itself; else a member is named so.
const json::object* event_at(const json::object& response, std::string_view kind,
                             std::string_view member) {
  return text_at(response, "kind") == kind ? &response : object_at(response, member);
}

} // namespace

std::optional<shown_event> read_event(const json::object& response) {
  shown_event out;
  auto& event = out.event;
  if (const auto* task = event_at(response, "task", "task")) {
    event.kind = event_kind::snapshot;
    event.task = read_task_0_3(*task); // Which reads 1.0, too.
    event.cursor = cursor_of(*task);
    const auto* metadata = object_at(*task, "metadata");
    event.has_gap = metadata != nullptr && metadata->contains("troupe/v1/gap");
    out.task = event.task.id;
  } else if (const auto* update = event_at(response, "status-update", "statusUpdate")) {
    event.kind = event_kind::status;
    out.task = event.task.id = text_at(*update, "taskId");
    read_status(*update, event.task);
    event.task.state = state_of_any(event.task.state);
    event.cursor = cursor_of(*update);
  } else if (const auto* made = event_at(response, "artifact-update", "artifactUpdate")) {
    event.kind = event_kind::artifact;
    out.task = event.task.id = text_at(*made, "taskId");
    event.cursor = cursor_of(*made);
    const auto* artifact = object_at(*made, "artifact");
    event.artifact = artifact == nullptr ? std::string{} : text_at(*artifact, "artifactId");
    event.text = artifact == nullptr ? std::string{} : text_of_parts(*artifact);
    const auto* append = made->if_contains("append");
    event.append = append != nullptr && append->is_bool() && append->as_bool();
  } else {
    return std::nullopt;
  }
  return out;
}

namespace {

/// What an event of a stream says, or the error with which it ends.
struct event_content {
  const json::object* result = nullptr; ///< Null: there is none.
  int error = 0;
};

event_content content_of(const json::object& whole) {
  if (const auto* error = whole.if_contains("error"))
    return {nullptr, read_error(*error).code};
  if (!whole.contains("jsonrpc")) // Over REST.
    return {&whole};
  return {object_at(whole, "result")};
}

json::value parsed(std::string_view data) {
  return json::parse(json::string_view(data.data(), data.size()));
}

} // namespace

std::optional<shown_event> read_stream_event(std::string_view data) {
  const auto whole = parsed(data);
  const auto content = content_of(whole.as_object());
  if (content.error != 0) {
    shown_event out;
    out.error = content.error;
    return out;
  }
  return content.result == nullptr ? std::nullopt : read_event(*content.result);
}

namespace {

/// The states in the events of a change; an added plan, a reminder and what has no state move
/// nothing.
std::vector<shown_move> read_moves(const json::object& change) {
  std::vector<shown_move> out;
  const auto* events = array_at(change, "events");
  if (events == nullptr)
    return out;
  for (const auto& each : *events) {
    const auto& one = each.as_object();
    const auto kind = text_at(one, "kind");
    shown_move move;
    move.plan = text_at(one, "planId");
    move.state = text_at(one, "status");
    if (move.state.empty() || one.contains("name") || one.contains("reminder"))
      continue;
    if (kind == "tasks") {
      for (const auto& index : *array_at(one, "taskIndexes")) {
        move.task = index.to_number<std::uint32_t>();
        out.push_back(move);
      }
      continue;
    }
    if (kind == "task")
      move.task = static_cast<std::uint32_t>(count_at(one, "taskIndex"));
    if (kind != "task" || move.state != "submitted") // It has been made, and has not begun.
      out.push_back(move);
  }
  return out;
}

} // namespace

std::optional<shown_objective_event> read_objective_event(std::string_view data) {
  const auto whole = parsed(data);
  const auto content = content_of(whole.as_object());
  shown_objective_event out;
  out.error = content.error;
  if (out.error != 0)
    return out;
  if (content.result == nullptr)
    return std::nullopt;
  auto& event = out.event;
  if (const auto* objective = object_at(*content.result, "objective")) {
    event.whole = read_objective(*objective);
    event.cursor = text_at(*content.result, "cursor");
    event.revision = event.whole->revision;
    event.fraction = event.whole->progress.fraction;
    event.has_gap = content.result->contains("gap");
    return out;
  }
  const auto* change = object_at(*content.result, "change");
  if (change == nullptr)
    return std::nullopt;
  event.cursor = text_at(*change, "cursor");
  event.revision = count_at(*change, "revision");
  if (change->contains("progress"))
    event.fraction = read_progress(*change).fraction;
  event.moves = read_moves(*change);
  return out;
}

} // namespace troupe::sim
