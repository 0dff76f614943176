#include "client/http_wire.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>

#include <cerrno>
#include <utility>

#include <sys/socket.h>

namespace troupe::net {

http_wire::http_wire(tcp_socket socket) : socket_(std::move(socket)) {
  error_code ignored; // a socket that is closed already says so when it is read
  socket_.non_blocking(true, ignored);
}

awaitable<error_code> http_wire::shake_hands(asio::ssl::context& by, std::string host) {
  tls_ = tls_connection::make(by, socket_.native_handle(), host);
  if (tls_ == nullptr)
    co_return asio::error::invalid_argument;
  error_code failed;
  for (;;) {
    tls_->shake_hands(failed);
    if (failed != asio::error::would_block)
      co_return failed;
    awaits_ = tls_->wants_to_write() ? tcp_socket::wait_write : tcp_socket::wait_read;
    co_await socket_.async_wait(awaits_, asio::redirect_error(use_awaitable, failed));
    if (failed)
      co_return failed;
  }
}

std::size_t http_wire::read_some(std::span<char> into, error_code& failed) {
  if (tls_ == nullptr || !socket_.is_open())
    return note(socket_.read_some(asio::buffer(into.data(), into.size()), failed), failed,
                tcp_socket::wait_read);
  return note(tls_->read_some(into, failed), failed,
              tls_->wants_to_write() ? tcp_socket::wait_write : tcp_socket::wait_read);
}

awaitable<void> http_wire::wait(error_code& failed) {
  failed = {};
  if (tls_ != nullptr && awaits_ == tcp_socket::wait_read && tls_->has_more())
    return asio::post(socket_.get_executor(), use_awaitable);
  return socket_.async_wait(awaits_, asio::redirect_error(use_awaitable, failed));
}

void http_wire::close() {
  error_code ignored;
  socket_.close(ignored);
}

bool http_wire::is_stale() {
  char byte = 0;
  const auto got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

} // namespace troupe::net
