// Host names to addresses without blocking the loop: a few threads of its own ask the system.
// Asio's resolver has one thread, which a single name server that does not answer would hold up for
// all. One look-up at a time for each host, so that a host whose name servers are dead has
// one of the threads and not all; and none once no exchange waits for it. Hosts whose last look-up
// was prompt go first, and some threads are for them alone: many hosts with dead name servers do
// not hold them up.
//
// A step machine: `turn` looks one host up. After `start`, threads take the turns.
#pragma once

#include "client/http_client.hpp"
#include "client/io.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time_source.hpp>

#include <functional>
#include <memory>
#include <string>

namespace troupe::net {

class name_resolver {
public:
  /// Runs a thread's life on a new thread. Throws std::system_error if there can be none.
  using thread_starter = std::function<void(std::function<void()> life)>;

  /// `ask`: the system's resolver if empty. `time` outlives every look-up. `start_thread`: for
  /// tests; a std::thread if empty.
  name_resolver(asio::io_context& home, const time_source& time,
                std::function<result<addresses>(const std::string&)> ask,
                thread_starter start_thread = {});
  ~name_resolver() { close(); }
  name_resolver(const name_resolver&) = delete;
  name_resolver& operator=(const name_resolver&) = delete;

  /// From now on threads take the turns, as many as are needed up to a bound; none before the first
  /// look-up.
  void start();
  /// Looks the next host up and waits for the answer; false if there is none to look up.
  bool turn();
  /// Answers go nowhere from now on; does not wait for questions under way. Call before the loop
  /// goes.
  void close();
  /// `done` runs on the loop, or is destroyed on any thread: the host is not looked up if that has
  /// not begun at `until`. Joins a look-up of the same host that waits or is under way.
  /// errc::unavailable if there is no such host.
  void resolve(std::string host, time_point until, std::function<void(result<addresses>)> done);
  /// Whether a look-up of the host is under way; false while it waits for a thread.
  [[nodiscard]] bool is_asking(const std::string& host) const;

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace troupe::net
