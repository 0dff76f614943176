// Deadlines as they stand in the reasons of what has failed.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::sim {

/// The deadline that a reason names; empty: none.
[[nodiscard]] inline std::string deadline_in(std::string_view reason) {
  constexpr std::string_view words = "has not ended before its deadline, ";
  constexpr std::size_t length = std::string_view("2030-01-01T00:00:00.000Z").size();
  const auto at = reason.find(words);
  return at == std::string_view::npos ? std::string{}
                                      : std::string(reason.substr(at + words.size(), length));
}

/// "2030-01-01T00:00:00.250Z" since 1970.
[[nodiscard]] inline std::int64_t milliseconds_of(std::string_view time) {
  const auto number = [&](std::size_t at, std::size_t digits) {
    int out = 0;
    if (at + digits <= time.size())
      std::from_chars(time.data() + at, time.data() + at + digits, out);
    return out;
  };
  const auto day = std::chrono::sys_days{std::chrono::year{number(0, 4)}
                                         / static_cast<int>(number(5, 2)) / number(8, 2)};
  const auto since = day.time_since_epoch() + std::chrono::hours{number(11, 2)}
                     + std::chrono::minutes{number(14, 2)} + std::chrono::seconds{number(17, 2)}
                     + std::chrono::milliseconds{number(20, 3)};
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

} // namespace troupe::sim
