// Push notifications over the wire: the methods of both versions and bindings, and what arrives
// (docs/push.md).
#include "tests/net/net_bed.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/answer_in_time.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/full_pushes.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/push_receiver.hpp"
#include <troupe/store/limits.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <atomic>
#include <future>

using namespace troupe;
using namespace troupe::testing;

namespace {

server_options local_push() {
  server_options options;
  options.push.address = {.allow_http = true, .allow_private = true, .allow_hosts = {}};
  return options;
}

boost::json::value rest(const net_bed& bed, std::string_view verb, std::string_view path,
                        int status, std::string_view body = {},
                        std::string_view headers = "A2A-Version: 1.0\r\n") {
  auto client = bed.connect();
  const auto answer = client.request(verb, path, body, headers);
  INFO(verb << " " << path << ": " << answer.status << " " << answer.body);
  CHECK(answer.status == status);
  return boost::json::parse(answer.body);
}

/// The state that a notification of 1.0 or 0.3 tells; empty if it tells none.
std::string state_in(const received_post& post) {
  const auto body = boost::json::parse(post.body);
  for (const auto* path : {"/task/status/state", "/statusUpdate/status/state", "/status/state"})
    if (const auto found = at(body, path); found != "(none)")
      return found;
  return {};
}

/// Everything that comes up to the notification that tells `state`.
std::vector<received_post> posts_until(push_receiver& receiver, const std::string& state) {
  for (std::size_t count = 1;; ++count) {
    auto posts = receiver.wait_for(count);
    if (state_in(posts[count - 1]) == state)
      return posts;
  }
}

class full_store final : public passing_store {
public:
  [[nodiscard]] push_configs& pushes() override { return pushes_; }

private:
  full_pushes pushes_;
};

/// Its tasks cannot be read to be watched while too many others wait for that.
class busy_store final : public passing_store {
public:
  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string& client) override {
    if (is_busy)
      return done(make_error(errc::overloaded, "too many reads wait for the disk"));
    passing_store::snapshot_task(id, std::move(who), std::move(done), client);
  }
  std::atomic<bool> is_busy{true};
};

std::string new_task(const net_bed& bed) {
  return at(bed.result_of("SendMessage",
                          text_message("go", "", R"(,"configuration":{"returnImmediately":true})")),
            "/task/id");
}

} // namespace

TEST_CASE("a message that comes again brings the configuration that was not kept", "[net][push]") {
  // The process may have died after it had taken the message, and before it kept this.
  executor_options how;
  how.deduplicate_seconds = 3'600;
  const net_bed bed(local_push(), "puppet", nullptr, how);
  const auto send = [&](const char* method, const std::string& config) {
    return bed.call(rpc(method, R"({"message":{"messageId":"m1","role":"ROLE_USER","parts":[)"
                                R"({"text":"go"}]},"configuration":{"returnImmediately":true)"
                                    + config + "}}"));
  };
  const auto task = at(send("SendMessage", ""), "/result/task/id");
  const auto configs = [&] {
    return bed.result_of("ListTaskPushNotificationConfigs", R"({"taskId":")" + task + "\"}")
        .at("configs")
        .as_array()
        .size();
  };
  CHECK(configs() == 0);
  const auto named = GENERATE(as<std::string>{}, R"("id":"mine",)", "");
  const auto config = R"(,"taskPushNotificationConfig":{)" + named
                      + R"("url":"http://127.0.0.1:9/hook","token":"t"})";
  SECTION("once") {
    for (int turn = 0; turn < 3; ++turn)
      CHECK(at(send("SendMessage", config), "/result/task/id") == task);
    CHECK(configs() == 1);
  }
  SECTION("not if the task has ended") {
    bed.puppet->port(0)->report(report_completed{});
    REQUIRE(comes_true([&] {
      return at(bed.result_of("GetTask", R"({"id":")" + task + "\"}"), "/status/state")
             == "TASK_STATE_COMPLETED";
    }));
    CHECK(at(send("SendMessage", config), "/result/task/id") == task);
    CHECK(configs() == 0);
  }
}

