// What clients send: what is no HTTP, too long, no JSON, or JSON of odd shapes.
#include "tests/attack/attackers.hpp"

#include <algorithm>
#include <array>

namespace troupe::attack {

namespace {

using namespace std::chrono_literals;

std::string random_bytes(attacker& self, std::size_t size) {
  std::string out(size, '\0');
  std::generate(out.begin(), out.end(), [&] { return static_cast<char>(self.below(256)); });
  return out;
}

/// Requests, and behind them what is none, in one write.
void pipeline_garbage(attacker& self) {
  auto one = self.connect();
  std::string text;
  const auto requests = self.below(20);
  for (std::size_t i = 0; i < requests; ++i)
    text += self.below(2) == 0 ? request_text("GET", "/healthz")
                               : rpc_text("GetTask", R"({"id":"none"})");
  text += random_bytes(self, self.below(2'000));
  one.send(text);
  for (std::size_t i = 0; i <= requests && one.is_open(); ++i)
    self.ask(one, {}, 2s);
  one.reset();
  self.pause(10ms);
}

void send_long_heads(attacker& self) {
  auto one = self.connect();
  std::string text = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  if (self.below(2) == 0)
    text += "X-Long: " + std::string(self.below(200'000), 'x') + "\r\n";
  else
    for (std::size_t i = self.below(5'000); i > 0; --i)
      text += "X-" + std::to_string(i) + ": y\r\n";
  one.send(text + "\r\n");
  self.ask(one, {}, 5s);
  one.reset();
  self.pause(20ms);
}

/// Announced too long, longer than announced, or as long as may be.
void send_long_bodies(attacker& self) {
  auto one = self.connect();
  const std::string head = "POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\n"
                           "Content-Type: application/json\r\nContent-Length: ";
  switch (self.below(3)) {
    case 0: self.ask(one, head + "99999999999\r\n\r\n{}"); break;
    case 1: {
      const std::string body(9'000'000, ' ');
      self.ask(one, head + std::to_string(body.size()) + "\r\n\r\n" + body);
      break;
    }
    default: {
      const std::string body(1'000'000, 'x'); // Nothing ends it.
      one.send(head + "9000000\r\n\r\n" + body);
      self.pause(500ms);
    }
  }
  one.reset();
  self.pause(50ms);
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i)
    out += text;
  return out;
}

void send_bad_json(attacker& self) {
  auto one = self.connect();
  const auto post = [&](const std::string& body) {
    self.ask(one, request_text("POST", "/", body));
  };
  const auto in_message = [&](const std::string& data) {
    post(R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m",)"
         R"("role":"ROLE_USER","parts":[{"data":{"v":)"
         + data + "}}]}}}");
  };
  const auto size = 1 + self.below(self.how_much.of(500'000));
  switch (self.below(8)) {
    case 0: post(repeated("[", size)); break;
    case 1: post(repeated(R"({"a":)", size)); break;
    case 2: in_message('[' + repeated("0,", size) + "0]"); break;
    case 3: in_message('{' + repeated(R"("a":1,)", size) + R"("b":2})"); break;
    case 4: in_message('[' + repeated("[],{},", size / 4) + "1e400]"); break;
    case 5: post("{\"id\":\"" + random_bytes(self, size) + "\"}"); break;
    case 6: in_message(repeated("[", 90) + repeated("]", 90)); break;
    default:
      post(R"({"jsonrpc":"2.0","id":")" + std::string(size, 'i') + R"(","method":"GetTask"})");
  }
  one.reset();
  self.pause(50ms);
}

/// Two readers may disagree about where these requests end; no answer may follow a wrong end.
void send_odd_chunks(attacker& self) {
  static constexpr std::string_view head = "POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: "
                                           "1.0\r\nContent-Type: application/json\r\n";
  static constexpr auto tails = std::to_array<std::string_view>(
      {"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nx",
       "Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n",
       "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nGET /smuggled "
       "HTTP/1.1\r\n\r\n",
       "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
       "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n",
       "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", "Content-Length: +2\r\n\r\n{}"});
  auto one = self.connect();
  if (self.below(4) == 0) {
    std::string text(head);
    text += "Transfer-Encoding: chunked\r\n\r\n";
    text += repeated("1\r\n \r\n", self.how_much.of(100'000));
    self.ask(one, text + "0\r\n\r\n");
  } else if (self.below(4) == 0) {
    std::string text(head);
    text += "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(self.below(100'000), 'e');
    self.ask(one, text + "\r\n{\r\n0\r\n\r\n", 5s);
  } else {
    self.ask(one, std::string(head).append(tails[self.below(tails.size())]), 2s);
  }
  one.reset();
  self.pause(20ms);
}

/// As the page of another site makes a browser ask, also for another host (DNS rebinding). It may
/// read, but it changes nothing.
void ask_as_another_site(attacker& self) {
  struct request {
    std::string_view verb;
    std::string_view path;
    std::string_view body;
  };
  static constexpr auto changes = std::to_array<request>({
      {"POST", "/",
       R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"s",)"
       R"("role":"ROLE_USER","parts":[{"text":"x"}]}}})"},
      {"POST", "/message:send",
       R"({"message":{"messageId":"s","role":"ROLE_USER","parts":[{"text":"x"}]}})"},
      {"POST", "/v1/message:send",
       R"({"message":{"messageId":"s","role":"ROLE_USER","content":[{"text":"x"}]}})"},
      {"POST", "/objectives", R"({"name":"s"})"},
      {"POST", "/tasks/trip.p0.t0:cancel", ""},
      {"DELETE", "/tasks/trip.p0.t0/pushNotificationConfigs/c", ""},
  });
  static constexpr auto sites = std::to_array<std::string_view>(
      {"Host: evil.example", "Host: localhost\r\nOrigin: https://evil.example",
       "Host: localhost\r\nOrigin: null",
       "Host: localhost\r\nOrigin: http://localhost.evil.example"});
  auto one = self.connect();
  const auto& asked = changes[self.below(changes.size())];
  const auto site = sites[self.below(sites.size())];
  std::string text(asked.verb);
  text.append(" ").append(asked.path).append(" HTTP/1.1\r\n").append(site);
  text.append("\r\nA2A-Version: 1.0\r\nContent-Type: text/plain\r\nContent-Length: ");
  text.append(std::to_string(asked.body.size())).append("\r\n\r\n").append(asked.body);
  const auto body = self.ask(one, text);
  if (const auto status = one.reader().status(); status >= 200 && status < 400)
    self.count.note_fault("another site was served: " + std::to_string(status) + " for " + text
                          + body);
  one.reset();
  self.pause(20ms);
}

constexpr auto kinds = std::to_array<attacker_kind>({{"pipelined garbage", pipeline_garbage},
                                                     {"long heads", send_long_heads},
                                                     {"long bodies", send_long_bodies},
                                                     {"bad JSON", send_bad_json},
                                                     {"odd chunks", send_odd_chunks},
                                                     {"other sites", ask_as_another_site}});

} // namespace

std::span<const attacker_kind> request_attackers() {
  return kinds;
}

} // namespace troupe::attack
