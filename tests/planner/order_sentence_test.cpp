#include "tests/planner/steps_bed.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "planner/order_sentence.hpp"

using namespace troupe::planner;

namespace {

std::string with(std::string form, const std::string& p, const std::string& f) {
  for (const auto& [place, text] : {std::pair<std::string, std::string>{"{p}", p}, {"{f}", f}})
    for (auto at = form.find(place); at != std::string::npos;
         at = form.find(place, at + text.size()))
      form.replace(at, place.size(), text);
  return form;
}

/// Others that are read, with their edges between steps.
struct read_row {
  std::string_view sentence;
  edge_set edges; ///< Of numbers, from 1.
};
const auto read_rows = std::to_array<read_row>({
    {"Step 4: after step 2.", {{2, 4}}},
    {"Step 1 must precede step 2, 3 and 4.", {{1, 2}, {1, 3}, {1, 4}}},
    {"All steps can be executed in parallel.", {}},
    {"Steps 1, 3 and 5-7 must precede step 8.", {{1, 8}, {3, 8}, {5, 8}, {6, 8}, {7, 8}}},
    {"Steps 1 to 3 are required for step 4", {{1, 4}, {2, 4}, {3, 4}}},
    {"After step 1, step 2 and step 3 can only start", {{1, 2}, {1, 3}}},
    {"After step 1 and step 2, do step 3.", {{1, 3}, {2, 3}}},
    {"After steps 1, 2 and 3, step 4 and step 5 must be done.",
     {{1, 4}, {1, 5}, {2, 4}, {2, 5}, {3, 4}, {3, 5}}},
    {"Step 1, step 2, and step 3 must precede step 4", {{1, 4}, {2, 4}, {3, 4}}},
    {"Step 1, then step 2, then step 3", {{1, 2}, {2, 3}}},
    {"First step 1, then step 2 and step 3, and then step 4", {{1, 2}, {1, 3}, {2, 4}, {3, 4}}},
    {"Step 1 -> step 2 -> step 3", {{1, 2}, {2, 3}}},
    {"Step 3 <- step 1", {{1, 3}}},
    {"Step 1 \u2192 step 2", {{1, 2}}},
    {"After step 1, do steps 2 and 3 in parallel", {{1, 2}, {1, 3}}},
    {"Steps 1 and 2 can run at the same time", {}},
    {"Do step 1 while step 2 is running", {}},
    {"After step 1 is done, then do step 2", {{1, 2}}},
    {"Once step 1 is done then start step 2", {{1, 2}}},
    {"Once step 1 was executed, do step 2", {{1, 2}}},
    {"Upon running step 1, proceed to step 2", {{1, 2}}},
    {"After step 1 runs, do step 2", {{1, 2}}},
    {"Running step 2 requires step 1", {{1, 2}}},
    {"Once step 1 has been run, do step 2", {{1, 2}}},
    {"While doing step 1, do step 2", {}},
    {"Step 1 must be completed before step 2 can start", {{1, 2}}},
    {"Step 2 must be done after step 1", {{1, 2}}},
    {"Only start step 3 after step 2", {{2, 3}}},
    {"Do not start step 2 unless step 1 is done", {{1, 2}}},
    {"Wait with step 2 until step 1 is done", {{1, 2}}},
    {"Hold off on step 2 until step 1 has finished", {{1, 2}}},
    {"Until step 1 is done, do not start step 2", {{1, 2}}},
    {"Never start step 2 before step 1 is done", {{1, 2}}},
    {"Step 2 is preceded by step 1", {{1, 2}}},
    {"Step 1 is followed by step 2", {{1, 2}}},
    {"Once step 1 is done, you can do step 2", {{1, 2}}},
    {"Do all steps in this order", {{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}}},
    {"Do steps 3, 1 and 2 one after the other", {{3, 1}, {1, 2}}},
    {"Do the steps 1 and 2 before step 3", {{1, 3}, {2, 3}}},
    {"Step 1 will be done before step 2", {{1, 2}}},
    {"Step 2 will start after step 1", {{1, 2}}},
    {"Step 1 must be done before step 2 will start", {{1, 2}}},
    {"You must never start step 2 before step 1 is done", {{1, 2}}},
});

struct refused_row {
  std::string_view sentence;
  std::string_view reason;
};
constexpr auto refused_rows = std::to_array<refused_row>({
    {"Step 2 does not depend on step 1.",
     R"(what must not be "depend on" says nothing about another order)"},
    {"Steps 1 and 2 must not run at the same time.",
     R"(what must not be "in parallel" says nothing about another order)"},
    {"Step 3 may start before step 2 is finished.", R"(what may be "before" need not be)"},
    {"Step 2 is not required for step 3.", "it says nothing about the order of steps"},
    {"Either step 1 or step 2 must precede step 3.",
     R"("either" leaves open which order is meant)"},
    {"If step 1 fails, do step 3.", R"("if" leaves open which order is meant)"},
    {"Start step 3 at least 10 minutes after step 2.", R"(the word "at" is not known here)"},
    {"Step 2 can begin as soon as step 1 begins.",
     "it speaks of the start of a step that would have to end first"},
    {"You do not have to do step 1 before step 2.", "it says that an order is not needed"},
    {"Step 1 could be done after step 2.", R"(what may be "after" need not be)"},
    {"Step 2 starts before step 1 ends.",
     "it speaks of the start of a step that would have to end first"},
    {"Step 3 can start without step 2.", R"("without" leaves open which order is meant)"},
    {"Do step 2 until step 1 is done.",
     R"("until" is known with "wait" or "do not", and one of them)"},
    {"Step 9 must precede step 1.", "there is no step 9"},
    {"Step 1 must precede step 1.", "step 1 would come before itself"},
    // beyond the list
    {"Step 9 (none) must precede step 1.", "there is no step 9"},
    {"Step 1 starts, then step 2.", "it speaks of the start of a step, not of its end"},
    {"Step 1 must precede step 2 and step 3 must precede step 4.",
     "it may be one order or several"},
    {"Step 1 must come before step 2 and before step 3.",
     R"(it says more than one order: "come before" and "before")"},
    {"Step 2 ends after step 1.",
     "it speaks of the end of a step that would have to wait with its start"},
    {"When step 1 is running, do step 2.",
     "it speaks of the start of a step that would have to end first"},
    {"Step 1 before step 2, after step 3.", R"(it says more than one order: "before" and "after")"},
    {"After step 1, step 2, step 3.", R"(steps in a list need "and" before the last one)"},
    {"Once step 1 is done start step 2.", "a comma is missing between its two sides"},
    {"Do step 1 in order to start step 2.", R"("in order to" leaves open which order is meant)"},
    {"Do not finish step 2 until step 1 is done.",
     "it speaks of the end of a step that would have to wait with its start"},
    {"Finishing step 2 requires step 1.",
     "it speaks of the end of a step that would have to wait with its start"},
    {"All steps must precede step 2.", R"("all steps" stand on one side of an order)"},
    {"Step 2, then.", "it names steps on one side only"},
    {"Then step 2.", "it names steps on one side only"},
    {"Step 1 and do step 2 before step 3.", R"("and" joins something else than steps)"},
    {"Step 1 before 2.", R"("2" may be a number of anything; write "step 2" if it is a step)"},
    {"Steps 1 and 2.", "it says nothing about the order of steps"},
    {"Step 1 in parallel.", "it names one step only"},
    {"Do step 2 while step 1 runs after step 3.", R"("while" stands beside "after")"},
    {"You cannot do step 2 before step 1, which takes long.",
     R"(the word "which" is not known here)"},
    {"Steps 3-1 before step 4.", R"("3-1" is no range of steps)"},
    {"Wait for step 1 after step 2.", R"(it says more than one order: "wait for" and "after")"},
    {"Do step 2 after step 1 and then step 3.",
     R"(it says more than one order: "after" and "then")"},
    {"Do step 2 after step 1, and then step 3.",
     R"(it says more than one order: "after" and "then")"},
    {"Do step 2 once step 1 is done, then step 3.",
     R"(it says more than one order: "once" and "then")"},
    {"Then after step 1, do step 2.", R"(it says more than one order: "then" and "after")"},
    {"After step 1, do step 2, and then step 3.",
     R"(it is not clear which steps come behind "after")"},
    {"Step 2 requires step 1 to be running.",
     "it speaks of the start of a step that would have to end first"},
    {"Once step 1 was running, do step 2.",
     "it speaks of the start of a step that would have to end first"},
    {"Once step 1 is going, do step 2.",
     "it speaks of the start of a step that would have to end first"},
    {"Step 1 must be running before step 2.",
     "it speaks of the start of a step that would have to end first"},
    {"Do not start step 2 until step 1 is going.",
     "it speaks of the start of a step that would have to end first"},
    {"As soon as step 1 runs, start step 2.", "it speaks of a step that goes on, not of its end"},
    {"When doing step 1, do step 2.", "it speaks of a step that goes on, not of its end"},
    {"Do step 2 when step 1 happens.", "it speaks of a step that goes on, not of its end"},
    {"Once steps 1 and 3 run, start step 2.", "it speaks of a step that goes on, not of its end"},
    {"Do not start step 2 until step 1 runs.", "it speaks of a step that goes on, not of its end"},
    {"Wait with step 2 until step 1 goes.", "it speaks of a step that goes on, not of its end"},
    {"Step 2 cannot begin before step 1 runs.", "it speaks of a step that goes on, not of its end"},
    {"Step 2 requires running step 1.", "it speaks of a step that goes on, not of its end"},
    {"Step 1 running is required for step 2.", "it speaks of a step that goes on, not of its end"},
    {"Step 1 runs and unlocks step 2.", "\"and\" joins something else than steps"},
    {"When you proceed to step 1, do step 2.", "it speaks of a step that goes on, not of its end"},
    {"You will not have to do step 1 before step 2.", "it says that an order is not needed"},
    {"You may not need to do step 1 before step 2.", "it says that an order is not needed"},
    {"Step 1 should not have to be done before step 2.", "it says that an order is not needed"},
    {"You never have to do step 1 before step 2.", "it says that an order is not needed"},
    {"", "it says nothing about the order of steps"},
});

} // namespace

