#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/limits.hpp"
#include "tests/protocol/codec_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

using namespace troupe;
using namespace troupe::test;
namespace json = boost::json;

namespace {

template<class... Value>
std::string written(const Value&... value) {
  return text_from([&](json_writer& to) { v1_0::write(to, value...); });
}

/// The named place of `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}` and what it
/// says.
std::string with_message(std::string_view more) {
  return R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}])"
         + std::string{more} + "}}";
}

result<part> read_part(std::string_view text) {
  return v1_0::read_part(parsed(text), "part");
}

task task_with_history(std::size_t turns) {
  auto out = small_task();
  for (std::size_t i = 0; i < turns; ++i)
    out.history.push_back(agent_says("turn " + std::to_string(i)));
  return out;
}

std::string stream_event(const event& happened, bool expected = true) {
  return text_from([&](json_writer& to) {
    CHECK(v1_0::write_stream_event(to, small_change(), happened) == expected);
  });
}

} // namespace

// -- writing --------------------------------------------------------------------------------------

TEST_CASE("a part is written with exactly one content", "[protocol][codec_v1_0]") {
  CHECK(written(text_part("hi")) == R"({"text":"hi"})");
  CHECK(written(part{raw_content{"\x01\x02"}, "image/png", "a.png", {}})
        == R"({"raw":"AQI=","mediaType":"image/png","filename":"a.png"})");
  CHECK(written(part{url_content{"https://x.example/a"}, {}, {}, {{"k", 1}}})
        == R"({"url":"https://x.example/a","metadata":{"k":1}})");
  CHECK(written(data_part({{"a", {1, 2}}})) == R"({"data":{"a":[1,2]}})");
}

TEST_CASE("a message is written without what it does not have", "[protocol][codec_v1_0]") {
  CHECK(written(*agent_says("hi"))
        == R"({"messageId":"m-1","role":"ROLE_AGENT","parts":[{"text":"hi"}]})");
  message full = *agent_says("hi");
  full.from = role::user;
  full.context_id = "c";
  full.task_id = "t";
  full.reference_task_ids = {"r1", "r2"};
  full.extensions = {"urn:x"};
  full.metadata["k"] = "v";
  CHECK(
      written(full)
      == R"({"messageId":"m-1","contextId":"c","taskId":"t","role":"ROLE_USER","parts":[{"text":"hi"}],)"
         R"("metadata":{"k":"v"},"extensions":["urn:x"],"referenceTaskIds":["r1","r2"]})");
}

TEST_CASE("a small task is written in full in one line", "[protocol][codec_v1_0]") {
  CHECK(
      written(small_task())
      == R"({"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T12:00:00.000Z"}})");
}

TEST_CASE("messages of a task carry the task's ids", "[protocol][codec_v1_0]") {
  auto task = task_with_history(1);
  task.status.message = agent_says("which city?");
  const auto tree = parsed(written(task));
  for (const auto* found : {&tree.at("status").at("message"), &tree.at("history").at(0)}) {
    CHECK(found->at("contextId") == "c1");
    CHECK(found->at("taskId") == "t1");
  }
  message elsewhere_said = *agent_says("x");
  elsewhere_said.task_id = "other";
  task.history = {std::make_shared<const message>(elsewhere_said)};
  CHECK(parsed(written(task)).at("history").at(0).at("taskId") == "other");
  CHECK(parsed(written(task.status, task)).at("message").at("taskId") == "t1");
}

TEST_CASE("historyLength shows the newest in chronological order", "[protocol][codec_v1_0]") {
  const auto task = task_with_history(5);
  const auto texts = [&](std::optional<std::uint32_t> length) {
    const auto tree = parsed(
        written(task, task_view_options{.history_length = length, .include_artifacts = true}));
    std::string out;
    if (!tree.as_object().contains("history"))
      return std::string{"none"};
    for (const auto& turn : tree.at("history").as_array())
      out += json::value_to<std::string>(turn.at("parts").at(0).at("text")).substr(5);
    return out;
  };
  CHECK(texts(std::nullopt) == "01234");
  CHECK(texts(0) == "none");
  CHECK(texts(1) == "4");
  CHECK(texts(3) == "234");
  CHECK(texts(5) == "01234");
  CHECK(texts(2'000'000'000) == "01234");
}

TEST_CASE("an empty history is shown only to who asked for one", "[protocol][codec_v1_0]") {
  const auto has_history = [](std::optional<std::uint32_t> length) {
    const auto text = written(
        small_task(), task_view_options{.history_length = length, .include_artifacts = true});
    return parsed(text).as_object().contains("history");
  };
  CHECK_FALSE(has_history(std::nullopt));
  CHECK_FALSE(has_history(0));
  CHECK(has_history(1));
}

TEST_CASE("artifacts are written in full, or left out", "[protocol][codec_v1_0]") {
  auto task = small_task();
  artifact output{"a1", "report", "all of it", {text_part("x")}, {"urn:e"}, {{"k", true}}};
  task.artifacts.push_back(std::make_shared<const artifact>(output));
  CHECK(parsed(written(task)).at("artifacts").at(0)
        == parsed(
            R"({"artifactId":"a1","name":"report","description":"all of it","parts":[{"text":"x"}],
                      "metadata":{"k":true},"extensions":["urn:e"]})"));
  const task_view_options without{.history_length = std::nullopt, .include_artifacts = false};
  CHECK_FALSE(parsed(written(task, without)).as_object().contains("artifacts"));
}

TEST_CASE("metadata holds the task's own, its place in the plan, and its progress",
          "[protocol][codec_v1_0]") {
  auto plan = std::make_shared<plan_spec>();
  plan->id = plan_id{"c1.p0"};
  plan->tasks.resize(1);
  plan->tasks.edit(0).name = "search";
  auto task = small_task();
  task.origin = {plan, 0, 0};
  task.metadata["own"] = 1;
  auto report = std::make_shared<progress_report>();
  report->trackers.push_back({.id = "d",
                              .progress = 1,
                              .total = 2,
                              .message = {},
                              .status = {},
                              .started_at = {},
                              .updated_at = {}});
  task.progress = report;
  const auto tree = parsed(written(task, task_view_options{.include_progress = true}));
  CHECK(tree.at("metadata").at("own") == 1);
  CHECK(tree.at("metadata").at("opt/v1/planId") == "c1.p0");
  CHECK(tree.at("metadata").at("troupe/v1/name") == "search");
  const json::string_view uri{progress_uri.data(), progress_uri.size()};
  CHECK(tree.at("metadata").at(uri)
        == parsed(R"({"trackers":[{"id":"d","progress":1,"total":2}]})"));
  // The canonical place is the status message; a task that has none is given one (task-progress v1
  // section 4).
  const auto& said = tree.at("status").at("message");
  CHECK(said.at("metadata").at(uri) == tree.at("metadata").at(uri));
  CHECK(said.at("role") == "ROLE_AGENT");
  CHECK(said.at("taskId") == "t1");
  CHECK(said.at("extensions") == json::array{uri});
  CHECK_FALSE(said.at("parts").as_array().empty());
  // Who did not activate the extension sees nothing of it.
  CHECK_FALSE(parsed(written(task)).at("status").as_object().contains("message"));
  CHECK_FALSE(parsed(written(task)).at("metadata").as_object().contains(uri));
}

TEST_CASE("progress joins the status message a task has", "[protocol][codec_v1_0]") {
  auto task = small_task();
  auto said = std::make_shared<message>(*agent_says("second attempt"));
  said->metadata["own"] = 1;
  task.status.message = said;
  task.progress = std::make_shared<const progress_report>();
  const auto shown =
      parsed(written(task, task_view_options{.include_progress = true})).at("status").at("message");
  const json::string_view uri{progress_uri.data(), progress_uri.size()};
  CHECK(shown.at("parts").at(0).at("text") == "second attempt");
  CHECK(shown.at("metadata").at("own") == 1);
  CHECK(shown.at("metadata").at(uri) == parsed(R"({"trackers":[]})"));
}

TEST_CASE("a list of tasks has all four members", "[protocol][codec_v1_0]") {
  const auto list = [](const std::vector<task_ptr>& tasks, bool artifacts) {
    std::string out;
    json_writer to{out};
    v1_0::write_task_list(to, tasks, "", 50, tasks.size(),
                          {.history_length = 0, .include_artifacts = artifacts});
    return out;
  };
  CHECK(list({}, true) == R"({"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0})");
  const std::vector<task_ptr> one{std::make_shared<const task>(small_task())};
  CHECK(parsed(list(one, true)).at("tasks").at(0).at("artifacts").as_array().empty());
  CHECK_FALSE(parsed(list(one, false)).at("tasks").at(0).as_object().contains("artifacts"));
}

TEST_CASE("a task that moves is a statusUpdate", "[protocol][codec_v1_0]") {
  CHECK(
      stream_event(task_moved{task_state::completed, 1, nullptr})
      == R"({"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED",)"
         R"("timestamp":"2026-01-02T12:00:00.000Z"}}})");
  const auto asked =
      parsed(stream_event(task_moved{task_state::input_required, 1, agent_says("where?")}));
  CHECK(asked.at("statusUpdate").at("status").at("message").at("taskId") == "t1");
  CHECK(asked.at("statusUpdate").at("status").at("message").at("contextId") == "c1");
}

TEST_CASE("progress is a statusUpdate that stays WORKING", "[protocol][codec_v1_0]") {
  auto report = std::make_shared<progress_report>();
  const auto tree = parsed(stream_event(task_progress{report}));
  CHECK(tree.at("statusUpdate").at("status").at("state") == "TASK_STATE_WORKING");
  const json::string_view uri{progress_uri.data(), progress_uri.size()};
  CHECK(tree.at("statusUpdate").at("metadata").at(uri) == parsed(R"({"trackers":[]})"));
  CHECK(tree.at("statusUpdate").at("status").at("message").at("metadata").at(uri)
        == parsed(R"({"trackers":[]})"));
}

TEST_CASE("an artifact is an artifactUpdate", "[protocol][codec_v1_0]") {
  auto output = std::make_shared<const artifact>(artifact{"a1", {}, {}, {text_part("x")}, {}, {}});
  const std::string head = R"({"artifactUpdate":{"taskId":"t1","contextId":"c1",)"
                           R"("artifact":{"artifactId":"a1","parts":[{"text":"x"}]})";
  CHECK(stream_event(task_artifact{output, false, false}) == head + "}}");
  CHECK(stream_event(task_artifact{output, true, true})
        == head + R"(,"append":true,"lastChunk":true}})");
}

TEST_CASE("a message of the agent is a statusUpdate in the task's present state",
          "[protocol][codec_v1_0]") {
  for (const auto& [state, name] :
       {std::pair{task_state::working, "TASK_STATE_WORKING"},
        std::pair{task_state::input_required, "TASK_STATE_INPUT_REQUIRED"}}) {
    const auto update =
        parsed(stream_event(task_message{agent_says("x"), state})).at("statusUpdate");
    CHECK(update.at("status").at("state") == name);
    CHECK(update.at("status").at("message").at("parts").at(0).at("text") == "x");
  }
}

TEST_CASE("events that a stream does not show write nothing", "[protocol][codec_v1_0]") {
  CHECK(stream_event(task_created{std::make_shared<task>()}, false).empty());
  CHECK(stream_event(task_message{}, false).empty());
  message told = *agent_says("x");
  told.from = role::user;
  CHECK(stream_event(task_message{std::make_shared<const message>(told)}, false).empty());
  CHECK(stream_event(objective_moved{objective_event::work, {}}, false).empty());
  CHECK(stream_event(task_artifact{}, false).empty());
  CHECK(stream_event(task_progress{}, false).empty());
}

TEST_CASE("every state has its 1.0 name", "[protocol][codec_v1_0]") {
  CHECK(v1_0::state_name(task_state::unspecified) == "TASK_STATE_UNSPECIFIED");
  CHECK(v1_0::state_name(task_state::canceled) == "TASK_STATE_CANCELED");
  CHECK(v1_0::state_name(task_state::input_required) == "TASK_STATE_INPUT_REQUIRED");
  CHECK(v1_0::state_name(static_cast<task_state>(200)) == "TASK_STATE_UNSPECIFIED");
  for (std::size_t i = 1; i < task_state_count; ++i) {
    const auto state = static_cast<task_state>(i);
    const auto read = v1_0::read_list_tasks({{"status", std::string{v1_0::state_name(state)}}});
    REQUIRE(read.has_value());
    CHECK(read->state == state);
  }
}

// -- reading --------------------------------------------------------------------------------------

TEST_CASE("SendMessage's params are read in full", "[protocol][codec_v1_0]") {
  const auto read = v1_0::read_send_params(parsed(R"({
    "tenant": "acme",
    "message": {"messageId": "m1", "contextId": "c1", "taskId": "t1", "role": "ROLE_USER",
                "parts": [{"text": "hi", "mediaType": "text/plain", "filename": "a.txt", "metadata": {"k": [1]}},
                          {"raw": "AQI="}, {"url": "https://x.example"}, {"data": [1, {"a": null}]}],
                "metadata": {"opt/v1/preferObjective": true}, "extensions": ["urn:e"], "referenceTaskIds": ["r"]},
    "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 3, "returnImmediately": true,
                      "taskPushNotificationConfig": {"url": "https://hook.example"}},
    "metadata": {"m": 1}, "unknown": {"ignored": []}})"));
  REQUIRE(read.has_value());
  CHECK(read->tenant == "acme");
  CHECK(read->command.who.tenant == "acme");
  const auto& message = read->command.message;
  CHECK(message.message_id == "m1");
  CHECK(message.context_id == "c1");
  CHECK(message.task_id == "t1");
  CHECK(message.from == role::user);
  REQUIRE(message.parts.size() == 4);
  CHECK(message.parts[0] == part{text_content{"hi"}, "text/plain", "a.txt", {{"k", {1}}}});
  CHECK(message.parts[1] == part{raw_content{"\x01\x02"}, {}, {}, {}});
  CHECK(message.parts[2] == part{url_content{"https://x.example"}, {}, {}, {}});
  CHECK(message.parts[3] == part{data_content{parsed(R"([1,{"a":null}])")}, {}, {}, {}});
  CHECK(message.metadata.at("opt/v1/preferObjective") == true);
  CHECK(message.extensions == std::vector<std::string>{"urn:e"});
  CHECK(message.reference_task_ids == std::vector<std::string>{"r"});
  CHECK(read->command.accepted_output_modes == std::vector<std::string>{"text/plain"});
  CHECK(read->history_length == 3u);
  CHECK(read->return_immediately);
  REQUIRE(read->push.has_value());
  CHECK(read->push->url == "https://hook.example");
  CHECK(read->push->payload == push_payload::v1_0);
  CHECK(read->command.metadata.at("m") == 1);
}

TEST_CASE("defaults are the specification's", "[protocol][codec_v1_0]") {
  const auto send = v1_0::read_send_params(parsed(with_message("")));
  REQUIRE(send.has_value());
  CHECK_FALSE(send->return_immediately);
  CHECK_FALSE(send->history_length.has_value());
  CHECK_FALSE(send->push.has_value());
  const auto list = v1_0::read_list_tasks(parsed("{}"));
  REQUIRE(list.has_value());
  CHECK(list->page_size == 50);
  CHECK_FALSE(list->state.has_value());
  CHECK_FALSE(list->status_after.has_value());
  CHECK_FALSE(list->view.include_artifacts);
  CHECK(v1_0::read_get_task(parsed(R"({"id":"t"})"))->view.include_artifacts);
}

TEST_CASE("a value that was read does not depend on the memory in which it was parsed",
          "[protocol][codec_v1_0]") {
  std::optional<result<v1_0::send_params>> read;
  {
    std::array<unsigned char, 4096> buffer{};
    json::monotonic_resource memory{buffer.data(), buffer.size()};
    const auto params = json::parse(
        R"({"message":{"messageId":"m","role":1,"parts":[{"data":{"a":"long enough not to be inline"},"metadata":{"b":1}}],
            "metadata":{"c":["long enough not to be inline"]}},"metadata":{"d":{}}})",
        &memory);
    read.emplace(v1_0::read_send_params(params));
    buffer.fill(0xff);
  }
  REQUIRE(read->has_value());
  const auto& command = (*read)->command;
  CHECK(std::get<data_content>(command.message.parts[0].content).data.at("a")
        == "long enough not to be inline");
  CHECK(command.message.parts[0].metadata.at("b") == 1);
  CHECK(command.message.metadata.at("c").at(0) == "long enough not to be inline");
  CHECK(command.metadata.at("d").is_object());
}

