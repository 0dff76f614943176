#include "client/http_client.hpp"

#include "client/http_stream.hpp"
#include "client/tls_settings.hpp"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/serializer.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <sys/resource.h>

namespace troupe::net {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

/// Interim answers (1xx, RFC 9110 15.2) passed over before the one that counts.
constexpr int interim_answers_max = 5;
/// Those who wait for the total are counted by their targets already.
constexpr std::size_t waiting_in_total_max = 1'000'000;
/// Read at once: as much as a record of TLS has (RFC 8446 section 5.1).
constexpr std::size_t read_bytes_max = 16 * 1024;
/// What the parser cannot use yet: of a head, or of one of a chunk, and what came behind it.
constexpr std::size_t rest_bytes_max = answer_header_bytes_max + read_bytes_max;

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

std::size_t connections_of(std::uint64_t descriptors) noexcept {
  const auto part = descriptors / 100 * connections_descriptor_percent;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(part, 16, connections_in_total_max));
}

connection_total make_connection_total(timers_ptr clock) {
  rlimit limit{};
  const bool is_known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
  const auto most = is_known ? connections_of(limit.rlim_max) : connections_in_total_max;
  return std::make_shared<admission_queue>(std::move(clock), most, waiting_in_total_max);
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

const answer_memory_ptr& http_client::memory() const noexcept {
  return shared_->memory;
}

// -- a stream -------------------------------------------------------------------------------------

void http_stream::impl::drop() {
  limit.cancel();
  quiet.cancel();
  quiet_at = time_point::max();
  held.release();
  if (wire)
    wire->close();
  wire = nullptr;
}

/// Counts the body, which is there until the answer begins.
result<void> http_stream::impl::hold(answer_share& by, const outbound_request& request) const {
  const auto bytes = heap_bytes(request.body);
  if (bytes > shared->memory->bytes_max())
    return make_error(errc::limit_exceeded, "a request of " + std::to_string(request.body.size())
                                                + " bytes is longer than "
                                                + std::to_string(answer_memory_percent)
                                                + " % of limits.memory; send less at once");
  if (auto held_now = by.resize(bytes); !held_now)
    return with_cause(held_now.error(), "busy");
  return {};
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

awaitable<error_code> http_stream::impl::write(const string_request& request) {
  http::request_serializer<http::string_body> from(request);
  while (!from.is_done()) {
    error_code failed;
    error_code ignored; // of bodies that can fail
    std::size_t written = 0;
    from.next(ignored,
              [&](error_code&, const auto& bytes) { written = wire->write_some(bytes, failed); });
    if (!failed)
      from.consume(written);
    else if (failed == asio::error::would_block)
      co_await wire->wait(failed);
    if (failed)
      co_return failed;
  }
  co_return error_code{};
}

void http_stream::impl::begun_answer::take(std::string_view bytes, error_code& failed) {
  const bool reads_head = !parser->is_header_done();
  std::size_t used = 0;
  failed = {};
  while (used < bytes.size() && !parser->is_done() && !failed
         && reads_head != parser->is_header_done())
    used += parser->put(asio::buffer(bytes.substr(used)), failed);
  if (!reads_head)
    bytes_behind_head += used;
  if (failed == http::error::need_more)
    failed = {};
  std::string left(bytes.substr(used)); // with no more room than it needs
  rest.swap(left);
  // A head has its limit; a chunk's own head has none (RFC 9112 section 7.1.1).
  if (!failed && !reads_head && !parser->is_done() && rest.size() > answer_header_bytes_max)
    failed = http::error::bad_chunk_extension;
}

void http_stream::impl::begun_answer::end(error_code& failed) {
  failed = http::error::end_of_stream;
  if (parser->got_some())
    parser->put_eof(failed);
}

void http_stream::impl::read_now(begun_answer& to, error_code& failed) {
  std::array<char, rest_bytes_max + read_bytes_max> buffer; // NOLINT(*-member-init)
  const auto kept = to.rest.copy(buffer.data(), rest_bytes_max);
  const auto bytes = wire->read_some({buffer.data() + kept, read_bytes_max}, failed);
  if (failed == asio::error::eof)
    return to.end(failed);
  if (!failed)
    to.take({buffer.data(), kept + bytes}, failed);
}

awaitable<result<void>> http_stream::impl::ask_head(const string_request& request, begun_answer& to,
                                                    boost::optional<std::uint64_t> bytes_max) {
  limit_to(deadline);
  auto ec = co_await write(request);
  if (ec)
    co_return failed("did not take the request", ec);
  is_sent = true;
  for (int interim = 0; interim <= interim_answers_max; ++interim) {
    auto& parser = to.parser.emplace();
    set_limits(parser, bytes_max);
    if (request.method() == http::verb::head)
      parser.skip(true);
    to.take(to.rest, ec); // what came behind an interim answer
    while (!ec && !parser.is_header_done()) {
      co_await wire->wait(ec);
      if (ec)
        break;
      read_now(to, ec);
      is_heard = is_heard || parser.got_some() || !to.rest.empty();
      if (ec == asio::error::would_block)
        ec = {};
    }
    if (ec && ec != http::error::body_limit) // Said when Content-Length is above it.
      co_return failed("did not answer", ec);
    to.is_too_long = static_cast<bool>(ec);
    const auto status = parser.get().result_int();
    if (status < 100 || status >= 200)
      co_return result<void>{};
  }
  co_return make_error(errc::unavailable, url.authority() + " gave nothing but interim answers");
}

awaitable<result<outbound_answer>> http_stream::impl::ask(const string_request& request) {
  begun_answer from;
  const auto head = co_await ask_head(request, from, shared->options.answer_bytes_max);
  if (!head)
    co_return head.error();
  auto& parser = *from.parser;
  auto& body = parser.get().body();
  error_code ec;
  paced_answer pace(shared->options.pace);
  if (!from.is_too_long)
    from.take(from.rest, ec);
  while (!from.is_too_long && !ec && !parser.is_done()) {
    const auto counted = held.resize(heap_bytes(body) + heap_bytes(from.rest));
    if (!counted) {
      limit.cancel();
      co_return with_cause(counted.error(), "memory");
    }
    const auto now = shared->clock->now();
    if (const auto next = pace.grow(now, from.bytes_behind_head); next > now) {
      deadline += next - now; // we are slow, and not the server
      limit_to(deadline);
      co_await waiting.wait_until(next);
    }
    co_await wire->wait(ec);
    if (ec)
      break;
    read_now(from, ec);
    if (ec == asio::error::would_block)
      ec = {};
  }
  // The status is what matters: a body that is too long, or ends too soon, costs the connection
  // only.
  auto out = head_of(parser);
  out.is_whole = !ec && !expired && !from.is_too_long;
  pace.end(out.is_whole ? body.size() : 0);
  // Bytes behind the answer belong to nothing that was asked.
  const bool again = out.is_whole && parser.keep_alive() && from.rest.empty();
  out.body = std::move(body);
  limit.cancel();
  if (again && !closed)
    shared->idle.keep(host, std::move(wire));
  drop();
  co_return out;
}

awaitable<result<outbound_answer>> http_stream::impl::exchange(outbound_request outbound) {
  const auto self = shared_from_this();
  begun = nullptr;
  answer_share sending(shared->memory);
  const auto fits = hold(sending, outbound);
  if (!fits)
    co_return fits.error();
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
    answer = co_await ask(request);
    held.release();
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
  begun = nullptr;
  drop();
  leave();
  answer_share sending(shared->memory);
  const auto fits = hold(sending, outbound);
  if (!fits)
    co_return fits.error();
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
    head = co_await ask_head(request, *begun, boost::none);
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
  auto out = head_of(*begun->parser);
  static_cast<http::fields&>(begun->parser->get()).clear();
  co_return out;
}

awaitable<result<std::string>> http_stream::impl::more(std::chrono::milliseconds silence) {
  const auto self = shared_from_this();
  if (closed)
    co_return make_error(errc::canceled, "closed");
  if (!wire || !begun)
    co_return std::string{};
  auto& parser = *begun->parser;
  auto& body = parser.get().body();
  auto ec = begun->broken;
  if (!begun->has_body_begun) {
    begun->has_body_begun = true;
    begun->take(begun->rest, ec); // what came with the head
  }
  result<void> counted;
  while (body.empty() && !ec && counted && !parser.is_done()) {
    counted = held.resize(heap_bytes(body) + heap_bytes(begun->rest));
    if (!counted)
      break;
    begin_wait(silence);
    co_await wire->wait(ec);
    end_wait();
    if (ec)
      break;
    read_now(*begun, ec);
    if (ec == asio::error::would_block)
      ec = {};
  }
  co_return taken(ec, counted, silence);
}

/// What has come of the body, else why nothing comes. A function of its own: the frame of a
/// coroutine that waits has room for all of its variables.
result<std::string> http_stream::impl::taken(const error_code& ec, const result<void>& counted,
                                             std::chrono::milliseconds silence) {
  if (auto& body = begun->parser->get().body(); !body.empty()) {
    begun->broken = ec; // first what has come, also before a break
    begun->bytes_handed_on += body.size();
    return std::exchange(body, std::string{});
  }
  result<std::string> out{std::string{}};
  if (!counted)
    out = with_cause(counted.error(), "memory");
  else if (ec && expired)
    out = with_cause(make_error(errc::timed_out, url.authority() + " sent nothing for "
                                                     + std::to_string(silence.count()) + " ms"),
                     "timeout");
  else if (ec)
    out = failed("broke the answer off", ec);
  give_back();
  leave();
  return out;
}

void http_stream::impl::give_back() {
  if (wire && begun && begun->parser->is_done() && begun->parser->keep_alive()
      && begun->rest.empty() && wire->socket().is_open())
    shared->idle.keep(host, std::move(wire));
  drop();
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

std::size_t http_stream::take_framing_bytes() noexcept {
  if (!impl_->begun)
    return 0;
  auto& from = *impl_->begun;
  return std::exchange(from.bytes_behind_head, 0) - std::exchange(from.bytes_handed_on, 0);
}

bool http_stream::has_sent() const noexcept {
  return impl_->is_sent;
}

void http_stream::close() {
  impl_->closed = true;
  impl_->waiting.wake();
  impl_->leave();
  if (impl_->dialling)
    impl_->dialling->cancel();
  if (impl_->begun && impl_->begun->parser && impl_->begun->parser->is_done())
    impl_->give_back();
  else if (impl_->wire)
    impl_->wire->close();
}

} // namespace troupe::net
