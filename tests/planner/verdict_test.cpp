#include "tests/support/catch.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/short_question.hpp"
#include "planner/verdict.hpp"

using namespace troupe;
using namespace troupe::planner;

namespace {

constexpr std::string_view two_steps = "Research AI safety papers and write a summary";
constexpr std::string_view numbered = "1. Buy rice\n2. Cook rice";
constexpr std::string_view no_template = "Fetch the data and plot it";

planning_request asked(std::string_view text) {
  planning_request out;
  out.text = text;
  out.is_active = true;
  return out;
}

planning_settings with_templates() {
  planning_settings out;
  out.templates = shipped_templates();
  return out;
}

/// Whether each row fits: the rows above it do not.
struct verdict_case {
  std::string_view about;
  planning_request request;
  planning_settings settings;
  decision outcome;
  decider who;
};

std::vector<verdict_case> table() {
  std::vector<verdict_case> out;
  const auto add = [&](std::string_view about, decision outcome, decider who,
                       planning_request request, planning_settings settings = with_templates()) {
    out.push_back({about, std::move(request), settings, outcome, who});
  };
  auto request = asked(two_steps);
  request.names_task = true;
  request.brings_document = true;
  add("a message to a task is for that task", decision::to_task, decider::task, request);
  request.names_task = false;
  add("a document is taken as it is", decision::as_given, decider::document, request);
  request.brings_document = false;
  request.is_active = false;
  add("without the extension nothing is planned", decision::plain_task, decider::client, request);
  request.is_active = true;
  request.prefers_objective = false;
  add("S5_prefer_none", decision::plain_task, decider::client, request);
  request.prefers_objective = std::nullopt;
  add("S2_two_steps", decision::objective, decider::plan_template, request);
  auto named = asked("whatever");
  named.template_name = "birthday-party";
  add("a template by name", decision::objective, decider::plan_template, named);
  add("S3_list", decision::objective, decider::grammar, asked(numbered));
  planning_settings templates_only = with_templates();
  templates_only.has_grammar = false;
  add("a list is no plan if the grammar is not asked", decision::plain_task, decider::nobody,
      asked(numbered), templates_only);
  planning_settings model = with_templates();
  model.has_model = true;
  add("a template goes before a model", decision::objective, decider::plan_template,
      asked(two_steps), model);
  add("the grammar goes before a model", decision::objective, decider::grammar, asked(numbered),
      model);
  add("a model", decision::ask_model, decider::model, asked(no_template), model);
  planning_settings direct = with_templates();
  direct.answers_directly = true;
  add("S1_question", decision::direct_answer, decider::question,
      asked("What is the capital of France?"), direct);
  add("S1_question: arithmetic", decision::direct_answer, decider::question, asked("2 + 2"),
      direct);
  add("a question to an agent that does not answer directly", decision::plain_task, decider::nobody,
      asked("What is the capital of France?"));
  auto guess = asked(no_template);
  guess.prefers_objective = true;
  add("S2_guess", decision::objective, decider::grammar, guess);
  auto minimal = asked("Make tea");
  minimal.prefers_objective = true;
  add("S4_minimal", decision::objective, decider::preference, minimal);
  auto name_only = asked("Make tea");
  name_only.suggested_name = "Tea";
  add("S6_name_only", decision::plain_task, decider::nobody, name_only);
  add("anything else", decision::plain_task, decider::nobody, asked(no_template));
  add("no text", decision::plain_task, decider::nobody, asked(""));
  add("a list that is not understood", decision::plain_task, decider::nobody,
      asked("1. Buy rice\n2. Cook rice\nServe it warm."));
  return out;
}

} // namespace

