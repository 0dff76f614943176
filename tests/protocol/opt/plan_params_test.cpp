#include "tests/support/catch.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <boost/json/serialize.hpp>

using namespace troupe;

namespace {

using given_values = std::vector<std::pair<std::string, std::string>>;

std::string document(const std::string& params, const std::string& input) {
  return R"({"name": "n", "params": )" + params + R"(, "tasks": [{"name": "t", "input": )" + input
         + "}]}";
}

/// The input of the task with its values; or why there is none.
std::string filled(const std::string& params, const std::string& input,
                   const given_values& given = {}) {
  auto read = read_plan_document(document(params, input));
  if (!read)
    return read.error().message;
  if (const auto done = fill_params(*read, given); !done)
    return done.error().message;
  return boost::json::serialize(read->objective.plans[0]->tasks[0].input);
}

} // namespace

TEST_CASE("a parameter is replaced by what is given, or by its default", "[protocol][params]") {
  const std::string city = R"({"city": {"default": "Oslo"}})";
  CHECK(filled(city, R"({"text": "To ${params.city}!"})") == R"({"text":"To Oslo!"})");
  CHECK(filled(city, R"({"text": "${params.city} ${params.city}"})", {{"city", "Rome"}})
        == R"({"text":"Rome Rome"})");
  CHECK(filled(city, R"({"a": [{"b": "${params.city}"}]})") == R"({"a":[{"b":"Oslo"}]})");
  CHECK(filled(city, R"({"text": "no place"})") == R"({"text":"no place"})");
}

TEST_CASE("a text that is a parameter and nothing else becomes its value", "[protocol][params]") {
  const std::string n = R"({"n": {"default": {"x": [1]}}})";
  CHECK(filled(n, R"({"n": "${params.n}"})") == R"({"n":{"x":[1]}})");
  CHECK(filled(n, R"({"n": "is ${params.n}"})") == R"({"n":"is {\"x\":[1]}"})");
}

TEST_CASE("a number within a text is written as people write it", "[protocol][params]") {
  const std::string pi = R"({"pi": {"default": 3.11}})";
  CHECK(filled(pi, R"({"text": "v${params.pi}"})") == R"({"text":"v3.11"})");
  CHECK(filled(pi, R"({"text": "v${params.pi}"})", {{"pi", "0.5"}}) == R"({"text":"v0.5"})");
}

TEST_CASE("a value that is given has the type of the default", "[protocol][params]") {
  const std::string typed = R"({"n": {"default": 1, "description": "How often"},
                                "yes": {"default": false}, "t": {"default": "x"}})";
  CHECK(filled(typed, R"({"n": "${params.n}", "yes": "${params.yes}", "t": "${params.t}"})",
               {{"n", "2.5"}, {"yes", "true"}, {"t", "3"}})
        == R"({"n":2.5E0,"yes":true,"t":"3"})");
  CHECK(filled(typed, R"({"n": "${params.n}"})", {{"n", "-2"}}) == R"({"n":-2})");
  for (const auto* wrong : {"two", "", "1 ", "true", "\"1\"", "[1]"})
    CHECK(filled(typed, "{}", {{"n", wrong}})
          == "--param n=" + std::string(wrong) + ": n (How often) is a number, as its default 1");
  CHECK(filled(typed, "{}", {{"yes", "1"}})
        == "--param yes=1: yes is true or false, as its default false");
}

TEST_CASE("a value that was given refers to nothing", "[protocol][params]") {
  CHECK(filled(R"({"x": {}})", R"({"text": "${params.x}"})", {{"x", "${tasks.a}"}})
        == R"({"text":"$${tasks.a}"})");
  CHECK(filled(R"({"x": {}})", R"({"text": "$${params.x} ${params.x}"})", {{"x", "v"}})
        == R"({"text":"$${params.x} v"})");
  CHECK(filled(R"({"x": {}})", R"({"text": "${params.x"})", {{"x", "v"}})
        == R"({"text":"${params.x"})");
}

TEST_CASE("a missing value is asked for by its description", "[protocol][params]") {
  const std::string two = R"({"city": {"description": "Where to"}, "n": {}})";
  CHECK(filled(two, "{}") == "a value is missing, --param NAME=VALUE, for: city (Where to), n");
  CHECK(filled(two, "{}", {{"citty", "x"}})
        == R"(--param citty=...: the plan has no such parameter; did you mean "city"?)");
  CHECK(filled(two, "{}", {{"n", "1"}, {"n", "2"}}) == "--param n=... is given twice");
  CHECK(filled(R"({"city": {"default": ""}})", R"({"text": "${params.cty}"})")
        == R"(${params.cty}: the plan has no such parameter; did you mean "city"?)");
}

TEST_CASE("a declaration that is wrong is refused with its place", "[protocol][params]") {
  CHECK_THAT(filled("[]", "{}"), ContainsSubstring("(/params): \"params\" must be an object"));
  CHECK_THAT(filled(R"({"a b": {}})", "{}"), ContainsSubstring("letters, digits"));
  CHECK_THAT(filled(R"({"a": 1})", "{}"), ContainsSubstring("(/params/a): a parameter must be"));
  CHECK_THAT(filled(R"({"a": {"defualt": 1}})", "{}"),
             ContainsSubstring("did you mean \"default\"?"));
  CHECK_THAT(filled(R"({"a": {"description": 1}})", "{}"), ContainsSubstring("must be a string"));
  std::string many;
  for (int i = 0; i < 101; ++i)
    many += (i == 0 ? "" : ",") + ("\"p" + std::to_string(i)) + "\": {}";
  CHECK_THAT(filled("{" + many + "}", "{}"), ContainsSubstring("the limit is 100"));
}

TEST_CASE("variables of commands are read, and have the values of parameters",
          "[protocol][params]") {
  const auto env_of = [](const std::string& env) -> std::string {
    auto read = read_plan_document(R"({"name": "n", "params": {"n": {"default": 2}}, "env": )" + env
                                   + R"(, "tasks": [{"name": "t"}]})");
    if (!read)
      return read.error().message;
    if (const auto done = fill_params(*read, {}); !done)
      return done.error().field + ": " + done.error().message;
    return boost::json::serialize(read->env);
  };
  CHECK(env_of(R"({"A": "-O${params.n}", "B": 1, "C": true, "D": "${params.n}"})")
        == R"({"A":"-O2","B":1,"C":true,"D":2})");
  CHECK(env_of("{}") == "{}");
  CHECK(env_of(R"({"A": "${params.m}"})") == "/env: ${params.m}: the plan has no such parameter");
  CHECK(env_of("[]") == "line 1 (/env): \"env\" must be an object of names and values");
  CHECK_THAT(env_of(R"({"A=B": ""})"), ContainsSubstring("(/env): the name of a variable"));
  CHECK_THAT(env_of(R"({"": ""})"), ContainsSubstring("(/env): the name of a variable"));
  CHECK_THAT(env_of(R"({"A": null})"), ContainsSubstring("(/env/A): the value of a variable"));
  CHECK_THAT(env_of(R"({"A": "\u0000"})"), ContainsSubstring("(/env/A): a variable has no"));
  std::string many;
  for (int i = 0; i < 1001; ++i)
    many += (i == 0 ? "" : ",") + ("\"V" + std::to_string(i)) + "\": 1";
  CHECK_THAT(env_of("{" + many + "}"), ContainsSubstring("the limit is 1000"));
}
