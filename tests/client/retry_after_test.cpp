#include "client/backoff.hpp"
#include "client/retry_after.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/time.hpp>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::net;

TEST_CASE("Retry-After is seconds or a date", "[client]") {
  const auto now = *parse_rfc3339("1994-11-06T08:49:30Z");
  CHECK(read_retry_after("120", now) == 120s);
  CHECK(read_retry_after("0", now) == 0s);
  CHECK(read_retry_after("1.5", now) == 1500ms);
  CHECK(read_retry_after("99999999999999999999", now) == 10'000'000s);
  CHECK(read_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now) == 7s);
  CHECK(read_retry_after("Sunday, 06-Nov-94 08:49:37 GMT", now)
        == 7s); // RFC 9110 5.6.7: obsolete, but accepted
  CHECK(read_retry_after("Sun, 06 Nov 1994 08:49:00 GMT", now) == 0s); // over
  const auto text = GENERATE("", "-1", "-0", "x", "1e9", "nan", "inf", "Sun, 06 Nov 1994 08:49:37",
                             "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
                             "                             ");
  CAPTURE(text);
  CHECK_FALSE(read_retry_after(text, now));
}

TEST_CASE("a wait before another try doubles, up to a bound, and is spread", "[client]") {
  CHECK(backoff(250ms, 5s, 1, 0.5) == 250ms);
  CHECK(backoff(250ms, 5s, 3, 0.5) == 1000ms);
  CHECK(backoff(250ms, 5s, 4'000'000'000U, 0.5) == 5s);
  CHECK(backoff(1s, 5s, 1, 0) == 750ms);
  CHECK(backoff(1s, 5s, 1, 1) == 1250ms);
  CHECK(chance_of("a", 1) == chance_of("a", 1));
  CHECK(chance_of("a", 1) != chance_of("a", 2));
  CHECK(chance_of("a", 1) != chance_of("b", 1));
}
