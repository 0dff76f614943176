#include "client/a2a/a2a_client.hpp"

#include "client/a2a/reconnection.hpp"
#include "client/masking.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/text_in.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/text/text.hpp"

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

/// What the body of a refused card says matters less than the status.
error refused_card(unsigned status, const std::string& url) {
  if (status == 401 || status == 403)
    return make_error(status == 401 ? errc::unauthenticated : errc::forbidden,
                      "the agent card at " + url + " needs a key (HTTP status "
                          + std::to_string(status) + ")");
  const auto code = status == 404 || status == 405 ? errc::method_not_found
                    : status >= 500                ? errc::unavailable
                                                   : errc::invalid_agent_response;
  return make_error(code, "there is no agent card at " + url + " (HTTP status "
                              + std::to_string(status) + ")");
}

bool is_event_stream(const outbound_answer& head) {
  return head.header("content-type").starts_with("text/event-stream");
}

void append(net::outbound_request& to, const header_list& headers) {
  to.headers.insert(to.headers.end(), headers.begin(), headers.end());
}

/// For how long an answer holds (RFC 9111 section 5.2.2.1), at most a day; nothing if it does not
/// say so. `no-cache` and `no-store`: it must be asked for again each time.
std::optional<std::chrono::seconds> max_age_of(std::string_view said) {
  constexpr std::chrono::seconds longest{86'400};
  const auto text = ascii_lower(said);
  if (text.find("no-cache") != std::string::npos || text.find("no-store") != std::string::npos)
    return std::nullopt;
  constexpr std::string_view name = "max-age=";
  const auto at = text.find(name);
  if (at == std::string::npos || (at > 0 && text[at - 1] != ',' && text[at - 1] != ' '))
    return std::nullopt;
  std::chrono::seconds out{};
  std::size_t digits = 0;
  for (auto i = at + name.size(); i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    out = std::min(out * 10 + std::chrono::seconds{text[i] - '0'}, longest);
    ++digits;
  }
  return digits == 0 ? std::nullopt : std::optional{out};
}

/// The cursor that a server of ours adds to its events.
std::string cursor_in(const json::object& metadata) {
  auto cursor = text_in(metadata, stream_cursor_key);
  return net::is_event_id(cursor) ? std::move(cursor) : std::string{};
}

} // namespace

// -- the client -----------------------------------------------------------------------------------

result<std::unique_ptr<a2a_client>>
a2a_client::make(net::asio::io_context& context, net::timers_ptr clock, client_options options) {
  if (const auto urls = card_urls(options.to); !urls)
    return urls.error();
  net::http_client_options how;
  how.timeout = options.timeout;
  how.answer_bytes_max = options.bytes_max;
  how.admit = options.admit;
  how.trusted_pem = options.to.trusted_pem;
  how.resolve = options.resolve;
  how.connect = options.connect;
  how.certificate_pem = options.to.certificate_pem;
  how.key_pem = options.to.key_pem;
  auto http = net::http_client::make(context, clock, std::move(how));
  if (!http)
    return http.error();
  return std::unique_ptr<a2a_client>(
      new a2a_client(std::move(options), std::move(clock), std::move(*http)));
}

a2a_client::a2a_client(client_options options, net::timers_ptr clock,
                       std::unique_ptr<net::http_client> http)
    : options_(std::move(options)), clock_(std::move(clock)), http_(std::move(http)) {}

a2a_client::~a2a_client() = default;

void a2a_client::start() {
  http_->start();
}

bool a2a_client::turn() {
  return http_->turn();
}

void a2a_client::close() {
  http_->close();
}

awaitable<result<outbound_answer>> a2a_client::exchange(prepared_request request) {
  const auto url = parse_http_url(request.url);
  if (!url)
    co_return make_error(errc::invalid_agent_response,
                         "the agent card has an address that is none: " + url.error().message);
  const auto stream = http_->lend(*url);
  auto answer = co_await stream->exchange(std::move(request.request));
  if (answer)
    mask_credentials(answer->body);
  co_return answer;
}

void a2a_client::mask_credentials(std::string& text) const {
  net::mask(text, options_.to.authentication.bearer);
  net::mask(text, options_.to.authentication.api_key);
}

awaitable<result<void>> a2a_client::look_up() {
  if (card_)
    co_return result<void>{};
  co_return co_await read_card(std::nullopt);
}

