#include "tests/planner/steps_bed.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/as_text.hpp"
#include "planner/text_reading.hpp"

using namespace troupe;
using namespace troupe::planner;

namespace {

objective_spec objective_with(plan_spec plan) {
  objective_spec out;
  out.name = plan.name;
  out.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  return out;
}

plan_spec random_plan(std::mt19937_64& dice) {
  constexpr auto words = std::to_array<std::string_view>(
      {"Paint", "the", "wall", "finish", "done", "and", "before", "wait", "in parallel", "24",
       "\u00fcber", "(red)", "\"now\"", "a,b", "after-school", "order", "don't", "5:30", "->"});
  const auto below = [&](std::size_t end) { return dice() % end; };
  plan_spec out;
  out.name = "Plan of " + std::to_string(below(1000));
  const auto count = 2 + below(12);
  std::vector<task_spec> tasks;
  for (std::size_t i = 0; i < count; ++i) {
    task_spec task;
    task.name = "Do";
    for (auto more = below(5); more > 0; --more)
      task.name += ' ' + std::string(words[below(words.size())]);
    if (below(2) == 0)
      task.expected = std::chrono::milliseconds(1 + static_cast<std::int64_t>(below(10'000'000)));
    for (std::size_t on = 0; on < i; ++on)
      if (below(3) == 0)
        task.dependencies.push_back("task-" + std::to_string(on));
    tasks.push_back(std::move(task));
  }
  for (auto& task : tasks)
    out.tasks.push_back(std::move(task));
  return out;
}

} // namespace

TEST_CASE("a plan as text", "[planner][as-text]") {
  const auto read = read_text("Cook:\n- Buy (5 min)\n- Wash\n- Eat (after \"buy\") (0.25 s)");
  REQUIRE(read.is_plan());
  const auto text = as_text(objective_of(read));
  REQUIRE(text.has_value());
  CHECK(*text
        == "Cook:\n1. Buy (takes 5 minutes)\n2. Wash\n3. Eat (takes 0.25 seconds)\nOrder:\nStep 3 "
           "needs step 1.\n");
}

TEST_CASE("the text of any plan reads back as the same plan", "[planner][as-text]") {
  std::mt19937_64 dice(20'261'125);
  std::size_t said = 0;
  constexpr std::size_t plans = 400;
  for (std::size_t round = 0; round < plans; ++round) {
    const auto objective = objective_with(random_plan(dice));
    const auto& plan = *objective.plans.front();
    const auto text = as_text(objective);
    if (!text) {
      // The only names here that cannot be said end in a bracket that is not theirs.
      CAPTURE(text.error().message);
      CHECK(text.error().code == errc::invalid_params);
      continue;
    }
    ++said;
    CAPTURE(*text);
    const auto read = read_text(*text);
    REQUIRE(read.is_plan());
    REQUIRE(read.tasks.size() == plan.tasks.size());
    edge_set wanted;
    for (std::uint32_t i = 0; i < plan.tasks.size(); ++i) {
      CHECK(read.tasks[i].name == plan.tasks[i].name);
      CHECK(read.tasks[i].expected == plan.tasks[i].expected);
      for (const auto& on : plan.tasks[i].dependencies)
        wanted.emplace(std::stoul(on.substr(5)), i);
    }
    CHECK(edges_of(read) == wanted);
    CHECK(read.title == objective.name);
  }
  CHECK(said > plans * 9 / 10);
}

TEST_CASE("whatever names have, the text reads back as the same plan, or is refused",
          "[planner][as-text]") {
  constexpr auto pieces = std::to_array<std::string_view>({"Paint",
                                                           "wall",
                                                           "\n",
                                                           "\t",
                                                           "  ",
                                                           "2.",
                                                           "1)",
                                                           "- [ ]",
                                                           "[x]",
                                                           "and",
                                                           "then",
                                                           "first",
                                                           ";",
                                                           ":",
                                                           "?",
                                                           ".",
                                                           "step 1",
                                                           "(after 2)",
                                                           "(5 min)",
                                                           "(2 coats)",
                                                           "takes 2 h",
                                                           "\"",
                                                           "'",
                                                           "->",
                                                           "~~",
                                                           "Order:",
                                                           "if",
                                                           "\u65e5\u672c\u8a9e",
                                                           "\u03b1\u03b2",
                                                           "\u043c\u0438\u0440",
                                                           "\u0633\u0644\u0627\u0645",
                                                           "\u202e",
                                                           "\u00e9",
                                                           "100%",
                                                           "How to",
                                                           "needs"});
  std::mt19937_64 dice(20'261'128);
  const auto below = [&](std::size_t end) { return dice() % end; };
  const auto name = [&] {
    std::string out;
    for (auto more = 1 + below(3); more > 0; --more)
      out += (out.empty() ? "" : " ") + std::string(pieces[below(pieces.size())]);
    return out;
  };
  std::size_t said = 0;
  constexpr std::size_t plans = 2000;
  for (std::size_t round = 0; round < plans; ++round) {
    plan_spec plan;
    plan.name = below(4) == 0 ? name() : "Plan";
    for (auto more = 2 + below(2); more > 0; --more) {
      task_spec task;
      task.name = below(2) == 0 ? name() : "Do " + std::to_string(more);
      if (!plan.tasks.empty() && below(2) == 0)
        task.dependencies.push_back("task-0");
      plan.tasks.push_back(std::move(task));
    }
    const auto objective = objective_with(std::move(plan));
    const auto& wanted = *objective.plans.front();
    const auto text = as_text(objective);
    if (!text) {
      CHECK(text.error().code == errc::invalid_params);
      continue;
    }
    ++said;
    CAPTURE(*text);
    const auto read = objective_of(read_text(*text));
    CHECK(read.name == objective.name);
    REQUIRE(read.plans.front()->tasks.size() == wanted.tasks.size());
    for (std::size_t i = 0; i < wanted.tasks.size(); ++i) {
      CHECK(read.plans.front()->tasks[i].name == wanted.tasks[i].name);
      CHECK(read.plans.front()->tasks[i].dependencies == wanted.tasks[i].dependencies);
    }
  }
  CHECK(said > plans / 10);
  CHECK(said < plans);
}

TEST_CASE("a plan that no text says is refused", "[planner][as-text]") {
  const auto refusal = [](std::string_view name) {
    plan_spec plan;
    plan.name = "Paint";
    for (auto each : {std::string(name), std::string("Wash")}) {
      task_spec task;
      task.name = std::move(each);
      plan.tasks.push_back(std::move(task));
    }
    const auto text = as_text(objective_with(std::move(plan)));
    return text ? std::string{} : text.error().message;
  };
  CHECK(refusal("Paint the wall") == "");
  CHECK(
      refusal("Paint (5 min)")
      == "the plan cannot be said as text: the task \"Paint (5 min)\" would be read as \"Paint\"");
  CHECK(refusal("Paint (after 2)") != "");
  CHECK(refusal("Paint\n3. the wall") != "");
  CHECK(refusal("Paint after step 2") != "");
  CHECK(refusal("") != "");
  CHECK_FALSE(as_text(objective_spec{}).has_value());
}