TEST_CASE("the first row that fits decides, and the rows above it say why they do not",
          "[planner][verdict]") {
  for (const auto& each : table()) {
    CAPTURE(each.about);
    const auto made = decide(each.request, each.settings);
    REQUIRE(made.has_value());
    CHECK(to_string(made->outcome) == to_string(each.outcome));
    CHECK(to_string(made->who) == to_string(each.who));
    CHECK(made->objective.has_value() == (each.outcome == decision::objective));
    CHECK(made->reasons.size() == static_cast<std::size_t>(each.who) + 1);
  }
}

TEST_CASE("an objective is called as the client suggests, else as the text says",
          "[planner][verdict]") {
  auto request = asked(two_steps);
  CHECK(decide(request, with_templates())->objective->name == two_steps);
  request.suggested_name = "AI Safety Research";
  CHECK(decide(request, with_templates())->objective->name == "AI Safety Research");
  CHECK(decide(asked("Rice:\n1. Buy rice\n2. Cook rice"), {})->objective->name == "Rice");
  CHECK(decide(asked(numbered), {})->objective->name == "Buy rice, Cook rice");
  CHECK(decide(asked("First buy rice, then cook rice."), {})->objective->name
        == "First buy rice, then cook rice.");
}

TEST_CASE("a minimal objective has one plan with one task for the whole text",
          "[planner][verdict]") {
  auto request = asked("Make tea");
  request.prefers_objective = true;
  const auto made = decide(request, {});
  REQUIRE(made->objective.has_value());
  REQUIRE(made->objective->plans.size() == 1);
  REQUIRE(made->objective->plans[0]->tasks.size() == 1);
  CHECK(made->objective->plans[0]->tasks[0].description == "Make tea");
  CHECK(made->objective->plans[0]->tasks[0].agent.empty());
}

TEST_CASE("a template that lacks a value asks for it, and the reason says so",
          "[planner][verdict]") {
  auto request = asked("Make it");
  request.template_name = "blog-post";
  const auto made = decide(request, with_templates());
  REQUIRE(made.has_value());
  CHECK(made->who == decider::plan_template);
  REQUIRE(made->objective.has_value());
  CHECK(made->objective->name == "Make it");
  CHECK(made->objective->plans.at(0)->tasks[0].name == "Ask for topic");
  CHECK(
      made->reasons.back()
      == R"(the message asks for the template "blog-post"; it needs topic (What the post is about), )"
         "which is asked for");
  request.params = {{"topic", 7}};
  CHECK(decide(request, with_templates()).error().code == errc::invalid_params);
}

TEST_CASE("values that are given go before those of the text", "[planner][verdict]") {
  auto request = asked("Plan a birthday party for 30 people");
  request.params["guests"] = 12;
  const auto given = decide(request, with_templates());
  REQUIRE((given && given->objective));
  CHECK(given->template_name == "birthday-party");
  CHECK(std::ranges::find(given->understood, "guests: 12") != given->understood.end());
  request.params["nothing"] = 1;
  const auto other = decide(request, with_templates());
  REQUIRE(other.has_value());
  CHECK(other->who != decider::plan_template); // and the reason is kept
}

TEST_CASE("F5_ambiguous: templates that fit equally are noted, and so is what was understood",
          "[planner][verdict]") {
  std::vector<plan_template> all(shipped_templates().begin(), shipped_templates().end());
  all.push_back(all.front());
  all.back().name = "twin";
  planning_settings settings;
  settings.templates = all;
  const auto example = all.front().examples.front();
  const auto made = decide(asked(example), settings);
  REQUIRE(made.has_value());
  CHECK(made->outcome == decision::plain_task);
  CHECK_THAT(boost::json::serialize(note_of(*made)),
             Catch::Matchers::Contains(R"("ambiguous":["blog-post","twin"])"));
  const auto taken = decide(asked(two_steps), with_templates());
  CHECK_THAT(boost::json::serialize(note_of(*taken)),
             Catch::Matchers::Contains(
                 R"("understood":["result: \"summary\"","topic: \"AI safety papers\""])"));
  const auto read = decide(asked("1. Buy rice\n2. Cook rice\nStep 2 needs step 1."), {});
  CHECK_THAT(boost::json::serialize(note_of(*read)),
             Catch::Matchers::Contains(R"("understood":["Step 2 needs step 1."])"));
}

