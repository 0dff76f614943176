// A whole server on one thread: store, gateway, service, loop and push sender, put together by
// hand, without a listener. The test takes their turns and turns their clock.
#pragma once

#include "actors/manual_clock.hpp"
#include "net/http/session.hpp"
#include "net/server_state.hpp"
#include "tests/net/memory_stream.hpp"
#include "tests/support/catch.hpp"
#include <troupe/agents/register_builtin.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::testing {

/// A JSON-RPC request of A2A 1.0. `headers`: further ones, each with its end of line.
inline std::string post(std::string_view body, std::string_view headers = {}) {
  std::string out("POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: "
                  "application/json\r\n");
  out.append(headers).append("Content-Length: ");
  return out.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

/// The message "hello". `more`: further params.
inline std::string send_text(std::string_view more = "") {
  return post(R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":)"
              R"({"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]})"
              + std::string(more) + "}}");
}

inline server_options options_of(const manual_clock& clock) {
  server_options out;
  out.time = &clock;
  out.push.address.allow_http = true;
  out.push.address.allow_private = true;
  return out;
}

/// Needs a store that takes its turns in `turn_store`. The clock may be that of the store, too; if
/// null, the server has its own.
struct one_thread_server {
  /// `change`: of the options.
  explicit one_thread_server(
      store& in, std::function<void()> turn_store = [] {}, manual_clock* by = nullptr,
      const std::function<void(server_options&)>& change = [](server_options&) {})
      : records(in), store_turn(std::move(turn_store)), clock(by ? *by : own_clock) {
    register_builtin_agents(agents);
    agents.default_agent = "echo";
    executor_options how;
    how.by_hand = &clock;
    main_gateway.emplace(records, agents, how);
    main_gateway->start();
    auto options = options_of(clock);
    change(options);
    state = std::make_shared<net::server_state>(*main_gateway, std::move(options));
    REQUIRE(state->push->open().has_value());
    home.emplace(std::chrono::milliseconds{100}, net::json_depth_max, clock);
    home->attach(*main_gateway);
    pipe = connect();
  }
  ~one_thread_server() {
    pipe->hang_up();
    for (int turns = 0; turns < 100 && state->connections > 0; ++turns)
      turn();
    CHECK(state->connections == 0);
  }
  one_thread_server(const one_thread_server&) = delete;
  one_thread_server& operator=(const one_thread_server&) = delete;

  /// A further connection, from the address `peer`; empty: from none. To be hung up before the
  /// server ends.
  [[nodiscard]] std::shared_ptr<memory_pipe> connect(std::string peer = {}) {
    auto out = std::make_shared<memory_pipe>(*home);
    net::connection_facts facts;
    facts.peer = std::move(peer);
    net::welcome(state, *home, std::make_unique<memory_stream>(out), std::move(facts));
    return out;
  }

  void turn() {
    home->turn();
    clock.settle();
    store_turn();
    state->push->turn();
  }

  store& records;
  std::function<void()> store_turn;
  agent_registry agents;
  manual_clock own_clock{timestamp{std::chrono::sys_days{std::chrono::year{2030} / 1 / 1}}};
  manual_clock& clock;
  std::optional<gateway> main_gateway;
  std::shared_ptr<net::server_state> state;
  std::optional<net::loop> home;
  std::shared_ptr<memory_pipe> pipe;
};

} // namespace troupe::testing
