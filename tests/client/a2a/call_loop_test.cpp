// The loop of requests to many agents: what comes back is called, unless nobody waits for it.
#include "client/a2a/call_loop.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/push_receiver.hpp"

#include <optional>
#include <string>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::a2a;
using namespace troupe::testing;

namespace {

std::string card_of(const push_receiver& server) {
  return answer_text(
      200, "Content-Type: application/json\r\n",
      R"({"name":"A","version":"1","capabilities":{},"skills":[],"defaultInputModes":[],)"
      R"("defaultOutputModes":[],"supportedInterfaces":[{"url":")"
          + server.url("/") + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})");
}

line_options line_to(const push_receiver& server) {
  line_options out;
  out.to.url = server.url("");
  return out;
}

} // namespace

TEST_CASE("an agent is asked by turns, with further headers", "[client][a2a]") {
  push_receiver server;
  server.script({card_of(server), answer_text(200, "Content-Type: application/json\r\n",
                                              R"({"jsonrpc":"2.0","id":1,"result":{"a":1}})")});
  call_loop loop;
  const auto line = loop.open(line_to(server)).value();
  std::optional<result<boost::json::value>> answer;
  const auto handle = line->ask(operation::get_task, {{"id", "t"}}, {{"Idempotency-Key", "\"k\""}},
                                [&](result<boost::json::value> got) { answer = std::move(got); });
  REQUIRE(comes_true([&] {
    loop.turn();
    return answer.has_value();
  }));
  REQUIRE(answer->has_value());
  CHECK((*answer)->at("a") == 1);
  CHECK(server.received().at(1).header("idempotency-key") == "\"k\"");
}

TEST_CASE("a card is asked for again when it may be old, by its ETag", "[client][a2a][card]") {
  const auto* age = GENERATE("Cache-Control: max-age=300\r\n", "");
  push_receiver server;
  hand_time time;
  const auto headers = "ETag: \"v1\"\r\n" + std::string(age);
  auto card = card_of(server);
  card.insert(card.find("\r\n") + 2, headers);
  server.script({card, answer_text(304, headers)});
  call_loop loop(time);
  const auto line = loop.open(line_to(server)).value();
  const auto look_up = [&] {
    std::optional<bool> is_known;
    const auto handle =
        line->look_up([&](const result<known_agent>& met) { is_known = met.has_value(); });
    REQUIRE(comes_true([&] {
      loop.turn();
      return is_known.has_value();
    }));
    return *is_known;
  };
  CHECK(look_up());
  time.pass(299s);
  CHECK(look_up());
  CHECK(server.received().size() == 1);
  time.pass(1s);
  CHECK(look_up());
  REQUIRE(server.received().size() == 2);
  CHECK(server.received()[1].header("if-none-match") == "\"v1\"");
  CHECK(look_up());
  CHECK(server.received().size() == 2);
}

TEST_CASE("nobody hears what was dropped, and a loop may end with requests under way",
          "[client][a2a]") {
  push_receiver server;
  server.hold();
  int heard = 0;
  std::shared_ptr<agent_line> line;
  call_handle kept;
  {
    call_loop loop;
    loop.start();
    loop.post([&] {
      line = loop.open(line_to(server)).value();
      auto dropped = line->look_up([&](const result<known_agent>&) { ++heard; });
      dropped.reset();
      kept = line->look_up([&](const result<known_agent>&) { ++heard; });
    });
    static_cast<void>(server.wait_for(1));
  }
  CHECK(heard == 0);
  CHECK(line->look_up([&](const result<known_agent>&) { ++heard; }) == nullptr);
  server.release();
}

TEST_CASE("only public addresses are reached if that is asked for", "[client][a2a]") {
  const push_receiver server;
  call_loop loop;
  auto how = line_to(server);
  how.public_only = true;
  const auto line = loop.open(how).value();
  std::optional<error> why;
  const auto handle = line->look_up([&](result<known_agent> met) { why = met.error(); });
  REQUIRE(comes_true([&] {
    loop.turn();
    return why.has_value();
  }));
  CHECK(why->code == errc::forbidden);
  CHECK(server.connections() == 0);
}

TEST_CASE("the end of a stream says when the agent may be asked again", "[client][a2a]") {
  push_receiver server;
  server.script({card_of(server),
                 answer_text(200, "Content-Type: text/event-stream\r\n", "retry: 7000\n\n")});
  call_loop loop;
  const auto line = loop.open(line_to(server)).value();
  std::optional<error> why;
  stream_listener to;
  to.on_end = [&](const error& ended) { why = ended; };
  const auto stream = line->listen(operation::subscribe_to_task, {{"id", "t"}}, {}, std::move(to));
  REQUIRE(comes_true([&] {
    loop.turn();
    return why.has_value();
  }));
  CHECK(pause_in(*why) == 7s);
}

TEST_CASE("a stream that is paused is not read until it goes on", "[client][a2a]") {
  push_receiver server;
  const auto event = [](int number) {
    return "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"statusUpdate\":{\"taskId\":\"t\","
           "\"contextId\":\"c"
           + std::to_string(number) + "\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}}\n\n";
  };
  server.script({card_of(server), answer_text(200, "Content-Type: text/event-stream\r\n",
                                              event(1) + event(2) + event(3))});
  call_loop loop;
  const auto line = loop.open(line_to(server)).value();
  int events = 0;
  bool has_ended = false;
  stream_handle stream;
  stream_listener to;
  to.on_event = [&](const wire::answer&, std::size_t) {
    if (++events == 2)
      stream->pause();
  };
  to.on_end = [&](const error&) { has_ended = true; };
  stream = line->listen(operation::subscribe_to_task, {{"id", "t"}}, {}, std::move(to));
  REQUIRE(comes_true([&] {
    loop.turn();
    return events == 2;
  }));
  for (int i = 0; i < 100; ++i)
    loop.turn();
  CHECK(events == 2);
  CHECK_FALSE(has_ended);
  stream->resume();
  REQUIRE(comes_true([&] {
    loop.turn();
    return has_ended;
  }));
  CHECK(events == 3);
}
