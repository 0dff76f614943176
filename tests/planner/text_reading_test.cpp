#include "tests/planner/steps_bed.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/limits.hpp"
#include "planner/text_reading.hpp"

using namespace troupe::planner;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

namespace {

std::vector<std::string> names_of(const text_reading& reading) {
  std::vector<std::string> out;
  for (const auto& each : reading.tasks)
    out.push_back(each.name);
  return out;
}

using names = std::vector<std::string>;

struct plan_row {
  std::string_view text;
  names tasks;
  edge_set edges; ///< Of positions, from 0.
};

const auto lists = std::to_array<plan_row>({
    {"Cook:\n1. Buy rice\n2. Cook rice\n3. Eat\n",
     {"Buy rice", "Cook rice", "Eat"},
     {{0, 1}, {1, 2}}},
    {"- Buy rice\n- Feed the cat\n", {"Buy rice", "Feed the cat"}, {}},
    {"* [ ] no\n* yes", {"no", "yes"}, {}},
    {"- [ ] Buy rice\n- [ ] Feed the cat\n", {"Buy rice", "Feed the cat"}, {}},
    {"1) Buy\n2) Cook\n\n3) Eat\n\nSteps 1 and 2 must precede step 3.",
     {"Buy", "Cook", "Eat"},
     {{0, 2}, {1, 2}}},
    {"(a) Buy\n(b) Cook\n(c) Eat\nStep c depends on steps a and b.",
     {"Buy", "Cook", "Eat"},
     {{0, 2}, {1, 2}}},
    {"Step 1: Buy\nStep 2: Cook\nStep 3: Eat\nStep 1 -> step 2\nStep 3: after step 2.",
     {"Buy", "Cook", "Eat"},
     {{0, 1}, {1, 2}}},
    {"1. Buy\n2. Cook\n3. Eat (after 1 and 2)", {"Buy", "Cook", "Eat"}, {{0, 2}, {1, 2}}},
    {"- Buy\n- Cook (after \"buy\")", {"Buy", "Cook"}, {{0, 1}}},
    {"1. Buy\n2. Cook\nOrder:\n", {"Buy", "Cook"}, {}},
    {"1. Buy\n2. Cook\n3. Eat\nDependencies:\n- 3 needs 1\n- 3 needs 2",
     {"Buy", "Cook", "Eat"},
     {{0, 2}, {1, 2}}},
    {"1. Buy\n2. Cook\n3. Eat\nThese ordering constraints need to be obeyed when executing above "
     "steps: Step 1 must precede step 3.",
     {"Buy", "Cook", "Eat"},
     {{0, 2}}},
    {"1. Buy\n2. Cook\nAll steps can be executed in parallel.", {"Buy", "Cook"}, {}},
    {"1. Buy\n2. Cook\n3. Eat\nSequence the tasks: firstly step 1, then step 2.\nOrder:\nStep 3 "
     "needs step 2.",
     {"Buy", "Cook", "Eat"},
     {{0, 1}, {1, 2}}},
    {"How to eat only rice\n1. Buy\n2. Cook", {"Buy", "Cook"}, {{0, 1}}},
    {"1. Boil (5 minutes)\n2. Paint (2 coats)\n4. First aid",
     {"Boil", "Paint (2 coats)", "First aid"},
     {{0, 1}, {1, 2}}},
    {"1. Sleep until 7\n2. Read chapter 1", {"Sleep until 7", "Read chapter 1"}, {{0, 1}}},
    {"3. Eat\n1. Buy\n2. Cook\n1 -> 2 -> 3", {"Eat", "Buy", "Cook"}, {{1, 2}, {2, 0}}},
    {"Do these in parallel:\n1. Buy\n2. Cook\n", {"Buy", "Cook"}, {}},
    {"Do the following steps in this order:\n- Buy\n- Cook\n- Eat",
     {"Buy", "Cook", "Eat"},
     {{0, 1}, {1, 2}}},
    {"Trip: 1. Book 2. Pack 3. Fly", {"Book", "Pack", "Fly"}, {{0, 1}, {1, 2}}},
    {"1. Buy\n2. Cook\nHow long does it take?", {"Buy", "Cook"}, {{0, 1}}},
    {"\ufeff1. Buy\n2. Cook\n3. Eat", {"Buy", "Cook", "Eat"}, {{0, 1}, {1, 2}}},
    {"- \U0001f469\u200d\U0001f4bb Code\n- Eat", {"\U0001f469\u200d\U0001f4bb Code", "Eat"}, {}},
    {"In no particular order:\n1. Buy\n2. Cook", {"Buy", "Cook"}, {}},
    {"These are independent of each other:\n1. Buy\n2. Cook", {"Buy", "Cook"}, {}},
    {"Can be done side by side:\n1. Buy\n2. Cook", {"Buy", "Cook"}, {}},
    {"Follow this order:\n- Buy\n- Cook", {"Buy", "Cook"}, {{0, 1}}},
    {"Step by step:\n- Buy\n- Cook", {"Buy", "Cook"}, {{0, 1}}},
    {"One at a time:\n- Buy\n- Cook", {"Buy", "Cook"}, {{0, 1}}},
    {"Sequential:\n- Buy\n- Cook", {"Buy", "Cook"}, {{0, 1}}},
    {"- Deploy\n    Blocked by: Test\n- Test", {"Deploy", "Test"}, {{1, 0}}},
    {"- Deploy\n    - needs: Test, Build\n- Test\n    - needs: Build\n- Build",
     {"Deploy", "Test", "Build"},
     {{1, 0}, {2, 0}, {2, 1}}},
    {"1. Lint\n2. Test\n3. Build\n   Depends on: 1", {"Lint", "Test", "Build"}, {{0, 2}}},
    {"1. Let it cool before serving\n2. Serve", {"Let it cool before serving", "Serve"}, {{0, 1}}},
    {"1. Buy\n   1. rice\n   2. beans\n2. Cook", {"Buy", "Cook"}, {{0, 1}}},
    {"- Buy\n\t- rice\n\t- beans\n- Cook", {"Buy", "Cook"}, {}},
    {"1. Buy\r\n2. Cook\r\n", {"Buy", "Cook"}, {{0, 1}}},
    {"1. Buy\n   - rice\n   - beans\n2. Cook", {"Buy", "Cook"}, {{0, 1}}},
    {"1. Buy\n2. Cook\n3. Eat\n\"Buy\" must precede \"Cook\"; after cook, eat.",
     {"Buy", "Cook", "Eat"},
     {{0, 1}, {1, 2}}},
});

const auto prose = std::to_array<plan_row>({
    {"First search papers, then summarize them. Finally, write a report.",
     {"search papers", "summarize them", "write a report"},
     {{0, 1}, {1, 2}}},
    {"Buy rice. Meanwhile, feed the cat. After that, cook.",
     {"Buy rice", "feed the cat", "cook"},
     {{0, 2}, {1, 2}}},
    {"Compile the code; run the tests; publish it",
     {"Compile the code", "run the tests", "publish it"},
     {{0, 1}, {1, 2}}},
    {"Compile the code and then run the tests", {"Compile the code", "run the tests"}, {{0, 1}}},
    {"Search papers and summarize them, then write a report",
     {"Search papers and summarize them", "write a report"},
     {{0, 1}}},
    {"First, buy rice; second, cook; finally, eat. Meanwhile, wash the dishes.",
     {"buy rice", "cook", "eat", "wash the dishes"},
     {{0, 1}, {1, 2}, {1, 3}}},
    {"Research cats then write a poem", {"Research cats", "write a poem"}, {{0, 1}}},
    {"First, buy rice. At the same time, feed the cat. Next, cook. Who eats?",
     {"buy rice", "feed the cat", "cook"},
     {{0, 2}, {1, 2}}},
});

struct problem_row {
  std::string_view text;
  std::string_view problems;
};
constexpr auto problem_rows = std::to_array<problem_row>({
    {"1. Buy\n1. Cook", "1. Cook: the number 1 is there twice\n"},
    {"1. Buy\n2. Cook\nStep 3 needs step 1.", "Step 3 needs step 1.: there is no step 3\n"},
    {"1. Buy\n2. Cook\nServe it warm.", "Serve it warm.: the word \"serve\" is not known here\n"},
    {"1. Buy\n2. Cook after step 1",
     "Cook after step 1: it mentions a step within the text of a step; write \"(after 2)\" at its "
     "end, or a sentence below the list\n"},
    {"1. Buy\n2. Cook (after lunch)",
     "2. Cook (after lunch): the word \"lunch\" is not known here\n"},
    {"1. Buy\n2. Cook\nStep 1 before step 2.\nStep 2 before step 1.",
     "Step 1 before step 2.: a cycle: step 1 -> step 2 -> step 1, by \"Step 1 before step 2.\" and "
     "\"Step 2 before step 1.\"\n"},
    {"1. Buy\n2. Cook\nStep 1 before step 2.\nSteps 1 and 2 run in parallel.",
     "Steps 1 and 2 run in parallel.: it contradicts \"Step 1 before step 2.\"\n"},
    {"Prepare dinner in parallel:\n1. Buy\n2. Cook",
     "Prepare dinner in parallel:: the word \"prepare\" is not known here\n"},
    {"First buy rice, then, if it rains, cook.",
     "First buy rice, then, if it rains, cook.: \"if\" is a condition; a plan has none\n"},
    {"First, buy rice. Then cook it until it is soft.",
     "Then cook it until it is soft.: \"until\" is known only in sentences about numbered or named "
     "steps\n"},
    {"First, I thank you. Then pay.", "First, I thank you.: a task does not begin with \"i\"\n"},
    {"My name is Bob. Paint the wall.",
     "My name is Bob. Paint the wall.: no word says that its sentences are tasks in an order\n"},
    {"First buy rice, then.\nThen cook.",
     "First buy rice, then.: there is no task between two words of order\n"},
    {"Do these in reverse order:\n- Buy\n- Cook",
     "Do these in reverse order:: it may change the order or the choice of the steps: \"reverse\" "
     "is not understood above a list\n"},
    {"Never do these together:\n- Buy\n- Cook",
     "Never do these together:: it may change the order or the choice of the steps: \"never\" is "
     "not understood above a list\n"},
    {"Choose one:\n- Buy\n- Cook", "Choose one:: it may change the order or the choice of the "
                                   "steps: \"choose\" is not understood above a list\n"},
    {"Do one of these:\n- Buy\n- Cook",
     "Do one of these:: it may change the order or the choice of the steps: \"one of\" is not "
     "understood above a list\n"},
    {"Do any of these:\n- Buy\n- Cook",
     "Do any of these:: it may change the order or the choice of the steps: \"any of\" is not "
     "understood above a list\n"},
    {"Do only the first:\n- Buy\n- Cook",
     "Do only the first:: it may change the order or the choice of the steps: \"only\" is not "
     "understood above a list\n"},
    {"Do either:\n- Buy\n- Cook", "Do either:: it may change the order or the choice of the steps: "
                                  "\"either\" is not understood above a list\n"},
    {"Dinner. You need not do all of these.\n- Buy\n- Cook",
     "You need not do all of these.: it may change the order or the choice of the steps: \"need "
     "not\" is not understood above a list\n"},
    {"Do these if it rains:\n- Buy\n- Cook",
     "Do these if it rains:: it may change the order or the choice of the steps: \"if\" is not "
     "understood above a list\n"},
    {"Do these from the bottom up:\n- Buy\n- Cook",
     "Do these from the bottom up:: it may change the order or the choice of the steps: "
     "\"bottom\" is not understood above a list\n"},
    {"- First book a train\n- Fly",
     "- First book a train: \"first\" is an order that is not read at the beginning of a step; say "
     "it in a sentence below the list\n"},
    {"1. Buy, after 2\n2. Cook", "Buy, after 2: it mentions a step within the text of a step; "
                                 "write \"(after 2)\" at its end, or a sentence below the list\n"},
    {"1. Buy in parallel with 2\n2. Cook",
     "Buy in parallel with 2: it mentions a step within the text of a step; write \"(after 2)\" at "
     "its end, or a sentence below the list\n"},
    {"1. Paint, parallel with 2 and 3\n2. Cook\n3. Eat",
     "Paint, parallel with 2 and 3: it mentions a step within the text of a step; write \"(after "
     "2)\" at its end, or a sentence below the list\n"},
    {"1. Buy\n2. Cook\n   (after 1)",
     "(after 1): it mentions a step within the text of a step; write \"(after 2)\" at its end, or "
     "a sentence below the list\n"},
    {"Buy rice; or cook; eat", "or cook;: a task does not begin with \"or\"\n"},
    {"Cook. Previously buy rice. Then eat.",
     "Previously buy rice.: a task does not begin with \"previously\"\n"},
    {"Buy rice; eat first", "eat first: \"first\" at the end of a task is not read\n"},
    {"Options:\n- Buy\n- Cook", "Options:: it may change the order or the choice of the steps: "
                                "\"options\" is not understood above a list\n"},
    {"1. Paint (parallel with 2)\n2. Cook\n3. Eat",
     "1. Paint (parallel with 2): the bracket \"(parallel with 2)\" may be an order, but is not "
     "understood\n"},
    {"1. Paint (with 2)\n2. Cook\n3. Eat",
     "1. Paint (with 2): the bracket \"(with 2)\" may be an order, but is not understood\n"},
    {"1. Paint (2)\n2. Cook\n3. Eat",
     "1. Paint (2): the bracket \"(2)\" may be an order, but is not understood\n"},
    {"1. Paint (2 and 3)\n2. Cook\n3. Eat",
     "1. Paint (2 and 3): the bracket \"(2 and 3)\" may be an order, but is not understood\n"},
    {"1. Paint (not before 2)\n2. Cook\n3. Eat",
     "1. Paint (not before 2): the bracket \"(not before 2)\" may be an order, but is not "
     "understood\n"},
    {"1. Paint (simultaneous with cooking)\n2. Cook\n3. Eat",
     "1. Paint (simultaneous with cooking): the bracket \"(simultaneous with cooking)\" may be an "
     "order, but is not understood\n"},
    {"1. Paint (parallel with 2) (5 min)\n2. Cook",
     "1. Paint (parallel with 2) (5 min): the bracket \"(parallel with 2)\" may be an order, but "
     "is not understood\n"},
    {"3. Eat\n1. Buy\n2. Cook", "3. Eat 1. Buy 2. Cook: the numbers of the steps do not grow; a "
                                "sentence has to say the order\n"},
    {"b) Cook\na) Buy",
     "b) Cook a) Buy: the numbers of the steps do not grow; a sentence has to say the order\n"},
    {"1. Buy\na) Cook\n2. Eat", "1. Buy a) Cook 2. Eat: the numbers of the steps do not grow; a "
                                "sentence has to say the order\n"},
    {"- First buy\n- Then cook\n- Finally eat",
     "- First buy: \"first\" is an order that is not read at the beginning of a step; say it in a "
     "sentence below the list\n- Then cook: \"then\" is an order that is not read at the beginning "
     "of a step; say it in a sentence below the list\n- Finally eat: \"finally\" is an order that "
     "is not read at the beginning of a step; say it in a sentence below the list\n"},
    {"1. Buy\n2. Cook\n3. Meanwhile wash",
     "3. Meanwhile wash: \"meanwhile\" is an order that is not read at the beginning of a step; "
     "say it in a sentence below the list\n"},
    {"Then cook. First buy rice.",
     "First buy rice.: \"first\" does not stand before the first task\n"},
    {"Finally eat. First buy rice, then cook.",
     "Finally eat.: a task follows behind \"finally\"\nFirst buy rice, then cook.: \"first\" does "
     "not stand before the first task\n"},
    {"Lastly, eat. Then cook.", "Lastly, eat.: a task follows behind \"lastly\"\n"},
    {"Buy rice. Third, cook. Second, eat.",
     "Second, eat.: \"second\" stands behind a later number\n"},
    {"Buy rice, then eat, but first cook.",
     "Buy rice, then eat, but first cook.: \"first\" does not stand before the first task\n"},
    {"First, do not buy rice. Then cook.",
     "First, do not buy rice.: \"do not\" says what is not to be done; a task says what is\n"},
    {"Never buy rice; cook",
     "Never buy rice;: \"never\" says what is not to be done; a task says what is\n"},
    {"First buy rice, then please don't cook.",
     "First buy rice, then please don't cook.: \"don't\" says what is not to be done; a task says "
     "what is\n"},
    {"- [x] Buy\n- [ ] Cook", "- [x] Buy: it is marked as done; leave it out\n"},
    {"1. [X] Buy\n2. Cook", "1. [X] Buy: it is marked as done; leave it out\n"},
    {"- [-] Buy\n- Cook", "- [-] Buy: it is marked as dropped; leave it out\n"},
    {"1. ~~Buy~~\n2. Cook", "1. ~~Buy~~: it is marked as struck out; leave it out\n"},
    {"1. Buy (with cook)\n2. Cook",
     "1. Buy (with cook): the bracket \"(with cook)\" may be an order, but is not understood\n"},
});

/// Above a list, in a step or below one it may be an order, or say that nothing is to be done.
constexpr auto refused_lists = std::to_array<std::string_view>({
    "No order:\n1. Buy\n2. Cook",
    "Order is irrelevant:\n1. Buy\n2. Cook",
    "Any order is fine:\n1. Buy\n2. Cook",
    "Whichever order:\n1. Buy\n2. Cook",
    "Steps (unordered):\n1. Buy\n2. Cook",
    "Parallel tasks:\n1. Buy\n2. Cook",
    "Concurrent:\n1. Buy\n2. Cook",
    "Async tasks:\n1. Buy\n2. Cook",
    "From last to first:\n1. Buy\n2. Cook",
    "Ordered list:\n- Buy\n- Cook",
    "Steps, each after the previous:\n- Buy\n- Cook",
    "Chain:\n- Buy\n- Cook",
    "I move next week. I need to do 3 before 2.\n1. Pack\n2. Rent\n3. Call",
    "Backlog (won't do):\n- Buy\n- Cook",
    "Out of scope:\n- Buy\n- Cook",
    "Rejected:\n- Buy\n- Cook",
    "Postponed:\n- Buy\n- Cook",
    "Not now:\n- Buy\n- Cook",
    "Maybe later:\n- Buy\n- Cook",
    "Is this right?\n1. Buy\n2. Cook",
    "Which of these is best?\n1. Buy\n2. Cook",
    "1. Buy - done\n2. Cook",
    "1. Buy (DONE)\n2. Cook",
    "1. Buy \u2705\n2. Cook",
    "1. Design\n2. Build\n3. Write in the meantime",
    "1. Design\n2. Build\n3. Write in parallel",
    "1. Design\n2. Build\n3. Write at the same time",
    "- Pay the bill after you checked it\n- Check the bill",
    "- Sign the contract once the inspection is done\n- Do the inspection",
    "1. Serve after baking\n2. Bake",
    "- Buy rice, then\n- Cook rice",
    "- Buy rice first\n- Cook rice",
    "- Deploy, after Test\n- Test",
    "- Deploy <- Test\n- Test",
    "- Buy rice\n    Do this after cooking.\n- Cook rice",
    "- Deploy\n    Depends on: Tests\n- Test",
    "1. Buy\n2. Cook\n3. Eat\nActually do 3 first?",
    "1. Buy\n2. Cook\n3. Eat\nShould 3 come before 1?",
    "1. Buy\n 2. Cook\n  3. Eat",
    "- Buy\n - Cook\n  - Eat",
    "\u200b1. Buy\n2. Cook",
    "1. Buy\n\u200b2. Cook",
    "\u200d1. Buy\n2. Cook",
});

/// A line of the same words that says nothing of the kind.
constexpr auto names_of_lists = std::to_array<std::string_view>({
    "Next steps:",
    "Things we need:",
    "My first release:",
    "Order a pizza:",
    "Follow up:",
    "Plan for 2 people:",
    "Can you do these for me?",
    "I do this in order to save money:",
    "How to do one thing after another:",
});
} // namespace

