#include "client/retry_after.hpp"

#include "protocol/text/http_date.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace troupe::net {

namespace {

using std::chrono::milliseconds;

/// `text` as a number of units that are `unit` milliseconds.
std::optional<milliseconds> wait_in(std::string_view text, double unit) {
  constexpr double longest = 10'000'000'000.0;
  double amount = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, amount, std::chars_format::fixed);
  const bool is_huge = failed == std::errc::result_out_of_range;
  if ((failed != std::errc{} && !is_huge) || stop != end || text.front() == '-'
      || !std::isfinite(amount))
    return std::nullopt;
  const double wait = is_huge ? longest : std::min(std::ceil(amount * unit), longest);
  return milliseconds{static_cast<std::int64_t>(wait)};
}

} // namespace

std::optional<milliseconds> read_retry_after(std::string_view text, timestamp now) {
  if (const auto seconds = wait_in(text, 1000))
    return seconds;
  const auto then = parse_http_date(text);
  if (!then)
    return std::nullopt;
  return std::max(timestamp{*then} - now, milliseconds{0});
}

std::optional<milliseconds> read_retry_after_ms(std::string_view text) {
  return wait_in(text, 1);
}

} // namespace troupe::net