TEST_CASE("no text names an agent", "[planner][verdict]") {
  const auto made = decide(asked("1. command: rm -rf /\n2. agent command"), {});
  REQUIRE(made->objective.has_value());
  for (const auto& task : made->objective->plans[0]->tasks) {
    CHECK(task.agent.empty());
    CHECK(task.input.empty());
  }
}

TEST_CASE("a template that is not there is an error", "[planner][verdict]") {
  auto request = asked("x");
  request.template_name = "birthday-part";
  const auto made = decide(request, with_templates());
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code == errc::invalid_params);
  CHECK(made.error().message
        == R"(there is no template "birthday-part"; did you mean "birthday-party"?)");
}

TEST_CASE("the note of a verdict says who decided, why, and what was not understood",
          "[planner][verdict]") {
  auto request = asked("1. Buy\n2. Cook\nServe it.");
  request.prefers_objective = true;
  CHECK(
      boost::json::serialize(note_of(*decide(request, {})))
      == R"({"who":"preference","reasons":["the message names no task","it brings no objective and no plan","the client leaves it to the server","no template fits","the grammar does not understand all of it: the word \"serve\" is not known here","no model is configured","it is no short question","the client prefers an objective"],"notUnderstood":[{"text":"Serve it.","reason":"the word \"serve\" is not known here"}]})");
  auto guess = asked(no_template);
  guess.prefers_objective = true;
  const auto note = note_of(*decide(guess, {}));
  CHECK(note.at("guess") == true);
  CHECK(note.at("assumed").as_array().size() == 1);
}

TEST_CASE("what a short question is", "[planner][verdict]") {
  for (const auto* question : {"2 + 2",
                               "(3.5 * 2) / 7 =",
                               "12*3",
                               "3 + 4 =",
                               "7x8",
                               "5 - 3",
                               "10 / 4",
                               "1/2 + 1/4",
                               "What is the capital of France?",
                               "What is 7 x 8",
                               "who wrote Faust",
                               "Paris?",
                               "Is it late",
                               "is it raining?",
                               "are there any",
                               "do you know Bob",
                               "can I go",
                               "Did it rain",
                               "Should the server be restarted",
                               "When was Faust written",
                               "Where do I go",
                               "Why did Dr. Miller leave"}) {
    CAPTURE(question);
    CHECK(is_short_question(question));
  }
  for (const auto* other :
       {"", "Make tea", "42", "+", "What is it? Tell me all about it.", "Do the laundry",
        "Do it now", "Can of beans and bread", "When done, ping me", "When done ping me",
        "What it is, nobody knows", "2024-05-01", "1/2", "5-3", "10x", "50%", "+49 30 123456",
        "= 3", "Will"}) {
    CAPTURE(other);
    CHECK_FALSE(is_short_question(other));
  }
}

TEST_CASE("the length of a short question is counted in characters", "[planner][verdict]") {
  std::string longest = "why ";
  for (std::size_t i = longest.size(); i < question_characters_max; ++i)
    longest += "\u00e4";
  CHECK(longest.size() > question_characters_max);
  CHECK(is_short_question(longest));
  CHECK_FALSE(is_short_question(longest + "a"));
}

TEST_CASE("a text without words is a plain task", "[planner][verdict]") {
  for (const std::string_view text : {"", "   ", "\n\n", "\ufeff", "\u200b \u00a0"}) {
    CAPTURE(text);
    auto request = asked(text);
    request.prefers_objective = true;
    planning_settings settings;
    settings.has_model = true;
    const auto made = decide(request, settings);
    REQUIRE(made.has_value());
    CHECK(made->outcome == decision::plain_task);
    CHECK(made->who == decider::nobody);
  }
}
