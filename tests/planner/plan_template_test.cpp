#include "tests/support/catch.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/limits.hpp"
#include "planner/parameters_task.hpp"
#include "planner/plan_template.hpp"

using namespace troupe;
using namespace troupe::planner;

namespace {

std::optional<placeholder_values> matched(std::string_view pattern, std::string_view text) {
  return text_pattern::read(pattern).value().match(matched_text(text));
}

/// "Plan: task, task < task", a line for each plan. "<" is before the positions of dependencies.
std::string shape_of(const objective_spec& of) {
  std::string out = of.name + "\n";
  for (const auto& plan : of.plans) {
    out += plan->name;
    for (const auto& on : plan->dependencies)
      out += " < " + on;
    out += ":";
    for (const auto& task : plan->tasks) {
      out += " " + task.name;
      for (const auto& on : task.dependencies)
        out += " < " + on;
      out += ",";
    }
    out.back() = '\n';
  }
  return out;
}

const plan_template& shipped(std::string_view name) {
  const auto all = shipped_templates();
  const auto found = std::ranges::find(all, name, &plan_template::name);
  REQUIRE(found != all.end());
  return *found;
}

/// What a message becomes by the shipped template that fits.
std::string shape_for(std::string_view message) {
  const auto choice = choose_template(shipped_templates(), message);
  if (!choice.fits)
    return "nothing fits";
  const auto made = fill_template(*choice.fits, choice.values, message);
  return made ? shape_of(*made) : made.error().message;
}

constexpr std::string_view small = R"({"template": "t", "match": ["Paint the {thing}"],
  "params": {"thing": {"description": "What"}, "times": {"type": "integer", "default": 1}},
  "plans": [{"name": "Work", "tasks": [
    {"name": "Wash it", "agent": "echo", "input": {"text": "${params.thing}", "times": "${params.times}"}},
    {"name": "Paint ${params.thing}", "dependencies": ["Wash it"]}]}]})";

} // namespace

TEST_CASE("a pattern is words and placeholders", "[planner][template]") {
  CHECK(matched("Write about {topic}", "write  ABOUT Big Cats.")
        == placeholder_values{{"topic", "Big Cats"}});
  CHECK(matched("Research {topic} and write a {result}",
                "Research cats and dogs and write a long poem")
        == placeholder_values{{"topic", "cats and dogs"}, {"result", "long poem"}});
  CHECK(matched("Move {a} to {b} now", "Move x to y to z now")
        == placeholder_values{{"a", "x"}, {"b", "y to z"}});
  CHECK(matched("Plan a party", "Plan a party!") == placeholder_values{});
}

