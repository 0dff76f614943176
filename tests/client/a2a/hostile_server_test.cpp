// An agent that answers what no agent should: the client ends with an error, at once or when its
// time is up.
#include "client/a2a/a2a_client.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/push_receiver.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::a2a;
using namespace troupe::testing;

namespace {

struct hostile_bed {
  explicit hostile_bed(memory_budget_ptr memory = nullptr,
                       std::size_t bytes_max = answer_bytes_max) {
    client_options options;
    options.memory = std::move(memory);
    options.bytes_max = bytes_max;
    options.to.url = server.url("");
    auto made = a2a_client::make(context, clock, std::move(options));
    REQUIRE(made.has_value());
    client = std::move(*made);
  }

  void turn() {
    clock->turn();
    client->turn();
    context.restart();
    context.poll();
  }
  /// Takes turns until the coroutine that `make` makes has ended; `each_turn` passes in each once
  /// the server has been asked `requests` times.
  template<class Make>
  auto wait_for(Make make, std::chrono::milliseconds each_turn, std::size_t requests) {
    using value = typename decltype(make())::value_type;
    std::optional<value> out;
    const auto ask = [&]() -> net::awaitable<void> {
      auto got = co_await make();
      out.emplace(std::move(got));
    };
    net::asio::co_spawn(context, ask(), net::asio::detached);
    const bool has_ended = comes_true([&] {
      if (server.received().size() >= requests)
        time.pass(each_turn);
      turn();
      return out.has_value();
    });
    if (!has_ended)
      throw std::runtime_error("what was asked does not end");
    return std::move(*out);
  }

  /// Takes turns, and a second passes for every 300 ms, until `is_done`: how many have passed.
  template<class Predicate>
  std::size_t seconds_until(Predicate is_done) {
    std::size_t seconds = 0;
    REQUIRE(comes_true([&] {
      const auto first = std::chrono::steady_clock::now(); // the server answers in real time
      while (!is_done() && std::chrono::steady_clock::now() < first + 300ms)
        turn();
      time.pass(1s);
      ++seconds;
      return is_done();
    }));
    return seconds;
  }

  /// The answer that has a card.
  [[nodiscard]] std::string card_text() const {
    return answer_text(200, {},
                       R"({"name": "Helper", "supportedInterfaces": [{"url": ")" + server.url("")
                           + R"(", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]})");
  }
  /// The card answers with `texts`, in this order.
  result<agent_card> card(std::vector<std::string> texts,
                          std::chrono::milliseconds each_turn = 0ms) {
    server.script(std::move(texts));
    return wait_for([this] { return client->card(); }, each_turn, 1);
  }
  /// The first event of a stream that answers with `text`.
  result<std::optional<boost::json::value>> event(std::string text,
                                                  std::chrono::milliseconds each_turn = 0ms) {
    server.script({card_text(), std::move(text)});
    const auto stream = client->stream(operation::subscribe_to_task, {{"id", "t"}}, {});
    return wait_for([&] { return stream->next(); }, each_turn, 2);
  }

  hand_time time;
  push_receiver server;
  net::asio::io_context context;
  net::timers_ptr clock = std::make_shared<net::timers>(context, time);
  std::unique_ptr<a2a_client> client;
};

constexpr const char* begun_stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

} // namespace

TEST_CASE("headers without end are no answer", "[client][a2a][hostile]") {
  hostile_bed bed;
  const auto huge = "HTTP/1.1 200 OK\r\nX-Huge: " + std::string(1 << 20, 'x') + "\r\n\r\n";
  CHECK(bed.card({huge}).error().code == errc::unavailable);
}

TEST_CASE("interim answers without end are no answer", "[client][a2a][hostile]") {
  hostile_bed bed;
  std::string interim;
  for (int i = 0; i < 1000; ++i)
    interim += "HTTP/1.1 100 Continue\r\n\r\n";
  CHECK(bed.card({interim}).error().code == errc::unavailable);
}