TEST_CASE("the proto's names, numbers and strings are accepted", "[protocol][codec_v1_0]") {
  const auto send = v1_0::read_send_params(parsed(R"({
    "message": {"message_id": "m1", "context_id": "c1", "task_id": "t1", "role": 1, "reference_task_ids": ["r"],
                "parts": [{"text": "hi", "media_type": "text/plain"}]},
    "configuration": {"accepted_output_modes": ["a/b"], "history_length": "7", "return_immediately": true,
                      "task_push_notification_config": {"url": "http://h/"}}})"));
  REQUIRE(send.has_value());
  CHECK(send->command.message.message_id == "m1");
  CHECK(send->command.message.context_id == "c1");
  CHECK(send->command.message.task_id == "t1");
  CHECK(send->command.message.reference_task_ids.size() == 1);
  CHECK(send->command.message.parts[0].media_type == "text/plain");
  CHECK(send->command.accepted_output_modes.size() == 1);
  CHECK(send->history_length == 7u);
  CHECK(send->return_immediately);
  CHECK(send->push.has_value());
  const auto list = v1_0::read_list_tasks(
      parsed(R"({"context_id":"c","status":2,"page_size":"20","page_token":"p","history_length":1.0,
                 "status_timestamp_after":"2026-01-02T13:00:00+01:00","include_artifacts":"true"})"));
  REQUIRE(list.has_value());
  CHECK(list->context == "c");
  CHECK(list->state == task_state::working);
  CHECK(list->page_size == 20);
  CHECK(list->page_token == "p");
  CHECK(list->view.history_length == 1u);
  CHECK(list->status_after == noon);
  CHECK(list->view.include_artifacts);
}

