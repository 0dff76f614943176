// Calls of `remote_agent` against a server that answers from a script: sections E to J of the
// contract.
#include "client/http_client.hpp"
#include "client/remote_agent/limits.hpp"
#include "client/remote_agent/peer_fault.hpp"
#include "tests/client/remote_agent/tool_bed.hpp"

#include <stdexcept>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

const std::string a_status = R"({"action":"status","task_id":"task-456"})";
const std::string a_watch = R"({"action":"watch","task_id":"task-456"})";

std::string code_of(const boost::json::object& answer) {
  CHECK(found_at(answer, "/ok") == "false");
  return found_at(answer, "/error/code");
}

} // namespace

TEST_CASE("remote-agent line 46: a returned continuation is taken as it is",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(task_text("input-required")),
                     rpc_answer(task_text("completed"))});
  const auto first = bed.ask(a_send());
  const auto continued = boost::json::serialize(first.at("summary").at("continuation"));
  const auto second = bed.ask(R"({"action":"status","continuation":)" + continued + "}");
  CHECK(found_at(second, "/summary/continuation/task/status") == "completed");
  CHECK(found_at(bed.sent(2), "/params/id") == "task-456");
}

TEST_CASE("remote-agent line 69: an answer to a question has the id of the task",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(task_text("input-required")),
                     rpc_answer(task_text("completed")), rpc_answer(task_text("completed"))});
  const auto first = bed.ask(a_send());
  static_cast<void>(bed.ask(a_send(
      R"(,"continuation":)" + boost::json::serialize(first.at("summary").at("continuation")))));
  CHECK(found_at(bed.sent(2), "/params/message/taskId") == "task-456");
  CHECK(found_at(bed.sent(2), "/params/message/contextId") == "ctx-456");
  static_cast<void>(bed.ask(a_send(
      R"(,"task_handle":")" + found_at(first, "/summary/continuation/task/task_handle") + "\"")));
  CHECK(found_at(bed.sent(3), "/params/message/taskId") == "task-456");
  CHECK(found_at(bed.sent(3), "/params/message/contextId") == "ctx-456");
}

TEST_CASE("remote-agent line 28: each message has an id of its own", "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(message_text),
                     rpc_answer(message_text), rpc_answer(message_text)});
  static_cast<void>(bed.ask(a_send()));
  static_cast<void>(bed.ask(a_send()));
  static_cast<void>(bed.ask(a_send(R"(,"message_id":"own")")));
  const auto id = [&](std::size_t of) {
    return found_at(bed.sent(of), "/params/message/messageId");
  };
  CHECK(id(1).size() == 36);
  CHECK(id(1) != id(2));
  CHECK(id(3) == "own");
}

TEST_CASE("remote-agent line 71: a required task is followed from its first answer on",
          "[client][remote-agent]") {
  tool_bed bed;
  const auto request = a_send(R"(,"task_requirement":"required","follow_updates":true)");
  SECTION("and what the stream repeats is dropped") {
    bed.server.script({json_answer(card_text(bed.server)), rpc_answer(task_text("working")),
                       stream_answer({task_text("working"), status_text("completed", true)})});
    const auto answer = bed.ask(request);
    CHECK(found_at(bed.sent(1), "/method") == "message/send");
    CHECK(found_at(bed.sent(1), "/params/configuration/blocking") == "false");
    CHECK(found_at(bed.sent(2), "/method") == "tasks/resubscribe");
    CHECK(answer.at("raw").at("events").as_array().size() == 2);
    CHECK(found_at(answer, "/raw/finalEvent/status/state") == "completed");
  }
  SECTION("and not at all once it has ended") {
    bed.server.script({json_answer(card_text(bed.server)), rpc_answer(task_text("completed"))});
    const auto answer = bed.ask(request);
    CHECK(answer.at("raw").at("events").as_array().size() == 1);
    CHECK(bed.server.received().size() == 2);
  }
}

TEST_CASE("remote-agent line 72: to follow a send needs no task", "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), stream_answer({message_text})});
  const auto answer = bed.ask(a_send(R"(,"follow_updates":true)"));
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(found_at(bed.sent(1), "/method") == "message/stream");
  CHECK(found_at(answer, "/summary/response_kind") == "message");
  CHECK(found_at(answer, "/summary/continuation/task") == "(none)");
}

