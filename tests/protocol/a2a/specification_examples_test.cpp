// Every kind of request and answer that the two A2A specifications show by example, with content of
// our own: the readers take the request as it stands there, and what we write has at least the
// members the answer has there.
#include "protocol/a2a/codec_v0_3.hpp"
#include "protocol/a2a/codec_v0_3_rest.hpp"
#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/a2a/errc_wire.hpp"
#include "tests/protocol/codec_bed.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <functional>
#include <optional>

using namespace troupe;
using namespace troupe::test;
namespace json = boost::json;

namespace {

/// Every member of `part`, at any depth, stands in `whole` with the same value; arrays have the
/// same length.
bool contains(const json::value& whole, const json::value& part) {
  if (const auto* members = part.if_object()) {
    const auto* object = whole.if_object();
    return object && std::all_of(members->begin(), members->end(), [&](const auto& member) {
             const auto* found = object->if_contains(member.key());
             return found && contains(*found, member.value());
           });
  }
  if (const auto* items = part.if_array()) {
    const auto* array = whole.if_array();
    return array
           && std::equal(items->begin(), items->end(), array->begin(), array->end(),
                         [](const auto& b, const auto& a) { return contains(a, b); });
  }
  if (whole.is_number() && part.is_number()) // 10.0 is 10.
    return whole.to_number<double>() == part.to_number<double>();
  return whole == part;
}

enum class version : std::uint8_t { v1_0, v0_3, v0_3_rest };

std::optional<wire::send_params> read_send(version which, const json::value& params,
                                           std::string& written) {
  id_source ids{7};
  auto read = which == version::v1_0   ? v1_0::read_send_params(params)
              : which == version::v0_3 ? v0_3::read_send_params(params, ids)
                                       : v0_3_rest::read_send_params(params, ids);
  if (!read) {
    written = read.error().message;
    return std::nullopt;
  }
  written = text_from([&](json_writer& to) {
    which == version::v1_0   ? v1_0::write(to, read->command.message)
    : which == version::v0_3 ? v0_3::write(to, read->command.message)
                             : v0_3_rest::write(to, read->command.message);
  });
  return std::move(*read);
}

struct sent_example {
  const char* section;
  version which;
  const char* params;
  const char* message = nullptr; ///< As we write it; absent: as it stands in `params`.
};

const std::vector<sent_example>& sent_examples() {
  // clang-format off
  static const std::vector<sent_example> all{
      // The examples of 4.6.1 and 4.6.2 leave out the required messageId; here it is.
      {"1.0 4.6.1, 4.6.2", version::v1_0, R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"Bakeries close by"}],
         "extensions":["https://ext.example/place/v1"],
         "metadata":{"https://ext.example/place/v1":{"latitude":48.25,"longitude":-11.5,"accuracy":10.0,
                                                     "timestamp":"2026-01-02T03:04:05Z"}}}})"},
      {"1.0 6.1", version::v1_0, R"({"message":{"role":"ROLE_USER","parts":[{"text":"Is the tide in?"}],"messageId":"m-1"}})"},
      {"1.0 6.2", version::v1_0, R"({"message":{"role":"ROLE_USER","parts":[{"text":"An essay on moss"}],"messageId":"m-1"}})"},
      {"1.0 6.3", version::v1_0,
       R"({"message":{"taskId":"t-1","role":"ROLE_USER","parts":[{"text":"Oslo to Bergen"}],"messageId":"m-2"}})"},
      {"1.0 6.6", version::v1_0, R"({"message":{"role":"ROLE_USER","parts":[{"text":"Count the stock and tell me"}],"messageId":"m"},
         "configuration":{"taskPushNotificationConfig":{"url":"https://client.example/hook",
           "authentication":{"scheme":"Bearer","credentials":"abc"}}}})"},
      {"1.0 6.7", version::v1_0, R"({"message":{"role":"ROLE_USER","parts":[{"text":"Where is the cat?"},
         {"raw":"iVBORw0KGgo=","filename":"cat.png","mediaType":"image/png"}],"messageId":"m"}})"},
      {"1.0 6.8", version::v1_0, R"({"message":{"role":"ROLE_USER","parts":[{"text":"Open orders","metadata":{
         "mediaType":"application/json","schema":{"type":"array","items":{"type":"object",
         "properties":{"number":{"type":"string"}}}}}}],"messageId":"m"}})"},
      {"1.0 11.4", version::v1_0, R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"Hi"}]},
         "configuration":{"acceptedOutputModes":["text/plain"]}})"},
      {"1.0 A.2.1 after", version::v1_0, R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"Hi"},
         {"raw":"iVBORw0KGgo=","filename":"plan.png","mediaType":"image/png"}]}})"},
      {"1.0 A.2.1 before", version::v0_3, R"({"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"Hi"},
         {"kind":"file","file":{"name":"plan.png","mimeType":"image/png","fileWithBytes":"iVBORw0KGgo="}}]}})",
       R"({"parts":[{"kind":"text","text":"Hi"},
           {"kind":"file","file":{"name":"plan.png","mimeType":"image/png","bytes":"iVBORw0KGgo="}}]})"},
      {"0.3 9.2", version::v0_3,
       R"({"message":{"role":"user","parts":[{"kind":"text","text":"a riddle"}],"messageId":"m-1"},"metadata":{}})"},
      {"0.3 9.3", version::v0_3, R"({"message":{"role":"user","parts":[{"kind":"text","text":"describe the picture"},
         {"kind":"file","file":{"mimeType":"image/png","data":"iVBORw0KGgo="}}],"messageId":"m-1"},"metadata":{}})",
       R"({"kind":"message","parts":[{"kind":"text","text":"describe the picture"},
           {"kind":"file","file":{"mimeType":"image/png","bytes":"iVBORw0KGgo="}}],"messageId":"m-1"})"},
      {"0.3 9.4, first", version::v0_3,
       R"({"message":{"role":"user","parts":[{"kind":"text","text":"I need a boat."}]},"messageId":"m-7"})",
       R"({"role":"user","parts":[{"kind":"text","text":"I need a boat."}],"messageId":"m-7"})"},
      {"0.3 9.4, second", version::v0_3, R"({"message":{"role":"user","parts":[{"kind":"text","text":"A small one."}],
         "contextId":"c-1","taskId":"t-1","messageId":"m-8"},"configuration":{"blocking":true}})"},
      {"0.3 9.5", version::v0_3, R"({"message":{"role":"user","parts":[{"kind":"text","text":"Count the stock"}],"messageId":"m"},
         "configuration":{"pushNotificationConfig":{"url":"https://client.example/hook","token":"abc",
           "authentication":{"schemes":["Bearer"]}}}})"},
      {"0.3 9.6", version::v0_3, R"({"message":{"role":"user","parts":[{"kind":"text","text":"Where is the cat?"},
         {"kind":"file","file":{"name":"cat.png","mimeType":"image/png","bytes":"iVBORw0KGgo="}}],"messageId":"m"}})"},
      {"0.3 9.7", version::v0_3, R"({"message":{"role":"user","parts":[{"kind":"text","text":"Open orders","metadata":{
         "mimeType":"application/json","schema":{"type":"array","items":{"type":"object"}}}}],"messageId":"m"},"metadata":{}})"},
      {"0.3 7.1 REST", version::v0_3_rest,
       R"({"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"Hi"}]},"configuration":{"blocking":true},"metadata":{}})"},
  };
  // clang-format on
  return all;
}

