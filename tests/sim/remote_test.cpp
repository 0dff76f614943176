// The far ends of a world: what remote agents read and write, and the sockets of the server.
#include "tests/support/catch.hpp"

#include <array>
#include <memory>
#include <string>

#include <unistd.h>

#include "sim/outbound.hpp"
#include "sim/remote_wire.hpp"
#include "sim/world.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::sim;

TEST_CASE("a remote agent reads requests of both versions, however their bytes come", "[sim]") {
  const std::string body =
      R"({"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m"}}})";
  const std::string bytes = "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: a\r\n\r\n"
                            "POST / HTTP/1.1\r\nidempotency-key: \"k\"\r\nContent-Length: "
                            + std::to_string(body.size()) + "\r\n\r\n" + body;
  std::string unread;
  std::vector<remote_request> all;
  for (const char each : bytes) {
    unread += each;
    while (auto one = take_request(unread))
      all.push_back(std::move(*one));
  }
  CHECK(unread.empty());
  REQUIRE(all.size() == 2);
  CHECK(all[0].is_card);
  CHECK_FALSE(all[1].is_card);
  CHECK(all[1].method == "SendMessage");
  CHECK(all[1].key == "\"k\"");
  CHECK(all[1].params.contains("message"));
}

TEST_CASE("a remote agent writes states as its version names them", "[sim]") {
  remote_view task;
  task.id = "t";
  task.context = "c";
  task.state = "TASK_STATE_INPUT_REQUIRED";
  CHECK(status_event(task, remote_version::v1_0).find("TASK_STATE_INPUT_REQUIRED")
        != std::string::npos);
  CHECK(status_event(task, remote_version::v0_3).find(R"("state":"input-required")")
        != std::string::npos);
  CHECK(stream_event_bytes("x") == "9\r\ndata: x\n\n\r\n");
}

TEST_CASE("what the server writes to a socket reaches the remote agent, and the other way round",
          "[sim]") {
  settings how;
  how.latency_max = 10ms;
  how.piece_bytes_max = 3;
  world in(how);
  std::shared_ptr<connection> far;
  in.dial_out = [&](const std::string& host, const std::shared_ptr<connection>& from) {
    far = from;
    return host == "192.0.2.1";
  };
  outbound line(in);
  const auto url = parse_http_url("http://192.0.2.1/");
  REQUIRE(url.has_value());
  const auto socket = line.connect(*url);
  REQUIRE(socket.has_value());
  REQUIRE(::write(*socket, "question", 8) == 8);
  far->send("answer");
  CHECK(line.turn(true));
  while (const auto due = in.to_come.next_due()) {
    in.clock.pass(std::max(*due - in.now(), nanoseconds{0}));
    in.to_come.turn(in.now());
    static_cast<void>(line.turn(true));
  }
  CHECK(far->receive(100) == "question");
  std::array<char, 16> buffer;
  CHECK(::read(*socket, buffer.data(), buffer.size()) == 6);
  ::close(*socket);
  CHECK(line.turn(true));
  CHECK_FALSE(line.turn(true));
  CHECK_FALSE(line.connect(*parse_http_url("http://192.0.2.9/")).has_value());
}

TEST_CASE("names are found or not, as the seed has drawn, and always once faults have ended",
          "[sim]") {
  settings how;
  how.dead_names = 1;
  world in(how);
  outbound line(in);
  CHECK_FALSE(line.look_up("r1.example").has_value());
  in.is_calm = true;
  CHECK(line.look_up("r1.example").value() == std::vector<std::string>{"10.0.0.1"});
}
