// `remote_agent` against a server that answers from a script, on one thread and by a clock that the
// test turns.
#pragma once

#include "client/remote_agent/tool.hpp"
#include "tests/client/remote_agent/contract.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/push_receiver.hpp"

#include <boost/asio/co_spawn.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::testing {

/// An answer with JSON in it.
inline std::string json_answer(const std::string& body, const std::string& headers = {},
                               int status = 200) {
  return answer_text(status, "Content-Type: application/json\r\n" + headers, body);
}
/// Of JSON-RPC.
inline std::string rpc_answer(const std::string& result) {
  return json_answer(R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}");
}
inline std::string rpc_refusal(int code, const std::string& message) {
  return json_answer(R"({"jsonrpc":"2.0","id":1,"error":{"code":)" + std::to_string(code)
                     + R"(,"message":")" + message + R"("}})");
}
/// A stream of these events, which then ends.
inline std::string stream_answer(const std::vector<std::string>& events) {
  std::string body;
  for (const auto& each : events)
    body += "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + each + "}\n\n";
  return answer_text(200, "Content-Type: text/event-stream\r\n", body);
}

/// A card of 0.3 over JSON-RPC.
inline std::string card_text(const push_receiver& of, bool streams = true) {
  return R"({"name":"Support Agent","description":"Helps.","version":"1","protocolVersion":"0.3.0",)"
         R"("url":")"
         + of.url("/rpc") + R"(","preferredTransport":"JSONRPC","capabilities":{"streaming":)"
         + std::string(streams ? "true" : "false")
         + R"(},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]})";
}

inline std::string task_text(const std::string& state, const std::string& id = "task-456") {
  return R"({"kind":"task","id":")" + id + R"(","contextId":"ctx-456","status":{"state":")" + state
         + R"("}})";
}
inline std::string status_text(const std::string& state, bool is_final) {
  return R"({"kind":"status-update","taskId":"task-456","contextId":"ctx-456","status":{"state":")"
         + state + R"("},"final":)" + std::string(is_final ? "true" : "false") + "}";
}
inline const std::string message_text =
    R"({"kind":"message","messageId":"m","role":"agent","contextId":"ctx-1","parts":[{"kind":"text","text":"Hello"}]})";

class tool_bed {
  std::unique_ptr<push_receiver> held_;

public:
  /// `more`: further members of the settings, beginning with a comma.
  explicit tool_bed(const std::string& more = {})
      : held_(std::make_unique<push_receiver>()), server(*held_) {
    make(settings_of(R"({"targets":[{"alias":"support","baseUrl":")" + server.url("/")
                     + R"(","default":true}])" + more + "}"));
  }
  explicit tool_bed(remote_agent::settings known,
                    std::unique_ptr<push_receiver> at = std::make_unique<push_receiver>())
      : held_(std::move(at)), server(*held_) {
    make(std::move(known));
  }
  ~tool_bed() {
    tool_ = nullptr;
    clock_->close();
  }
  tool_bed(const tool_bed&) = delete;
  tool_bed& operator=(const tool_bed&) = delete;

  /// The answer. Once there were so many requests and updates, `each_turn` passes again and again.
  boost::json::object ask(const std::string& request, std::chrono::milliseconds each_turn = {},
                          std::size_t requests = 0, std::size_t heard = 0) {
    updates.clear();
    std::optional<boost::json::object> out;
    net::asio::co_spawn(
        context_,
        [this, &request] {
          return tool_->call(tree(request),
                             [this](const boost::json::object& news) { updates.push_back(news); });
        },
        [&](std::exception_ptr, boost::json::object answer) { out = std::move(answer); });
    const bool has_answered = comes_true([&] {
      if (server.received().size() >= requests && updates.size() >= heard)
        time.pass(each_turn);
      clock_->turn();
      context_.restart();
      context_.poll();
      return out.has_value();
    });
    if (!has_answered)
      throw std::runtime_error("the call does not end");
    return std::move(*out);
  }
  /// The JSON of the n-th request.
  [[nodiscard]] boost::json::value sent(std::size_t index) const {
    return tree(server.received().at(index).body);
  }
  [[nodiscard]] remote_agent::tool& tool() { return *tool_; }

  hand_time time{timestamp{std::chrono::hours{24 * 365 * 50}}};
  push_receiver& server;
  std::vector<boost::json::object> updates;

private:
  void make(remote_agent::settings known) {
    tool_ = std::make_unique<remote_agent::tool>(context_, clock_, std::move(known));
  }

  net::asio::io_context context_;
  net::timers_ptr clock_ = std::make_shared<net::timers>(context_, time);
  std::unique_ptr<remote_agent::tool> tool_;
};

} // namespace troupe::testing
