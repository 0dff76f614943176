// TLS on the descriptor of a socket that does not block. Between two records it holds no buffer of
// bytes (SSL_MODE_RELEASE_BUFFERS): a connection that waits costs what OpenSSL knows of it, some
// 18 KB. Asio's `ssl::stream` keeps 66 KB of buffers besides.
#pragma once

#include "client/io.hpp"

#include <boost/asio/ssl/context.hpp>

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace troupe::net {

class tls_connection {
public:
  /// `socket`: a descriptor that outlives it. `host`: a name or an address, with which the other
  /// side's certificate must fit; a name is also told to it (RFC 6066 section 3). Null: OpenSSL
  /// does not take the name.
  [[nodiscard]] static std::unique_ptr<tls_connection> make(asio::ssl::context& by, int socket,
                                                            const std::string& host);

  // Each does what can be done at once. Errors: asio::error::would_block (to be called again when
  // the socket can be read, or written if `wants_to_write`), asio::error::eof (ended by the other
  // side), asio::ssl::error::stream_truncated (its connection ended without that), those of TLS and
  // of the socket.

  void shake_hands(error_code& failed);
  [[nodiscard]] std::size_t read_some(std::span<char> into, error_code& failed);
  /// Takes a part of `bytes`, one at least.
  [[nodiscard]] std::size_t write_some(std::string_view bytes, error_code& failed);

  [[nodiscard]] bool wants_to_write() const noexcept { return wants_to_write_; }
  /// A read may get something of which the socket shows nothing any more.
  [[nodiscard]] bool has_more() const noexcept;

private:
  /// What OpenSSL reads from and writes to.
  struct descriptor {
    int socket = -1;
    int failed = 0;         ///< `errno` of the last read or write; 0: none.
    bool is_drained = true; ///< The last read got less than it asked for.
  };
  struct closer {
    void operator()(SSL* which) const noexcept { SSL_free(which); }
  };
  struct bytes_below;

  explicit tls_connection(SSL* own) : ssl_(own) {}
  [[nodiscard]] error_code why(int result);

  descriptor below_;
  std::unique_ptr<SSL, closer> ssl_;
  bool wants_to_write_ = false;
  bool is_blocked_ = false; ///< What is here is not enough for a read.
};

} // namespace troupe::net
