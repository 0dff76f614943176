// What the caller of `remote_agent` is told about an agent's answers: section F of the contract.
#include "client/remote_agent/heard.hpp"
#include "client/remote_agent/words.hpp"
#include "tests/client/remote_agent/contract.hpp"

using namespace troupe;
using namespace troupe::testing;
using remote_agent::heard;
using wire::a2a_binding;
using wire::a2a_version;
using wire::wire_format;

namespace {

constexpr wire_format rpc_1_0{a2a_version::v1_0, a2a_binding::json_rpc};
constexpr wire_format rpc_0_3{a2a_version::v0_3, a2a_binding::json_rpc};
constexpr wire_format rest_0_3{a2a_version::v0_3, a2a_binding::rest};

remote_agent::heard_from support(std::optional<bool> streaming = true) {
  return {{"support",
           "https://support.example/",
           "/.well-known/agent-card.json",
           {"JSONRPC", "HTTP+JSON"}},
          "Support Agent",
          streaming};
}

void hear(heard& to, const std::string& text, wire_format format = rpc_0_3) {
  const auto raw = tree(text);
  const auto read = wire::read_answer(raw, format);
  INFO((read ? std::string{} : read.error().message));
  REQUIRE(read.has_value());
  to.take(*read, remote_agent::in_common_words(raw, format));
}

/// The summary after these answers.
boost::json::object summary_of(const std::vector<std::string>& answers, bool streams = false,
                               std::optional<bool> streaming = true) {
  heard all("", "", streams);
  for (const auto& each : answers)
    hear(all, each);
  return all.summary(support(streaming), all.task_id().empty() ? "" : "rah_1");
}

std::string a_task(const std::string& state, const std::string& more = {}) {
  return R"({"kind":"task","id":"t1","contextId":"c1","status":{"state":")" + state + R"("})" + more
         + "}";
}

std::string a_status(const std::string& state) {
  return R"({"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":")" + state
         + R"("},"final":false})";
}

std::string a_chunk(const std::string& text, bool append) {
  return R"({"kind":"artifact-update","taskId":"t1","contextId":"c1","append":)"
         + std::string(append ? "true" : "false")
         + R"(,"artifact":{"artifactId":"a","parts":[{"kind":"text","text":")" + text + R"("}]}})";
}

const std::string a_message =
    R"({"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"Hello"}]})";

} // namespace

TEST_CASE("remote-agent line 78: the summary names the agent, and says if it streams",
          "[client][remote-agent]") {
  const auto out = summary_of({a_message});
  CHECK(found_at(out, "/target_alias") == "support");
  CHECK(found_at(out, "/target_url") == "https://support.example/");
  CHECK(found_at(out, "/target_name") == "Support Agent");
  CHECK(found_at(out, "/streaming_supported") == "true");
  CHECK(found_at(summary_of({a_message}, false, std::nullopt), "/streaming_supported") == "(none)");
}

TEST_CASE("remote-agent line 79: the kind is message or task, or none after several messages",
          "[client][remote-agent]") {
  CHECK(found_at(summary_of({a_message}), "/response_kind") == "message");
  CHECK(found_at(summary_of({a_task("working")}), "/response_kind") == "task");
  CHECK(found_at(summary_of({a_status("working")}, true), "/response_kind") == "task");
  const auto second =
      R"({"kind":"message","messageId":"m2","role":"agent","parts":[{"kind":"text","text":"Bye"}]})";
  CHECK(found_at(summary_of({a_message, second}, true), "/response_kind") == "(none)");
}

