// A whole server for a test: memory store, actors, agents, sockets on a free port. The agent
// `puppet` does what the test says, when it says it, so that no test has to wait for time to pass.
#pragma once

#include "tests/support/comes_true.hpp"
#include "tests/support/http_client.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>
#include <troupe/net/server.hpp>
#include <troupe/store/store.hpp>

#include <boost/json/value.hpp>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::testing {

/// Every task of it runs until the test reports its end.
class puppet_agent final : public agent {
public:
  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  /// The port of the n-th task that began; waits for it.
  [[nodiscard]] agent_port_ptr port(std::size_t index);
  /// What the n-th task that began was asked to do; waits for it.
  [[nodiscard]] order_ptr asked(std::size_t index);
  /// What the n-th input to any task said; waits for it.
  [[nodiscard]] std::string input(std::size_t index);
  void note_input(std::string text);

private:
  std::mutex lock_;
  std::condition_variable more_;
  std::vector<agent_port_ptr> ports_;
  std::vector<order_ptr> orders_;
  std::vector<std::string> inputs_;
};

class net_bed {
public:
  /// `keeps`: null = a memory store. `add_more` adds agents beside the built-in ones and `puppet`.
  explicit net_bed(server_options options = {}, const std::string& default_agent = "echo",
                   std::unique_ptr<store> keeps = nullptr, executor_options how = {},
                   const std::function<void(net_bed&)>& add_more = nullptr);

  [[nodiscard]] http_client connect(int receive_bytes = 0) const {
    return http_client(port, receive_bytes);
  }
  /// The answer to one JSON-RPC request on a connection of its own, parsed.
  [[nodiscard]] boost::json::value call(std::string_view body,
                                        std::string_view headers = "A2A-Version: 1.0\r\n") const;
  /// Calls `method` with `params` (JSON); the result, or throws with the error.
  [[nodiscard]] boost::json::value result_of(std::string_view method,
                                             std::string_view params) const;
  /// The error of the same.
  [[nodiscard]] boost::json::value error_of(std::string_view method, std::string_view params) const;

  std::unique_ptr<store> records;
  std::shared_ptr<puppet_agent> puppet;
  agent_registry agents;
  std::unique_ptr<gateway> main_gateway;
  std::unique_ptr<server> web;
  std::uint16_t port = 0;
};

/// `{"jsonrpc":"2.0","id":1,"method":...,"params":...}`
[[nodiscard]] std::string rpc(std::string_view method, std::string_view params,
                              std::string_view id = "1");
/// Params of SendMessage with one text part; `more`: further members, beginning with a comma.
[[nodiscard]] std::string text_message(std::string_view text, std::string_view more_in_message = {},
                                       std::string_view more_in_params = {});
/// `value.at_pointer(path)` as text; strings without quotes. "(none)" if there is nothing.
[[nodiscard]] std::string at(const boost::json::value& value, std::string_view path);

} // namespace troupe::testing
