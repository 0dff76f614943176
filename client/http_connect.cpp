#include "client/http_stream.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <utility>

namespace troupe::net {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ip = boost::asio::ip;

/// A connection that was used so short ago takes a request that may not be sent twice: servers keep
/// an unused one for 5 s and longer, so that only a server that ends just now loses it.
constexpr std::chrono::milliseconds fresh_for{2'000};

std::string_view word_of(const error_code& why) {
  if (why.category() == asio::error::get_ssl_category())
    return "tls";
  return why == asio::error::connection_refused ? "refused" : "reset";
}

} // namespace

error http_stream::impl::failed(const char* text, const error_code& why) const {
  if (closed)
    return make_error(errc::canceled, "closed");
  if (expired)
    return with_cause(make_error(errc::timed_out, url.authority() + " " + text + " in "
                                                      + std::to_string(allowed.count()) + " ms"),
                      "timeout");
  return with_cause(
      make_error(errc::unavailable, url.authority() + " " + text + " (" + why.message() + ")"),
      word_of(why));
}

/// A place for a connection; `begin_connect` was called.
awaitable<result<void>> http_stream::impl::enter(admission_queue& line,
                                                 const outbound_request& request) {
  const auto until = shared->clock->now() + whole;
  place = line.enter();
  bool is_in = co_await admission_queue::wait(place, until);
  if (is_in) {
    place_in_total = shared->total->enter();
    is_in = co_await admission_queue::wait(place_in_total, until);
  }
  if (is_in) {
    if (shared->options.connect_timeout.count() > 0)
      begin_connect(request); // waiting is no part of it
    co_return result<void>{};
  }
  leave();
  if (closed)
    co_return make_error(errc::canceled, "closed");
  co_return with_cause(make_error(errc::overloaded,
                                  "no connection to " + url.authority() + " was free in "
                                      + std::to_string(whole.count()) + " ms: too many are in use"),
                       "busy");
}

void http_stream::impl::leave() {
  place_in_total.release();
  place.release();
}

awaitable<result<addresses>> http_stream::impl::find_addresses(std::string name) {
  error_code ec;
  const auto literal = ip::make_address(name, ec);
  if (!ec)
    co_return addresses{literal};
  const auto found = std::make_shared<std::optional<result<addresses>>>();
  asked = found;
  // Weak: a name server may answer when the loop is no more.
  shared->names.resolve(name, deadline, [found, weak = weak_from_this()](result<addresses> value) {
    *found = std::move(value);
    if (const auto self = weak.lock(); self && self->asked == found)
      self->waiting.wake();
  });
  co_await waiting.wait_until(deadline);
  if (*found)
    co_return std::move(**found);
  if (closed)
    co_return make_error(errc::canceled, "closed");
  const auto in_time = " in " + std::to_string(allowed.count()) + " ms";
  if (!shared->names.is_asking(name))
    co_return with_cause(
        make_error(errc::overloaded, "no look-up of " + name + " could begin" + in_time
                                         + ": those of other hosts wait for their name servers"),
        "dns");
  co_return with_cause(make_error(errc::timed_out, name + " was not resolved" + in_time), "dns");
}

/// Over the socket that is given in place of a connection.
result<void> http_stream::impl::take_given() {
  ++shared->connections_made;
  const auto socket = shared->options.connect(url);
  if (!socket)
    return with_cause(socket.error(), "refused");
  tcp_socket given(shared->context);
  given.assign(ip::tcp::v4(), *socket); // of whatever kind: it is only read and written
  wire = std::make_unique<http_wire>(std::move(given));
  return {};
}

awaitable<result<void>> http_stream::impl::connect() {
  const bool is_given = shared->options.connect != nullptr;
  if (is_given && !shared->options.resolve)
    co_return take_given();
  const auto* via = shared->options.proxies.find(url);
  const auto name = via != nullptr ? via->host : url.host;
  auto found = co_await find_addresses(name);
  if (!found) {
    const auto& why = found.error();
    co_return why.code == errc::unavailable ? with_cause(why, "dns") : why;
  }
  if (found->empty())
    co_return with_cause(make_error(errc::unavailable, name + " has no address"), "dns");
  // All of them, before the first connection: a host that mixes in an address that is not allowed
  // is not to be trusted with the rest.
  if (shared->options.admit && via == nullptr)
    for (const auto& each : *found)
      if (const auto admitted = shared->options.admit(url, each); !admitted)
        co_return with_cause(admitted.error(), "address");
  if (is_given)
    co_return take_given();
  auto left = std::move(*found);
  for (;;) {
    ++shared->connections_made;
    dialling = std::make_shared<dialler>(shared->context, shared->clock, left,
                                         via != nullptr ? via->port : url.port);
    auto got = co_await dialling->run(deadline);
    dialling = nullptr;
    if (!got.socket) {
      expired = shared->clock->now() >= deadline;
      co_return failed(url.tls ? "did not accept a TLS connection" : "did not accept a connection",
                       got.failed);
    }
    // The time that is left is shared by the addresses that are left, so that one that does not
    // speak leaves some for the next.
    const auto now = shared->clock->now();
    limit_to(now + (deadline - now) / static_cast<int>(left.size()));
    std::erase(left, got.to);
    auto ready = co_await set_up(std::move(*got.socket), via);
    if (ready && !expired)
      co_return ready;
    if (left.empty() || closed) {
      if (ready)
        co_return failed("did not accept a connection", {});
      co_return ready;
    }
    drop();
  }
}

/// Tunnel and TLS, as far as they are needed.
awaitable<result<void>> http_stream::impl::set_up(tcp_socket socket, const proxy* via) {
  error_code ec;
  socket.set_option(ip::tcp::no_delay(true), ec);
  wire = std::make_unique<http_wire>(std::move(socket));
  if (via != nullptr) {
    auto open = co_await open_tunnel(wire->socket(), *via);
    if (!open)
      co_return open;
  }
  if (!url.tls)
    co_return result<void>{};
  ec = co_await wire->shake_hands(shared->tls(), url.host);
  if (ec)
    co_return failed("did not accept a TLS connection", ec);
  co_return result<void>{};
}

awaitable<result<void>> http_stream::impl::open_tunnel(tcp_socket& socket, const proxy& via) {
  const auto bracketed = url.host.find(':') != std::string::npos ? "[" + url.host + "]" : url.host;
  const auto to = bracketed + ":" + std::to_string(url.port);
  http::request<http::empty_body> request(http::verb::connect, to, 11);
  request.set(http::field::host, to);
  if (!via.authorization.empty())
    request.set(http::field::proxy_authorization, via.authorization);
  const auto words = "the proxy " + via.host + ":" + std::to_string(via.port);
  error_code ec;
  co_await http::async_write(socket, request, asio::redirect_error(use_awaitable, ec));
  beast::flat_buffer input;
  http::response_parser<http::empty_body> parser;
  parser.header_limit(answer_header_bytes_max);
  parser.skip(true);
  if (!ec)
    co_await http::async_read_header(socket, input, parser,
                                     asio::redirect_error(use_awaitable, ec));
  if (ec && (closed || expired))
    co_return failed("was not reached over the proxy", ec);
  if (ec)
    co_return with_cause(
        make_error(errc::unavailable, words + " did not answer (" + ec.message() + ")"), "proxy");
  const auto status = parser.get().result_int();
  if (status < 200 || status >= 300 || input.size() > 0)
    co_return with_cause(make_error(errc::unavailable, words + " did not connect to " + to
                                                           + " (HTTP status "
                                                           + std::to_string(status) + ")"),
                         "proxy");
  co_return result<void>{};
}

/// A connection, one that was left over unless `fresh`; whether it was.
awaitable<result<bool>> http_stream::impl::obtain(bool may_repeat, bool fresh) {
  is_sent = false;
  is_heard = false;
  if (closed)
    co_return make_error(errc::canceled, "closed");
  if (!fresh)
    wire = shared->idle.take(host, may_repeat ? shared->options.idle_timeout : fresh_for);
  const bool reused = wire != nullptr;
  if (!reused) {
    const auto connected = co_await connect();
    if (!connected) {
      drop();
      co_return connected.error();
    }
  }
  end_connect();
  co_return reused;
}

} // namespace troupe::net
