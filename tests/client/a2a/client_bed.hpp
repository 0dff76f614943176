// A client of one agent, with its loop on the test's thread, and the agent as a script.
#pragma once

#include "client/a2a/a2a_client.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/push_receiver.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/parse.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace troupe::testing {

struct a2a_client_bed {
  /// `change`: of the target, whose URL is that of `server`.
  explicit a2a_client_bed(const std::function<void(a2a::target&)>& change = {}) {
    a2a::client_options options;
    options.to.url = server.url("");
    if (change)
      change(options.to);
    auto made = a2a::a2a_client::make(context, clock, std::move(options));
    REQUIRE(made.has_value());
    client = std::move(*made);
  }

  void turn() {
    clock->turn();
    client->turn();
    context.restart();
    context.poll();
  }
  /// Takes turns until the coroutine that `make` makes has ended; so much time passes in each.
  template<class Make>
  auto wait_for(Make make, std::chrono::milliseconds each_turn = {}) {
    using value = typename decltype(make())::value_type;
    std::optional<value> out;
    const auto ask = [&]() -> net::awaitable<void> {
      auto got = co_await make();
      out.emplace(std::move(got));
    };
    net::asio::co_spawn(context, ask(), net::asio::detached);
    const bool has_ended = comes_true([&] {
      time.pass(each_turn);
      turn();
      return out.has_value();
    });
    if (!has_ended)
      throw std::runtime_error("what was asked does not end");
    return std::move(*out);
  }
  result<agent_card> card() {
    return wait_for([this] { return client->card(); });
  }
  result<boost::json::value> get_task() {
    return wait_for([this] {
      boost::json::object params;
      params["id"] = "t";
      return client->ask(a2a::operation::get_task, std::move(params));
    });
  }
  /// A card with one interface at the server.
  [[nodiscard]] std::string card_text(const std::string& version = "1.0",
                                      const std::string& binding = "JSONRPC") const {
    return answer_text(200, {},
                       R"({"name": "Helper", "capabilities": {"streaming": true}, )"
                       R"("supportedInterfaces": [{"url": ")"
                           + server.url("/a2a") + R"(", "protocolBinding": ")" + binding
                           + R"(", "protocolVersion": ")" + version + R"("}]})");
  }

  hand_time time;
  push_receiver server;
  net::asio::io_context context;
  net::timers_ptr clock = std::make_shared<net::timers>(context, time);
  std::unique_ptr<a2a::a2a_client> client;
};

/// A result of JSON-RPC: a task that works.
inline std::string rpc_task(const std::string& state = "TASK_STATE_WORKING") {
  return answer_text(200, "Content-Type: application/json\r\n",
                     R"({"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":")" + state
                         + R"("}}})");
}
inline std::string rpc_error(int code) {
  return answer_text(200, "Content-Type: application/json\r\n",
                     R"({"jsonrpc":"2.0","id":1,"error":{"code":)" + std::to_string(code)
                         + R"(,"message":"no"}})");
}

} // namespace troupe::testing
