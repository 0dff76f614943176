// One TCP connection, with TLS or without. It has no buffer: what has come is read when it can be,
// into one of the caller's.
#pragma once

#include "client/io.hpp"
#include "client/tls_connection.hpp"

#include <boost/asio/buffer.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace troupe::net {

class http_wire {
public:
  explicit http_wire(tcp_socket socket);
  http_wire(const http_wire&) = delete;
  http_wire& operator=(const http_wire&) = delete;

  [[nodiscard]] tcp_socket& socket() noexcept { return socket_; }
  /// From now on it speaks TLS, once hands are shaken. `host`: as tls_connection::make.
  [[nodiscard]] awaitable<error_code> shake_hands(asio::ssl::context& by, std::string host);

  // Each does what can be done at once. Errors: asio::error::would_block, those of the socket, and
  // those of tls_connection.

  [[nodiscard]] std::size_t read_some(std::span<char> into, error_code& failed);
  /// `from`: a sequence of buffers, not empty.
  template<class Buffers>
  [[nodiscard]] std::size_t write_some(const Buffers& from, error_code& failed) {
    if (tls_ == nullptr || !socket_.is_open())
      return note(socket_.write_some(from, failed), failed, tcp_socket::wait_write);
    // One record for head and body, if they are short.
    std::array<char, 16 * 1024> joined; // NOLINT(cppcoreguidelines-pro-type-member-init)
    const auto bytes = asio::buffer_copy(asio::buffer(joined), from);
    return note(tls_->write_some({joined.data(), bytes}, failed), failed,
                tls_->wants_to_write() ? tcp_socket::wait_write : tcp_socket::wait_read);
  }
  /// Waits until what would have blocked can go on, and if nothing has, until something can be
  /// read. Others have their turn in between, also if bytes are here already.
  [[nodiscard]] awaitable<void> wait(error_code& failed);

  void close();
  /// Between two exchanges: the other side has closed it, or has sent what nobody asked for.
  [[nodiscard]] bool is_stale();

private:
  /// Keeps what is waited for: `then`, if the call would have blocked.
  std::size_t note(std::size_t bytes, const error_code& failed, tcp_socket::wait_type then) {
    awaits_ = failed == asio::error::would_block ? then : tcp_socket::wait_read;
    return bytes;
  }

  tcp_socket socket_;
  std::unique_ptr<tls_connection> tls_; ///< Null: plain.
  tcp_socket::wait_type awaits_ = tcp_socket::wait_read;
};

} // namespace troupe::net
