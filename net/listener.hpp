// The listening socket: accepts on the first loop and deals connections out to all loops in turn. One socket, not one per thread with
// SO_REUSEPORT: a second server on the same port must fail to start, not take half of the connections.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/io.hpp"
#include "net/loop.hpp"
#include "net/server_state.hpp"
#include "protocol/errc.hpp"

namespace troupe::net {

class listener {
public:
  listener(std::shared_ptr<server_state> server, std::vector<std::unique_ptr<loop>>& loops);

  /// Binds and listens. Errors: unavailable, with address, port and what to do.
  [[nodiscard]] result<std::uint16_t> open();
  /// Accepts from now on.
  void start();
  /// Accepts no more. On the first loop's thread, or before `start`.
  void close();

private:
  using tcp_acceptor = asio::basic_socket_acceptor<asio::ip::tcp, io_executor>;

  [[nodiscard]] awaitable<void> accept_all();
  void welcome(loop& home, tcp_socket socket);

  std::shared_ptr<server_state> server_;
  std::vector<std::unique_ptr<loop>>& loops_;
  tcp_acceptor acceptor_;
  std::size_t next_ = 0;
};

} // namespace troupe::net
