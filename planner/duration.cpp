#include "planner/duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>

#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

using std::chrono::milliseconds;

constexpr std::int64_t second_ms = 1000;
constexpr std::int64_t minute_ms = 60 * second_ms;
constexpr std::int64_t hour_ms = 60 * minute_ms;
constexpr std::int64_t day_ms = 24 * hour_ms;
constexpr std::int64_t duration_max_ms = 3650 * day_ms; // opt::seconds_max

struct time_unit {
  std::string_view name;
  std::int64_t ms;
};
// clang-format off
constexpr auto units = std::to_array<time_unit>({
    {"millisecond", 1}, {"milliseconds", 1}, {"ms", 1},
    {"second", second_ms}, {"seconds", second_ms}, {"sec", second_ms}, {"secs", second_ms}, {"s", second_ms},
    {"minute", minute_ms}, {"minutes", minute_ms}, {"min", minute_ms}, {"mins", minute_ms}, {"m", minute_ms},
    {"hour", hour_ms}, {"hours", hour_ms}, {"hr", hour_ms}, {"hrs", hour_ms}, {"h", hour_ms},
    {"day", day_ms}, {"days", day_ms}, {"d", day_ms},
    {"week", 7 * day_ms}, {"weeks", 7 * day_ms},
    {"month", 30 * day_ms}, {"months", 30 * day_ms},
    {"year", 365 * day_ms}, {"years", 365 * day_ms},
});
// clang-format on

constexpr auto units_written = std::to_array<time_unit>({
    {"days", day_ms},
    {"hours", hour_ms},
    {"minutes", minute_ms},
    {"seconds", second_ms},
});

std::optional<std::int64_t> unit_ms(std::string_view name) {
  if (name.ends_with('.'))
    name.remove_suffix(1);
  const auto* found = std::ranges::find(units, name, &time_unit::name);
  return found == units.end() ? std::nullopt : std::optional(found->ms);
}

struct amount {
  double value = 0;
  std::string_view rest; ///< "5min": what follows the number.
};

std::optional<amount> read_amount(std::string_view word) {
  amount out;
  if (word == "a" || word == "an" || word == "one") {
    out.value = 1;
    return out;
  }
  const auto* end = word.data() + word.size();
  if (word.empty() || word.front() < '0' || word.front() > '9')
    return std::nullopt;
  const auto [read_to, failed] =
      std::from_chars(word.data(), end, out.value, std::chars_format::fixed);
  if (failed != std::errc{})
    return std::nullopt;
  out.rest = {read_to, static_cast<std::size_t>(end - read_to)};
  return out;
}

bool may_lead(std::string_view word) {
  constexpr auto leading = std::to_array<std::string_view>(
      {"takes", "take", "about", "approx", "approximately", "ca", "~"});
  return std::ranges::find(leading, word) != leading.end();
}

} // namespace

std::optional<milliseconds> read_duration(std::string_view text) {
  const auto all = tokens_of(text);
  std::span<const token> words(all);
  while (!words.empty() && words.back().text == ".")
    words = words.first(words.size() - 1);
  while (!words.empty() && may_lead(words.front().text))
    words = words.subspan(1);
  double total = 0;
  bool is_any = false;
  while (!words.empty()) {
    if (is_any && (words.front().text == "and" || words.front().text == ","))
      words = words.subspan(1);
    const auto number = words.empty() ? std::nullopt : read_amount(words.front().text);
    if (!number)
      return std::nullopt;
    words = words.subspan(1);
    auto unit = number->rest;
    if (unit.empty()) {
      if (words.empty())
        return std::nullopt;
      unit = words.front().text;
      words = words.subspan(1);
    }
    const auto ms = unit_ms(unit);
    if (!ms)
      return std::nullopt;
    total += number->value * static_cast<double>(*ms);
    is_any = true;
    while (!words.empty() && words.front().text == ".")
      words = words.subspan(1);
  }
  if (!is_any || total > static_cast<double>(duration_max_ms))
    return std::nullopt;
  return milliseconds(std::llround(total));
}

std::string duration_text(milliseconds duration) {
  const auto ms = duration.count();
  for (const auto& [name, unit] : units_written) {
    if (ms % unit != 0)
      continue;
    const auto number = ms / unit;
    const auto singular = name.substr(0, name.size() - 1);
    return std::to_string(number) + ' ' + std::string(number == 1 ? singular : name);
  }
  auto fraction = std::to_string(second_ms + ms % second_ms).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return std::to_string(ms / second_ms) + '.' + fraction + " seconds";
}

} // namespace troupe::planner