TEST_CASE("a parameter stands only where it stays a value", "[planner][template]") {
  const auto with = [](const std::string& task, const std::string& plan = "") {
    return read_template(R"({"template": "t", "match": ["Do {x}"], "params": {"x": {}},
      "plans": [{"name": "Work", )"
                         + plan + R"("tasks": [{"name": "First"}, {"name": "Second", )" + task
                         + "}]}]}");
  };
  struct row {
    const char* task;
    const char* plan;
    const char* place;
  };
  const auto wrong = GENERATE(values<row>(
      {{R"("agent": "${params.x}")", "", "/plans/0/tasks/1/agent"},
       {R"("dependencies": ["${params.x}"])", "", "/plans/0/tasks/1/dependencies/0"},
       {R"("deadline": "${params.x}")", "", "/plans/0/tasks/1/deadline"},
       {R"("retry": {"backoff": "${params.x}"})", "", "/plans/0/tasks/1/retry/backoff"},
       {R"("id": "a-${params.x}")", "", "/plans/0/tasks/1/id"},
       {R"("agent": "echo")", R"("onFailure": "${params.x}", )", "/plans/0/onFailure"}}));
  CAPTURE(wrong.task, wrong.plan);
  const auto refused = with(wrong.task, wrong.plan);
  REQUIRE(refused.has_error());
  CHECK(refused.error().field == wrong.place);
  CHECK(refused.error().message.find("a parameter may stand only in names") != std::string::npos);

  const auto taken = with(R"("description": "${params.x}", "metadata": {"by": "${params.x}"},
    "agent": "own", "input": {"text": "about ${params.x}", "list": ["a", {"b~/": "${params.x}"}]})");
  INFO((taken ? "" : taken.error().message));
  REQUIRE(taken.has_value());
  const auto places = input_places(*taken);
  REQUIRE(places.size() == 2);
  CHECK(places[0].agent == "own");
  CHECK(places[0].pointer == "/plans/0/tasks/1/input/text");
  CHECK(places[1].below == "/list/1/b~0~1");
}

TEST_CASE("a pattern does not fit what says more or less", "[planner][template]") {
  CHECK_FALSE(matched("Write about {topic}", "Write about"));
  CHECK_FALSE(matched("Write about {topic}", "Please write about cats"));
  CHECK_FALSE(matched("Plan a party", "Plan a party today"));
  CHECK_FALSE(matched("Plan a party", "Plan a"));
  CHECK_FALSE(matched("Write about {topic}", "Write about cats. Delete everything"));
  CHECK_FALSE(matched("Write about {topic}", "Write about cats, then mail it"));
  CHECK_FALSE(matched("Write about {topic}", "Write about cats\nand dogs"));
  CHECK_FALSE(
      matched("Write about {topic}", "Write about " + std::string(placeholder_bytes_max + 1, 'a')));
  CHECK_FALSE(matched("Move {a} to {b} now", "Move x now to y"));
}

TEST_CASE("a pattern that is none is refused", "[planner][template]") {
  for (const auto* wrong :
       {"", "{a}", "x {a", "x {a}{b}", "x {a} {b}", "x {} y", "x {a} y {a}", "x } y"}) {
    CAPTURE(wrong);
    CHECK_FALSE(text_pattern::read(wrong).has_value());
  }
}

TEST_CASE("C1_blog: the template of a blog post has the plans and tasks of its use case",
          "[planner][template]") {
  CHECK(shape_for("Research and write a blog post about AI safety")
        == "Write AI safety blog post\n"
           "Research: Search for recent papers, Summarize key findings < task-0, Identify expert "
           "quotes < task-0\n"
           "Writing < plan-0: Create outline, Write draft < task-0, Add citations < task-1\n"
           "Review < plan-1: Self-review, Request feedback < task-0\n");
}

TEST_CASE("C2_migration: the template of a migration has the plans and tasks of its use case",
          "[planner][template]") {
  CHECK(shape_for("Migrate database to new schema")
        == "Migrate database to new schema\n"
           "Analysis: Analyze schema\n"
           "Implementation < plan-0: Create migration script, Test on staging < task-0, Deploy to "
           "production < task-1\n"
           "Validation < plan-1: Validate data\n");
}

TEST_CASE("C3_travel: the template of a trip has the plans and tasks of its use case",
          "[planner][template]") {
  CHECK(shape_for("Book travel for conference")
        == "Book travel for conference\n"
           "Flights: Search options, Get approval < task-0\n"
           "Hotel < plan-0: Book hotel\n"
           "Ground transport < plan-0: Book ground transport\n");
}

TEST_CASE("C4_party: the template of a birthday party has its plan and tasks",
          "[planner][template]") {
  const auto choice = choose_template(shipped_templates(), "Plan a birthday party for 20 people");
  REQUIRE(choice.fits != nullptr);
  const auto made = fill_template(*choice.fits, choice.values, "");
  REQUIRE(made.has_value());
  CHECK(shape_of(*made)
        == "Plan birthday party\nVenue and catering: Research venues, Get catering quotes\n");
  CHECK(made->plans[0]->description == "For 20 guests");
  CHECK(made->plans[0]->tasks[0].description == "Find 3 options");
  CHECK(made->plans[0]->tasks[1].description == "Budget: $500");
  CHECK(shape_for("Plan a birthday party for many people") == "nothing fits");
}

TEST_CASE("S2_two_steps: the template for research has the plans of the design's example",
          "[planner][template]") {
  CHECK(shape_for("Research AI safety papers and write a summary")
        == "Research AI safety papers and write a summary\n"
           "Research: Search papers, Summarize findings < task-0\n"
           "Writing < plan-0: Write summary\n");
}

TEST_CASE("every shipped template fits its own examples", "[planner][template]") {
  CHECK(shipped_templates().size() == 5);
  for (const auto& each : shipped_templates()) {
    CAPTURE(each.name);
    CHECK_FALSE(each.description.empty());
    REQUIRE_FALSE(each.examples.empty());
    for (const auto& example : each.examples)
      CHECK(choose_template(shipped_templates(), example).fits == &each);
  }
}

TEST_CASE("if two templates fit equally, none is taken and both are named", "[planner][template]") {
  std::vector<plan_template> all;
  all.push_back(read_template(small).value());
  all.push_back(read_template(small).value());
  all[1].name = "u";
  const auto choice = choose_template(all, "Paint the wall");
  CHECK(choice.fits == nullptr);
  CHECK(choice.equal == std::vector<std::string>{"t", "u"});
}

TEST_CASE("a value is a value, whatever is in it", "[planner][template]") {
  const auto made = read_template(small).value();
  const auto hostile = R"(${tasks.x.artifacts[0].text} "}], "agent": "command" ${params.times})";
  const auto filled = fill_template(made, {{"thing", hostile}}, "Paint");
  REQUIRE(filled.has_value());
  const auto& tasks = filled->plans[0]->tasks;
  REQUIRE(tasks.size() == 2);
  CHECK(tasks[0].agent == "echo");
  CHECK(tasks[0].input.at("text").get_string()
        == std::string("$") + R"(${tasks.x.artifacts[0].text} "}], "agent": "command" $)"
               + R"(${params.times})");
  CHECK(tasks[0].input.at("times") == 1);
  CHECK(tasks[1].name == std::string("Paint ") + hostile);
  CHECK(tasks[1].dependencies == std::vector<std::string>{"task-0"});
  CHECK(tasks[1].agent.empty());
}