TEST_CASE("null and the empty id count as absent", "[protocol][codec_v1_0]") {
  const auto send =
      v1_0::read_send_params(parsed(R"({"tenant":null,"configuration":null,"metadata":null,
    "message":{"messageId":"m","role":"ROLE_USER","contextId":"","taskId":null,"metadata":null,"extensions":null,
               "referenceTaskIds":null,"parts":[{"text":"a","url":null,"raw":null,"data":null,"metadata":null}]}})"));
  REQUIRE(send.has_value());
  CHECK(send->command.message.context_id.empty());
  CHECK(std::get<text_content>(send->command.message.parts[0].content).text == "a");
  CHECK(v1_0::read_get_task(parsed(R"({"id":"t","historyLength":null})")).has_value());
  CHECK(
      v1_0::read_list_tasks(parsed(R"({"status":"TASK_STATE_UNSPECIFIED","pageSize":null})"))->state
      == std::nullopt);
}

TEST_CASE("parts of all kinds are read, however the bytes are spelled", "[protocol][codec_v1_0]") {
  CHECK(read_part(R"({"text":""})").value() == part{text_content{""}, {}, {}, {}});
  CHECK(read_part(R"({"raw":"_-8"})").value() == part{raw_content{"\xff\xef"}, {}, {}, {}});
  CHECK(read_part(R"({"raw":"/+8="})").value() == part{raw_content{"\xff\xef"}, {}, {}, {}});
  CHECK(read_part(R"({"data":false})").value() == part{data_content{false}, {}, {}, {}});
  CHECK(read_part(R"({"data":null})").value() == part{data_content{nullptr}, {}, {}, {}});
  CHECK(read_part(R"({"kind":"text","text":"a"})").value() == part{text_content{"a"}, {}, {}, {}});
}