TEST_CASE("a configuration that comes with a message is kept although the task cannot be read yet",
          "[net][push]") {
  push_receiver receiver;
  auto records = std::make_unique<busy_store>();
  auto& busy = *records;
  const net_bed bed(local_push(), "puppet", std::move(records));
  const auto task =
      at(bed.result_of("SendMessage", text_message("go", "",
                                                   R"(,"configuration":{"returnImmediately":true,)"
                                                   R"("taskPushNotificationConfig":{"url":")"
                                                       + receiver.url() + R"(","token":"t"}})")),
         "/task/id");
  bed.puppet->port(0)->report(report_completed{});
  busy.is_busy = false;
  CHECK_FALSE(posts_until(receiver, "TASK_STATE_COMPLETED").empty());
}

TEST_CASE("1.0 configurations are made, got, listed and deleted over JSON-RPC", "[net][push]") {
  const net_bed bed(local_push(), "puppet");
  const auto task = new_task(bed);
  const auto made =
      bed.result_of("CreateTaskPushNotificationConfig",
                    R"({"taskId":")" + task
                        + R"(","url":"http://127.0.0.1:9/hook","token":"t","authentication":)"
                          R"({"scheme":"Bearer","credentials":"secret"}})");
  const auto id = at(made, "/id");
  CHECK(at(made, "/taskId") == task);
  CHECK(at(made, "/url") == "http://127.0.0.1:9/hook");
  const auto names = R"({"taskId":")" + task + R"(","id":")" + id + "\"}";
  CHECK(bed.result_of("GetTaskPushNotificationConfig", names) == made);
  const auto page =
      bed.result_of("ListTaskPushNotificationConfigs", R"({"taskId":")" + task + "\"}");
  CHECK(page.at("configs").as_array().size() == 1);
  CHECK(at(page, "/nextPageToken").empty());
  CHECK(at(bed.result_of("DeleteTaskPushNotificationConfig", names), "") == "{}");
  CHECK(at(bed.result_of("DeleteTaskPushNotificationConfig", names), "") == "{}");
  CHECK(at(bed.error_of("GetTaskPushNotificationConfig", names), "/code") == "-32001");
  CHECK(at(bed.error_of("CreateTaskPushNotificationConfig",
                        R"({"taskId":"nobody","url":"http://127.0.0.1/"})"),
           "/code")
        == "-32001");
  CHECK(
      at(bed.error_of("CreateTaskPushNotificationConfig", R"({"taskId":")" + task + "\"}"), "/code")
      == "-32602");
}

TEST_CASE("a configuration without an id is made once for its key", "[net][push][once]") {
  const net_bed bed(local_push(), "puppet");
  const auto task = new_task(bed);
  const auto make = [&](const std::string& url, const std::string& key) {
    const auto header = key.empty() ? key : "Idempotency-Key: " + key + "\r\n";
    return bed.call(rpc("CreateTaskPushNotificationConfig",
                        R"({"taskId":")" + task + R"(","url":")" + url + "\"}"),
                    "A2A-Version: 1.0\r\n" + header);
  };
  const auto count = [&] {
    return bed.result_of("ListTaskPushNotificationConfigs", R"({"taskId":")" + task + "\"}")
        .at("configs")
        .as_array()
        .size();
  };
  const std::string url = "http://127.0.0.1:9/hook";
  const auto first = make(url, "k");
  REQUIRE(at(first, "/result/url") == url);
  CHECK(make(url, "\"k\"").at("result") == first.at("result"));
  CHECK(count() == 1);
  const auto refused = make(url + "2", "k");
  CHECK(at(refused, "/error/code") == "-32602");
  CHECK(at(refused, "/error/data/0/reason") == "IDEMPOTENCY_KEY_REUSED");
  CHECK(count() == 1);
  CHECK(at(make(url, "other"), "/result/id") != at(first, "/result/id"));
  CHECK(at(make(url, ""), "/result/id") != at(first, "/result/id"));
  CHECK(count() == 3);
}

