#include "protocol/a2a/codec_v0_3_rest.hpp"
#include "protocol/json/base64.hpp"
#include "protocol/limits.hpp"
#include "tests/protocol/codec_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::test;
namespace json = boost::json;

namespace {

template<class... Value>
std::string written(const Value&... value) {
  return text_from([&](json_writer& to) { v0_3_rest::write(to, value...); });
}

result<part> read_part(std::string_view text) {
  return v0_3_rest::read_part(parsed(text), "part");
}

result<v0_3_rest::send_params> read_send(std::string_view text) {
  id_source ids{7};
  return v0_3_rest::read_send_params(parsed(text), ids);
}

std::string stream_event(const event& happened, bool final) {
  return text_from([&](json_writer& to) {
    CHECK(
        v0_3_rest::write_stream_event(to, small_change(), happened, {.last = final, .cursor = {}}));
  });
}

} // namespace

// -- writing --------------------------------------------------------------------------------------

TEST_CASE("a part on 0.3 REST has the proto's shape", "[protocol][codec_v0_3_rest]") {
  CHECK(written(part{text_content{"hi"}, "text/plain", {}, {{"k", 1}}})
        == R"({"text":"hi","metadata":{"k":1}})");
  CHECK(written(part{raw_content{"\x01\x02"}, "image/png", "a.png", {}})
        == R"({"file":{"fileWithBytes":"AQI=","mimeType":"image/png","name":"a.png"}})");
  CHECK(written(part{url_content{"https://x.example/a"}, {}, {}, {}})
        == R"({"file":{"fileWithUri":"https://x.example/a"}})");
  CHECK(written(data_part({{"a", {1, 2}}})) == R"({"data":{"data":{"a":[1,2]}}})");
  CHECK(written(data_part("x"))
        == R"({"data":{"data":{"value":"x"}},"metadata":{"data_part_compat":true}})");
}

TEST_CASE("a message on 0.3 REST has content and no references", "[protocol][codec_v0_3_rest]") {
  auto spoken = *agent_says("hi");
  spoken.reference_task_ids = {"r"};
  spoken.extensions = {"urn:e"};
  CHECK(
      written(spoken)
      == R"({"messageId":"m-1","role":"ROLE_AGENT","content":[{"text":"hi"}],"extensions":["urn:e"]})");
}

TEST_CASE("a task on 0.3 REST has the proto's names and no kind", "[protocol][codec_v0_3_rest]") {
  auto task = small_task(task_state::canceled);
  task.status.message = agent_says("why");
  task.artifacts = {
      std::make_shared<const artifact>(artifact{"a1", {}, {}, {text_part("x")}, {}, {}})};
  CHECK(
      written(task)
      == R"({"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_CANCELLED","message":{"messageId":"m-1",)"
         R"("contextId":"c1","taskId":"t1","role":"ROLE_AGENT","content":[{"text":"why"}]},)"
         R"("timestamp":"2026-01-02T12:00:00.000Z"},"artifacts":[{"artifactId":"a1","parts":[{"text":"x"}]}]})");
  CHECK(parsed(written(task.status, task)) == parsed(written(task)).at("status"));
}

TEST_CASE("answers and events on 0.3 REST are members named after their kind",
          "[protocol][codec_v0_3_rest]") {
  const auto sent = [](const objective_view* beside) {
    return parsed(
        text_from([&](json_writer& to) { v0_3_rest::write_sent(to, small_task(), {}, beside); }));
  };
  CHECK(sent(nullptr) == json::value{{"task", parsed(written(small_task()))}});
  objective_view objective;
  objective.id = objective_id{"c1"};
  CHECK(sent(&objective).at("objective").at("id") == "c1");

  CHECK(
      stream_event(task_moved{task_state::completed, 1, nullptr}, true)
      == R"({"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED",)"
         R"("timestamp":"2026-01-02T12:00:00.000Z"},"final":true}})");
  auto output = std::make_shared<const artifact>(artifact{"a1", {}, {}, {text_part("x")}, {}, {}});
  CHECK(
      stream_event(task_artifact{output, false, true}, false)
      == R"({"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1","parts":[{"text":"x"}]},)"
         R"("lastChunk":true}})");
}

TEST_CASE("lists on 0.3 REST are objects", "[protocol][codec_v0_3_rest]") {
  CHECK(text_from([&](json_writer& to) { v0_3_rest::write_task_list(to, {}, "", 50, 0, {}); })
        == R"({"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0})");
  const std::string text =
      R"({"name":"tasks/t1/pushNotificationConfigs/p1","pushNotificationConfig":{"id":"p1",)"
      R"("url":"https://hook.example/a2a","token":"secret","authentication":{"schemes":["Bearer"],"credentials":"key"}}})";
  CHECK(written(small_push_config()) == text);
  const std::vector<push_config> one{small_push_config()};
  CHECK(text_from([&](json_writer& to) { v0_3_rest::write_push_config_list(to, one, "n"); })
        == R"({"configs":[)" + text + R"(],"nextPageToken":"n"})");
}

