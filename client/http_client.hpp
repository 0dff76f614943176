// HTTP/1.1 requests to other servers, over TCP or TLS: resolve the name, check the addresses,
// connect to a checked one, send the request, read a bounded answer. A redirect is an answer like
// any other and is never followed. Push notifications and the clients of A2A agents and models use
// it.
//
// The client lends *streams* of a target, not connections: a stream is one exchange at a time. Over
// HTTP/1.1 a stream has a connection to itself while it is used, and leaves it to the next one;
// over HTTP/2 many could share one.
//
// Everything here belongs to the thread that runs the io_context.
#pragma once

#include "client/admission_queue.hpp"
#include "client/answer_memory.hpp"
#include "client/http_message.hpp"
#include "client/io.hpp"
#include "client/proxy.hpp"
#include "client/read_pace.hpp"
#include "client/timers.hpp"
#include "protocol/text/http_url.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::net {

using addresses = std::vector<asio::ip::address>;

/// Connections in use at once; what comes above waits in line, up to the time-out of its exchange.
/// None is more than `connections_target_percent` of all together.
struct connection_bounds {
  std::size_t exchanges_max = 256; ///< To one target, each for one exchange.
  /// To one target, each for an answer that is read while it comes: a delegation has one for as
  /// long as its task works.
  std::size_t streams_max = 16'384;
  std::size_t waiting_max = 10'000; ///< For one target; above: errc::overloaded at once.
};
/// All together, over the clients that share it; those that wait are counted by their targets. It
/// is less if the process may have few file descriptors: the others are for its own clients and for
/// the store.
inline constexpr std::size_t connections_in_total_max = 20'000;
inline constexpr std::size_t connections_descriptor_percent = 25;
/// Of all together, to one target: one that keeps its streams open does not take all.
inline constexpr std::size_t connections_target_percent = 25;
using connection_total = std::shared_ptr<admission_queue>;
/// How many that is of a process that may have so many descriptors; at least 16.
[[nodiscard]] std::size_t connections_of(std::uint64_t descriptors) noexcept;
/// For this process, by the hard limit of its descriptors: a server raises the soft one to that.
[[nodiscard]] connection_total make_connection_total(timers_ptr clock);