TEST_CASE("a wrong part says what is wrong", "[protocol][codec_v1_0]") {
  struct row {
    const char* json;
    const char* field;
  };
  const auto [json, field] = GENERATE(values<row>({
      {"{}", "part"},
      {"7", "part"},
      {"[]", "part"},
      {R"({"text":"a","url":"b"})", "part"},
      {R"({"text":"a","data":{}})", "part"},
      {R"({"file":{"uri":"x"},"kind":"file"})", "part"},
      {R"({"text":5})", "part.text"},
      {R"({"url":{}})", "part.url"},
      {R"({"raw":"%%%"})", "part.raw"},
      {R"({"raw":5})", "part.raw"},
      {R"({"text":"a","mediaType":1})", "part.mediaType"},
      {R"({"text":"a","filename":[]})", "part.filename"},
      {R"({"text":"a","metadata":[]})", "part.metadata"},
      {R"({"text":"a","kind":"telepathy"})", "part.kind"},
      {R"({"text":"a","type":"telepathy"})", "part.type"},
  }));
  CAPTURE(json);
  const auto read = read_part(json);
  REQUIRE(read.has_error());
  CHECK(read.error().code == errc::invalid_params);
  CHECK(read.error().field == field);
  CHECK_THAT(read.error().message, ContainsSubstring(field));
}

