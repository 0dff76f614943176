#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/limits.hpp"
#include "tests/protocol/codec_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

std::string written(const push_config& config) {
  return text_from([&](json_writer& to) { v1_0::write(to, config); });
}

} // namespace

TEST_CASE("a 1.0 push configuration is flat", "[protocol][codec_v1_0]") {
  auto config = small_push_config();
  CHECK(written(config)
        == R"({"id":"p1","taskId":"t1","url":"https://hook.example/a2a","token":"secret",)"
           R"("authentication":{"scheme":"Bearer","credentials":"key"}})");
  config.token.clear();
  config.authentication.reset();
  config.owner.tenant = "acme";
  const auto text = written(config);
  CHECK(text == R"({"tenant":"acme","id":"p1","taskId":"t1","url":"https://hook.example/a2a"})");
  const std::vector<push_config> one{config};
  CHECK(text_from([&](json_writer& to) { v1_0::write_push_config_list(to, one, "n"); })
        == R"({"configs":[)" + text + R"(],"nextPageToken":"n"})");
  CHECK(text_from([&](json_writer& to) { v1_0::write_push_config_list(to, {}, ""); })
        == R"({"configs":[],"nextPageToken":""})");
}

TEST_CASE("a 1.0 push configuration is read back as it was written", "[protocol][codec_v1_0]") {
  for (const bool bare : {false, true}) {
    auto config = small_push_config();
    config.owner.tenant = "acme";
    if (bare)
      config.authentication.reset();
    const auto read = v1_0::read_create_push_config(parsed(written(config))).value();
    CHECK(read.who.tenant == "acme");
    CHECK(read.config.task == task_id{"t1"});
    CHECK(read.config.payload == push_payload::v1_0);
    CHECK(read.config.authentication.has_value() == !bare);
    CHECK(written(read.config) == written(config));
  }
}

TEST_CASE("a 1.0 push configuration may leave its id to the server", "[protocol][codec_v1_0]") {
  const auto read =
      v1_0::read_create_push_config(parsed(R"({"task_id":"t","url":"http://h/","id":null})"))
          .value();
  CHECK(read.config.id.empty());
  CHECK(read.config.task == task_id{"t"});
  // Inside a message the task is not known yet; what stands there is ignored.
  const auto sent =
      v1_0::read_send_params(
          parsed(R"({"message":{"messageId":"m","role":1,"parts":[{"text":"a"}]},"configuration":
        {"taskPushNotificationConfig":{"taskId":"other","id":"p","url":"http://h/"}}})"))
          .value();
  CHECK(sent.push->task.empty());
  CHECK(sent.push->id == "p");
}

TEST_CASE("a wrong 1.0 push configuration names the field", "[protocol][codec_v1_0]") {
  struct row {
    std::string json;
    const char* field;
  };
  const auto with = [](std::string_view more) {
    return R"({"taskId":"t","url":"http://h")" + std::string{more} + "}";
  };
  // clang-format off
  const auto rows = std::vector<row>{
      {"null", ""},
      {"{}", "url"},
      {R"({"taskId":"t"})", "url"},
      {R"({"url":"http://h"})", "taskId"},
      {R"({"taskId":"t","url":"http://me@h"})", "url"},
      {R"({"taskId":"t","url":5})", "url"},
      {with(R"(,"id":"a/b")"), "id"},
      {with(R"(,"id":7)"), "id"},
      {with(R"(,"token":"a\nb")"), "token"},
      {with(R"(,"token":"ä")"), "token"},
      {with(R"(,"token":")" + std::string(push_token_bytes_max + 1, 'x') + R"(")"), "token"},
      {with(R"(,"authentication":"Bearer x")"), "authentication"},
      {with(R"(,"authentication":{})"), "authentication.scheme"},
      {with(R"(,"authentication":{"scheme":""})"), "authentication.scheme"},
      {with(R"(,"authentication":{"scheme":"Bearer: x"})"), "authentication.scheme"},
      {with(R"(,"authentication":{"scheme":")" + std::string(push_credentials_bytes_max + 1, 'x') + R"("})"), "authentication.scheme"},
      {with(R"(,"authentication":{"scheme":"Bearer","credentials":"a\r\nb"})"), "authentication.credentials"},
      {with(R"(,"authentication":{"scheme":"Bearer","credentials":")" + std::string(push_credentials_bytes_max + 1, 'x')
            + R"("})"),
       "authentication.credentials"},
  };
  // clang-format on
  for (const auto& [json, field] : rows) {
    CAPTURE(json);
    const auto read = v1_0::read_create_push_config(parsed(json));
    REQUIRE(read.has_error());
    CHECK(read.error().code == errc::invalid_params);
    CHECK(read.error().field == field);
    CHECK(read.error().message.find("key") == std::string::npos);
  }
}

TEST_CASE("1.0 push configurations are named by task and id", "[protocol][codec_v1_0]") {
  const auto both = parsed(R"({"tenant":"acme","taskId":"t","id":"p"})");
  CHECK(v1_0::read_get_push_config(both)->task == task_id{"t"});
  CHECK(v1_0::read_get_push_config(both)->id == "p");
  CHECK(v1_0::read_get_push_config(both)->who.tenant == "acme");
  CHECK(v1_0::read_delete_push_config(both)->task == task_id{"t"});
  CHECK(v1_0::read_delete_push_config(both)->id == "p");
  const auto only = parsed(R"({"taskId":"t"})");
  CHECK(v1_0::read_get_push_config(only).error().field == "id");
  CHECK(v1_0::read_delete_push_config(only).error().field == "id");
  CHECK(v1_0::read_get_push_config(parsed(R"({"id":"p"})")).error().field == "taskId");
  const auto list =
      v1_0::read_list_push_configs(parsed(R"({"task_id":"t","page_size":"5","page_token":"n"})"))
          .value();
  CHECK(list.task == task_id{"t"});
  CHECK(list.page_size == 5);
  CHECK(list.page_token == "n");
  CHECK(v1_0::read_list_push_configs(parsed(R"({"taskId":"t","pageSize":0})"))->page_size
        == push_page_size_max);
  CHECK(v1_0::read_list_push_configs(parsed(R"({"taskId":"t","pageSize":101})")).error().field
        == "pageSize");
}

TEST_CASE("all values of a URL's query are strings", "[protocol][codec_v1_0]") {
  const auto list =
      v1_0::read_list_tasks(
          parsed(
              R"({"contextId":"c","status":"2","pageSize":"20","pageToken":"p","historyLength":"0",
                                   "lastUpdatedAfter":"2026-01-02T12:00:00Z","includeArtifacts":"true","other":"x"})"))
          .value();
  CHECK(list.state == task_state::working);
  CHECK(list.page_size == 20);
  CHECK(list.view.history_length == 0u);
  CHECK(list.view.include_artifacts);
  CHECK(list.status_after == noon);
  CHECK_FALSE(
      v1_0::read_list_tasks(parsed(R"({"include_artifacts":"false"})"))->view.include_artifacts);
  CHECK(v1_0::read_list_tasks(parsed(R"({"status":"TASK_STATE_WORKING"})"))->state
        == task_state::working);
  CHECK(v1_0::read_get_task(parsed(R"({"id":"t","historyLength":"10"})"))->view.history_length
        == 10u);
  CHECK(v1_0::read_get_task(parsed(R"({"id":"t","historyLength":"-1"})")).error().field
        == "historyLength");
  CHECK(v1_0::read_list_tasks(parsed(R"({"pageSize":"0"})")).error().field == "pageSize");
}
