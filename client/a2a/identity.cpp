#include "client/a2a/identity.hpp"

#include "client/address_class.hpp"
#include "client/masking.hpp"
#include "client/tls_settings.hpp"
#include "protocol/text/http_url.hpp"
#include "protocol/text/percent.hpp"

#include <chrono>
#include <utility>

namespace troupe::a2a {

using net::awaitable;

namespace {

/// Between two looks at the files.
constexpr std::chrono::seconds files_kept{1};
/// For the token, of which others may wait for the end.
constexpr std::chrono::seconds token_timeout{15};

net::tls_settings tls_of(const target& to) {
  return {to.trusted_pem, to.certificate_pem, to.key_pem};
}

/// What the token server is sent (token_request).
credentials as_sent(const oauth_client& of) {
  credentials out;
  out.basic_user = form_encoded(of.id);
  out.basic_password = form_encoded(of.secret);
  out.oauth = of;
  return out;
}

void mask_in(std::string& text, const credentials& all) {
  net::mask(text, all.bearer);
  net::mask(text, all.api_key);
  net::mask(text, all.basic_password);
  if (!all.basic_user.empty())
    net::mask(text, basic_header(all.basic_user, all.basic_password).substr(6));
  if (all.oauth)
    net::mask(text, all.oauth->secret);
}

} // namespace

identity::identity(target to, net::timers_ptr clock, net::http_client& http)
    : to_(std::move(to)), read_(to_.authentication), clock_(std::move(clock)), http_(http),
      read_at_(clock_->now()) {}

/// What cannot be read now, or is not whole, stays as it was: it may be written at this moment.
void identity::read_files() {
  read_at_ = clock_->now();
  auto fresh = to_.read_again();
  if (!fresh)
    return;
  const auto tls = tls_of(*fresh);
  if (tls != tls_of(to_) && http_.renew_tls(tls)) {
    to_.trusted_pem = tls.trusted_pem;
    to_.certificate_pem = tls.certificate_pem;
    to_.key_pem = tls.key_pem;
    ++version_;
  }
  if (fresh->authentication == read_)
    return;
  replaced_ = to_.authentication;
  read_ = std::move(fresh->authentication);
  to_.authentication = read_;
  token_ = {};
  ++version_;
}

awaitable<result<void>> identity::refresh() {
  if (to_.read_again && clock_->now() >= read_at_ + files_kept)
    read_files();
  if (!read_.oauth || (!token_.text.empty() && clock_->now() < token_.until))
    co_return result<void>{};
  co_return co_await fetching_.run(clock_, token_timeout * 2, [this] { return fetch_token(); });
}

awaitable<bool> identity::renew(std::uint64_t refused) {
  if (version_ == refused && to_.read_again)
    read_files();
  if (version_ == refused && read_.oauth) {
    token_ = {};
    const auto fetched = co_await refresh();
    if (!fetched)
      co_return false;
  }
  co_return version_ != refused;
}

awaitable<result<void>> identity::fetch_token() {
  const auto from = *read_.oauth;
  const auto url = parse_http_url(from.token_url);
  if (!url)
    co_return make_error(errc::invalid_params,
                         "`oauth-token-url` of the target is no URL: " + url.error().message);
  if (!url->tls && !to_.allow_http && !net::is_this_computer(url->host))
    co_return make_error(errc::forbidden,
                         "the secret is not sent to " + url->host
                             + " without TLS; use https, or say `allow-http = true` in the target");
  auto request = token_request(from);
  request.timeout = token_timeout;
  const auto stream = http_.lend(*url);
  auto answer = co_await stream->exchange(std::move(request));
  if (!answer)
    co_return answer.error();
  mask_in(answer->body, as_sent(from));
  auto token = read_token(*answer, clock_->now());
  if (!token)
    co_return token.error();
  if (read_.oauth != from) // the file has changed meanwhile
    co_return result<void>{};
  token_ = std::move(*token);
  if (!to_.authentication.bearer.empty())
    replaced_ = to_.authentication;
  to_.authentication.bearer = token_.text;
  ++version_;
  co_return result<void>{};
}

void identity::mask(std::string& text) const {
  mask_in(text, to_.authentication);
  mask_in(text, replaced_);
}

void identity::mask(net::outbound_answer& answer) const {
  mask(answer.body);
  for (auto& [name, value] : answer.headers)
    mask(value);
}

} // namespace troupe::a2a
