#include "client/http_client.hpp"

#include "client/name_resolver.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/optional/optional.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <variant>

namespace troupe::net {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
namespace ip = boost::asio::ip;

using tls_socket = ssl::stream<tcp_socket>;

/// Interim answers (1xx, RFC 9110 15.2) passed over before the one that counts.
constexpr int interim_answers_max = 5;
constexpr std::uint32_t answer_header_bytes_max = 32 * 1024;

bool same_name(std::string_view a, std::string_view b) noexcept {
  return beast::iequals(a, b);
}

constexpr std::string_view cause_begins = R"({"cause":")";
constexpr std::string_view cause_ends = R"("})";

/// With its cause as a detail (error::details).
error with_cause(error why, std::string_view word) {
  why.details = std::string(cause_begins) + std::string(word) + std::string(cause_ends);
  return why;
}

std::string_view word_of(const error_code& why) {
  if (why.category() == asio::error::get_ssl_category())
    return "tls";
  return why == asio::error::connection_refused ? "refused" : "reset";
}

} // namespace

std::string_view cause_of(const error& why) noexcept {
  std::string_view text = why.details;
  if (!text.starts_with(cause_begins) || !text.ends_with(cause_ends))
    return {};
  text.remove_prefix(cause_begins.size());
  text.remove_suffix(cause_ends.size());
  return text;
}

std::string_view outbound_answer::header(std::string_view name) const noexcept {
  const auto found =
      std::ranges::find_if(headers, [&](const auto& each) { return same_name(each.first, name); });
  return found == headers.end() ? std::string_view{} : std::string_view{found->second};
}

/// One TCP connection, with TLS or without.
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
};

struct http_client::parts : std::enable_shared_from_this<parts> {
  parts(asio::io_context& on, timers_ptr by, http_client_options how)
      : context(on), clock(std::move(by)), options(std::move(how)),
        names(on, clock->source(), options.resolve), idle_end(clock) {}

  /// What TLS connections are made with. The system's roots are read when the first one is: most
  /// never make any, and reading takes tens of milliseconds. If there are none every certificate is
  /// refused, and the exchange says so.
  [[nodiscard]] ssl::context& tls() {
    error_code ignored;
    if (!std::exchange(has_system_roots, true))
      own_roots.set_default_verify_paths(ignored);
    return own_roots;
  }

  /// A connection to the host that is left over; null if there is none.
  [[nodiscard]] std::unique_ptr<http_wire> take_idle(const std::string& host);
  void keep_idle(std::string host, std::unique_ptr<http_wire> wire);
  void end_idle();

  struct left_over {
    std::string host; ///< Scheme, host and port.
    std::unique_ptr<http_wire> wire;
    time_point until;
  };

  asio::io_context& context;
  const timers_ptr clock;
  const http_client_options options;
  ssl::context own_roots{
      ssl::context::tls_client}; ///< Believes `trusted_pem` only, until `tls` was asked for.
  bool has_system_roots = false;
  name_resolver names;
  std::deque<left_over> idle; ///< In the order in which they end.
  timer idle_end;             ///< Of the first of `idle`.
  bool keeps_idle = true;
};

std::unique_ptr<http_wire> http_client::parts::take_idle(const std::string& host) {
  const auto found = std::ranges::find(idle, host, &left_over::host);
  if (found == idle.end())
    return nullptr;
  auto out = std::move(found->wire);
  idle.erase(found);
  if (idle.empty())
    idle_end.cancel();
  return out;
}

void http_client::parts::keep_idle(std::string host, std::unique_ptr<http_wire> wire) {
  if (!keeps_idle || options.idle_connections_max == 0)
    return wire->close();
  if (idle.size() == options.idle_connections_max) {
    idle.front().wire->close();
    idle.pop_front();
  }
  idle.push_back({std::move(host), std::move(wire), clock->now() + options.idle_timeout});
  if (idle.size() == 1)
    end_idle();
}

/// Closes those whose time is up, and waits for the next one's.
void http_client::parts::end_idle() {
  while (!idle.empty() && idle.front().until <= clock->now()) {
    idle.front().wire->close();
    idle.pop_front();
  }
  if (!idle.empty())
    idle_end.start_at(idle.front().until, [this] { end_idle(); });
}

