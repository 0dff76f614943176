// Streams of an objective with a rate: what was folded is made once for all its readers.
#include "net/a2a/event_texts.hpp"
#include "protocol/json/json_writer.hpp"
#include "tests/net/one_thread_server.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

/// The lines "data: ..." of a stream, without the rest.
std::vector<std::string> data_lines(const std::string& output) {
  std::vector<std::string> out;
  for (auto at = output.find("data: "); at != std::string::npos; at = output.find("data: ", at + 1))
    out.push_back(output.substr(at, output.find('\n', at) - at));
  return out;
}

/// 60 tasks in a chain, each of 50 ms.
std::string chain() {
  std::string tasks;
  for (int i = 0; i < 60; ++i) {
    const auto number = std::to_string(i);
    tasks += (i == 0 ? "" : ",") + (R"({"name":"t)" + number)
             + R"(","agent":"sleep","input":{"seconds":0.05})"
             + (i == 0 ? "}" : R"(,"dependencies":["t)" + std::to_string(i - 1) + R"("]})");
  }
  return R"("plans":[{"name":"p","tasks":[)" + tasks + "]}]";
}

std::string create_chain() {
  return post(R"({"jsonrpc":"2.0","id":1,"method":"objectives/create","params":)"
              R"({"id":"o","name":"O","start":true,)"
              + chain() + "}}");
}

/// The chain as an objective of a message, whose stream shows its root task.
std::string stream_chain() {
  return post(R"({"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":)"
              R"({"messageId":"m","role":"ROLE_USER","parts":[{"text":"go"}],"metadata":)"
              R"({"opt/v1/objective":{"id":"o","name":"O",)"
                  + chain() + "}}}}}",
              "A2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1, "
              "https://a2a-protocol.org/extensions/task-progress/v1\r\n");
}

std::string subscribe(int per_second) {
  return post(R"({"jsonrpc":"2.0","id":1,"method":"objectives/subscribe","params":{"id":"o",)"
              R"("maxPerSecond":)"
              + std::to_string(per_second) + "}}");
}

void pass(one_thread_server& one, std::chrono::milliseconds span) {
  for (auto passed = 0ms; passed < span; passed += 5ms) {
    for (int turns = 0; turns < 5; ++turns)
      one.turn();
    one.clock.advance(5ms);
  }
}

} // namespace

TEST_CASE("streams of one rate that begin at different times show the same folded events",
          "[net][turns][opt]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  one.pipe->put(create_chain());
  pass(one, 30ms);
  REQUIRE(one.pipe->output().starts_with("HTTP/1.1 200 OK"));
  const auto early = one.connect();
  early->put(subscribe(4));
  pass(one, 330ms);
  const auto late = one.connect();
  late->put(subscribe(4));
  pass(one, 4s);
  const auto first = data_lines(early->output());
  const auto second = data_lines(late->output());
  REQUIRE(second.size() > 8);
  CHECK(first.size() < 20); // 60 tasks in three seconds, four events a second.
  // The snapshot of each is its own, and so are the first event and the way to when all are due.
  const std::vector<std::string> tail(second.begin() + 3, second.end());
  REQUIRE(first.size() > tail.size());
  CHECK(std::equal(tail.rbegin(), tail.rend(), first.rbegin()));
  early->hang_up();
  late->hang_up();
}

TEST_CASE("P6_rate: the stream of a root task shows how far its objective is twice a second",
          "[net][turns][opt][progress]") {
  const auto records = make_memory_store();
  one_thread_server one{*records};
  const auto client = one.connect();
  client->put(stream_chain());
  const auto shown = [&] {
    const auto lines = data_lines(client->output());
    return std::ranges::count_if(lines, [](const std::string& line) {
      return line.find("opt/v1/change") != std::string::npos
             && line.find("\"aggregate\"") != std::string::npos;
    });
  };
  pass(one, 30ms);
  REQUIRE(client->output().find("opt/v1/objective") != std::string::npos);
  const auto before = shown();
  pass(one, 2s); // About 36 tasks end.
  CHECK(shown() - before >= 4);
  CHECK(shown() - before <= 5); // One at each end.
  client->hang_up();
  pass(one, 2s); // It is noticed when the next frame is written.
}

TEST_CASE("a folded event is written once for all that begin and end with the same changes",
          "[net][opt]") {
  event_texts texts;
  const auto last = std::make_shared<const change>();
  const change_ptr held = last; // Another stream has it, too.
  int writes = 0;
  const auto show = [&](std::uint64_t first) {
    std::string out;
    CHECK(
        texts.append(out, last, {.detail = 1, .revision = 7, .first = first}, [&](json_writer& to) {
          ++writes;
          to.number(first);
          return true;
        }));
    return out;
  };
  CHECK(show(3) == "3");
  CHECK(show(3) == "3");
  CHECK(writes == 1);
  CHECK(show(4) == "4");
  CHECK(show(0) == "0");
  CHECK(writes == 3);
}
