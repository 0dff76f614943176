// The gateway actor of a loop dies while requests wait: their clients are told so, the connection
// and the task go on.
#include "actors/manual_clock.hpp"
#include "net/http/session.hpp"
#include "net/server_state.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

using local_socket = asio::basic_stream_socket<asio::local::stream_protocol, io_executor>;

/// A server in one thread's hand, with two loops and a connection to each.
struct turned_server {
  turned_server() {
    agents.add("puppet", puppet);
    agents.default_agent = "puppet";
    how.by_hand = &clock;
    main_gateway = std::make_unique<gateway>(*records, agents, how);
    main_gateway->start();
    state = std::make_shared<server_state>(*main_gateway, server_options{});
    for (auto* each : {&home, &second})
      each->attach(*main_gateway);
    connect(home, theirs);
    connect(second, on_second);
  }
  ~turned_server() {
    for (auto* each : {&home, &second}) {
      each->turn();
      each->abort_sessions();
      each->turn();
    }
  }
  turned_server(const turned_server&) = delete;
  turned_server& operator=(const turned_server&) = delete;

  void connect(loop& to, local_socket& from) {
    local_socket ours(to.context());
    asio::local::connect_pair(ours, from);
    from.non_blocking(true);
    welcome(state, to, std::make_unique<socket_stream<local_socket>>(std::move(ours)), {});
  }

  void send(std::string_view method, std::string_view params) { send(theirs, method, params); }
  void send(local_socket& over, std::string_view method, std::string_view params) {
    const auto body = rpc(method, params);
    const auto text = "POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: "
                      "application/json\r\nContent-Length: "
                      + std::to_string(body.size()) + "\r\n\r\n" + body;
    REQUIRE(over.write_some(asio::buffer(text)) == text.size());
    turn();
  }
  void turn() {
    for (int i = 0; i < 10; ++i) {
      home.turn();
      second.turn();
      clock.settle();
    }
  }
  /// The bytes that have arrived; empty if none have.
  std::string received() { return received(theirs); }
  static std::string received(local_socket& over) {
    std::string out(256 * 1024, ' ');
    error_code ec;
    out.resize(over.read_some(asio::buffer(out), ec));
    return out;
  }
  static boost::json::value body_of(const std::string& answer) {
    return boost::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }

  std::unique_ptr<store> records = make_memory_store();
  std::shared_ptr<puppet_agent> puppet = std::make_shared<puppet_agent>();
  agent_registry agents;
  manual_clock clock;
  executor_options how;
  std::unique_ptr<gateway> main_gateway;
  std::shared_ptr<server_state> state;
  loop home{std::chrono::milliseconds{100}, json_depth_max, system_time()};
  loop second{std::chrono::milliseconds{100}, json_depth_max, system_time()};
  local_socket theirs{home.context()};
  local_socket on_second{second.context()};
};

} // namespace

TEST_CASE("a send that waits when its gateway dies gets an error, and its task goes on",
          "[net][gateway]") {
  turned_server server;
  server.send("SendMessage", text_message("go"));
  CHECK(server.received().empty()); // it waits for its task
  const auto port = server.puppet->port(0);

  server.home.own_gateway().kill();
  server.turn();
  const auto failed = turned_server::body_of(server.received());
  CHECK(at(failed, "/error/code") == "-32603");
  CHECK_THAT(at(failed, "/error/message"), ContainsSubstring("gateway"));

  port->report(report_completed{});
  server.turn();
  CHECK(server.received().empty());
  server.send("ListTasks", "{}");
  const auto listed = turned_server::body_of(server.received());
  CHECK(at(listed, "/result/tasks/0/status/state") == "TASK_STATE_COMPLETED");

  // The successor answers on the same connection.
  server.send("SendMessage", text_message("again"));
  server.puppet->port(1)->report(report_completed{});
  server.turn();
  CHECK(at(turned_server::body_of(server.received()), "/result/task/status/state")
        == "TASK_STATE_COMPLETED");
}

TEST_CASE("a command that waits for its actor when the gateway dies gets an error, and is done",
          "[net][gateway]") {
  turned_server server;
  const auto body =
      rpc("objectives/create", R"({"name":"o","plans":[{"name":"p","tasks":[{"name":"t"}]}]})");
  const auto text =
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      + std::to_string(body.size()) + "\r\n\r\n" + body;
  REQUIRE(server.theirs.write_some(asio::buffer(text)) == text.size());
  server.home.turn(); // the actor has not had its turn
  server.home.turn();
  CHECK(server.received().empty());
  server.home.own_gateway().kill();
  server.home.turn();
  const auto failed = turned_server::body_of(server.received());
  CHECK(at(failed, "/error/code") == "-32603");

  server.turn();
  CHECK(server.received().empty());
  server.send("objectives/list", "{}");
  CHECK(at(turned_server::body_of(server.received()), "/result/totalSize") == "1");
}