result<std::unique_ptr<http_client>> http_client::make(asio::io_context& context, timers_ptr clock,
                                                       http_client_options options) {
  auto shared = std::make_shared<parts>(context, std::move(clock), std::move(options));
  auto& tls = shared->own_roots;
  error_code ec;
  tls.set_options(
      ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, ec);
  tls.set_verify_mode(ssl::verify_peer, ec);
  if (const auto& pem = shared->options.trusted_pem; !pem.empty()) {
    tls.add_certificate_authority(asio::buffer(pem), ec);
    if (ec)
      return make_error(errc::invalid_params,
                        "the trusted certificates cannot be read: " + ec.message());
  }
  if (const auto& pem = shared->options.certificate_pem; !pem.empty()) {
    tls.use_certificate_chain(asio::buffer(pem), ec);
    if (!ec)
      tls.use_private_key(asio::buffer(shared->options.key_pem), ssl::context::pem, ec);
    if (ec)
      return make_error(errc::invalid_params,
                        "the client's certificate or key cannot be read: " + ec.message());
  }
  return std::unique_ptr<http_client>(new http_client(std::move(shared)));
}

http_client::~http_client() {
  close();
  shared_->names.close();
}

void http_client::start() {
  shared_->names.start();
}

bool http_client::turn() {
  return shared_->names.turn();
}

void http_client::close() {
  shared_->keeps_idle = false;
  shared_->idle_end.cancel();
  shared_->idle.clear();
}

std::size_t http_client::idle_connections() const noexcept {
  return shared_->idle.size();
}

// -- a stream -------------------------------------------------------------------------------------

struct http_stream::impl : std::enable_shared_from_this<impl> {
  impl(std::shared_ptr<http_client::parts> with, http_url to)
      : shared(std::move(with)), url(std::move(to)),
        host((url.tls ? "https:" : "http:") + url.host + ":" + std::to_string(url.port)),
        waiting(shared->clock), limit(shared->clock) {}

  awaitable<result<outbound_answer>> exchange(outbound_request request);
  awaitable<result<addresses>> find_addresses();
  awaitable<result<void>> connect();
  awaitable<error_code> connect_to(const ip::address& address);
  template<class Stream>
  awaitable<result<outbound_answer>> ask(Stream& on,
                                         const http::request<http::string_body>& request);
  awaitable<result<outbound_answer>> begin(outbound_request request);
  awaitable<result<std::string>> more(std::chrono::milliseconds silence);

