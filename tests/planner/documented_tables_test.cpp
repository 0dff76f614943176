// The tables of docs/planner.md say what the code does: each row is held against it.
#include "tests/planner/steps_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/documented_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/order_sentence.hpp"
#include "planner/order_words.hpp"
#include "planner/prose_words.hpp"
#include "planner/short_question.hpp"
#include "planner/text_reading.hpp"
#include "planner/verdict.hpp"

using namespace troupe::planner;
using namespace troupe::testing;

namespace {

struct class_name {
  std::string_view name;
  word_class meaning;
};
constexpr auto class_names = std::to_array<class_name>({
    {"before", word_class::before},     {"after", word_class::after},
    {"once", word_class::once},         {"upon", word_class::upon},
    {"until", word_class::until},       {"needed for", word_class::needed_for},
    {"needs", word_class::needs},       {"then", word_class::then},
    {"together", word_class::together}, {"while", word_class::during},
    {"in order", word_class::in_order}, {"must", word_class::must},
    {"may", word_class::may},           {"only", word_class::only},
    {"must not", word_class::must_not}, {"need not", word_class::need_not},
    {"start", word_class::start},       {"goes on", word_class::goes_on},
    {"end", word_class::end},           {"wait", word_class::wait},
    {"all", word_class::every},         {"leaves open", word_class::open},
    {"no meaning", word_class::filler},
});

std::string_view name_of(word_class meaning) {
  const auto* found = std::ranges::find(class_names, meaning, &class_name::meaning);
  return found == class_names.end() ? std::string_view("(no row)") : found->name;
}

/// The class of a phrase in the code, by its name in the documentation.
std::string_view class_of(std::string_view words) {
  const auto phrases = order_phrases();
  const auto found = std::ranges::find(phrases, words, &phrase::words);
  return found == phrases.end() ? std::string_view("(not in the code)") : name_of(found->meaning);
}

std::string_view shown(meaning says) {
  switch (says) {
    case meaning::refused: return "refused";
    case meaning::main_first: return "main";
    case meaning::main_last: return "other";
    case meaning::no_order: return "no order";
  }
  return "";
}

std::string shown_moments(std::uint8_t set) {
  constexpr auto names =
      std::to_array<std::pair<moment, std::string_view>>({{main_start, "main start"},
                                                          {main_end, "main end"},
                                                          {other_start, "other start"},
                                                          {other_end, "other end"},
                                                          {other_goes_on, "other goes on"},
                                                          {main_goes_on, "main goes on"}});
  std::string out;
  for (const auto& [each, name] : names)
    if ((set & each) != 0)
      out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

cells shown(const meaning_row& row) {
  cells out{std::string(name_of(row.connective))};
  for (const auto says : row.says)
    out.emplace_back(shown(says));
  auto moments = shown_moments(row.refused_moments);
  if (row.refused_moments_denied != 0)
    moments += "; with \"must not\": " + shown_moments(row.refused_moments_denied);
  out.push_back(moments);
  return out;
}

} // namespace

TEST_CASE("each documented word has its class, and each class a row", "[planner][docs]") {
  const auto rows = documented_rows("docs/planner.md", "| class | words |");
  cells names;
  for (const auto& row : rows) {
    REQUIRE(row.size() == 2);
    names.push_back(row[0]);
    for (auto words : parted(row[1], ",")) {
      std::erase(words, '`');
      CAPTURE(words);
      CHECK(class_of(words) == row[0]);
    }
  }
  cells all;
  for (const auto& each : class_names)
    all.emplace_back(each.name);
  CHECK(names == all);
  for (const auto& each : order_phrases()) {
    CAPTURE(each.words);
    const bool is_named = each.meaning == word_class::step
                          || each.meaning == word_class::conjunction
                          || name_of(each.meaning) != "(no row)";
    CHECK(is_named);
  }
}

TEST_CASE("the documented table of meaning is that of the code", "[planner][docs]") {
  const auto rows = documented_rows(
      "docs/planner.md",
      "| connective | plain, must | may | only | must not | need not | refused if there is |");
  std::vector<cells> wanted;
  for (const auto& row : meaning_table())
    wanted.push_back(shown(row));
  CHECK(rows == wanted);
}

TEST_CASE("the documented rows of \"Who decides\" are those of the code", "[planner][docs]") {
  cells wanted;
  for (auto row = decider::task; row <= decider::nobody;
       row = static_cast<decider>(static_cast<std::uint8_t>(row) + 1))
    wanted.push_back('`' + std::string(to_string(row)) + '`');
  cells names;
  for (const auto& row : documented_rows("docs/planner.md", "| row | fits if | verdict |"))
    names.push_back(row[0]);
  CHECK(names == wanted);
}

TEST_CASE("documented sentences are refused with the documented reason", "[planner][docs]") {
  const auto steps = numbered_steps(8);
  const auto rows = documented_rows("docs/planner.md", "| sentence | reason |");
  CHECK(rows.size() > 8);
  for (const auto& row : rows) {
    REQUIRE(row.size() == 2);
    CAPTURE(row[0]);
    const auto read = read_order_sentence(row[0], steps);
    CHECK((read ? "it is read" : read.error().reason) == row[1]);
  }
}

TEST_CASE("documented texts are refused with the documented reason", "[planner][docs]") {
  const auto rows = documented_rows("docs/planner.md", "| text | reason |");
  CHECK(rows.size() > 8);
  for (const auto& row : rows) {
    REQUIRE(row.size() == 2);
    CAPTURE(row[0]);
    std::string text;
    for (const auto& line : parted(row[0], " / "))
      text += (text.empty() ? "" : "\n") + line;
    const auto read = read_text(text);
    REQUIRE(read.problems.size() == 1);
    CHECK(read.problems.front().reason == row[1]);
  }
}

TEST_CASE("documented words of prose have the documented effect, and all are documented",
          "[planner][docs]") {
  constexpr auto effects = std::to_array<std::string_view>(
      {"begins", "the next stage", "beside the task before"}); // as seam_kind
  const auto rows = documented_rows("docs/planner.md", "| words | effect |");
  REQUIRE(rows.size() == effects.size());
  cells documented;
  for (const auto& row : rows)
    for (const auto& words : parted(row.at(0), ",")) {
      documented.push_back(words);
      if (words == "`;`" || words == "the end of a sentence")
        continue;
      CAPTURE(words);
      const auto found = std::ranges::find(seam_phrases(), words, &seam_phrase::words);
      REQUIRE(found != seam_phrases().end());
      CHECK(effects[static_cast<std::size_t>(found->kind)] == row.at(1));
    }
  for (const auto& each : seam_phrases()) {
    const auto words = each.words.starts_with("and ") ? each.words.substr(4) : each.words;
    CAPTURE(words);
    CHECK(std::ranges::find(documented, words) != documented.end());
  }
}

TEST_CASE("documented texts are short questions, or none, as documented", "[planner][docs]") {
  const auto rows = documented_rows("docs/planner.md", "| form | is one | is none |");
  CHECK(rows.size() == 4);
  for (auto row : rows) {
    REQUIRE(row.size() == 3);
    std::erase(row[1], '`');
    std::erase(row[2], '`');
    CAPTURE(row[1], row[2]);
    CHECK(is_short_question(row[1]));
    CHECK_FALSE(is_short_question(row[2]));
  }
}