struct asked_example {
  const char* section;
  const char* params;
  std::function<error(const json::value&)> read; ///< errc::none if it was read as it should be.
  const char* field = "";                        ///< What must be refused.
};

template<class T>
error checked(const result<T>& read, bool as_expected) {
  return read ? (as_expected ? error{} : make_error(errc::internal, "read otherwise"))
              : read.error();
}

const std::vector<asked_example>& asked_examples() {
  using json::value;
  // clang-format off
  static const std::vector<asked_example> all{
      {"1.0 6.5, a context", R"({"contextId":"c-1","pageSize":"10","historyLength":"3"})",
       [](const value& v) {
         const auto read = v1_0::read_list_tasks(v);
         return checked(read, read && read->page_size == 10 && read->view.history_length == 3u && read->context == "c-1");
       }},
      {"1.0 6.5, working tasks", R"({"status":"TASK_STATE_WORKING","pageSize":"20"})",
       [](const value& v) {
         const auto read = v1_0::read_list_tasks(v);
         return checked(read, read && read->state == task_state::working && read->page_size == 20);
       }},
      {"1.0 6.5, next page", R"({"contextId":"c-1","pageSize":"10","pageToken":"cursor"})",
       [](const value& v) {
         const auto read = v1_0::read_list_tasks(v);
         return checked(read, read && read->page_token == "cursor");
       }},
      {"1.0 6.5, a page too large", R"({"pageSize":"150"})",
       [](const value& v) { return checked(v1_0::read_list_tasks(v), true); }, "pageSize"},
      {"1.0 6.5, a negative history", R"({"historyLength":"-5"})",
       [](const value& v) { return checked(v1_0::read_list_tasks(v), true); }, "historyLength"},
      {"1.0 6.5, an unknown state", R"({"status":"TASK_STATE_RUNNING"})",
       [](const value& v) { return checked(v1_0::read_list_tasks(v), true); }, "status"},
      {"1.0 9.4.3", R"({"id":"t-1","historyLength":10})",
       [](const value& v) {
         const auto read = v1_0::read_get_task(v);
         return checked(read, read && read->id == task_id{"t-1"} && read->view.history_length == 10u);
       }},
      {"1.0 9.4.4, 11.5", R"({"contextId":"c-1","status":"TASK_STATE_WORKING","pageSize":50,"pageToken":"cursor"})",
       [](const value& v) {
         const auto read = v1_0::read_list_tasks(v);
         return checked(read, read && read->page_size == 50 && read->state == task_state::working);
       }},
      {"1.0 9.4.5", R"({"id":"t-1"})",
       [](const value& v) {
         const auto read = v1_0::read_cancel_task(v);
         return checked(read, read && read->id == task_id{"t-1"});
       }},
      {"1.0 9.4.6", R"({"id":"t-1"})",
       [](const value& v) {
         const auto read = v1_0::read_subscribe(v);
         return checked(read, read && read->id == task_id{"t-1"});
       }},
      {"1.0 11.5", R"({"id":"t-1","historyLength":"10"})",
       [](const value& v) {
         const auto read = v1_0::read_get_task(v);
         return checked(read, read && read->view.history_length == 10u);
       }},
      {"0.3 9.2, polling", R"({"id":"t-1"})",
       [](const value& v) {
         const auto read = v0_3::read_get_task(v);
         return checked(read, read && read->id == task_id{"t-1"});
       }},
      {"0.3 7.4, 7.9 REST", R"({"id":"t-1","name":"tasks/t-1"})",
       [](const value& v) {
         const auto read = v0_3_rest::read_cancel_task(v);
         return checked(v0_3_rest::read_subscribe(v), read && read->id == task_id{"t-1"});
       }},
      {"0.3 7.5 REST", R"({"taskId":"t-1","config":{"taskId":"t-1","pushNotificationConfig":{"url":"https://h.example"}}})",
       [](const value& v) {
         const auto read = v0_3_rest::read_create_push_config(v);
         return checked(read, read && read->config.task == task_id{"t-1"});
       }},
  };
  // clang-format on
  return all;
}

