// The rules of tasks as clients of both versions meet them (docs/a2a.md, "Tasks and messages").
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <future>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr const char* at_once = R"(,"configuration":{"returnImmediately":true})";

/// A task of the puppet that has begun; its id.
std::string begin_task(const net_bed& bed, std::size_t index = 0,
                       std::string_view in_message = "") {
  const auto sent = bed.result_of("SendMessage", text_message("work", in_message, at_once));
  static_cast<void>(bed.puppet->port(index));
  return at(sent, "/task/id");
}

std::string to_task(const std::string& id) {
  return R"(,"taskId":")" + id + "\"";
}

/// The error of a message in 0.3, which has no version header.
boost::json::value error_0_3(const net_bed& bed, const std::string& in_message,
                             const std::string& in_params = "") {
  const auto params =
      R"({"message":{"kind":"message","messageId":"m1","role":"user","parts":[{"kind":"text","text":"x"}])"
      + in_message + "}" + in_params + "}";
  const auto answer = bed.call(rpc("message/send", params), "");
  if (!answer.as_object().contains("error"))
    throw std::runtime_error(boost::json::serialize(answer));
  return answer.at("error");
}

std::string state_of(const net_bed& bed, const std::string& id) {
  return at(bed.result_of("GetTask", R"({"id":")" + id + "\"}"), "/status/state");
}

} // namespace

TEST_CASE("F1_terminal: a terminal task takes no message, in either version, and stays as it ended",
          "[net][rules]") {
  const net_bed bed({}, "puppet");
  const std::vector<agent_report> ends{report_completed{}, report_failed{"no", false},
                                       report_rejected{"never"}};
  std::vector<std::string> ended;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ended.push_back(begin_task(bed, i));
    bed.puppet->port(i)->report(ends[i]);
  }
  ended.push_back(begin_task(bed, ends.size()));
  static_cast<void>(bed.result_of("CancelTask", R"({"id":")" + ended.back() + "\"}"));
  for (const auto& id : ended) {
    REQUIRE(comes_true([&] { return state_of(bed, id) != "TASK_STATE_WORKING"; }));
    const auto before = bed.result_of("GetTask", R"({"id":")" + id + "\"}");
    CAPTURE(before);
    const auto refused = bed.error_of("SendMessage", text_message("more", to_task(id)));
    CHECK(at(refused, "/code") == "-32004");
    CHECK(at(refused, "/data/0/reason") == "UNSUPPORTED_OPERATION");
    CHECK(at(error_0_3(bed, to_task(id)), "/code") == "-32004");
    CHECK(bed.result_of("GetTask", R"({"id":")" + id + "\"}") == before);
  }
}

TEST_CASE("ids in a message are taken or refused by the table", "[net][rules]") {
  const net_bed bed({}, "puppet");
  const auto id = begin_task(bed, 0, R"(,"contextId":"ours")");
  struct row {
    const char* text;
    std::string in_message;
    const char* code;
  };
  const std::string too_long(
      257, 'c'); // has a name because clang-format 14 dies of a comma within a cell
  for (const auto& one : std::vector<row>{
           {"unknown task", to_task("nobody"), "-32001"},
           {"unknown task in a known context", R"(,"contextId":"ours")" + to_task("nobody"),
            "-32001"},
           {"known task, other context", R"(,"contextId":"theirs")" + to_task(id), "-32602"},
           {"a context with a slash", R"(,"contextId":"a/b")", "-32602"},
           {"a context with a control character", R"(,"contextId":"a\u0001b")", "-32602"},
           {"a context that is too long", R"(,"contextId":")" + too_long + "\"", "-32602"},
       }) {
    CAPTURE(one.text);
    CHECK(at(bed.error_of("SendMessage", text_message("x", one.in_message)), "/code") == one.code);
    CHECK(at(error_0_3(bed, one.in_message), "/code") == one.code);
  }
  // Adopted, empty as if absent, and inferred from the task.
  const auto adopted =
      bed.result_of("SendMessage", text_message("x", R"(,"contextId":"ours")", at_once));
  CHECK(at(adopted, "/task/contextId") == "ours");
  CHECK(at(adopted, "/task/id") != id);
  const auto fresh =
      bed.result_of("SendMessage", text_message("x", R"(,"contextId":"","taskId":"")", at_once));
  CHECK_THAT(at(fresh, "/task/contextId"), Catch::Matchers::StartsWith("ctx-"));
  const auto told = bed.result_of("SendMessage", text_message("more", to_task(id), at_once));
  CHECK(at(told, "/task/id") == id);
  CHECK(at(told, "/task/contextId") == "ours");
}

