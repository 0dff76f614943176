#include "protocol/json/canonical_json.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace json = boost::json;
using troupe::canonical_json;
using troupe::python_json;

namespace {

std::string canonical(std::string_view text) {
  return canonical_json(json::parse(json::string_view(text.data(), text.size()))).value();
}

std::string python(std::string_view text) {
  return python_json(json::parse(json::string_view(text.data(), text.size()))).value();
}

} // namespace

TEST_CASE("numbers are printed as RFC 8785 appendix B has them", "[protocol][canonical_json]") {
  struct row {
    std::uint64_t bits; // of the double, IEEE 754
    const char* text;
  };
  const auto [bits, text] = GENERATE(values<row>({
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  }));
  CAPTURE(text);
  CHECK(canonical_json(std::bit_cast<double>(bits)).value() == text);
}

TEST_CASE("whole numbers are printed as the doubles that they are to others",
          "[protocol][canonical_json]") {
  CHECK(canonical("[20, 20.0, 2e1, -0, 0.0, -7]") == "[20,20,20,0,0,-7]");
  CHECK(canonical("[9007199254740993, 18446744073709551615, -9223372036854775808]")
        == "[9007199254740992,18446744073709552000,-9223372036854776000]");
}

TEST_CASE("a number that no double holds has no canonical form", "[protocol][canonical_json]") {
  const auto endless = std::numeric_limits<double>::infinity();
  CHECK(canonical_json(json::array{1, json::object{{"a", endless}}}).has_error());
  CHECK(canonical_json(-endless).has_error());
  CHECK(canonical_json(std::numeric_limits<double>::quiet_NaN()).error().code
        == troupe::errc::invalid_params);
  CHECK(python_json(endless).has_error());
}

TEST_CASE("members are sorted by UTF-16 code units", "[protocol][canonical_json]") {
  // RFC 8785 3.2.3: carriage return, digit, control, two letters, euro, a surrogate pair, and a
  // letter of the block behind surrogates.
  CHECK(canonical("{\"\xE2\x82\xAC\":1,\"\\r\":2,\"\xEF\xAC\xB3\":3,\"1\":4,\"\xF0\x9F\x98\x80\":5,"
                  "\"\xC2\x80\":6,"
                  "\"\xC3\xB6\":7}")
        == "{\"\\r\":2,\"1\":4,\"\xC2\x80\":6,\"\xC3\xB6\":7,\"\xE2\x82\xAC\":1,"
           "\"\xF0\x9F\x98\x80\":5,"
           "\"\xEF\xAC\xB3\":3}");
  CHECK(canonical(R"({"b":{"z":1,"a":2},"a":[{"d":1,"c":2}],"":0,"aa":3,"B":4})")
        == R"({"":0,"B":4,"a":[{"c":2,"d":1}],"aa":3,"b":{"a":2,"z":1}})");
}

TEST_CASE("texts keep what need not be escaped", "[protocol][canonical_json]") {
  CHECK(canonical(R"(["\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"])")
        == "[\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"]");
  CHECK(canonical(R"(["\b\t\f\r\u0000\u001f\u007f\u0085\u2028\ud83d\ude00"])")
        == "[\"\\b\\t\\f\\r\\u0000\\u001f\x7f\xC2\x85\xE2\x80\xA8\xF0\x9F\x98\x80\"]");
}

TEST_CASE("blanks go and the rest stays", "[protocol][canonical_json]") {
  CHECK(canonical(" { \"a\" : [ null , true , false , [ ] , { } , \"\" ] } ")
        == R"({"a":[null,true,false,[],{},""]})");
  CHECK(canonical("null") == "null");
}

TEST_CASE("canonical JSON stays as it is", "[protocol][canonical_json]") {
  std::mt19937_64 random{8785};
  for (int round = 0; round < 20'000; ++round) {
    const auto value = std::bit_cast<double>(random());
    const auto text = canonical_json(value);
    if (!text)
      continue;
    double back = 0; // std::from_chars rounds correctly, which Boost.JSON's parser does not always
    std::from_chars(text->data(), text->data() + text->size(), back);
    REQUIRE(back == value);
    REQUIRE(canonical_json(back).value() == *text);
  }
}

TEST_CASE("Python's spelling differs in numbers, in order and beyond ASCII",
          "[protocol][canonical_json]") {
  CHECK(python("[20, 0.5, -3, 0, -0.0, 1e15, 1e16, 123456789012345678, 0.0001, 0.00001, 1.5e-7, "
               "1e22, 1e100]")
        == "[20.0,0.5,-3.0,0.0,-0.0,1000000000000000.0,1e+16,1.2345678901234568e+17,0.0001,1e-05,1."
           "5e-07,1e+22,1e+100]");
  CHECK(python(R"(["\u00f6\u20ac\ud83d\ude00\u007f\n\u0001~ /"])")
        == R"(["\u00f6\u20ac\ud83d\ude00\u007f\n\u0001~ /"])");
  CHECK(python("{\"\xF0\x9F\x98\x80\":1,\"\xEF\xAC\xB3\":2,\"a\":true,\"b\":null}")
        == R"({"a":true,"b":null,"\ufb33":2.0,"\ud83d\ude00":1.0})");
}
