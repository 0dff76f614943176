// HTTP/1.1 requests to others, over TCP or TLS: resolve, check, connect to what was checked, ask, read a bounded answer. Redirects are
// answers like any other and never followed. For push notifications now, and for whoever else asks others later.
//
// Everything here belongs to the thread that runs the io_context.
#pragma once

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/io.hpp"
#include "protocol/errc.hpp"
#include "protocol/http_url.hpp"

namespace troupe::net {

using addresses = std::vector<asio::ip::address>;

struct http_client_options {
  std::chrono::milliseconds timeout{15'000};   ///< For one exchange, from the name's resolution to the answer's end.
  std::size_t answer_bytes_max = 64 * 1024;    ///< Of the answer's body; the rest is dropped with the connection.
  std::string trusted_pem;                     ///< Certificates believed beside the system's.
  /// Whether a connection to an address of a URL's host may be made; empty: every one. Asked for all addresses of the host, and one
  /// that is refused refuses the exchange.
  std::function<result<void>(const http_url&, const asio::ip::address&)> admit;
  /// In place of the system's resolver; for tests. Called on a thread that may wait.
  std::function<result<addresses>(const std::string& host)> resolve;
};

struct outbound_request {
  std::string method = "POST";
  std::vector<std::pair<std::string, std::string>> headers; ///< Besides Host and Content-Length.
  std::string body;
};

struct outbound_answer {
  unsigned status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body; ///< Cut at answer_bytes_max.

  /// The first of that name, in any case; empty if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

class http_client {
public:
  /// Errors: invalid_params (`trusted_pem`).
  [[nodiscard]] static result<std::unique_ptr<http_client>> make(asio::io_context& context, http_client_options options);
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  struct parts; ///< What connections share; net/http_client.cpp.

private:
  friend class http_connection;
  explicit http_client(std::shared_ptr<parts> shared) : shared_(std::move(shared)) {}

  std::shared_ptr<parts> shared_;
};

/// One connection at a time to one host, made when first needed and again when the other side has closed it.
class http_connection {
public:
  http_connection(const http_client& home, http_url to);
  ~http_connection();
  http_connection(const http_connection&) = delete;
  http_connection& operator=(const http_connection&) = delete;

  /// One at a time; `target` of the URL is asked. Errors: invalid_params (an address was refused), timed_out, unavailable (no such
  /// host, no connection, a certificate that does not fit, an answer that is none), canceled (closed meanwhile), overloaded (too much was to be
  /// looked up here, so that nobody was asked for the host's address).
  [[nodiscard]] awaitable<result<outbound_answer>> exchange(outbound_request what);
  /// Ends what is under way.
  void close();

private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

} // namespace troupe::net
