#include "protocol/text/text.hpp"
#include "tests/support/catch.hpp"

#include <vector>

using namespace troupe;
using namespace std::string_view_literals;

TEST_CASE("well-formed UTF-8 is text", "[protocol][text]") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("plain\n\t"));
  CHECK(is_utf8("\0"sv));
  CHECK(is_utf8("\x7f\xc2\x80\xdf\xbf")); // the ends of one and two bytes
  CHECK(is_utf8(
      "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80"));       // three bytes, up to and after the surrogates
  CHECK(is_utf8("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf")); // four bytes, the last code point
}

TEST_CASE("everything RFC 3629 forbids is not", "[protocol][text]") {
  for (const auto bytes :
       {"\x80"sv, "\xc2"sv, "\xc0\x80"sv, "\xc1\xbf"sv, "\xe0\x9f\xbf"sv, "\xed\xa0\x80"sv,
        "\xf0\x8f\xbf\xbf"sv, "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv, "\xff"sv, "\xe2\x82"sv,
        "\xe2\x28\xa1"sv, "a\xf0\x9f\x98"sv}) {
    CAPTURE(bytes);
    CHECK_FALSE(is_utf8(bytes));
  }
}

TEST_CASE("bytes that are not UTF-8 are found, and only those", "[protocol][text]") {
  for (const std::string good : {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8e\xad",
                                 "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"})
    CHECK_FALSE(find_invalid_utf8(good));
  for (const std::string bad :
       {"\x80", "\xc0\xaf", "\xc1\xbf", "\xc3", "\xc3(", "\xe2\x82", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    CHECK(find_invalid_utf8(bad) == 0U);
    CHECK(find_invalid_utf8("ab" + bad + "cd") == 2U);
  }
}

TEST_CASE("a text is cut between two characters", "[protocol][text]") {
  const auto text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x8e\xad"sv; // Of 1, 2, 3 and 4 bytes.
  const std::vector<std::size_t> cuts{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t bytes_max = 0; bytes_max < cuts.size(); ++bytes_max) {
    CAPTURE(bytes_max);
    CHECK(cut_utf8(text, bytes_max) == cuts[bytes_max]);
  }
}

TEST_CASE("a text that is not UTF-8 is cut where it must end", "[protocol][text]") {
  CHECK(cut_utf8("\x80\x80\x80\x80\x80\x80", 5) == 5);
  CHECK(cut_utf8("\xc3\x80\x80\x80\x80", 3) == 0); // Where a character began.
}

TEST_CASE("only ASCII letters have a lower case here", "[protocol][text]") {
  CHECK(ascii_lower("AZ az 09 @[`{ \xc3\x84") == "az az 09 @[`{ \xc3\x84");
}

TEST_CASE("names are listed with commas between them", "[protocol][text]") {
  CHECK(listed_names({}).empty());
  CHECK(listed_names({"a"}) == "a");
  CHECK(listed_names({"a", "b", "c"}) == "a, b, c");
}
