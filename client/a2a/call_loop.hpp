// Requests to many agents, for a program that must not wait: one loop for all of them, on a thread
// of its own or turned by hand. What comes back is a call on the loop. Asio is not seen from here.
#pragma once

#include "client/a2a/operation.hpp"
#include "client/a2a/request.hpp"
#include "client/a2a/target.hpp"
#include "protocol/a2a/answer_reading.hpp"
#include "protocol/text/http_url.hpp"
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/protocol/time_source.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::a2a {

/// How an agent is asked.
struct line_options {
  target to;
  std::chrono::milliseconds timeout{15'000};     ///< For one exchange.
  std::chrono::milliseconds silence{120'000};    ///< A stream without a byte for so long is broken.
  std::size_t bytes_max = std::size_t{16} << 20; ///< Of an answer, and of one event of a stream.
  std::vector<std::string_view> extensions;      ///< Activated if the card offers them.
  memory_budget_ptr memory{};                    ///< client_options::memory.
  /// Refuse to connect to addresses that are not public (client/address_class.hpp).
  bool public_only = false;
};

/// An agent whose card was read.
struct known_agent {
  std::shared_ptr<const agent_card> card;
  endpoint to;
};

/// While it lives, what was asked for is under way. Its owner drops it on the loop.
using call_handle = std::shared_ptr<void>;

/// A stream that is heard. Its owner drops it on the loop; that closes the stream.
class heard_stream {
public:
  virtual ~heard_stream() = default;
  /// No event is read until `resume`; what the agent sends meanwhile waits in the connection. The
  /// end is not heard either.
  virtual void pause() = 0;
  virtual void resume() = 0;
};
using stream_handle = std::shared_ptr<heard_stream>;

/// Hears the events of a stream. `on_end` is the last call.
struct stream_listener {
  /// `bytes`: of the event, as it came.
  std::function<void(wire::answer, std::size_t bytes)> on_event;
  /// Why nothing more comes: also a clean end is an error (errc::unavailable). It says how long the
  /// agent does not want to be asked (pause_in), if that is known.
  std::function<void(error)> on_end;
};

/// One agent. Its members are for the thread of the loop. `done` is called later, on the loop,
/// once, and not after the handle was dropped.
class agent_line {
public:
  using headers = std::vector<std::pair<std::string, std::string>>;
  template<class T>
  using handler = std::function<void(result<T>)>;

  virtual ~agent_line() = default;
  /// The card, asked for as a2a_client::renew_card does. Errors: as a2a_client::where.
  [[nodiscard]] virtual call_handle look_up(handler<known_agent> done) = 0;
  /// The result of an operation that does not stream, as the agent writes it.
  [[nodiscard]] virtual call_handle ask(operation which, params_writer params, headers more,
                                        handler<boost::json::value> done) = 0;
  [[nodiscard]] call_handle ask(operation which, boost::json::object params, headers more,
                                handler<boost::json::value> done) {
    return ask(which, same_params(std::move(params)), std::move(more), std::move(done));
  }
  /// The events of an operation that streams, until the connection breaks: it is not made again.
  [[nodiscard]] virtual stream_handle listen(operation which, params_writer params, headers more,
                                             stream_listener to) = 0;
  [[nodiscard]] stream_handle listen(operation which, boost::json::object params, headers more,
                                     stream_listener to) {
    return listen(which, same_params(std::move(params)), std::move(more), std::move(to));
  }
  /// How the agent is spoken to now: another version than look_up said, if its card was wrong. What
  /// `ask` gives is in this format.
  [[nodiscard]] virtual wire::wire_format format() const = 0;
};

/// In place of the system's network, for simulations. An empty member means the real one.
struct call_seams {
  std::function<result<int>(const http_url&)> connect = {}; ///< client_options::connect.
  /// The addresses of a host, as text (client_options::resolve).
  std::function<result<std::vector<std::string>>(const std::string& host)> resolve = {};
};

class call_loop {
public:
  /// `time` outlives it.
  explicit call_loop(const time_source& time = system_time(), call_seams network = {});
  /// Ends what is under way. Handles and lines may outlive it.
  ~call_loop();
  call_loop(const call_loop&) = delete;
  call_loop& operator=(const call_loop&) = delete;

  /// From now on a thread runs the loop.
  void start();
  /// Does what can be done now, for a loop without a thread; false if there was nothing.
  bool turn();
  /// When its next timer is due, for a loop without a thread; nothing: none is.
  [[nodiscard]] std::optional<time_source::steady_point> next_due() const;

  /// From any thread: `task` is called on the loop.
  void post(std::function<void()> task);

  // -- on the loop only ----------------------------------------------------------------------------

  /// Errors: invalid_params (URL, certificates).
  [[nodiscard]] result<std::shared_ptr<agent_line>> open(line_options options);
  [[nodiscard]] call_handle after(std::chrono::nanoseconds wait, std::function<void()> then);
  [[nodiscard]] time_source::steady_point now() const;

private:
  struct parts;
  class line;
  std::unique_ptr<parts> parts_;
};

} // namespace troupe::a2a
