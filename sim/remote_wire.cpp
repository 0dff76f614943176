#include "sim/remote_wire.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "sim/http_request.hpp"
#include "sim/object_text.hpp"
#include "sim/views.hpp"

namespace troupe::sim {

namespace json = boost::json;

namespace {

/// What 0.3 calls the methods of 1.0.
constexpr auto old_names = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"message/send", "SendMessage"},
    {"message/stream", "SendStreamingMessage"},
    {"tasks/get", "GetTask"},
    {"tasks/cancel", "CancelTask"},
    {"tasks/resubscribe", "SubscribeToTask"},
});

/// "TASK_STATE_INPUT_REQUIRED" is "input-required" in 0.3.
std::string state_name(const std::string& state, remote_version how) {
  if (how == remote_version::v1_0)
    return state;
  auto out = state.substr(std::string_view("TASK_STATE_").size());
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c == '_' ? '-' : static_cast<char>(c | 0x20); });
  return out;
}

std::string parts_json(const std::string& text, remote_version how) {
  object_text part;
  if (how == remote_version::v0_3)
    part.add("kind", R"("text")");
  return "[" + part.add("text", quoted(text)).str() + "]";
}

std::string status_json(const remote_view& task, remote_version how) {
  object_text out;
  out.add("state", quoted(state_name(task.state, how)));
  if (!task.words.empty())
    out.add("message", message_json(task.words_id, task.words, how));
  return out.str();
}

std::string artifact_json(const std::string& id, const std::string& text, remote_version how) {
  return object_text().add("artifactId", quoted(id)).add("parts", parts_json(text, how)).str();
}

/// An event as 1.0 wraps it and 0.3 marks it.
std::string event_json(std::string_view name_1_0, std::string_view kind_0_3, object_text members,
                       remote_version how) {
  if (how == remote_version::v0_3)
    return members.add("kind", quoted(kind_0_3)).str();
  return object_text().add(name_1_0, members.str()).str();
}

object_text ids_of(const remote_view& task) {
  object_text out;
  return out.add("taskId", quoted(task.id)).add("contextId", quoted(task.context));
}

} // namespace

std::optional<remote_request> take_request(std::string& bytes) {
  const auto taken = take_http_request(bytes);
  if (!taken)
    return std::nullopt;
  remote_request out;
  out.is_card = taken->head.starts_with("GET ");
  out.key = taken->header("Idempotency-Key");
  boost::system::error_code failed;
  const auto whole = json::parse(taken->body, failed);
  if (failed || !whole.is_object())
    return out;
  out.method = text_at(whole.as_object(), "method");
  for (const auto& [old, name] : old_names)
    if (out.method == old)
      out.method = name;
  if (const auto* params = object_at(whole.as_object(), "params"))
    out.params = *params;
  return out;
}

std::string message_json(const std::string& id, const std::string& text, remote_version how) {
  object_text out;
  out.add("messageId", quoted(id));
  out.add("role", how == remote_version::v1_0 ? R"("ROLE_AGENT")" : R"("agent")");
  out.add("parts", parts_json(text, how));
  if (how == remote_version::v0_3)
    out.add("kind", R"("message")");
  return out.str();
}

std::string task_json(const remote_view& task, remote_version how) {
  object_text out;
  out.add("id", quoted(task.id)).add("contextId", quoted(task.context));
  out.add("status", status_json(task, how));
  std::string artifacts;
  for (const auto& [id, text] : task.artifacts)
    artifacts += (artifacts.empty() ? "" : ",") + artifact_json(id, text, how);
  out.add("artifacts", "[" + artifacts + "]");
  if (how == remote_version::v0_3)
    out.add("kind", R"("task")");
  return out.str();
}

std::string sent_task_json(const remote_view& task, remote_version how) {
  return how == remote_version::v0_3 ? task_json(task, how)
                                     : object_text().add("task", task_json(task, how)).str();
}

std::string status_event(const remote_view& task, remote_version how) {
  auto members = ids_of(task);
  members.add("status", status_json(task, how));
  if (how == remote_version::v0_3)
    members.add("final", task.state == "TASK_STATE_WORKING" ? "false" : "true");
  return event_json("statusUpdate", "status-update", std::move(members), how);
}

std::string chunk_event(const remote_view& task, const std::string& artifact,
                        const std::string& text, bool append, remote_version how) {
  auto members = ids_of(task);
  members.add("artifact", artifact_json(artifact, text, how));
  members.add("append", append ? "true" : "false");
  return event_json("artifactUpdate", "artifact-update", std::move(members), how);
}

std::string card_json(const std::string& url, bool streams, bool is_idempotent,
                      remote_version how) {
  object_text can;
  can.add("streaming", streams ? "true" : "false");
  if (is_idempotent)
    can.add("extensions", R"([{"uri":"urn:troupe:idempotent-send:v1"}])");
  object_text out;
  out.add("name", R"("remote")").add("description", R"("a remote agent")");
  out.add("version", R"("1")").add("capabilities", can.str()).add("skills", "[]");
  out.add("defaultInputModes", R"(["text/plain"])");
  out.add("defaultOutputModes", R"(["text/plain"])");
  if (how == remote_version::v1_0)
    out.add("supportedInterfaces", "["
                                       + object_text()
                                             .add("url", quoted(url))
                                             .add("protocolBinding", R"("JSONRPC")")
                                             .add("protocolVersion", R"("1.0")")
                                             .str()
                                       + "]");
  else
    out.add("url", quoted(url))
        .add("preferredTransport", R"("JSONRPC")")
        .add("protocolVersion", R"("0.3.0")");
  return out.str();
}

std::string rpc_result(const std::string& result) {
  return R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
}

std::string rpc_error(int code, const std::string& message) {
  return R"({"jsonrpc":"2.0","id":1,"error":{"code":)" + std::to_string(code) + R"(,"message":)"
         + quoted(message) + "}}";
}

std::string http_answer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string stream_head() {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
}

std::string stream_event_bytes(const std::string& data) {
  const auto event = "data: " + data + "\n\n";
  char size[32];
  const auto length = std::snprintf(size, sizeof size, "%zx\r\n", event.size());
  return std::string(size, static_cast<std::size_t>(length)) + event + "\r\n";
}

std::string stream_end() {
  return "0\r\n\r\n";
}

} // namespace troupe::sim
