// YAML as far as plans need it: the core schema, and what is refused.
#include "apps/plan/yaml.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>

using namespace troupe;

namespace {

/// As JSON, or the error's message.
std::string read(std::string_view text) {
  const auto value = read_yaml(text);
  return value ? boost::json::serialize(*value) : value.error().message;
}

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + "1" + std::string(depth, ']') + "\n";
}

} // namespace

TEST_CASE("mappings, sequences and texts of YAML are read", "[apps][yaml]") {
  CHECK(read("name: n\ntasks:\n  - name: a\n    input:\n      text: |\n        two\n        lines\n"
             "  - {name: b, dependencies: [a]}\n")
        == R"({"name":"n","tasks":[{"name":"a","input":{"text":"two\nlines\n"}},)"
           R"({"name":"b","dependencies":["a"]}]})");
  CHECK(read("a: >-\n  one\n  line\nb: 'it''s'\nc: \"tab\\t\\u00e4\"\n")
        == "{\"a\":\"one line\",\"b\":\"it's\",\"c\":\"tab\\tä\"}");
  CHECK(read("\xef\xbb\xbf"
             "a: 1\r\nb: 2\r\n")
        == R"({"a":1,"b":2})");
  CHECK(read("<<: {a: 1}\n1: x\n") == R"({"<<":{"a":1},"1":"x"})");
}

TEST_CASE("JSON is read as YAML, with the same value", "[apps][yaml]") {
  const std::string_view json =
      R"({"a": [1, -2.5, 1e3, true, false, null, "x\"\\\n\u00e4"], "b": {"c": {}, "d": []}})";
  const auto value = read_yaml(json);
  REQUIRE(value.has_value());
  CHECK(*value == boost::json::parse(json));
}

TEST_CASE("scalars without quotes have the types of the core schema", "[apps][yaml]") {
  for (const auto* text : {"no", "on", "off", "yes", "y", "1_000", "12:30", "0b1", "+", ".", "1e",
                           "e1", "0o8", "0xg", "2024-01-01", "nul", "tRue"})
    CHECK(read(text) == "\"" + std::string(text) + "\"");
  for (const auto* text : {"~", "null", "Null", "NULL"})
    CHECK(read(text) == "null");
  CHECK(read("a:\nb: \"\"\n") == R"({"a":null,"b":""})");
  CHECK(read("[true, True, TRUE, false, False, FALSE]") == "[true,true,true,false,false,false]");
  CHECK(read("[0, -0, +12, 007, 0o17, 0xfF, -9223372036854775808, 18446744073709551615]")
        == "[0,0,12,7,15,255,-9223372036854775808,18446744073709551615]");
  CHECK(read("[1.5, -.5, 1., 1E2, +1e-2]") == "[1.5E0,-5E-1,1E0,1E2,1E-2]");
  CHECK(read("['1', \"true\", \"~\"]") == R"(["1","true","~"])");
}

TEST_CASE("numbers that JSON does not have are refused with their place", "[apps][yaml]") {
  for (const auto* text : {".inf", "-.Inf", "+.INF", ".nan", ".NaN", "1e999",
                           "18446744073709551616", "-9223372036854775809", "0xfffffffffffffffff"})
    CHECK(read("a:\n  b: " + std::string(text) + "\n")
          == "line 2, column 6: \"" + std::string(text)
                 + "\" is no number that JSON has; quote it if it is a text");
}

TEST_CASE("what would be read otherwise by two readers of YAML is refused", "[apps][yaml]") {
  CHECK(read("a: 1\nb: {c: 1, d: 2, c: 3}\n")
        == "line 2, column 17: \"c\" appears twice in one mapping");
  CHECK(read("a: 1\n\"\\u0061\": 2\n") == "line 2, column 1: \"a\" appears twice in one mapping");
  CHECK(read("a: &x 1\n")
        == "line 1, column 4: anchors (&name) are not taken; nothing could refer "
           "to it");
  CHECK(read("a: *x\n") == "line 1, column 4: aliases (*name) are not taken; write the value out");
  CHECK(read("*x : 1\n") == "line 1, column 1: aliases (*name) are not taken; write the value out");
  CHECK(read("a: !!str 3\n")
        == "line 1, column 4: tags (!name) are not taken; put a text that begins with ! in quotes");
  CHECK(read("? [a]\n: b\n") == "line 1, column 3: a key must be a string");
  CHECK(read("--- 1\n--- 2\n") == "line 2, column 1: a second document begins; a file has one");
  CHECK(read("") == "the document is empty");
  CHECK(read("# nothing\n") == "the document is empty");
}

TEST_CASE("text that is not YAML is refused with line and column", "[apps][yaml]") {
  CHECK(read("ä: ö\nb: [}\n") == "line 2, column 5: not valid YAML: mismatched flow mapping end");
  CHECK_THAT(read("a:\n\t- b\n"), StartsWith("line 2, column 1: not valid YAML: "));
  CHECK_THAT(read("a: b: c\n"), StartsWith("line 1, column 5: not valid YAML: "));
  CHECK(read("a: \xff\n") == "line 1, column 4: not valid UTF-8");
  CHECK_THAT(read(std::string_view("a\0b: 1\n", 7)),
             StartsWith("line 1, column 2: a control character"));
}

TEST_CASE("YAML that is nested too deeply or too long is refused", "[apps][yaml]") {
  CHECK(read_yaml(nested(yaml_depth_max)).has_value());
  CHECK(read(nested(yaml_depth_max + 1)) == "line 1, column 65: nested deeper than 64 levels");
  CHECK(read(std::string(100000, '[')) == "line 1, column 65: nested deeper than 64 levels");
  std::string blocks;
  for (std::size_t depth = 0; depth <= yaml_depth_max; ++depth)
    blocks += std::string(depth, ' ') + "a:\n";
  CHECK_THAT(read(blocks), EndsWith("nested deeper than 64 levels"));
  const auto long_text = read_yaml(std::string(yaml_bytes_max + 1, ' '));
  REQUIRE_FALSE(long_text.has_value());
  CHECK(long_text.error().code == errc::limit_exceeded);
}

TEST_CASE("the line of a value in YAML is found by its pointer", "[apps][yaml]") {
  const std::string_view text = "a:\n  - x\n  - b/c: 1\n    d: |\n      t\ne: {f: 2}\n";
  CHECK(line_of_yaml(text, "") == 1);
  CHECK(line_of_yaml(text, "/a/0") == 2);
  CHECK(line_of_yaml(text, "/a/1/b~1c") == 3);
  CHECK(line_of_yaml(text, "/a/1/d") == 5); // A block begins with its first line.
  CHECK(line_of_yaml(text, "/e/f") == 6);
  CHECK(line_of_yaml(text, "/a/2") == 0);
  CHECK(line_of_yaml("a: [", "/b") == 0);
}
