// The streams of a2a_client.hpp: the events of one operation, taken up again where they broke, and
// those of one task.
#include "client/a2a/a2a_client.hpp"
#include "client/a2a/reconnection.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/text_in.hpp"
#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <utility>

namespace troupe::a2a {

namespace json = boost::json;
using net::awaitable;
using net::outbound_answer;

namespace {

/// Of an answer of a stream that is an error.
constexpr std::size_t refusal_bytes_max = std::size_t{1} << 20;

/// Whether asking again later may help.
bool passes(errc code) noexcept {
  return code == errc::unavailable || code == errc::overloaded || code == errc::timed_out
         || code == errc::store_unreadable;
}

/// At random.
double reconnection_chance() {
  return static_cast<double>(thread_id_source().next_random() >> 11) * 0x1p-53;
}

bool is_json(std::string_view text) {
  boost::system::error_code failed;
  static_cast<void>(parse_json(text, failed));
  return !failed;
}

bool is_event_stream(const outbound_answer& head) {
  return head.header("content-type").starts_with("text/event-stream");
}

/// The cursor that a server of ours adds to its events.
std::string cursor_in(const json::object& metadata) {
  auto cursor = text_in(metadata, stream_cursor_key);
  return net::is_event_id(cursor) ? std::move(cursor) : std::string{};
}

} // namespace

// -- a stream -------------------------------------------------------------------------------------

event_stream::event_stream(a2a_client& by, operation which, params_writer params,
                           connection_news news, header_list headers)
    : by_(by), which_(which), params_(std::move(params)), news_(std::move(news)),
      headers_(std::move(headers)), held_(by.http_->memory()), pace_(by.pace_),
      waste_pace_(by.pace_), pause_(by.clock_) {}

event_stream::~event_stream() {
  drop();
}

/// What the connection has brought first: an event, or why none came. Only that counts for the
/// circuit breaker: also an agent of which nothing can be used begins its streams well.
void event_stream::prove(const error& why) {
  const auto began = std::exchange(unproven_since_, std::nullopt);
  const bool is_ours = why.code == errc::canceled || why.code == errc::overloaded;
  if (began && !is_closed_ && !is_ours)
    by_.note_stream(why.code == errc::none, *began);
}

void event_stream::drop() {
  unproven_since_.reset();
  if (connection_)
    connection_->close();
  connection_ = nullptr;
  reader_.reset();
  held_.release();
  pace_.end(0);
  waste_pace_.end(0);
  event_bytes_ = 0;
  event_waited_ = {};
  idle_bytes_ = 0;
  waste_bytes_ = 0;
}

void event_stream::resume_with(operation which, json::object params, std::string cursor) {
  which_ = which;
  params_ = same_params(std::move(params));
  cursor_ = std::move(cursor);
  may_resume_ = true;
}

void event_stream::restart() {
  drop();
  last_id_.clear();
  cursor_.clear();
}

void event_stream::close() {
  is_closed_ = true;
  pause_.wake();
  if (connection_)
    connection_->close();
}

awaitable<result<void>> event_stream::open() {
  bool has_renewed = false;
  std::optional<error> first;
  for (;;) {
    const auto ready = co_await by_.who_.refresh();
    if (!ready)
      co_return ready.error();
    const auto to = co_await by_.where();
    if (!to)
      co_return to.error();
    const auto version = by_.who_.version();
    const auto format = to->format;
    format_ = format;
    auto request = by_.prepared(which_, params_, last_id_, cursor_);
    if (!request)
      co_return request.error();
    const auto url = parse_http_url(request->url);
    if (!url)
      co_return make_error(errc::invalid_agent_response,
                           "the agent card has an address that is none: " + url.error().message);
    auto& sent = request->request.headers;
    sent.insert(sent.end(), headers_.begin(), headers_.end());
    const auto admitted = by_.admit();
    if (!admitted)
      co_return admitted.error();
    const auto connection = by_.http_->lend(*url);
    connection_ = connection;
    auto head = co_await connection->begin(std::move(request->request));
    if (head && head->status == 200 && is_event_stream(*head)) {
      by_.breaker_.forget();
      unproven_since_ = by_.clock_->now();
      reader_.emplace(by_.options_.bytes_max);
      co_return result<void>{};
    }
    if (!head) {
      by_.note(head);
      co_return head.error();
    }
    // An error, or an answer that is no stream.
    const auto gathered = co_await gather(*head);
    if (gathered)
      by_.note(head);
    else
      by_.note(gathered.error());
    drop();
    if (!gathered)
      co_return gathered.error();
    by_.who_.mask(*head);
    if (head->status == 401 && !has_renewed && !is_closed_) {
      has_renewed = true;
      const bool renewed = co_await by_.who_.renew(version);
      if (renewed)
        continue;
    }
    auto answer = read_result(*head, format, by_.clock_->source().now());
    if (!is_closed_ && by_.learn_version(format.version, which_, answer)) {
      first = answer.error();
      continue;
    }
    if (!answer && first && may_be_wrong_version(answer.error(), which_, format.binding))
      co_return *first;
    if (!answer)
      co_return answer.error();
    whole_ = std::move(*answer);
    co_return result<void>{};
  }
}

/// The body of an answer that is no stream. Errors: those of http_stream::more.
awaitable<result<void>> event_stream::gather(outbound_answer& to) {
  const auto connection = connection_;
  const auto bytes_max = to.status == 200 ? by_.options_.bytes_max : refusal_bytes_max;
  for (;;) {
    const auto piece = co_await connection->more(by_.options_.timeout);
    if (!piece) {
      const auto code = piece.error().code;
      const bool is_ours = code == errc::overloaded || code == errc::canceled;
      if (to.status == 200 || is_ours)
        co_return piece.error();
      co_return result<void>{}; // the status is what matters
    }
    if (piece->empty()) {
      pace_.end(to.body.size());
      co_return result<void>{};
    }
    to.body += *piece;
    if (to.body.size() > bytes_max) {
      to.is_whole = false;
      co_return result<void>{};
    }
    const auto counted = held_.resize(net::heap_bytes(to.body));
    if (!counted)
      co_return counted;
    waste_bytes_ += connection->take_framing_bytes();
    co_await keep_pace(to.body.size());
  }
}

/// What has come of what was asked for at `asked_at`: only waiting counts, and not the time in
/// which nobody wanted to read. Errors: too_large; overloaded; timed_out, if an event comes too
/// slowly; unavailable, if none comes among many bytes.
result<void> event_stream::feed(std::string_view bytes, net::time_point asked_at) {
  if (auto fed = reader_->feed(bytes); !fed)
    return fed;
  if (auto counted = held_.resize(reader_->held_bytes()); !counted)
    return net::with_cause(counted.error(), "memory");
  const auto idle = reader_->take_idle_bytes();
  idle_bytes_ += idle;
  waste_bytes_ += idle;
  if (idle_bytes_ > idle_stream_bytes_max)
    return make_error(errc::unavailable, "the stream has sent " + std::to_string(idle_bytes_)
                                             + " bytes without an event");
  if (!reader_->is_within_event()) {
    event_bytes_ = 0;
    event_waited_ = {};
    return {};
  }
  if (event_bytes_ > 0)
    event_waited_ += by_.clock_->now() - asked_at;
  event_bytes_ += bytes.size();
  if (event_waited_
      <= event_begins_in + std::chrono::seconds{event_bytes_ / event_bytes_per_second_min})
    return {};
  return make_error(errc::timed_out,
                    "an event of the stream comes too slowly: " + std::to_string(event_bytes_)
                        + " bytes of it in "
                        + std::to_string(event_waited_ / std::chrono::seconds{1}) + " s");
}

/// Waits until more may be read of what has `bytes`, and is not whole.
awaitable<void> event_stream::keep_pace(std::size_t bytes) {
  const auto now = by_.clock_->now();
  const auto next = std::max(pace_.grow(now, bytes), waste_pace_.grow(now, waste_bytes_));
  if (next > now && !is_closed_)
    co_await pause_.wait_until(next);
}

/// Waits before the next try; the error if there is none.
awaitable<result<void>> event_stream::wait_after(error why) {
  if (reader_ && reader_->retry())
    retry_ = reader_->retry();
  const auto hint = std::max(retry_, pause_in(why));
  drop();
  if (is_closed_)
    co_return make_error(errc::canceled, "closed");
  const auto wait = wait_before_reconnection(++failures_, hint, reconnection_chance());
  if (!may_resume_ || !wait)
    co_return why;
  if (news_.on_lost)
    news_.on_lost(why, *wait);
  co_await pause_.wait_until(by_.clock_->now() + *wait);
  if (is_closed_)
    co_return make_error(errc::canceled, "closed");
  co_return result<void>{};
}

awaitable<result<std::optional<json::value>>> event_stream::next() {
  using read = result<std::optional<json::value>>;
  const auto self = shared_from_this();
  for (;;) {
    if (is_closed_)
      co_return make_error(errc::canceled, "closed");
    error broken;
    if (whole_) {
      auto out = std::move(whole_);
      whole_.reset();
      read_bytes_ = 0;
      was_whole_ = true;
      co_return read{std::move(out)};
    }
    if (is_over_) {
      drop();
      co_return read{std::nullopt};
    }
    auto event = reader_ ? reader_->take() : std::nullopt;
    if (!event && unended_)
      event = std::exchange(unended_, std::nullopt);
    if (event) {
      idle_bytes_ = 0;
      read_bytes_ = event->data.size();
      by_.who_.mask(event->data);
      auto value = read_event(*event, format_);
      const bool is_garbage = !value && value.error().code == errc::invalid_agent_response
                              && value.error().details.empty(); // else the agent says so
      prove(is_garbage ? value.error() : error{});
      pace_.end(value ? read_bytes_ : 0);
      if (reader_) // what is less is never refused
        static_cast<void>(held_.resize(reader_->held_bytes()));
      if (by_.learn_version(format_.version, which_, value)) {
        drop();
        continue;
      }
      if (value) {
        failures_ = 0;
        if (!event->id.empty())
          last_id_ = event->id;
        co_return read{std::optional{std::move(*value)}};
      }
      if (!passes(value.error().code) || !may_resume_)
        co_return value.error();
      broken = value.error(); // The server says that the stream goes on later.
    } else if (!reader_ && std::exchange(was_whole_, false)) {
      broken = make_error(errc::unavailable, "the server answered without a stream");
    } else if (!reader_) {
      const auto opened = co_await open();
      if (opened) {
        if (std::exchange(has_begun_, true) && failures_ > 0 && news_.on_resumed)
          news_.on_resumed();
        continue;
      }
      if (!has_begun_ || !passes(opened.error().code)) {
        drop();
        co_return opened.error();
      }
      broken = opened.error();
    } else {
      const auto connection = connection_;
      const auto asked_at = by_.clock_->now();
      const auto piece = co_await connection->more(by_.options_.silence);
      if (piece && !piece->empty()) {
        waste_bytes_ += connection->take_framing_bytes();
        const auto fed = feed(*piece, asked_at);
        if (fed) {
          co_await keep_pace(reader_->unfinished_bytes());
          continue;
        }
        prove(fed.error());
        if (!passes(fed.error().code))
          co_return fed.error();
        broken = fed.error();
      } else if (auto rest = reader_->take_rest(); rest && is_json(rest->data)) {
        unended_ = std::move(rest); // the last event may lack its end
        continue;
      } else {
        broken = piece ? make_error(errc::unavailable, "the stream ended before its task")
                       : piece.error();
        prove(broken);
      }
    }
    const auto waited = co_await wait_after(std::move(broken));
    if (!waited)
      co_return waited.error();
  }
}

// -- a task's events ------------------------------------------------------------------------------

task_stream::task_stream(a2a_client& by, std::shared_ptr<event_stream> from, bool ends_at_question,
                         std::string task)
    : by_(by), events_(std::move(from)), ends_at_question_(ends_at_question),
      task_(std::move(task)) {}

bool task_stream::is_foreign(const wire::answer& read) const {
  std::string_view id;
  if (const auto* said = std::get_if<message>(&read))
    id = said->task_id;
  else if (const auto* whole = std::get_if<task>(&read))
    id = whole->id.str();
  else if (const auto* moved = std::get_if<wire::status_update>(&read))
    id = moved->task.str();
  else if (const auto* made = std::get_if<wire::artifact_update>(&read))
    id = made->task.str();
  return !task_.empty() && !id.empty() && id != task_;
}

void task_stream::learn(const wire::answer& read) {
  task_id id;
  task_state state = task_state::working;
  const json::object* metadata = nullptr;
  if (std::holds_alternative<message>(read))
    return events_->finish(); // The answer of an agent that makes no task.
  if (const auto* whole = std::get_if<task>(&read)) {
    id = whole->id;
    state = whole->status.state;
    metadata = &whole->metadata;
  } else if (const auto* moved = std::get_if<wire::status_update>(&read)) {
    id = moved->task;
    state = moved->status.state;
    metadata = &moved->metadata;
    if (moved->is_last && (ends_at_question_ || is_terminal(state)))
      events_->finish();
  } else if (const auto* made = std::get_if<wire::artifact_update>(&read)) {
    id = made->task;
    metadata = &made->metadata;
  }
  task_ = id.str();
  json::object params;
  params["id"] = task_;
  events_->resume_with(operation::subscribe_to_task, std::move(params), cursor_in(*metadata));
  if (is_terminal(state) || (ends_at_question_ && is_interrupted(state)))
    events_->finish();
}

awaitable<result<std::optional<wire::answer>>> task_stream::next() {
  using read = result<std::optional<wire::answer>>;
  for (;;) {
    auto event = co_await events_->next();
    if (!event) {
      const auto code = event.error().code;
      // To subscribe to a task that has ended is refused (A2A 1.0 section 3.1.6); some agents do
      // not let anybody subscribe.
      const bool may_have_ended =
          code == errc::unsupported_operation || code == errc::method_not_found;
      if (!task_.empty() && may_have_ended) {
        auto last = co_await ended_meanwhile(event.error());
        co_return last;
      }
      co_return event.error();
    }
    if (!*event)
      co_return read{std::nullopt};
    auto value = wire::read_answer(**event, events_->format());
    if (!value)
      co_return value.error();
    if (is_foreign(*value)) {
      ++dropped_;
      if (++foreign_events_ > foreign_events_max)
        co_return make_error(errc::invalid_agent_response,
                             "the last " + std::to_string(foreign_events_)
                                 + " events of the stream are about other tasks");
      continue;
    }
    foreign_events_ = 0;
    last_event_ = std::move(**event);
    learn(*value);
    co_return read{std::optional{std::move(*value)}};
  }
}

/// The task as it is now, if nothing more happens to it.
awaitable<result<std::optional<wire::answer>>> task_stream::ended_meanwhile(error why) {
  json::object params;
  params["id"] = task_;
  const auto now = co_await by_.ask(operation::get_task, std::move(params));
  if (!now)
    co_return now.error();
  const auto to = co_await by_.where();
  auto read = read_asked_task(*now, task_, to->format);
  if (!read)
    co_return read.error();
  const auto state = read->status.state;
  if (!is_terminal(state) && !(ends_at_question_ && is_interrupted(state)))
    co_return why;
  events_->finish();
  last_event_ = *now;
  co_return result<std::optional<wire::answer>>{std::optional<wire::answer>{std::move(*read)}};
}

} // namespace troupe::a2a
