#include "net/http_client.hpp"

#include "net/name_resolver.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace troupe::net {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
namespace ip = boost::asio::ip;

using plain_stream = beast::basic_stream<ip::tcp, io_executor>;
using tls_stream = ssl::stream<plain_stream>;
using timer = asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, io_executor>;

/// Interim answers (1xx, RFC 9110 15.2) passed over before the one that counts.
constexpr int interim_answers_max = 5;
constexpr std::uint32_t answer_header_bytes_max = 32 * 1024;

bool same_name(std::string_view a, std::string_view b) noexcept { return beast::iequals(a, b); }

} // namespace

std::string_view outbound_answer::header(std::string_view name) const noexcept {
  const auto found = std::ranges::find_if(headers, [&](const auto& each) { return same_name(each.first, name); });
  return found == headers.end() ? std::string_view{} : std::string_view{found->second};
}

struct http_client::parts {
  parts(asio::io_context& on, http_client_options how)
    : context(on), options(std::move(how)), names(on, options.resolve) {}

  /// What TLS connections are made with. The system's roots are read when the first one is: most never make any, and reading takes
  /// tens of milliseconds. If there are none every certificate is refused, and the exchange says so.
  [[nodiscard]] ssl::context& tls() {
    error_code ignored;
    if (!std::exchange(has_system_roots, true))
      own_roots.set_default_verify_paths(ignored);
    return own_roots;
  }

  asio::io_context& context;
  const http_client_options options;
  ssl::context own_roots{ssl::context::tls_client}; ///< Believes `trusted_pem` only, until `tls` was asked for.
  bool has_system_roots = false;
  name_resolver names;
};

result<std::unique_ptr<http_client>> http_client::make(asio::io_context& context, http_client_options options) {
  auto shared = std::make_shared<parts>(context, std::move(options));
  auto& tls = shared->own_roots;
  error_code ec;
  tls.set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, ec);
  tls.set_verify_mode(ssl::verify_peer, ec);
  if (const auto& pem = shared->options.trusted_pem; !pem.empty()) {
    tls.add_certificate_authority(asio::buffer(pem), ec);
    if (ec)
      return make_error(errc::invalid_params, "The trusted certificates cannot be read (" + ec.message() + ").");
  }
  return std::unique_ptr<http_client>(new http_client(std::move(shared)));
}

http_client::~http_client() { shared_->names.close(); }

// -- a connection ------------------------------------------------------------------------------------------------------

struct http_connection::impl : std::enable_shared_from_this<impl> {
  impl(std::shared_ptr<http_client::parts> with, http_url to)
    : shared(std::move(with)), url(std::move(to)), waiting(shared->context) {}

  awaitable<result<outbound_answer>> exchange(outbound_request what);
  awaitable<result<addresses>> find_addresses();
  awaitable<result<void>> connect();
  awaitable<error_code> connect_to(const ip::address& address, time_point until);
  template<class Stream>
  awaitable<result<outbound_answer>> ask(Stream& stream, const http::request<http::string_body>& request);
  [[nodiscard]] http::request<http::string_body> make_request(outbound_request what) const;
  void drop();

  [[nodiscard]] plain_stream* socket() {
    if (auto* tls = std::get_if<tls_stream>(&stream))
      return &tls->next_layer();
    return std::get_if<plain_stream>(&stream);
  }
  [[nodiscard]] error failed(const char* what, const error_code& why) const {
    if (closed)
      return make_error(errc::canceled, "closed");
    if (why == beast::error::timeout)
      return make_error(errc::timed_out, url.authority() + " " + what + " in "
                                           + std::to_string(shared->options.timeout.count()) + " ms");
    return make_error(errc::unavailable, url.authority() + " " + what + " (" + why.message() + ")");
  }

  std::shared_ptr<http_client::parts> shared;
  const http_url url;
  std::variant<std::monostate, plain_stream, tls_stream> stream;
  beast::flat_buffer input;
  timer waiting; ///< For a name's addresses.
  std::shared_ptr<std::optional<result<addresses>>> asked; ///< What is being waited for.
  time_point deadline{};
  bool closed = false;
};

void http_connection::impl::drop() {
  if (auto* open = socket())
    open->close();
  stream.emplace<std::monostate>();
  input.clear();
}

awaitable<result<addresses>> http_connection::impl::find_addresses() {
  error_code ec;
  const auto literal = ip::make_address(url.host, ec);
  if (!ec)
    co_return addresses{literal};
  const auto found = std::make_shared<std::optional<result<addresses>>>();
  asked = found;
  waiting.expires_at(deadline);
  // Weak: a name server may answer when the loop is no more.
  shared->names.resolve(url.host, deadline, [found, weak = weak_from_this()](result<addresses> what) {
    *found = std::move(what);
    if (const auto self = weak.lock(); self && self->asked == found)
      self->waiting.cancel();
  });
  co_await waiting.async_wait(asio::redirect_error(use_awaitable, ec));
  if (*found)
    co_return std::move(**found);
  if (closed)
    co_return make_error(errc::canceled, "closed");
  const auto in_time = " in " + std::to_string(shared->options.timeout.count()) + " ms";
  if (!shared->names.is_asking(url.host))
    co_return make_error(errc::overloaded, "no look-up of " + url.host + " could begin" + in_time
                                             + ": those of other hosts wait for their name servers");
  co_return make_error(errc::timed_out, url.host + " was not resolved" + in_time);
}

