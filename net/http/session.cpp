#include "net/http/session.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/refusable_work.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/verb.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <new>

namespace troupe::net {

namespace {

namespace http = boost::beast::http;

std::string in_bytes(std::uint64_t bytes) {
  return std::to_string(bytes) + " bytes";
}

} // namespace

session::session(std::shared_ptr<http_service> service, loop& home,
                 std::unique_ptr<byte_stream> bytes, connection_facts facts, connection_share share)
    : service_(std::move(service)), home_(home), bytes_(std::move(bytes)), facts_(std::move(facts)),
      share_(std::move(share)),
      wake_(std::make_shared<wakeup>(home.ready())), exchange_{request_, *this, facts_, home_} {}

session::~session() {
  service_->stream_bytes.go_on(*this);
  service_->slow_answers.end(*this);
}

awaitable<void> session::serve(std::shared_ptr<session> self) {
  self->home_.add(*self);
  co_await self->serve_all();
  co_await self->linger();
}

awaitable<void> session::refuse(std::shared_ptr<session> self, std::string why) {
  self->home_.add(*self);
  self->begin_request();
  write_plain_error(self->response_, 503, why);
  self->response_.close = true;
  if (!self->begin_writing())
    static_cast<void>(co_await self->write_rest());
  co_await self->linger();
}

void welcome(const std::shared_ptr<http_service>& service, loop& home,
             std::unique_ptr<byte_stream> bytes, connection_facts facts) {
  auto& memory = *service->memory;
  std::string refusal;
  facts.share = service->clients.of(facts.peer);
  connection_share share{
      service->take_place(service->connections, service->options.connections_max, facts.share,
                          &client_share::connections),
      memory_charge::take(memory, memory_account::connections, connection_bytes)};
  if (share.place.is_above_share)
    refusal =
        "Too many connections: " + service->why_above_share("connections") + "; try again later.";
  else if (!share.place)
    refusal = "Too many connections (limits.connections); try again later.";
  else if (!share.memory)
    refusal = memory.refusal(memory_account::connections, connection_bytes).message;
  if (!refusal.empty())
    share = {take_place(service->refusals, refusals_max, nullptr, 0),
             memory_charge::force(memory, memory_account::connections, connection_bytes)};
  if (!share.place)
    return; // the stream closes
  auto fresh = std::make_shared<session>(service, home, std::move(bytes), std::move(facts),
                                         std::move(share));
  asio::co_spawn(home.context(),
                 refusal.empty() ? session::serve(std::move(fresh))
                                 : session::refuse(std::move(fresh), std::move(refusal)),
                 asio::detached);
}

/// Serves one request after the other. This is the only coroutine, and its steps are plain
/// functions: each nested coroutine would allocate a frame for every request.
awaitable<void> session::serve_all() {
  for (bool more = true; more && !gone_;) {
    begin_request();
    auto now = refusing(&session::parse_unparsed);
    while (now == step::read_more) {
      if (owes_continue())
        co_await send_continue();
      if (!may_read_on_)
        co_await readable();
      now = refusing(&session::read);
    }
    if (gone_)
      co_return;
    if (now == step::complete) {
      try {
        auto rest = begin_work();
        if (!keeps_body_)
          release_body(); // It is parsed, and the answer may take hours.
        if (rest.valid())
          co_await std::move(rest);
      } catch (const std::exception& fault) {
        on_fault(fault);
      }
      end_work();
    }
    more = !response_.close;
    if (streamed_ || gone_)
      continue;
    if (!begin_writing())
      static_cast<void>(co_await write_rest());
    end_writing();
  }
}

// -- reading --------------------------------------------------------------------------------------

void session::begin_request() {
  request_.clear();
  keeps_body_ = false;
  held_ = {};
  response_.clear();
  head_.clear();
  streamed_ = false;
  keep_buffers();
  parser_.emplace(request_);
  parser_->eager(true);
  parser_->header_limit(service_->options.header_bytes_max);
  parser_->body_limit(service_->options.body_bytes_max);
  head_bytes_ = 0;
  line_skipped_ = false;
  enter(phase::idle, service_->options.idle_timeout);
  if (service_->draining.load(std::memory_order_relaxed))
    on_drain();
}

void session::enter(phase next, std::chrono::milliseconds timeout) {
  phase_ = next;
  expired_ = false;
  deadline_ = home_.now() + timeout;
}

/// Does a part of reading. If there is no memory for it, the request is refused.
session::step session::refusing(step (session::*part)()) {
  try {
    const refusable_work here;
    return (this->*part)();
  } catch (const std::bad_alloc&) {
    return refuse_for_memory(no_memory_for("the request", *service_->memory));
  }
}

session::step session::refuse_for_memory(const std::string& why) {
  release_body();
  std::string().swap(unparsed_);
  unparsed_begin_ = 0;
  response_.close = true;
  write_plain_error(response_, 503, why);
  return step::refused;
}

/// Parses bytes that were read together with the request before.
session::step session::parse_unparsed() {
  if (unparsed_.empty())
    return step::read_more;
  return parse(std::string_view(unparsed_).substr(unparsed_begin_));
}

/// Hands bytes to Beast's parser, and keeps those that it does not take.
session::step session::parse(std::string_view bytes) {
  skip_empty_line(bytes);
  if (bytes.empty() || begins_empty_line(bytes)) {
    keep_unparsed(bytes);
    return step::read_more;
  }
  if (phase_ == phase::idle)
    enter(phase::head, service_->options.header_timeout);
  error_code ec;
  const auto used = parser_->put(asio::buffer(bytes.data(), bytes.size()), ec);
  const auto waiting_bytes = bytes.size() - used;
  keep_unparsed(bytes.substr(used));
  if (ec && ec != http::error::need_more)
    return refuse_request(ec);
  if (phase_ == phase::head) {
    head_bytes_ += used;
    if (parser_->is_header_done()) {
      if (!parser_->is_done())
        enter(phase::body, service_->options.body_timeout);
    } else if (head_bytes_ + waiting_bytes > service_->options.header_bytes_max) {
      return refuse_request(http::error::header_limit);
    }
  }
  // Beast does not limit the length of a chunk's head or of a trailer.
  if (phase_ == phase::body && !parser_->is_done()
      && waiting_bytes > service_->options.header_bytes_max)
    return refuse_request(http::error::header_limit);
  if (!hold_body())
    return refuse_body();
  if (!hold_buffers())
    return refuse_for_memory(
        service_->memory->refusal(memory_account::connections, connection_bytes).message);
  return parser_->is_done() ? step::complete : step::read_more;
}

/// Skips one empty line before a request line (RFC 9112 2.2): some clients send it after a body.
void session::skip_empty_line(std::string_view& bytes) noexcept {
  if (may_skip_line() && bytes.starts_with("\r\n")) {
    line_skipped_ = true;
    bytes.remove_prefix(2);
  }
}

/// The second byte of the empty line has not arrived.
bool session::begins_empty_line(std::string_view bytes) const noexcept {
  return may_skip_line() && bytes == "\r";
}

/// `bytes` may be the end of what is kept.
void session::keep_unparsed(std::string_view bytes) {
  if (bytes.empty()) {
    unparsed_begin_ = 0;
    unparsed_.clear();
    if (unparsed_.capacity() > kept_bytes_max)
      std::string().swap(unparsed_);
  } else if (bytes.data() >= unparsed_.data()
             && bytes.data() < unparsed_.data() + unparsed_.size()) {
    unparsed_begin_ = static_cast<std::size_t>(bytes.data() - unparsed_.data());
  } else {
    unparsed_begin_ = 0;
    unparsed_.assign(bytes);
  }
}

/// Counts the buffers that the connection has beside a long body or answer, headers included; false
/// if that is too much.
bool session::hold_buffers() {
  std::size_t bytes = request_.header_bytes();
  for (const auto* each : {&unparsed_, &head_, &request_.body, &response_.body})
    bytes += std::min(each->capacity(), kept_bytes_max);
  // Counted in steps, so that requests of about one size do not change the account.
  bytes = connection_bytes + bytes / connection_bytes * connection_bytes;
  return bytes == share_.memory.bytes() || share_.memory.resize(bytes);
}

/// Between two requests, or two pieces of a stream.
void session::keep_buffers() {
  const bool are_held = hold_buffers();
  const bool is_bare = share_.memory.bytes() == connection_bytes;
  if (are_held && (is_bare || service_->memory->has_room(memory_account::connections, 0)))
    return;
  if (!streamed_) // else the request is still being answered
    request_.clear_all();
  for (auto* each : {&head_, &request_.body, &response_.body})
    std::string().swap(*each);
  static_cast<void>(hold_buffers());
}

/// Counts a long body among what all connections hold; false if that is too much.
bool session::hold_body() {
  const auto bytes = request_.body.capacity();
  if (bytes <= kept_bytes_max || bytes == held_.bytes())
    return true;
  held_ = {};
  // A single body is accepted up to its own limit, even if the limit of all is lower.
  const auto max = std::max<std::size_t>(
      {service_->options.body_bytes_total_max, service_->options.body_bytes_max, bytes});
  held_ = memory_charge::take(*service_->memory, memory_account::bodies, bytes, max);
  return static_cast<bool>(held_);
}

void session::release_body() noexcept {
  if (request_.body.capacity() > kept_bytes_max)
    std::string().swap(request_.body);
  held_ = {};
}

session::step session::refuse_body() {
  const auto& memory = *service_->memory;
  const auto bytes = request_.body.capacity();
  const bool is_short = !memory.has_room(memory_account::bodies, bytes);
  release_body();
  response_.close = true;
  write_plain_error(response_, 429,
                    is_short
                        ? memory.refusal(memory_account::bodies, bytes).message
                        : "The bodies being read are longer than limits.body-bytes-total together, "
                              + in_bytes(service_->options.body_bytes_total_max) + "; try again.");
  return step::refused;
}

/// Takes what the stream has into the loop's buffer, and parses it.
session::step session::read() {
  if (expired_ || gone_)
    return on_read_failed();
  const auto space = home_.read_buffer(phase_ == phase::body ? read_bytes_long : read_bytes);
  error_code ec;
  const auto count = bytes_->read_some(space, ec);
  may_read_on_ = count == space.size();
  if (ec == asio::error::would_block || ec == asio::error::try_again)
    return step::read_more;
  if (ec)
    return on_read_failed();
  const std::string_view bytes(static_cast<const char*>(space.data()), count);
  if (unparsed_.empty())
    return parse(bytes);
  unparsed_.erase(0, unparsed_begin_); // what is left of a head that came in pieces
  unparsed_begin_ = 0;
  unparsed_ += bytes;
  return parse_unparsed();
}

/// Whether the client waits for "100 Continue" before it sends the body (RFC 9110 10.1.1).
bool session::owes_continue() const noexcept {
  return phase_ == phase::body && request_.expects_continue && request_.body.empty()
         && unparsed_.empty();
}

awaitable<void> session::send_continue() {
  request_.expects_continue = false;
  head_ = "HTTP/1.1 100 Continue\r\n\r\n";
  written_ = 0;
  if (!write_now())
    static_cast<void>(co_await write_rest());
  head_.clear();
  enter(phase::body, service_->options.body_timeout);
}

awaitable<void> session::readable() {
  return asio::async_initiate<const asio::use_awaitable_t<io_executor>&, void()>(
      [this](byte_stream::ready_handler ready) { bytes_->wait_to_read(std::move(ready)); },
      use_awaitable);
}

awaitable<void> session::writable() {
  return asio::async_initiate<const asio::use_awaitable_t<io_executor>&, void()>(
      [this](byte_stream::ready_handler ready) { bytes_->wait_to_write(std::move(ready)); },
      use_awaitable);
}

session::step session::refuse_request(const error_code& why) {
  response_.close = true;
  const auto& options = service_->options;
  if (why == http::error::body_limit) {
    write_plain_error(response_, 413,
                      "The body is longer than limits.body-bytes, "
                          + in_bytes(options.body_bytes_max) + ".");
  } else if (why == http::error::header_limit) {
    write_plain_error(response_, 431,
                      std::string(parser_->is_header_done() ? "The chunk extensions and the trailer"
                                                            : "The headers")
                          + " are longer than limits.header-bytes, "
                          + in_bytes(options.header_bytes_max) + ".");
  } else {
    const auto fault = parser_->fault();
    write_plain_error(
        response_, 400,
        "This is not HTTP/1.1: " + (fault.empty() ? why.message() : std::string(fault)) + ".");
  }
  return step::refused;
}

session::step session::on_read_failed() {
  response_.close = true;
  if (expired_ && (phase_ == phase::head || phase_ == phase::body)) {
    const bool in_head = phase_ == phase::head;
    write_plain_error(response_, 408,
                      in_head ? "The headers did not arrive in time (timeouts.header)."
                              : "The body did not arrive in time (timeouts.body).");
    return step::refused;
  }
  // The client closed the connection, or it was idle for too long: there is nobody to answer.
  gone_ = true;
  return step::refused;
}

// -- answering ------------------------------------------------------------------------------------

/// Answers at once, or returns what has to be awaited.
awaitable<void> session::begin_work() {
  phase_ = phase::working;
  deadline_ = time_point::max();
  working_ = service_->take_place(service_->in_flight, service_->options.requests_in_flight_max,
                                  facts_.share, &client_share::in_flight);
  if (working_) {
    auto rest = service_->serve(exchange_);
    home_.scratch().release(); // An operation that waits has read its params.
    return rest;
  }
  write_plain_error(
      response_, 429,
      working_.is_above_share
          ? "Too many requests: " + service_->why_above_share("requests") + "; try again."
          : "Too many requests are being worked on (limits.requests-in-flight); try again.");
  return {};
}

void session::end_work() {
  if (const auto& debug = service_->options.debug)
    debug(std::string(http::to_string(request_.method))
              .append(" ")
              .append(shown(request_.path()))
              .append(response_.label.empty() ? "" : " ")
              .append(response_.label)
              .append(streamed_ ? ": stream ended" : ": " + std::to_string(response_.status)));
  release_body();
  working_ = {};
  if (!parser_->keep_alive() || is_draining())
    response_.close = true;
}

void session::on_fault(const std::exception& fault) {
  if (const auto& warn = service_->options.warn)
    warn(std::string("a request for ")
             .append(request_.path())
             .append(" ended in a fault: ")
             .append(fault.what()));
  const bool is_short = dynamic_cast<const std::bad_alloc*>(&fault) != nullptr;
  const bool is_repeatable = response_.repeatable || !response_.is_asked;
  home_.scratch().release();
  response_.clear();
  if (is_short && is_repeatable)
    static_cast<void>(refuse_for_memory(no_memory_for("the answer", *service_->memory)));
  else
    write_plain_error(response_, 500,
                      is_short
                          ? "The command may have been done, but there is no memory for the "
                            "answer (limits.memory); do not repeat it, read the object instead."
                          : "an unexpected fault; the server's log says more");
  response_.close = true;
  gone_ = gone_ || streamed_; // in the middle of a stream there is no place for an answer
}

/// Writes the response as far as the socket takes it; true if it took all.
bool session::begin_writing() {
  // An answer to HEAD has no body, even if the handler wrote one: it would be read as the next
  // answer.
  const bool has_body = request_.method != http::verb::head && !response_.content_type.empty();
  if (has_body && !hold_answer(response_.body.capacity()))
    refuse_answer();
  write_head(head_, response_, home_.date(), request_.is_http_1_0);
  if (!has_body)
    response_.body.clear();
  written_ = 0;
  return write_now();
}

/// Counts a long answer among those that wait for their readers; false if that is too much.
bool session::hold_answer(std::size_t bytes) noexcept {
  writing_ = {};
  if (bytes <= kept_bytes_max)
    return true;
  // A single answer is accepted, even if it is longer than the limit of all.
  writing_ = memory_charge::take(*service_->memory, memory_account::answers, bytes,
                                 std::max(service_->options.answer_bytes_total_max, bytes));
  return static_cast<bool>(writing_);
}

/// 429 is only for what has changed nothing: the client would send an accepted message again.
void session::refuse_answer() {
  const bool repeatable = response_.repeatable || request_.method == http::verb::get;
  const auto why = service_->why_no_answer(response_.body.capacity());
  service_->slow_answers.give_way(home_.now());
  std::string().swap(response_.body);
  response_.headers.clear();
  if (repeatable)
    write_plain_error(response_, 429, "There is no room for the answer: " + why + "; try again.");
  else
    write_plain_error(response_, 500,
                      "The command was done, but there is no room for the answer: " + why
                          + "; do not repeat it, read the object instead.");
}

/// Gives the memory of a long answer back: the connection may stay for long.
void session::end_writing() {
  if (response_.body.capacity() > kept_bytes_max)
    std::string().swap(response_.body);
  writing_ = {};
}

/// Writes the next piece of head and body as far as the socket takes it; true if nothing is left.
/// A longer answer is written in turns with what the other connections of the loop need.
bool session::write_now() {
  const std::size_t total = head_.size() + response_.body.size();
  const auto until = std::min(total, std::max(head_.size(), written_ + written_at_once_max));
  while (written_ < until) {
    byte_stream::pieces pieces{asio::buffer(head_), asio::buffer(response_.body)};
    pieces[0] += std::min(written_, head_.size());
    pieces[1] += written_ - std::min(written_, head_.size());
    pieces[1] = asio::buffer(pieces[1], until - std::max(written_, head_.size()));
    error_code ec;
    written_ += bytes_->write_some(pieces, ec);
    if (ec == asio::error::would_block || ec == asio::error::try_again)
      return false;
    if (ec) {
      gone_ = true;
      return false;
    }
  }
  return written_ == total;
}

awaitable<bool> session::write_rest() {
  const auto timeout = service_->options.write_timeout;
  const auto rate = streamed_ ? stream_bytes_per_second_min : answer_bytes_per_second_min;
  const std::chrono::seconds for_all((head_.size() + response_.body.size()) / rate);
  const auto until = home_.now() + timeout + for_all;
  if (writing_)
    service_->slow_answers.begin(*this, home_.now());
  while (!gone_) {
    expired_ = false;
    deadline_ = std::min(home_.now() + timeout, until);
    if (streamed_)
      service_->stream_bytes.stall(*this, stream_bytes_);
    co_await writable();
    gone_ = gone_ || expired_;
    if (!gone_ && write_now())
      break;
  }
  if (streamed_)
    service_->stream_bytes.go_on(*this);
  if (writing_)
    service_->slow_answers.end(*this);
  co_return !gone_;
}

/// Ends the connection so that the last answer arrives: a socket closed with unread input sends a
/// reset, which may overtake it.
awaitable<void> session::linger() {
  if (!gone_) {
    bytes_->shutdown_write();
    enter(phase::lingering, is_draining() ? service_->options.drain_idle_grace : linger_timeout);
    error_code ec;
    for (std::uint64_t dropped = 0; !ec && !gone_ && !expired_ && dropped < linger_bytes_max;) {
      dropped += bytes_->read_some(home_.read_buffer(read_bytes_long), ec);
      if (ec == asio::error::would_block || ec == asio::error::try_again) {
        ec.clear();
        co_await readable();
      }
    }
  }
  bytes_->close();
}

// -- waiting and streaming ------------------------------------------------------------------------

awaitable<void> session::wait(time_point until) {
  expired_ = false;
  deadline_ = until;
  if (wake_->take() || gone_)
    wake_->notify(); // The coroutine goes on in the next turn of the loop.
  return wake_->wait();
}

awaitable<bool> session::begin_stream() {
  streamed_ = true;
  working_ = {}; // streams have a limit of their own: those that wait must not keep requests out
  if (unparsed_.empty())
    std::string().swap(unparsed_); // nothing is read for a long time
  chunked_ = !request_.is_http_1_0;
  head_ = "HTTP/1.1 200 OK\r\n";
  head_ += home_.date();
  head_ +=
      "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n";
  head_ += response_.headers;
  if (chunked_)
    head_ += "Transfer-Encoding: chunked\r\n";
  else
    response_.close = true;
  if (response_.close)
    head_ += "Connection: close\r\n";
  head_ += "\r\n";
  response_.body.clear();
  written_ = 0;
  if (write_now())
    co_return true;
  co_return co_await write_rest();
}

bool session::hold_stream(std::size_t bytes, std::size_t shared_bytes) {
  streaming_ = {};
  stream_bytes_ = bytes + shared_bytes;
  if (bytes <= kept_bytes_max)
    return true;
  auto& budget = service_->stream_bytes;
  streaming_ = budget.take(bytes);
  if (!streaming_ && shared_bytes > 0) { // A long event that has begun is sent to its end.
    budget.feeds()->force(bytes);
    streaming_ = {budget.feeds(), bytes};
  }
  return static_cast<bool>(streaming_);
}

/// On any thread. If the session is destroyed before its loop gets this, nothing happens.
void session::cut() {
  home_.ready()->post([who = weak_from_this()] {
    if (const auto self = who.lock())
      self->abort();
  });
}

awaitable<bool> session::send_stream() {
  head_.clear();
  if (response_.body.empty())
    co_return !gone_;
  if (chunked_) {
    char digits[20];
    head_.append(
        digits, std::to_chars(std::begin(digits), std::end(digits), response_.body.size(), 16).ptr);
    head_ += "\r\n";
    response_.body += "\r\n";
  }
  written_ = 0;
  bool sent = write_now();
  if (!sent)
    sent = co_await write_rest();
  end_writing();
  response_.body.clear();
  keep_buffers();
  streaming_ = {};
  stream_bytes_ = 0;
  co_return sent;
}

awaitable<void> session::end_stream() {
  head_.clear();
  response_.body = chunked_ ? "0\r\n\r\n" : "";
  written_ = 0;
  if (!gone_ && !write_now())
    static_cast<void>(co_await write_rest());
}

// -- swept ----------------------------------------------------------------------------------------

void session::interrupt() {
  if (wake_->waiting()) {
    wake_->deliver();
    return;
  }
  bytes_->cancel();
}

void session::on_deadline() {
  const auto self = shared_from_this();
  deadline_ = time_point::max();
  expired_ = true;
  interrupt();
}

/// The stream is not read while an answer is being worked on: a client that reset the
/// connection is noticed only by looking. One that merely closed its sending side still wants its
/// answer. An event stream notices when it writes.
void session::on_sweep() {
  if (phase_ != phase::working || streamed_ || !wake_->waiting())
    return;
  if (bytes_->is_broken())
    abort();
}

void session::on_drain() {
  const auto self = shared_from_this();
  if (phase_ == phase::idle || phase_ == phase::lingering)
    deadline_ = std::min(deadline_, home_.now() + service_->options.drain_idle_grace);
  else if (wake_->waiting())
    wake_->deliver();
}

void session::abort() {
  const auto self = shared_from_this();
  gone_ = true;
  bytes_->close();
  if (wake_->waiting())
    wake_->deliver();
}

} // namespace troupe::net
