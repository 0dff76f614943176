// A send that is repeated, as clients do it: header `Idempotency-Key`, or the same message again
// where the server remembers messages (docs/a2a.md, "The same message again").
#include "net/a2a/idempotency_key.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include <troupe/net/limits.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <future>
#include <string>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* v1 = "A2A-Version: 1.0\r\n";

std::string key_header(const std::string& key, const char* version = v1) {
  return std::string{version} + "Idempotency-Key: " + key + "\r\n";
}

/// A message that may not be the same one by its `messageId`.
std::string message_json(const std::string& text, const std::string& more = {}) {
  static int number = 0;
  return R"({"message":{"messageId":"m)" + std::to_string(++number)
         + R"(","role":"ROLE_USER","parts":[{"text":")" + text + R"("}])" + more + "}}";
}

boost::json::value send(const net_bed& bed, const std::string& params, const std::string& headers) {
  return bed.call(rpc("SendMessage", params), headers);
}

std::string task_of(const boost::json::value& answer) {
  auto out = at(answer, "/result/task/id");
  if (out == "(none)")
    FAIL(boost::json::serialize(answer));
  return out;
}

std::size_t tasks_in(const net_bed& bed) {
  const auto page = bed.result_of("ListTasks", "{}");
  return std::stoul(at(page, "/totalSize"));
}

} // namespace

