#include "actors/task/answer_form.hpp"
#include "protocol/opt/answer_text.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;
namespace json = boost::json;

namespace {

message saying(part content) {
  message out;
  out.parts.push_back(std::move(content));
  return out;
}

/// The value of a text, as JSON; or why it does not fit.
std::string read(const char* form, const char* text) {
  question asked;
  asked.form = json::parse(form).as_object();
  const auto answer = saying(text_part(text));
  const auto fits = check_answer(asked, answer);
  if (!fits)
    CHECK(fits.error().code == errc::invalid_answer);
  return fits ? json::serialize(value_of_answer(answer, asked.form)) : fits.error().message;
}

} // namespace

TEST_CASE("a text answers a form with what it means", "[actors][question]") {
  struct row {
    const char* form;
    const char* text;
    const char* value;
  };
  constexpr const char* choice = R"({"enum":["Red","green",3]})";
  constexpr const char* titled = R"({"oneOf":[{"const":"r","title":"Red wine"},{"const":2}]})";
  constexpr const char* named = R"({"enum":["r","g"],"enumNames":["Red wine","Green tea"]})";
  constexpr const char* several =
      R"({"type":"array","items":{"anyOf":[{"const":"r","title":"Red wine"},{"const":"g"}]}})";
  const auto one = GENERATE_COPY(values<row>({
      {"{}", " any text ", R"(" any text ")"},
      {R"({"type":"string"})", "12", R"("12")"},
      {choice, " red\n", R"("Red")"},
      {choice, "3", "3"},
      {choice, "blue", R"(the answer must be one of ["Red","green",3], found "blue")"},
      {titled, "RED WINE", R"("r")"},
      {titled, "2", "2"},
      {titled, "wine", R"(the answer must be one of "r", 2, found "wine")"},
      {named, "red wine", R"("r")"},
      {several, R"(["Red wine","g"])", R"(["r","g"])"},
      {several, "red wine", R"(["r"])"},
      {several, "wine", R"(the answer must be of type array, found "wine")"},
      {R"({"type":"boolean"})", "Yes", "true"},
      {R"({"type":"boolean"})", "false", "false"},
      {R"({"type":"boolean"})", "perhaps",
       R"(the answer must be of type boolean, found "perhaps")"},
      {R"({"type":"integer","maximum":9})", "7", "7"},
      {R"({"type":"integer","maximum":9})", "10", "the answer must be at most 9, found 10"},
      {R"({"type":"number"})", "seven", R"(the answer must be of type number, found "seven")"},
      {R"({"type":"array","items":{"enum":["a","b"]}})", R"(["b"])", R"(["b"])"},
      {R"({"type":"object","properties":{"n":{"type":"integer"}}})", R"({"n":1})", R"({"n":1})"},
      {R"({"type":"object","properties":{"n":{"type":"integer"}}})", R"({"n":"1"})",
       R"(/n must be of type integer, found "1")"},
      {R"({"type":"object"})", "no JSON", R"(the answer must be of type object, found "no JSON")"},
  }));
  CAPTURE(one.form, one.text);
  CHECK(read(one.form, one.text) == one.value);
}

TEST_CASE("a data part is the value of an answer as it stands", "[actors][question]") {
  question asked;
  asked.form = json::parse(R"({"type":"object","required":["n"]})").as_object();
  auto answer = saying(text_part("see below"));
  answer.parts.push_back(data_part(json::parse(R"({"n":1})")));
  CHECK(check_answer(asked, answer).has_value());
  const auto refused = check_answer(asked, saying(data_part(json::parse("{}"))));
  REQUIRE(refused.has_error());
  CHECK(refused.error().message == R"(the answer must have a member "n")");
  // A question without a form takes anything.
  CHECK(check_answer(question{}, saying(data_part(json::parse("[]")))).has_value());
}
