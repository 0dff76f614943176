// Readers of long answers that take their time.
#include "net/http/long_answers.hpp"
#include "tests/net/one_thread_server.hpp"
#include "tests/support/catch.hpp"
#include <troupe/net/limits.hpp>

#include <string>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

struct noted_answer final : long_answer {
  explicit noted_answer(long_answers& of) : all(of) {}
  ~noted_answer() { all.end(*this); }
  void cut() override { ++cuts; }

  long_answers& all;
  int cuts = 0;
};

void turn_some(one_thread_server& one) {
  for (int turns = 0; turns < 20; ++turns)
    one.turn();
}

void pass_seconds(one_thread_server& one, int count) {
  for (int i = 0; i < count; ++i) {
    one.clock.advance(1s);
    turn_some(one);
  }
}

/// A request whose answer is a long one, for a loop alone: above kept_bytes_max, and below
/// long_answer_bytes.
std::string long_request(const std::string& method = "SendMessage") {
  return post(R"({"jsonrpc":"2.0","id":1,"method":")" + method
              + R"(","params":{"message":)"
                R"({"messageId":"m","role":"ROLE_USER","parts":[{"text":")"
              + std::string(20'000, 'x') + R"("}]}}})");
}

} // namespace

TEST_CASE("the long answer that began first gives way, and none before its grace is over",
          "[net][http]") {
  long_answers all(answer_grace);
  noted_answer first(all);
  noted_answer second(all);
  const time_point start{1h};
  all.begin(first, start);
  all.begin(second, start + 1s);
  all.give_way(start + answer_grace - 1ms);
  CHECK(first.cuts == 0);
  all.give_way(start + answer_grace);
  CHECK(first.cuts == 1);
  all.give_way(start + answer_grace);
  CHECK(second.cuts == 0);
  all.end(second);
  all.give_way(start + 1h);
  CHECK(first.cuts + second.cuts == 1);
}

TEST_CASE("a long answer that nobody takes gives way when another finds no room",
          "[net][http][turns]") {
  const auto records = make_memory_store();
  one_thread_server one{*records, [] {}, nullptr,
                        [](server_options& change) { change.answer_bytes_total_max = 60'000; }};
  one.pipe->stop_reading();
  one.pipe->put(long_request());
  turn_some(one);
  REQUIRE(one.state->memory->held(memory_account::answers) > kept_bytes_max);
  const auto other = one.connect();
  const auto ask = [&] {
    const auto before = other->output().size();
    other->put(long_request());
    turn_some(one);
    return other->output().substr(before, 12);
  };
  CHECK(ask() == "HTTP/1.1 500"); // it was done, and has no room for its answer
  CHECK(one.state->connections == 2);
  pass_seconds(one, 11);
  CHECK(one.state->connections == 2);
  CHECK(ask() == "HTTP/1.1 500");
  turn_some(one);
  CHECK(one.state->connections == 1); // who has waited longest has gone
  CHECK(ask() == "HTTP/1.1 200");
  other->hang_up();
}

TEST_CASE("a long answer that is read in drops has a time in which it is to be taken",
          "[net][http][turns]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.pipe->stop_reading();
  one.pipe->put(long_request());
  turn_some(one);
  REQUIRE(one.state->memory->held(memory_account::answers) > kept_bytes_max);
  pass_seconds(one, 25);
  one.pipe->take_only(100);
  turn_some(one);
  CHECK(one.state->connections == 1);
  pass_seconds(one, 25);
  CHECK(one.state->connections == 0);
  CHECK(one.state->memory->held(memory_account::answers) == 0);
}

TEST_CASE("an event that is read in drops has a time in which it is to be taken",
          "[net][http][sse][turns]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.pipe->take_only(1'000); // The headers, and the beginning of an event of 20,000 bytes.
  one.pipe->put(long_request("SendStreamingMessage"));
  turn_some(one);
  REQUIRE(one.state->streams == 1);
  for (int drops = 0; drops < 2; ++drops) {
    pass_seconds(one, 20);
    one.pipe->take_only(1);
    turn_some(one);
    CHECK(one.state->streams == 1);
  }
  for (int drops = 0; drops < 8 && one.state->streams > 0; ++drops) { // All that waits is 60 kB.
    pass_seconds(one, 20);
    one.pipe->take_only(1);
    turn_some(one);
  }
  CHECK(one.state->streams == 0);
  CHECK(one.state->connections == 0);
}

TEST_CASE("a stream that is read slowly, but not in drops, comes to its end",
          "[net][http][sse][turns]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.pipe->take_only(1'000);
  one.pipe->put(long_request("SendStreamingMessage"));
  turn_some(one);
  for (int seconds = 0; seconds < 55; ++seconds) {
    one.pipe->take_only(1'100);
    pass_seconds(one, 1);
  }
  CHECK(one.pipe->output().ends_with("\r\n0\r\n\r\n"));
  CHECK(one.state->connections == 1);
}