task ended(std::vector<part> output, std::string name) {
  auto out = small_task(task_state::completed);
  out.artifacts = {std::make_shared<const artifact>(
      artifact{"a1", std::move(name), {}, std::move(output), {}, {}})};
  return out;
}

task asking() {
  auto out = small_task(task_state::input_required);
  out.status.message = agent_says("Where from?");
  message asked;
  asked.message_id = "m-0";
  asked.from = role::user;
  asked.parts = {text_part("A boat")};
  out.history = {std::make_shared<const message>(asked)};
  return out;
}

message greeting() {
  auto out = *agent_says("A riddle");
  out.context_id = "c1";
  return out;
}

struct answer_example {
  const char* section;
  std::function<void(json_writer&)> write;
  const char* json;
};

template<class... Value>
std::function<void(json_writer&)> v1_0_of(Value... value) {
  return [=](json_writer& to) { v1_0::write(to, value...); };
}

template<class... Value>
std::function<void(json_writer&)> v0_3_of(Value... value) {
  return [=](json_writer& to) { v0_3::write(to, value...); };
}

std::function<void(json_writer&)> v0_3_event(event happened, bool final) {
  return [=](json_writer& to) {
    v0_3::write_stream_event(to, small_change(), happened, {.last = final, .cursor = {}});
  };
}

