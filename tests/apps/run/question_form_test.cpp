#include "apps/run/question_form.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;

namespace {

question_form form(const char* schema) {
  return form_of(boost::json::parse(schema).as_object());
}

} // namespace

TEST_CASE("a question shows its choices, and a number means one of them", "[apps][question]") {
  const auto where =
      form(R"({"oneOf": [{"const": "sea", "title": "By the sea"}, {"const": "city"}]})");
  CHECK(where.lines == std::vector<std::string>{"  1  sea  By the sea", "  2  city"});
  CHECK(chosen_text(where, "2") == "city");
  CHECK(chosen_text(where, "3") == "3");
  CHECK(is_answer(where, " a "));
  CHECK_FALSE(is_answer(where, ""));
  CHECK_FALSE(is_answer(where, " \t"));
  CHECK(chosen_text(where, "By the sea") == "By the sea");
  const auto numbers = form(R"({"enum": ["3", "2", "7"]})");
  CHECK(chosen_text(numbers, "3") == "3"); // a choice is itself
  CHECK(chosen_text(numbers, "1") == "3");
  CHECK(form(R"({"type": "boolean"})").choices == std::vector<std::string>{"yes", "no"});
}

TEST_CASE("a question without choices shows its form, if it has one", "[apps][question]") {
  using lines = std::vector<std::string>;
  CHECK(form(R"({"type": "integer"})").lines == lines{"type a whole number"});
  CHECK(form(R"({"type": "number", "minimum": 1, "maximum": 9})").lines
        == lines{"type a number from 1 to 9"});
  CHECK(form(R"({"type": "string", "maxLength": 20})").lines
        == lines{"type a text of at most 20 characters"});
  CHECK(form(R"({"type": "string", "format": "date"})").lines == lines{"type a text (date)"});
  CHECK(form(R"({"type": "string", "pattern": "^a"})").lines
        == lines{R"(type {"type":"string","pattern":"^a"})"});
  CHECK(form("{}").lines.empty());
  CHECK(chosen_text(form("{}"), "1") == "1");
}

TEST_CASE("a question for several choices shows them with their titles", "[apps][question]") {
  const auto days = form(
      R"({"type": "array", "items": {"anyOf": [{"const": "mo", "title": "Monday"}, {"const": "tu"}]}})");
  CHECK(days.lines
        == std::vector<std::string>{"  mo  Monday", "  tu",
                                    R"(type one of them, or several as JSON, e.g. ["mo"])"});
  CHECK(days.choices.empty());
  CHECK(form(R"({"enum": ["r"], "enumNames": ["Red"]})").lines
        == std::vector<std::string>{"  1  r  Red"});
  CHECK(form(R"({"type": "object", "properties": {"day": {"type": "array", "items":
            {"oneOf": [{"const": "mo", "title": "Monday"}, {"const": "tu"}]}}}})")
            .lines.back()
        == "  day: a list of mo (Monday) or tu, optional");
}

TEST_CASE("a form shows an example, and what each member may be", "[apps][question]") {
  CHECK(form(R"({"type": "object", "required": ["room"], "properties": {
            "room": {"type": "string", "enum": ["single", "double"]},
            "floor": {"type": "integer", "minimum": 0}}})")
            .lines
        == std::vector<std::string>{R"(JSON, e.g. {"room":"single"})", "  room: single or double",
                                    "  floor: a whole number of at least 0, optional"});
  std::string many;
  for (int i = 0; i < 20; ++i)
    many += (i == 0 ? "\"m" : ",\"m") + std::to_string(i) + R"(": {"type": "boolean"})";
  const auto lines = form((R"({"type": "object", "properties": {)" + many + "}}").c_str()).lines;
  REQUIRE(lines.size() == 14);
  CHECK(lines.back() == "  and 8 more");
}
