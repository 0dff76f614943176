#include "net/push/push_retry.hpp"

#include "protocol/text/http_date.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::net {

namespace {

using std::chrono::milliseconds;

/// Doubles with each failure, and a quarter more or less, so that those who failed together do not
/// come back together.
milliseconds backoff(std::uint32_t failures, double chance, const push_options& options) {
  auto wait = options.retry_first;
  for (std::uint32_t i = 0; i < failures && wait < options.retry_max; ++i)
    wait *= 2;
  wait = std::min(wait, options.retry_max);
  return milliseconds{
      static_cast<std::int64_t>(static_cast<double>(wait.count()) * (0.75 + chance / 2))};
}

bool may_pass(unsigned status) noexcept {
  return status == 0 || status >= 500 || status == 408 || status == 425 || status == 429;
}

std::string reason_of(const push_attempt& attempt) {
  if (attempt.status == 0)
    return attempt.failure.message;
  std::string out = "the receiver answered with status " + std::to_string(attempt.status);
  if (attempt.status >= 300 && attempt.status < 400)
    out += "; redirects are not followed";
  return out;
}

} // namespace

bool is_ours(const error& failure) noexcept {
  return failure.code == errc::overloaded || failure.code == errc::store_unreadable;
}

push_verdict judge(const push_attempt& attempt, std::uint32_t failures, double chance,
                   const push_options& options) {
  if (attempt.status >= 200 && attempt.status < 300)
    return {};
  push_verdict out{push_step::retry, milliseconds{0}, reason_of(attempt)};
  if (attempt.status == 0 && is_ours(attempt.failure))
    out.step = push_step::postpone;
  else if (attempt.status == 0 && attempt.failure.code == errc::invalid_params)
    out.step = push_step::stop;
  else if (failures + 1 >= options.failures_max)
    out.step = push_step::stop;
  else if (!may_pass(attempt.status))
    out.step = push_step::skip;
  if (out.step == push_step::retry || out.step == push_step::postpone) {
    out.wait = backoff(failures, chance, options);
    if (attempt.retry_after)
      out.wait = std::max(out.wait, std::min(*attempt.retry_after, options.retry_max));
  }
  return out;
}

std::optional<milliseconds> parse_retry_after(std::string_view text, timestamp now) {
  constexpr std::int64_t seconds_max = 10'000'000;
  std::int64_t seconds = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, ec] = std::from_chars(text.data(), end, seconds);
  if (ec == std::errc{} && stop == end)
    return seconds >= 0 ? std::optional{milliseconds{std::min(seconds, seconds_max) * 1000}}
                        : std::nullopt;
  const auto then = parse_http_date(text);
  return then && *then > now ? std::optional{timestamp{*then} - now} : std::nullopt;
}

} // namespace troupe::net
