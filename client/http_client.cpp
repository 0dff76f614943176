#include "client/http_client.hpp"

#include "client/http_stream.hpp"
#include "client/tls_settings.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <utility>

namespace troupe::net {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

/// Interim answers (1xx, RFC 9110 15.2) passed over before the one that counts.
constexpr int interim_answers_max = 5;
/// Those who wait for the total are counted by their targets already.
constexpr std::size_t waiting_in_total_max = 1'000'000;

constexpr std::string_view cause_begins = R"({"cause":")";
constexpr std::string_view cause_ends = R"("})";

} // namespace

error with_cause(error why, std::string_view word) {
  why.details = std::string(cause_begins) + std::string(word) + std::string(cause_ends);
  return why;
}

std::string_view cause_of(const error& why) noexcept {
  std::string_view text = why.details;
  if (!text.starts_with(cause_begins) || !text.ends_with(cause_ends))
    return {};
  text.remove_prefix(cause_begins.size());
  text.remove_suffix(cause_ends.size());
  return text;
}

connection_total make_connection_total(timers_ptr clock) {
  return std::make_shared<admission_queue>(std::move(clock), connections_in_total_max,
                                           waiting_in_total_max);
}

result<std::unique_ptr<http_client>> http_client::make(asio::io_context& context, timers_ptr clock,
                                                       http_client_options options) {
  auto roots = make_tls({options.trusted_pem, options.certificate_pem, options.key_pem});
  if (!roots)
    return roots.error();
  auto shared = std::make_shared<parts>(context, std::move(clock), std::move(options));
  shared->roots = std::move(*roots);
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
  shared_->idle.close();
}

result<void> http_client::renew_tls(const tls_settings& settings) {
  auto fresh = make_tls(settings);
  if (!fresh)
    return fresh.error();
  shared_->roots = std::move(*fresh);
  shared_->has_system_roots = false;
  shared_->idle.clear();
  return {};
}

std::size_t http_client::idle_connections() const noexcept {
  return shared_->idle.size();
}

std::uint64_t http_client::connections_made() const noexcept {
  return shared_->connections_made;
}

// -- a stream -------------------------------------------------------------------------------------

void http_stream::impl::drop() {
  limit.cancel();
  if (wire)
    wire->close();
  wire = nullptr;
}

string_request http_stream::impl::make_request(outbound_request request) const {
  string_request out;
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
awaitable<result<void>> http_stream::impl::ask_head(Stream& on, const string_request& request,
                                                    begun_answer& to,
                                                    boost::optional<std::uint64_t> bytes_max) {
  error_code ec;
  limit_to(deadline);
  co_await http::async_write(on, request, asio::redirect_error(use_awaitable, ec));
  if (ec)
    co_return failed("did not take the request", ec);
  for (int interim = 0; interim <= interim_answers_max; ++interim) {
    auto& parser = to.parser.emplace();
    set_limits(parser, bytes_max);
    if (request.method() == http::verb::head)
      parser.skip(true);
    co_await http::async_read_header(on, to.input, parser, asio::redirect_error(use_awaitable, ec));
    is_heard = is_heard || parser.got_some() || to.input.size() > 0;
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
awaitable<result<outbound_answer>> http_stream::impl::ask(Stream& on,
                                                          const string_request& request) {
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
    shared->idle.keep(host, std::move(wire));
  drop();
  co_return out;
}

awaitable<result<outbound_answer>> http_stream::impl::exchange(outbound_request outbound) {
  const auto self = shared_from_this();
  begin_connect(outbound);
  const auto admitted = co_await enter(*lines->exchanges, outbound);
  if (!admitted)
    co_return admitted.error();
  const bool may_repeat = outbound.may_repeat;
  const auto request = make_request(std::move(outbound));
  result<outbound_answer> answer{outbound_answer{}};
  for (bool fresh = false;; fresh = true) {
    const auto reused = co_await obtain(may_repeat, fresh);
    if (!reused) {
      leave();
      co_return reused.error();
    }
    if (auto* tls = std::get_if<tls_socket>(&wire->stream))
      answer = co_await ask(*tls, request);
    else
      answer = co_await ask(std::get<tcp_socket>(wire->stream), request);
    drop();
    // The other side may have closed a connection that was left over just now.
    const bool repeats = !answer && *reused && may_repeat && !is_heard && !closed && !expired;
    if (!repeats)
      break;
  }
  leave();
  co_return answer;
}

awaitable<result<outbound_answer>> http_stream::impl::begin(outbound_request outbound) {
  const auto self = shared_from_this();
  begin_connect(outbound);
  drop();
  leave();
  const auto admitted = co_await enter(*lines->streams, outbound);
  if (!admitted)
    co_return admitted.error();
  const bool may_repeat = outbound.may_repeat;
  const auto request = make_request(std::move(outbound));
  result<void> head;
  for (bool fresh = false;; fresh = true) {
    const auto reused = co_await obtain(may_repeat, fresh);
    if (!reused) {
      leave();
      co_return reused.error();
    }
    begun = std::make_unique<begun_answer>();
    if (auto* tls = std::get_if<tls_socket>(&wire->stream))
      head = co_await ask_head(*tls, request, *begun, boost::none);
    else
      head = co_await ask_head(std::get<tcp_socket>(wire->stream), request, *begun, boost::none);
    limit.cancel();
    if (head)
      break;
    drop();
    const bool repeats = *reused && may_repeat && !is_heard && !closed && !expired;
    if (!repeats) {
      leave();
      co_return head.error();
    }
  }
  // The parser would make room for all of it at once.
  const auto length = begun->parser->content_length();
  if (length && *length > shared->options.answer_bytes_max) {
    drop();
    leave();
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
  if (out && !out->empty())
    co_return out;
  const auto& parser = *begun->parser;
  if (out && parser.is_done() && parser.keep_alive() && begun->input.size() == 0 && !closed)
    shared->idle.keep(host, std::move(wire));
  drop();
  leave();
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
  impl_->leave();
  if (impl_->dialling)
    impl_->dialling->cancel();
  if (impl_->wire)
    impl_->wire->close();
}

} // namespace troupe::net