TEST_CASE("every state has its name on 0.3 REST", "[protocol][codec_v0_3_rest]") {
  for (std::size_t i = 1; i < task_state_count; ++i) {
    const auto state = static_cast<task_state>(i);
    CHECK(v0_3_rest::read_list_tasks({{"status", std::string{v0_3_rest::state_name(state)}}})
              .value()
              .state
          == state);
  }
  CHECK(v0_3_rest::state_name(task_state::canceled) == "TASK_STATE_CANCELLED");
}

// -- reading --------------------------------------------------------------------------------------

TEST_CASE("a message sent over 0.3 REST is read in full", "[protocol][codec_v0_3_rest]") {
  const auto read = read_send(R"({
    "message": {"messageId": "m1", "contextId": "c1", "taskId": "t1", "role": "ROLE_USER",
                "content": [{"text": "hi", "metadata": {"k": 1}},
                            {"file": {"fileWithBytes": "AQI=", "mimeType": "image/png", "name": "a.png"}},
                            {"file": {"fileWithUri": "https://x.example"}},
                            {"data": {"data": {"a": 1}}}],
                "metadata": {"x": true}, "extensions": ["urn:e"]},
    "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 3, "blocking": false,
                      "pushNotification": {"url": "https://hook.example/", "authentication": {"schemes": ["Bearer"]}}},
    "metadata": {"m": 1}})");
  REQUIRE(read.has_value());
  const auto& message = read->command.message;
  CHECK(message.message_id == "m1");
  CHECK(message.from == role::user);
  REQUIRE(message.parts.size() == 4);
  CHECK(message.parts[0] == part{text_content{"hi"}, {}, {}, {{"k", 1}}});
  CHECK(message.parts[1] == part{raw_content{"\x01\x02"}, "image/png", "a.png", {}});
  CHECK(message.parts[2] == part{url_content{"https://x.example"}, {}, {}, {}});
  CHECK(message.parts[3] == data_part({{"a", 1}}));
  CHECK(read->return_immediately);
  CHECK(read->history_length == 3u);
  REQUIRE(read->push.has_value());
  CHECK(read->push->authentication == push_authentication{"Bearer", ""});
  CHECK(read->push->payload == push_payload::v0_3);
}

TEST_CASE("0.3 REST reads the shapes of JSON-RPC and of the proto, too",
          "[protocol][codec_v0_3_rest]") {
  const auto* json = GENERATE(
      R"({"message":{"messageId":"m1","contextId":"c1","role":"ROLE_USER","content":[{"text":"hi"}]}})",
      R"({"request":{"message_id":"m1","context_id":"c1","role":"ROLE_USER","content":[{"text":"hi"}]}})",
      R"({"message":{"kind":"message","messageId":"m1","contextId":"c1","role":"user","parts":[{"kind":"text","text":"hi"}]}})",
      R"({"message":{"message_id":"m1","context_id":"c1","role":1,"parts":[{"type":"text","text":"hi"}],"content":null}})");
  CAPTURE(json);
  const auto read = read_send(json);
  REQUIRE(read.has_value());
  CHECK(read->command.message.message_id == "m1");
  CHECK(read->command.message.context_id == "c1");
  CHECK(read->command.message.from == role::user);
  CHECK(read->command.message.parts == std::vector<part>{text_part("hi")});
}

