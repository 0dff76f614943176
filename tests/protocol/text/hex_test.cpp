#include "protocol/text/hex.hpp"
#include "tests/support/catch.hpp"

#include <array>

using namespace troupe;

TEST_CASE("bytes become two hexadecimal digits each", "[protocol][hex]") {
  CHECK(to_hex(std::string_view("\x00\x0a\xff", 3)) == "000aff");
  CHECK(to_hex(std::array<unsigned char, 2>{0x12, 0xab}) == "12ab");
  CHECK(to_hex(std::string_view{}).empty());
}

TEST_CASE("a number becomes as many hexadecimal digits as asked for", "[protocol][hex]") {
  std::string out = "\\u";
  append_hex(out, 0x2028, 4);
  CHECK(out == "\\u2028");
  out.clear();
  append_hex(out, 0x123456789abcdef0, 16);
  append_hex(out, 0x1f, 4);
  CHECK(out == "123456789abcdef0001f");
}

TEST_CASE("hexadecimal digits are in lower case", "[protocol][hex]") {
  for (const char c : std::string_view("0123456789abcdef"))
    CHECK(is_hex_digit(c));
  for (const char c : std::string_view("AFgG/:-`\0", 9))
    CHECK_FALSE(is_hex_digit(c));
}

TEST_CASE("a hexadecimal number is read whole or not at all", "[protocol][hex]") {
  CHECK(from_hex("0") == 0U);
  CHECK(from_hex("ffffffffffffffff") == 0xffffffffffffffffU);
  CHECK(from_hex("AB") == 0xabU);
  for (const auto* bad : {"", "g", "1g", "0x1", "-1", "+1", " 1", "1 ", "10000000000000000"})
    CHECK_FALSE(from_hex(bad));
}