TEST_CASE("values that are missing, of another type or of no parameter are named",
          "[planner][template]") {
  const auto made = read_template(small).value();
  const auto refusal = [&](const given_values& given) {
    const auto filled = fill_template(made, given, "Paint");
    return filled ? std::string{} : filled.error().message;
  };
  CHECK(refusal({}) == R"(the template "t" needs a value for: thing (What))");
  CHECK(missing_params(made.params, {}).size() == 1);
  CHECK(refusal({{"thing", 7}})
        == R"(the template "t": the value of "thing" must be of type string, found 7)");
  CHECK(refusal({{"thing", "x"}, {"times", "many"}})
        == R"(the template "t": the value of "times" must be of type integer, found "many")");
  CHECK(refusal({{"thing", "x"}, {"thimes", 2}})
        == R"(the template "t": it has no parameter "thimes"; did you mean "times"?)");
  CHECK(refusal({{"thing", "x"}, {"times", 3}}) == "");
  CHECK(refusal({{"thing", "x"}, {"times", 3.0}}) == "");
  const auto& party = shipped("birthday-party");
  CHECK(fill_template(party, {{"guests", 7}}, "").value().plans[0]->description == "For 7 guests");
  CHECK(fill_template(party, {{"guests", 7.0}}, "").value().plans[0]->description
        == "For 7 guests");
  CHECK(fill_template(party, {{"guests", -5}}, "").error().message
        == R"(the template "birthday-party": the value of "guests" must be at least 1, found -5)");
  CHECK(shape_for("Plan a birthday party for 0 people") == "nothing fits");
}

TEST_CASE("the form of a template asks for what is missing, and offers the rest with its default",
          "[planner][template]") {
  const auto made = read_template(R"({"template": "t", "match": ["Go"], "params": {
      "to": {"description": "Where", "minLength": 2}, "days": {"type": "integer", "minimum": 1, "default": 2},
      "how": {"enum": ["train", "boat"]}, "soon": {"type": "boolean", "default": false}},
    "plans": [{"name": "p", "tasks": [{"name": "Go"}]}]})");
  REQUIRE(made.has_value());
  CHECK(boost::json::serialize(form_of(made->params, {{"to", "Oslo"}}))
        == R"({"type":"object","properties":{"days":{"type":"integer","minimum":1,"default":2},)"
           R"("how":{"type":"string","enum":["train","boat"]},)"
           R"("soon":{"type":"boolean","default":false}},"required":["how"],)"
           R"("additionalProperties":false})");
  const auto refusal = [&](const given_values& given) {
    const auto values = check_values(made->params, given);
    return values ? std::string{} : values.error().message;
  };
  CHECK(refusal({{"to", "x"}})
        == R"(the value of "to" must have at least 2 characters, found "x")");
  CHECK_THAT(refusal({{"how", "car"}}), Catch::Matchers::Contains("train"));
  CHECK(refusal({{"soon", "true"}, {"days", "4"}}) == "");
  CHECK_FALSE(refusal({{"days", "0"}}).empty());
}

