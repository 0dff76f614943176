#include "protocol/json/schema_choices.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>

using namespace troupe;

namespace {

/// `"r" Red, "g"`: the values, and their titles.
std::string choices(const char* schema) {
  const auto form = boost::json::parse(schema).as_object();
  std::string out;
  for (const auto& each : choices_in(form))
    out += (out.empty() ? "" : ", ") + boost::json::serialize(*each.value)
           + (each.title.empty() ? "" : " " + std::string(each.title));
  return out;
}

} // namespace

TEST_CASE("the choices of a schema are found with their titles, in whose words it is written",
          "[json][schema]") {
  CHECK(choices(R"({"enum":["r",2]})") == R"("r", 2)");
  CHECK(choices(R"({"enum":["r","g"],"enumNames":["Red","Green"]})") == R"("r" Red, "g" Green)");
  for (const char* keyword : {"oneOf", "anyOf"})
    CHECK(choices(
              (R"({")" + std::string(keyword) + R"(":[{"const":"r","title":"Red"},{"const":"g"}]})")
                  .c_str())
          == R"("r" Red, "g")");
  CHECK(choices(R"({"type":"string"})").empty());
  CHECK(choices(R"({"type":"array","items":{"enum":["r"]}})").empty());
}

TEST_CASE("choices that nobody has checked are left out where they are wrong", "[json][schema]") {
  CHECK(choices(R"({"enum":7,"oneOf":[7,{"title":"x"},{"const":1,"title":2}]})") == "1");
  CHECK(choices(R"({"enum":["r","g"],"enumNames":[3]})") == R"("r", "g")");
}

TEST_CASE("the schema of the items is that of an array", "[json][schema]") {
  const auto list = boost::json::parse(R"({"type":"array","items":{"enum":["r"]}})").as_object();
  REQUIRE(items_in(list) != nullptr);
  CHECK(choices_in(*items_in(list)).size() == 1);
  CHECK(items_in(boost::json::parse(R"({"items":{}})").as_object()) == nullptr);
  CHECK(items_in(boost::json::parse(R"({"type":"array","items":[]})").as_object()) == nullptr);
}