TEST_CASE("a wrong request names the field", "[protocol][codec_v1_0]") {
  struct row {
    std::string json;
    const char* field;
  };
  const std::string long_id(257, 'x');
  const auto rows = std::vector<row>{
      {"null", ""},
      {"[]", ""},
      {"5", ""},
      {"{}", "message"},
      {R"({"message":null})", "message"},
      {R"({"message":"hi"})", "message"},
      {R"({"message":[]})", "message"},
      {R"({"message":{"role":"ROLE_USER","parts":[{"text":"a"}]}})", "message.messageId"},
      {R"({"message":{"messageId":"","role":"ROLE_USER","parts":[{"text":"a"}]}})",
       "message.messageId"},
      {R"({"message":{"messageId":7,"role":"ROLE_USER","parts":[{"text":"a"}]}})",
       "message.messageId"},
      {R"({"message":{"messageId":"m","parts":[{"text":"a"}]}})", "message.role"},
      {R"({"message":{"messageId":"m","role":"user","parts":[{"text":"a"}]}})", "message.role"},
      {R"({"message":{"messageId":"m","role":"ROLE_UNSPECIFIED","parts":[{"text":"a"}]}})",
       "message.role"},
      {R"({"message":{"messageId":"m","role":0,"parts":[{"text":"a"}]}})", "message.role"},
      {R"({"message":{"messageId":"m","role":3,"parts":[{"text":"a"}]}})", "message.role"},
      {R"({"message":{"messageId":"m","role":"ROLE_USER"}})", "message.parts"},
      {R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[]}})", "message.parts"},
      {R"({"message":{"messageId":"m","role":"ROLE_USER","parts":{}}})", "message.parts"},
      {R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{}]}})",
       "message.parts[1]"},
      {R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":1}]}})",
       "message.parts[0].text"},
      {R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[null]}})", "message.parts[0]"},
      {with_message(R"(,"kind":"task")"), "message.kind"},
      {with_message(R"(,"contextId":"a/b")"), "message.contextId"},
      {with_message(R"(,"contextId":")" + long_id + R"(")"), "message.contextId"},
      {with_message(R"(,"taskId":")" + long_id + R"(")"), "message.taskId"},
      {with_message(R"(,"taskId":{})"), "message.taskId"},
      {with_message(R"(,"referenceTaskIds":"r")"), "message.referenceTaskIds"},
      {with_message(R"(,"referenceTaskIds":["r",5])"), "message.referenceTaskIds[1]"},
      {with_message(R"(,"referenceTaskIds":[")" + long_id + R"("])"),
       "message.referenceTaskIds[0]"},
      {with_message(R"(,"extensions":[null])"), "message.extensions[0]"},
      {with_message(R"(,"metadata":"x")"), "message.metadata"},
      {R"({"configuration":[],"message":{"messageId":"m","role":1,"parts":[{"text":"a"}]}})",
       "configuration"},
  };
  for (const auto& [json, field] : rows) {
    CAPTURE(json);
    const auto read = v1_0::read_send_params(parsed(json));
    REQUIRE(read.has_error());
    CHECK(read.error().code == errc::invalid_params);
    CHECK(read.error().field == field);
    CHECK_THAT(read.error().message, ContainsSubstring(*field ? field : "params"));
    CHECK(read.error().message.size() < 200);
  }
}

