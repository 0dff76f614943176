#include "protocol/json/json_schema.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace troupe;
namespace json = boost::json;

namespace {

/// Debian's package json-schema-test-suite.
const std::filesystem::path suite{"/usr/share/json-schema-test-suite/tests/draft7"};

std::string fault_in(const char* schema) {
  const auto fault = check_schema(json::parse(schema).as_object());
  return fault ? fault->pointer + " " + fault->message : "";
}

std::string misfit(const char* value, const char* schema) {
  const auto form = json::parse(schema).as_object();
  REQUIRE_FALSE(check_schema(form));
  const auto fault = find_misfit(json::parse(value), form);
  return fault ? fault->pointer + " " + fault->message : "";
}

} // namespace

TEST_CASE("the subset of JSON Schema agrees with the test suite in all that it takes",
          "[json][schema]") {
  if (!std::filesystem::exists(suite)) {
    WARN("skipped: the package json-schema-test-suite is not installed");
    return;
  }
  const auto file =
      GENERATE(as<std::string>{}, "type", "properties", "required", "additionalProperties", "enum",
               "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
               "minLength", "maxLength", "items", "minItems", "maxItems", "uniqueItems", "default",
               "optional/bignum", "optional/format/date", "optional/format/date-time",
               "optional/format/email", "optional/format/uri");
  CAPTURE(file);
  std::ifstream in(suite / (file + ".json"));
  REQUIRE(in);
  const auto groups = json::parse(std::string{std::istreambuf_iterator<char>(in), {}});
  std::size_t held = 0;
  for (const auto& group : groups.as_array()) {
    const auto* schema = group.at("schema").if_object();
    if (!schema || check_schema(*schema))
      continue;
    for (const auto& one : group.at("tests").as_array()) {
      INFO(json::serialize(*schema) << " " << json::serialize(one));
      CHECK(find_misfit(one.at("data"), *schema).has_value() != one.at("valid").as_bool());
      ++held;
    }
  }
  CHECK(held > 0);
}

TEST_CASE("a schema that is not of the subset is refused with the place", "[json][schema]") {
  struct row {
    const char* schema;
    const char* fault;
  };
  const auto one = GENERATE(values<row>({
      {R"({"$ref":"#"})", R"(/$ref "$ref" cannot be checked here)"},
      {R"({"pattern":"(a*)*b"})", R"(/pattern "pattern" cannot be checked here)"},
      {R"({"type":"null"})",
       R"(/type must be one of string, number, integer, boolean, array, object; found "null")"},
      {R"({"properties":{"a":{"type":"object"}}})",
       "/properties/a/type must be one of string, number, integer, boolean, array; found "
       R"("object")"},
      {R"({"items":{"items":{"type":"string"}}})",
       R"(/items/items "items" cannot be checked here)"},
      {R"({"minimum":"3"})", R"(/minimum must be a number, found "3")"},
      {R"({"multipleOf":0})", "/multipleOf must be a number above 0, found 0"},
      {R"({"maxLength":-1})", "/maxLength must be a whole number from 0 on, found -1"},
      {R"({"format":"regex"})",
       R"(/format must be one of email, uri, date, date-time, found "regex")"},
      {R"({"oneOf":[{"const":1},{"type":"string"}]})",
       R"(/oneOf/1 must have a "const" and may have a "title", found {"type":"string"})"},
      {R"({"anyOf":[{"type":"string"}]})",
       R"(/anyOf/0 must have a "const" and may have a "title", found {"type":"string"})"},
      {R"({"enumNames":["A"]})",
       R"(/enumNames must be an array of texts, one for each value of "enum", found ["A"])"},
      {R"({"enum":[1,2],"enumNames":["A"]})",
       R"(/enumNames must be an array of texts, one for each value of "enum", found ["A"])"},
      {R"({"required":"a"})", R"(/required must be an array of names, found "a")"},
      {R"({"additionalProperties":{}})", "/additionalProperties must be true or false, found {}"},
  }));
  CHECK(fault_in(one.schema) == one.fault);
}

TEST_CASE("every form of MCP's elicitation is of the subset, and its choices are checked",
          "[json][schema]") {
  const auto one = [](const char* property) {
    return R"({"type":"object","properties":{"x":)" + std::string(property)
           + R"(},"required":["x"]})";
  };
  struct row {
    const char* property;
    const char* right;
    const char* wrong;
  };
  const auto each = GENERATE(values<row>({
      {R"({"type":"string","title":"Name","description":"Yours","minLength":2,"maxLength":5,"default":"Anna"})",
       R"("Eva")", R"("A")"},
      {R"({"type":"string","format":"email"})", R"("a@b.no")", R"("a")"},
      {R"({"type":"integer","title":"Age","minimum":0,"maximum":150,"default":30})", "7", "-1"},
      {R"({"type":"number"})", "1.5", R"("1")"},
      {R"({"type":"boolean","title":"Now?","default":false})", "true", R"("yes")"},
      {R"({"type":"string","enum":["r","g"],"default":"r"})", R"("g")", R"("b")"},
      {R"({"type":"string","enum":["r","g"],"enumNames":["Red","Green"]})", R"("g")", R"("Red")"},
      {R"({"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]})",
       R"("g")", R"("Green")"},
      {R"({"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["r","g"]},"default":["r"]})",
       R"(["g","r"])", R"(["b"])"},
      {R"({"type":"array","items":{"anyOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]}})",
       R"(["g"])", R"(["Red"])"},
  }));
  CAPTURE(each.property);
  const auto form = one(each.property);
  CHECK(misfit((R"({"x":)" + std::string(each.right) + "}").c_str(), form.c_str()).empty());
  CHECK_THAT(misfit((R"({"x":)" + std::string(each.wrong) + "}").c_str(), form.c_str()),
             StartsWith("/x"));
}

