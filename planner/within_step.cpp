#include "planner/within_step.hpp"

#include "protocol/text/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "planner/order_words.hpp"
#include "planner/phrase_set.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

using token_span = std::span<const token>;

// clang-format off
constexpr auto places_at_end = std::to_array<std::string_view>({
    "first", "second", "third", "fourth", "fifth", "last", "then", "next", "afterwards", "afterward", "beforehand", "after that", "before that",
    "finally", "lastly", "at the same time", "at last",
});

constexpr auto places_anywhere = std::to_array<std::string_view>({
    "meanwhile", "in the meantime", "in parallel", "simultaneously", "concurrently",
});

constexpr auto before_counted_ends = std::to_array<std::string_view>({
    "the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "this", "that", "one", "per", "every", "each", "at",
});
// clang-format on

/// Whether an item, or a line below it, ends in an order without a bracket: "buy, after 2".
bool ends_in_order(std::string_view text, const step_names& names) {
  const auto all = tokens_of(text);
  std::span<const token> words(all);
  // A line below an item may be a bracket.
  if (words.size() > 1 && words.front().text == "(" && words.back().text == ")")
    words = words.subspan(1, words.size() - 2);
  const auto is_one_of = [](const token& word, std::initializer_list<std::string_view> table) {
    return std::ranges::find(table, word.text) != table.end();
  };
  while (!words.empty() && is_one_of(words.back(), {".", ";", ","}))
    words = words.first(words.size() - 1);
  bool has_label = false;
  while (!words.empty()) {
    const auto& word = words.back();
    const bool is_label =
        (number_of(word.text) && names.labelled(word.text)) || range_of(word.text);
    if (!is_label && !is_one_of(word, {",", "and", "&", "to"}))
      break;
    has_label = has_label || is_label;
    words = words.first(words.size() - 1);
  }
  if (!has_label)
    return false;
  if (!words.empty() && is_one_of(words.back(), {"with", "as"}))
    words = words.first(words.size() - 1);
  if (!words.empty() && is_one_of(words.back(), {"parallel", "simultaneous", "concurrent"}))
    return true;
  constexpr std::size_t phrase_words_max = 4;
  for (std::size_t count = 1; count <= std::min(words.size(), phrase_words_max); ++count) {
    const auto phrase = phrase_at(words.last(count));
    if (phrase && phrase->tokens == count && says_order(phrase->meaning))
      return true;
  }
  return false;
}

/// Whether the name of another step is all that stands behind a word of order, to a comma or "and".
bool names_other_step(std::string_view text, std::uint32_t step, const step_names& names) {
  const auto all = tokens_of(text);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto phrase = phrase_at(token_span(all).subspan(i));
    if (!phrase || !says_order(phrase->meaning))
      continue;
    auto words = token_span(all).subspan(i + phrase->tokens);
    while (!words.empty() && (words.front().text == ":" || words.front().text == "the"))
      words = words.subspan(1);
    auto named = names.quoted_at(words);
    if (!named)
      named = names.unquoted_at(words);
    if (!named || named->step == step)
      continue;
    constexpr auto ends = std::to_array<std::string_view>({",", ".", ";", "!", ")", "and", "&"});
    if (named->tokens == words.size()
        || std::ranges::find(ends, words[named->tokens].text) != ends.end())
      return true;
  }
  return false;
}

/// A word without its ending: "checked" and "check" are the same, and so are "baking" and "bake".
std::string stem_of(std::string_view word) {
  constexpr std::size_t stem_bytes_min = 3;
  constexpr auto endings = std::to_array<std::string_view>({"ion", "ing", "ed", "es", "s", "e"});
  auto out = ascii_lower(word);
  const auto* ending = std::ranges::find_if(endings, [&out](std::string_view each) {
    return out.size() >= stem_bytes_min + each.size() && out.ends_with(each);
  });
  if (ending != endings.end())
    out.resize(out.size() - ending->size());
  if (out.size() > stem_bytes_min && out.back() == out[out.size() - 2]) // "planned"
    out.pop_back();
  return out;
}

/// Whether a step can be known by the word: no word of order, and none that every text has.
bool tells_step(token_span words) {
  constexpr auto common = std::to_array<std::string_view>(
      {"with",  "from",  "into", "them", "they",  "then",  "this",  "that",  "your",  "you",
       "for",   "not",   "its",  "our",  "their", "more",  "some",  "any",   "out",   "off",
       "get",   "got",   "make", "made", "use",   "using", "used",  "about", "time",  "minutes",
       "hours", "days",  "one",  "two",  "new",   "each",  "every", "it's",  "there", "here",
       "what",  "which", "very", "well", "very",  "until"});
  const auto& word = words.front().text;
  constexpr std::size_t word_bytes_min = 3;
  const bool is_letter = word.front() >= 'a' && word.front() <= 'z';
  return is_letter && word.size() >= word_bytes_min && !phrase_at(words)
         && std::ranges::find(common, word) == common.end();
}