TEST_CASE("a card that is longer than any card is refused", "[client][a2a][hostile]") {
  hostile_bed bed;
  const auto body = "{\"name\": \"" + std::string(card_bytes_max, 'x') + "\"}";
  const auto read = bed.card({answer_text(200, {}, body)});
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::invalid_agent_response);
  CHECK(read.error().message.find("longer than") != std::string::npos);
}

TEST_CASE("a page is neither a card nor a stream", "[client][a2a][hostile]") {
  const auto page = answer_text(200, "Content-Type: text/html\r\n", "<html>Welcome</html>");
  hostile_bed first;
  CHECK(first.card({page}).error().code == errc::invalid_agent_response);
  hostile_bed second;
  CHECK(second.event(page).error().code == errc::invalid_agent_response);
}

TEST_CASE("an answer that comes drop by drop ends when the time is up", "[client][a2a][hostile]") {
  hostile_bed head;
  CHECK(head.card({"HTTP/1.1 200 OK\r\nContent-Le"}, 1s).error().code == errc::timed_out);
  // The time may be up before the client has read what came.
  hostile_bed body;
  const auto read = body.card({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"na"}, 1s);
  REQUIRE_FALSE(read.has_value());
  CHECK(
      (read.error().code == errc::timed_out || read.error().code == errc::invalid_agent_response));
}

TEST_CASE("a stream that falls silent within an event is broken", "[client][a2a][hostile]") {
  hostile_bed bed;
  const auto read = bed.event(std::string(begun_stream) + "data: {\"result\": ", 1s);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::timed_out);
}

TEST_CASE("a stream of comments without end is broken", "[client][a2a][hostile]") {
  hostile_bed bed;
  std::string flood = begun_stream;
  const bool ends = GENERATE(true, false); // else it is one comment
  while (flood.size() < idle_stream_bytes_max + 100'000)
    flood += std::string(std::size_t{64} << 10, ':') + (ends ? "\n\n" : "");
  const auto read = bed.event(std::move(flood));
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::unavailable);
  CHECK_THAT(read.error().message, ContainsSubstring("without an event"));
}

TEST_CASE("an event that is no JSON ends the stream", "[client][a2a][hostile]") {
  hostile_bed bed;
  CHECK(bed.event(std::string(begun_stream) + "data: <html>\n\n").error().code
        == errc::invalid_agent_response);
}

TEST_CASE("streams with long events hold no more than their share of the budget",
          "[client][a2a][hostile]") {
  constexpr std::size_t streams = 64;
  constexpr std::size_t event_bytes = std::size_t{128} << 10;
  const auto memory = std::make_shared<memory_budget>(std::size_t{8} << 20);
  const auto held_max = memory->bytes_max() / 4;
  hostile_bed bed(memory);
  bed.server.answer_with([&](const received_post& asked) {
    return asked.method == "GET"
               ? bed.card_text()
               : std::string(begun_stream) + "data: " + std::string(event_bytes, 'x'); // and no end
  });
  std::vector<std::shared_ptr<event_stream>> all;
  std::vector<error> refused;
  const auto read = [&](std::shared_ptr<event_stream> from) -> net::awaitable<void> {
    auto event = co_await from->next();
    if (!event)
      refused.push_back(event.error());
  };
  for (std::size_t i = 0; i < streams; ++i) {
    all.push_back(bed.client->stream(operation::subscribe_to_task, {{"id", "t"}}, {}));
    net::asio::co_spawn(bed.context, read(all.back()), net::asio::detached);
  }
  // A stream has all of its event, or has failed: so many have room at most.
  constexpr std::size_t refused_min = streams - (std::size_t{2} << 20) / event_bytes;
  std::size_t held_most = 0;
  CHECK(comes_true([&] {
    bed.turn();
    held_most = std::max(held_most, memory->held(memory_account::remote_exchanges));
    return refused.size() >= refused_min;
  }));
  CHECK(held_most > 0);
  CHECK(held_most <= held_max);
  for (const auto& each : refused) {
    CHECK(each.code == errc::overloaded);
    CHECK_THAT(each.message, ContainsSubstring("limits.memory"));
  }
  for (const auto& each : all)
    each->close();
  CHECK(comes_true([&] {
    bed.turn();
    return refused.size() == streams && memory->held() == 0;
  }));
}