std::function<void(json_writer&)> v1_0_event(event happened) {
  return [=](json_writer& to) { v1_0::write_stream_event(to, small_change(), happened); };
}

event chunk(bool append, bool last) {
  return task_artifact{
      std::make_shared<const artifact>(artifact{"a1", {}, {}, {text_part("moss")}, {}, {}}), append,
      last};
}

const event completed = task_moved{task_state::completed, 1, nullptr};

/// The members `append` and `lastChunk` are left out where they are false; 0.3's examples write
/// them.
const std::vector<answer_example>& answer_examples() {
  const auto page =
      std::vector<task_ptr>{std::make_shared<const task>(small_task(task_state::completed))};
  // clang-format off
  static const std::vector<answer_example> all{
      {"1.0 4.6.2", v1_0_of(artifact{"a1", "Moss", {}, {text_part("green")}, {"urn:s"}, {{"urn:s", {{"sources", {"x"}}}}}}),
       R"({"artifactId":"a1","name":"Moss","parts":[{"text":"green"}],"extensions":["urn:s"],"metadata":{"urn:s":{"sources":["x"]}}})"},
      {"1.0 6.1, 11.4", v1_0_of(ended({text_part("Sunny")}, "Weather")),
       R"({"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},
           "artifacts":[{"artifactId":"a1","name":"Weather","parts":[{"text":"Sunny"}]}]})"},
      {"1.0 6.2, artifact", v1_0_event(chunk(false, false)),
       R"({"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"parts":[{"text":"moss"}]}}})"},
      {"1.0 6.2, 6.6 end", v1_0_event(completed),
       R"({"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED",
           "timestamp":"2026-01-02T12:00:00.000Z"}}})"},
      {"1.0 6.3", v1_0_of(asking()), R"({"id":"t1","status":{"state":"TASK_STATE_INPUT_REQUIRED",
           "message":{"role":"ROLE_AGENT","parts":[{"text":"Where from?"}]}}})"},
      {"1.0 6.5", [page](json_writer& to) { v1_0::write_task_list(to, page, "", 10, 5, {}); },
       R"({"tasks":[{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-02T12:00:00.000Z"}}],
           "totalSize":5,"pageSize":10,"nextPageToken":""})"},
      {"1.0 6.6", v1_0_of(small_task(task_state::submitted)),
       R"({"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-01-02T12:00:00.000Z"}})"},
      {"1.0 6.7", v1_0_of(ended({part{url_content{"https://x.example/o.png?t=1"}, "image/png", "o.png", {}}}, "found.png")),
       R"({"artifacts":[{"artifactId":"a1","name":"found.png",
           "parts":[{"url":"https://x.example/o.png?t=1","filename":"o.png","mediaType":"image/png"}]}]})"},
      {"1.0 6.8", v1_0_of(ended({text_part(R"([{"number":"1"}])")}, {})),
       R"({"artifacts":[{"artifactId":"a1","parts":[{"text":"[{\"number\":\"1\"}]"}]}]})"},
      {"1.0 9.5, a field", [](json_writer& to) { write_jsonrpc_error(to, {errc::invalid_params, "empty", "message.parts"}, noon); },
       R"({"code":-32602,"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo"},
           {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.parts","description":"empty"}]}]})"},
      {"1.0 9.5, a task", [](json_writer& to) { write_jsonrpc_error(to, {errc::task_not_found, "", "t-9"}, noon); },
       R"({"code":-32001,"message":"Task not found; check the id of the task [TASK_NOT_FOUND, -32001]","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",
           "reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org",
           "metadata":{"taskId":"t-9","timestamp":"2026-01-02T12:00:00.000Z"}}]})"},
      {"1.0 11.6", [](json_writer& to) { write_rest_error(to, {errc::task_not_found, "", "t-9"}, noon); },
       R"({"error":{"code":404,"status":"NOT_FOUND","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",
           "reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t-9"}}]}})"},
      {"0.3 9.2, a task", v0_3_of(ended({text_part("A riddle")}, "riddle")),
       R"({"id":"t1","contextId":"c1","status":{"state":"completed"},"artifacts":[{"artifactId":"a1","name":"riddle",
           "parts":[{"kind":"text","text":"A riddle"}]}],"kind":"task"})"},
      {"0.3 9.2, a message", v0_3_of(greeting()),
       R"({"messageId":"m-1","contextId":"c1","parts":[{"kind":"text","text":"A riddle"}],"kind":"message"})"},
      {"0.3 9.3, chunk", v0_3_event(chunk(true, true), false),
       R"({"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1","parts":[{"kind":"text","text":"moss"}]},
           "append":true,"lastChunk":true,"kind":"artifact-update"})"},
      {"0.3 9.3, end", v0_3_event(completed, true),
       R"({"taskId":"t1","contextId":"c1","status":{"state":"completed","timestamp":"2026-01-02T12:00:00.000Z"},
           "final":true,"kind":"status-update"})"},
      {"0.3 9.4", v0_3_of(asking()),
       R"({"id":"t1","contextId":"c1","status":{"state":"input-required","message":{"role":"agent",
           "parts":[{"kind":"text","text":"Where from?"}],"messageId":"m-1","taskId":"t1","contextId":"c1"},
           "timestamp":"2026-01-02T12:00:00.000Z"},"history":[{"role":"user","parts":[{"kind":"text","text":"A boat"}],
           "messageId":"m-0","taskId":"t1","contextId":"c1"}],"kind":"task"})"},
      {"0.3 9.4, data", v0_3_of(ended({data_part({{"number", "B1"}})}, "Boat.json")),
       R"({"artifacts":[{"artifactId":"a1","name":"Boat.json","parts":[{"kind":"data","data":{"number":"B1"}}]}],"kind":"task"})"},
      {"0.3 9.5", v0_3_of(small_task(task_state::completed)),
       R"({"id":"t1","contextId":"c1","status":{"state":"completed","timestamp":"2026-01-02T12:00:00.000Z"},"kind":"task"})"},
      {"0.3 9.6", v0_3_of(ended({part{url_content{"https://x.example/o.png?t=1"}, "image/png", "o.png", {}}}, "found.png")),
       R"({"artifacts":[{"name":"found.png","parts":[{"kind":"file",
           "file":{"name":"o.png","mimeType":"image/png","uri":"https://x.example/o.png?t=1"}}]}],"kind":"task"})"},
      {"0.3 7.7 REST", [](json_writer& to) { v0_3_rest::write(to, small_push_config()); },
       R"({"pushNotificationConfig":{"url":"https://hook.example/a2a"}})"},
  };
  // clang-format on
  return all;
}

} // namespace