awaitable<result<void>> a2a_client::read_card(std::optional<std::chrono::milliseconds> timeout) {
  const auto urls = card_urls(options_.to);
  error last;
  for (const auto& url : urls.value()) {
    prepared_request request;
    request.url = url;
    request.request.method = "GET";
    request.request.timeout = timeout;
    request.request.headers.emplace_back("Accept", "application/json");
    if (card_ && !card_etag_.empty())
      request.request.headers.emplace_back("If-None-Match", card_etag_);
    const auto authentication = authentication_headers(options_.to, url, nullptr);
    if (!authentication)
      co_return authentication.error();
    request.request.headers.insert(request.request.headers.end(), authentication->begin(),
                                   authentication->end());
    auto answer = co_await exchange(std::move(request));
    if (!answer)
      co_return answer.error();
    if (answer->status == 304 && card_) {
      keep_card_age(*answer);
      co_return result<void>{};
    }
    if (answer->status != 200) {
      auto refused = refused_card(answer->status, url);
      if (last.code == errc::none) // The usual place is the one to be named.
        last = refused;
      if (refused.code != errc::method_not_found)
        co_return refused;
      continue;
    }
    if (!answer->is_whole || answer->body.size() > card_bytes_max)
      co_return make_error(errc::invalid_agent_response,
                           "what stands at " + url
                               + " is no agent card: it is not whole, or longer " + "than "
                               + std::to_string(card_bytes_max) + " bytes");
    boost::system::error_code failed;
    const auto tree = parse_json(answer->body, failed);
    if (failed)
      co_return make_error(errc::invalid_agent_response,
                           "what stands at " + url + " is no agent card: " + json_fault(failed));
    auto read = read_agent_card(tree);
    if (!read)
      co_return make_error(errc::invalid_agent_response,
                           "what stands at " + url + " is no agent card: " + read.error().message);
    card_ = std::move(*read);
    endpoint_.reset();
    card_etag_ = answer->header("etag");
    keep_card_age(*answer);
    card_text_ = std::move(answer->body);
    co_return result<void>{};
  }
  co_return last;
}

void a2a_client::keep_card_age(const outbound_answer& said) {
  card_at_ = clock_->source().now();
  const auto age = max_age_of(said.header("cache-control"));
  card_holds_until_.reset();
  if (age)
    card_holds_until_ = clock_->now() + *age;
}

bool a2a_client::card_is_old() const {
  return card_holds_until_ && clock_->now() >= *card_holds_until_;
}

awaitable<result<agent_card>>
a2a_client::refresh_card(std::optional<std::chrono::milliseconds> timeout) {
  const bool holds = card_ && card_holds_until_ && !card_is_old();
  if (!holds) {
    const auto read = co_await read_card(timeout);
    if (!read)
      co_return read.error();
  }
  co_return *card_;
}

awaitable<result<agent_card>> a2a_client::card() {
  const auto found = co_await look_up();
  if (!found)
    co_return found.error();
  co_return *card_;
}

awaitable<result<endpoint>> a2a_client::where() {
  const auto found = co_await look_up();
  if (!found)
    co_return found.error();
  if (!endpoint_) {
    auto chosen = choose_endpoint(*card_, options_.to);
    if (!chosen)
      co_return chosen.error();
    endpoint_ = std::move(*chosen);
  }
  co_return *endpoint_;
}

result<prepared_request> a2a_client::prepared(operation which, json::object params,
                                              const std::string& last_id,
                                              const std::string& cursor) const {
  auto headers = authentication_headers(options_.to, endpoint_->url, &*card_);
  if (!headers)
    return headers.error();
  std::string extensions;
  const auto activate = [&](std::string_view uri) {
    if (offers(*card_, uri))
      extensions += (extensions.empty() ? "" : ", ") + std::string(uri);
  };
  activate(stream_cursor_uri);
  activate(opt::uri);
  for (const auto uri : options_.extensions)
    activate(uri);
  if (!extensions.empty()) // 0.3 section 3.2.6 spells it with an X
    headers->emplace_back(endpoint_->format.version == wire::a2a_version::v1_0 ? "A2A-Extensions"
                                                                               : "X-A2A-Extensions",
                          extensions);
  if (!last_id.empty())
    headers->emplace_back("Last-Event-ID", last_id);
  if (!cursor.empty())
    headers->emplace_back("Troupe-Cursor", cursor);
  return prepare(which, *endpoint_, std::move(params), *headers);
}

awaitable<result<json::value>> a2a_client::ask(operation which, json::object params) {
  header_list none;
  return ask_with(which, std::move(params), std::move(none));
}

awaitable<result<json::value>>
a2a_client::ask_with(operation which, json::object params, header_list headers,
                     std::optional<std::chrono::milliseconds> timeout) {
  const auto to = co_await where();
  if (!to)
    co_return to.error();
  auto request = prepared(which, std::move(params), "", "");
  if (!request)
    co_return request.error();
  append(request->request, headers);
  request->request.timeout = timeout;
  const auto answer = co_await exchange(std::move(*request));
  if (!answer)
    co_return answer.error();
  co_return read_result(*answer, to->format);
}

