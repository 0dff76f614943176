#include "protocol/json/json_depth.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;

TEST_CASE("arrays and objects count as levels, empty ones too", "[protocol][json_depth]") {
  const auto deeper = [](std::string_view text, std::size_t levels) {
    return is_deeper_than(boost::json::parse(text), levels);
  };
  CHECK_FALSE(deeper("1", 0));
  CHECK(deeper("[]", 0));
  CHECK_FALSE(deeper("[]", 1));
  CHECK_FALSE(deeper(R"({"a": [1, 2]})", 2));
  CHECK(deeper(R"({"a": [1, {}]})", 2));
  CHECK(deeper(R"([{"a": 1}])", 1));
}