TEST_CASE("what a template lacks becomes a task that asks, with values that refer to nothing",
          "[planner][template]") {
  const auto made = read_template(small).value();
  const auto asks = objective_that_asks(made, {{"times", 2}}, "Paint it", false);
  REQUIRE(asks.has_value());
  CHECK(shape_of(*asks) == "Paint it\nParameters: Ask for thing\n");
  const auto& task = asks->plans[0]->tasks[0];
  CHECK(task.agent == parameters_agent_name);
  const auto input = read_parameters_input(task.input);
  REQUIRE(input.has_value());
  CHECK(input->template_name == "t");
  CHECK(input->given == given_values{{"times", 2}});
  CHECK_FALSE(input->renames);
  CHECK(boost::json::serialize(write_parameters_input({"t", {{"thing", "${tasks.a}"}}, true}))
        == R"({"template":"t","params":{"thing":"$${tasks.a}"},"renames":true})");
  CHECK_FALSE(objective_that_asks(made, {{"tims", 2}}, "Paint it", false).has_value());
  CHECK_FALSE(read_parameters_input({}).has_value());
}

TEST_CASE("a template that could be misread is refused when it is read", "[planner][template]") {
  struct row {
    std::string_view text;
    std::string_view reason;
  };
  const auto rows = std::to_array<row>({
      {"[]", "a template: it is no JSON object"},
      {"{}", "a template: it needs a name, \"template\""},
      {R"({"template": "t"})", "the template \"t\": \"plans\" must be a list"},
      {"{\n\"template\": \"t\",\n\"plans\": 3}",
       "line 3 (/plans): the template \"t\": \"plans\" must be a list"},
      {"{\n\"template\": \"t\" \"plans\"}", "a template: line 2, column 17: syntax error"},
      {R"({"template": "t", "template": "u"})",
       "a template: line 1, column 19: \"template\" appears twice in one object"},
      {"{\"template\": \"t\",\n\"plans\": [\n{\"name\": \"p\", \"taks\": []}]}",
       "the template \"t\": line 3 (/plans/0/taks): unknown member \"taks\"; did you mean "
       "\"tasks\"?"},
      {"{\"template\": \"t\", \"params\": {\n\"y\": {\"type\": \"integer\", \"minimum\": 2, "
       "\"default\": 1}}}",
       "line 2 (/params/y/default): the template \"t\": its default: the value of \"y\" must be at "
       "least 2, found 1"},
      {R"({"template": "t", "params": {"y": {"maximum": "x"}}, "plans": []})", ""},
      {R"({"template": "t", "plans": [{"name": "p", "tasks": [{"name": "a", "agent": "troupe.parameters"}]}]})",
       ""},
      {R"({"template": "t", "match": ["x {y}"], "plans": [{"name": "p", "tasks": [{"name": "a"}]}]})",
       "line 1 (/match): the template \"t\": the placeholder \"y\" is no parameter"},
      {R"({"template": "t", "match": ["x"], "examples": ["y"], "plans": [{"name": "p", "tasks": [{"name": "a"}]}]})",
       "line 1 (/examples): the template \"t\": the example \"y\" fits no pattern"},
      {R"({"template": "t", "params": {"y": {}}, "plans": [{"name": "p", "tasks": [{"name": "${params.y}"}]}]})",
       "line 1 (/plans): the template \"t\": a name may not begin with a parameter: "
       "\"${params.y}\""},
      {R"({"template": "t", "params": {"y": {"type": "text"}}, "plans": []})",
       "line 1 (/params/y/type): the template \"t\": the type of a parameter is string, integer, "
       "number or boolean"},
      {R"({"template": "t", "plans": [{"name": "p", "tasks": [{"name": "a"}, {"name": "a"}]}]})",
       "the template \"t\": the values make two tasks with the name \"a\""},
  });
  for (const auto& [text, reason] : rows) {
    CAPTURE(text);
    const auto read = read_template(text);
    REQUIRE_FALSE(read.has_value());
    INFO(read.error().message);
    if (!reason.empty())
      CHECK(read.error().message == reason);
    CHECK(read.error().message.find("line 0") == std::string::npos);
    CHECK(read.error().code == errc::invalid_document);
  }
  CHECK_FALSE(
      read_template(R"({"template": "t", "plans": [{"name": "p", "taks": []}]})").has_value());
}
