#include "protocol/a2a/codec_v0_3.hpp"
#include "protocol/limits.hpp"
#include "tests/protocol/codec_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::test;
namespace json = boost::json;

namespace {

template<class... Value>
std::string written(const Value&... value) {
  return text_from([&](json_writer& to) { v0_3::write(to, value...); });
}

result<part> read_part(std::string_view text) {
  return v0_3::read_part(parsed(text), "part");
}

result<v0_3::send_params> read_send(std::string_view text) {
  id_source ids{7};
  return v0_3::read_send_params(parsed(text), ids);
}

/// Params of message/send with more members in the message.
std::string with_message(std::string_view more) {
  return R"({"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}])"
         + std::string{more} + "}}";
}

std::string stream_event(const event& happened, bool final, bool expected = true) {
  return text_from([&](json_writer& to) {
    CHECK(v0_3::write_stream_event(to, small_change(), happened, {.last = final, .cursor = {}})
          == expected);
  });
}

} // namespace

// -- writing --------------------------------------------------------------------------------------

TEST_CASE("a 0.3 part says what it is", "[protocol][codec_v0_3]") {
  CHECK(written(part{text_content{"hi"}, "text/plain", "a.txt", {}})
        == R"({"kind":"text","text":"hi"})");
  CHECK(written(part{raw_content{"\x01\x02"}, "image/png", "a.png", {}})
        == R"({"kind":"file","file":{"bytes":"AQI=","name":"a.png","mimeType":"image/png"}})");
  CHECK(written(part{url_content{"https://x.example/a"}, {}, {}, {{"k", 1}}})
        == R"({"kind":"file","file":{"uri":"https://x.example/a"},"metadata":{"k":1}})");
  CHECK(written(data_part({{"a", {1, 2}}})) == R"({"kind":"data","data":{"a":[1,2]}})");
}

TEST_CASE("data that is no object is wrapped for 0.3, and marked", "[protocol][codec_v0_3]") {
  CHECK(written(data_part({1, "b"}))
        == R"({"kind":"data","data":{"value":[1,"b"]},"metadata":{"data_part_compat":true}})");
  CHECK(written(data_part(nullptr))
        == R"({"kind":"data","data":{"value":null},"metadata":{"data_part_compat":true}})");
  const auto back =
      read_part(R"({"kind":"data","data":{"value":5},"metadata":{"k":1,"data_part_compat":true}})");
  CHECK(back.value() == part{data_content{5}, {}, {}, {{"k", 1}}});
  // Not marked: an object like any other.
  CHECK(read_part(R"({"kind":"data","data":{"value":5}})").value() == data_part({{"value", 5}}));
  CHECK(
      read_part(R"({"kind":"data","data":{"value":5,"x":1},"metadata":{"data_part_compat":true}})")
          .value()
          .metadata
      == json::object{{"data_part_compat", true}});
}

TEST_CASE("a 0.3 task has its kind, lower-case states and messages with ids",
          "[protocol][codec_v0_3]") {
  auto value = small_task(task_state::input_required);
  value.status.message = agent_says("where?");
  CHECK(
      written(value)
      == R"({"kind":"task","id":"t1","contextId":"c1","status":{"state":"input-required","message":{"kind":"message",)"
         R"("messageId":"m-1","contextId":"c1","taskId":"t1","role":"agent","parts":[{"kind":"text","text":"where?"}]},)"
         R"("timestamp":"2026-01-02T12:00:00.000Z"}})");
  CHECK(parsed(written(value.status, value)) == parsed(written(value)).at("status"));
}

TEST_CASE("a 0.3 task shows as much history and as many artifacts as asked for",
          "[protocol][codec_v0_3]") {
  auto task = small_task();
  task.history = {agent_says("one"), agent_says("two")};
  task.artifacts = {std::make_shared<const artifact>(
      artifact{"a1", "report", "all", {text_part("x")}, {"urn:e"}, {{"k", true}}})};
  const auto tree = parsed(written(task));
  CHECK(
      tree.at("artifacts").at(0)
      == parsed(
          R"({"artifactId":"a1","name":"report","description":"all","parts":[{"kind":"text","text":"x"}],
                      "metadata":{"k":true},"extensions":["urn:e"]})"));
  CHECK(tree.at("history").as_array().size() == 2);
  const auto seen =
      parsed(written(task, task_view_options{.history_length = 1, .include_artifacts = false}));
  CHECK(seen.at("history").at(0).at("parts").at(0).at("text") == "two");
  CHECK_FALSE(seen.as_object().contains("artifacts"));
  task.history.clear();
  CHECK(parsed(written(task, task_view_options{.history_length = 1}))
            .at("history")
            .as_array()
            .empty());
  CHECK_FALSE(parsed(written(task, task_view_options{.history_length = 0}))
                  .as_object()
                  .contains("history"));
}

TEST_CASE("a message without a role is the agent's in 0.3", "[protocol][codec_v0_3]") {
  CHECK(parsed(written(message{})).at("role") == "agent");
}

TEST_CASE("every state has its 0.3 name and is read back, however it is spelled",
          "[protocol][codec_v0_3]") {
  CHECK(v0_3::state_name(task_state::unspecified) == "unknown");
  CHECK(v0_3::state_name(static_cast<task_state>(99)) == "unknown");
  const auto read = [](const json::value& status) {
    return v0_3::read_list_tasks({{"status", status}});
  };
  for (std::size_t i = 1; i < task_state_count; ++i) {
    const auto state = static_cast<task_state>(i);
    CHECK(v0_3::state_name(state) == to_string(state));
    std::string upper{to_string(state)};
    for (auto& c : upper)
      c = c == '-' ? '_' : static_cast<char>(c & ~0x20);
    for (const json::value& status :
         {json::value(std::string{to_string(state)}), json::value(upper),
          json::value("TASK_STATE_" + upper), json::value(static_cast<int>(i)),
          json::value(std::to_string(i))}) {
      CAPTURE(status);
      CHECK(read(status).value().state == state);
    }
  }
  CHECK(read("TASK_STATE_CANCELLED").value().state == task_state::canceled);
  CHECK(read("unknown").value().state == std::nullopt);
  CHECK(read("TASK_STATE_UNSPECIFIED").value().state == std::nullopt);
  for (const json::value& status :
       {json::value("walking"), json::value(""), json::value(9), json::value(-1), json::value({1})})
    CHECK(read(status).error().field == "status");
}

TEST_CASE("message/send answers the bare task, and with OPT its objective beside it",
          "[protocol][codec_v0_3]") {
  const auto sent = [](const objective_view* beside) {
    return text_from([&](json_writer& to) {
      v0_3::write_sent(to, small_task(), {.history_length = 0}, beside);
    });
  };
  CHECK(sent(nullptr) == written(small_task()));
  objective_view objective;
  objective.id = objective_id{"c1"};
  const auto tree = parsed(sent(&objective));
  CHECK(tree.at("kind") == "task");
  CHECK(tree.at("id") == "t1");
  CHECK(tree.at("task") == parsed(written(small_task())));
  CHECK(tree.at("objective").at("id") == "c1");
}

TEST_CASE("0.3 events have no wrapper object, and `final` marks the last one",
          "[protocol][codec_v0_3]") {
  CHECK(
      stream_event(task_moved{task_state::completed, 1, nullptr}, true)
      == R"({"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"completed",)"
         R"("timestamp":"2026-01-02T12:00:00.000Z"},"final":true})");
  CHECK(parsed(stream_event(task_moved{task_state::input_required, 1, agent_says("?")}, false))
            .at("final")
        == false);
  const auto progress =
      parsed(stream_event(task_progress{std::make_shared<progress_report>()}, false));
  CHECK(progress.at("kind") == "status-update");
  CHECK(progress.at("status").at("state") == "working");
  CHECK(progress.at("final") == false);
  CHECK(progress.at("metadata").at(json::string_view{progress_uri.data(), progress_uri.size()})
        == parsed(R"({"trackers":[]})"));
  auto output = std::make_shared<const artifact>(artifact{"a1", {}, {}, {text_part("x")}, {}, {}});
  CHECK(
      stream_event(task_artifact{output, true, true}, false)
      == R"({"kind":"artifact-update","taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1",)"
         R"("parts":[{"kind":"text","text":"x"}]},"append":true,"lastChunk":true})");
  CHECK(stream_event(task_created{std::make_shared<task>()}, false, false).empty());
  const auto said = parsed(stream_event(task_message{agent_says("x")}, false));
  CHECK(said.at("kind") == "status-update");
  CHECK(said.at("status").at("state") == "working");
  CHECK(said.at("status").at("message").at("parts").at(0).at("text") == "x");
  CHECK(said.at("final") == false);
  CHECK(stream_event(task_message{}, false, false).empty());
}