TEST_CASE("lists and what is said below them become tasks and edges", "[planner][grammar]") {
  for (const auto& [text, tasks, edges] : lists) {
    CAPTURE(text);
    const auto read = read_text(text);
    CHECK(problems_of(read) == "");
    CHECK(names_of(read) == tasks);
    CHECK(edges_of(read) == edges);
    CHECK(read.is_plan());
    CHECK_FALSE(read.is_guess);
  }
}

TEST_CASE("prose becomes stages, all of one before all of the next", "[planner][grammar]") {
  for (const auto& [text, tasks, edges] : prose) {
    CAPTURE(text);
    const auto read = read_text(text);
    CHECK(problems_of(read) == "");
    CHECK(names_of(read) == tasks);
    CHECK(edges_of(read) == edges);
    CHECK_FALSE(read.is_guess);
  }
}

TEST_CASE("what is not understood is named with the reason, and nothing is planned",
          "[planner][grammar]") {
  for (const auto& [text, problems] : problem_rows) {
    CAPTURE(text);
    const auto read = read_text(text);
    CHECK(problems_of(read) == problems);
    CHECK_FALSE(read.is_plan());
  }
}

TEST_CASE("an order where none is read, and what is not to be done, are refused",
          "[planner][grammar]") {
  for (const auto text : refused_lists) {
    CAPTURE(text);
    const auto read = read_text(text);
    CHECK(!read.problems.empty());
    CHECK_FALSE(read.is_plan());
  }
}