TEST_CASE("the header Idempotency-Key is a string, or a bare key, of bounded length",
          "[net][once]") {
  using net::read_idempotency_key;
  const auto key = [](std::string_view header) { return read_idempotency_key(header).value(); };
  CHECK(key("").empty());
  CHECK(key("\"abc\"") == "abc");
  CHECK(key("8e03978e-40d5-43e8-bc93-6894a57f9324") == "8e03978e-40d5-43e8-bc93-6894a57f9324");
  CHECK(key(R"("a \"b\", \\c")") == R"(a "b", \c)");
  const std::string longest(net::idempotency_key_bytes_max, 'k');
  CHECK(key(longest) == longest);
  const auto refusal = [](std::string_view header) {
    const auto read = read_idempotency_key(header);
    REQUIRE(read.has_error());
    CHECK(read.error().code == errc::invalid_params);
    CHECK(read.error().field == "Idempotency-Key");
    return read.error().message;
  };
  CHECK_THAT(refusal("\"\""), Contains("empty"));
  CHECK_THAT(refusal(longest + "k"), Contains("256 bytes; at most 255"));
  CHECK_THAT(refusal("\"" + longest + "k\""), Contains("256 bytes"));
  CHECK_THAT(refusal("\"abc"), Contains("closing quote"));
  CHECK_THAT(refusal("\"abc\";p=1"), Contains("one key"));
  CHECK_THAT(refusal("\"a\", \"b\""), Contains("one key"));
  CHECK_THAT(refusal("\"a\\b\""), Contains("stands before"));
  CHECK_THAT(refusal("a,b"), Contains("one key"));
  CHECK_THAT(refusal("a b"), Contains("quotes"));
  CHECK_THAT(refusal("a\tb"), Contains("printable"));
  CHECK_THAT(refusal("\xc3\xa4"), Contains("printable"));
}

TEST_CASE("a send with the same key is answered with the first one's task, over every binding",
          "[net][once]") {
  const net_bed bed;
  const auto params = message_json("x");
  const auto first = task_of(send(bed, params, key_header("\"k\"")));
  CHECK(task_of(send(bed, params, key_header("k"))) == first);
  CHECK(task_of(send(bed, params, v1)) != first);
  const auto rest = bed.connect().request("POST", "/message:send", params, key_header("k"));
  CHECK(rest.status == 200);
  CHECK(at(boost::json::parse(rest.body), "/task/id") == first);

  auto stream = bed.connect();
  stream.send(http_client::post_text(rpc("SendStreamingMessage", params), key_header("k")));
  static_cast<void>(stream.receive_head());
  const auto shown = boost::json::parse(stream.next_event().value());
  CHECK(at(shown, "/result/task/id") == first);
  CHECK(at(shown, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK_FALSE(stream.next_event());

  const std::string old_params =
      R"({"message":{"kind":"message","messageId":"o","role":"user","parts":[{"kind":"text","text":"x"}]}})";
  const auto old_first = bed.call(rpc("message/send", old_params), key_header("old", ""));
  CHECK(at(bed.call(rpc("message/send", old_params), key_header("old", "")), "/result/id")
        == at(old_first, "/result/id"));
  CHECK(tasks_in(bed) == 3);
}

TEST_CASE("another message with the same key is refused, and says so", "[net][once]") {
  const net_bed bed;
  static_cast<void>(task_of(send(bed, message_json("x"), key_header("k"))));
  const auto refused = send(bed, message_json("y"), key_header("k"));
  CHECK(at(refused, "/error/code") == "-32602");
  CHECK(at(refused, "/error/data/0/reason") == "IDEMPOTENCY_KEY_REUSED");
  CHECK_THAT(at(refused, "/error/message"), Contains("another message was sent with this key"));
  const auto rest =
      bed.connect().request("POST", "/message:send", message_json("y"), key_header("k"));
  CHECK(rest.status == 422);
  CHECK_THAT(rest.body, Contains("IDEMPOTENCY_KEY_REUSED"));
  CHECK(tasks_in(bed) == 1);
  for (const auto* wrong : {"", "\"\"", "\"a\", \"b\""}) {
    const auto answer = send(bed, message_json("x"), key_header(wrong));
    CHECK(at(answer, "/error/code") == "-32602");
    CHECK_THAT(at(answer, "/error/message"), Contains("Idempotency-Key"));
  }
  auto twice = key_header("a") + "Idempotency-Key: b\r\n";
  CHECK(at(send(bed, message_json("x"), twice), "/error/code") == "-32602");
  CHECK(tasks_in(bed) == 1);
}

TEST_CASE("a send that comes again while the first waits for its task waits with it",
          "[net][once]") {
  const net_bed bed({}, "puppet");
  const auto params = message_json("x");
  auto first = std::async(std::launch::async, [&] { return send(bed, params, key_header("k")); });
  const auto port = bed.puppet->port(0);
  auto again = std::async(std::launch::async, [&] { return send(bed, params, key_header("k")); });
  auto stream = bed.connect();
  stream.send(http_client::post_text(rpc("SendStreamingMessage", params), key_header("k")));
  static_cast<void>(stream.receive_head());
  CHECK(at(boost::json::parse(stream.next_event().value()), "/result/task/status/state")
        == "TASK_STATE_WORKING");
  port->report(report_completed{{}, "once"});
  const auto id = task_of(first.get());
  const auto second = again.get();
  CHECK(task_of(second) == id);
  CHECK(at(second, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(boost::json::parse(stream.next_event().value()), "/result/statusUpdate/status/state")
        == "TASK_STATE_COMPLETED");
}

TEST_CASE("a message that brings an objective makes one, and one that joins it one plan",
          "[net][once]") {
  executor_options how;
  how.deduplicate_seconds = 3600;
  const bool has_key = GENERATE(true, false);
  CAPTURE(has_key);
  const net_bed bed({}, "puppet", nullptr, has_key ? executor_options{} : how);
  const auto headers = [&](const char* key) { return has_key ? key_header(key) : std::string{v1}; };
  const auto objective = message_json(
      "x",
      R"(,"metadata":{"opt/v1/objective":{"id":"trip","name":"t","plans":[{"name":"p","tasks":[{"name":"a"}]}]}})");
  const auto no_wait = [](std::string params) {
    params.insert(params.size() - 1, R"(,"configuration":{"returnImmediately":true})");
    return params;
  };
  const auto first = task_of(send(bed, no_wait(objective), headers("k")));
  CHECK(task_of(send(bed, no_wait(objective), headers("k"))) == first);

  const auto joining = no_wait(message_json("more", R"(,"contextId":"trip")"));
  const auto plans = [&] {
    return bed.result_of("objectives/get", R"({"id":"trip"})")
        .at_pointer("/objective/plans")
        .as_array()
        .size();
  };
  CHECK(task_of(send(bed, joining, headers("j"))) == first);
  CHECK(plans() == 2);
  CHECK(task_of(send(bed, joining, headers("j"))) == first);
  CHECK(plans() == 2);
  auto stream = bed.connect();
  stream.send(http_client::post_text(rpc("SendStreamingMessage", joining), headers("j")));
  static_cast<void>(stream.receive_head());
  CHECK(at(boost::json::parse(stream.next_event().value()), "/result/task/id") == first);
  CHECK(plans() == 2);
  // Also when the objective has ended, and a new message would be a task of its own.
  bed.puppet->port(0)->report(report_completed{});
  bed.puppet->port(1)->report(report_completed{});
  REQUIRE(comes_true([&] {
    return at(bed.result_of("objectives/get", R"({"id":"trip"})"), "/objective/status")
           == "completed";
  }));
  CHECK(task_of(send(bed, joining, headers("j"))) == first);
  CHECK(task_of(send(bed, objective, headers("k"))) == first);
  CHECK(plans() == 2);
}

TEST_CASE("a cancel with the same key is answered with the canceled task, and another is refused",
          "[net][once]") {
  const net_bed bed({}, "puppet");
  const auto begin = [&] {
    const auto no_wait = R"(},"configuration":{"returnImmediately":true)";
    return task_of(send(bed, message_json("x", no_wait), v1));
  };
  const auto cancel = [&](const std::string& id, const std::string& headers) {
    const bool is_old = headers.find("A2A-Version") == std::string::npos;
    return bed.call(rpc(is_old ? "tasks/cancel" : "CancelTask", R"({"id":")" + id + "\"}"),
                    headers);
  };
  const auto id = begin();
  CHECK(at(cancel(id, key_header("c", "")), "/result/status/state") == "canceled");
  const auto again = cancel(id, key_header("\"c\"", ""));
  CHECK(at(again, "/result/id") == id);
  CHECK(at(again, "/result/status/state") == "canceled");
  CHECK(at(cancel(id, key_header("c")), "/result/status/state") == "TASK_STATE_CANCELED");
  // Without the key, or with another one, it is a second cancel.
  CHECK(at(cancel(id, ""), "/error/code") == "-32002");
  CHECK(at(cancel(id, key_header("d", "")), "/error/code") == "-32002");

  const auto other = begin();
  const auto refused = cancel(other, key_header("c"));
  CHECK(at(refused, "/error/code") == "-32602");
  CHECK(at(refused, "/error/data/0/reason") == "IDEMPOTENCY_KEY_REUSED");
  const auto shown = bed.result_of("GetTask", R"({"id":")" + other + "\"}");
  CHECK(at(shown, "/status/state") != "TASK_STATE_CANCELED");
  CHECK_THAT(at(cancel(other, key_header("\"\"")), "/error/message"), Contains("Idempotency-Key"));
}

TEST_CASE("the card declares sends with a key, and who names the extension hears of it",
          "[net][once]") {
  const net_bed bed;
  const auto card = boost::json::parse(bed.connect().get("/.well-known/agent-card.json").body);
  const auto& all = card.at_pointer("/capabilities/extensions").as_array();
  const auto declared = std::ranges::find_if(all, [](const boost::json::value& each) {
    return at(each, "/uri") == "urn:troupe:idempotent-send:v1";
  });
  REQUIRE(declared != all.end());
  CHECK(at(*declared, "/params/maxKeyBytes") == "255");
  CHECK(at(*declared, "/params/keptSeconds") == "86400");
  const auto answer =
      bed.connect().post(rpc("SendMessage", message_json("x")),
                         key_header("k") + "A2A-Extensions: urn:troupe:idempotent-send:v1\r\n");
  CHECK(answer.header("a2a-extensions") == "urn:troupe:idempotent-send:v1");
}