TEST_CASE("messages are taken as the specifications show them", "[protocol][specification]") {
  for (const auto& example : sent_examples()) {
    CAPTURE(example.section);
    const auto params = parsed(example.params);
    std::string written;
    const auto read = read_send(example.which, params, written);
    CAPTURE(written);
    REQUIRE(read.has_value());
    CHECK(contains(parsed(written),
                   example.message ? parsed(example.message) : params.at("message")));
    const auto text = std::string{example.params};
    CHECK(read->push.has_value() == (text.find("ushNotificationConfig") != std::string::npos));
    CHECK_FALSE(read->return_immediately);
  }
}

TEST_CASE("questions are taken, or refused, as the specifications show them",
          "[protocol][specification]") {
  for (const auto& example : asked_examples()) {
    CAPTURE(example.section);
    const auto problem = example.read(parsed(example.params));
    CAPTURE(problem.message);
    CHECK(problem.code == (*example.field ? errc::invalid_params : errc::none));
    CHECK(problem.field == example.field);
  }
}

TEST_CASE("answers have every member that the specifications show", "[protocol][specification]") {
  for (const auto& example : answer_examples()) {
    CAPTURE(example.section);
    const auto written = text_from(example.write);
    CAPTURE(written);
    CHECK(contains(parsed(written), parsed(example.json)));
  }
}