TEST_CASE("tasks/list answers with the members of 1.0", "[protocol][codec_v0_3]") {
  const std::vector<task_ptr> one{std::make_shared<const task>(small_task())};
  const auto tree = parsed(text_from([&](json_writer& to) {
    v0_3::write_task_list(to, one, "next", 20, 7, {.history_length = 0, .include_artifacts = true});
  }));
  CHECK(tree.at("tasks").at(0).at("kind") == "task");
  CHECK(tree.at("tasks").at(0).at("artifacts").as_array().empty());
  CHECK(tree.at("nextPageToken") == "next");
  CHECK(tree.at("pageSize") == 20);
  CHECK(tree.at("totalSize") == 7);
}

TEST_CASE("a 0.3 push configuration is inside an object with its task, its lists are plain arrays",
          "[protocol][codec_v0_3]") {
  const std::string text =
      R"({"taskId":"t1","pushNotificationConfig":{"id":"p1","url":"https://hook.example/a2a","token":"secret",)"
      R"("authentication":{"schemes":["Bearer"],"credentials":"key"}}})";
  CHECK(written(small_push_config()) == text);
  const std::vector<push_config> two{small_push_config(), small_push_config()};
  CHECK(text_from([&](json_writer& to) { v0_3::write_push_config_list(to, two); })
        == "[" + text + "," + text + "]");
  CHECK(text_from([&](json_writer& to) { v0_3::write_push_config_list(to, {}); }) == "[]");
}

