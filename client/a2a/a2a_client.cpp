#include "client/a2a/a2a_client.hpp"

#include "protocol/a2a/codec_agent_card.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/refusable_work.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace troupe::a2a {

namespace json = boost::json;
using net::awaitable;
using net::outbound_answer;

namespace {

/// A server that starts again is back in seconds.
constexpr net::breaker_terms breaker_terms_of_agents{.failures_max = 5,
                                                     .open_for = std::chrono::milliseconds{1'000},
                                                     .open_for_max =
                                                         std::chrono::milliseconds{30'000}};

bool is_redirect(unsigned status) noexcept {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
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
  how.proxies = options.to.proxies;
  how.total = options.total;
  how.memory = options.memory;
  const auto at_once = std::max(unfinished_bytes_at_once, 2 * options.bytes_max);
  how.pace = std::make_shared<net::read_pace>(
      static_cast<std::uint32_t>(unfinished_bytes_per_second / net::paced_block_bytes),
      static_cast<std::uint32_t>(at_once / net::paced_block_bytes));
  auto pace = how.pace;
  auto http = net::http_client::make(context, clock, std::move(how));
  if (!http)
    return http.error();
  return std::unique_ptr<a2a_client>(
      new a2a_client(std::move(options), std::move(clock), std::move(pace), std::move(*http)));
}

a2a_client::a2a_client(client_options options, net::timers_ptr clock,
                       std::shared_ptr<net::read_pace> pace, std::unique_ptr<net::http_client> http)
    : options_(std::move(options)), clock_(std::move(clock)), pace_(std::move(pace)),
      http_(std::move(http)), who_(options_.to, clock_, *http_), breaker_(breaker_terms_of_agents) {
}

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

result<void> a2a_client::admit() {
  const auto now = clock_->now();
  if (breaker_.admit(now))
    return {};
  const auto wait = breaker_.open_for(now);
  auto out =
      make_error(errc::unavailable, "the agent at " + options_.to.url
                                        + " has failed again and again; it is asked again in "
                                        + std::to_string(wait.count()) + " ms");
  json::object details;
  details["cause"] = "breaker"; // nothing was sent
  details["retryAfter"] = std::chrono::ceil<std::chrono::seconds>(wait).count();
  out.details = json::serialize(details);
  return out;
}

void a2a_client::note(const result<outbound_answer>& answer) {
  if (answer) {
    const auto status = answer->status; // 503 asks for time, and has its own rules
    if (status == 500 || status == 502 || status == 504 || !answer->is_whole)
      breaker_.fail(clock_->now());
    else
      breaker_.succeed();
    return;
  }
  const auto code = answer.error().code;
  if (code == errc::unavailable || code == errc::timed_out || code == errc::invalid_agent_response)
    breaker_.fail(clock_->now());
  else
    breaker_.forget(); // of our own making
}

void a2a_client::note_stream(bool has_event, net::time_point began) {
  if (has_event)
    breaker_.succeed();
  else
    breaker_.fail_begun(clock_->now(), began);
}

awaitable<result<outbound_answer>> a2a_client::exchange(prepared_request request) {
  const auto url = parse_http_url(request.url);
  if (!url)
    co_return make_error(errc::invalid_agent_response,
                         "the agent card has an address that is none: " + url.error().message);
  const auto admitted = admit();
  if (!admitted)
    co_return admitted.error();
  const auto stream = http_->lend(*url);
  auto answer = co_await stream->exchange(std::move(request.request));
  note(answer);
  if (answer)
    who_.mask(*answer);
  co_return answer;
}

awaitable<result<void>> a2a_client::look_up() {
  if (card_)
    co_return result<void>{};
  co_return co_await looking_up_.run(clock_, options_.timeout * 4,
                                     [this] { return read_card(std::nullopt); });
}

/// What stands at `url`, over redirects; `url` becomes where that is.
awaitable<result<outbound_answer>>
a2a_client::fetch_card(std::string& url, std::optional<std::chrono::milliseconds> timeout) {
  const auto first = url;
  bool has_renewed = false;
  for (int redirects = 0;;) {
    const auto ready = co_await who_.refresh();
    if (!ready)
      co_return ready.error();
    const auto version = who_.version();
    prepared_request request;
    request.url = url;
    request.request.method = "GET";
    request.request.timeout = timeout;
    request.request.headers.emplace_back("Accept", "application/json");
    if (card_ && !card_etag_.empty())
      request.request.headers.emplace_back("If-None-Match", card_etag_);
    if (is_same_origin(url, first)) {
      const auto authentication = authentication_headers(who_.to(), url, nullptr);
      if (!authentication)
        co_return authentication.error();
      append(request.request, *authentication);
    }
    auto answer = co_await exchange(std::move(request));
    if (!answer)
      co_return answer;
    if (answer->status == 401 && !has_renewed) {
      has_renewed = true;
      const bool renewed = co_await who_.renew(version);
      if (renewed)
        continue;
    }
    if (!is_redirect(answer->status) || answer->header("location").empty())
      co_return answer;
    if (++redirects > card_redirects_max)
      co_return make_error(errc::invalid_agent_response,
                           "there is no agent card at " + first + ": more than "
                               + std::to_string(card_redirects_max) + " redirects");
    auto next = follow_redirect(url, answer->header("location"));
    if (!next)
      co_return next.error();
    url = std::move(*next);
  }
}

awaitable<result<void>> a2a_client::read_card(std::optional<std::chrono::milliseconds> timeout) {
  const auto urls = card_urls(who_.to());
  error last;
  for (const auto& each : urls.value()) {
    auto url = each;
    auto answer = co_await fetch_card(url, timeout);
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
    if (const auto& verify = who_.to().verify_card) {
      if (const auto signed_well = verify(answer->body); !signed_well)
        co_return make_error(errc::invalid_agent_response,
                             "the agent card at " + url
                                 + " is not believed: " + signed_well.error().message);
    }
    place_interfaces(*read, url, who_.to());
    card_ = std::make_shared<const agent_card>(std::move(*read));
    if (answer->body != card_text_) { // its version may be right now
      learned_.reset();
      is_sure_of_version_ = false;
    }
    endpoint_.reset();
    if (auto chosen = endpoint_in(learned_)) // else `where` says why not
      endpoint_ = std::move(*chosen);
    card_etag_ = answer->header("etag");
    keep_card_age(*answer);
    card_text_ = std::move(answer->body);
    co_return result<void>{};
  }
  co_return last;
}

void a2a_client::keep_card_age(const outbound_answer& said) {
  card_at_ = clock_->source().now();
  card_read_at_ = clock_->now();
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

awaitable<result<void>> a2a_client::renew_card() {
  const auto now = clock_->now();
  const bool holds =
      card_
      && now < card_holds_until_.value_or(card_read_at_ + std::chrono::nanoseconds{card_kept});
  if (holds)
    co_return result<void>{};
  co_return co_await looking_up_.run(clock_, options_.timeout * 4,
                                     [this] { return read_card(std::nullopt); });
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
    auto chosen = endpoint_in(learned_);
    if (!chosen)
      co_return chosen.error();
    endpoint_ = std::move(*chosen);
  }
  co_return *endpoint_;
}

/// As the card says it, or where `version` is spoken: the interface that says so, else the card's
/// with this version.
result<endpoint> a2a_client::endpoint_in(std::optional<wire::a2a_version> version) const {
  auto out = choose_endpoint(*card_, who_.to());
  if (!out || !version || out->format.version == *version)
    return out;
  auto wanted = who_.to();
  wanted.version = version;
  wanted.binding = out->format.binding;
  if (auto other = choose_endpoint(*card_, wanted))
    return other;
  out->format.version = *version;
  return out;
}

bool a2a_client::learn_version(wire::a2a_version asked, operation which,
                               const result<json::value>& answer) {
  const bool is_current = endpoint_ && endpoint_->format.version == asked;
  if (answer || !may_be_wrong_version(answer.error(), which, format().binding)) {
    is_sure_of_version_ = is_sure_of_version_ || (is_current && answer.has_value());
    return false;
  }
  if (!endpoint_)
    return false; // another card was read meanwhile
  if (!is_current)
    return true; // another request has learned meanwhile
  if (is_sure_of_version_ || who_.to().version)
    return false;
  is_sure_of_version_ = learned_.has_value(); // neither: the card's stays
  learned_ = learned_ ? std::nullopt
                      : std::optional{asked == wire::a2a_version::v1_0 ? wire::a2a_version::v0_3
                                                                       : wire::a2a_version::v1_0};
  if (auto other = endpoint_in(learned_))
    endpoint_ = std::move(*other);
  return learned_.has_value();
}

result<prepared_request> a2a_client::prepared(operation which, const params_writer& params,
                                              const std::string& last_id,
                                              const std::string& cursor) const {
  auto headers = authentication_headers(who_.to(), endpoint_->url, card_.get());
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
  auto out = refusable("the request", [&]() -> result<prepared_request> {
    return prepare(which, *endpoint_, params(endpoint_->format), *headers);
  });
  if (!out)
    return net::with_cause(out.error(), "busy"); // nothing was sent
  return out;
}

awaitable<result<json::value>> a2a_client::ask(operation which, json::object params) {
  header_list none;
  return ask_with(which, same_params(std::move(params)), std::move(none));
}

awaitable<result<json::value>>
a2a_client::ask_with(operation which, params_writer params, header_list headers,
                     std::optional<std::chrono::milliseconds> timeout) {
  bool has_renewed = false;
  std::optional<error> first;
  for (;;) {
    const auto ready = co_await who_.refresh();
    if (!ready)
      co_return ready.error();
    const auto to = co_await where();
    if (!to)
      co_return to.error();
    const auto version = who_.version();
    const auto format = to->format;
    auto request = prepared(which, params, "", "");
    if (!request)
      co_return request.error();
    append(request->request, headers);
    request->request.timeout = timeout;
    const auto answer = co_await exchange(std::move(*request));
    if (!answer)
      co_return answer.error();
    if (answer->status == 401 && !has_renewed) {
      has_renewed = true;
      const bool renewed = co_await who_.renew(version);
      if (renewed)
        continue;
    }
    auto out = read_result(*answer, format, clock_->source().now());
    if (learn_version(format.version, which, out)) {
      first = out.error();
      continue;
    }
    if (!out && first && may_be_wrong_version(out.error(), which, format.binding))
      co_return *first;
    co_return out;
  }
}

std::shared_ptr<event_stream> a2a_client::stream(operation which, params_writer params,
                                                 connection_news news, header_list headers) {
  return std::make_shared<event_stream>(*this, which, std::move(params), std::move(news),
                                        std::move(headers));
}

std::shared_ptr<event_stream> a2a_client::stream(operation which, json::object params,
                                                 connection_news news, header_list headers) {
  return stream(which, same_params(std::move(params)), std::move(news), std::move(headers));
}

} // namespace troupe::a2a
