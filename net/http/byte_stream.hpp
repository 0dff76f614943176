// The bytes of one connection, both ways: all that a session knows of its transport. TCP is
// `socket_stream`; TLS or a simulated network is a further class.
//
// Reading and writing never block and never wait: they take what is there and say `would_block`.
// `wait` returns when it is useful to try again, and only the stream knows what that needs: a TLS
// stream may wait for the socket to be readable before it can write, and the other way round, or
// need not wait at all, because it holds bytes that its socket no longer has. A stream that needs
// memory for a record takes it from the loop while it works on one, so that a connection that is
// silent holds none.
//
// Everything here belongs to the loop's thread.
#pragma once

#include "client/io.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include <poll.h>

namespace troupe::net {

class byte_stream {
public:
  /// Resumes the coroutine that waits. A concrete type: waiting costs no type erasure.
  using ready_handler =
      asio::async_result<asio::use_awaitable_t<io_executor>, void()>::handler_type;
  using pieces = std::array<asio::const_buffer, 2>;

  byte_stream() = default;
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  virtual ~byte_stream() = default;

  /// Takes what is there. `ec`: would_block if that is nothing, eof after the last byte.
  [[nodiscard]] virtual std::size_t read_some(asio::mutable_buffer to, error_code& ec) = 0;
  /// Sends as much as goes at once. `ec`: would_block if that is nothing.
  [[nodiscard]] virtual std::size_t write_some(const pieces& from, error_code& ec) = 0;

  /// Calls `ready` when reading may bring something or fail; at the earliest in the loop's next
  /// turn, at the latest after `cancel` or `close`. One waits at a time.
  virtual void wait_to_read(ready_handler ready) = 0;
  /// The same for writing.
  virtual void wait_to_write(ready_handler ready) = 0;
  virtual void cancel() = 0;

  /// Tells the other side that nothing more is sent.
  virtual void shutdown_write() = 0;
  virtual void close() = 0;
  /// The other side is gone for good: it will not read either. To be asked while nothing is read.
  [[nodiscard]] virtual bool is_broken() const = 0;
};

/// Over a socket of Asio's, which stays non-blocking.
template<class Socket>
class socket_stream final : public byte_stream {
public:
  explicit socket_stream(Socket socket) : socket_(std::move(socket)) {
    error_code ignored;
    socket_.non_blocking(true, ignored);
  }

  std::size_t read_some(asio::mutable_buffer to, error_code& ec) override {
    return socket_.read_some(asio::buffer(to), ec);
  }
  std::size_t write_some(const pieces& from, error_code& ec) override {
    return socket_.write_some(from, ec);
  }
  void wait_to_read(ready_handler ready) override { wait(Socket::wait_read, std::move(ready)); }
  void wait_to_write(ready_handler ready) override { wait(Socket::wait_write, std::move(ready)); }
  void cancel() override {
    error_code ignored;
    socket_.cancel(ignored);
  }
  void shutdown_write() override {
    error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
  }
  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }
  bool is_broken() const override {
    // Asio's native_handle() is not const.
    pollfd one{const_cast<Socket&>(socket_).native_handle(), 0, 0};
    return ::poll(&one, 1, 0) == 1 && (one.revents & (POLLERR | POLLHUP)) != 0;
  }

private:
  void wait(typename Socket::wait_type direction, ready_handler ready) {
    // Reading or writing says what went wrong.
    socket_.async_wait(
        direction, [ready = std::move(ready)](const error_code&) mutable { std::move(ready)(); });
  }

  Socket socket_;
};

} // namespace troupe::net
