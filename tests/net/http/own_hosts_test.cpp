#include "net/http/own_hosts.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;
using boost::beast::http::verb;

namespace {

server_options listening_at(std::string address) {
  server_options out;
  out.address = std::move(address);
  return out;
}

http_request asking(std::string host, std::string origin = {}, verb method = verb::post) {
  http_request out;
  out.method = method;
  out.target = "/";
  out.host = std::move(host);
  out.origin = std::move(origin);
  return out;
}

unsigned status_of(const std::optional<host_refusal>& why) {
  return why ? why->status : 200;
}

} // namespace

TEST_CASE("a host is ours if it is local, where we listen, or named by the operator",
          "[net][hosts]") {
  auto options = listening_at("box.example");
  options.card.url = "https://agents.example/a2a";
  options.allowed_hosts = {"Proxy.example", "*.inner.example", "192.0.2.7"};
  const own_hosts hosts(options, "box.example");
  const auto [authority, ours] = GENERATE(table<std::string, bool>({
      {"localhost", true},
      {"LOCALHOST:8080", true},
      {"127.0.0.1:8080", true},
      {"127.8.8.8", true},
      {"[::1]:8080", true},
      {"[::1]", true},
      {"[::ffff:127.0.0.1]:1", true},
      {"box.example:8080", true},
      {"agents.example", true},
      {"agents.example:443", true},
      {"proxy.example:9000", true},
      {"a.inner.example", true},
      {"192.0.2.7:80", true},
      {"localhost.", true},
      {"localhost.:8080", true},
      {"agents.example.", true},
      {"203.0.113.5:8080", true}, // Of a NAT or a container's host: a rebound name is no address.
      {"[2001:db8::1]:8080", true},
      {"0.0.0.0:8080", true},
      {"2130706433", false}, // No address: resolvers may look it up as a name.
      {"localhost..", false},
      {"inner.example", false},
      {"a-inner.example", false},
      {"evil.example", false},
      {"localhost.evil.example", false},
      {"evil.example:127.0.0.1", false},
      {"127.0.0.1.evil.example:8080", false},
      {"localhost@evil.example", false},
      {"evil@localhost", false},
      {"[::1", true},
      {"", false},
  }));
  CAPTURE(authority);
  CHECK(hosts.has(authority) == ours);
  CHECK(status_of(hosts.refuse(asking(authority))) == (ours ? 200 : 421));
}

TEST_CASE("a server at all addresses is asked by its machine's name", "[net][hosts]") {
  const own_hosts hosts(listening_at("0.0.0.0"), "box");
  CHECK(hosts.has("box:8080"));
  CHECK_FALSE(hosts.has("other:8080"));
}

TEST_CASE("a host that the operator names and that no request can have is refused at the start",
          "[net][hosts]") {
  const auto [entry, may] = GENERATE(table<std::string, bool>({
      {"box", true},
      {"box.example.", true},
      {"*.inner.example", true},
      {"*", true},
      {"192.0.2.7", true},
      {"2001:db8::1", true},
      {"box:8080", false},
      {"192.0.2.7:80", false},
      {"[2001:db8::1]", false},
      {"[2001:db8::1]:80", false},
      {"https://box.example", false},
      {"box.example/a2a", false},
      {"a.*.example", false},
      {"*.", false},
      {"a.example, b.example", false},
      {"", false},
  }));
  CAPTURE(entry);
  const auto checked = own_hosts::check({"fine.example", entry});
  CHECK(checked.has_value() == may);
  if (!may)
    CHECK_THAT(checked.error().message,
               ContainsSubstring("allowed-hosts: \"" + entry + "\" is not a host"));
}

TEST_CASE("a target that names a host counts instead of the header", "[net][hosts]") {
  const own_hosts hosts(listening_at("127.0.0.1"), "127.0.0.1");
  auto request = asking("evil.example");
  request.target = "http://localhost:8080/tasks?x=http://a";
  CHECK_FALSE(hosts.refuse(request));
  request = asking("localhost");
  request.target = "http://evil.example/tasks";
  CHECK(status_of(hosts.refuse(request)) == 421);
  request.target = "/tasks?next=http://evil.example/";
  CHECK_FALSE(hosts.refuse(request));
}

TEST_CASE("only HTTP/1.0 may name no host", "[net][hosts]") {
  const own_hosts hosts(listening_at("127.0.0.1"), "127.0.0.1");
  auto request = asking("");
  CHECK(status_of(hosts.refuse(request)) == 421);
  request.is_http_1_0 = true;
  CHECK_FALSE(hosts.refuse(request));
}