std::shared_ptr<event_stream> a2a_client::stream(operation which, json::object params,
                                                 connection_news news, header_list headers) {
  return std::make_shared<event_stream>(*this, which, std::move(params), std::move(news),
                                        std::move(headers));
}

// -- a stream -------------------------------------------------------------------------------------

event_stream::event_stream(a2a_client& by, operation which, json::object params,
                           connection_news news, header_list headers)
    : by_(by), which_(which), params_(std::move(params)), news_(std::move(news)),
      headers_(std::move(headers)), pause_(by.clock_) {}

event_stream::~event_stream() {
  drop();
}

void event_stream::drop() {
  if (connection_)
    connection_->close();
  connection_ = nullptr;
  reader_.reset();
}

void event_stream::resume_with(operation which, json::object params, std::string cursor) {
  which_ = which;
  params_ = std::move(params);
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
  const auto to = co_await by_.where();
  if (!to)
    co_return to.error();
  auto request = by_.prepared(which_, params_, last_id_, cursor_);
  if (!request)
    co_return request.error();
  const auto url = parse_http_url(request->url);
  if (!url)
    co_return make_error(errc::invalid_agent_response,
                         "the agent card has an address that is none: " + url.error().message);
  append(request->request, headers_);
  const auto connection = by_.http_->lend(*url);
  connection_ = connection;
  auto head = co_await connection->begin(std::move(request->request));
  if (!head)
    co_return head.error();
  if (head->status == 200 && is_event_stream(*head)) {
    reader_.emplace(by_.options_.bytes_max);
    co_return result<void>{};
  }
  // An error, or an answer that is no stream.
  const auto bytes_max = head->status == 200 ? by_.options_.bytes_max : refusal_bytes_max;
  for (;;) {
    const auto piece = co_await connection->more(by_.options_.timeout);
    if (!piece || piece->empty())
      break;
    head->body += *piece;
    if (head->body.size() > bytes_max) {
      head->is_whole = false;
      break;
    }
  }
  drop();
  by_.mask_credentials(head->body);
  auto answer = read_result(*head, to->format);
  if (!answer)
    co_return answer.error();
  whole_ = std::move(*answer);
  co_return result<void>{};
}

/// Waits before the next try; the error if there is none.
awaitable<result<void>> event_stream::wait_after(error why) {
  const auto hint = reader_ ? reader_->retry() : std::nullopt;
  drop();
  if (is_closed_)
    co_return make_error(errc::canceled, "closed");
  const auto wait = wait_before_reconnection(++failures_, hint);
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
      was_whole_ = true;
      co_return read{std::move(out)};
    }
    if (is_over_) {
      drop();
      co_return read{std::nullopt};
    }
    auto event = reader_ ? reader_->take() : std::nullopt;
    if (event) {
      by_.mask_credentials(event->data);
      auto value = read_event(*event, by_.endpoint_->format);
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
      const auto piece = co_await connection->more(by_.options_.silence);
      if (piece && !piece->empty()) {
        const auto fed = reader_->feed(*piece);
        if (!fed)
          co_return fed.error();
        continue;
      }
      broken =
          piece ? make_error(errc::unavailable, "the stream ended before its task") : piece.error();
    }
    const auto waited = co_await wait_after(std::move(broken));
    if (!waited)
      co_return waited.error();
  }
}

// -- a task's events ------------------------------------------------------------------------------

task_stream::task_stream(a2a_client& by, std::shared_ptr<event_stream> from, bool ends_at_question)
    : by_(by), events_(std::move(from)), ends_at_question_(ends_at_question) {}

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
  auto event = co_await events_->next();
  if (!event) {
    const auto code = event.error().code;
    // To subscribe to a task that has ended is refused (A2A 1.0 section 3.1.6); some agents do not
    // let anybody subscribe.
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
  last_event_ = **event;
  const auto to = co_await by_.where();
  auto value = wire::read_answer(**event, to->format);
  if (!value)
    co_return value.error();
  learn(*value);
  co_return read{std::optional{std::move(*value)}};
}

/// The task as it is now, if nothing more happens to it.
awaitable<result<std::optional<wire::answer>>> task_stream::ended_meanwhile(error why) {
  json::object params;
  params["id"] = task_;
  const auto now = co_await by_.ask(operation::get_task, std::move(params));
  if (!now)
    co_return now.error();
  const auto to = co_await by_.where();
  auto read = wire::read_task(*now, to->format);
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
