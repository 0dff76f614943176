// The listening socket: accepts on the first loop and deals connections out to all loops in turn.
// One socket, not one per thread with SO_REUSEPORT: a second server on the same port must fail to
// start, not take half of the connections.
#pragma once

#include "client/io.hpp"
#include "net/http/accept_failures.hpp"
#include "net/http/http_service.hpp"
#include "net/http/loop.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::net {

class listener {
public:
  listener(std::shared_ptr<http_service> service, std::vector<std::unique_ptr<loop>>& loops);

  /// Binds and listens. Errors: unavailable, with address, port and what to do.
  [[nodiscard]] result<std::uint16_t> open();
  /// Accepts from now on.
  void start();
  /// Accepts no more. On the first loop's thread, or before `start`.
  void close();

private:
  using tcp_acceptor = asio::basic_socket_acceptor<asio::ip::tcp, io_executor>;

  [[nodiscard]] awaitable<void> accept_all();
  void warn(const std::string& line) const;

  std::shared_ptr<http_service> service_;
  std::vector<std::unique_ptr<loop>>& loops_;
  tcp_acceptor acceptor_;
  timer pause_; ///< Between two attempts to accept.
  accept_failures accept_failures_;
  std::string name_; ///< `address:port`.
  std::size_t next_ = 0;
};

} // namespace troupe::net