TEST_CASE("a schema has a limit of bytes and of properties", "[json][schema]") {
  json::object many;
  for (std::size_t i = 0; i <= schema_properties_max; ++i)
    many[std::to_string(i)] = json::object{};
  CHECK(check_schema({{"properties", many}})->message == "has 101 properties; the limit is 100");
  const auto fault = check_schema({{"title", std::string(schema_bytes_max, 'x')}});
  REQUIRE(fault);
  CHECK_THAT(fault->message, ContainsSubstring("the limit is 16384"));
}

TEST_CASE("a value that does not fit is refused with the place and with what was expected",
          "[json][schema]") {
  constexpr const char* form =
      R"({"type":"object","properties":{"n":{"type":"integer","minimum":1,"maximum":9},)"
      R"("day":{"type":"string","format":"date"},"tags":{"type":"array",)"
      R"("maxItems":2,"items":{"enum":["a","b"]},"uniqueItems":true}},)"
      R"("required":["n"],"additionalProperties":false})";
  CHECK(misfit(R"({"n":3,"day":"2026-02-28","tags":["b","a"]})", form).empty());
  CHECK(misfit("[]", form) == " must be of type object, found []");
  CHECK(misfit("{}", form) == R"( must have a member "n")");
  CHECK(misfit(R"({"n":0})", form) == "/n must be at least 1, found 0");
  CHECK(misfit(R"({"n":1.5})", form) == "/n must be of type integer, found 1.5");
  CHECK(misfit(R"({"n":1,"day":"2026-02-29"})", form)
        == R"(/day must be of the format date, found "2026-02-29")");
  CHECK(misfit(R"({"n":1,"tags":["a","c"]})", form)
        == R"(/tags/1 must be one of ["a","b"], found "c")");
  CHECK(misfit(R"({"n":1,"tags":["a","a"]})", form) == "/tags must not have the same item twice");
  CHECK(misfit(R"({"n":1,"tags":["a","b","a"]})", form)
        == "/tags must have at most 2 items, found 3");
  CHECK(misfit(R"({"n":1,"a/b":2})", form) == "/a~1b is not asked for");
}