TEST_CASE("a page of another origin may read, and change nothing", "[net][hosts]") {
  auto options = listening_at("127.0.0.1");
  options.card.url = "https://agents.example/a2a";
  options.cors_origins = "https://app.example";
  const own_hosts hosts(options, "127.0.0.1");
  const auto [origin, may] = GENERATE(table<std::string, bool>({
      {"", true}, // No page.
      {"http://127.0.0.1:8080", true},
      {"https://127.0.0.1:8080", true}, // A proxy that speaks TLS.
      {"https://agents.example", true},
      {"https://APP.example", true},
      {"http://agents.example", false},
      {"http://127.0.0.1:3000", false}, // Another program of this machine.
      {"http://localhost:8080", false},
      {"https://evil.example", false},
      {"ftp://127.0.0.1:8080", false},
      {"null", false},
  }));
  CAPTURE(origin);
  for (const auto method : {verb::post, verb::delete_, verb::put, verb::unknown})
    CHECK(status_of(hosts.refuse(asking("127.0.0.1:8080", origin, method))) == (may ? 200 : 403));
  for (const auto method : {verb::get, verb::head, verb::options})
    CHECK_FALSE(hosts.refuse(asking("127.0.0.1:8080", origin, method)));
}

TEST_CASE("a page at an IP address may change something at its own address and port only",
          "[net][hosts]") {
  const own_hosts hosts(listening_at("127.0.0.1"), "127.0.0.1");
  const std::string host = "203.0.113.5:8080";
  CHECK_FALSE(hosts.refuse(asking(host, "http://203.0.113.5:8080")));
  for (const auto* origin : {"http://203.0.113.5", "http://203.0.113.5:3000",
                             "http://203.0.113.6:8080", "http://127.0.0.1:8080"})
    CHECK(status_of(hosts.refuse(asking(host, origin))) == 403);
}

TEST_CASE("without a URL of the card no origin is ours by it", "[net][hosts]") {
  const own_hosts hosts(listening_at("127.0.0.1"), "127.0.0.1");
  CHECK(status_of(hosts.refuse(asking("localhost", "https://"))) == 403);
}

TEST_CASE("another host is refused at every path, and the answer has the reason and what to do",
          "[net][hosts]") {
  const net_bed bed({}, "puppet");
  const auto started = bed.result_of(
      "SendMessage", text_message("x", "", R"(,"configuration":{"returnImmediately":true})"));
  const auto task = at(started, "/task/id");
  auto client = bed.connect();
  const std::vector<std::string> lines{
      "GET /healthz",
      "GET /readyz",
      "GET /.well-known/agent-card.json",
      "GET /tasks",
      "GET /nothing",
      "OPTIONS /",
      "POST /",
      "POST /tasks/" + task + ":cancel",
      "POST /v1/tasks/" + task + ":cancel",
  };
  for (const auto& line : lines) {
    CAPTURE(line);
    client.send(line
                + " HTTP/1.1\r\nHost: evil.example:8080\r\nA2A-Version: 1.0\r\nContent-Length: "
                  "0\r\n\r\n");
    const auto refused = client.receive();
    CHECK(refused.status == 421);
    CHECK_THAT(refused.body, ContainsSubstring("evil.example:8080")
                                 && ContainsSubstring("--allowed-host")
                                 && ContainsSubstring("MISDIRECTED_REQUEST"));
  }
  CHECK(at(bed.result_of("GetTask", R"({"id":")" + task + R"("})"), "/status/state")
        == "TASK_STATE_WORKING");
}

TEST_CASE("a form of another site's page cancels nothing", "[net][hosts]") {
  const net_bed bed({}, "puppet");
  const auto started = bed.result_of(
      "SendMessage", text_message("x", "", R"(,"configuration":{"returnImmediately":true})"));
  const auto task = at(started, "/task/id");
  auto client = bed.connect();
  const std::string from_page = "A2A-Version: 1.0\r\nOrigin: https://evil.example\r\n";
  const auto refused = client.request("POST", "/tasks/" + task + ":cancel", "", from_page);
  CHECK(refused.status == 403);
  CHECK_THAT(refused.body,
             ContainsSubstring("https://evil.example") && ContainsSubstring("cors-origins"));
  CHECK(client.request("GET", "/tasks/" + task, "", from_page).status == 200);
  CHECK(at(bed.result_of("GetTask", R"({"id":")" + task + R"("})"), "/status/state")
        == "TASK_STATE_WORKING");
  const auto own = client.request("POST", "/tasks/" + task + ":cancel", "",
                                  "A2A-Version: 1.0\r\nOrigin: http://localhost\r\n");
  CHECK(own.status == 200);
}
