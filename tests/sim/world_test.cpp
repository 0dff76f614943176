// The parts of a world keep their promises: dice, timeline, connections, the reader of answers.
#include "tests/support/catch.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sim/connection.hpp"
#include "sim/dice.hpp"
#include "sim/http_reader.hpp"
#include "sim/timeline.hpp"
#include "sim/world.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::sim;

TEST_CASE("dice of one name do not change what those of another draw", "[sim]") {
  dice alone(7, "network");
  dice other(7, "disk");
  dice beside(7, "network");
  for (int i = 0; i < 100; ++i) {
    const auto drawn = alone.next();
    CHECK(other.next() != drawn);
    CHECK(beside.next() == drawn);
  }
  CHECK(dice(1, "network").next() == 0xe5ff3daf2e910c9eU);
}

TEST_CASE("a timeline keeps the order of times, and of what was put for the same time", "[sim]") {
  timeline plan;
  std::string done;
  plan.put(2ms, [&] { done += "c"; });
  plan.put(1ms, [&] { done += "a"; });
  plan.put(1ms, [&] { done += "b"; });
  CHECK(plan.next_due() == std::optional<timeline::time>{1ms});
  CHECK_FALSE(plan.turn(0ms));
  while (plan.turn(1ms)) {
  }
  CHECK(done == "ab");
  CHECK(plan.turn(3ms));
  CHECK(done == "abc");
  CHECK_FALSE(plan.next_due());
}

namespace {

settings rough() {
  settings out;
  out.latency_max = 10ms;
  out.piece_bytes_max = 3;
  out.stalls = 0.2;
  return out;
}

/// All that arrives from `bytes`, by the time all has happened.
std::string sent_through(world& in, connection& line, const std::string& bytes) {
  net::asio::io_context context{1};
  const auto end = line.accept(context);
  line.send(bytes);
  std::string out;
  std::array<char, 16> buffer;
  while (const auto due = in.to_come.next_due()) {
    in.clock.pass(std::max(*due - in.now(), nanoseconds{0}));
    in.to_come.turn(in.now());
    net::error_code ec;
    while (const auto count = end->read_some(net::asio::buffer(buffer), ec))
      out.append(buffer.data(), count);
  }
  return out;
}

} // namespace

TEST_CASE("bytes of a connection arrive late and in pieces, and in their order", "[sim]") {
  world in(rough());
  dice chance = in.stream("network");
  const auto line = std::make_shared<connection>(in, chance);
  std::string bytes;
  for (int i = 0; i < 500; ++i)
    bytes += std::to_string(i) + ",";
  CHECK(sent_through(in, *line, bytes) == bytes);
  CHECK(in.now() > 0ms);
}

TEST_CASE("a connection that breaks loses the rest of what was sent, and nothing before it",
          "[sim]") {
  auto how = rough();
  how.resets = 0.05;
  world in(how);
  dice chance = in.stream("network");
  const auto line = std::make_shared<connection>(in, chance);
  const std::string bytes(1'000, 'x');
  const auto arrived = sent_through(in, *line, bytes);
  CHECK(line->is_broken());
  CHECK(arrived.size() < bytes.size());
  CHECK(bytes.starts_with(arrived));
}

TEST_CASE("a server may write no more than the window while its client does not read", "[sim]") {
  settings how;
  how.window_bytes = 100;
  world in(how);
  dice chance = in.stream("network");
  const auto line = std::make_shared<connection>(in, chance);
  net::asio::io_context context{1};
  const auto end = line->accept(context);
  const std::string bytes(80, 'x');
  net::error_code ec;
  CHECK(end->write_some({net::asio::buffer(bytes), {}}, ec) == 80);
  CHECK(end->write_some({net::asio::buffer(bytes), {}}, ec) == 20);
  CHECK(end->write_some({net::asio::buffer(bytes), {}}, ec) == 0);
  CHECK(ec == net::asio::error::would_block);
  in.clock.pass(1s);
  while (in.to_come.turn(in.now())) {
  }
  CHECK(line->receive(30).size() == 30);
  CHECK(end->write_some({net::asio::buffer(bytes), {}}, ec) == 30);
}

TEST_CASE("an answer is read however its bytes come", "[sim]") {
  const std::string bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                            "Transfer-Encoding: chunked\r\n\r\n"
                            "b\r\ndata: one\n\n\r\n13\r\n:silence\n\ndata: two\r\n2\r\n\n\n\r\n"
                            "0\r\n\r\n";
  for (std::size_t size : {1U, 7U, 1'000U}) {
    http_reader reader;
    std::vector<std::string> events;
    std::vector<std::string> bodies;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      reader.add(std::string_view(bytes).substr(at, size));
      for (int answers = 0; answers < 2; ++answers) {
        for (auto& each : reader.take_events())
          events.push_back(std::move(each));
        if (reader.is_complete() && bodies.empty()) {
          bodies.push_back(reader.body());
          reader.begin_next();
        }
      }
    }
    CHECK(bodies == std::vector<std::string>{"hello"});
    CHECK(events == std::vector<std::string>{"one", "two"});
    CHECK(reader.is_complete());
  }
}
