#include "agents/a2a/target_gate.hpp"

#include "protocol/json/json_parser.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

namespace troupe {

namespace {

/// Longer waits are not believed.
constexpr std::chrono::seconds retry_after_max{600};
/// A rate above which there is no limit any more.
constexpr double rate_unlimited = 1000;

std::int64_t number_in(const boost::json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_int64() ? found->get_int64() : -1;
}

std::chrono::nanoseconds interval_of(double rate) {
  return std::chrono::nanoseconds{static_cast<std::int64_t>(1e9 / rate)};
}

} // namespace

std::optional<target_gate::point> target_gate::next_begin(point now) const {
  if (limits_.open_max != 0 && open_ >= limits_.open_max)
    return std::nullopt;
  return std::max(now, next_);
}

void target_gate::take_turn(point at) {
  if (rate_ > 0)
    next_ = at + interval_of(rate_);
}

void target_gate::begin(point now) {
  ++open_;
  take_turn(std::max(now, next_));
}

target_gate::point target_gate::again(point now) {
  const auto at = std::max(now, next_);
  take_turn(at);
  return at;
}

void target_gate::refused(point now, std::optional<std::chrono::seconds> retry_after) {
  if (!lowered_at_ || now - *lowered_at_ >= std::chrono::seconds{1}) {
    rate_ = std::max((rate_ > 0 ? rate_ : rate_after_refusal) / 2, rate_min);
    lowered_at_ = now;
  }
  next_ = std::max(next_, now + interval_of(rate_));
  if (retry_after)
    next_ = std::max(next_, now + std::min(*retry_after, retry_after_max));
}

void target_gate::accepted() noexcept {
  if (!lowered_at_)
    return;
  // One that was down for a while is not asked slowly for minutes.
  rate_ *= rate_ < 1 ? 2 : 1.1;
  if (limits_.rate_max > 0 ? rate_ >= limits_.rate_max : rate_ >= rate_unlimited) {
    rate_ = limits_.rate_max;
    lowered_at_.reset();
  }
}

std::optional<gate_refusal> refusal_in(const error& why) {
  if (why.details.empty())
    return std::nullopt;
  boost::system::error_code failed;
  const auto tree = parse_json(why.details, failed);
  const auto* from = tree.if_object();
  if (failed || from == nullptr)
    return std::nullopt;
  const auto status = number_in(*from, "httpStatus");
  const bool is_full = status == 429 || status == 503; // RFC 6585 section 4, RFC 9110 15.6.4
  const auto* cause = from->if_contains("cause");
  // Our own client has not sent it: the agent fails again and again, or no connection was free.
  const bool was_kept = cause != nullptr && (*cause == "breaker" || *cause == "busy");
  if (!is_full && !was_kept)
    return std::nullopt;
  gate_refusal out;
  if (const auto wait = number_in(*from, "retryAfter"); wait >= 0)
    out.retry_after = std::chrono::seconds{wait};
  return out;
}

} // namespace troupe