TEST_CASE("data on 0.3 REST is opened once, unless its kind is said",
          "[protocol][codec_v0_3_rest]") {
  const json::value one{{"a", 1}};
  const json::value nested{{"data", one}};
  CHECK(read_part(R"({"data":{"data":{"a":1}}})").value() == data_part(one));
  CHECK(read_part(R"({"data":{"a":1}})").value() == data_part(one));
  CHECK(read_part(R"({"data":{"data":{"data":{"a":1}}}})").value() == data_part(nested));
  CHECK(read_part(R"({"kind":"data","data":{"data":{"a":1}}})").value() == data_part(nested));
  CHECK(read_part(R"({"data":{"data":5}})").value() == data_part({{"data", 5}}));
}

TEST_CASE("bytes that were encoded twice are decoded twice", "[protocol][codec_v0_3_rest]") {
  const auto bytes_of = [](std::string_view encoded, std::string_view media_type,
                           std::string_view name = "fileWithBytes") {
    auto read = v0_3_rest::read_part(
        {{"file",
          {{std::string{name}, std::string{encoded}}, {"mimeType", std::string{media_type}}}}},
        "part");
    return std::get<raw_content>(read.value().content).bytes;
  };
  const std::string image = "\x89PNG\r\n\x1a\n\x01\x02";
  const auto once = to_base64(image);
  const auto twice = to_base64(once);
  CHECK(bytes_of(once, "image/png") == image);
  CHECK(bytes_of(twice, "image/png") == image);
  CHECK(bytes_of(to_base64(twice), "image/png") == once); // Twice, not as often as possible.
  CHECK(bytes_of(twice, "text/plain") == once);
  CHECK(bytes_of(twice, "application/json") == once);
  CHECK(bytes_of(twice, "") == once);
  CHECK(bytes_of(twice, "image/png", "bytes") == once);
  CHECK(bytes_of(to_base64("AQI="), "image/png") == "AQI="); // Too short to be sure.
}

TEST_CASE("0.3 REST takes tasks by id, by resource name, and numbers from a query",
          "[protocol][codec_v0_3_rest]") {
  const auto get = v0_3_rest::read_get_task(parsed(R"({"id":"t","historyLength":"2"})")).value();
  CHECK(get.id == task_id{"t"});
  CHECK(get.view.history_length == 2u);
  CHECK(v0_3_rest::read_get_task(parsed(R"({"id":"t","history_length":"0"})"))->view.history_length
        == std::nullopt);
  CHECK(v0_3_rest::read_get_task(parsed(R"({"name":"tasks/t"})"))->id == task_id{"t"});
  CHECK(v0_3_rest::read_cancel_task(parsed(R"({"id":"t","name":"tasks/t"})"))->id == task_id{"t"});
  CHECK(v0_3_rest::read_subscribe(parsed(R"({"name":"tasks/t"})"))->id == task_id{"t"});
  CHECK(v0_3_rest::read_cancel_task(parsed(R"({"id":"t","name":"tasks/other"})")).error().field
        == "name");
  CHECK(v0_3_rest::read_cancel_task(parsed(R"({"id":"t","name":"whatever"})"))->id == task_id{"t"});
  for (const auto* text : {"{}", R"({"id":""})", R"({"name":"t"})", R"({"name":"tasks/"})"}) {
    CHECK(v0_3_rest::read_get_task(parsed(text)).error().field == "id");
    CHECK(v0_3_rest::read_cancel_task(parsed(text)).error().field == "id");
    CHECK(v0_3_rest::read_subscribe(parsed(text)).error().field == "id");
  }
  CHECK(v0_3_rest::read_get_task(parsed(R"({"id":"t","historyLength":"-1"})")).error().field
        == "historyLength");
  const auto list =
      v0_3_rest::read_list_tasks(
          parsed(R"({"status":"2","pageSize":"7","includeArtifacts":"true","historyLength":"0",
                                   "lastUpdatedAfter":"2026-01-02T12:00:00Z"})"))
          .value();
  CHECK(list.state == task_state::working);
  CHECK(list.page_size == 7);
  CHECK(list.view.include_artifacts);
  CHECK(list.view.history_length == std::nullopt);
  CHECK(list.status_after == noon);
  CHECK(
      read_send(
          R"({"message":{"messageId":"m","role":1,"content":[{"text":"a"}]},"configuration":{"historyLength":0}})")
          ->history_length
      == std::nullopt);
}

