#include "net/push/push_retry.hpp"

#include "client/backoff.hpp"

#include <algorithm>

namespace troupe::net {

namespace {

using std::chrono::milliseconds;

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
    out.wait = backoff(options.retry_first, options.retry_max, failures + 1, chance);
    if (attempt.retry_after)
      out.wait = std::max(out.wait, std::min(*attempt.retry_after, options.retry_max));
  }
  return out;
}

bool is_turn_over(std::size_t attempts, std::chrono::nanoseconds taken,
                  const push_options& options) noexcept {
  return attempts >= turn_attempts_max || (attempts > 0 && taken >= options.timeout);
}

bool is_prompt(std::chrono::nanoseconds taken, const push_options& options) noexcept {
  return taken <= options.timeout / 4;
}

} // namespace troupe::net
