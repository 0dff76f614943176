// Texts that nobody writes: the planner never crashes, gives positions that exist, and takes time
// that grows with the text only.
#include "tests/planner/steps_bed.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "planner/limits.hpp"
#include "planner/order_words.hpp"
#include "planner/text_reading.hpp"
#include "planner/verdict.hpp"

using namespace troupe::planner;

namespace {

constexpr auto seeds = std::to_array<std::string_view>({
    "Cook:\n1. Buy rice (5 min)\n2. Cook rice\n3. Eat (after 1 and 2)\nStep 1 must precede step "
    "2.\nAfter step 2, do step 3.",
    "- Buy\n- Cook (after \"buy\")\nDependencies:\n\"Cook\" needs \"buy\".",
    "First search papers, then summarize them. Meanwhile, buy rice; finally, write a report. Why?",
    "Step 1: a\nStep 2: b\nStep 3: c\nStep 1 -> step 2 -> step 3\nSteps 1-3 can run in parallel.",
    "Research AI safety papers and write a summary",
});

std::string mutated(std::mt19937_64& dice) {
  const auto below = [&](std::size_t end) { return dice() % end; };
  std::string out(seeds[below(seeds.size())]);
  for (auto times = 1 + below(6); times > 0; --times) {
    const auto at = below(out.size() + 1);
    switch (below(5)) {
      case 0: out.insert(at, 1, static_cast<char>(below(256))); break;
      case 1: out.erase(at, below(8)); break;
      case 2: out.insert(at, out.substr(below(out.size() + 1), below(40))); break;
      case 3: {
        const auto phrases = order_phrases();
        out.insert(at, ' ' + std::string(phrases[below(phrases.size())].words) + ' ');
        break;
      }
      default: out.insert(at, std::array{"\n", "\"", "(", ", ", ". ", "step 2"}[below(6)]); break;
    }
  }
  return out;
}

std::string repeated(std::string_view text) {
  std::string out;
  while (out.size() + text.size() <= text_bytes_max)
    out += text;
  return out;
}

} // namespace

TEST_CASE("mutated texts give a plan whose positions exist, or problems", "[planner][random]") {
  std::mt19937_64 dice(19);
  std::size_t plans = 0;
  for (int round = 0; round < 4'000; ++round) {
    const auto text = mutated(dice);
    CAPTURE(text);
    const auto read = read_text(text, round % 2 == 0 ? guesses::none : guesses::allowed);
    for (const auto& edge : read.edges) {
      REQUIRE(edge.before < read.tasks.size());
      REQUIRE(edge.after < read.tasks.size());
      REQUIRE(edge.source < read.sources.size());
    }
    for (const auto& task : read.tasks)
      REQUIRE_FALSE(task.name.empty());
    for (const auto& problem : read.problems)
      REQUIRE_FALSE(problem.reason.empty());
    plans += read.is_plan() ? 1 : 0;
  }
  CHECK(plans > 50);
  CHECK(plans < 4'000);
}

TEST_CASE("texts of the greatest length that repeat one thing are read", "[planner][random]") {
  // With a step that is more than linear one of them would take minutes.
  for (const auto* each : {"a ",          "\"",
                           "\"a ",        "(",
                           "1. a (",      "1. a\n",
                           "- a a a a\n", "step 1 ",
                           "Step 1 -> ",  "then ",
                           "and then ",   ", then buy",
                           "a. ",         "1, ",
                           "not ",        "?",
                           "\n",          "1. a 2. ",
                           "after ",      "(5 min) ",
                           "{",           "Research a and write a "}) {
    CAPTURE(each);
    const auto text = repeated(each);
    const auto read = read_text(text, guesses::allowed);
    CHECK((read.is_plan() || !read.problems.empty() || read.tasks.size() < 2));
    planning_request request;
    request.text = text;
    request.is_active = true;
    CHECK(decide(request, {}).has_value());
    const auto with_steps = read_text("1. a a a\n2. a b\n" + text.substr(0, text.size() / 8));
    CHECK((with_steps.is_plan() || !with_steps.problems.empty() || with_steps.tasks.size() < 2));
  }
}