awaitable<error_code> http_connection::impl::connect_to(const ip::address& address, time_point until) {
  error_code ec;
  auto& raw = url.tls ? stream.emplace<tls_stream>(shared->context, shared->tls()).next_layer()
                      : stream.emplace<plain_stream>(shared->context);
  raw.expires_at(until);
  co_await raw.async_connect(ip::tcp::endpoint(address, url.port), asio::redirect_error(use_awaitable, ec));
  if (ec || !url.tls)
    co_return ec;
  auto& tls = std::get<tls_stream>(stream);
  error_code no_address;
  ip::make_address(url.host, no_address);
  // RFC 6066 section 3: names only. The macro SSL_set_tlsext_host_name, without its C cast.
  auto name = url.host;
  const bool named = !no_address
                     || SSL_ctrl(tls.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1;
  if (!named)
    co_return error_code(beast::errc::invalid_argument, boost::system::generic_category());
  tls.set_verify_callback(ssl::host_name_verification(url.host), ec);
  if (!ec)
    co_await tls.async_handshake(ssl::stream_base::client, asio::redirect_error(use_awaitable, ec));
  co_return ec;
}

awaitable<result<void>> http_connection::impl::connect() {
  auto found = co_await find_addresses();
  if (!found)
    co_return found.error();
  if (found->empty())
    co_return make_error(errc::unavailable, url.host + " has no address");
  // All of them, before the first connection: a host that mixes in an address that is not allowed is not to be trusted with the rest.
  if (shared->options.admit)
    for (const auto& each : *found)
      if (const auto admitted = shared->options.admit(url, each); !admitted)
        co_return admitted.error();
  error_code last;
  for (std::size_t i = 0; i < found->size() && !closed; ++i) {
    // The time that is left is shared by the addresses that are left, so that one that does not answer leaves some for the next.
    const auto now = steady_clock::now();
    const auto share = (deadline - now) / static_cast<int>(found->size() - i);
    last = co_await connect_to((*found)[i], now + share);
    if (!last)
      co_return result<void>{};
    drop();
  }
  co_return failed(url.tls ? "did not accept a TLS connection" : "did not accept a connection", last);
}

http::request<http::string_body> http_connection::impl::make_request(outbound_request what) const {
  http::request<http::string_body> out;
  out.method_string(what.method);
  out.target(url.target);
  out.version(11);
  out.set(http::field::host, url.authority());
  for (const auto& [name, value] : what.headers)
    out.insert(name, value);
  out.body() = std::move(what.body);
  out.prepare_payload();
  return out;
}

template<class Stream>
awaitable<result<outbound_answer>> http_connection::impl::ask(Stream& on,
                                                              const http::request<http::string_body>& request) {
  error_code ec;
  socket()->expires_at(deadline);
  co_await http::async_write(on, request, asio::redirect_error(use_awaitable, ec));
  if (ec)
    co_return failed("did not take the request", ec);
  for (int interim = 0; interim <= interim_answers_max; ++interim) {
    http::response_parser<http::string_body> parser;
    parser.header_limit(answer_header_bytes_max);
    parser.body_limit(shared->options.answer_bytes_max);
    if (request.method() == http::verb::head)
      parser.skip(true);
    co_await http::async_read_header(on, input, parser, asio::redirect_error(use_awaitable, ec));
    if (ec && ec != http::error::body_limit) // Said when Content-Length is above it.
      co_return failed("did not answer", ec);
    const auto status = parser.get().result_int();
    if (status >= 100 && status < 200)
      continue;
    if (!ec && !parser.is_done())
      co_await http::async_read(on, input, parser, asio::redirect_error(use_awaitable, ec));
    // The status is what matters: a body that is too long, or ends too soon, costs the connection only.
    outbound_answer out;
    out.status = status;
    for (const auto& each : parser.get())
      out.headers.emplace_back(std::string(each.name_string()), std::string(each.value()));
    const bool again = !ec && parser.get().keep_alive();
    out.body = std::move(parser.get().body());
    if (!again)
      drop();
    co_return out;
  }
  drop();
  co_return make_error(errc::unavailable, url.authority() + " gave nothing but interim answers");
}

awaitable<result<outbound_answer>> http_connection::impl::exchange(outbound_request what) {
  const auto self = shared_from_this();
  deadline = steady_clock::now() + shared->options.timeout;
  const auto request = make_request(std::move(what));
  for (bool fresh = false;;) {
    if (closed)
      co_return make_error(errc::canceled, "closed");
    if (std::holds_alternative<std::monostate>(stream)) {
      fresh = true;
      const auto connected = co_await connect();
      if (!connected) {
        drop();
        co_return connected.error();
      }
    }
    result<outbound_answer> answer{outbound_answer{}};
    if (auto* tls = std::get_if<tls_stream>(&stream))
      answer = co_await ask(*tls, request);
    else
      answer = co_await ask(std::get<plain_stream>(stream), request);
    if (answer)
      co_return answer;
    drop();
    // A connection that had been idle may have been closed by the other side just now: once more on a new one.
    if (fresh || closed || answer.error().code == errc::timed_out)
      co_return answer;
  }
}

http_connection::http_connection(const http_client& home, http_url to)
  : impl_(std::make_shared<impl>(home.shared_, std::move(to))) {}

http_connection::~http_connection() { close(); }

awaitable<result<outbound_answer>> http_connection::exchange(outbound_request what) {
  return impl_->exchange(std::move(what));
}

void http_connection::close() {
  impl_->closed = true;
  impl_->waiting.cancel();
  if (auto* open = impl_->socket())
    open->cancel();
}

} // namespace troupe::net
