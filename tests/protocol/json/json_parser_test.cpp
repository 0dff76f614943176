#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/error.hpp>

#include <array>
#include <charconv>
#include <random>

using namespace troupe;
namespace json = boost::json;

namespace {

json::value parsed(std::string_view text) {
  boost::system::error_code failed;
  auto tree = parse_json(text, failed);
  INFO(text);
  REQUIRE_FALSE(failed);
  return tree;
}

boost::system::error_code failure_of(std::string_view text) {
  boost::system::error_code failed;
  static_cast<void>(parse_json(text, failed));
  return failed;
}

} // namespace

TEST_CASE("a number is the double nearest to what was written", "[protocol][json_parser]") {
  CHECK(parsed("0.99699272001434369").get_double() == 0.99699272001434369);
  CHECK(parsed("[26.629170000000002,1]").at(0).get_double() == 26.629170000000002);
  CHECK(parsed("94.61289599999999").get_double() == 94.61289599999999);
  CHECK(parsed("1e23").get_double() == 1e23);
  CHECK(parsed("2.2250738585072011e-308").get_double() == 2.2250738585072011e-308);
  CHECK(parsed("123456789012345678901234567890").get_double() == 123456789012345678901234567890.0);
}

TEST_CASE("a number reads back the same, any number of times", "[protocol][json_parser]") {
  std::mt19937_64 random{20261121};
  std::uniform_real_distribution<double> wide{-1e6, 1e6};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    json_writer(text).number(wide(random) / 3.0);
    std::string again;
    json_writer(again).value(parsed(text));
    if (again != text)
      CHECK(again == text);
  }
}

TEST_CASE("whole numbers stay whole", "[protocol][json_parser]") {
  CHECK(parsed("9223372036854775807").get_int64() == 9223372036854775807);
  CHECK(parsed("18446744073709551615").get_uint64() == 18446744073709551615U);
  CHECK(parsed("-9223372036854775808").is_int64());
}

TEST_CASE("a parser is used again, after errors too", "[protocol][json_parser]") {
  std::array<unsigned char, 256> scratch;
  json_parser parser({}, scratch);
  boost::system::error_code failed;
  std::size_t offset = 0;
  CHECK(parser.parse("[1, 0.1234567x]", {}, failed, offset).is_null());
  CHECK(failed);
  CHECK(offset == 13);
  CHECK(parser.parse(" {\"a\": [0.5, \"b\", null, true]}\r\n", {}, failed, offset)
        == json::value{{"a", json::array{0.5, "b", nullptr, true}}});
  CHECK_FALSE(failed);
  const std::string longer(100'000, 'x');
  CHECK(parser.parse('"' + longer + '"', {}, failed, offset) == json::value(longer));
}

TEST_CASE("a number that no double can hold is refused, one next to 0 is 0",
          "[protocol][json_parser]") {
  for (const std::string text :
       {"1e400", "-1e400", "[1,2E+309]", "{\"a\":1.8e308}", "1.7976931348623159e308", "0.1e310"}) {
    CAPTURE(text);
    CHECK(failure_of(text) == json::error::exponent_overflow);
  }
  CHECK(failure_of("1" + std::string(400, '0')) == json::error::exponent_overflow);
  CHECK(failure_of("1" + std::string(400, '0') + ".5") == json::error::exponent_overflow);
  CHECK_THAT(json_fault(json::error::exponent_overflow), ContainsSubstring("out of range"));
  CHECK(parsed("1.7976931348623157e308").get_double() == std::numeric_limits<double>::max());
  CHECK(parsed("-1e-400").get_double() == 0);
  CHECK(parsed("0." + std::string(400, '0') + "1").get_double() == 0);
  CHECK(parsed("5e-324").get_double() > 0);
}

TEST_CASE("errors are those of Boost.JSON", "[protocol][json_parser]") {
  CHECK(failure_of("") == json::error::incomplete);
  CHECK(failure_of("[1") == json::error::incomplete);
  CHECK(failure_of("1.") == json::error::syntax);
  CHECK(failure_of("[] []") == json::error::extra_data);
  CHECK(failure_of("[}") == json::error::syntax);
  CHECK(failure_of(std::string(33, '[')) == json::error::too_deep);
  CHECK(failure_of("1e999999999999") == json::error::exponent_overflow);
}
