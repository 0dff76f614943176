// HTTP itself: routes, limits, timeouts, pipelines, half-closed connections.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/passing_store.hpp"

#include <boost/json/parse.hpp>

#include <atomic>

#include "planner/plan_template.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A store of which the test says how many changes wait for the disk.
class slow_store final : public passing_store {
public:
  [[nodiscard]] store_status status() const override {
    auto out = passing_store::status();
    out.backlog_changes = backlog;
    return out;
  }

  std::atomic<std::size_t> backlog{0};
};

const std::string get_unknown = rpc("GetTask", R"({"id":"x"})");

/// The status of a plain error, its body checked.
int plain_error(const http_answer& answer) {
  const auto body = boost::json::parse(answer.body);
  CHECK(at(body, "/error/code") == std::to_string(answer.status));
  CHECK_FALSE(at(body, "/error/message").empty());
  CHECK_FALSE(at(body, "/error/details/0/reason").empty());
  CHECK(answer.header("content-type") == "application/json");
  return answer.status;
}

} // namespace

TEST_CASE("every path answers, unknown ones and wrong methods too", "[net][http]") {
  const net_bed bed;
  auto client = bed.connect();
  CHECK(client.get("/healthz").body == R"({"status":"ok"})");
  CHECK(client.get("/readyz").body == R"({"status":"ready"})");
  CHECK(plain_error(client.get("/nope")) == 404);
  CHECK(at(boost::json::parse(client.get("/nope").body), "/error/details/0/reason")
        == "METHOD_NOT_FOUND");
  CHECK(at(boost::json::parse(client.get("/v1/nope").body), "/type") == "MethodNotFoundError");
  const auto wrong = client.get("/");
  CHECK(plain_error(wrong) == 405);
  CHECK(wrong.header("allow") == "POST, OPTIONS");
  client.send("DELETE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto refused = client.receive();
  CHECK(plain_error(refused) == 405);
  CHECK(refused.header("allow") == "GET, HEAD, OPTIONS");
  client.send("OPTIONS / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto options = client.receive();
  CHECK(options.status == 204);
  CHECK(options.header("allow") == "POST, OPTIONS");
  client.send("POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
  CHECK(plain_error(client.receive()) == 405);
  CHECK_FALSE(client.get("/healthz").header("date").empty());
}

TEST_CASE("slashes behind the card's URL lead to the same place", "[net][http]") {
  const net_bed bed;
  auto client = bed.connect();
  client.send(
      "POST // HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nA2A-Version: "
      "1.0\r\nContent-Length: "
      + std::to_string(get_unknown.size()) + "\r\n\r\n" + get_unknown);
  CHECK(at(boost::json::parse(client.receive().body), "/error/code") == "-32001");
}

TEST_CASE("one empty line before a request is passed over, a second one is not", "[net][http]") {
  const net_bed bed;
  auto client = bed.connect();
  const std::string request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  client.send("\r\n" + request + "\r\n" + request);
  CHECK(client.receive().status == 200);
  CHECK(client.receive().status == 200);
  client.send(http_client::post_text(get_unknown) + "\r\n" + request);
  CHECK(client.receive().status == 200);
  CHECK(client.receive().status == 200);
  client.send("\r\n\r\n" + request);
  CHECK(plain_error(client.receive()) == 400);
  CHECK(client.is_closed());
}

TEST_CASE("a number out of range is refused, and named as such", "[net][http]") {
  const net_bed bed;
  auto client = bed.connect();
  const auto answer = client.post(
      rpc("SendMessage",
          R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"n":1e400}}]}})"));
  const auto body = boost::json::parse(answer.body);
  CHECK(at(body, "/error/code") == "-32700");
  CHECK_THAT(at(body, "/error/message"), ContainsSubstring("a number is out of range"));
  const auto rest = client.request(
      "POST", "/message:send",
      R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"n":-1e400}}]}})");
  CHECK(rest.status == 400);
  CHECK_THAT(rest.body, ContainsSubstring("a number is out of range"));
}

