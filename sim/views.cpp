#include "sim/views.hpp"

#include <boost/json/parse.hpp>

#include <stdexcept>

namespace troupe::sim {

namespace json = boost::json;

namespace {

const json::object* object_at(const json::object& in, std::string_view name) {
  const auto* found = in.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

const json::array* array_at(const json::object& in, std::string_view name) {
  const auto* found = in.if_contains(name);
  return found == nullptr ? nullptr : found->if_array();
}

std::string text_of_parts(const json::object& in) {
  std::string out;
  if (const auto* parts = array_at(in, "parts"))
    for (const auto& each : *parts)
      out += text_at(each.as_object(), "text");
  return out;
}

void read_status(const json::object& in, task_view& into) {
  if (const auto* status = object_at(in, "status")) {
    into.state = text_at(*status, "state");
    into.since = text_at(*status, "timestamp");
  }
}

std::string cursor_of(const json::object& in) {
  const auto* metadata = object_at(in, "metadata");
  return metadata == nullptr ? std::string{} : text_at(*metadata, "troupe/v1/cursor");
}

} // namespace

std::string text_at(const json::object& in, std::string_view name) {
  const auto* found = in.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string{};
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

std::optional<read_event> read_stream_event(std::string_view data) {
  const auto whole = json::parse(json::string_view(data.data(), data.size()));
  read_event out;
  if (const auto* error = object_at(whole.as_object(), "error")) {
    out.error = static_cast<int>(error->at("code").as_int64());
    return out;
  }
  const auto* result = object_at(whole.as_object(), "result");
  if (result == nullptr)
    return std::nullopt;
  auto& event = out.event;
  if (const auto* task = object_at(*result, "task")) {
    event.kind = event_kind::snapshot;
    event.task = read_task(*task);
    event.cursor = cursor_of(*task);
    const auto* metadata = object_at(*task, "metadata");
    event.has_gap = metadata != nullptr && metadata->contains("troupe/v1/gap");
    out.task = event.task.id;
  } else if (const auto* update = object_at(*result, "statusUpdate")) {
    event.kind = event_kind::status;
    out.task = event.task.id = text_at(*update, "taskId");
    read_status(*update, event.task);
    event.cursor = cursor_of(*update);
  } else if (const auto* made = object_at(*result, "artifactUpdate")) {
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

} // namespace troupe::sim