TEST_CASE("the first thing that is wrong is the one reported", "[protocol][codec_v1_0]") {
  const auto read = v1_0::read_send_params(
      parsed(R"({"message":{"messageId":5,"role":"x","parts":[]},"metadata":3})"));
  REQUIRE(read.has_error());
  CHECK(read.error().message == "message.messageId: expected a string, found a number");
}

TEST_CASE("numbers out of range and of the wrong kind are refused", "[protocol][codec_v1_0]") {
  const auto* value =
      GENERATE("-1", "\"-1\"", "1.5", "\"1.5\"", "2147483648", "1e300", "18446744073709551615",
               "\"\"", "\"abc\"", "\"5 \"", "true", "[]", "{}");
  CAPTURE(value);
  const auto text = R"({"id":"t","historyLength":)" + std::string{value} + "}";
  const auto get = v1_0::read_get_task(parsed(text));
  REQUIRE(get.has_error());
  CHECK(get.error().field == "historyLength");
  const auto list = v1_0::read_list_tasks(parsed(text));
  REQUIRE(list.has_error());
  CHECK(list.error().field == "historyLength");
}

TEST_CASE("pageSize is 1 to 100", "[protocol][codec_v1_0]") {
  const auto page_size = [](std::string_view value) {
    return v1_0::read_list_tasks(parsed(R"({"pageSize":)" + std::string{value} + "}"));
  };
  CHECK(page_size("1")->page_size == 1);
  CHECK(page_size("100")->page_size == 100);
  for (const auto* value : {"0", "101", "-1", "\"many\"", "4294967297"}) {
    CAPTURE(value);
    REQUIRE(page_size(value).has_error());
    CHECK(page_size(value).error().field == "pageSize");
  }
}