TEST_CASE("a stream whose gateway dies ends with an error, its successor streams on, and its task "
          "goes on",
          "[net][gateway][stream]") {
  turned_server server;
  server.send("SendStreamingMessage", text_message("go"));
  const auto begun = server.received();
  CHECK_THAT(begun, ContainsSubstring("TASK_STATE_SUBMITTED"));
  const auto port = server.puppet->port(0);
  server.turn();
  static_cast<void>(server.received());

  server.home.own_gateway().kill();
  server.turn();
  const auto last = server.received();
  CHECK_THAT(last, ContainsSubstring("-32603") && ContainsSubstring("gateway"));
  CHECK_THAT(last, EndsWith("0\r\n\r\n")); // The stream is over, the connection is not.
  CHECK(server.state->streams == 0);

  server.send("ListTasks", "{}");
  const auto id = at(turned_server::body_of(server.received()), "/result/tasks/0/id");
  server.send("SubscribeToTask", R"({"id":")" + id + "\"}");
  CHECK_THAT(server.received(), ContainsSubstring("TASK_STATE_WORKING"));
  port->report(report_completed{});
  server.turn();
  CHECK_THAT(server.received(), ContainsSubstring("TASK_STATE_COMPLETED"));
}

TEST_CASE("the streams of a principal that may read no more end with the reason",
          "[net][gateway][stream]") {
  turned_server server;
  server.send("SendStreamingMessage", text_message("go"));
  server.turn();
  static_cast<void>(server.received());

  principal another;
  another.id = "alice";
  server.home.own_gateway().end_feeds_of(another, make_error(errc::forbidden, "no more for alice"));
  server.turn();
  CHECK(server.received().empty());

  server.home.own_gateway().end_feeds_of({}, make_error(errc::forbidden, "no more for you"));
  server.turn();
  const auto last = server.received();
  CHECK_THAT(last, ContainsSubstring("-31403") && ContainsSubstring("no more for you"));
  CHECK_THAT(last, EndsWith("0\r\n\r\n"));
  CHECK(server.state->streams == 0);
}

TEST_CASE("the streams of a principal end on every loop", "[net][gateway][stream]") {
  turned_server server;
  server.send("SendStreamingMessage", text_message("go"));
  server.send(server.on_second, "SendStreamingMessage", text_message("go"));
  server.turn();
  static_cast<void>(server.received());
  static_cast<void>(turned_server::received(server.on_second));
  REQUIRE(server.state->streams == 2);

  principal another;
  another.id = "alice";
  server.main_gateway->end_feeds_of(another, make_error(errc::forbidden, "no more for alice"));
  server.turn();
  CHECK(server.state->streams == 2);

  server.main_gateway->end_feeds_of({}, make_error(errc::forbidden, "no more for you"));
  server.turn();
  for (auto* each : {&server.theirs, &server.on_second}) {
    const auto last = turned_server::received(*each);
    CHECK_THAT(last, ContainsSubstring("no more for you") && EndsWith("0\r\n\r\n"));
  }
  CHECK(server.state->streams == 0);
}

TEST_CASE("the stream of the questions of a principal ends with its gateway, and with its reading",
          "[net][gateway][stream]") {
  turned_server server;
  server.send("inputs/subscribe", "{}");
  server.turn();
  CHECK_THAT(server.received(), ContainsSubstring("totalSize"));
  REQUIRE(server.state->streams == 1);
  std::string expected;
  SECTION("the gateway dies") {
    server.home.own_gateway().kill();
    expected = "-32603";
  }
  SECTION("the principal may read no more") {
    principal another;
    another.id = "alice";
    const auto no_more = [](const char* reason) { return make_error(errc::forbidden, reason); };
    server.main_gateway->end_feeds_of(another, no_more("no more for alice"));
    server.turn();
    CHECK(server.received().empty());
    server.main_gateway->end_feeds_of({}, no_more("no more for you"));
    expected = "no more for you";
  }
  server.turn();
  const auto last = server.received();
  CHECK_THAT(last, ContainsSubstring(expected) && EndsWith("0\r\n\r\n"));
  CHECK(server.state->streams == 0);
}