/// On which side of the step the other one stands, that is behind the word: -1 before it, 1 behind
/// it. 0: the word does not join two steps.
int side_of(word_class connective) {
  switch (connective) {
    case word_class::before:
    case word_class::needed_for: return 1;
    case word_class::after:
    case word_class::once:
    case word_class::upon:
    case word_class::until:
    case word_class::needs: return -1;
    default: return 0;
  }
}

} // namespace

bool may_be_order(std::string_view inside, const step_names& names) {
  constexpr auto others = std::to_array<std::string_view>(
      {"parallel", "simultaneous", "concurrent", "order", "sequence", "first", "last"});
  const auto all = tokens_of(inside);
  for (std::span<const token> words(all); !words.empty(); words = words.subspan(1)) {
    const auto& word = words.front().text;
    const auto phrase = phrase_at(words);
    if ((phrase && says_order(phrase->meaning)) || std::ranges::find(others, word) != others.end())
      return true;
    // "2 coats" counts something.
    const bool is_last =
        words.size() == 1 || words[1].text == "," || words[1].text == "and" || words[1].text == "&";
    if (is_last && ((number_of(word) && names.labelled(word)) || range_of(word)))
      return true;
    // "with cook", where there is a step "cook".
    const auto named = names.unquoted_at(words);
    if (named && named->tokens == words.size())
      return true;
  }
  return false;
}

bool has_order_of_step(std::string_view text, std::uint32_t step, const step_names& names) {
  return ends_in_order(text, names) || names_other_step(text, step, names);
}

std::string place_said_in(std::string_view text) {
  static const phrase_set anywhere(places_anywhere);
  static const phrase_set at_end(places_at_end);
  const auto all = tokens_of(text);
  token_span words(all);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (const auto count = anywhere.longest_at(words.subspan(i)))
      return joined(words.subspan(i, count));
  constexpr auto marks = std::to_array<std::string_view>({".", ";", ",", "!"});
  while (!words.empty() && std::ranges::find(marks, words.back().text) != marks.end())
    words = words.first(words.size() - 1);
  constexpr std::size_t phrase_words_max = 4;
  for (std::size_t count = 1; count <= std::min(words.size(), phrase_words_max); ++count) {
    const auto last = words.last(count);
    if (at_end.longest_at(last) != count || count == words.size())
      continue;
    const auto& before = words[words.size() - count - 1].text; // "Wait a second"
    if (std::ranges::find(before_counted_ends, before) == before_counted_ends.end())
      return joined(last);
  }
  return {};
}

step_words::step_words(const std::vector<std::string>& steps) {
  for (std::uint32_t step = 0; step < steps.size(); ++step) {
    const auto all = tokens_of(steps[step]);
    for (token_span words(all); !words.empty(); words = words.subspan(1)) {
      if (!tells_step(words))
        continue;
      auto& found =
          by_stem_.try_emplace(stem_of(words.front().text), places{step, step}).first->second;
      found.last = step;
    }
  }
}

std::string step_words::order_in(std::string_view text, std::uint32_t step, bool is_chain) const {
  const auto all = tokens_of(text);
  std::string said; // The word of order before `words`, if it is in the same clause.
  int side = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto words = token_span(all).subspan(i);
    constexpr auto marks = std::to_array<std::string_view>({",", ".", ";", "!", "?", ":"});
    if (std::ranges::find(marks, words.front().text) != marks.end())
      side = 0;
    if (const auto phrase = phrase_at(words); phrase && side_of(phrase->meaning) != 0) {
      side = side_of(phrase->meaning);
      said = joined(words.first(phrase->tokens));
      i += phrase->tokens - 1;
      continue;
    }
    if (side == 0 || !tells_step(words))
      continue;
    const auto found = by_stem_.find(stem_of(words.front().text));
    if (found == by_stem_.end())
      continue;
    const auto& [first, last] = found->second;
    const bool has_other = first != step || last != step;
    const bool has_right = side < 0 ? first < step : last > step;
    if (has_other && !(is_chain && has_right))
      return said;
  }
  return {};
}

} // namespace troupe::planner
