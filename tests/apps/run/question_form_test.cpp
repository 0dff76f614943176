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
  CHECK(chosen_text(where, "By the sea") == "By the sea");
  const auto numbers = form(R"({"enum": ["3", "2", "7"]})");
  CHECK(chosen_text(numbers, "3") == "3"); // a choice is itself
  CHECK(chosen_text(numbers, "1") == "3");
  CHECK(form(R"({"type": "boolean"})").choices == std::vector<std::string>{"yes", "no"});
}

TEST_CASE("a question without choices shows its form, if it has one", "[apps][question]") {
  CHECK(form(R"({"type": "integer"})").lines
        == std::vector<std::string>{R"(form: {"type":"integer"})"});
  CHECK(form("{}").lines.empty());
  CHECK(chosen_text(form("{}"), "1") == "1");
}
