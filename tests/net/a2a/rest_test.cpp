// The HTTP+JSON binding over real sockets (A2A 1.0 section 11).
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The answer of one request on a connection of its own, parsed.
boost::json::value ask(const net_bed& bed, std::string_view verb, std::string_view path, int status,
                       std::string_view body = {},
                       std::string_view headers = "A2A-Version: 1.0\r\n") {
  auto client = bed.connect();
  const auto answer = client.request(verb, path, body, headers);
  INFO(verb << " " << path << ": " << answer.status << " " << answer.body);
  CHECK(answer.status == status);
  return boost::json::parse(answer.body);
}

} // namespace

TEST_CASE("the operations of 1.0 answer under their paths", "[net][rest]") {
  const net_bed bed;
  const auto sent = ask(bed, "POST", "/message:send", 200, text_message("hello"));
  CHECK(at(sent, "/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(sent, "/task/artifacts/0/parts/0/text") == "hello");
  const auto id = at(sent, "/task/id");

  const auto found = ask(bed, "GET", "/tasks/" + id + "?historyLength=0", 200);
  CHECK(at(found, "/id") == id);
  CHECK(at(found, "/history") == "(none)");
  CHECK(at(ask(bed, "GET", "/tasks/" + id + "?history_length=1", 200), "/history/0/role")
        == "ROLE_USER");

  const auto page =
      ask(bed, "GET",
          "/tasks?pageSize=1&includeArtifacts=true&status=TASK_STATE_COMPLETED&unknown=x", 200);
  CHECK(at(page, "/tasks/0/id") == id);
  CHECK(at(page, "/tasks/0/artifacts/0/parts/0/text") == "hello");
  CHECK(at(page, "/pageSize") == "1");
  CHECK(at(page, "/totalSize") == "1");
  CHECK(at(page, "/nextPageToken").empty());
  CHECK(at(ask(bed, "GET", "/tasks?contextId=nobody", 200), "/tasks") == "[]");
}

TEST_CASE("a task is canceled with any body that says nothing", "[net][rest]") {
  const net_bed bed({}, "puppet");
  for (const std::string body : {"", "{}", "null", R"({"id":"other","metadata":{"why":"test"}})"}) {
    CAPTURE(body);
    const auto sent = ask(bed, "POST", "/message:send", 200,
                          text_message("go", "", R"(,"configuration":{"returnImmediately":true})"));
    const auto id = at(sent, "/task/id");
    const auto ended = ask(bed, "POST", "/tasks/" + id + ":cancel", 200, body);
    CHECK(at(ended, "/id") == id);
    CHECK(at(ended, "/status/state") == "TASK_STATE_CANCELED");
  }
}

TEST_CASE("a stream over REST is bare events", "[net][rest]") {
  const net_bed bed({}, "puppet");
  auto client = bed.connect();
  client.send(http_client::request_text("POST", "/message:stream", text_message("go")));
  const auto head = client.receive_head();
  CHECK(head.status == 200);
  CHECK(head.header("content-type") == "text/event-stream");
  const auto first = boost::json::parse(client.next_event().value());
  CHECK(at(first, "/task/status/state") == "TASK_STATE_SUBMITTED");
  const auto id = at(first, "/task/id");

  for (const std::string verb : {"GET", "POST"}) {
    auto second = bed.connect();
    second.send(http_client::request_text(verb, "/tasks/" + id + ":subscribe"));
    CHECK(second.receive_head().header("content-type") == "text/event-stream");
    CHECK(at(boost::json::parse(second.next_event().value()), "/task/id") == id);
  }
  bed.puppet->port(0)->report(report_completed{{}, "done"});
  CHECK(at(boost::json::parse(client.next_event().value()), "/statusUpdate/status/state")
        == "TASK_STATE_WORKING");
  CHECK(at(boost::json::parse(client.next_event().value()), "/statusUpdate/status/state")
        == "TASK_STATE_COMPLETED");
  CHECK_FALSE(client.next_event());
}

TEST_CASE("errors have their HTTP status and the form of AIP-193", "[net][rest]") {
  struct row {
    std::string verb;
    std::string path;
    std::string body;
    int status;
    std::string reason;
  };
  const net_bed bed;
  const auto done = at(ask(bed, "POST", "/message:send", 200, text_message("x")), "/task/id");
  for (const auto& one : std::vector<row>{
           {"GET", "/tasks/nobody", "", 404, "TASK_NOT_FOUND"},
           {"POST", "/tasks/nobody:cancel", "", 404, "TASK_NOT_FOUND"},
           {"POST", "/tasks/nobody:subscribe", "", 404, "TASK_NOT_FOUND"},
           {"POST", "/tasks/" + done + ":cancel", "", 400, "TASK_NOT_CANCELABLE"},
           {"GET", "/tasks/" + done + ":subscribe", "", 400, "UNSUPPORTED_OPERATION"},
           {"GET", "/tasks/" + done + ":explode", "", 404, "METHOD_NOT_FOUND"},
           {"GET", "/tasks/" + done + "?historyLength=-1", "", 400, "INVALID_PARAMS"},
           {"GET", "/tasks?pageSize=0", "", 400, "INVALID_PARAMS"},
           {"GET", "/tasks?pageSize=101", "", 400, "INVALID_PARAMS"},
           {"GET", "/tasks?pageToken=nonsense", "", 400, "INVALID_PARAMS"},
           {"GET", "/tasks?status=WORKING", "", 400, "INVALID_PARAMS"},
           {"GET", "/tasks?a=%zz", "", 400, "INVALID_PARAMS"},
           {"POST", "/message:send", "", 400, "INVALID_PARAMS"},
           {"POST", "/message:send", "{", 400, "PARSE_ERROR"},
           {"POST", "/message:send", "[]", 400, "INVALID_PARAMS"},
           {"POST", "/message:send", R"({"message":{}})", 400, "INVALID_PARAMS"},
           {"POST", "/message:stream", R"({"message":{}})", 400, "INVALID_PARAMS"},
           {"POST", "/message:explode", "{}", 404, "METHOD_NOT_FOUND"},
           {"GET", "/acme/tasks", "", 400, "INVALID_PARAMS"},
           {"GET", "/acme/tasks/t1", "", 404, "TASK_NOT_FOUND"},
       }) {
    CAPTURE(one.verb, one.path, one.body);
    const auto answer = ask(bed, one.verb, one.path, one.status, one.body);
    CHECK(at(answer, "/error/code") == std::to_string(one.status));
    CHECK(at(answer, "/error/details/0/reason") == one.reason);
    CHECK(at(answer, "/error/details/0/@type") == "type.googleapis.com/google.rpc.ErrorInfo");
  }
}

TEST_CASE("a wrong verb gets the list of the right ones", "[net][rest]") {
  const net_bed bed;
  auto client = bed.connect();
  const auto refused = client.request("DELETE", "/tasks/t1:subscribe");
  CHECK(refused.status == 405);
  CHECK(refused.header("allow") == "POST, GET, OPTIONS");
  const auto why = boost::json::parse(refused.body);
  CHECK(at(why, "/error/code") == "405");
  CHECK(at(why, "/error/details/0/reason") == "METHOD_NOT_ALLOWED");
  const auto asked = client.request("OPTIONS", "/tasks/t1:cancel");
  CHECK(asked.status == 204);
  CHECK(asked.header("allow") == "POST, OPTIONS");
  const auto head = client.request("HEAD", "/tasks");
  CHECK(head.status == 200);
  CHECK(head.body.empty());
}

TEST_CASE("the content types of REST", "[net][rest]") {
  const net_bed bed;
  auto client = bed.connect();
  const auto post = [&](const std::string& headers) {
    return client.request("POST", "/message:send", text_message("x"),
                          "A2A-Version: 1.0\r\n" + headers);
  };
  CHECK(post("").header("content-type") == "application/json");
  CHECK(post("Accept: */*\r\n").header("content-type") == "application/json");
  CHECK(post("Accept: application/a2a+json, application/json\r\n").header("content-type")
        == "application/a2a+json");
  CHECK(post("Accept: text/html\r\nAccept: Application/A2A+JSON;q=0.9\r\n").header("content-type")
        == "application/a2a+json");
  CHECK(post("Content-Type: application/a2a+json\r\n").status == 200);
  CHECK(post("Content-Type: application/vnd.x+json; charset=utf-8\r\n").status == 200);
  const auto refused = post("Content-Type: text/plain\r\n");
  CHECK(refused.status == 400);
  CHECK_THAT(refused.body, ContainsSubstring("CONTENT_TYPE_NOT_SUPPORTED"));
  const auto failed =
      client.request("GET", "/tasks/x", "", "A2A-Version: 1.0\r\nAccept: application/a2a+json\r\n");
  CHECK(failed.header("content-type") == "application/json");
}

TEST_CASE("the path and the header together say which version", "[net][rest]") {
  const net_bed bed;
  const auto reason = [&](std::string_view path, int status, std::string_view headers) {
    return at(ask(bed, "GET", path, status, {}, headers), "/error/details/0/reason");
  };
  CHECK(reason("/tasks/x", 404, "A2A-Version: 1.0\r\n") == "TASK_NOT_FOUND");
  CHECK(reason("/tasks/x?A2A-Version=1.0", 404, "") == "TASK_NOT_FOUND");
  CHECK(reason("/tasks/x", 400, "") == "VERSION_NOT_SUPPORTED");
  CHECK(reason("/tasks/x", 400, "A2A-Version: 0.3\r\n") == "VERSION_NOT_SUPPORTED");
  CHECK(reason("/tasks/x", 400, "A2A-Version: 99.0\r\n") == "VERSION_NOT_SUPPORTED");
  CHECK(reason("/v1/tasks/x", 400, "A2A-Version: 99.0\r\n") == "VERSION_NOT_SUPPORTED");
  CHECK(reason("/v1/tasks/x", 404, "A2A-Version: 1.0\r\n") == "METHOD_NOT_FOUND");
}

TEST_CASE("what the path and the query add to a body counts with its tree", "[net][rest][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{16} << 20);
  executor_options how;
  how.memory = memory;
  const net_bed bed({}, "echo", make_memory_store({.memory = memory}), how);
  std::string body = "{";
  for (int i = 0; i < 20'000; ++i)
    body += (i == 0 ? "\"m" : ",\"m") + std::to_string(i) + "\":0";
  body += "}";
  const auto status = [&](std::string_view path, std::size_t taken) {
    memory->force(memory_account::backlog, taken);
    const auto out = bed.connect().request("POST", path, body, "A2A-Version: 1.0\r\n").status;
    memory->give_back(memory_account::backlog, taken);
    REQUIRE(comes_true([&] { return memory->held(memory_account::bodies) == 0; }));
    return out;
  };
  // So much may be taken by others that the tree of the body just finds room.
  constexpr std::size_t step = std::size_t{32} << 10;
  std::size_t most = 0;
  for (std::size_t above = memory->bytes_max() / step; above > most + 1;) {
    const auto middle = (most + above) / 2;
    const auto found = status("/message:send", middle * step);
    REQUIRE((found == 400 || found == 429)); // it has no message
    (found == 400 ? most : above) = middle;
  }
  REQUIRE(most > 0);
  CHECK(status("/message:send?more=1", most * step) == 429);
  CHECK(status("/message:send?more=1", 0) == 400);
}