TEST_CASE("each form that says that one step comes before another is exact", "[planner][grammar]") {
  const auto steps = numbered_steps(3);
  for (const auto form : exact_forms) {
    const auto sentence = with(std::string(form), "step 1", "step 2");
    CAPTURE(sentence);
    const auto read = read_order_sentence(sentence, steps);
    REQUIRE(read.has_value());
    CHECK(edges_of(read.value()) == edge_set{{0, 1}});
  }
}

TEST_CASE("several steps stand where one may stand, by number and by name", "[planner][grammar]") {
  step_names steps;
  for (const auto* name : {"buy milk.", "Bake a cake, or two", "say \"hi\" to Bob"})
    REQUIRE(steps.add({}, name));
  const auto numbers = numbered_steps(4);
  for (const auto form : exact_forms) {
    const auto grouped = with(std::string(form), "steps 1 and 2", "steps 3 and 4");
    CAPTURE(grouped);
    const auto read = read_order_sentence(grouped, numbers);
    REQUIRE(read.has_value());
    CHECK(edges_of(read.value()) == edge_set{{0, 2}, {0, 3}, {1, 2}, {1, 3}});
    for (const auto& [p, f] :
         {std::pair<std::string, std::string>{"\"Buy  milk\"", "\"bake a cake, or two\""},
          {"buy milk", "bake a cake, or two"}}) {
      const auto named = with(std::string(form), p, f);
      CAPTURE(named);
      const auto by_name = read_order_sentence(named, steps);
      REQUIRE(by_name.has_value());
      CHECK(edges_of(by_name.value()) == edge_set{{0, 1}});
    }
    const auto quotes = with(std::string(form), "\"say \"hi\" to Bob\"", "\"buy milk.\"");
    CAPTURE(quotes);
    const auto by_quotes = read_order_sentence(quotes, steps);
    REQUIRE(by_quotes.has_value());
    CHECK(edges_of(by_quotes.value()) == edge_set{{2, 0}});
  }
}

