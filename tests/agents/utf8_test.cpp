#include "agents/utf8.hpp"

#include "tests/support/catch.hpp"

using namespace troupe;
using namespace std::string_view_literals;

TEST_CASE("well-formed UTF-8 is text", "[agents][utf8]") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("plain\n\t"));
  CHECK(is_utf8("\0"sv));
  CHECK(is_utf8("\x7f\xc2\x80\xdf\xbf"));                 // the ends of one and two bytes
  CHECK(is_utf8("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80")); // three bytes, up to and after the surrogates
  CHECK(is_utf8("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));     // four bytes, the last code point
}

TEST_CASE("everything RFC 3629 forbids is not", "[agents][utf8]") {
  for (const auto bytes : {"\x80"sv, "\xc2"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xe0\x9f\xbf"sv, "\xed\xa0\x80"sv, "\xf0\x8f\xbf\xbf"sv,
                           "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv, "\xff"sv, "\xe2\x82"sv, "\xe2\x28\xa1"sv, "a\xf0\x9f\x98"sv}) {
    CAPTURE(bytes);
    CHECK_FALSE(is_utf8(bytes));
  }
}

TEST_CASE("bytes become fit for a message", "[agents][utf8]") {
  CHECK(printable_utf8("caf\xc3\xa9\n\tok") == "caf\xc3\xa9\n\tok");
  CHECK(printable_utf8("\x80""a\xe2\x82""b") == "\xef\xbf\xbd""a\xef\xbf\xbd\xef\xbf\xbd""b");
  CHECK(printable_utf8("\x1b[31m\0"sv) == "\xef\xbf\xbd[31m\xef\xbf\xbd");
  CHECK(is_utf8(printable_utf8("\xff\xfe\xed\xa0\x80")));
}