  using answer_parser = http::response_parser<http::string_body>;
  /// An answer that is being read.
  struct begun_answer {
    beast::flat_buffer input;
    std::optional<answer_parser> parser; ///< Of the answer that counts.
    bool is_too_long = false;            ///< Its length is said, and above the limit.
  };
  /// Sends the request and reads up to the end of the headers. `bytes_max`: of the body, none for
  /// any.
  template<class Stream>
  awaitable<result<void>> ask_head(Stream& on, const http::request<http::string_body>& request,
                                   begun_answer& to, boost::optional<std::uint64_t> bytes_max);
  template<class Stream>
  awaitable<result<std::string>> read_more(Stream& on, std::chrono::milliseconds silence);
  [[nodiscard]] static outbound_answer head_of(const answer_parser& parser);
  [[nodiscard]] http::request<http::string_body> make_request(outbound_request request) const;
  void drop();
  /// What is under way is cut off at `until`.
  void limit_to(time_point until) {
    expired = false;
    limit.start_at(until, [this] {
      expired = true;
      if (wire)
        wire->close();
    });
  }
  /// From now on a connection is made, in its own time if it has one.
  void begin_connect(const outbound_request& request) {
    const auto& options = shared->options;
    whole = request.timeout.value_or(options.timeout);
    allowed = options.connect_timeout.count() > 0 ? options.connect_timeout : whole;
    deadline = shared->clock->now() + allowed;
  }
  /// It stands.
  void end_connect() {
    if (shared->options.connect_timeout.count() == 0)
      return;
    allowed = whole;
    deadline = shared->clock->now() + allowed;
  }
  [[nodiscard]] error failed(const char* text, const error_code& why) const {
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

  std::shared_ptr<http_client::parts> shared;
  const http_url url;
  const std::string host;          ///< Whose connections it shares with other streams.
  std::unique_ptr<http_wire> wire; ///< Null between two exchanges.
  timer waiting;                   ///< For a name's addresses.
  timer limit;                     ///< Of what is under way.
  std::shared_ptr<std::optional<result<addresses>>> asked; ///< What is being waited for.
  std::unique_ptr<begun_answer> begun;  ///< Of `begin`, until its body has ended.
  std::chrono::milliseconds whole{0};   ///< For the exchange that is under way.
  std::chrono::milliseconds allowed{0}; ///< Until `deadline`, for messages.
  time_point deadline{};
  bool expired = false; ///< `limit` has cut off what was under way.
  bool closed = false;
};

void http_stream::impl::drop() {
  limit.cancel();
  if (wire)
    wire->close();
  wire = nullptr;
}

awaitable<result<addresses>> http_stream::impl::find_addresses() {
  error_code ec;
  const auto literal = ip::make_address(url.host, ec);
  if (!ec)
    co_return addresses{literal};
  const auto found = std::make_shared<std::optional<result<addresses>>>();
  asked = found;
  // Weak: a name server may answer when the loop is no more.
  shared->names.resolve(url.host, deadline,
                        [found, weak = weak_from_this()](result<addresses> value) {
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
  if (!shared->names.is_asking(url.host))
    co_return with_cause(
        make_error(errc::overloaded, "no look-up of " + url.host + " could begin" + in_time
                                         + ": those of other hosts wait for their name servers"),
        "dns");
  co_return with_cause(make_error(errc::timed_out, url.host + " was not resolved" + in_time),
                       "dns");
}

awaitable<error_code> http_stream::impl::connect_to(const ip::address& address) {
  error_code ec;
  if (url.tls)
    wire = std::make_unique<http_wire>(http_wire{tls_socket(shared->context, shared->tls())});
  else
    wire = std::make_unique<http_wire>(http_wire{tcp_socket(shared->context)});
  co_await wire->socket().async_connect(ip::tcp::endpoint(address, url.port),
                                        asio::redirect_error(use_awaitable, ec));
  if (ec || !url.tls)
    co_return ec;
  auto& tls = std::get<tls_socket>(wire->stream);
  error_code no_address;
  ip::make_address(url.host, no_address);
  // RFC 6066 section 3: names only. The macro SSL_set_tlsext_host_name, without its C cast.
  auto name = url.host;
  const bool named = !no_address
                     || SSL_ctrl(tls.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
                                 TLSEXT_NAMETYPE_host_name, name.data())
                            == 1;
  if (!named)
    co_return error_code(beast::errc::invalid_argument, boost::system::generic_category());
  tls.set_verify_callback(ssl::host_name_verification(url.host), ec);
  if (!ec)
    co_await tls.async_handshake(ssl::stream_base::client, asio::redirect_error(use_awaitable, ec));
  co_return ec;
}

awaitable<result<void>> http_stream::impl::connect() {
  if (shared->options.connect) {
    const auto socket = shared->options.connect(url);
    if (!socket)
      co_return with_cause(socket.error(), "refused");
    tcp_socket given(shared->context);
    given.assign(ip::tcp::v4(), *socket); // of whatever kind: it is only read and written
    wire = std::make_unique<http_wire>(http_wire{std::move(given)});
    co_return result<void>{};
  }
  auto found = co_await find_addresses();
  if (!found) {
    const auto& why = found.error();
    co_return why.code == errc::unavailable ? with_cause(why, "dns") : why;
  }
  if (found->empty())
    co_return with_cause(make_error(errc::unavailable, url.host + " has no address"), "dns");
  // All of them, before the first connection: a host that mixes in an address that is not allowed
  // is not to be trusted with the rest.
  if (shared->options.admit)
    for (const auto& each : *found)
      if (const auto admitted = shared->options.admit(url, each); !admitted)
        co_return with_cause(admitted.error(), "address");
  error_code last;
  for (std::size_t i = 0; i < found->size() && !closed; ++i) {
    // The time that is left is shared by the addresses that are left, so that one that does not
    // answer leaves some for the next.
    const auto now = shared->clock->now();
    const auto share = (deadline - now) / static_cast<int>(found->size() - i);
    limit_to(now + share);
    last = co_await connect_to((*found)[i]);
    if (!last && !expired)
      co_return result<void>{};
    drop();
  }
  co_return failed(url.tls ? "did not accept a TLS connection" : "did not accept a connection",
                   last);
}

http::request<http::string_body> http_stream::impl::make_request(outbound_request request) const {
  http::request<http::string_body> out;
  out.method_string(request.method);
  out.target(url.target);
  out.version(11);
  out.set(http::field::host, url.authority());
  for (const auto& [name, value] : request.headers)
    out.insert(name, value);
  out.body() = std::move(request.body);
  out.prepare_payload();
  return out;
}

outbound_answer http_stream::impl::head_of(const answer_parser& parser) {
  outbound_answer out;
  out.status = parser.get().result_int();
  for (const auto& each : parser.get())
    out.headers.emplace_back(std::string(each.name_string()), std::string(each.value()));
  return out;
}

template<class Stream>
awaitable<result<void>>
http_stream::impl::ask_head(Stream& on, const http::request<http::string_body>& request,
                            begun_answer& to, boost::optional<std::uint64_t> bytes_max) {
  error_code ec;
  limit_to(deadline);
  co_await http::async_write(on, request, asio::redirect_error(use_awaitable, ec));
  if (ec)
    co_return failed("did not take the request", ec);
  for (int interim = 0; interim <= interim_answers_max; ++interim) {
    auto& parser = to.parser.emplace();
    parser.header_limit(answer_header_bytes_max);
    parser.body_limit(bytes_max);
    if (request.method() == http::verb::head)
      parser.skip(true);
    co_await http::async_read_header(on, to.input, parser, asio::redirect_error(use_awaitable, ec));
    if (ec && ec != http::error::body_limit) // Said when Content-Length is above it.
      co_return failed("did not answer", ec);
    to.is_too_long = static_cast<bool>(ec);
    const auto status = parser.get().result_int();
    if (status < 100 || status >= 200)
      co_return result<void>{};
  }
  co_return make_error(errc::unavailable, url.authority() + " gave nothing but interim answers");
}

template<class Stream>
awaitable<result<outbound_answer>>
http_stream::impl::ask(Stream& on, const http::request<http::string_body>& request) {
  begun_answer from;
  const auto head = co_await ask_head(on, request, from, shared->options.answer_bytes_max);
  if (!head)
    co_return head.error();
  auto& parser = *from.parser;
  error_code ec;
  if (!from.is_too_long && !parser.is_done())
    co_await http::async_read(on, from.input, parser, asio::redirect_error(use_awaitable, ec));
  // The status is what matters: a body that is too long, or ends too soon, costs the connection
  // only.
  auto out = head_of(parser);
  out.is_whole = !ec && !expired && !from.is_too_long;
  // Bytes behind the answer belong to nothing that was asked.
  const bool again = out.is_whole && parser.get().keep_alive() && from.input.size() == 0;
  out.body = std::move(parser.get().body());
  limit.cancel();
  if (again && !closed)
    shared->keep_idle(host, std::move(wire));
  drop();
  co_return out;
}

awaitable<result<outbound_answer>> http_stream::impl::exchange(outbound_request outbound) {
  const auto self = shared_from_this();
  begin_connect(outbound);
  const bool may_repeat = outbound.may_repeat;
  const auto request = make_request(std::move(outbound));
  for (bool fresh = false;;) {
    if (closed)
      co_return make_error(errc::canceled, "closed");
    if (!wire && may_repeat)
      wire = shared->take_idle(host);
    if (!wire) {
      fresh = true;
      const auto connected = co_await connect();
      if (!connected) {
        drop();
        co_return connected.error();
      }
    }
    end_connect();
    result<outbound_answer> answer{outbound_answer{}};
    if (auto* tls = std::get_if<tls_socket>(&wire->stream))
      answer = co_await ask(*tls, request);
    else
      answer = co_await ask(std::get<tcp_socket>(wire->stream), request);
    if (answer)
      co_return answer;
    drop();
    // A connection that had been idle may have been closed by the other side just now: once more on
    // a new one.
    if (fresh || closed || answer.error().code == errc::timed_out)
      co_return answer;
  }
}

// Never on a connection that was left over: one that the other side has just closed would cost a
// second request, and a stream keeps its connection anyway.
awaitable<result<outbound_answer>> http_stream::impl::begin(outbound_request outbound) {
  const auto self = shared_from_this();
  begin_connect(outbound);
  drop();
  begun = std::make_unique<begun_answer>();
  const auto request = make_request(std::move(outbound));
  const auto connected = co_await connect();
  if (!connected) {
    drop();
    co_return connected.error();
  }
  end_connect();
  result<void> head;
  if (auto* tls = std::get_if<tls_socket>(&wire->stream))
    head = co_await ask_head(*tls, request, *begun, boost::none);
  else
    head = co_await ask_head(std::get<tcp_socket>(wire->stream), request, *begun, boost::none);
  limit.cancel();
  if (!head) {
    drop();
    co_return head.error();
  }
  // The parser would make room for all of it at once.
  const auto length = begun->parser->content_length();
  if (length && *length > shared->options.answer_bytes_max) {
    drop();
    co_return make_error(errc::invalid_agent_response,
                         url.authority() + " announces an answer of " + std::to_string(*length)
                             + " bytes; the limit is "
                             + std::to_string(shared->options.answer_bytes_max));
  }
  co_return head_of(*begun->parser);
}

template<class Stream>
awaitable<result<std::string>> http_stream::impl::read_more(Stream& on,
                                                            std::chrono::milliseconds silence) {
  auto& parser = *begun->parser;
  while (!parser.is_done()) {
    error_code ec;
    limit_to(shared->clock->now() + silence);
    co_await http::async_read_some(on, begun->input, parser,
                                   asio::redirect_error(use_awaitable, ec));
    limit.cancel();
    auto& body = parser.get().body();
    if (!body.empty()) // first what has come, also before a break
      co_return std::exchange(body, std::string{});
    if (ec && expired)
      co_return with_cause(make_error(errc::timed_out, url.authority() + " sent nothing for "
                                                           + std::to_string(silence.count())
                                                           + " ms"),
                           "timeout");
    if (ec)
      co_return failed("broke the answer off", ec);
  }
  co_return std::string{};
}

awaitable<result<std::string>> http_stream::impl::more(std::chrono::milliseconds silence) {
  const auto self = shared_from_this();
  if (closed)
    co_return make_error(errc::canceled, "closed");
  if (!wire || !begun)
    co_return std::string{};
  result<std::string> out{std::string{}};
  if (auto* tls = std::get_if<tls_socket>(&wire->stream))
    out = co_await read_more(*tls, silence);
  else
    out = co_await read_more(std::get<tcp_socket>(wire->stream), silence);
  if (!out || out->empty())
    drop();
  co_return out;
}

std::shared_ptr<http_stream> http_client::lend(http_url to) const {
  auto inside = std::make_shared<http_stream::impl>(shared_, std::move(to));
  return std::shared_ptr<http_stream>(new http_stream(std::move(inside)));
}

http_stream::~http_stream() {
  close();
}

awaitable<result<outbound_answer>> http_stream::exchange(outbound_request request) {
  return impl_->exchange(std::move(request));
}

awaitable<result<outbound_answer>> http_stream::begin(outbound_request request) {
  return impl_->begin(std::move(request));
}

awaitable<result<std::string>> http_stream::more(std::chrono::milliseconds silence) {
  return impl_->more(silence);
}

void http_stream::close() {
  impl_->closed = true;
  impl_->waiting.wake();
  if (impl_->wire)
    impl_->wire->close();
}

} // namespace troupe::net