TEST_CASE("0.3 configurations have their nested shape over JSON-RPC", "[net][push][v0_3]") {
  const net_bed bed(local_push(), "puppet");
  const auto task = new_task(bed);
  const auto call = [&](std::string_view method, const std::string& params) {
    return bed.call(rpc(method, params), "");
  };
  const auto made =
      call("tasks/pushNotificationConfig/set",
           R"({"taskId":")" + task
               + R"(","pushNotificationConfig":{"id":"mine","url":"http://127.0.0.1:9/"}})");
  CHECK(at(made, "/result/pushNotificationConfig/id") == "mine");
  CHECK(at(call("tasks/pushNotificationConfig/get", R"({"id":")" + task + "\"}"),
           "/result/pushNotificationConfig/id")
        == "mine");
  CHECK(call("tasks/pushNotificationConfig/list", R"({"id":")" + task + "\"}")
            .at("result")
            .as_array()
            .size()
        == 1);
  const auto gone = call("tasks/pushNotificationConfig/delete",
                         R"({"id":")" + task + R"(","pushNotificationConfigId":"mine"})");
  CHECK(at(gone, "/result") == "null");
}

TEST_CASE("configurations over REST, in both versions", "[net][push][rest]") {
  const net_bed bed(local_push(), "puppet");
  const auto path = "/tasks/" + new_task(bed) + "/pushNotificationConfigs";
  const auto made = rest(bed, "POST", path, 200, R"({"url":"http://127.0.0.1:9/","id":"hook:1"})");
  CHECK(at(made, "/id") == "hook:1");
  CHECK(rest(bed, "GET", path + "/hook:1", 200) == made);
  CHECK(rest(bed, "GET", path + "?pageSize=1", 200).at("configs").as_array().size() == 1);
  CHECK(at(rest(bed, "GET", "/v1" + path + "/hook:1", 200, "", ""), "/pushNotificationConfig/id")
        == "hook:1");
  CHECK(
      at(rest(
             bed, "POST", "/v1" + path, 200,
             R"({"config":{"pushNotificationConfig":{"id":"hook:2","url":"http://127.0.0.1:9/"}}})",
             ""),
         "/pushNotificationConfig/id")
      == "hook:2");
  CHECK(rest(bed, "GET", "/v1" + path, 200, "", "").at("configs").as_array().size() == 2);
  CHECK(at(rest(bed, "DELETE", path + "/hook:1", 200), "") == "{}");
  CHECK(at(rest(bed, "DELETE", "/v1" + path + "/hook:2", 200, "", ""), "") == "{}");
  CHECK(at(rest(bed, "GET", path + "/hook:1", 404), "/error/details/0/reason") == "TASK_NOT_FOUND");
}

TEST_CASE("a configuration that comes with a message gets the whole life of its task",
          "[net][push]") {
  push_receiver receiver;
  const net_bed bed(local_push(), "puppet");
  const auto sent = bed.result_of(
      "SendMessage",
      text_message(
          "go", "",
          R"(,"configuration":{"returnImmediately":true,"taskPushNotificationConfig":{"url":")"
              + receiver.url()
              + R"(","token":"tok","authentication":{"scheme":"Bearer","credentials":"abc"}}})"));
  const auto id = at(sent, "/task/id");
  const auto port = bed.puppet->port(0);
  port->report(report_artifact{text_artifact("out", "x"), false, true});
  port->report(report_completed{{}, "done"});
  const auto posts = posts_until(receiver, "TASK_STATE_COMPLETED");
  // The snapshot first. A store without a past may have missed the beginning, and then the snapshot
  // shows it.
  CHECK(at(boost::json::parse(posts[0].body), "/task/id") == id);
  REQUIRE(posts.size() >= 2);
  const auto artifacts = std::count_if(posts.begin(), posts.end(), [](const auto& post) {
    const auto body = boost::json::parse(post.body);
    return at(body, "/artifactUpdate/artifact/parts/0/text") == "x"
           || at(body, "/task/artifacts/0/parts/0/text") == "x";
  });
  CHECK(artifacts == 1);
  CHECK(posts[0].header("authorization") == "Bearer abc");
  CHECK(posts[0].header("x-a2a-notification-token") == "tok");
}