TEST_CASE("an event that was read is counted no more", "[client][a2a][hostile]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{8} << 20);
  hostile_bed bed(memory);
  const auto event = R"(data: {"jsonrpc": "2.0", "id": 1, "result": {"x": ")"
                     + std::string(std::size_t{1} << 20, 'x') + "\"}}\n\n";
  bed.server.script({bed.card_text(), std::string(begun_stream) + event});
  const auto stream = bed.client->stream(operation::subscribe_to_task, {{"id", "t"}}, {});
  const auto read = bed.wait_for([&] { return stream->next(); }, 0ms, 2);
  REQUIRE(read.has_value());
  CHECK(read->has_value());
  CHECK(memory->held(memory_account::remote_exchanges) == 0);
}

TEST_CASE("an answer to a subscription that is cut is none", "[client][a2a][hostile]") {
  hostile_bed bed;
  const auto read = bed.event("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"js", 1s);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::timed_out); // and not too long, which would be for good
}

TEST_CASE("what we give up ourselves is no failure of the agent", "[client][a2a][hostile]") {
  hostile_bed bed;
  bed.server.answer_with([&](const received_post& asked) {
    return asked.method == "GET" ? bed.card_text()
                                 : "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"js";
  });
  for (std::size_t i = 0; i < 6; ++i) { // one more than failures open the breaker
    const auto stream = bed.client->stream(operation::subscribe_to_task, {{"id", "t"}}, {});
    std::optional<error> why;
    const auto read = [&]() -> net::awaitable<void> {
      const auto event = co_await stream->next();
      why = event ? error{} : event.error();
    };
    net::asio::co_spawn(bed.context, read(), net::asio::detached);
    REQUIRE(comes_true([&] {
      bed.turn();
      return bed.server.received().size() == i + 2; // and the card
    }));
    for (int turns = 0; turns < 100; ++turns)
      bed.turn();
    stream->close();
    REQUIRE(comes_true([&] {
      bed.turn();
      return why.has_value();
    }));
    CHECK(why->code == errc::canceled);
  }
}

TEST_CASE("an agent of which nothing can be used is left alone", "[client][a2a][hostile]") {
  constexpr std::size_t bytes_max = std::size_t{64} << 10;
  hostile_bed bed(nullptr, bytes_max);
  const std::string long_text(2 * bytes_max, 'x');
  const auto stream_of = [](const std::string& events) {
    return answer_text(200, "Content-Type: text/event-stream\r\n", events);
  };
  bool streams = true;
  bool is_hostile = true;
  std::string text;
  SECTION("its streams have no event") {
    text = stream_of("");
  }
  SECTION("its events are no JSON") {
    text = stream_of("data: <html>\n\n");
  }
  SECTION("its events have no end") {
    text = std::string(begun_stream) + "data: " + long_text;
  }
  SECTION("its streams have comments without end") {
    text = begun_stream;
    while (text.size() < idle_stream_bytes_max + 100'000)
      text += ": " + long_text + "\n";
  }
  SECTION("its answers are not whole") {
    streams = GENERATE(false, true);
    text = answer_text(200, {}, R"({"jsonrpc": "2.0", "x": ")" + long_text);
  }
  SECTION("but one whose streams break behind an event is not") {
    is_hostile = false;
    text = stream_of("data: {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {\"x\": 1}}\n\n: cut");
  }
  SECTION("nor one that refuses") {
    streams = GENERATE(false, true);
    is_hostile = false;
    text = answer_text(400, {}, R"({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602}})");
  }
  bed.server.answer_with(
      [&](const received_post& asked) { return asked.method == "GET" ? bed.card_text() : text; });
  const auto ask_once = [&]() -> error {
    if (!streams) {
      const auto answer = bed.wait_for(
          [&] {
            return bed.client->ask(operation::get_task, {{"id", "t"}});
          },
          0ms, 0);
      return answer ? error{} : answer.error();
    }
    const auto stream = bed.client->stream(operation::subscribe_to_task, {{"id", "t"}}, {});
    auto read = bed.wait_for([&] { return stream->next(); }, 0ms, 0);
    if (read && *read)
      read = bed.wait_for([&] { return stream->next(); }, 0ms, 0);
    return read.error();
  };
  for (int i = 0; i < 5; ++i)
    CHECK(ask_once().code != errc::none);
  const auto asked = bed.server.received().size();
  const bool is_left_alone =
      ask_once().message.find("has failed again and again") != std::string::npos;
  CHECK(is_left_alone == is_hostile);
  CHECK(bed.server.received().size() == (is_hostile ? asked : asked + 1));
}

TEST_CASE("what is not whole is read no faster than its agent may send it",
          "[client][a2a][hostile]") {
  constexpr std::size_t at_once = 10;
  constexpr std::size_t bytes_max = std::size_t{9} << 20;
  hostile_bed bed(nullptr, bytes_max);
  const bool streams = GENERATE(true, false);
  const std::string text(bytes_max + 1, 'x');
  bed.server.answer_with([&](const received_post& asked) {
    if (asked.method == "GET")
      return bed.card_text();
    return streams ? std::string(begun_stream) + "data: " + text
                   : "HTTP/1.1 200 OK\r\n\r\n" + text; // until the connection is closed
  });
  const boost::json::object params{{"id", "t"}};
  std::vector<std::shared_ptr<event_stream>> all;
  std::size_t ended = 0;
  std::size_t read_whole = 0;
  const auto read = [&]() -> net::awaitable<void> {
    if (streams) {
      const auto from =
          all.emplace_back(bed.client->stream(operation::subscribe_to_task, params, {}));
      const auto event = co_await from->next();
      read_whole += event ? 1 : 0;
    } else {
      const auto answer = co_await bed.client->ask(operation::get_task, params);
      read_whole += answer ? 1 : 0;
    }
    ++ended;
  };
  for (std::size_t i = 0; i < at_once; ++i)
    net::asio::co_spawn(bed.context, read(), net::asio::detached);
  const auto seconds = bed.seconds_until([&] { return ended == at_once; });
  CHECK(read_whole == 0);
  CHECK(seconds >= (at_once * (bytes_max - net::paced_block_bytes) - unfinished_bytes_at_once)
                       / unfinished_bytes_per_second);
}

TEST_CASE("what is of no use between events is read no faster than its agent may send it",
          "[client][a2a][hostile]") {
  constexpr std::size_t in_all = unfinished_bytes_at_once + 5 * unfinished_bytes_per_second;
  std::string event = R"(data: {"jsonrpc":"2.0","id":1,"result":{}})";
  event.resize(0x30 - 2, ' ');
  event += "\n\n";
  const bool is_comment = GENERATE(true, false); // else the heads of chunks
  hostile_bed bed(nullptr, std::size_t{1} << 20);
  std::size_t events = 0;
  std::string text = is_comment ? begun_stream
                                : "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                  "Transfer-Encoding: chunked\r\n\r\n";
  for (; text.size() < in_all; ++events)
    text += is_comment ? std::string(idle_stream_bytes_max / 2, ':') + "\n" + event
                       : "30;" + std::string(8'000, 'x') + "\r\n" + event + "\r\n";
  bed.server.script({bed.card_text(), std::move(text)});
  const auto stream = bed.client->stream(operation::subscribe_to_task, {{"id", "t"}}, {});
  std::size_t came = 0;
  bool has_ended = false;
  const auto read = [&]() -> net::awaitable<void> {
    for (bool goes_on = true; goes_on;) {
      const auto next = co_await stream->next();
      goes_on = next && *next;
      came += goes_on ? 1 : 0;
    }
    has_ended = true;
  };
  net::asio::co_spawn(bed.context, read(), net::asio::detached);
  const auto seconds = bed.seconds_until([&] { return came == events; });
  stream->close();
  REQUIRE(comes_true([&] {
    bed.turn();
    return has_ended;
  }));
  CHECK(seconds >= 5);
}