TEST_CASE("a line above a list that says no order is its name", "[planner][grammar]") {
  for (const auto line : names_of_lists) {
    CAPTURE(line);
    CHECK(problems_of(read_text(std::string(line) + "\n1. Buy\n2. Cook\n3. Eat")) == "");
  }
}

TEST_CASE("each edge names the sentence that says it", "[planner][grammar]") {
  const auto read =
      read_text("1. Buy\n2. Cook\n3. Eat\nStep 1 before step 2. After step 2, step 3.");
  REQUIRE(read.edges.size() == 2);
  CHECK(read.sources[read.edges[0].source] == "Step 1 before step 2.");
  CHECK(read.sources[read.edges[1].source] == "After step 2, step 3.");
  const auto chain = read_text("1. Buy\n2. Cook");
  REQUIRE(chain.edges.size() == 1);
  CHECK(chain.sources[chain.edges[0].source] == "no order is said: the numbers are one");
}

TEST_CASE("what is assumed is said", "[planner][grammar]") {
  CHECK(read_text("- Buy\n- Cook").assumptions == names{"no order is said: bullets have none"});
  CHECK(read_text("1. Buy\n2. Cook").assumptions == names{"no order is said: the numbers are one"});
  CHECK(read_text("Eat: 1. Buy 2. Cook").assumptions
        == names{"one line has several steps", "no order is said: the numbers are one"});
  CHECK(read_text("1. Buy\n2. Cook\n2 needs 1\nWhy?").assumptions
        == names{"the question at the end is left out: \"Why?\"",
                 "the text says an order, so tasks wait for nothing else than it says"});
  CHECK(read_text("- Don't buy\n- Cook").assumptions
        == names{"\"Don't buy\" is a step, though it says what is not to be done",
                 "no order is said: bullets have none"});
  CHECK(read_text("- Buy\n- Or cook").assumptions
        == names{"\"Or cook\" is a step, though it may stand for another one",
                 "no order is said: bullets have none"});
  CHECK(read_text("Eat:\nI am hungry.\n- Buy\n- Cook").assumptions
        == names{"this is no order, but an introduction: \"I am hungry.\"",
                 "no order is said: bullets have none"});
}