TEST_CASE("a client that activated the progress extension gets progress posted, another does not",
          "[net][push][progress]") {
  const bool comes_with_message = GENERATE(true, false);
  CAPTURE(comes_with_message);
  push_receiver asked;
  push_receiver other;
  const net_bed bed(local_push(), "puppet");
  const auto headers = "A2A-Version: 1.0\r\nA2A-Extensions: " + std::string(progress_uri) + "\r\n";
  const auto hook = [](const push_receiver& to, const std::string& members) {
    return "{" + members + R"("url":")" + to.url() + "\"}";
  };
  const auto message = [&](const std::string& more) {
    return rpc(
        "SendMessage",
        text_message("go", "", R"(,"configuration":{"returnImmediately":true)" + more + "}"));
  };
  std::string id;
  if (comes_with_message) {
    id = at(bed.call(message(R"(,"taskPushNotificationConfig":)" + hook(asked, "")), headers),
            "/result/task/id");
  } else {
    id = at(bed.call(message("")), "/result/task/id");
    const auto made =
        bed.call(rpc("CreateTaskPushNotificationConfig", hook(asked, R"("taskId":")" + id + "\",")),
                 headers);
    CHECK(at(made, "/result/taskId") == id);
  }
  const auto quiet =
      bed.result_of("CreateTaskPushNotificationConfig", hook(other, R"("taskId":")" + id + "\","));
  CHECK(at(quiet, "/taskId") == id);
  const auto shows_progress = [](const received_post& post) {
    return post.body.find(progress_uri) != std::string::npos;
  };
  progress_report half;
  half.aggregate = progress_aggregate{5, 10, "half way"};
  bed.puppet->port(0)->report(report_progress{half});
  for (std::size_t count = 1; std::ranges::none_of(asked.received(), shows_progress); ++count)
    static_cast<void>(asked.wait_for(count)); // Throws if nothing more comes.
  bed.puppet->port(0)->report(report_completed{{}, "done"});
  CHECK_FALSE(posts_until(other, "TASK_STATE_COMPLETED").empty());
  CHECK(std::ranges::none_of(other.received(), shows_progress));
}

TEST_CASE("a 0.3 client's configuration is sent whole tasks, also for a task done at once",
          "[net][push][v0_3]") {
  push_receiver receiver;
  const net_bed bed(local_push());
  const auto sent = bed.call(
      rpc("message/send",
          R"({"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]},)"
          R"("configuration":{"pushNotificationConfig":{"url":")"
              + receiver.url() + "\"}}}"),
      "");
  CHECK(at(sent, "/result/status/state") == "completed");
  CHECK_FALSE(posts_until(receiver, "completed").empty());
  CHECK(at(boost::json::parse(receiver.received().back().body), "/kind") == "task");
}

TEST_CASE("a stream may bring a configuration, too", "[net][push][sse]") {
  push_receiver receiver;
  const net_bed bed(local_push());
  auto client = bed.connect();
  client.send(http_client::request_text(
      "POST", "/message:stream",
      text_message("hi", "",
                   R"(,"configuration":{"taskPushNotificationConfig":{"url":")" + receiver.url()
                       + "\"}}")));
  CHECK(client.receive_head().status == 200);
  while (client.next_event()) {
  }
  CHECK_FALSE(posts_until(receiver, "TASK_STATE_COMPLETED").empty());
}

TEST_CASE("a configuration that comes with a plan gets the life of its root task",
          "[net][push][opt]") {
  push_receiver receiver;
  const bool is_1_0 = GENERATE(true, false);
  const bool streams = GENERATE(false, true);
  const bool durable = GENERATE(false, true);
  CAPTURE(is_1_0, streams, durable);
  const temporary_directory directory;
  const net_bed bed(local_push(), "echo", durable ? open_or_fail(directory / "data") : nullptr);
  const std::string plan =
      R"(,"metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a","agent":"echo"}]}}})";
  const auto hook = R"({"id":"mine","url":")" + receiver.url() + "\"}";
  const auto params =
      is_1_0
          ? R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}])" + plan
                + R"(,"configuration":{"taskPushNotificationConfig":)" + hook + "}}"
          : R"({"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}])"
                + plan + R"(,"configuration":{"blocking":true,"pushNotificationConfig":)" + hook
                + "}}";
  const auto method = is_1_0 ? (streams ? "SendStreamingMessage" : "SendMessage")
                             : (streams ? "message/stream" : "message/send");
  auto client = bed.connect();
  client.send(http_client::request_text("POST", "/", rpc(method, params),
                                        is_1_0 ? "A2A-Version: 1.0\r\n" : ""));
  std::string first;
  if (streams) {
    REQUIRE(client.receive_head().status == 200);
    first = client.next_event().value();
    while (client.next_event()) {
    }
  } else {
    first = client.receive().body;
  }
  const auto id = at(boost::json::parse(first), is_1_0 ? "/result/task/id" : "/result/id");
  const auto posts = posts_until(receiver, is_1_0 ? "TASK_STATE_COMPLETED" : "completed");
  const auto last = boost::json::parse(posts.back().body);
  const auto* told = !is_1_0                             ? "/id"
                     : last.as_object().contains("task") ? "/task/id"
                                                         : "/statusUpdate/taskId";
  CHECK(at(last, told) == id);
}

