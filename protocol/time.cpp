#include <troupe/protocol/time.hpp>

#include <array>
#include <charconv>

namespace troupe {

namespace {

void put_digits(char* out, int width, unsigned value) {
  for (int i = width - 1; i >= 0; --i) {
    out[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

// Reads exactly `width` digits at the front of `text` and drops them.
std::optional<int> take_digits(std::string_view& text, std::size_t width) {
  if (text.size() < width)
    return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    if (text[i] < '0' || text[i] > '9')
      return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(width);
  return value;
}

bool take(std::string_view& text, char expected, char alternative) {
  if (text.empty() || (text.front() != expected && text.front() != alternative))
    return false;
  text.remove_prefix(1);
  return true;
}

} // namespace

void append_rfc3339(std::string& out, timestamp at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const auto ms = static_cast<unsigned>((at - day).count());
  std::array<char, 24> text;
  put_digits(text.data(), 4, static_cast<unsigned>(static_cast<int>(date.year())));
  text[4] = '-';
  put_digits(text.data() + 5, 2, static_cast<unsigned>(date.month()));
  text[7] = '-';
  put_digits(text.data() + 8, 2, static_cast<unsigned>(date.day()));
  text[10] = 'T';
  put_digits(text.data() + 11, 2, ms / 3'600'000);
  text[13] = ':';
  put_digits(text.data() + 14, 2, ms / 60'000 % 60);
  text[16] = ':';
  put_digits(text.data() + 17, 2, ms / 1'000 % 60);
  text[19] = '.';
  put_digits(text.data() + 20, 3, ms % 1'000);
  text[23] = 'Z';
  out.append(text.data(), text.size());
}

std::string to_rfc3339(timestamp at) {
  std::string out;
  append_rfc3339(out, at);
  return out;
}

std::optional<timestamp> parse_rfc3339(std::string_view text) {
  using namespace std::chrono;
  const auto y = take_digits(text, 4);
  if (!y || !take(text, '-', '-'))
    return std::nullopt;
  const auto mo = take_digits(text, 2);
  if (!mo || !take(text, '-', '-'))
    return std::nullopt;
  const auto d = take_digits(text, 2);
  if (!d || !take(text, 'T', 't'))
    return std::nullopt;
  const auto h = take_digits(text, 2);
  if (!h || !take(text, ':', ':'))
    return std::nullopt;
  const auto mi = take_digits(text, 2);
  if (!mi || !take(text, ':', ':'))
    return std::nullopt;
  const auto s = take_digits(text, 2);
  if (!s || *h > 23 || *mi > 59 || *s > 60)
    return std::nullopt;
  const year_month_day date{year{*y}, month{static_cast<unsigned>(*mo)},
                            day{static_cast<unsigned>(*d)}};
  if (!date.ok())
    return std::nullopt;
  int fraction_ms = 0;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    int scale = 100;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
      fraction_ms += (text[digits] - '0') * scale;
      scale /= 10;
    }
    if (digits == 0)
      return std::nullopt;
    text.remove_prefix(digits);
  }
  minutes offset{0};
  if (!take(text, 'Z', 'z')) {
    const bool behind = !text.empty() && text.front() == '-';
    if (!take(text, '+', '-'))
      return std::nullopt;
    const auto oh = take_digits(text, 2);
    if (!oh || !take(text, ':', ':'))
      return std::nullopt;
    const auto om = take_digits(text, 2);
    if (!om || *oh > 23 || *om > 59)
      return std::nullopt;
    offset = hours{*oh} + minutes{*om};
    if (behind)
      offset = -offset;
  }
  if (!text.empty())
    return std::nullopt;
  return sys_days{date} + hours{*h} + minutes{*mi} + seconds{*s} + milliseconds{fraction_ms}
         - offset;
}

} // namespace troupe