TEST_CASE("a duration at the end of a step is taken out of its name", "[planner][grammar]") {
  struct row {
    std::string_view item;
    std::string_view name;
    milliseconds expected;
  };
  const auto rows = std::to_array<row>({
      {"Paint (5 minutes)", "Paint", minutes(5)},
      {"Paint [takes 2 h]", "Paint", hours(2)},
      {"Paint - 1 h 30 min", "Paint", minutes(90)},
      {"Paint takes 2 days.", "Paint", hours(48)},
      {"Paint, takes about 1.5 hours", "Paint", minutes(90)},
      {"Paint (0.5 s)", "Paint", milliseconds(500)},
      {"Paint (90min)", "Paint", minutes(90)},
      {"Paint (a week)", "Paint", hours(168)},
      {"Paint (after 2) (5 min)", "Paint", minutes(5)},
      {"Paint (5 min) (after 2)", "Paint", minutes(5)},
      {"Paint (twice)", "Paint (twice)", milliseconds(0)},
      {"Paint (20 years)", "Paint (20 years)", milliseconds(0)},
      {"Paint in 5 colours", "Paint in 5 colours", milliseconds(0)},
  });
  for (const auto& [item, name, expected] : rows) {
    CAPTURE(item);
    const auto read = read_text("1. " + std::string(item) + "\n2. Wash");
    CHECK(problems_of(read) == "");
    REQUIRE(read.tasks.size() == 2);
    CHECK(read.tasks[0].name == name);
    CHECK(read.tasks[0].expected == expected);
  }
}