TEST_CASE("a push configuration is created from every body that is about",
          "[protocol][codec_v0_3_rest]") {
  const auto* body = GENERATE(
      R"({"name":"tasks/t1/pushNotificationConfigs/p1","pushNotificationConfig":{"url":"https://hook.example/a2a"}})",
      R"({"parent":"tasks/t1","configId":"p1","config":{"name":"tasks/t1/pushNotificationConfigs/p1",
          "pushNotificationConfig":{"url":"https://hook.example/a2a"}}})",
      R"({"parent":"tasks/t1","config_id":"p1","config":{"push_notification_config":{"url":"https://hook.example/a2a"}}})",
      R"({"taskId":"t1","config":{"name":"tasks/t1/pushNotificationConfigs/p1",
          "pushNotificationConfig":{"id":"","url":"https://hook.example/a2a"}}})",
      R"({"taskId":"t1","config":{"taskId":"t1","pushNotificationConfig":{"id":"p1","url":"https://hook.example/a2a"}}})",
      R"({"taskId":"t1","config":{"id":"p1","url":"https://hook.example/a2a"}})",
      R"({"taskId":"t1","pushNotificationConfig":{"id":"p1","url":"https://hook.example/a2a"}})",
      R"({"taskId":"t1","id":"p1","url":"https://hook.example/a2a"})");
  CAPTURE(body);
  auto tree = parsed(body);
  for (const bool has_path : {false, true}) {
    if (has_path)
      tree.as_object()["taskId"] = "t1";
    const auto read = v0_3_rest::read_create_push_config(tree);
    REQUIRE(read.has_value());
    CHECK(read->config.task == task_id{"t1"});
    CHECK(read->config.id == "p1");
    CHECK(read->config.url == "https://hook.example/a2a");
    CHECK(read->config.payload == push_payload::v0_3);
  }
}