TEST_CASE("remote-agent line 75: the time-out is for the whole call, and the task goes on",
          "[client][remote-agent]") {
  tool_bed bed;
  const auto begun = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"result\":"
                     + task_text("working") + "}\n\n";
  bed.server.script({json_answer(card_text(bed.server)), begun});
  const auto answer = bed.ask(a_send(R"(,"follow_updates":true,"timeout_ms":5000)"), 100ms, 2, 1);
  CHECK(code_of(answer) == "A2A_SDK_ERROR");
  CHECK(found_at(answer, "/error/details/timeout_ms") == "5000");
  CHECK(found_at(answer, "/error/details/continuation/task/task_id") == "task-456");
  CHECK(found_at(answer, "/error/details/continuation/task/can_watch") == "true");
}

TEST_CASE("remote-agent line 109: a time-out says so, and what to do", "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), "HTTP/1.1 200 OK\r\n"});
  const auto answer = bed.ask(a_send(), 1s, 2); // two minutes, as the settings say
  CHECK(code_of(answer) == "A2A_SDK_ERROR");
  CHECK(found_at(answer, "/error/message").find("120000 ms") != std::string::npos);
  CHECK(found_at(answer, "/error/details/cause") == "timeout");
  CHECK(found_at(answer, "/error/details/hint").find("continuation") != std::string::npos);
}

TEST_CASE("remote-agent line 77: an answer has its five members", "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(message_text)});
  const auto answer = bed.ask(a_send());
  std::vector<std::string> names;
  for (const auto& each : answer)
    names.emplace_back(std::string_view(each.key().data(), each.key().size()));
  CHECK(names == texts{"ok", "operation", "action", "summary", "raw"});
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(found_at(answer, "/operation") == "remote_agent");
  CHECK(found_at(answer, "/action") == "send");
}

TEST_CASE("remote-agent line 91: what happens on the way is told as it comes",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)),
                     stream_answer({task_text("submitted"), status_text("completed", true)})});
  const auto answer = bed.ask(a_send(R"(,"follow_updates":true)"));
  REQUIRE(bed.updates.size() == 2);
  CHECK(found_at(bed.updates[0], "/phase") == "update");
  CHECK(found_at(bed.updates[0], "/summary/continuation/task/status") == "submitted");
  CHECK(found_at(bed.updates[0], "/raw/kind") == "task");
  CHECK(found_at(bed.updates[1], "/raw/kind") == "status-update");
  CHECK(found_at(answer, "/phase") == "(none)");
}

TEST_CASE("remote-agent line 96: all cards are asked for at once, and one that fails stays listed",
          "[client][remote-agent]") {
  push_receiver other;
  push_receiver refusing;
  const auto target = [](const std::string& alias, const std::string& url) {
    return R"({"alias":")" + alias + R"(","baseUrl":")" + url + R"("})";
  };
  tool_bed bed(settings_of(R"({"targets":[)" + target("a", other.url("/")) + ","
                           + target("b", refusing.url("/")) + "]}"));
  other.script({json_answer(card_text(other))});
  refusing.script({json_answer("{}", "", 500)});
  const auto answer = bed.ask(R"({"action":"list_targets"})");
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(found_at(answer, "/summary/targets/0/target_name") == "Support Agent");
  const auto& failed = answer.at("summary").at("targets").at(1);
  CHECK(found_at(failed, "/target_alias") == "b");
  CHECK(found_at(failed, "/peer_card/skills") == "[]");
  CHECK(found_at(failed, "/peer_card/additional_interfaces") == "[]");
  CHECK(found_at(failed, "/peer_card/default_input_modes") == "[]");
  CHECK(found_at(failed, "/last_refresh_error/code") == "unavailable");
  CHECK(found_at(failed, "/last_refresh_error/message").find("500") != std::string::npos);
  CHECK(found_at(answer, "/raw/1/card/lastRefreshError/code") == "unavailable");
  CHECK(other.received().size() == 1);
  CHECK(refusing.received().size() == 1);
}

TEST_CASE("remote-agent line 96: no card waits for another one", "[client][remote-agent]") {
  push_receiver first;
  push_receiver second;
  // Each is answered once both were asked.
  const auto answer_behind = [](push_receiver& own, const push_receiver& other) {
    own.answer_with([&](const received_post&) {
      return comes_true([&] { return !other.received().empty(); }) ? json_answer(card_text(own))
                                                                   : json_answer("{}", "", 500);
    });
  };
  answer_behind(first, second);
  answer_behind(second, first);
  tool_bed bed(settings_of(R"({"targets":[{"alias":"a","baseUrl":")" + first.url("/")
                           + R"("},{"alias":"b","baseUrl":")" + second.url("/") + R"("}]})"));
  const auto answer = bed.ask(R"({"action":"list_targets"})");
  CHECK(found_at(answer, "/summary/targets/0/target_name") == "Support Agent");
  CHECK(found_at(answer, "/summary/targets/1/target_name") == "Support Agent");
}

