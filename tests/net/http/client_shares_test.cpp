// What one address may have of what all clients may have together.
#include "net/http/client_shares.hpp"
#include "tests/net/one_thread_server.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

std::string address_of(const char* text) {
  return client_address(boost::asio::ip::make_address(text));
}

/// What the server says on `to`, after a request for a stream of a task that goes on.
std::string answer_on(one_thread_server& one, memory_pipe& to, std::string_view method) {
  const auto before = to.output().size();
  to.put(post(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method)
              + R"(","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[)"
                R"({"text":"{\"steps\":[{\"hang\":true}]}"}]}}})"));
  for (int turns = 0; turns < 20; ++turns)
    one.turn();
  return to.output().substr(before);
}

} // namespace

TEST_CASE("an address counts as it is, and one of IPv6 as its network", "[net][http]") {
  CHECK(address_of("192.0.2.1") == "192.0.2.1");
  CHECK(address_of("::ffff:192.0.2.1") == "192.0.2.1");
  CHECK(address_of("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64");
  CHECK(address_of("2001:db8:1:2::") == address_of("2001:db8:1:2:ffff::1"));
  CHECK(address_of("2001:db8:1:3::") != address_of("2001:db8:1:2::"));
}

TEST_CASE("a place is one of all, and one of the client's share", "[net][http]") {
  std::atomic<std::size_t> all{0};
  client_share mine;
  const auto take = [&](std::uint32_t percent) {
    return take_place(all, 4, &mine.streams, percent);
  };
  {
    const auto first = take(50);
    const auto second = take(50);
    CHECK((first && second));
    const auto third = take(50);
    CHECK_FALSE(third);
    CHECK(third.is_above_share);
    CHECK(all == 2);
    const auto of_another = take_place(all, 4, nullptr, 50);
    CHECK(of_another);
    const auto unshared = take(0);
    CHECK(unshared);
    const auto fifth = take(0);
    CHECK_FALSE(fifth);
    CHECK_FALSE(fifth.is_above_share);
  }
  CHECK(all == 0);
  CHECK(mine.streams == 0);
  CHECK(take(1)); // rounded up
}

TEST_CASE("one address takes only its share of connections, requests and streams",
          "[net][http][turns]") {
  const auto records = make_memory_store();
  one_thread_server one{*records, [] {}, nullptr,
                        [](server_options& change) {
                          change.connections_max = 5;
                          change.requests_in_flight_max = 2;
                          change.streams_max = 2;
                          change.client_share_percent = 50;
                        }};
  one.pipe->hang_up();
  one.agents.default_agent = "scripted";
  for (int turns = 0; turns < 20; ++turns)
    one.turn();
  const auto first = one.connect("192.0.2.1");
  const auto second = one.connect("192.0.2.1");
  const auto third = one.connect("192.0.2.1");
  const auto other = one.connect("192.0.2.2");
  SECTION("connections") {
    const auto fourth = one.connect("192.0.2.1");
    for (int turns = 0; turns < 20; ++turns)
      one.turn();
    CHECK(fourth->output().starts_with("HTTP/1.1 503 "));
    CHECK_THAT(fourth->output(), ContainsSubstring("limits.client-share"));
    const auto of_another = one.connect("192.0.2.3");
    CHECK_THAT(answer_on(one, *of_another, "SendStreamingMessage"), StartsWith("HTTP/1.1 200 "));
    fourth->hang_up();
    of_another->hang_up();
  }
  SECTION("requests") {
    CHECK(answer_on(one, *first, "SendMessage").empty()); // it waits
    const auto refused = answer_on(one, *second, "SendMessage");
    CHECK_THAT(refused, StartsWith("HTTP/1.1 429 "));
    CHECK_THAT(refused, ContainsSubstring("limits.client-share"));
    CHECK(answer_on(one, *other, "SendMessage").empty());
  }
  SECTION("streams") {
    CHECK_THAT(answer_on(one, *first, "SendStreamingMessage"), StartsWith("HTTP/1.1 200 "));
    const auto refused = answer_on(one, *second, "SendStreamingMessage");
    CHECK_THAT(refused, StartsWith("HTTP/1.1 429 "));
    CHECK_THAT(refused, ContainsSubstring("limits.client-share"));
    CHECK_THAT(answer_on(one, *other, "SendStreamingMessage"), StartsWith("HTTP/1.1 200 "));
  }
  one.home->abort_sessions(); // a stream reads nothing, and does not see that its client has gone
  for (int turns = 0; turns < 100 && one.state->connections > 0; ++turns) {
    one.clock.advance(std::chrono::seconds{1});
    one.turn();
  }
}