struct http_client_options {
  std::chrono::milliseconds timeout{
      15'000}; ///< For one exchange, from the name's resolution to the answer's end.
  /// Until a connection stands; the time-out begins then. Zero: it is part of the time-out.
  std::chrono::milliseconds connect_timeout{0};
  std::size_t answer_bytes_max =
      64 * 1024;           ///< Of the answer's body; the rest is dropped with the connection.
  std::string trusted_pem; ///< Certificates believed beside the system's.
  /// Whether a connection to an address of a URL's host may be made; empty: all may. It is called
  /// with every address of the host. If it refuses one, the exchange fails.
  std::function<result<void>(const http_url&, const asio::ip::address&)> admit;
  std::size_t idle_connections_max = 64; ///< Left over for the next stream, over all hosts.
  std::chrono::milliseconds idle_timeout{
      10'000}; ///< Then a connection that is left over is closed.
  /// In place of the system's resolver; for tests. Called on a thread that may wait.
  std::function<result<addresses>(const std::string& host)> resolve;
  /// In place of a connection to an address of the URL's host; for simulations. Gives a connected
  /// stream socket, which the client closes. The host is looked up before only if there is
  /// `resolve`.
  std::function<result<int>(const http_url&)> connect;
  /// Which proxy is connected to in place of a server. `admit` does not see what a proxy does.
  proxy_rules proxies{};
  connection_bounds bounds{};
  /// Shared with other clients of the loop; null: one of its own.
  connection_total total{};
  /// Where bodies of requests that are being sent and answers that are being read are counted;
  /// null: nowhere. A request for which there is no room is not sent. An answer for which there is
  /// none fails, and costs its connection.
  memory_budget_ptr memory{};
  /// Of the bytes of answers that are not whole; null: none.
  std::shared_ptr<read_pace> pace{};
  /// With which the client proves who it is over TLS, as chain and key; empty: it does not.
  std::string certificate_pem;
  std::string key_pem;
};

/// Why an exchange failed, in one word: `refused`, `reset`, `dns`, `tls`, `address` (one that may
/// not be connected to), `proxy` (it did not connect), `busy` (nothing was sent: no connection was
/// free, or there was no memory for the request), `memory` (there was none for the answer) or
/// `timeout`. Empty for errors of others.
[[nodiscard]] std::string_view cause_of(const error& why) noexcept;
/// With its cause as a detail (error::details).
[[nodiscard]] error with_cause(error why, std::string_view word);

struct tls_settings;
class http_stream;

class http_client {
public:
  /// Has no threads before `start`. `clock`: of the context. Errors: invalid_params
  /// (`trusted_pem`, `certificate_pem`, `key_pem`).
  [[nodiscard]] static result<std::unique_ptr<http_client>>
  make(asio::io_context& context, timers_ptr clock, http_client_options options);
  ~http_client();
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  /// From now on names are looked up by threads of their own.
  void start();
  /// Looks one name up, for a client that was not started; false if there is none.
  bool turn();
  /// A stream to a URL's target. To be given back, by destroying it, before the client goes.
  [[nodiscard]] std::shared_ptr<http_stream> lend(http_url to) const;
  /// Closes the connections that are left over, and keeps none from now on.
  void close();
  /// What new connections are made with from now on. Errors: as `make`; then nothing changes.
  [[nodiscard]] result<void> renew_tls(const tls_settings& settings);
  /// Connections that are left over and wait for the next stream to their host.
  [[nodiscard]] std::size_t idle_connections() const noexcept;
  /// Connections that were made so far, or were tried to be.
  [[nodiscard]] std::uint64_t connections_made() const noexcept;
  /// What is held of requests and answers; of those that a stream has handed out its reader counts
  /// the rest.
  [[nodiscard]] const answer_memory_ptr& memory() const noexcept;

  struct parts; ///< What streams share; client/http_client.cpp.

private:
  explicit http_client(std::shared_ptr<parts> shared) : shared_(std::move(shared)) {}

  std::shared_ptr<parts> shared_;
};

/// What the client lends: one exchange after the other with one target. Needs no connection before
/// the first exchange, and no buffer between two. A connection is made when none is left over, and
/// again when the other side has closed it. What has come is read into a buffer on the stack of the
/// loop's thread; a stream keeps only what its parser cannot use yet.
class http_stream {
public:
  ~http_stream();
  http_stream(const http_stream&) = delete;
  http_stream& operator=(const http_stream&) = delete;

  /// One at a time; `target` of the URL is asked. Errors: invalid_params (an address was refused),
  /// timed_out, unavailable (no such host, no connection, a certificate that does not fit, an
  /// answer that is none), canceled (closed meanwhile), overloaded (too much was to be done here:
  /// no name server was asked for the host's address, no connection was free, or there was no
  /// memory for the request or the answer), limit_exceeded (the request is longer than all that one
  /// client may hold).
  [[nodiscard]] awaitable<result<outbound_answer>> exchange(outbound_request request);
  /// Begins an exchange whose answer is read while it comes: its status and headers, with an empty
  /// body. Errors as `exchange`; the time-out is for the headers.
  [[nodiscard]] awaitable<result<outbound_answer>> begin(outbound_request request);
  /// Whether the request of the last exchange was sent as a whole: the other side may have it.
  [[nodiscard]] bool has_sent() const noexcept;
  /// What has come of the body since `begin` or the last call; empty: it has ended. Errors as
  /// `exchange`: unavailable if the connection broke, timed_out if nothing came for `silence`.
  [[nodiscard]] awaitable<result<std::string>> more(std::chrono::milliseconds silence);
  /// Bytes that were read for `more` and are no body, since this was last asked: of the heads of
  /// chunks, mostly (RFC 9112 section 7.1).
  [[nodiscard]] std::size_t take_framing_bytes() noexcept;
  /// Ends what is under way. An answer that has come as a whole leaves its connection to the next
  /// stream, also if it was not read to its end.
  void close();

private:
  friend class http_client;
  struct impl;
  explicit http_stream(std::shared_ptr<impl> inside) : impl_(std::move(inside)) {}

  std::shared_ptr<impl> impl_;
};

} // namespace troupe::net