TEST_CASE("remote-agent line 76: of a card with both versions 1.0 is spoken, and the words stay",
          "[client][remote-agent]") {
  tool_bed bed;
  auto both = card_text(bed.server);
  both.insert(both.rfind('}'), R"(,"supportedInterfaces":[{"url":")" + bed.server.url("/one")
                                   + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}])");
  bed.server.script(
      {json_answer(both),
       rpc_answer(R"({"id":"task-456","contextId":"c","status":{"state":"TASK_STATE_WORKING"}})")});
  const auto answer = bed.ask(a_status);
  REQUIRE(bed.server.received().size() == 2);
  const auto asked = bed.server.received()[1];
  CHECK(asked.target == "/one");
  CHECK(asked.header("a2a-version") == "1.0");
  CHECK(bed.sent(1).at("method") == "GetTask");
  CHECK(found_at(answer, "/summary/continuation/task/status") == "working");
}

TEST_CASE("remote-agent line 66: an agent that speaks another version than its card says gets that "
          "one's words",
          "[client][remote-agent]") {
  tool_bed bed;
  const bool follows = GENERATE(false, true);
  const std::string task =
      R"({"task":{"id":"task-456","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}})";
  bed.server.script({json_answer(card_text(bed.server)), rpc_refusal(-32601, "no such method"),
                     follows ? stream_answer({task}) : rpc_answer(task)});
  const auto answer = bed.ask(a_send(follows ? R"(,"follow_updates":true)" : ""));
  REQUIRE(bed.server.received().size() == 3);
  CHECK(found_at(bed.sent(1), "/params/message/role") == "user");
  CHECK(bed.server.received()[2].header("a2a-version") == "1.0");
  CHECK(found_at(bed.sent(2), "/method") == (follows ? "SendStreamingMessage" : "SendMessage"));
  CHECK(found_at(bed.sent(2), "/params/message/role") == "ROLE_USER");
  CHECK(found_at(bed.sent(2), "/params/message/messageId")
        == found_at(bed.sent(1), "/params/message/messageId"));
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(found_at(answer, "/summary/continuation/task/status") == "completed");
}

TEST_CASE("remote-agent line 98: a card is kept for its max-age, and asked for by its ETag then",
          "[client][remote-agent]") {
  tool_bed bed;
  const auto old_headers = "ETag: \"v1\"\r\nCache-Control: public, max-age=60\r\n";
  bed.server.script({json_answer(card_text(bed.server), old_headers),
                     answer_text(304, "ETag: \"v1\"\r\nCache-Control: max-age=60\r\n"),
                     json_answer(card_text(bed.server, false), "ETag: \"v2\"\r\n"),
                     json_answer(card_text(bed.server, false), "ETag: \"v2\"\r\n")});
  const auto list = [&] {
    return found_at(bed.ask(R"({"action":"list_targets"})"),
                    "/summary/targets/0/streaming_supported");
  };
  CHECK(list() == "true");
  CHECK(list() == "true");
  CHECK(bed.server.received().size() == 1);
  bed.time.pass(61s);
  CHECK(list() == "true");
  REQUIRE(bed.server.received().size() == 2);
  CHECK(bed.server.received()[1].header("if-none-match") == "\"v1\"");
  CHECK(list() == "true"); // it holds for another minute
  CHECK(bed.server.received().size() == 2);
  bed.time.pass(61s);
  CHECK(list() == "false");
  CHECK(list() == "false"); // it does not say for how long: it is asked for each time
  REQUIRE(bed.server.received().size() == 4);
  CHECK(bed.server.received()[3].header("if-none-match") == "\"v2\"");
}

TEST_CASE("remote-agent line 99: a failure has its four members", "[client][remote-agent]") {
  tool_bed bed;
  const auto answer = bed.ask(R"({"action":"send"})");
  std::vector<std::string> names;
  for (const auto& each : answer)
    names.emplace_back(std::string_view(each.key().data(), each.key().size()));
  CHECK(names == texts{"ok", "operation", "action", "error"});
  CHECK(code_of(answer) == "VALIDATION_ERROR");
  CHECK(found_at(bed.ask("[]"), "/action") == "unknown");
}

