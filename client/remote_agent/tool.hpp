// The tool `remote_agent`: a request in, an answer out, both JSON as docs/remote-agent.md says.
// Nothing else is known to its callers: targets, credentials and policy are its settings'. `tool`
// belongs to the thread that runs the io_context; `blocking_tool` is the same for programs that
// block.
#pragma once

#include "client/a2a/a2a_client.hpp"
#include "client/io.hpp"
#include "client/remote_agent/handles.hpp"
#include "client/remote_agent/settings.hpp"
#include "client/timers.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time_source.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace troupe::remote_agent {

/// Hears what happens on the way to an answer: objects with `"phase": "update"`.
using update_handler = std::function<void(const boost::json::object&)>;

struct tool_call;

class tool {
public:
  /// Has no threads before `start`. `clock`: of the context. Pass settings on which
  /// `complete` was called.
  tool(net::asio::io_context& context, net::timers_ptr clock, settings known);
  ~tool();
  tool(const tool&) = delete;
  tool& operator=(const tool&) = delete;

  /// Names are looked up by threads from now on.
  void start() { has_threads_ = true; }
  /// Looks a name up, for a tool that was not started.
  bool turn();

  /// The answer. A failure is an answer with `"ok": false`.
  [[nodiscard]] net::awaitable<boost::json::object> call(boost::json::value asked,
                                                         update_handler on_update);

  [[nodiscard]] handles& known_handles() noexcept { return handles_; }

private:
  using client_ptr = std::shared_ptr<a2a::a2a_client>;
  friend struct tool_call;

  [[nodiscard]] result<client_ptr> client_of(const std::string& key, const a2a::target& to,
                                             bool is_known);
  [[nodiscard]] net::awaitable<boost::json::object> list();
  [[nodiscard]] net::awaitable<void> look_at(const peer& one, struct card_view& to);

  net::asio::io_context& context_;
  const net::timers_ptr clock_;
  const settings known_;
  handles handles_;
  std::map<std::string, client_ptr> clients_;
  bool has_threads_ = false;
};

class blocking_tool {
public:
  /// `time` outlives it.
  explicit blocking_tool(settings known, const time_source& time = system_time());
  ~blocking_tool();
  blocking_tool(const blocking_tool&) = delete;
  blocking_tool& operator=(const blocking_tool&) = delete;

  /// From any thread; calls take turns. `on_update` is called on the same thread.
  [[nodiscard]] boost::json::object call(boost::json::value asked, update_handler on_update = {});

  /// The handles, for a program that keeps them. Do not use them during a call.
  [[nodiscard]] handles& known_handles() noexcept;

private:
  std::mutex turn_;
  net::asio::io_context context_{1};
  net::timers_ptr clock_;
  std::unique_ptr<tool> tool_;
};

} // namespace troupe::remote_agent
