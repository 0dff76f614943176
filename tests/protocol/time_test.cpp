#include "tests/support/catch.hpp"
#include <troupe/protocol/time_source.hpp>

#include <random>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

timestamp at(std::int64_t ms) {
  return timestamp{std::chrono::milliseconds{ms}};
}

} // namespace

TEST_CASE("a timestamp is written in UTC to the millisecond", "[protocol][time]") {
  CHECK(to_rfc3339(at(0)) == "1970-01-01T00:00:00.000Z");
  CHECK(to_rfc3339(at(1'767'323'045'678)) == "2026-01-02T03:04:05.678Z");
  CHECK(to_rfc3339(at(951'782'400'000 - 1)) == "2000-02-28T23:59:59.999Z");
  CHECK(to_rfc3339(at(951'782'400'000)) == "2000-02-29T00:00:00.000Z");
  CHECK(to_rfc3339(at(-1)) == "1969-12-31T23:59:59.999Z");
  CHECK(to_rfc3339(at(253'402'300'799'999)) == "9999-12-31T23:59:59.999Z");
  std::string out = "at ";
  append_rfc3339(out, at(0));
  CHECK(out == "at 1970-01-01T00:00:00.000Z");
}

TEST_CASE("RFC 3339 is read with any fraction and any offset", "[protocol][time]") {
  struct row {
    const char* text;
    const char* expected;
  };
  const auto [text, expected] = GENERATE(values<row>({
      {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"},
      {"2026-01-02t03:04:05z", "2026-01-02T03:04:05.000Z"},
      {"2026-01-02T03:04:05.6Z", "2026-01-02T03:04:05.600Z"},
      {"2026-01-02T03:04:05.67Z", "2026-01-02T03:04:05.670Z"},
      {"2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"},
      {"2026-01-02T03:04:05.678999999Z", "2026-01-02T03:04:05.678Z"},
      {"2026-01-02T03:04:05.00000000000000000000001Z", "2026-01-02T03:04:05.000Z"},
      {"2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05.000Z"},
      {"2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05.000Z"},
      {"2026-01-02T03:04:05+05:30", "2026-01-01T21:34:05.000Z"},
      {"2026-01-02T03:04:05-08:00", "2026-01-02T11:04:05.000Z"},
      {"2025-12-31T23:59:60Z", "2026-01-01T00:00:00.000Z"}, // a leap second
      {"2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000Z"},
      {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"},
      {"9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"},
  }));
  CAPTURE(text);
  const auto read = parse_rfc3339(text);
  REQUIRE(read.has_value());
  CHECK(to_rfc3339(*read) == expected);
}

TEST_CASE("a time that is not RFC 3339 is refused", "[protocol][time]") {
  const auto* text = GENERATE(
      "", "2026", "2026-01-02", "2026-01-02T03:04Z", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z",
      "2026-1-02T03:04:05Z", "26-01-02T03:04:05Z", "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z",
      "2026-01-00T03:04:05Z", "2026-01-32T03:04:05Z", "2026-02-29T03:04:05Z",
      "1900-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:05Z",
      "2026-01-02T03:04:61Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05,5Z",
      "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+05:60", "2026-01-02T03:04:05+0530",
      "2026-01-02T03:04:05+05", "2026-01-02T03:04:05Z ", " 2026-01-02T03:04:05Z",
      "2026-01-02T03:04:05ZZ", "-2026-01-02T03:04:05Z", "+2026-01-02T03:04:05Z",
      "2026-01-02T03:04:05.5", "2026-01-02T-3:04:05Z", "now");
  CAPTURE(text);
  CHECK_FALSE(parse_rfc3339(text).has_value());
}

TEST_CASE("every millisecond reads back as it was written", "[protocol][time]") {
  std::mt19937_64 random{5};
  for (int i = 0; i < 10'000; ++i) {
    const auto when =
        at(static_cast<std::int64_t>(random() % 315'000'000'000'000) - 62'000'000'000'000);
    REQUIRE(parse_rfc3339(to_rfc3339(when)) == when);
  }
}

TEST_CASE("written timestamps sort as text the way they sort in time", "[protocol][time]") {
  std::mt19937_64 random{6};
  for (int i = 0; i < 2'000; ++i) {
    const auto a = at(static_cast<std::int64_t>(random() % 4'000'000'000'000));
    const auto b = at(static_cast<std::int64_t>(random() % 4'000'000'000'000));
    REQUIRE((a < b) == (to_rfc3339(a) < to_rfc3339(b)));
  }
}

TEST_CASE("the system's clock is somewhere in this century", "[protocol][time]") {
  const auto now = system_time().now();
  CHECK(now > *parse_rfc3339("2025-01-01T00:00:00Z"));
  CHECK(now < *parse_rfc3339("2100-01-01T00:00:00Z"));
}
