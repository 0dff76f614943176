// The reader's time grows with the text: counted, not measured.
#include "tests/support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/limits.hpp"
#include "planner/plan_template.hpp"
#include "planner/steps.hpp"
#include "planner/text_reading.hpp"

using namespace troupe::planner;

namespace {

/// The steps that it takes to read a text; tables that are made once are not counted.
std::uint64_t steps_of(const std::string& text) {
  static_cast<void>(read_text("1. a\n2. b\nStep 1, then step 2.", guesses::allowed));
  static_cast<void>(read_text("first cook, then eat", guesses::allowed));
  const auto before = reader_steps;
  static_cast<void>(read_text(text, guesses::allowed));
  return reader_steps - before;
}

std::string times(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i)
    out += text;
  return out;
}

struct family {
  std::string name;
  std::function<std::string(std::size_t)> text; ///< Of a size.
  std::size_t size;                             ///< Its double is within the limits, too.
};

/// Numbered steps, each with `behind`.
std::string steps(std::size_t count, std::string_view behind = {}) {
  std::string out;
  for (std::size_t i = 1; i <= count; ++i)
    out += std::to_string(i) + ". do thing " + std::to_string(i) + std::string(behind) + "\n";
  return out;
}

/// `before` 1 `between` 2 `behind`, and so on.
std::string pairs(std::size_t count, std::string_view before, std::string_view between,
                  std::string_view behind) {
  std::string out;
  for (std::size_t i = 1; i < count; ++i)
    out += std::string(before) + std::to_string(i) + std::string(between) + std::to_string(i + 1)
           + std::string(behind);
  return out;
}

std::vector<family> families() {
  const auto repeated = [](std::string piece) {
    return [piece](std::size_t size) { return times(piece, size / piece.size()); };
  };
  // Beside steps that are always as many.
  const auto below_steps = [](std::string piece, std::size_t count) {
    return [piece, count](std::size_t size) {
      return steps(count) + times(piece, size / piece.size());
    };
  };
  constexpr std::size_t bytes = text_bytes_max / 4;
  std::vector<family> out{
      {"many items", [](std::size_t n) { return steps(n); }, 400},
      {"many items with a bracket", [](std::size_t n) { return steps(n, " (5 min)"); }, 400},
      {"a chain in sentences",
       [](std::size_t n) { return steps(n) + pairs(n, "Step ", " must precede step ", ".\n"); },
       400},
      {"a cycle",
       [](std::size_t n) {
         return steps(n) + pairs(n, "Step ", " -> step ", "\n") + "Step " + std::to_string(n)
                + " -> step 1\n";
       },
       400},
      {"pairs in parallel",
       [](std::size_t n) {
         return steps(n) + pairs(n, "Step ", " -> step ", "\n")
                + pairs(n, "Steps ", " and ", " can run in parallel.\n");
       },
       300},
      {"a long chain in one sentence",
       [](std::size_t n) { return steps(n) + pairs(n, "step ", " -> step ", " -> "); }, 300},
      {"items in one line",
       [](std::size_t n) {
         std::string text;
         for (std::size_t i = 1; i <= n; ++i)
           text += std::to_string(i) + ". cook ";
         return text;
       },
       400},
      {"a deep list",
       [](std::size_t n) {
         std::string text;
         for (std::size_t i = 0; i < n; ++i)
           text += std::string(2 * i, ' ') + "- deeper\n";
         return text;
       },
       100},
      {"one long line", repeated("a"), bytes},
      {"one long line of words", repeated("cook "), bytes},
      {"stages", repeated("Cook rice, then eat it. "), bytes},
      {"tasks that are none", repeated("the rice, then "), bytes},
      {"abbreviations", repeated("See Dr. Miller e.g. at 5 p.m. in the hall, then go. "), bytes},
      {"and before a verb", repeated("cook and write and "), bytes},
      {"all steps again and again", below_steps("All steps can run in parallel.\n", 50), bytes},
      {"ranges again and again", below_steps("Steps 1-20 must precede steps 21-40.\n", 40), bytes},
      {"names in quotes", below_steps("\"do thing 1\" must precede \"do thing 2\".\n", 40), bytes},
      {"sentences that are not known", below_steps("Nobody knows what this is about.\n", 40),
       bytes},
  };
  for (const auto* hostile :
       {",",         ", ",        "(",        ")",       "((a) ",        "[",       "\"",
        "\"a ",      "\u201c",    "(5 min) ", "1. ",     "1. a (after ", "- ",      " - ",
        "then ",     "and then ", ", then ",  "step ",   "step 1, ",     "after ",  "not ",
        ".",         "?",         "; ",       "\n",      "\t",           " takes ", "- [ ] ",
        "1-9 ",      "#",         "~~",       "->",      "=> ",          "Dr. ",    "e.g. a ",
        "a p.m. b ", "J. ",       "'a ",      "`",       "first ",       "Hi! ",    "Thanks! ",
        "Why? ",     "as you ",   "do this ", "First: ", "a\n\n"})
    out.push_back({"again and again: " + std::string(hostile), repeated(hostile), bytes});
  for (const auto* hostile : {"(", "\"", "\"do ", ", ", ". ", "(after 1) ", "(5 min) "})
    out.push_back({"in an item: " + std::string(hostile),
                   [hostile](std::size_t size) {
                     return "1. do " + times(hostile, size / std::string_view(hostile).size())
                            + "\n2. eat\n";
                   },
                   bytes});
  return out;
}

} // namespace

TEST_CASE("the words of a message are read once, however many templates there are",
          "[planner][linear]") {
  const std::string text = "What is the weather like in Paris today?";
  const auto templates = shipped_templates();
  REQUIRE(templates.size() > 1);
  const auto before = reader_steps;
  static_cast<void>(choose_template(templates, text));
  CHECK(reader_steps - before == text.size());
}

TEST_CASE("the steps of the reader grow with the text", "[planner][linear]") {
  for (const auto& [name, text, size] : families()) {
    const auto once = text(size);
    const auto twice = text(2 * size);
    REQUIRE(twice.size() <= text_bytes_max);
    const auto few = steps_of(once);
    const auto many = steps_of(twice);
    CAPTURE(name, once.size(), twice.size(), few, many);
    CHECK(few >= once.size()); // It is counted.
    const auto grown = static_cast<double>(twice.size()) / static_cast<double>(once.size());
    CHECK(static_cast<double>(many) <= 1.1 * grown * static_cast<double>(few));
  }
}