TEST_CASE("sentences about order give the edges that they say", "[planner][grammar]") {
  const auto steps = numbered_steps(8);
  for (const auto& [sentence, wanted] : read_rows) {
    CAPTURE(sentence);
    const auto read = read_order_sentence(sentence, steps);
    if (!read) {
      FAIL_CHECK(read.error().reason);
    } else {
      edge_set numbers;
      for (const auto& [before, after] : edges_of(read.value()))
        numbers.emplace(before + 1, after + 1);
      CHECK(numbers == wanted);
    }
  }
}

TEST_CASE("a sentence that says something else is refused with its reason", "[planner][grammar]") {
  const auto steps = numbered_steps(8);
  for (const auto& [sentence, reason] : refused_rows) {
    CAPTURE(sentence);
    const auto read = read_order_sentence(sentence, steps);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().reason == reason);
  }
}

TEST_CASE("a number alone is a step only where the caller says so", "[planner][grammar]") {
  const auto steps = numbered_steps(4);
  const auto read = read_order_sentence("4 needs 1, 2 and 3", steps, bare_numbers::are_steps);
  REQUIRE(read.has_value());
  CHECK(edges_of(read.value()) == edge_set{{0, 3}, {1, 3}, {2, 3}});
  CHECK_FALSE(read_order_sentence("4 needs 1", steps).has_value());
}

TEST_CASE("a name that could be a verb of the sentence needs quotes", "[planner][grammar]") {
  step_names steps;
  REQUIRE(steps.add("1", "finish"));
  REQUIRE(steps.add("2", "paint"));
  const auto unquoted = read_order_sentence("finish comes after paint", steps);
  REQUIRE_FALSE(unquoted.has_value());
  const auto quoted = read_order_sentence("\"finish\" comes after paint", steps);
  REQUIRE(quoted.has_value());
  CHECK(edges_of(quoted.value()) == edge_set{{1, 0}});
}

TEST_CASE("a name that two steps have is refused", "[planner][grammar]") {
  step_names steps;
  REQUIRE(steps.add("1", "paint"));
  REQUIRE(steps.add("2", "Paint."));
  REQUIRE(steps.add("3", "dry"));
  const auto read = read_order_sentence("dry after paint", steps);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().reason == "several steps are called \"paint\"");
}

TEST_CASE("the tables have each phrase and each connective once", "[planner][grammar]") {
  std::map<std::string, int> seen;
  for (const auto& each : order_phrases())
    ++seen[std::string(each.words)];
  for (const auto& [words, times] : seen) {
    CAPTURE(words);
    CHECK(times == 1);
  }
  for (const auto& each : order_phrases()) {
    if (!says_order(each.meaning))
      continue;
    CAPTURE(each.words);
    CHECK(std::ranges::count(meaning_table(), each.meaning, &meaning_row::connective) == 1);
  }
}