TEST_CASE("remote-agent line 106: a message in place of a required task is an error",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(message_text)});
  const auto answer = bed.ask(a_send(R"(,"task_requirement":"required")"));
  CHECK(code_of(answer) == "TASK_REQUIRED_BUT_MESSAGE_RETURNED");
  CHECK(found_at(answer, "/error/details/context_id") == "ctx-1");
  CHECK(found_at(answer, "/error/details/message_id") == "m");
  CHECK(found_at(answer, "/error/details/response_kind") == "message");
}

TEST_CASE("remote-agent line 108: refusals have their numbers, and networks their word",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_refusal(-32001, "no such task"),
                     answer_text(503, {}, "busy"), json_answer("<html>")});
  const auto refused = bed.ask(a_status);
  CHECK(code_of(refused) == "A2A_SDK_ERROR");
  CHECK(found_at(refused, "/error/details/rpcCode") == "-32001");
  CHECK(found_at(refused, "/error/message") == "no such task");
  CHECK(found_at(refused, "/error/details/continuation") == "(none)"); // Its only task is none.
  CHECK(found_at(bed.ask(a_status), "/error/details/httpStatus") == "503");
  CHECK(found_at(bed.ask(a_status), "/error/details/cause") == "decode");
  std::string gone;
  {
    const push_receiver nothing;
    gone = nothing.url("/");
  }
  tool_bed alone(
      settings_of(R"({"targets":[{"alias":"a","baseUrl":")" + gone + R"(","default":true}]})"));
  CHECK(found_at(alone.ask(a_status), "/error/details/cause") == "refused");
}

TEST_CASE(
    "remote-agent line 108: a connection that breaks, and one that is not trusted, have words",
    "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), "", ""});
  CHECK(found_at(bed.ask(a_status), "/error/details/cause") == "reset");
  auto stranger = std::make_unique<push_receiver>(make_test_certificate({"127.0.0.1"}));
  const auto url = "https://127.0.0.1:" + std::to_string(stranger->port()) + "/";
  tool_bed over_tls(
      settings_of(R"({"targets":[{"alias":"a","baseUrl":")" + url + R"(","default":true}]})"),
      std::move(stranger));
  CHECK(found_at(over_tls.ask(a_status), "/error/details/cause") == "tls");
}

TEST_CASE("remote-agent line 108: callers get no other word for a cause than the seven",
          "[client][remote-agent]") {
  const auto [noted, word] = GENERATE(table<const char*, const char*>({
      {"refused", "refused"},
      {"reset", "reset"},
      {"dns", "dns"},
      {"tls", "tls"},
      {"address", "address"},
      {"timeout", "timeout"},
      {"breaker", "refused"},
      {"proxy", "refused"},
      {"busy", "timeout"},
      {"memory", "decode"},
      {"anything else", ""},
  }));
  const auto fault = remote_agent::peer_fault(
      net::with_cause(make_error(errc::unavailable, "it did not work"), noted));
  const auto* told = fault.details.if_contains("cause");
  CHECK((told == nullptr ? "" : *told) == boost::json::value(word));
}

TEST_CASE("remote-agent line 61: a URL that the policy allows leads to public addresses only",
          "[client][remote-agent]") {
  tool_bed bed(R"(,"policy":{"allowTargetUrlOverride":true})");
  const push_receiver inner;
  const auto answer = bed.ask(a_send(R"(,"target_url":")" + inner.url("/") + "\""));
  CHECK(found_at(answer, "/error/details/cause") == "address");
  CHECK(inner.connections() == 0);
}

TEST_CASE("remote-agent line 110: a broken stream says how far it came", "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script(
      {json_answer(card_text(bed.server)),
       answer_text(200, "Content-Type: text/event-stream\r\n",
                   "data: {\"result\":" + task_text("working") + "}\n\ndata: <html>\n\n")});
  const auto answer = bed.ask(a_send(R"(,"follow_updates":true)"));
  CHECK(code_of(answer) == "A2A_SDK_ERROR");
  CHECK(found_at(answer, "/error/details/partial_event_count") == "1");
  CHECK(found_at(answer, "/error/details/latest_event_summary/continuation/task/status")
        == "working");
  CHECK(found_at(answer, "/error/details/continuation/task/task_id") == "task-456");
  CHECK(found_at(answer, "/error/details/cause") == "decode");
}

