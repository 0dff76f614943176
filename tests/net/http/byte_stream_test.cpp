// A server put together by hand: no thread, no listening socket, and any stream of bytes in the
// place of TCP.
#include "actors/manual_clock.hpp"
#include "net/http/session.hpp"
#include "net/server_state.hpp"
#include "tests/support/catch.hpp"
#include <troupe/agents/register_builtin.hpp>

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <optional>
#include <string>

using namespace troupe;
using namespace troupe::net;

namespace {

using local_socket = asio::basic_stream_socket<asio::local::stream_protocol, io_executor>;

constexpr std::chrono::milliseconds sweep_interval{100};

loop make_loop() {
  return {sweep_interval, json_depth_max, system_time()};
}

std::string post(std::string_view body, std::string_view path = "/") {
  std::string out("POST ");
  out.append(path).append(" HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: "
                          "application/json\r\nContent-Length: ");
  return out.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

/// Answers every request with what is known of its connection.
class facts_service final : public http_service {
public:
  using http_service::http_service;
  awaitable<void> serve(http_exchange& exchange) override {
    const auto& facts = exchange.facts;
    exchange.responder.response().body = facts.listener + "|" + facts.peer + "|"
                                         + (facts.is_encrypted ? "encrypted" : "plain") + "|"
                                         + facts.client_certificate + "|" + exchange.request.body;
    return {};
  }
};

/// As TLS may be: it holds bytes that no socket has any more, takes a few bytes at a time, and can
/// write only after something came in.
class odd_stream final : public byte_stream {
public:
  explicit odd_stream(loop& home) : home_(home) {}

  std::string input; ///< Held: reading is possible at once.
  std::string output;
  std::optional<ready_handler> writer; ///< Waits for something to come in.
  int reads = 0;
  bool closed = false;

  std::size_t read_some(asio::mutable_buffer to, error_code& ec) override {
    ++reads;
    ec = {};
    if (input.empty() || closed) {
      ec = asio::error::would_block;
      return 0;
    }
    const auto count = std::min<std::size_t>({to.size(), input.size(), 11});
    std::copy_n(input.begin(), count, static_cast<char*>(to.data()));
    input.erase(0, count);
    return count;
  }

  std::size_t write_some(const pieces& from, error_code& ec) override {
    ec = {};
    if (!may_write_) {
      ec = asio::error::would_block;
      return 0;
    }
    may_write_ = false;
    const auto& piece = from[0].size() > 0 ? from[0] : from[1];
    const auto count = std::min<std::size_t>(piece.size(), 40);
    output.append(static_cast<const char*>(piece.data()), count);
    return count;
  }

  void wait_to_read(ready_handler ready) override {
    if (!input.empty())
      return asio::post(home_.context(), std::move(ready));
    reader_.emplace(std::move(ready));
  }
  void wait_to_write(ready_handler ready) override { writer.emplace(std::move(ready)); }

  /// Something comes in: a writer that waits may go on.
  void come_in() {
    may_write_ = true;
    if (writer)
      asio::post(home_.context(), *std::exchange(writer, std::nullopt));
  }

  void cancel() override {
    for (auto* who : {&reader_, &writer})
      if (*who)
        asio::post(home_.context(), *std::exchange(*who, std::nullopt));
  }
  void shutdown_write() override {}
  void close() override {
    closed = true;
    cancel();
  }
  bool is_broken() const override { return false; }

private:
  loop& home_;
  std::optional<ready_handler> reader_;
  bool may_write_ = false;
};

} // namespace

TEST_CASE("a server without thread and listener answers over a socket pair", "[net][http]") {
  const auto records = make_memory_store();
  agent_registry agents;
  register_builtin_agents(agents);
  agents.default_agent = "echo";
  manual_clock clock;
  executor_options how;
  how.by_hand = &clock;
  gateway main_gateway{*records, agents, how};
  main_gateway.start();
  const auto state = std::make_shared<server_state>(main_gateway, server_options{});
  auto home = make_loop();
  home.attach(main_gateway);

  local_socket ours(home.context());
  local_socket theirs(home.context());
  asio::local::connect_pair(ours, theirs);
  theirs.non_blocking(true);
  welcome(state, home, std::make_unique<socket_stream<local_socket>>(std::move(ours)), {});
  CHECK(state->connections == 1);

  const auto request = post(R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":)"
                            R"({"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}})");
  REQUIRE(theirs.write_some(asio::buffer(request)) == request.size());
  std::string answer(64 * 1024, ' ');
  std::size_t bytes = 0;
  for (int turns = 0; turns < 100 && bytes == 0; ++turns) {
    home.turn();
    clock.settle();
    error_code ec;
    bytes = theirs.read_some(asio::buffer(answer), ec);
  }
  answer.resize(bytes);
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(answer.find("TASK_STATE_COMPLETED") != std::string::npos);

  theirs.close();
  for (int turns = 0; turns < 100 && state->connections > 0; ++turns)
    home.turn();
  CHECK(state->connections == 0);
}

TEST_CASE("a stream may hold bytes that its socket has not, and need to read before it writes",
          "[net][http]") {
  const auto service = std::make_shared<facts_service>(server_options{});
  auto home = make_loop();
  auto owned = std::make_unique<odd_stream>(home);
  auto& bytes = *owned;
  connection_facts facts;
  facts.listener = "127.0.0.1:443";
  facts.peer = "127.0.0.9";
  facts.is_encrypted = true;
  facts.client_certificate = "ab";
  bytes.input = post("one") + post("two");
  welcome(service, home, std::move(owned), facts);

  for (int turns = 0; turns < 1000 && bytes.output.find("|two") == std::string::npos; ++turns) {
    home.turn();
    bytes.come_in();
  }
  const std::string head = "127.0.0.1:443|127.0.0.9|encrypted|ab|";
  const auto first = bytes.output.find(head + "one");
  CHECK(first != std::string::npos);
  CHECK(bytes.output.find(head + "two", first) != std::string::npos);

  home.turn();
  home.abort_sessions();
  home.turn();
  CHECK(service->connections == 0);
}