TEST_CASE("a filter that cannot be meant is refused", "[protocol][codec_v1_0]") {
  struct row {
    const char* json;
    const char* field;
  };
  const auto [json, field] = GENERATE(values<row>({
      {R"({"status":"working"})", "status"},
      {R"({"status":"TASK_STATE_CANCELLED"})", "status"},
      {R"({"status":9})", "status"},
      {R"({"status":-1})", "status"},
      {R"({"status":""})", "status"},
      {R"({"status":[]})", "status"},
      {R"({"statusTimestampAfter":"yesterday"})", "statusTimestampAfter"},
      {R"({"statusTimestampAfter":5})", "statusTimestampAfter"},
      {R"({"lastUpdatedAfter":"yesterday"})", "lastUpdatedAfter"},
      {R"({"pageToken":5})", "pageToken"},
      {R"({"contextId":5})", "contextId"},
      {R"({"includeArtifacts":"yes"})", "includeArtifacts"},
      {R"({"includeArtifacts":1})", "includeArtifacts"},
      {R"({"tenant":[]})", "tenant"},
  }));
  CAPTURE(json);
  const auto read = v1_0::read_list_tasks(parsed(json));
  REQUIRE(read.has_error());
  CHECK(read.error().field == field);
}

TEST_CASE("the methods about one task need its id", "[protocol][codec_v1_0]") {
  for (const auto* text :
       {"{}", R"({"id":""})", R"({"id":null})", R"({"id":5})", R"({"name":"tasks/t"})"}) {
    CAPTURE(text);
    CHECK(v1_0::read_get_task(parsed(text)).error().field == "id");
    CHECK(v1_0::read_cancel_task(parsed(text)).error().field == "id");
    CHECK(v1_0::read_subscribe(parsed(text)).error().field == "id");
  }
  CHECK(v1_0::read_subscribe(parsed("null")).error().field.empty());
  const auto full =
      parsed(R"({"id":"t","tenant":"acme","metadata":{"why":"late"},"historyLength":0})");
  CHECK(v1_0::read_get_task(full)->id == task_id{"t"});
  CHECK(v1_0::read_get_task(full)->who.tenant == "acme");
  CHECK(v1_0::read_get_task(full)->view.history_length == 0u);
  CHECK(v1_0::read_cancel_task(full)->id == task_id{"t"});
  CHECK(v1_0::read_cancel_task(full)->metadata.at("why") == "late");
  CHECK(v1_0::read_subscribe(full)->id == task_id{"t"});
  CHECK(v1_0::read_subscribe(full)->who.tenant == "acme");
}

TEST_CASE("limits are named", "[protocol][codec_v1_0]") {
  const auto parts = [](std::size_t count) {
    std::string text = R"({"message":{"messageId":"m","role":1,"parts":[)";
    for (std::size_t i = 0; i < count; ++i)
      text += i ? R"(,{"text":"a"})" : R"({"text":"a"})";
    return v1_0::read_send_params(parsed(text + "]}}"));
  };
  CHECK(parts(message_parts_max).has_value());
  REQUIRE(parts(message_parts_max + 1).has_error());
  CHECK_THAT(parts(message_parts_max + 1).error().message, ContainsSubstring("64"));

  const auto nested = [](std::size_t levels) {
    const auto tree = std::string(levels - 1, '[') + "1" + std::string(levels - 1, ']');
    return v1_0::read_send_params(parsed(with_message(R"(,"metadata":{"a":)" + tree + "}")));
  };
  CHECK(nested(metadata_depth_max).has_value());
  REQUIRE(nested(metadata_depth_max + 1).has_error());
  CHECK(nested(metadata_depth_max + 1).error().field == "message.metadata");
  CHECK_THAT(nested(metadata_depth_max + 1).error().message, ContainsSubstring("64"));

  const auto data = [](std::size_t levels) {
    return read_part(R"({"data":)" + std::string(levels, '[') + std::string(levels, ']') + "}");
  };
  CHECK(data(metadata_depth_max).has_value());
  REQUIRE(data(metadata_depth_max + 1).has_error());
  CHECK(data(metadata_depth_max + 1).error().field == "part.data");

  std::string references = R"(,"referenceTaskIds":["a")";
  for (std::size_t i = 0; i < message_names_max; ++i)
    references += R"(,"a")";
  CHECK(v1_0::read_send_params(parsed(with_message(references + "]"))).error().field
        == "message.referenceTaskIds");
}

TEST_CASE("messages and artifacts read back as they were written", "[protocol][codec_v1_0]") {
  test::random_values random{21};
  for (int i = 0; i < 1'000; ++i) {
    auto spoken = random.any_message();
    spoken.message_id = random.some_text();
    spoken.from = random.coin() ? role::user : role::agent;
    spoken.context_id = random.coin() ? "c-1" : "";
    spoken.parts.push_back(random.any_part());
    const auto back = v1_0::read_message(parsed(written(spoken)));
    REQUIRE(back.has_value());
    REQUIRE(*back == spoken);

    auto made = random.any_artifact();
    made.artifact_id = random.some_text();
    made.parts.push_back(random.any_part());
    const auto made_back = v1_0::read_artifact(parsed(written(made)), "artifact");
    REQUIRE(made_back.has_value());
    REQUIRE(*made_back == made);
  }
}

