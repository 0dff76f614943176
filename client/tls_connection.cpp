#include "client/tls_connection.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <cerrno>

#include <sys/socket.h>

namespace troupe::net {

/// The functions of a BIO. OpenSSL's own for sockets would raise SIGPIPE.
struct tls_connection::bytes_below {
  static descriptor& of(BIO* bio) { return *static_cast<descriptor*>(BIO_get_data(bio)); }

  /// The result of a system call, as a BIO says it.
  static int told(BIO* bio, ssize_t result, int retry) {
    BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    of(bio).failed = result < 0 ? errno : 0;
    if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
      BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
    return static_cast<int>(result);
  }
  static int read(BIO* bio, char* into, int bytes) {
    const auto got = ::recv(of(bio).socket, into, static_cast<std::size_t>(bytes), 0);
    const auto out = told(bio, got, BIO_FLAGS_READ);
    of(bio).is_drained = out < bytes;
    return out;
  }
  static int write(BIO* bio, const char* from, int bytes) {
    return told(bio, ::send(of(bio).socket, from, static_cast<std::size_t>(bytes), MSG_NOSIGNAL),
                BIO_FLAGS_WRITE);
  }
  static long control(BIO*, int which, long, void*) { return which == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO* make(descriptor& on) {
    static BIO_METHOD* const functions = [] {
      auto* out = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
      BIO_meth_set_read(out, &read);
      BIO_meth_set_write(out, &write);
      BIO_meth_set_ctrl(out, &control);
      return out;
    }();
    auto* out = BIO_new(functions);
    BIO_set_data(out, &on);
    BIO_set_init(out, 1);
    return out;
  }
};

std::unique_ptr<tls_connection> tls_connection::make(asio::ssl::context& by, int socket,
                                                     const std::string& host) {
  std::unique_ptr<tls_connection> out(new tls_connection(SSL_new(by.native_handle())));
  auto* ssl = out->ssl_.get();
  if (ssl == nullptr)
    return nullptr;
  out->below_.socket = socket;
  auto* below = bytes_below::make(out->below_);
  SSL_set_bio(ssl, below, below);
  SSL_set_connect_state(ssl);
  // A write that would block is repeated with the same bytes, from wherever they are then.
  SSL_ctrl(ssl, SSL_CTRL_MODE,
           SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
               | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER,
           nullptr);
  SSL_set_read_ahead(ssl, 1); // else each record costs two reads
  error_code no_address;
  asio::ip::make_address(host, no_address);
  if (!no_address)
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1 ? std::move(out)
                                                                                 : nullptr;
  auto name = host; // the macro SSL_set_tlsext_host_name, without its C cast
  const bool is_named =
      SSL_set1_host(ssl, host.c_str()) == 1
      && SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1;
  return is_named ? std::move(out) : nullptr;
}

error_code tls_connection::why(int result) {
  const auto kind = SSL_get_error(ssl_.get(), result);
  wants_to_write_ = kind == SSL_ERROR_WANT_WRITE;
  is_blocked_ = wants_to_write_ || kind == SSL_ERROR_WANT_READ;
  switch (kind) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return asio::error::would_block;
    case SSL_ERROR_ZERO_RETURN: return asio::error::eof;
    case SSL_ERROR_SYSCALL:
      if (below_.failed != 0)
        return {below_.failed, boost::system::system_category()};
      return asio::ssl::error::stream_truncated;
    default: break;
  }
  const auto code = ERR_get_error();
  if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
    return asio::ssl::error::stream_truncated;
  return {static_cast<int>(code), asio::error::get_ssl_category()};
}

void tls_connection::shake_hands(error_code& failed) {
  ERR_clear_error();
  const auto result = SSL_do_handshake(ssl_.get());
  failed = result == 1 ? error_code{} : why(result);
}

std::size_t tls_connection::read_some(std::span<char> into, error_code& failed) {
  ERR_clear_error();
  std::size_t out = 0;
  const auto result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &out);
  is_blocked_ = false;
  failed = result == 1 ? error_code{} : why(result);
  return out;
}

std::size_t tls_connection::write_some(std::string_view bytes, error_code& failed) {
  ERR_clear_error();
  std::size_t out = 0;
  const auto result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &out);
  failed = result == 1 ? error_code{} : why(result);
  return out;
}

bool tls_connection::has_more() const noexcept {
  return !is_blocked_ && (!below_.is_drained || SSL_has_pending(ssl_.get()) == 1);
}

} // namespace troupe::net