TEST_CASE("remote-agent line 80: the text is that of all parts, of a task its history, then its "
          "artifacts",
          "[client][remote-agent]") {
  CHECK(found_at(summary_of({R"({"kind":"message","messageId":"m","role":"agent","parts":[)"
                             R"({"kind":"text","text":"a"},{"kind":"data","data":{}},)"
                             R"({"kind":"text","text":"b"}]})"}),
                 "/message_text")
        == "a\n\nb");
  const auto done = summary_of({a_task(
      "completed",
      R"(,"artifacts":[{"artifactId":"x","parts":[{"kind":"text","text":"made"}]}],)"
      R"("history":[{"kind":"message","messageId":"1","role":"user","parts":[{"kind":"text","text":"asked"}]},)"
      R"({"kind":"message","messageId":"2","role":"agent","parts":[{"kind":"text","text":"said"}]}])")});
  CHECK(found_at(done, "/message_text") == "asked\n\nsaid\n\nmade");
  CHECK(found_at(summary_of({a_task("completed")}), "/message_text") == "(none)");
}

TEST_CASE("remote-agent line 81: artifacts are those of the task, and chunks are put together",
          "[client][remote-agent]") {
  const auto whole =
      summary_of({a_task("completed", R"(,"artifacts":[{"artifactId":"x","parts":[]}])")});
  CHECK(found_at(whole, "/artifacts/0/artifactId") == "x");
  const auto chunks = summary_of({a_chunk("a", false), a_chunk("b", true)}, true);
  CHECK(found_at(chunks, "/artifacts/0/parts/1/text") == "b");
  CHECK(found_at(chunks, "/message_text") == "a\n\nb");
  const auto anew = summary_of({a_chunk("a", false), a_chunk("b", false)}, true);
  CHECK(found_at(anew, "/artifacts/0/parts/1") == "(none)");
  CHECK(found_at(anew, "/artifacts/0/parts/0/text") == "b");
  // Appended to one that is unknown: it begins.
  CHECK(found_at(summary_of({a_chunk("b", true)}, true), "/artifacts/0/parts/0/text") == "b");
}

TEST_CASE("remote-agent line 82: a continuation has the target, whole", "[client][remote-agent]") {
  CHECK(boost::json::serialize(summary_of({a_task("working")}).at("continuation").at("target"))
        == R"({"target_url":"https://support.example/","card_path":"/.well-known/agent-card.json",)"
           R"("preferred_transports":["JSONRPC","HTTP+JSON"],"target_alias":"support"})");
}

TEST_CASE("remote-agent line 83: a continuation has a task only if the agent made one",
          "[client][remote-agent]") {
  const auto out = summary_of({a_task("working")});
  CHECK(boost::json::serialize(out.at("continuation").at("task"))
        == R"({"task_handle":"rah_1","task_id":"t1","status":"working","can_resume_send":true,)"
           R"("can_send":true,"can_status":true,"can_cancel":true,"can_watch":true})");
  CHECK(found_at(summary_of({a_message}), "/continuation/task") == "(none)");
}

TEST_CASE("remote-agent line 84: a task that goes on can be resumed, sent to and canceled",
          "[client][remote-agent]") {
  for (const auto* state : {"submitted", "working", "input-required", "auth-required"}) {
    const auto out = summary_of({a_task(state)});
    for (const auto* can : {"can_resume_send", "can_send", "can_cancel", "can_status"})
      CHECK(found_at(out, "/continuation/task/" + std::string(can)) == "true");
  }
  for (const auto* state : {"completed", "failed", "canceled", "rejected"}) {
    const auto out = summary_of({a_task(state)});
    for (const auto* can : {"can_resume_send", "can_send", "can_cancel"})
      CHECK(found_at(out, "/continuation/task/" + std::string(can)) == "false");
    CHECK(found_at(out, "/continuation/task/can_status") == "true");
  }
}

TEST_CASE("remote-agent line 85: nobody can watch what has ended, or what does not stream",
          "[client][remote-agent]") {
  const auto can = [](const std::string& state, std::optional<bool> streaming) {
    return found_at(summary_of({a_task(state)}, false, streaming), "/continuation/task/can_watch");
  };
  CHECK(can("working", true) == "true");
  CHECK(can("working", std::nullopt) == "true");
  CHECK(can("working", false) == "false");
  CHECK(can("completed", true) == "false");
}

