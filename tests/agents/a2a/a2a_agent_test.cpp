// What the agent `a2a` does beside what its delegations decide.
#include "agents/a2a/a2a_agent.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/flooding_agent.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/push_receiver.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace troupe;
using namespace troupe::test;
using namespace troupe::testing;

TEST_CASE("a stream is read no further while the store has no room for what it says",
          "[agents][a2a]") {
  const flooding_agent there;
  delegation_options how;
  a2a::target to;
  to.url = there.url();
  how.targets.push_back({"flood", to});
  const auto loop = std::make_shared<a2a::call_loop>();
  a2a_agent agent(std::move(how), loop);
  const auto port = std::make_shared<fake_port>();
  port->is_roomy = false;
  auto begun = agent.start(shared(order_with(R"({"target": "flood", "text": "go"})")), port);
  auto& run = std::get<agent_run_ptr>(begun);
  const auto artifacts = [&] { return port->all<report_artifact>().size(); };
  // The note is durable as soon as it is reported.
  REQUIRE(comes_true([&] {
    loop->turn();
    return !port->all<report_note>().empty();
  }));
  run->on_noted();
  REQUIRE(comes_true([&] {
    loop->turn();
    return there.frames() > 1;
  }));
  for (int i = 0; i < 2'000; ++i)
    loop->turn();
  const auto before = artifacts();
  CHECK(before <= 1); // the event that found no room
  port->is_roomy = true;
  run->on_room();
  CHECK(comes_true([&] {
    loop->turn();
    return artifacts() > before + 5;
  }));
}

TEST_CASE("a stream that never ends, and is of another task, fails the task", "[agents][a2a]") {
  const flooding_agent there(true);
  delegation_options how;
  a2a::target to;
  to.url = there.url();
  how.targets.push_back({"flood", to});
  std::vector<std::string> warned;
  how.warn = [&](const std::string& line) { warned.push_back(line); };
  const auto loop = std::make_shared<a2a::call_loop>();
  a2a_agent agent(std::move(how), loop);
  const auto port = std::make_shared<fake_port>();
  auto begun = agent.start(shared(order_with(R"({"target": "flood", "text": "go"})")), port);
  auto& run = std::get<agent_run_ptr>(begun);
  REQUIRE(comes_true([&] {
    loop->turn();
    return !port->all<report_note>().empty();
  }));
  run->on_noted();
  REQUIRE(comes_true([&] {
    loop->turn();
    return !port->all<report_failed>().empty();
  }));
  const auto how_it_failed = port->all<report_failed>().front();
  CHECK_THAT(how_it_failed.reason, ContainsSubstring("sends without an end"));
  CHECK_FALSE(how_it_failed.retry);
  REQUIRE(warned.size() == 1);
  CHECK(warned.front()
        == "the agent \"flood\" sent 10001 frames of other tasks, or after the end; they were "
           "dropped");
}

TEST_CASE("an agent keeps its client, and asks for the card again by its ETag", "[agents][a2a]") {
  push_receiver server;
  const auto card = R"({"name":"A","version":"1","capabilities":{},"supportedInterfaces":[{"url":")"
                    + server.url("/")
                    + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})";
  server.script({answer_text(200, "ETag: \"v1\"\r\n", card), answer_text(304, "ETag: \"v1\"\r\n")});
  hand_time time;
  delegation_options how;
  a2a::target to;
  to.url = server.url("");
  how.targets.push_back({"there", to});
  const auto loop = std::make_shared<a2a::call_loop>(time);
  a2a_agent agent(std::move(how), loop, time);
  const auto meet = [&] {
    const auto port = std::make_shared<fake_port>();
    const auto begun =
        agent.start(shared(order_with(R"({"target": "there", "text": "go"})")), port);
    REQUIRE(comes_true([&] {
      loop->turn();
      return !port->all<report_note>().empty();
    }));
  };
  meet();
  time.pass(std::chrono::minutes{6});
  meet();
  const auto asked = server.received();
  REQUIRE(asked.size() == 2);
  CHECK(asked[1].header("if-none-match") == "\"v1\"");
}

TEST_CASE("a broken stream of an agent with cursors is subscribed to with the last one",
          "[agents][a2a]") {
  push_receiver server;
  const auto card = R"({"name":"A","version":"1","capabilities":{"streaming":true,"extensions":[)"
                    R"({"uri":"urn:troupe:stream-cursor:v1"}]},"supportedInterfaces":[{"url":")"
                    + server.url("/")
                    + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})";
  server.script(
      {answer_text(200, {}, card),
       answer_text(200, "Content-Type: text/event-stream\r\n",
                   R"(data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"r","contextId":)"
                   R"("c","status":{"state":"TASK_STATE_WORKING"},"metadata":)"
                   R"({"troupe/v1/cursor":"5.0"}}}})"
                   "\n\n")});
  delegation_options how;
  a2a::target to;
  to.url = server.url("");
  how.targets.push_back({"there", to});
  const auto loop = std::make_shared<a2a::call_loop>();
  a2a_agent agent(std::move(how), loop);
  const auto port = std::make_shared<fake_port>();
  auto begun = agent.start(shared(order_with(R"({"target": "there", "text": "go"})")), port);
  REQUIRE(comes_true([&] {
    loop->turn();
    return !port->all<report_note>().empty();
  }));
  std::get<agent_run_ptr>(begun)->on_noted();
  REQUIRE(comes_true([&] {
    loop->turn();
    return server.received().size() >= 3;
  }));
  const auto third = server.received()[2];
  CHECK_THAT(third.body, ContainsSubstring("SubscribeToTask"));
  CHECK(third.header("troupe-cursor") == "5.0");
}
