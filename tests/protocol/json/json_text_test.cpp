#include "protocol/json/json_text.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;

TEST_CASE("numbers are written as people write them", "[protocol][json]") {
  CHECK(json_text(3.11) == "3.11");
  CHECK(json_text(0.5) == "0.5");
  CHECK(json_text(2.0) == "2");
  CHECK(json_text(-7) == "-7");
  CHECK(json_text(boost::json::parse(R"({"a":[1.25,{"b":10.5}]})"))
        == R"({"a":[1.25,{"b":10.5}]})");
}

TEST_CASE("a string stands without quotes, another value as JSON", "[protocol][json]") {
  CHECK(text_of_value("say \"so\"") == "say \"so\"");
  CHECK(text_of_value(true) == "true");
  CHECK(text_of_value(nullptr) == "null");
  CHECK(text_of_value(boost::json::parse(R"(["x"])")) == R"(["x"])");
}
