#include "planner/choice_words.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "planner/phrase_set.hpp"

namespace troupe::planner {

namespace {

// clang-format off
constexpr auto everywhere = std::to_array<std::string_view>({
    "reverse", "reversed", "backwards", "backward", "the opposite order", "inverse order", "the other way", "vice versa", "from the end",
    "last one first", "last first",
    "one of", "any of", "none of", "some of these", "some of them", "most of these", "most of them", "as you like",
    "pick one", "pick any", "pick either", "pick two", "select one", "select any",
    "only", "either", "neither", "except", "apart from", "instead", "rather than", "optional", "optionally", "alternatively",
    "repeat", "start over", "start again", "already",
});

constexpr auto above_lists = std::to_array<std::string_view>({
    "some of", "most of", "at most", "at least", "bottom", "choose", "unless", "if", "options", "alternatives", "twice",
    "did", "yesterday", "skip", "skipped", "ignore", "canceled", "cancelled", "dropped", "obsolete", "no longer",
    "not to", "to avoid", "never", "backlog", "rejected", "postponed", "deferred", "declined", "excluded", "discarded", "abandoned", "archived",
    "out of scope", "later", "maybe", "perhaps", "someday", "wontfix",
});

/// Also what speaks of other tasks: "do this twice". A condition has its own reason in prose.
constexpr auto in_texts = std::to_array<std::string_view>({
    "choose one", "choose any", "choose either", "choose between", "choose from", "choose two", "bottom up", "from the bottom",
    "maybe", "perhaps", "possibly", "if possible", "other than", "do it again", "over and over", "do this", "do that", "do these", "do those", "do them again",
    "see below", "as follows", "go back to", "go to step", "to the beginning", "to the start", "the rest", "the former", "the latter",
    "cancel that", "skip that", "ignore that",
});
// clang-format on

const phrase_set& phrases_of(choice_place where) {
  const auto both = [](std::span<const std::string_view> others) {
    std::vector<std::string_view> all(everywhere.begin(), everywhere.end());
    all.insert(all.end(), others.begin(), others.end());
    return phrase_set(all);
  };
  static const auto lists = both(above_lists);
  static const auto texts = both(in_texts);
  return where == choice_place::above_list ? lists : texts;
}

} // namespace

std::string choice_at(std::span<const token> words, choice_place where) {
  return joined(words.first(phrases_of(where).longest_at(words)));
}

bool says_done(std::span<const token> words, std::size_t at) {
  constexpr auto ends = std::to_array<std::string_view>({"done", "finished", "completed"});
  constexpr auto wishes = std::to_array<std::string_view>({"be", "get", "getting"});
  if (std::ranges::find(ends, words[at].text) == ends.end())
    return false;
  // "get the rice done"
  constexpr std::size_t words_between_max = 4;
  const auto before = words.first(at).last(std::min(at, words_between_max + 1));
  return std::ranges::none_of(before, [&](const token& each) {
    return std::ranges::find(wishes, each.text) != wishes.end();
  });
}

} // namespace troupe::planner
