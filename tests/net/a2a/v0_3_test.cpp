// A2A 0.3 over real sockets, JSON-RPC and REST (A2A 0.3 sections 3.5.6, 7 and 8).
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr const char* no_version = "";
constexpr const char* go =
    R"({"message":{"kind":"message","messageId":"m1","role":"user","parts":[{"kind":"text","text":"go"}]})";

std::string send_params(const std::string& configuration = {}) {
  return std::string(go) + (configuration.empty() ? "" : ",\"configuration\":" + configuration)
         + "}";
}

std::string id_param(const std::string& id) {
  return R"({"id":")" + id + "\"}";
}

boost::json::value rest(const net_bed& bed, std::string_view verb, std::string_view path,
                        int status, std::string_view body = {}) {
  auto client = bed.connect();
  const auto answer = client.request(verb, path, body, no_version);
  INFO(verb << " " << path << ": " << answer.status << " " << answer.body);
  CHECK(answer.status == status);
  return boost::json::parse(answer.body);
}

} // namespace

TEST_CASE("a 0.3 client sends, gets, lists and cancels without a version header", "[net][v0_3]") {
  const net_bed bed({}, "puppet");
  const auto sent = bed.call(rpc("message/send", send_params(R"({"blocking":false})")), no_version);
  CHECK(at(sent, "/result/kind") == "task");
  CHECK(at(sent, "/result/history/0/kind") == "message");
  const auto id = at(sent, "/result/id");
  static_cast<void>(bed.puppet->port(0));
  for (const auto* version :
       {"", "A2A-Version: 0.3\r\n", "A2A-Version: 0.3.0\r\n", "A2A-Version:\r\n"}) {
    CAPTURE(version);
    CHECK(at(bed.call(rpc("tasks/get", id_param(id)), version), "/result/status/state")
          == "working");
  }
  CHECK(at(bed.call(rpc("tasks/list", "{}"), no_version), "/result/tasks/0/kind") == "task");
  CHECK(at(bed.call(rpc("tasks/cancel", id_param(id)), no_version), "/result/status/state")
        == "canceled");
  // A second cancel is an error in 0.3 and none in 1.0 (docs/a2a.md, D10).
  const auto again = bed.call(rpc("tasks/cancel", id_param(id)), no_version);
  CHECK(at(again, "/error/code") == "-32002");
  CHECK_THAT(at(again, "/error/message"), Catch::Matchers::StartsWith("Task cannot be canceled"));
  CHECK(at(again, "/error/data") == "(none)");
  CHECK(at(bed.result_of("CancelTask", id_param(id)), "/status/state") == "TASK_STATE_CANCELED");
}

TEST_CASE("a 0.3 send waits unless it says otherwise", "[net][v0_3]") {
  const net_bed bed;
  for (const auto* configuration :
       {"", "{}", R"({"blocking":true})", R"({"acceptedOutputModes":["text/plain"]})"}) {
    CAPTURE(configuration);
    const auto sent = bed.call(rpc("message/send", send_params(configuration)), no_version);
    CHECK(at(sent, "/result/status/state") == "completed");
    CHECK(at(sent, "/result/artifacts/0/parts/0/kind") == "text");
  }
}

TEST_CASE("a 0.3 stream marks its last event", "[net][v0_3]") {
  const net_bed bed({}, "puppet");
  auto client = bed.connect();
  client.send(http_client::post_text(rpc("message/stream", send_params(), "7"), no_version));
  CHECK(client.receive_head().header("content-type") == "text/event-stream");
  const auto next = [&] { return boost::json::parse(client.next_event().value()); };
  const auto first = next();
  CHECK(at(first, "/id") == "7");
  CHECK(at(first, "/result/kind") == "task");
  const auto id = at(first, "/result/id");
  const auto working = next();
  CHECK(at(working, "/result/kind") == "status-update");
  CHECK(at(working, "/result/final") == "false");
  bed.puppet->port(0)->report(report_question{"Which one?", false});
  const auto asked = next();
  CHECK(at(asked, "/result/status/state") == "input-required");
  CHECK(at(asked, "/result/final")
        == "true"); // the stream of a send ends here (docs/a2a.md, D6, D7)
  CHECK_FALSE(client.next_event());

  auto second = bed.connect();
  second.send(http_client::post_text(rpc("tasks/resubscribe", id_param(id)), no_version));
  static_cast<void>(second.receive_head());
  CHECK(at(boost::json::parse(second.next_event().value()), "/result/status/state")
        == "input-required");
  bed.puppet->port(0)->report(report_artifact{text_artifact("out", "x"), false, true});
  bed.puppet->port(0)->report(report_completed{{}, "done"});
  CHECK(at(boost::json::parse(second.next_event().value()), "/result/kind") == "artifact-update");
  const auto last = boost::json::parse(second.next_event().value());
  CHECK(at(last, "/result/status/state") == "completed");
  CHECK(at(last, "/result/final") == "true");
  CHECK_FALSE(second.next_event());

  // Resubscribing to what has ended: the task, and the end (docs/a2a.md, D11).
  auto third = bed.connect();
  third.send(http_client::post_text(rpc("tasks/resubscribe", id_param(id)), no_version));
  CHECK(third.receive_head().header("content-type") == "text/event-stream");
  CHECK(at(boost::json::parse(third.next_event().value()), "/result/status/state") == "completed");
  CHECK_FALSE(third.next_event());
}