TEST_CASE("messages to a working task are its input, in order", "[net][rules]") {
  const net_bed bed({}, "puppet");
  const auto id = begin_task(bed);
  for (const auto* text : {"one", "two", "three"})
    CHECK(at(bed.result_of("SendMessage", text_message(text, to_task(id), at_once)),
             "/task/status/state")
          == "TASK_STATE_WORKING");
  CHECK(bed.puppet->input(0) == "one");
  CHECK(bed.puppet->input(1) == "two");
  CHECK(bed.puppet->input(2) == "three");
  const auto history = bed.result_of("GetTask", R"({"id":")" + id + "\"}").at("history").as_array();
  REQUIRE(history.size() == 4);
  CHECK(at(history[3], "/parts/0/text") == "three");
  CHECK(at(history[3], "/taskId") == id);
}

TEST_CASE("a status message that is replaced joins the history, which is shown as asked",
          "[net][rules]") {
  const net_bed bed({}, "puppet");
  const auto id = begin_task(bed);
  const auto port = bed.puppet->port(0);
  port->report(report_question{"which?", false});
  REQUIRE(comes_true([&] { return state_of(bed, id) == "TASK_STATE_INPUT_REQUIRED"; }));
  static_cast<void>(bed.result_of("SendMessage", text_message("this", to_task(id), at_once)));
  port->report(report_completed{{}, "done"});
  REQUIRE(comes_true([&] { return state_of(bed, id) == "TASK_STATE_COMPLETED"; }));
  const auto texts = [&](const std::string& length) {
    const auto task = bed.result_of("GetTask", R"({"id":")" + id + "\"" + length + "}");
    CHECK(at(task, "/status/message/parts/0/text") == "done");
    if (!task.as_object().contains("history"))
      return std::string("no key");
    std::string out;
    for (const auto& one : task.at("history").as_array())
      out += at(one, "/parts/0/text") + ";";
    return out;
  };
  CHECK(texts("") == "work;which?;this;");
  CHECK(texts(R"(,"historyLength":2)") == "which?;this;");
  CHECK(texts(R"(,"historyLength":99)") == "work;which?;this;");
  CHECK(texts(R"(,"historyLength":0)") == "no key");
  for (const auto* length : {"-1", "\"x\"", "1.5"})
    CHECK(at(bed.error_of("GetTask", R"({"id":")" + id + R"(","historyLength":)" + length + "}"),
             "/code")
          == "-32602");
}

TEST_CASE(
    "F2_follow_up, F4_artifact: a follow-up refers to ended tasks, and their artifacts reach the "
    "agent",
    "[net][rules]") {
  const net_bed bed({}, "puppet");
  const auto old = begin_task(bed);
  bed.puppet->port(0)->report(report_completed{{text_artifact("draft", "first words")}, ""});
  REQUIRE(comes_true([&] { return state_of(bed, old) == "TASK_STATE_COMPLETED"; }));
  const auto artifact =
      at(bed.result_of("GetTask", R"({"id":")" + old + "\"}"), "/artifacts/0/artifactId");
  const auto params = R"({"message":{"messageId":"m2","role":"ROLE_USER","referenceTaskIds":[")"
                      + old + R"("],"parts":[{"text":"shorter","metadata":{"referenceArtifactId":")"
                      + artifact + R"("}}]},"configuration":{"returnImmediately":true}})";
  const auto next = bed.result_of("SendMessage", params);
  const auto asked = bed.puppet->asked(1);
  REQUIRE(asked->references.size() == 1);
  CHECK(asked->references[0].id.str() == old);
  CHECK(text_of(asked->references[0].artifacts.at(0)->parts) == "first words");
  CHECK(asked->references[0].pinned == std::vector<std::string>{artifact});
  CHECK(at(next, "/task/history/0/referenceTaskIds/0") == old);

  const auto lost = bed.error_of(
      "SendMessage",
      R"({"message":{"messageId":"m","role":"ROLE_USER","referenceTaskIds":[")" + old
          + R"("],"parts":[{"text":"x","metadata":{"referenceArtifactId":"gone"}}]}})");
  CHECK(at(lost, "/code") == "-32602");
  CHECK_THAT(at(lost, "/message"), ContainsSubstring("gone"));
}