TEST_CASE("a wrong push configuration on 0.3 REST names the field", "[protocol][codec_v0_3_rest]") {
  struct row {
    const char* json;
    const char* field;
  };
  const auto [json, field] = GENERATE(values<row>({
      {R"({"taskId":"t"})", "url"},
      {R"({"taskId":"t","config":{}})", "config.url"},
      {R"({"taskId":"t","config":5})", "config"},
      {R"({"taskId":"t","config":{"pushNotificationConfig":{"url":"x"}}})",
       "config.pushNotificationConfig.url"},
      {R"({"taskId":"t","configId":"a/b","config":{"url":"http://h"}})", "configId"},
      {R"({"config":{"url":"http://h"}})", "taskId"},
      {R"({"taskId":"t","parent":"tasks/other","config":{"url":"http://h"}})", "parent"},
      {R"({"taskId":"t","name":"tasks/o/x/p","pushNotificationConfig":{"url":"http://h"}})",
       "name"},
  }));
  CAPTURE(json);
  CHECK(v0_3_rest::read_create_push_config(parsed(json)).error().field == field);
}

TEST_CASE("a resource name holds two ids of any length that is allowed",
          "[protocol][codec_v0_3_rest]") {
  auto config = small_push_config();
  config.task = task_id{std::string(id_bytes_max, 't')};
  config.id = std::string(id_bytes_max, 'p');
  const auto read = v0_3_rest::read_create_push_config(parsed(written(config)));
  REQUIRE(read.has_value());
  CHECK(read->config.task == config.task);
  CHECK(read->config.id == config.id);
  const auto get = [](std::string name) {
    return v0_3_rest::read_get_push_config({{"name", std::move(name)}});
  };
  CHECK(get("tasks/" + config.task.str() + "/pushNotificationConfigs/" + config.id)->id
        == config.id);
  CHECK(get("tasks/t" + config.task.str()).error().field == "name");
  CHECK(get("tasks/t/pushNotificationConfigs/p" + config.id).error().field == "name");
  CHECK(get("tasks/t/pushNotificationConfigs/p\n").error().field == "name");
}

TEST_CASE("push configurations on 0.3 REST are named by path or resource",
          "[protocol][codec_v0_3_rest]") {
  for (const auto* text :
       {R"({"taskId":"t","id":"p"})", R"({"name":"tasks/t/pushNotificationConfigs/p"})"}) {
    CHECK(v0_3_rest::read_get_push_config(parsed(text))->task == task_id{"t"});
    CHECK(v0_3_rest::read_get_push_config(parsed(text))->id == "p");
    CHECK(v0_3_rest::read_delete_push_config(parsed(text))->task == task_id{"t"});
    CHECK(v0_3_rest::read_delete_push_config(parsed(text))->id == "p");
  }
  CHECK(v0_3_rest::read_get_push_config(parsed(R"({"taskId":"t"})"))->id.empty());
  CHECK(v0_3_rest::read_delete_push_config(parsed(R"({"taskId":"t"})")).error().field == "id");
  const auto list = v0_3_rest::read_list_push_configs(
                        parsed(R"({"parent":"tasks/t","pageSize":"5","pageToken":"n"})"))
                        .value();
  CHECK(list.task == task_id{"t"});
  CHECK(list.page_size == 5);
  CHECK(list.page_token == "n");
  CHECK(v0_3_rest::read_list_push_configs(parsed(R"({"taskId":"t","pageSize":"0"})"))->page_size
        == push_page_size_max);
  CHECK(
      v0_3_rest::read_list_push_configs(parsed(R"({"taskId":"t","pageSize":"101"})")).error().field
      == "pageSize");
}

TEST_CASE("0.3 REST reads back messages, artifacts and configurations as it wrote them",
          "[protocol][codec_v0_3_rest]") {
  random_values random{43};
  id_source ids{1};
  for (int i = 0; i < 1'000; ++i) {
    auto spoken = any_message_of_0_3(random);
    spoken.reference_task_ids.clear();
    REQUIRE(v0_3_rest::read_message(parsed(written(spoken)), ids).value() == spoken);
    const auto made = any_artifact_of_0_3(random);
    REQUIRE(v0_3_rest::read_artifact(parsed(written(made)), "artifact").value() == made);
    const auto read =
        v0_3_rest::read_create_push_config(parsed(written(small_push_config()))).value().config;
    REQUIRE(written(read) == written(small_push_config()));
  }
}

TEST_CASE("a configuration on 0.3 REST that leaves blocking out says no",
          "[protocol][codec_v0_3_rest]") {
  const auto returns_at_once = [](const std::string& configuration) {
    const auto read =
        read_send(R"({"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]})"
                  + configuration + "}");
    REQUIRE(read.has_value());
    return read->return_immediately;
  };
  CHECK_FALSE(returns_at_once(""));
  CHECK_FALSE(returns_at_once(R"(,"configuration":{"blocking":true})"));
  CHECK(returns_at_once(R"(,"configuration":{"blocking":false})"));
  CHECK(returns_at_once(R"(,"configuration":{"historyLength":3})"));
  CHECK(returns_at_once(R"(,"configuration":{})"));
}
