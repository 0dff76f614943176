#include "protocol/json/json_location.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/plan_document.hpp>

using namespace troupe;

TEST_CASE("a pointer leads to the line on which its value begins", "[protocol][location]") {
  constexpr std::string_view text = R"({
  "a": [1,
        {"b/c": "}\"]",
         "d~e":
           [ ],
         "\u0066\n": -1.5e3}],
  "": {
    "": null
  },
  "a b": true
})";
  CHECK(line_of(text, "") == 1);
  CHECK(line_of(text, "/a") == 2);
  CHECK(line_of(text, "/a/0") == 2);
  CHECK(line_of(text, "/a/1") == 3);
  CHECK(line_of(text, "/a/1/b~1c") == 3);
  CHECK(line_of(text, "/a/1/d~0e") == 5);
  CHECK(line_of(text, "/a/1/f\n") == 6);
  CHECK(line_of(text, "/") == 7);
  CHECK(line_of(text, "//") == 8);
  CHECK(line_of(text, "/a b") == 10);
  for (const auto nothing :
       {"/x", "/a/2", "/a/x", "/a/-1", "/a/1/d~0e/0", "/a/0/0", "a", "/a/", "//x"})
    CHECK(line_of(text, nothing) == 0);
}

TEST_CASE("a value and the name of its member are found in the text", "[protocol][location]") {
  constexpr std::string_view text = R"({"a": [1, {"b": "two"}], "c":{}})";
  const auto parts = [&](std::string_view pointer) -> std::string {
    const auto found = find_value(text, pointer);
    if (!found)
      return "none";
    const auto of = [&](text_range range) {
      return std::string(text.substr(range.begin, range.end - range.begin));
    };
    return of(found->name) + "=" + of(found->value);
  };
  CHECK(parts("") == "=" + std::string(text));
  CHECK(parts("/a") == R"(a=[1, {"b": "two"}])");
  CHECK(parts("/a/0") == "=1");
  CHECK(parts("/a/1/b") == R"(b="two")");
  CHECK(parts("/c") == "c={}");
  CHECK(parts("/c/d") == "none");
}

TEST_CASE("the last of two members with one name counts, as in the parser",
          "[protocol][location]") {
  CHECK(line_of("{\"a\": 1,\n\"a\": 2}", "/a") == 2);
}

TEST_CASE("a location in a text that is no JSON is not found", "[protocol][location]") {
  for (const auto text : {"", " ", "{", "{\"", "{\"a", "{\"a\\", "{\"a\"", "{\"a\":", "[", "[1",
                          "[\"\\", "{]", "}}}", "{\"a\":}", "nonsense"}) {
    CAPTURE(text);
    CHECK(line_of(text, "/a/b") == 0);
    CHECK(line_of(text, "/7") == 0);
    (void)find_duplicate_member(text);
  }
  CHECK(line_of(std::string(100'000, '['), "/0/0") == 1); // and no deep recursion
}

TEST_CASE("positions count lines and characters from 1", "[protocol][location]") {
  CHECK(position_at("", 0) == text_position{1, 1});
  CHECK(position_at("ab\ncd", 4) == text_position{2, 2});
  CHECK(position_at("ab\n", 99) == text_position{2, 1});
  CHECK(position_at("\"\xc3\xa9\xe2\x82\xac\" x", 8) == text_position{1, 6});
}

TEST_CASE("a member that appears twice in one object is found", "[protocol][location]") {
  const auto twin = [](std::string_view text) -> std::string {
    const auto found = find_duplicate_member(text);
    return found ? found->name + "@" + std::to_string(found->offset) : "none";
  };
  CHECK(twin(R"({"a":1,"a":2})") == "a@7");
  CHECK(twin(R"({"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]})") == "none");
  CHECK(twin(R"([{"x":{"b":1,"c":2,"b":3}}])") == "b@19");
  CHECK(twin(R"({"a":"a","b":"a"})") == "none");
  CHECK(twin(R"({"a":{"c":1,"c":1},"b":1,"b":2})") == "c@12");
  CHECK(twin(R"([{},{},[],"a","a"])") == "none");
  CHECK(twin(R"({"a":1,"b":"\"a\":","c" : 1 , "c" :2})") == "c@30");
}