TEST_CASE("the agent card is served, cached, and known under its old name", "[net][http]") {
  server_options how;
  how.card.name = "A \"quoted\" name";
  const net_bed bed(how);
  auto client = bed.connect();
  const auto card = client.get("/.well-known/agent-card.json");
  REQUIRE(card.status == 200);
  const auto json = boost::json::parse(card.body);
  CHECK(at(json, "/name") == "A \"quoted\" name");
  CHECK(at(json, "/supportedInterfaces/0/url")
        == "http://127.0.0.1:" + std::to_string(bed.port) + "/");
  CHECK(at(json, "/supportedInterfaces/0/protocolVersion") == "1.0");
  CHECK(at(json, "/capabilities/streaming") == "true");
  CHECK(at(json, "/capabilities/extensions/0/params/persistenceEnabled") == "false");
  CHECK(json.at("skills").as_array().size()
        == bed.agents.names().size() + planner::shipped_templates().size());
  CHECK(card.header("cache-control") == "public, max-age=300");
  CHECK(card.header("vary") == "A2A-Version");
  const auto tag = card.header("etag");
  CHECK(client.get("/.well-known/agent.json").body == card.body);

  for (const std::string& known : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    const auto same =
        client.get("/.well-known/agent-card.json", "If-None-Match: " + known + "\r\n");
    CHECK(same.status == 304);
    CHECK(same.header("etag") == tag);
    CHECK(same.header("vary") == "A2A-Version");
  }
  CHECK(client.get("/.well-known/agent-card.json", "If-None-Match: \"x\"\r\n").status == 200);
  client.send("HEAD /.well-known/agent-card.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto head = client.receive(false);
  CHECK(head.header("content-length") == std::to_string(card.body.size()));
  CHECK(client.get("/healthz").status == 200); // nothing of a body was sent
}

TEST_CASE("requests sent together are answered in order", "[net][http]") {
  const net_bed bed;
  auto client = bed.connect();
  std::string all;
  for (int i = 0; i < 200; ++i)
    all += http_client::post_text(i % 10 == 0
                                      ? rpc("SendMessage", text_message("x"), std::to_string(i))
                                      : rpc("GetTask", R"({"id":"x"})", std::to_string(i)));
  all += http_client::post_text(rpc("SendStreamingMessage", text_message("x"), "200"));
  all += "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  client.send(all);
  for (int i = 0; i < 200; ++i)
    REQUIRE(at(boost::json::parse(client.receive().body), "/id") == std::to_string(i));
  CHECK(client.receive_head().header("content-type") == "text/event-stream");
  while (client.next_event())
    ;
  CHECK(client.receive().body == R"({"status":"ok"})");
}

TEST_CASE("a client that sends no more still gets its answers", "[net][http]") {
  const net_bed bed({}, "puppet");
  auto client = bed.connect();
  client.send(http_client::post_text(rpc("SendMessage", text_message("x"))));
  client.finish_sending();
  bed.puppet->port(0)->report(report_completed{});
  CHECK_THAT(client.receive().body, ContainsSubstring("TASK_STATE_COMPLETED"));
  CHECK(client.is_closed());
}

TEST_CASE("a request that ends in the middle ends the connection", "[net][http]") {
  const net_bed bed;
  for (const std::string part :
       {"", "POST / HT", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{}"}) {
    CAPTURE(part);
    auto client = bed.connect();
    client.send(part);
    client.finish_sending();
    CHECK(client.is_closed());
  }
  REQUIRE(comes_true([&] { return bed.web->load().connections == 0; }));
}

TEST_CASE("connections are kept as the client asks", "[net][http]") {
  const net_bed bed;
  auto closing = bed.connect();
  CHECK(closing.get("/healthz", "Connection: close\r\n").header("connection") == "close");
  CHECK(closing.is_closed());
  auto old = bed.connect();
  old.send("GET /healthz HTTP/1.0\r\n\r\n");
  CHECK(old.receive().header("connection") == "close");
  CHECK(old.is_closed());
  auto kept = bed.connect();
  kept.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(kept.receive().header("connection") == "keep-alive");
  CHECK(kept.get("/healthz").status == 200);
}

TEST_CASE("bytes that are no HTTP are refused, and the connection is closed", "[net][http]") {
  const net_bed bed;
  auto client = bed.connect();
  client.send("\x16\x03\x01 hello\r\n\r\n");
  CHECK(plain_error(client.receive()) == 400);
  CHECK(client.is_closed());
}

TEST_CASE("a request with ambiguous framing is refused, and no byte after it is a request",
          "[net][http]") {
  const net_bed bed;
  const auto [head, why] = GENERATE(table<std::string, std::string>({
      {"Host: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding"},
      {"Host: localhost\r\nTransfer-Encoding: xchunked", "taken here is chunked"},
      {"Host: localhost\r\nTransfer-Encoding: chunked, identity\r\nContent-Length: 2",
       "taken here is chunked"},
      {"Content-Length: 5", "there is no Host header"},
      {"Host: a\r\nHost: b\r\nContent-Length: 5", "there is more than one Host header"},
  }));
  CAPTURE(head);
  auto client = bed.connect();
  client.send("POST / HTTP/1.1\r\n" + head
              + "\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto refused = client.receive();
  CHECK(plain_error(refused) == 400);
  CHECK_THAT(refused.body, ContainsSubstring(why));
  CHECK(client.is_closed());
}

TEST_CASE("a body over the limit is refused, announced or not", "[net][http]") {
  server_options options;
  options.body_bytes_max = 1000;
  const net_bed bed(options);
  auto fits = bed.connect();
  CHECK(fits.post(std::string(1000, ' ')).status == 200);

  auto announced = bed.connect();
  announced.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "104857600\r\n\r\n");
  const auto early = announced.receive(); // before any of it was sent
  CHECK(plain_error(early) == 413);
  CHECK_THAT(early.body, ContainsSubstring("1000 bytes"));
  CHECK(early.header("connection") == "close");

  auto chunked = bed.connect();
  chunked.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\n");
  const std::string chunk = "190\r\n" + std::string(0x190, ' ') + "\r\n";
  for (int i = 0; i < 3; ++i)
    chunked.send(chunk);
  CHECK(plain_error(chunked.receive()) == 413);
}

TEST_CASE("a client that sends a hundred megabytes unasked gets its 413 nevertheless",
          "[net][http]") {
  const net_bed bed;
  auto client = bed.connect();
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "104857600\r\n\r\n");
  const std::string block(1024 * 1024, 'x');
  for (int i = 0; i < 100; ++i)
    if (!client.try_send(block))
      break;
  CHECK(plain_error(client.receive()) == 413);
}

TEST_CASE("a client that waits for permission gets it, or the refusal", "[net][http]") {
  server_options options;
  options.body_bytes_max = 1000;
  const net_bed bed(options);
  auto client = bed.connect();
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nA2A-Version: "
      "1.0\r\nExpect: 100-continue\r\n"
      "Content-Length: "
      + std::to_string(get_unknown.size()) + "\r\n\r\n");
  REQUIRE(client.next_status() == 100);
  client.send(get_unknown);
  CHECK_THAT(client.receive().body, ContainsSubstring("-32001"));
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n");
  CHECK(client.next_status() == 413);
  CHECK(plain_error(client.receive()) == 413);
}