// -- reading --------------------------------------------------------------------------------------

TEST_CASE("message/send's params are read in full", "[protocol][codec_v0_3]") {
  const auto read = read_send(R"({
    "message": {"kind": "message", "messageId": "m1", "contextId": "c1", "taskId": "t1", "role": "user",
                "parts": [{"kind": "text", "text": "hi", "metadata": {"k": [1]}},
                          {"kind": "file", "file": {"bytes": "AQI=", "name": "a.png", "mimeType": "image/png"}},
                          {"kind": "file", "file": {"uri": "https://x.example"}},
                          {"kind": "data", "data": {"a": null}}],
                "metadata": {"x": true}, "extensions": ["urn:e"], "referenceTaskIds": ["r"]},
    "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 3, "blocking": false,
                      "pushNotificationConfig": {"id": "p1", "url": "https://hook.example/a2a", "token": "secret",
                                                 "authentication": {"schemes": ["Bearer", "Basic"], "credentials": "key"}}},
    "metadata": {"m": 1}, "unknown": {"ignored": []}})");
  REQUIRE(read.has_value());
  const auto& message = read->command.message;
  CHECK(message.message_id == "m1");
  CHECK(message.context_id == "c1");
  CHECK(message.task_id == "t1");
  CHECK(message.from == role::user);
  REQUIRE(message.parts.size() == 4);
  CHECK(message.parts[0] == part{text_content{"hi"}, {}, {}, {{"k", {1}}}});
  CHECK(message.parts[1] == part{raw_content{"\x01\x02"}, "image/png", "a.png", {}});
  CHECK(message.parts[2] == part{url_content{"https://x.example"}, {}, {}, {}});
  CHECK(message.parts[3] == part{data_content{parsed(R"({"a":null})")}, {}, {}, {}});
  CHECK(message.metadata.at("x") == true);
  CHECK(message.extensions == std::vector<std::string>{"urn:e"});
  CHECK(message.reference_task_ids == std::vector<std::string>{"r"});
  CHECK(read->command.accepted_output_modes == std::vector<std::string>{"text/plain"});
  CHECK(read->history_length == 3u);
  CHECK(read->return_immediately);
  CHECK(read->command.metadata.at("m") == 1);
  REQUIRE(read->push.has_value());
  CHECK(read->push->id == "p1");
  CHECK(read->push->url == "https://hook.example/a2a");
  CHECK(read->push->token == "secret");
  CHECK(read->push->authentication == push_authentication{"Bearer", "key"});
  CHECK(read->push->payload == push_payload::v0_3);
}