TEST_CASE("a configuration that comes with a plan is there once the send is answered",
          "[net][push][opt]") {
  const net_bed bed(local_push());
  const auto sent = bed.result_of(
      "SendMessage",
      text_message(
          "x",
          R"(,"metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a","agent":"puppet"}]}})",
          R"(,"configuration":{"returnImmediately":true,"taskPushNotificationConfig":{"url":"http://127.0.0.1:9/"}})"));
  const auto page = bed.result_of("ListTaskPushNotificationConfigs",
                                  R"({"taskId":")" + at(sent, "/task/id") + "\"}");
  CHECK(page.at("configs").as_array().size() == 1);
}

TEST_CASE("a message whose configuration has no room is not delivered", "[net][push]") {
  const net_bed bed(local_push(), "puppet");
  const auto task = new_task(bed);
  const auto port = bed.puppet->port(0);
  port->report(report_question{"which?", false});
  const auto state = [&] {
    return at(bed.result_of("GetTask", R"({"id":")" + task + "\"}"), "/status/state");
  };
  REQUIRE(comes_true([&] { return state() == "TASK_STATE_INPUT_REQUIRED"; }));
  for (std::size_t i = 0; i < push_configs_per_task_max; ++i)
    static_cast<void>(bed.result_of("CreateTaskPushNotificationConfig",
                                    R"({"taskId":")" + task
                                        + R"(","url":"http://127.0.0.1:9/","id":"c)"
                                        + std::to_string(i) + "\"}"));
  const auto with = [&](const std::string& text, const std::string& id) {
    return text_message(
        text, R"(,"taskId":")" + task + "\"",
        R"(,"configuration":{"returnImmediately":true,"taskPushNotificationConfig":{"url":"http://127.0.0.1:9/","id":")"
            + id + "\"}}");
  };
  for (const auto* id : {"", "another"}) {
    const auto refused = bed.error_of("SendMessage", with("unheard", id));
    CHECK(at(refused, "/code") == "-32602");
    CHECK(at(refused, "/data/0/reason") == "LIMIT_EXCEEDED");
    CHECK(state() == "TASK_STATE_INPUT_REQUIRED");
  }
  // One in the place of another needs no room.
  CHECK(at(bed.result_of("SendMessage", with("this one", "c3")), "/task/id") == task);
  CHECK(bed.puppet->input(0) == "this one");
}