TEST_CASE("remote-agent line 86: a known context is a conversation", "[client][remote-agent]") {
  CHECK(
      boost::json::serialize(summary_of({a_task("working")}).at("continuation").at("conversation"))
      == R"({"context_id":"c1","can_send":true})");
  heard known("", "c9", false);
  hear(known, a_message);
  CHECK(found_at(known.summary(support(), ""), "/continuation/conversation/context_id") == "c9");
}

TEST_CASE("remote-agent line 87: without task and context there is no continuation",
          "[client][remote-agent]") {
  CHECK(found_at(summary_of({a_message}), "/continuation") == "(none)");
}

TEST_CASE("remote-agent line 88: a message about a task keeps the task", "[client][remote-agent]") {
  const auto about =
      R"({"kind":"message","messageId":"m","role":"agent","taskId":"t7","parts":[]})";
  CHECK(found_at(summary_of({about}), "/continuation/task/task_id") == "t7");
  heard known("t1", "c1", false);
  hear(known, a_message);
  CHECK(found_at(known.summary(support(), "rah_1"), "/continuation/task/task_id") == "t1");
}

TEST_CASE("remote-agent line 89: callers see one language, whatever the agent speaks",
          "[client][remote-agent]") {
  const auto common = [](const std::string& text, wire_format format) {
    return boost::json::serialize(remote_agent::in_common_words(tree(text), format));
  };
  CHECK(
      common(R"({"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED",)"
             R"("message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"Which?"}]}},)"
             R"("artifacts":[{"artifactId":"a","parts":[{"raw":"aGk=","mediaType":"text/plain",)"
             R"("filename":"f"},{"url":"https://u"},{"data":{"data":{}},"metadata":{"x":1}}]}]}})",
             rpc_1_0)
      == R"({"kind":"task","id":"t","contextId":"c","status":{"state":"input-required",)"
         R"("message":{"kind":"message","messageId":"m","role":"agent",)"
         R"("parts":[{"kind":"text","text":"Which?"}]}},)"
         R"("artifacts":[{"artifactId":"a","parts":[{"kind":"file","file":{"bytes":"aGk=",)"
         R"("name":"f","mimeType":"text/plain"}},{"kind":"file","file":{"uri":"https://u"}},)"
         R"({"kind":"data","data":{"data":{}},"metadata":{"x":1}}]}]})");
  CHECK(common(R"({"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"}}})",
               rpc_1_0)
        == R"({"kind":"status-update","taskId":"t","status":{"state":"completed"},"final":true})");
  CHECK(
      common(
          R"({"msg":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"a"},)"
          R"({"data":{"data":{"b":1}}},{"file":{"fileWithUri":"https://u","mimeType":"x/y"}}]}})",
          rest_0_3)
      == R"({"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"a"},)"
         R"({"kind":"data","data":{"b":1}},)"
         R"({"kind":"file","file":{"uri":"https://u","mimeType":"x/y"}}]})");
  CHECK(common(R"({"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"a","parts":[]},)"
               R"("append":true}})",
               rpc_1_0)
        == R"({"kind":"artifact-update","taskId":"t","artifact":{"artifactId":"a","parts":[]},)"
           R"("append":true})");
  CHECK(common(a_task("working", R"(,"own":1)"), rpc_0_3) == a_task("working", R"(,"own":1)"));
}

TEST_CASE("remote-agent line 90: raw is the answer, or all events of a stream",
          "[client][remote-agent]") {
  heard once("", "", false);
  hear(once, a_message);
  CHECK(found_at(once.raw(), "/kind") == "message");
  heard stream("", "", true);
  hear(stream, a_task("working"));
  hear(stream, a_status("completed"));
  CHECK(found_at(stream.raw(), "/events/0/kind") == "task");
  CHECK(found_at(stream.raw(), "/events/1/status/state") == "completed");
  CHECK(found_at(stream.raw(), "/finalEvent/kind") == "status-update");
}