TEST_CASE("a 0.3 send blocks unless `blocking` is false", "[protocol][codec_v0_3]") {
  const auto returns = [](std::string_view configuration) {
    auto text = with_message("");
    text.pop_back();
    return read_send(text + R"(,"configuration":)" + std::string{configuration} + "}")
        .value()
        .return_immediately;
  };
  CHECK_FALSE(read_send(with_message("")).value().return_immediately);
  CHECK_FALSE(returns("{}"));
  CHECK_FALSE(returns("null"));
  CHECK_FALSE(returns(R"({"blocking":null})"));
  CHECK_FALSE(returns(R"({"blocking":true})"));
  CHECK(returns(R"({"blocking":false})"));
  CHECK(returns(R"({"blocking":"false"})"));
}

TEST_CASE("0.3 parts are recognized without a kind, too", "[protocol][codec_v0_3]") {
  const auto* json =
      GENERATE(R"({"kind":"text","text":"a"})", R"({"type":"text","text":"a"})", R"({"text":"a"})",
               R"({"text":"a","file":null,"data":null})", R"({"kind":"text","text":"a","file":{}})",
               R"({"kind":"text","type":"nonsense","text":"a"})");
  CAPTURE(json);
  CHECK(read_part(json).value() == text_part("a"));
}

TEST_CASE("0.3 files are read in every spelling that is about", "[protocol][codec_v0_3]") {
  const part bytes{raw_content{"\x01\x02"}, "image/png", "a.png", {}};
  const part uri{url_content{"https://x.example"}, {}, {}, {}};
  CHECK(read_part(R"({"file":{"bytes":"AQI=","name":"a.png","mimeType":"image/png"}})").value()
        == bytes);
  CHECK(read_part(R"({"file":{"bytes":"AQI","name":"a.png","mime_type":"image/png"}})").value()
        == bytes);
  CHECK(read_part(R"({"file":{"fileWithBytes":"AQI=","name":"a.png","mimeType":"image/png"}})")
            .value()
        == bytes);
  CHECK(read_part(R"({"kind":"file","file":{"data":"AQI=","name":"a.png","mimeType":"image/png"}})")
            .value()
        == bytes);
  CHECK(read_part(R"({"type":"file","file":{"uri":"https://x.example"}})").value() == uri);
  CHECK(read_part(R"({"kind":"file","file":{"url":"https://x.example"}})").value() == uri);
  CHECK(read_part(R"({"file":{"file_with_uri":"https://x.example","bytes":null}})").value() == uri);
  CHECK(std::get<raw_content>(read_part(R"({"file":{"bytes":"","name":"empty"}})").value().content)
            .bytes.empty());
}

TEST_CASE("a wrong 0.3 part says what is wrong", "[protocol][codec_v0_3]") {
  struct row {
    const char* json;
    const char* field;
  };
  const auto [json, field] = GENERATE(values<row>({
      {"{}", "part"},
      {"7", "part"},
      {"null", "part"},
      {R"({"kind":"telepathy","text":"a"})", "part.kind"},
      {R"({"type":"telepathy","text":"a"})", "part.type"},
      {R"({"kind":"Text","text":"a"})", "part.kind"},
      {R"({"kind":5,"text":"a"})", "part.kind"},
      {R"({"text":"a","data":{}})", "part"},
      {R"({"kind":"text"})", "part.text"},
      {R"({"kind":"text","text":5})", "part.text"},
      {R"({"kind":"file"})", "part.file"},
      {R"({"kind":"file","file":"x"})", "part.file"},
      {R"({"kind":"file","file":{}})", "part.file"},
      {R"({"kind":"file","file":{"bytes":"AQI=","uri":"https://x"}})", "part.file"},
      {R"({"kind":"file","file":{"bytes":"%%%"}})", "part.file.bytes"},
      {R"({"kind":"file","file":{"bytes":5}})", "part.file.bytes"},
      {R"({"kind":"file","file":{"uri":5}})", "part.file.uri"},
      {R"({"kind":"file","file":{"uri":"u","mimeType":5}})", "part.file.mimeType"},
      {R"({"kind":"data"})", "part.data"},
      {R"({"kind":"data","data":null})", "part.data"},
      {R"({"kind":"data","data":[1]})", "part.data"},
      {R"({"data":"x"})", "part.data"},
      {R"({"kind":"text","text":"a","metadata":[]})", "part.metadata"},
  }));
  CAPTURE(json);
  const auto read = read_part(json);
  REQUIRE(read.has_error());
  CHECK(read.error().code == errc::invalid_params);
  CHECK(read.error().field == field);
}

TEST_CASE("a 0.3 message without an id is given one if OPT is active or has a key in it",
          "[protocol][codec_v0_3]") {
  id_source ids{7};
  id_source same{7};
  const auto send = [&](const char* text, bool opt) {
    return v0_3::read_send_params(parsed(text), ids, opt);
  };
  constexpr const char* plain =
      R"({"message":{"role":"user","parts":[{"type":"text","text":"hi"}]}})";
  CHECK(send(plain, false).error().field == "message.messageId");
  const auto first = send(plain, true).value().command.message;
  CHECK(first.message_id == same.next("msg"));
  CHECK(send(plain, true).value().command.message.message_id != first.message_id);
  CHECK_FALSE(send(R"({"message":{"role":"user","parts":[{"text":"hi"}],)"
                   R"("metadata":{"opt/v1/preferObjective":true}}})",
                   false)
                  .value()
                  .command.message.message_id.empty());
  CHECK_FALSE(send(R"({"metadata":{"opt/v1/plan":{}},)"
                   R"("message":{"role":"user","parts":[{"text":"hi"}]}})",
                   false)
                  .value()
                  .command.message.message_id.empty());
  // The example of 0.3 section 9.4 has the id beside the message.
  CHECK(read_send(R"({"message":{"role":"user","parts":[{"text":"hi"}]},"messageId":"m-9"})")
            .value()
            .command.message.message_id
        == "m-9");
  CHECK(
      read_send(
          R"({"message":{"messageId":"m-1","role":"user","parts":[{"text":"hi"}]},"messageId":"m-9"})")
          .value()
          .command.message.message_id
      == "m-1");
}

TEST_CASE("0.3 roles are read however they are spelled", "[protocol][codec_v0_3]") {
  const auto from = [](std::string_view spelled) {
    return read_send(R"({"message":{"messageId":"m","role":)" + std::string{spelled}
                     + R"(,"parts":[{"text":"hi"}]}})")
        .value()
        .command.message.from;
  };
  for (const auto* spelled : {R"("user")", R"("USER")", R"("ROLE_USER")", "1", R"("1")"})
    CHECK(from(spelled) == role::user);
  for (const auto* spelled : {R"("agent")", R"("Agent")", R"("ROLE_AGENT")", "2", "2.0"})
    CHECK(from(spelled) == role::agent);
}

TEST_CASE("snake_case, null and the empty id are read as in 1.0", "[protocol][codec_v0_3]") {
  const auto read = read_send(R"({
    "message": {"message_id": "m1", "context_id": "", "task_id": null, "role": "user", "reference_task_ids": ["r"],
                "metadata": null, "parts": [{"file": {"file_with_bytes": "AQI=", "mime_type": "image/png"}}]},
    "configuration": {"accepted_output_modes": ["a/b"], "history_length": "7",
                      "push_notification_config": {"url": "http://h/", "authentication": {"schemes": ["Basic"]}}}})");
  REQUIRE(read.has_value());
  CHECK(read->command.message.message_id == "m1");
  CHECK(read->command.message.context_id.empty());
  CHECK(read->command.message.task_id.empty());
  CHECK(read->command.message.parts[0].media_type == "image/png");
  CHECK(read->history_length == 7u);
  CHECK(read->push->authentication == push_authentication{"Basic", ""});
}

TEST_CASE("a wrong 0.3 request names the field", "[protocol][codec_v0_3]") {
  struct row {
    std::string json;
    const char* field;
  };
  const auto configured = [](std::string_view configuration) {
    return R"({"message":{"messageId":"m","role":"user","parts":[{"text":"a"}]},"configuration":)"
           + std::string{configuration} + "}";
  };
  const std::string long_text(push_token_bytes_max + 1, 'x');
  // clang-format off
  const auto rows = std::vector<row>{
      {"null", ""},
      {"[]", ""},
      {"{}", "message"},
      {R"({"message":"hi"})", "message"},
      {R"({"message":{"parts":[{"text":"a"}]}})", "message.role"},
      {R"({"message":{"role":"wizard","parts":[{"text":"a"}]}})", "message.role"},
      {R"({"message":{"role":0,"parts":[{"text":"a"}]}})", "message.role"},
      {R"({"message":{"role":"user"}})", "message.parts"},
      {R"({"message":{"role":"user","parts":[]}})", "message.parts"},
      {R"({"message":{"role":"user","parts":"hi"}})", "message.parts"},
      {R"({"message":{"role":"user","parts":[{"kind":"text","text":"a"},{"kind":"x"}]}})", "message.parts[1].kind"},
      {R"({"message":{"kind":"task","role":"user","parts":[{"text":"a"}]}})", "message.kind"},
      {R"({"message":{"messageId":7,"role":"user","parts":[{"text":"a"}]}})", "message.messageId"},
      {with_message(R"(,"contextId":"a/b")"), "message.contextId"},
      {with_message(R"(,"referenceTaskIds":[5])"), "message.referenceTaskIds[0]"},
      {with_message(R"(,"metadata":"x")"), "message.metadata"},
      {configured("[]"), "configuration"},
      {configured(R"({"blocking":"maybe"})"), "configuration.blocking"},
      {configured(R"({"historyLength":-1})"), "configuration.historyLength"},
      {configured(R"({"pushNotificationConfig":{}})"), "configuration.pushNotificationConfig.url"},
      {configured(R"({"pushNotificationConfig":{"url":"ftp://x"}})"), "configuration.pushNotificationConfig.url"},
      {configured(R"({"pushNotificationConfig":{"url":"http://h","id":"a/b"}})"),
       "configuration.pushNotificationConfig.id"},
      {configured(R"({"pushNotificationConfig":{"url":"http://h","token":"a\r\nb"}})"),
       "configuration.pushNotificationConfig.token"},
      {configured(R"({"pushNotificationConfig":{"url":"http://h","token":")" + long_text + R"("}})"),
       "configuration.pushNotificationConfig.token"},
      {configured(R"({"pushNotificationConfig":{"url":"http://h","authentication":{"credentials":"x"}}})"),
       "configuration.pushNotificationConfig.authentication.schemes"},
      {R"({"message":{"role":"user","parts":[{"text":"a"}]}})", "message.messageId"},
      {R"({"message":{"messageId":"","role":"user","parts":[{"text":"a"}],"metadata":{"x":1}}})",
       "message.messageId"},
      {configured(R"({"pushNotificationConfig":{"url":"http://h","authentication":{"schemes":[],"credentials":"x"}}})"),
       "configuration.pushNotificationConfig.authentication.schemes"},
      {configured(R"({"pushNotificationConfig":{"url":"http://h","authentication":{"schemes":[5]}}})"),
       "configuration.pushNotificationConfig.authentication.schemes[0]"},
      {configured(R"({"pushNotificationConfig":{"url":"http://h","authentication":{"schemes":["a b"]}}})"),
       "configuration.pushNotificationConfig.authentication.schemes"},
      {configured(
           R"({"pushNotificationConfig":{"url":"http://h","authentication":{"schemes":["a"],"credentials":"\n"}}})"),
       "configuration.pushNotificationConfig.authentication.credentials"},
  };
  // clang-format on
  for (const auto& [json, field] : rows) {
    CAPTURE(json);
    const auto read = read_send(json);
    REQUIRE(read.has_error());
    CHECK(read.error().code == errc::invalid_params);
    CHECK(read.error().field == field);
    CHECK(read.error().message.size() < 200);
  }
}

TEST_CASE("0.3 calls about one task take its id and what belongs to them",
          "[protocol][codec_v0_3]") {
  const auto full = parsed(R"({"id":"t","metadata":{"why":"late"},"historyLength":0})");
  CHECK(v0_3::read_get_task(full)->id == task_id{"t"});
  CHECK(v0_3::read_get_task(full)->view.history_length == 0u);
  CHECK(v0_3::read_get_task(full)->view.include_artifacts);
  CHECK(v0_3::read_cancel_task(full)->metadata.at("why") == "late");
  CHECK(v0_3::read_subscribe(full)->id == task_id{"t"});
  for (const auto* text : {"{}", R"({"id":""})", R"({"id":null})", R"({"id":5})"}) {
    CHECK(v0_3::read_get_task(parsed(text)).error().field == "id");
    CHECK(v0_3::read_cancel_task(parsed(text)).error().field == "id");
    CHECK(v0_3::read_subscribe(parsed(text)).error().field == "id");
  }
  CHECK(v0_3::read_get_task(parsed(R"({"id":"t","historyLength":-1})")).error().field
        == "historyLength");
  const auto list =
      v0_3::read_list_tasks(parsed(R"({"contextId":"c","status":"working","pageSize":"20"})"))
          .value();
  CHECK(list.context == "c");
  CHECK(list.state == task_state::working);
  CHECK(list.page_size == 20);
}

TEST_CASE("0.3 push params have crossing names", "[protocol][codec_v0_3]") {
  const auto set = v0_3::read_create_push_config(parsed(
      R"({"taskId":"t","pushNotificationConfig":{"id":"p","url":"https://h/","token":"x"}})"));
  REQUIRE(set.has_value());
  CHECK(set->config.task == task_id{"t"});
  CHECK(set->config.id == "p");
  CHECK(set->config.payload == push_payload::v0_3);
  CHECK_FALSE(set->config.authentication.has_value());
  CHECK(v0_3::read_create_push_config(parsed(R"({"taskId":"t"})")).error().field
        == "pushNotificationConfig");
  CHECK(v0_3::read_create_push_config(parsed(R"({"pushNotificationConfig":{"url":"http://h"}})"))
            .error()
            .field
        == "taskId");

  const auto both = parsed(R"({"id":"t","pushNotificationConfigId":"p"})");
  CHECK(v0_3::read_get_push_config(both)->task == task_id{"t"});
  CHECK(v0_3::read_get_push_config(both)->id == "p");
  CHECK(v0_3::read_delete_push_config(both)->task == task_id{"t"});
  CHECK(v0_3::read_delete_push_config(both)->id == "p");
  const auto only = parsed(R"({"id":"t"})");
  CHECK(v0_3::read_get_push_config(only)->id.empty());
  CHECK(v0_3::read_list_push_configs(only)->task == task_id{"t"});
  CHECK(v0_3::read_list_push_configs(only)->page_size == push_page_size_max);
  CHECK(v0_3::read_delete_push_config(only).error().field == "pushNotificationConfigId");
  CHECK(v0_3::read_list_push_configs(parsed("{}")).error().field == "id");
  CHECK(v0_3::read_get_push_config(parsed(R"({"taskId":"t"})")).error().field == "id");
}

TEST_CASE("0.3 messages, artifacts and configurations read back as they were written",
          "[protocol][codec_v0_3]") {
  random_values random{41};
  id_source ids{1};
  for (int i = 0; i < 1'000; ++i) {
    const auto spoken = any_message_of_0_3(random);
    REQUIRE(v0_3::read_message(parsed(written(spoken)), ids).value() == spoken);
    const auto made = any_artifact_of_0_3(random);
    REQUIRE(v0_3::read_artifact(parsed(written(made)), "artifact").value() == made);
    auto config = small_push_config();
    if (random.coin())
      config.authentication.reset();
    const auto read = v0_3::read_create_push_config(parsed(written(config))).value().config;
    REQUIRE(written(read) == written(config));
  }
}