TEST_CASE("0.3 errors are code and message with the texts of 0.3", "[net][v0_3]") {
  struct row {
    std::string method;
    std::string params;
    std::string code;
    std::string text;
  };
  const net_bed bed;
  const auto done = at(bed.call(rpc("message/send", send_params()), no_version), "/result/id");
  for (const auto& one : std::vector<row>{
           {"tasks/get", id_param("nobody"), "-32001", "Task not found"},
           {"tasks/get", "{}", "-32602", "Invalid method parameters"},
           {"tasks/get", R"({"id":"x","historyLength":-1})", "-32602", "Invalid method parameters"},
           {"tasks/cancel", id_param(done), "-32002", "Task cannot be canceled"},
           {"tasks/explode", "{}", "-32601", "Method not found"},
           {"message/send", R"({"message":{"role":"user","parts":[]}})", "-32602",
            "Invalid method parameters"},
           {"message/send", R"({"message":{"role":"user","parts":[{"kind":"smell"}]}})", "-32602",
            "Invalid method parameters"},
           {"message/send",
            R"({"message":{"messageId":"m","role":"user","taskId":")" + done
                + R"(","parts":[{"kind":"text","text":"x"}]}})",
            "-32004", "This operation is not supported"},
       }) {
    CAPTURE(one.method, one.params);
    const auto answer = bed.call(rpc(one.method, one.params), no_version);
    CHECK(at(answer, "/error/code") == one.code);
    CHECK_THAT(at(answer, "/error/message"), Catch::Matchers::StartsWith(one.text));
    CHECK(answer.at("error").as_object().size() == 2);
  }
}

TEST_CASE("the REST binding of 0.3 speaks its proto's JSON", "[net][v0_3][rest]") {
  const net_bed bed({}, "puppet");
  const auto sent = rest(
      bed, "POST", "/v1/message:send", 200,
      R"({"message":{"messageId":"m1","role":"ROLE_USER","content":[{"text":"go"}]},"configuration":{"blocking":false}})");
  const auto id = at(sent, "/task/id");
  CHECK(at(sent, "/task/kind") == "(none)");
  CHECK(at(sent, "/task/history/0/content/0/text") == "go");
  static_cast<void>(bed.puppet->port(0));
  CHECK(at(rest(bed, "GET", "/v1/tasks/" + id + "?historyLength=1", 200), "/status/state")
        == "TASK_STATE_WORKING");
  CHECK(at(rest(bed, "GET", "/v1/tasks", 200), "/tasks/0/id") == id);

  auto client = bed.connect();
  client.send(http_client::request_text("GET", "/v1/tasks/" + id + ":subscribe", "", no_version));
  CHECK(client.receive_head().header("content-type") == "text/event-stream");
  CHECK(at(boost::json::parse(client.next_event().value()), "/task/id") == id);
  CHECK(at(rest(bed, "POST", "/v1/tasks/" + id + ":cancel", 200, R"({"name":"tasks/)" + id + "\"}"),
           "/status/state")
        == "TASK_STATE_CANCELLED");
  const auto last = boost::json::parse(client.next_event().value());
  CHECK(at(last, "/statusUpdate/status/state") == "TASK_STATE_CANCELLED");
  CHECK(at(last, "/statusUpdate/final") == "true");
  CHECK_FALSE(client.next_event());
}

TEST_CASE("errors of the 0.3 REST binding suit every reader", "[net][v0_3][rest]") {
  const net_bed bed;
  const auto missing = rest(bed, "GET", "/v1/tasks/nobody", 404);
  CHECK(at(missing, "/code") == "-32001");
  CHECK(at(missing, "/type") == "TaskNotFoundError");
  CHECK(at(missing, "/error/status") == "NOT_FOUND");
  CHECK(at(rest(bed, "POST", "/v1/message:send", 400, "{}"), "/code") == "-32602");
  CHECK(at(rest(bed, "GET", "/v1/tasks/x:explode", 404), "/code") == "-32601");
}

TEST_CASE("a 0.3 message without messageId is refused, unless OPT is active or has a key in it",
          "[net][v0_3]") {
  const net_bed bed;
  constexpr const char* opt = "A2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";
  const auto message = [](const char* more) {
    return R"({"message":{"role":"user","parts":[{"kind":"text","text":"go"}])" + std::string(more)
           + "}}";
  };
  const auto refused = bed.call(rpc("message/send", message("")), no_version);
  CHECK(at(refused, "/error/code") == "-32602");
  CHECK_THAT(at(refused, "/error/message"), Catch::Matchers::Contains("message.messageId"));
  CHECK(at(rest(bed, "POST", "/v1/message:send", 400,
                R"({"message":{"role":"ROLE_USER","content":[{"text":"go"}]}})"),
           "/code")
        == "-32602");
  CHECK(at(bed.call(rpc("message/send", message("")), opt), "/result/kind") == "task");
  CHECK(at(bed.call(rpc("message/send", message(R"(,"metadata":{"opt/v1/suggestedName":"x"})")),
                    no_version),
           "/result/kind")
        == "task");
  CHECK(at(rest(bed, "POST", "/v1/message:send", 200,
                R"({"message":{"role":"ROLE_USER","content":[{"text":"go"}],)"
                R"("metadata":{"opt/v1/suggestedName":"x"}}})"),
           "/task/status/state")
        != "(none)");
  auto client = bed.connect();
  CHECK(client
            .request("POST", "/v1/message:send",
                     R"({"message":{"role":"ROLE_USER","content":[{"text":"go"}]}})", opt)
            .status
        == 200);
}