TEST_CASE("remote-agent line 111: an agent that does not stream cannot be watched, and the task is "
          "named",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server, false)), rpc_answer(task_text("working"))});
  const auto answer = bed.ask(a_watch);
  CHECK(code_of(answer) == "A2A_SDK_ERROR");
  CHECK(found_at(answer, "/error/details/task_id") == "task-456");
  CHECK(found_at(answer, "/error/details/suggested_action") == "status");
}

TEST_CASE("remote-agent line 112: a stream without events is an error that says so",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), stream_answer({})});
  const auto answer = bed.ask(a_send(R"(,"follow_updates":true)"));
  CHECK(code_of(answer) == "A2A_SDK_ERROR");
  CHECK(found_at(answer, "/error/message") == "the stream ended without an event");
}

TEST_CASE("remote-agent line 113: what goes wrong inside is an internal error",
          "[client][remote-agent]") {
  push_receiver server;
  server.script({json_answer(card_text(server)), stream_answer({task_text("working")})});
  remote_agent::blocking_tool tool(settings_of(R"({"targets":[{"alias":"a","baseUrl":")"
                                               + server.url("/") + R"(","default":true}]})"));
  const auto answer =
      tool.call(tree(a_send(R"(,"follow_updates":true)")),
                [](const boost::json::object&) { throw std::runtime_error("no place to go"); });
  CHECK(code_of(answer) == "INTERNAL_ERROR");
  CHECK(found_at(answer, "/action") == "send");
}

TEST_CASE("remote-agent line 114: a failed send compares media types with the card's",
          "[client][remote-agent]") {
  const auto request =
      R"({"action":"send","parts":[{"kind":"data","data":{}}],"accepted_output_modes":["image/png"])";
  for (const auto* more : {"}", R"(,"follow_updates":true})"}) {
    tool_bed bed;
    bed.server.script({json_answer(card_text(bed.server)), rpc_refusal(-32005, "not that")});
    const auto answer = bed.ask(request + std::string(more));
    CHECK(code_of(answer) == "A2A_SDK_ERROR");
    const auto at = [&](const std::string& name) {
      return found_at(answer, "/error/details/capability_diagnostics/" + name);
    };
    CHECK(at("requested_input_modes") == R"(["application/json"])");
    CHECK(at("advertised_input_modes") == R"(["text/plain"])");
    CHECK(at("unsupported_input_modes") == R"(["application/json"])");
    CHECK(at("unsupported_output_modes") == R"(["image/png"])");
    CHECK(at("unknown_file_attachments") == "[]");
  }
}

TEST_CASE("remote-agent line 116: media types never keep a request from being sent",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(message_text)});
  const auto answer = bed.ask(R"({"action":"send","parts":[{"kind":"data","data":{}}]})");
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(bed.server.received().size() == 2);
}

TEST_CASE("remote-agent line 118: only real tasks have handles", "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(message_text),
                     rpc_refusal(-32001, "no such task"), rpc_answer(task_text("working"))});
  CHECK(found_at(bed.ask(a_send()), "/summary/continuation/task") == "(none)");
  CHECK(found_at(bed.ask(a_status), "/error/details/continuation/task/task_handle") == "(none)");
  CHECK(bed.tool().known_handles().size() == 0);
  CHECK(found_at(bed.ask(a_status), "/summary/continuation/task/task_handle").starts_with("rah_"));
  CHECK(bed.tool().known_handles().size() == 1);
}

TEST_CASE("a task whose id, or whose context, is too long has no handle",
          "[client][remote-agent]") {
  const std::string too_long(id_bytes_max + 1, 'x');
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(task_text("working", too_long)),
                     rpc_answer(R"({"kind":"task","id":"t","contextId":")" + too_long
                                + R"(","status":{"state":"working"}})")});
  CHECK(found_at(bed.ask(a_send()), "/error/message") == "answer.id: longer than 256 bytes");
  const auto answer = bed.ask(a_send());
  CHECK(found_at(answer, "/summary/continuation/conversation/context_id") == too_long);
  CHECK(found_at(answer, "/summary/continuation/task/task_handle") == "(none)");
  CHECK(bed.tool().known_handles().size() == 0);
}

TEST_CASE("remote-agent line 121: another process does not know a handle, and says what to do",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(task_text("working"))});
  const auto handle = found_at(bed.ask(a_send()), "/summary/continuation/task/task_handle");
  tool_bed next;
  const auto answer = next.ask(R"({"action":"status","task_handle":")" + handle + R"("})");
  CHECK(code_of(answer) == "UNKNOWN_TASK_HANDLE");
  CHECK(found_at(answer, "/error/details/restartInvalidatesHandles") == "true");
}