TEST_CASE("sentences and \"and\" alone are tasks only as a guess", "[planner][grammar]") {
  const std::string_view two = "Research AI papers and write a summary";
  CHECK(read_text(two).tasks.size() == 1);
  const auto guessed = read_text(two, guesses::allowed);
  CHECK(names_of(guessed) == names{"Research AI papers", "write a summary"});
  CHECK(edges_of(guessed) == edge_set{{0, 1}});
  CHECK(guessed.is_guess);
  REQUIRE(guessed.assumptions.size() == 1);
  CHECK(guessed.assumptions[0]
        == "a guess: \"and\" before a verb is taken for two tasks, one after the other");
  CHECK(read_text("Buy bread and butter", guesses::allowed).tasks.size() == 1);
  const auto sentences = read_text("Research AI papers. Write a summary.", guesses::allowed);
  CHECK(sentences.is_guess);
  CHECK(edges_of(sentences) == edge_set{{0, 1}});
}

TEST_CASE("a text above a limit is named by its beginning", "[planner][grammar]") {
  static constexpr std::size_t shown_max = 150;
  const auto ends_with = [](const text_reading& read, std::string_view reason) {
    REQUIRE(read.problems.size() == 1);
    CHECK(read.problems[0].reason == reason);
    CHECK(read.problems[0].text.size() < shown_max);
    return read.problems[0].text.ends_with("...");
  };
  CHECK(ends_with(read_text(std::string(text_bytes_max + 1, 'a')),
                  "the text is longer than 65536 bytes"));
  CHECK(problems_of(read_text("1. \xff\n2. b")) == "1. ? 2. b: the text is not UTF-8\n");
  std::string steps;
  for (std::size_t i = 1; i <= tasks_max + 1; ++i)
    steps += std::to_string(i) + ". do it\n";
  CHECK(ends_with(read_text(steps), "there are more than 1000 tasks"));
  std::string wide;
  for (std::size_t i = 1; i <= 300; ++i)
    wide += std::to_string(i) + ". do it\n";
  CHECK(ends_with(read_text(wide + "Steps 1-150 must precede steps 151-300."),
                  "there are more than 10000 dependencies"));
}

TEST_CASE("what is not understood is bounded, however long the text is", "[planner][grammar]") {
  std::string text;
  while (text.size() + 20 < text_bytes_max)
    text += "the rice, then ";
  const auto read = read_text(text);
  CHECK(read.problems.size() == problems_max);
  for (const auto& each : read.problems)
    CHECK(each.text.size() <= problem_text_bytes_max);
}

TEST_CASE("the objective of a reading resolves by position, whatever the names are",
          "[planner][grammar]") {
  const auto read = read_text("Cook:\n1. task-1 (5 min)\n2. task-1\n3. Eat\nStep 3 needs step 2.");
  REQUIRE(read.is_plan());
  const auto spec = objective_of(read);
  CHECK(spec.name == "Cook");
  REQUIRE(spec.plans.size() == 1);
  const auto& tasks = spec.plans[0]->tasks;
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[0].expected == minutes(5));
  CHECK(tasks[2].dependencies == names{"task-1"});
  CHECK(tasks[0].agent.empty());
  CHECK(objective_of(read, "Dinner").name == "Dinner");
  CHECK(objective_of(read_text("- a\n- b\n- c")).name == "a, b, ...");
}
