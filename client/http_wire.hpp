// One TCP connection, with TLS or without.
#pragma once

#include "client/io.hpp"

#include <boost/asio/ssl.hpp>

#include <cerrno>
#include <variant>

#include <sys/socket.h>

namespace troupe::net {

using tls_socket = boost::asio::ssl::stream<tcp_socket>;

struct http_wire {
  std::variant<tcp_socket, tls_socket> stream;

  [[nodiscard]] tcp_socket& socket() {
    if (auto* tls = std::get_if<tls_socket>(&stream))
      return tls->next_layer();
    return std::get<tcp_socket>(stream);
  }
  void close() {
    error_code ignored;
    socket().close(ignored);
  }
  /// Between two exchanges: the other side has closed it, or has sent what nobody asked for.
  [[nodiscard]] bool is_stale() {
    char byte = 0;
    const auto got = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  }
};

} // namespace troupe::net