TEST_CASE("remote-agent line 122: asking for a task by its id makes no new handle each time",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(task_text("working")),
                     rpc_answer(task_text("working"))});
  const auto first = found_at(bed.ask(a_status), "/summary/continuation/task/task_handle");
  CHECK(found_at(bed.ask(a_status), "/summary/continuation/task/task_handle") == first);
}

TEST_CASE("remote-agent line 123: the end of a task that nobody may watch any more is its last "
          "event",
          "[client][remote-agent]") {
  for (const int code : {-32004, -32001}) {
    tool_bed bed;
    bed.server.script({json_answer(card_text(bed.server)), rpc_refusal(code, "it has ended"),
                       rpc_answer(task_text("completed"))});
    const auto answer = bed.ask(a_watch);
    CHECK(found_at(answer, "/ok") == "true");
    CHECK(found_at(answer, "/raw/events/0/kind") == "task");
    CHECK(found_at(answer, "/raw/finalEvent/status/state") == "completed");
  }
}

TEST_CASE("remote-agent line 124: a stream that ends while the task works is taken up again",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), stream_answer({task_text("working")}),
                     stream_answer({status_text("completed", true)})});
  const auto answer = bed.ask(a_send(R"(,"follow_updates":true)"), 10ms, 2);
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(found_at(bed.sent(2), "/method") == "tasks/resubscribe");
  CHECK(answer.at("raw").at("events").as_array().size() == 2);
}

TEST_CASE("remote-agent line 124: who may have missed updates is told", "[client][remote-agent]") {
  const auto chunk = [](const std::string& metadata) {
    return R"({"kind":"artifact-update","taskId":"task-456","contextId":"ctx-456","artifact":{)"
           R"("artifactId":"a","parts":[{"kind":"text","text":"x"}]})"
           + metadata + "}";
  };
  const std::string gap_task = R"({"kind":"task","id":"task-456","contextId":"ctx-456",)"
                               R"("status":{"state":"working"},"metadata":{"troupe/v1/gap":true}})";
  const auto [first, misses] = GENERATE_COPY(table<std::string, std::string>({
      {task_text("working"), "(none)"},
      {chunk({}), "true"},
      {chunk(R"(,"metadata":{"troupe/v1/cursor":"5.0"})"), "(none)"},
      {gap_task, "true"},
  }));
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), stream_answer({task_text("working")}),
                     stream_answer({first, status_text("completed", true)})});
  const auto answer = bed.ask(a_send(R"(,"follow_updates":true)"), 10ms, 2);
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(found_at(answer, "/summary/missed_updates") == misses);
}

TEST_CASE("remote-agent line 124: events of other tasks are dropped and counted",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script(
      {json_answer(card_text(bed.server)),
       stream_answer({task_text("working"), task_text("failed", "task-9"),
                      task_text("working", "task-9"), status_text("completed", true)})});
  const auto answer = bed.ask(a_send(R"(,"follow_updates":true)"));
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(found_at(answer, "/summary/dropped_events") == "2");
  CHECK(answer.at("raw").at("events").as_array().size() == 2);
}

TEST_CASE("remote-agent line 124: a stream ends at a question", "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)),
                     "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"result\":"
                         + task_text("input-required") + "}\n\n"});
  const auto answer = bed.ask(a_watch);
  CHECK(found_at(answer, "/summary/continuation/task/status") == "input-required");
}

TEST_CASE("remote-agent line 125: a cancel is answered with the state that the agent gives",
          "[client][remote-agent]") {
  tool_bed bed;
  bed.server.script({json_answer(card_text(bed.server)), rpc_answer(task_text("working")),
                     rpc_answer(task_text("canceled"))});
  const std::string request = R"({"action":"cancel","task_id":"task-456"})";
  const auto first = bed.ask(request);
  CHECK(found_at(first, "/ok") == "true");
  CHECK(found_at(first, "/summary/continuation/task/status") == "working");
  CHECK(found_at(bed.ask(request), "/summary/continuation/task/status") == "canceled");
  CHECK(found_at(bed.sent(1), "/method") == "tasks/cancel");
}

TEST_CASE("remote-agent line 19: a target whose credentials cannot be read is refused when it is "
          "asked",
          "[client][remote-agent]") {
  auto known = two_targets();
  known.targets[0].unusable = make_error(errc::unavailable, "the variable TOKEN is not set");
  tool_bed bed(std::move(known));
  const auto answer = bed.ask(a_send());
  CHECK(found_at(answer, "/error/message") == "the variable TOKEN is not set");
}
