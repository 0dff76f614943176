#include "protocol/text/http_date.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace troupe {

namespace {

using namespace std::chrono;

constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Takes a date apart from the front; after a mistake everything fails.
class reader {
public:
  explicit reader(std::string_view text) : remaining_(text) {}

  void skip(std::string_view text) {
    good_ = good_ && remaining_.starts_with(text);
    if (good_)
      remaining_.remove_prefix(text.size());
  }

  /// Exactly `count` digits; a blank may stand for the first.
  unsigned digits(std::size_t count, bool blank_first = false) {
    unsigned value = 0;
    good_ = good_ && remaining_.size() >= count;
    for (std::size_t i = 0; good_ && i < count; ++i) {
      const char c = remaining_[i];
      if (blank_first && i == 0 && c == ' ')
        continue;
      good_ = c >= '0' && c <= '9';
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    if (good_)
      remaining_.remove_prefix(count);
    return value;
  }

  month month_name() {
    const auto found = std::find_if(months.begin(), months.end(),
                                    [&](auto name) { return remaining_.starts_with(name); });
    good_ = good_ && found != months.end();
    if (!good_)
      return {};
    remaining_.remove_prefix(3);
    return month{static_cast<unsigned>(found - months.begin()) + 1};
  }

  seconds time_of_day() {
    const auto hour = digits(2);
    skip(":");
    const auto minute = digits(2);
    skip(":");
    const auto second = digits(2);
    good_ = good_ && hour < 24 && minute < 60 && second <= 60;
    return hours{hour} + minutes{minute} + seconds{std::min(second, 59U)};
  }

  std::optional<sys_seconds> end(year_month_day date, seconds time) const {
    if (!good_ || !remaining_.empty() || !date.ok())
      return std::nullopt;
    return sys_days{date} + time;
  }

private:
  std::string_view remaining_;
  bool good_ = true;
};

/// `Sun, 06 Nov 1994 08:49:37 GMT`
std::optional<sys_seconds> parse_fixed(std::string_view text) {
  reader in(text);
  const day d{in.digits(2)};
  in.skip(" ");
  const auto m = in.month_name();
  in.skip(" ");
  const year y{static_cast<int>(in.digits(4))};
  in.skip(" ");
  const auto time = in.time_of_day();
  in.skip(" GMT");
  return in.end(y / m / d, time);
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`. RFC 9110 reads two digits that would lie more than 50 years
/// ahead as the past; without asking for the time, 70 to 99 are of the last century here.
std::optional<sys_seconds> parse_rfc850(std::string_view text) {
  reader in(text);
  const day d{in.digits(2)};
  in.skip("-");
  const auto m = in.month_name();
  in.skip("-");
  const auto two = static_cast<int>(in.digits(2));
  const year y{two < 70 ? 2000 + two : 1900 + two};
  in.skip(" ");
  const auto time = in.time_of_day();
  in.skip(" GMT");
  return in.end(y / m / d, time);
}

/// `Sun Nov  6 08:49:37 1994`
std::optional<sys_seconds> parse_asctime(std::string_view text) {
  reader in(text);
  const auto m = in.month_name();
  in.skip(" ");
  const day d{in.digits(2, true)};
  in.skip(" ");
  const auto time = in.time_of_day();
  in.skip(" ");
  const year y{static_cast<int>(in.digits(4))};
  return in.end(y / m / d, time);
}

} // namespace

void append_http_date(std::string& out, sys_seconds at) {
  const auto midnight = floor<std::chrono::days>(at);
  const year_month_day date{midnight};
  const hh_mm_ss time{at - midnight};
  std::array<char, 40> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
      days[weekday{midnight}.c_encoding()].data(), static_cast<unsigned>(date.day()),
      months[static_cast<unsigned>(date.month()) - 1].data(), static_cast<int>(date.year()),
      static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
      static_cast<int>(time.seconds().count()));
  out.append(text.data(), static_cast<std::size_t>(length));
}

std::optional<sys_seconds> parse_http_date(std::string_view text) {
  if (const auto comma = text.find(", "); comma != std::string_view::npos)
    return comma == 3 ? parse_fixed(text.substr(5)) : parse_rfc850(text.substr(comma + 2));
  return text.size() > 4 && text[3] == ' ' ? parse_asctime(text.substr(4)) : std::nullopt;
}

} // namespace troupe