TEST_CASE("artifacts need an id and parts", "[protocol][codec_v1_0]") {
  CHECK(v1_0::read_artifact(parsed(R"({"parts":[{"text":"a"}]})"), "artifact").error().field
        == "artifact.artifactId");
  CHECK(v1_0::read_artifact(parsed(R"({"artifactId":"a"})"), "artifact").error().field
        == "artifact.parts");
  CHECK(v1_0::read_artifact(parsed(R"({"artifactId":"a","parts":[{"text":"a"}]})"), "artifact")
            .has_value());
}

// -- bad input ------------------------------------------------------------------------------------

namespace {

const std::vector<std::string>& samples() {
  static const std::vector<std::string> all{
      R"({"tenant":"acme","message":{"messageId":"m1","contextId":"c1","taskId":"t1","role":"ROLE_USER","parts":[)"
      R"({"text":"hi","mediaType":"text/plain","metadata":{"k":[1]}},{"raw":"AQI="},{"url":"https://x"},{"data":[1,{}]}],)"
      R"("metadata":{"a":true},"extensions":["urn:e"],"referenceTaskIds":["r"]},"configuration":{)"
      R"("acceptedOutputModes":["text/plain"],"historyLength":3,"returnImmediately":true},"metadata":{"m":1.5}})",
      R"({"id":"t1","historyLength":"5","tenant":"x","metadata":{"a":null}})",
      R"({"contextId":"c","status":"TASK_STATE_WORKING","pageSize":20,"pageToken":"p","historyLength":2,)"
      R"("statusTimestampAfter":"2026-01-02T03:04:05.678Z","includeArtifacts":false})"};
  return all;
}

/// Feeds one document to every reader; each gives a value, or invalid_params with words.
void read_everything(const json::value& tree) {
  const auto check = [](const auto& read) {
    if (read.has_error()) {
      REQUIRE(read.error().code == errc::invalid_params);
      REQUIRE_FALSE(read.error().message.empty());
    }
  };
  check(v1_0::read_send_params(tree));
  check(v1_0::read_get_task(tree));
  check(v1_0::read_list_tasks(tree));
  check(v1_0::read_cancel_task(tree));
  check(v1_0::read_subscribe(tree));
  check(v1_0::read_message(tree));
  check(v1_0::read_part(tree, "part"));
  check(v1_0::read_artifact(tree, "artifact"));
}

/// Replaces one random value somewhere below by another one, drops it, or moves it under another
/// name.
void mutate(json::value& tree, test::random_values& random) {
  if (auto* object = tree.if_object(); object && !object->empty() && random.below(5) != 0) {
    auto member = object->begin() + random.below(static_cast<std::uint32_t>(object->size()));
    if (random.below(8) == 0)
      object->erase(member);
    else
      mutate(member->value(), random);
  } else if (auto* array = tree.if_array(); array && !array->empty() && random.below(5) != 0) {
    mutate((*array)[random.below(static_cast<std::uint32_t>(array->size()))], random);
  } else {
    tree = random.tree();
  }
}

} // namespace

TEST_CASE("cut and mutated text is refused by the parser or read, never a crash",
          "[protocol][codec_v1_0][fuzz]") {
  test::random_values random{31};
  std::size_t valid = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto text = samples()[random.below(3)];
    if (random.below(4) == 0)
      text.resize(random.below(static_cast<std::uint32_t>(text.size())));
    for (auto n = random.below(3); n > 0 && !text.empty(); --n) {
      static constexpr std::string_view bytes = "{}[]\",:0-a.\\ \x80\xff\n_9eE";
      text[random.below(static_cast<std::uint32_t>(text.size()))] =
          bytes[random.below(static_cast<std::uint32_t>(bytes.size()))];
    }
    boost::system::error_code problem;
    const auto tree = json::parse(text, problem);
    if (problem)
      continue;
    ++valid;
    read_everything(tree);
  }
  CHECK(valid > 1'000);
}

TEST_CASE("documents with values of the wrong kind anywhere are refused or read, never a crash",
          "[protocol][codec_v1_0][fuzz]") {
  test::random_values random{32};
  std::size_t refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    auto tree = json::parse(samples()[random.below(3)]);
    for (auto n = 1 + random.below(3); n > 0; --n)
      mutate(tree, random);
    read_everything(tree);
    refused += v1_0::read_send_params(tree).has_error();
  }
  CHECK(refused > 5'000);
  CHECK(refused < 10'000);
}