TEST_CASE("a task is made even if there is no room any more for its configuration", "[net][push]") {
  const bool brings_plan = GENERATE(false, true);
  CAPTURE(brings_plan);
  const std::string plan =
      R"(,"metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a","agent":"puppet"}]}})";
  const auto warned = std::make_shared<std::promise<std::string>>();
  auto options = local_push();
  options.push.warn = [warned](std::string_view line) { warned->set_value(std::string(line)); };
  const net_bed bed(options, "puppet", std::make_unique<full_store>());
  const auto sent = bed.result_of(
      "SendMessage",
      text_message(
          "go", brings_plan ? plan : "",
          R"(,"configuration":{"returnImmediately":true,"taskPushNotificationConfig":{"url":"http://127.0.0.1:9/"}})"));
  const auto id = at(sent, "/task/id");
  CHECK(at(bed.result_of("GetTask", R"({"id":")" + id + "\"}"), "/id") == id);
  CHECK_THAT(answer_in_time(warned->get_future(), "a line in the log"),
             ContainsSubstring(id) && ContainsSubstring("too many"));
}

TEST_CASE("a configuration that cannot be used refuses its message", "[net][push]") {
  const net_bed bed; // as it comes: no plain http, no private addresses
  for (const auto* url : {"http://example.com/", "https://127.0.0.1/", "https://user@example.com/",
                          "ftp://example.com/", "nonsense"}) {
    CAPTURE(url);
    const auto error = bed.error_of(
        "SendMessage", text_message("x", "",
                                    R"(,"configuration":{"taskPushNotificationConfig":{"url":")"
                                        + std::string(url) + "\"}}"));
    CHECK(at(error, "/code") == "-32602");
  }
  CHECK(at(bed.result_of("ListTasks", "{}"), "/totalSize") == "0");

  server_options off;
  off.push.enabled = false;
  const net_bed without(off);
  CHECK(
      at(without.error_of(
             "SendMessage",
             text_message(
                 "x", "",
                 R"(,"configuration":{"taskPushNotificationConfig":{"url":"https://example.com/"}})")),
         "/code")
      == "-32003");
  CHECK(at(without.error_of("GetTaskPushNotificationConfig", R"({"taskId":"t","id":"c"})"), "/code")
        == "-32003");
}

TEST_CASE("a 0.3 push configuration without authentication or id is the default one",
          "[net][push][v0_3]") {
  const net_bed bed(local_push(), "puppet");
  const auto sent = bed.call(
      rpc("message/send",
          R"({"message":{"kind":"message","messageId":"m1","role":"user",)"
          R"("parts":[{"kind":"text","text":"go"}]},"configuration":{"blocking":false,)"
          R"("pushNotificationConfig":{"url":"http://127.0.0.1:9/sent","authentication":{}}}})"),
      "");
  const auto id = at(sent, "/result/id");
  REQUIRE(id != "(none)");
  const auto set = [&](const std::string& config) {
    return bed.call(rpc("tasks/pushNotificationConfig/set",
                        R"({"taskId":")" + id + R"(","pushNotificationConfig":)" + config + "}"),
                    "");
  };
  const auto configs = [&] {
    return bed.call(rpc("tasks/pushNotificationConfig/list", R"({"id":")" + id + "\"}"), "")
        .at("result");
  };
  const auto of_send = configs();
  CHECK(of_send.as_array().size() == 1);
  CHECK(at(of_send, "/0/pushNotificationConfig/id") == "default");
  CHECK(at(of_send, "/0/pushNotificationConfig/authentication") == "(none)");

  for (const auto* authentication : {R"({})", R"({"schemes":[]})", "null"}) {
    const auto made = set(R"({"url":"http://127.0.0.1:9/set","authentication":)"
                          + std::string(authentication) + "}");
    CHECK(at(made, "/result/pushNotificationConfig/id") == "default");
    CHECK(at(made, "/result/pushNotificationConfig/authentication") == "(none)");
  }
  const auto path = "/v1/tasks/" + id + "/pushNotificationConfigs";
  for (
      const auto* body :
      {R"({"name":"","pushNotificationConfig":{"url":"http://127.0.0.1:9/rest","authentication":{}}})",
       R"({"config":{"push_notification_config":{"url":"http://127.0.0.1:9/rest","authentication":{"schemes":[]}}}})"}) {
    const auto made = rest(bed, "POST", path, 200, body, "");
    CHECK(at(made, "/name") == "tasks/" + id + "/pushNotificationConfigs/default");
    CHECK(at(made, "/pushNotificationConfig/authentication") == "(none)");
  }
  const auto last = configs();
  CHECK(last.as_array().size() == 1);
  CHECK(at(last, "/0/pushNotificationConfig/url") == "http://127.0.0.1:9/rest");

  const auto by_rest = rest(
      bed, "POST", "/v1/message:send", 200,
      R"({"message":{"messageId":"m2","role":"ROLE_USER","content":[{"text":"go"}]},"configuration":)"
      R"({"blocking":false,"pushNotification":{"url":"http://127.0.0.1:9/sent","authentication":{"schemes":[]}}}})",
      "");
  const auto made = bed.call(
      rpc("tasks/pushNotificationConfig/list", R"({"id":")" + at(by_rest, "/task/id") + "\"}"), "");
  CHECK(at(made, "/result/0/pushNotificationConfig/id") == "default");
  CHECK(at(made, "/result/0/pushNotificationConfig/authentication") == "(none)");
}