TEST_CASE("headers over the limit are refused", "[net][http]") {
  const net_bed bed;
  auto one_long = bed.connect();
  one_long.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(40'000, 'a')
                + "\r\n\r\n");
  CHECK(plain_error(one_long.receive()) == 431);
  CHECK(one_long.is_closed());
  auto many = bed.connect();
  std::string text = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 4'000; ++i)
    text += "X-" + std::to_string(i) + ": a\r\n";
  many.send(text);
  CHECK(plain_error(many.receive()) == 431);
  auto fits = bed.connect();
  CHECK(fits.get("/healthz", "X: " + std::string(30'000, 'a') + "\r\n").status == 200);
}

TEST_CASE("the line of a chunk and the trailer are bounded like headers", "[net][http]") {
  const net_bed bed;
  const std::string begin = GENERATE("0\r\nX: ", "5;a=", "00000000");
  CAPTURE(begin);
  auto client = bed.connect();
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\n"
      + begin);
  const std::string block(64 * 1024, begin.back() == '0' ? '0' : 'a');
  for (int i = 0; i < 64 && client.try_send(block); ++i) {
  }
  const auto refused = client.receive();
  CHECK(plain_error(refused) == 431);
  CHECK_THAT(refused.body, ContainsSubstring("limits.header-bytes"));
  CHECK(client.is_closed());
}

TEST_CASE("a sender that is too slow gets 408", "[net][http]") {
  server_options options;
  options.header_timeout = std::chrono::milliseconds(20);
  options.body_timeout = std::chrono::milliseconds(20);
  const net_bed bed(options);
  auto head = bed.connect();
  head.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-");
  const auto late = head.receive();
  CHECK(plain_error(late) == 408);
  CHECK_THAT(late.body, ContainsSubstring("timeouts.header"));
  CHECK(head.is_closed());
  auto body = bed.connect();
  body.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "100\r\n\r\n{");
  const auto never = body.receive();
  CHECK(plain_error(never) == 408);
  CHECK_THAT(never.body, ContainsSubstring("timeouts.body"));
}

TEST_CASE("a connection on which nothing happens is closed", "[net][http]") {
  server_options options;
  options.idle_timeout = std::chrono::milliseconds(500);
  const net_bed bed(options);
  auto fresh = bed.connect();
  CHECK(fresh.is_closed());
  auto used = bed.connect();
  CHECK(used.get("/healthz").status == 200);
  CHECK(used.is_closed());
}

TEST_CASE("no more requests than allowed are worked on at once", "[net][http]") {
  server_options options;
  options.requests_in_flight_max = 1;
  const net_bed bed(options, "puppet");
  auto busy = bed.connect();
  busy.send(http_client::post_text(rpc("SendMessage", text_message("x"))));
  const auto port = bed.puppet->port(0);
  auto other = bed.connect();
  const auto refused = other.post(get_unknown);
  CHECK(plain_error(refused) == 429);
  CHECK(refused.header("retry-after") == "1");
  port->report(report_completed{});
  CHECK(busy.receive().status == 200);
  REQUIRE(comes_true([&] { return bed.web->load().requests_in_flight == 0; }));
  CHECK(other.post(get_unknown).status == 200);
}

TEST_CASE("a refused HEAD has no body either, and the connection goes on", "[net][http]") {
  server_options options;
  options.requests_in_flight_max = 1;
  const net_bed bed(options, "puppet");
  auto busy = bed.connect();
  busy.send(http_client::post_text(rpc("SendMessage", text_message("x"))));
  const auto port = bed.puppet->port(0);
  auto other = bed.connect();
  CHECK(other.request("HEAD", "/healthz").status == 429);
  CHECK(other.request("HEAD", "/nope").status == 429);
  port->report(report_completed{});
  CHECK(busy.receive().status == 200);
  REQUIRE(comes_true([&] { return bed.web->load().requests_in_flight == 0; }));
  CHECK(other.request("HEAD", "/healthz").status == 200);
  CHECK(other.request("HEAD", "/nope").status == 404);
  CHECK(other.request("HEAD", "/").status == 405);
  CHECK(other.request("HEAD", "/tasks/x").status == 404);
  CHECK(other.get("/healthz").body == R"({"status":"ok"})");
}

TEST_CASE("long bodies are bounded together, and each gives its share back", "[net][http]") {
  server_options options;
  options.body_bytes_max = 150'000;
  options.body_bytes_total_max = 150'000;
  const net_bed bed(options, "puppet");
  const auto sized = [](std::size_t bytes) {
    return rpc("SendMessage", text_message(std::string(bytes, 'x')));
  };
  const auto long_text = http_client::post_text(sized(100'000));
  auto slow = bed.connect();
  slow.send(long_text.substr(0, long_text.size() - 1));
  REQUIRE(comes_true([&] { return bed.web->load().body_bytes > 100'000; }));
  auto other = bed.connect();
  other.send(http_client::post_text(sized(100'000)));
  const auto refused = other.receive();
  CHECK(plain_error(refused) == 429);
  CHECK_THAT(refused.body, ContainsSubstring("limits.body-bytes-total"));
  CHECK(refused.header("retry-after") == "1");
  CHECK(other.is_closed());
  CHECK(bed.connect().post(get_unknown).status == 200); // Short ones are let through.
  // Once it has been understood, its bytes are free, however long the answer takes.
  slow.send(long_text.substr(long_text.size() - 1));
  const auto port = bed.puppet->port(0);
  REQUIRE(comes_true([&] { return bed.web->load().body_bytes == 0; }));
  auto third = bed.connect();
  third.send(http_client::post_text(sized(100'000)));
  bed.puppet->port(1)->report(report_completed{});
  CHECK(third.receive().status == 200);
  port->report(report_completed{});
  CHECK(slow.receive().status == 200);
}

TEST_CASE("long answers that no client reads are bounded together, and a command that was done is "
          "not repeated",
          "[net][http]") {
  server_options options;
  options.answer_bytes_total_max = 20 << 20;
  options.write_timeout = options.answer_grace = std::chrono::hours(1);
  const net_bed bed(options);
  const std::string large(
      9 << 20, 'x'); // With its artifact more than the buffers between here and there hold.
  const auto id = at(bed.result_of("SendMessage", text_message(large)), "/task/id");
  const auto whole = rpc("GetTask", R"({"id":")" + id + "\"}");
  auto slow = bed.connect(4096);
  slow.send(http_client::post_text(whole));
  REQUIRE(comes_true([&] { return bed.web->load().answer_bytes > 2 * large.size(); }));

  auto other = bed.connect();
  for (const auto& refused :
       {other.post(whole), other.request("GET", "/tasks?includeArtifacts=true")}) {
    CHECK(plain_error(refused) == 429);
    CHECK_THAT(refused.body, ContainsSubstring("limits.answer-bytes-total"));
    CHECK(refused.header("retry-after") == "1");
  }
  CHECK(other.request("HEAD", "/tasks?includeArtifacts=true").status
        == 200); // Nothing of it waits.
  CHECK(other.post(rpc("SendMessage", text_message("x"))).status
        == 200); // Short ones are let through.
  const auto done = other.post(rpc("SendMessage", text_message(std::string(2 << 20, 'x'))));
  CHECK(plain_error(done) == 500);
  CHECK_THAT(done.body, ContainsSubstring("The command was done")
                            && ContainsSubstring("limits.answer-bytes-total"));
  CHECK(done.header("retry-after").empty());
  CHECK(at(bed.result_of("ListTasks", R"({"historyLength":0})"), "/totalSize") == "3");

  slow.set_receive_bytes(1 << 20);
  CHECK(slow.receive().body.size() > 2 * large.size());
  REQUIRE(comes_true([&] { return bed.web->load().answer_bytes == 0; }));
  CHECK(other.post(whole).status == 200);
}

TEST_CASE("what the process is short of is said by name: streams, bodies, answers, and new work",
          "[net][http][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{10} << 20);
  executor_options how;
  how.memory = memory;
  const net_bed bed({}, "echo", make_memory_store({.memory = memory}), how);
  const std::string large(100'000, 'x');
  const auto id = at(bed.result_of("SendMessage", text_message(large)), "/task/id");
  const auto whole = rpc("GetTask", R"({"id":")" + id + "\"}");
  auto client = bed.connect();
  // The answer leaves before the actor of the task has given back what it held.
  REQUIRE(comes_true([&] { return memory->held(memory_account::live_work) == 0; }));
  REQUIRE(comes_true([&] { return memory->held(memory_account::large_output) == 0; }));
  CHECK(client.get("/readyz").body == R"({"status":"ready"})");

  memory->force(memory_account::backlog, std::size_t{8} << 20); // With the ended task 82 %
  const auto shown = client.get("/readyz");
  CHECK(shown.status == 200);
  const auto accounts = boost::json::parse(shown.body);
  CHECK(at(accounts, "/status") == "ready");
  CHECK(at(accounts, "/memory/limit") == "10485760");
  CHECK(at(accounts, "/memory/accounts/backlog") == "8388608");
  CHECK(client.post(whole).status == 200);

  const auto stream = bed.connect().post(rpc("SendStreamingMessage", text_message("x")));
  CHECK(stream.status == 429);
  CHECK(stream.header("retry-after") == "1");
  CHECK_THAT(stream.body, ContainsSubstring("feeds") && ContainsSubstring("limits.memory"));

  memory->force(memory_account::backlog, std::size_t{512} << 10); // 87 %
  const auto answer = client.post(whole);
  CHECK(plain_error(answer) == 429);
  CHECK(answer.header("retry-after") == "1");
  CHECK_THAT(answer.body, ContainsSubstring("answers") && ContainsSubstring("limits.memory"));
  CHECK(client.post(rpc("SendMessage", text_message("x"))).status == 200); // Short ones go on.
  auto sending = bed.connect();
  sending.send(http_client::post_text(rpc("SendMessage", text_message(large))));
  const auto body = sending.receive();
  CHECK(plain_error(body) == 429);
  CHECK_THAT(body.body, ContainsSubstring("bodies") && ContainsSubstring("limits.memory"));

  memory->force(memory_account::backlog, std::size_t{600} << 10); // 92 %
  const auto refused = client.post(rpc("SendMessage", text_message("x")));
  CHECK_THAT(refused.body, ContainsSubstring("live-work") && ContainsSubstring("limits.memory"));
  const auto not_ready = client.get("/readyz");
  CHECK(not_ready.status == 503);
  CHECK(at(boost::json::parse(not_ready.body), "/status") == "overloaded");
  CHECK_THAT(not_ready.body, ContainsSubstring("limits.memory"));

  memory->give_back(memory_account::backlog, memory->held(memory_account::backlog));
  CHECK(client.get("/readyz").body == R"({"status":"ready"})");
  CHECK(client.post(whole).status == 200);
}

TEST_CASE("the server is not ready while a limit refuses new work, and says which",
          "[net][http][memory]") {
  const auto memory = std::make_shared<memory_budget>();
  std::size_t live_bytes = 0;
  executor_options how;
  how.memory = memory;
  std::string limit;
  SECTION("live tasks") {
    how.live_tasks_max = 1;
    limit = "limits.live-tasks";
  }
  SECTION("live bytes") {
    how.live_bytes_max = live_bytes = 100'000;
    limit = "limits.live-bytes";
  }
  SECTION("changes that wait for the disk") {
    how.backlog_changes_max = 10;
    limit = "limits.backlog-changes";
  }
  auto owned = std::make_unique<slow_store>();
  auto& records = *owned;
  const net_bed bed({}, "puppet", std::move(owned), how);
  auto client = bed.connect();
  CHECK(client.get("/readyz").body == R"({"status":"ready"})");
  const auto task =
      at(bed.result_of("SendMessage",
                       text_message("x", {}, R"(,"configuration":{"returnImmediately":true})")),
         "/task/id");
  memory->force(memory_account::live_work, live_bytes);
  records.backlog = 11;
  REQUIRE(comes_true([&] { return client.get("/readyz").status == 503; }));
  const auto said = client.get("/readyz");
  CHECK(at(boost::json::parse(said.body), "/status") == "overloaded");
  CHECK_THAT(said.body, ContainsSubstring(limit));
  CHECK(said.header("retry-after") == "1");
  records.backlog = 0;
  memory->give_back(memory_account::live_work, live_bytes);
  static_cast<void>(bed.result_of("CancelTask", R"({"id":")" + task + "\"}"));
  CHECK(comes_true([&] { return client.get("/readyz").status == 200; }));
}

TEST_CASE("connections count, and new ones are refused when the process is short of memory",
          "[net][http][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{10} << 20);
  executor_options how;
  how.memory = memory;
  const net_bed bed({}, "echo", make_memory_store({.memory = memory}), how);
  auto first = bed.connect();
  CHECK(first.get("/healthz").status == 200);
  const auto one = memory->held(memory_account::connections);
  CHECK(one > 0);
  auto second = bed.connect();
  CHECK(second.get("/healthz").status == 200);
  CHECK(memory->held(memory_account::connections) == 2 * one);
  second.close();
  REQUIRE(comes_true([&] { return memory->held(memory_account::connections) == one; }));

  const auto most = std::size_t{10} << 20;
  memory->force(memory_account::backlog, most - most / 20);
  auto third = bed.connect();
  const auto refused = third.receive();
  CHECK(plain_error(refused) == 503);
  CHECK(refused.header("retry-after") == "1");
  CHECK_THAT(refused.body, ContainsSubstring("connections") && ContainsSubstring("limits.memory"));
  CHECK(third.is_closed());
  CHECK(first.get("/healthz").status == 200);
  memory->give_back(memory_account::backlog, most - most / 20);
  CHECK(bed.connect().get("/healthz").status == 200);
}

TEST_CASE("the buffers that a connection keeps count, and go when memory is short",
          "[net][http][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{10} << 20);
  executor_options how;
  how.memory = memory;
  const net_bed bed({}, "echo", make_memory_store({.memory = memory}), how);
  auto client = bed.connect();
  CHECK(client.get("/healthz").status == 200);
  const auto bare = memory->held(memory_account::connections);
  CHECK(client.post(rpc("GetTask", R"({"id":")" + std::string(30'000, 'x') + "\"}")).status == 200);
  REQUIRE(comes_true([&] { return memory->held(memory_account::connections) > bare + 20'000; }));
  memory->force(memory_account::backlog, std::size_t{10} << 20);
  CHECK(client.get("/healthz").status == 200);
  CHECK(comes_true([&] { return memory->held(memory_account::connections) <= bare; }));

  // The head of a request that comes in pieces is such a buffer.
  client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: " + std::string(20'000, 'x'));
  const auto refused = client.receive();
  CHECK(plain_error(refused) == 503);
  CHECK_THAT(refused.body, ContainsSubstring("limits.memory"));
}

TEST_CASE("long headers count while their request is answered, and do not stay with a connection",
          "[net][http][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{10} << 20);
  executor_options how;
  how.memory = memory;
  const net_bed bed({}, "puppet", make_memory_store({.memory = memory}), how);
  auto client = bed.connect();
  CHECK(client.get("/healthz").status == 200);
  const auto bare = memory->held(memory_account::connections);
  const std::string value(30'000, 'x');
  for (const auto* name : {"Accept", "Authorization", "If-Match", "If-None-Match", "Tracestate",
                           "Last-Event-ID", "Troupe-Cursor", "A2A-Extensions"})
    CHECK(client.request("GET", "/healthz", {}, name + (": " + value) + "\r\n").status == 200);
  // Of the bytes that were read before they were understood, one buffer stays.
  CHECK(comes_true(
      [&] { return memory->held(memory_account::connections) <= bare + 2 * value.size(); }));

  // A stream may last for hours.
  client.close();
  REQUIRE(comes_true([&] { return memory->held(memory_account::connections) == 0; }));
  auto reader = bed.connect();
  reader.send(http_client::post_text(rpc("SendStreamingMessage", text_message("x")),
                                     "A2A-Version: 1.0\r\nAuthorization: " + value + "\r\n"));
  static_cast<void>(reader.receive_head());
  CHECK(memory->held(memory_account::connections) >= value.size());
}

TEST_CASE("a body that is only announced takes next to no memory", "[net][http][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{100} << 20);
  executor_options how;
  how.memory = memory;
  const net_bed bed({}, "echo", make_memory_store({.memory = memory}), how);
  auto client = bed.connect();
  client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              "A2A-Version: 1.0\r\nContent-Length: 5000000\r\n\r\n{\"jsonrpc\":");
  REQUIRE(comes_true([&] { return memory->held(memory_account::bodies) > 0; }));
  CHECK(memory->held(memory_account::bodies) <= std::size_t{64} << 10);
  client.send(std::string(3'000'000, ' '));
  CHECK(comes_true([&] { return memory->held(memory_account::bodies) >= 3'000'000; }));
  CHECK(memory->held(memory_account::bodies) <= 5'000'000);
}

TEST_CASE("a body whose tree finds no room is refused by name, and the connection goes on",
          "[net][http][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{10} << 20);
  executor_options how;
  how.memory = memory;
  const net_bed bed({}, "echo", make_memory_store({.memory = memory}), how);
  auto client = bed.connect();
  std::string numbers = "0";
  for (int i = 0; i < 1'000'000; ++i)
    numbers += ",0";
  const auto refused = client.post(rpc("GetTask", R"({"id":"x","metadata":[)" + numbers + "]}"));
  CHECK(refused.status == 429);
  CHECK_THAT(refused.body, ContainsSubstring("bodies") && ContainsSubstring("limits.memory"));
  CHECK(client.post(get_unknown).status == 200);
  CHECK(comes_true([&] { return memory->held(memory_account::bodies) == 0; }));
}

TEST_CASE("streams that wait keep no requests out", "[net][http]") {
  server_options options;
  options.requests_in_flight_max = 1;
  const net_bed bed(options, "puppet");
  auto reader = bed.connect();
  reader.send(http_client::post_text(rpc("SendStreamingMessage", text_message("x"))));
  static_cast<void>(reader.receive_head());
  REQUIRE(comes_true([&] { return bed.web->load().requests_in_flight == 0; }));
  CHECK(bed.connect().post(get_unknown).status == 200);
}

TEST_CASE("connections above the limit get an error", "[net][http]") {
  server_options options;
  options.connections_max = 1;
  const net_bed bed(options);
  auto first = bed.connect();
  CHECK(first.get("/healthz").status == 200);
  auto second = bed.connect();
  const auto refused = second.receive();
  CHECK(plain_error(refused) == 503);
  CHECK(refused.header("retry-after") == "1");
  CHECK(second.is_closed());
  first.close();
  REQUIRE(comes_true([&] { return bed.web->load().connections == 0; }));
  CHECK(bed.connect().get("/healthz").status == 200);
}

TEST_CASE("a client that resets the connection no longer waits for its answer", "[net][http]") {
  const net_bed bed({}, "puppet");
  auto client = bed.connect();
  client.send(http_client::post_text(rpc("SendMessage", text_message("go"))));
  const auto port = bed.puppet->port(0);
  CHECK(bed.web->load().requests_in_flight == 1);
  client.reset();
  CHECK(comes_true([&] { return bed.web->load().requests_in_flight == 0; }));
  port->report(report_completed{{}, "nobody is there"}); // the task goes on all the same
  CHECK(comes_true([&] {
    const auto tasks = bed.result_of("ListTasks", R"({"status":"TASK_STATE_COMPLETED"})");
    return at(tasks, "/totalSize") == "1";
  }));
}