TEST_CASE("a client that accepts nothing that the agent makes is refused at once", "[net][rules]") {
  const net_bed bed;
  const auto with = [](const std::string& modes) {
    return R"(,"configuration":{"acceptedOutputModes":)" + modes + "}";
  };
  for (const auto* fine : {"[]", R"(["text/plain"])", R"(["image/png","text/*"])", R"(["*/*"])",
                           R"(["text"])", R"(["application/json"])"}) {
    CAPTURE(fine);
    CHECK(at(bed.result_of("SendMessage", text_message("x", "", with(fine))), "/task/status/state")
          == "TASK_STATE_COMPLETED");
  }
  const auto refused =
      bed.error_of("SendMessage", text_message("x", "", with(R"(["image/png","audio/*"])")));
  CHECK(at(refused, "/code") == "-32005");
  CHECK(at(refused, "/data/0/reason") == "CONTENT_TYPE_NOT_SUPPORTED");
  CHECK_THAT(at(refused, "/message"), ContainsSubstring("text/plain"));
  CHECK(at(error_0_3(bed, "", with(R"(["image/png"])")), "/code") == "-32005");
  CHECK(at(bed.result_of("ListTasks", "{}"), "/totalSize") == "6");
  // What comes in is taken whatever its type, unless an agent says otherwise.
  const auto odd =
      R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"AAAA","mediaType":"application/x-odd"}]}})";
  CHECK(at(bed.result_of("SendMessage", odd), "/task/status/state") == "TASK_STATE_COMPLETED");
}

TEST_CASE("cancel and completion race, and one of them wins", "[net][rules]") {
  const net_bed bed({}, "puppet");
  for (std::size_t i = 0; i < 20; ++i) {
    const auto id = begin_task(bed, i);
    const auto port = bed.puppet->port(i);
    auto canceling = std::async(
        std::launch::async, [&] { return bed.call(rpc("CancelTask", R"({"id":")" + id + "\"}")); });
    port->report(report_completed{});
    const auto answer = canceling.get();
    REQUIRE(comes_true([&] { return state_of(bed, id) != "TASK_STATE_WORKING"; }));
    const auto state = state_of(bed, id);
    CAPTURE(state, answer);
    if (answer.as_object().contains("error")) {
      CHECK(at(answer, "/error/code") == "-32002");
      CHECK(state == "TASK_STATE_COMPLETED");
    } else {
      CHECK(at(answer, "/result/status/state") == "TASK_STATE_CANCELED");
      CHECK(state == "TASK_STATE_CANCELED");
    }
  }
}

TEST_CASE("a task that asks can be canceled", "[net][rules]") {
  const net_bed bed({}, "puppet");
  for (const bool auth : {false, true}) {
    const auto id = begin_task(bed, auth ? 1 : 0);
    bed.puppet->port(auth ? 1 : 0)->report(report_question{"?", auth});
    REQUIRE(comes_true([&] { return state_of(bed, id) != "TASK_STATE_WORKING"; }));
    CHECK(at(bed.result_of("CancelTask", R"({"id":")" + id + "\"}"), "/status/state")
          == "TASK_STATE_CANCELED");
  }
}

TEST_CASE("the same message again is a new task unless the operator wants otherwise",
          "[net][rules][dedup]") {
  const net_bed plain;
  CHECK(at(plain.result_of("SendMessage", text_message("x")), "/task/id")
        != at(plain.result_of("SendMessage", text_message("x")), "/task/id"));

  executor_options how;
  how.deduplicate_seconds = 3600;
  const net_bed bed({}, "puppet", nullptr, how);
  auto first = std::async(std::launch::async,
                          [&] { return bed.result_of("SendMessage", text_message("x")); });
  const auto port = bed.puppet->port(0);
  // While it runs: the task as it is, waited for, or as a stream.
  auto blocking = std::async(std::launch::async,
                             [&] { return bed.result_of("SendMessage", text_message("x")); });
  auto client = bed.connect();
  client.send(http_client::post_text(rpc("SendStreamingMessage", text_message("x"))));
  static_cast<void>(client.receive_head());
  const auto snapshot = boost::json::parse(client.next_event().value());
  CHECK(at(snapshot, "/result/task/status/state") == "TASK_STATE_WORKING");
  port->report(report_completed{{}, "once"});
  const auto id = at(first.get(), "/task/id");
  CHECK(at(snapshot, "/result/task/id") == id);
  const auto second = blocking.get();
  CHECK(at(second, "/task/id") == id);
  CHECK(at(second, "/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(boost::json::parse(client.next_event().value()), "/result/statusUpdate/status/state")
        == "TASK_STATE_COMPLETED");
  CHECK_FALSE(client.next_event());
  // And once it has ended.
  CHECK(at(bed.result_of("SendMessage", text_message("x")), "/task/id") == id);
  const auto other = bed.error_of("SendMessage", text_message("y"));
  CHECK(at(other, "/code") == "-32602");
  CHECK_THAT(at(other, "/message"), ContainsSubstring("messageId"));
}
