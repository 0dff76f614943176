#include "protocol/text/http_date.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using std::chrono::seconds;
using std::chrono::sys_seconds;

TEST_CASE("HTTP dates are written in the one form and read in all three", "[protocol][http_date]") {
  const sys_seconds at{seconds{784111777}}; // RFC 9110 5.6.7
  std::string text;
  append_http_date(text, at);
  CHECK(text == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(parse_http_date(text) == at);
  CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT") == at);
  CHECK(parse_http_date("Sun Nov  6 08:49:37 1994") == at);
  CHECK(parse_http_date("Thu, 29 Feb 2024 23:59:60 GMT") == sys_seconds{seconds{1709251199}});
  text.clear();
  append_http_date(text, sys_seconds{seconds{1709251199}});
  CHECK(text == "Thu, 29 Feb 2024 23:59:59 GMT");
}

TEST_CASE("a text that is no HTTP date is refused", "[protocol][http_date]") {
  const auto* text = GENERATE("", "now", "0", "784111777", "Sun, 06 Nov 1994 08:49:37",
                              "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 1994 08:49:37 GMT",
                              "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Xov 1994 08:49:37 GMT",
                              "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
                              "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, more",
                              "Sun, ", "Sunday, 06-Nov-94", "Sun Nov  6 08:49:37", ", ", "Sun ",
                              "1994-11-06T08:49:37Z", "Sun, -6 Nov 1994 08:49:37 GMT");
  CAPTURE(text);
  CHECK_FALSE(parse_http_date(text).has_value());
}
