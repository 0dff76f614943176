#include "planner/above_list.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "planner/choice_words.hpp"
#include "planner/order_words.hpp"
#include "planner/phrase_set.hpp"
#include "planner/task_verbs.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

using token_span = std::span<const token>;

template<std::size_t count>
bool is_one_in(const std::array<std::string_view, count>& table, std::string_view word) {
  return std::ranges::find(table, word) != table.end();
}

// clang-format off
/// Beside the words of sentences about order.
constexpr auto order_titles = std::to_array<std::string_view>({
    "order", "ordered", "unordered", "ordering", "sequence", "sequential", "in turn", "turns", "serial", "serially", "stepwise", "step by step",
    "step-by-step", "one at a time", "at a time", "chain", "chained", "consecutive", "consecutively", "successive", "successively", "parallel",
    "parallelize", "parallelise", "simultaneous", "concurrent", "async", "asynchronous", "asynchronously", "independent", "independently",
    "dependent", "dependency", "dependencies", "side by side", "alongside", "overlap", "overlapping", "previous", "preceding", "subsequent",
    "prior", "former", "latter", "each other", "one another", "top to bottom", "numbers", "numbered", "numerical", "numerically", "meanwhile",
    "in the meantime", "afterwards", "afterward", "beforehand", "finally", "lastly", "firstly", "start with", "starting with", "begin with",
    "beginning with", "end with", "finish with", "by priority",
});

/// They place something, or count it: "the last one first", "my first release".
constexpr auto title_ordinals = std::to_array<std::string_view>({
    "first", "second", "third", "fourth", "fifth", "last", "next", "1st", "2nd", "3rd", "4th", "5th",
});

/// Behind an ordinal they do not tell that it counts something of the title.
constexpr auto behind_places = std::to_array<std::string_view>({
    "one", "ones", "step", "task", "item", "two", "three", "to", "on", "up", "and", "or", "in", "of", "then", "the", "a", "an", "is", "are", "with",
    "do", "comes", "come", "goes", "go",
});

/// Before an ordinal they tell that it counts.
constexpr auto before_titles = std::to_array<std::string_view>({
    "the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "this", "that",
});

/// Words of sentences about order that also are words of titles: "things we need", "follow up".
constexpr auto ordinary_words = std::to_array<std::string_view>({
    "need", "needs", "require", "requires", "follow", "follows", "enable", "enables", "unlock", "unlocks", "block", "blocks", "trigger", "triggers",
    "lead to", "leads to", "build on", "builds on",
});

/// Behind "order" they are what is bought: "Order a pizza".
constexpr auto goods = std::to_array<std::string_view>({"a", "an", "some", "my", "your", "our", "more", "new"});

/// What is asked for with "can you".
constexpr auto requests = std::to_array<std::string_view>({
    "do", "run", "execute", "carry", "perform", "handle", "take", "help", "manage", "work", "get", "make", "please", "kindly",
});
// clang-format on

/// Whether `all[at]` counts something, and places no step: "next week", "my first release".
bool counts_in_title(token_span all, std::size_t at) {
  if (at + 1 == all.size())
    return false;
  const auto& behind = all[at + 1].text;
  const bool is_word = behind.size() > 1 || (behind[0] >= 'a' && behind[0] <= 'z');
  if (!is_word || is_one_in(behind_places, behind) || is_one_in(title_ordinals, behind))
    return false;
  return (at > 0 && is_one_in(before_titles, all[at - 1].text))
         || !begins_like_task(all.subspan(at + 1));
}

bool is_denying_word(std::string_view word) {
  return word == "not" || word == "no" || word == "none" || word == "wont" || word.ends_with("n't");
}

/// "Do 3 and 2 then", "start with 2": a number of a step that counts nothing.
bool is_step_number(token_span all, std::size_t at, const step_names& steps) {
  constexpr auto before_steps = std::to_array<std::string_view>({"with", "but", "to"});
  if (at == 0 || !number_of(all[at].text) || !steps.labelled(all[at].text))
    return false;
  constexpr auto ends = std::to_array<std::string_view>({",", ":", ".", "and", "&", "or"});
  const bool ends_there = at + 1 == all.size() || is_one_in(ends, all[at + 1].text);
  return ends_there
         && (is_one_in(before_steps, all[at - 1].text) || begins_like_task(all.subspan(at - 1, 1)));
}

/// "Do following tasks", "the following:"
bool names_what_follows(token_span words) {
  if (words.front().text != "following")
    return false;
  const auto behind = phrase_at(words.subspan(1));
  return words.size() == 1 || (behind && behind->meaning == word_class::step);
}

/// What the words at `at` say about an order, as phrase; empty: nothing.
std::string order_in_title_at(token_span all, std::size_t at, const step_names& steps) {
  static const phrase_set about_order(order_titles);
  const auto words = all.subspan(at);
  const auto& word = words.front().text;
  if (is_one_in(title_ordinals, word))
    return counts_in_title(all, at) ? std::string{} : word;
  if (word == "order" && words.size() > 1 && is_one_in(goods, words[1].text))
    return {};
  const auto phrase = phrase_at(words);
  if (phrase && says_order(phrase->meaning)) {
    auto said = joined(words.first(phrase->tokens));
    if (!is_one_in(ordinary_words, said) && !names_what_follows(words))
      return said;
  }
  if (const auto count = about_order.longest_at(words))
    return joined(words.first(count));
  return is_step_number(all, at, steps) ? word : std::string{};
}

} // namespace

std::string unread_above_list(std::string_view sentence, const step_names& steps) {
  const auto all = tokens_of(sentence);
  if (all.empty() || all.front().text == "how")
    return {};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto words = token_span(all).subspan(i);
    const auto phrase = phrase_at(words);
    if (phrase
        && (phrase->meaning == word_class::must_not || phrase->meaning == word_class::need_not))
      return joined(words.first(phrase->tokens));
    if (phrase && phrase->tokens > 1 && phrase->meaning == word_class::open) { // "in order to"
      i += phrase->tokens - 1;
      continue;
    }
    if (auto choice = choice_at(words, choice_place::above_list); !choice.empty())
      return choice;
    if (is_denying_word(all[i].text) || says_done(all, i))
      return all[i].text;
    if (auto order = order_in_title_at(all, i, steps); !order.empty())
      return order;
  }
  return {};
}

bool asks_about_list(std::string_view sentence) {
  const auto all = tokens_of(sentence);
  if (all.size() < 2 || all.back().text != "?")
    return false;
  if (all[0].text == "how")
    return !is_one_in(std::to_array<std::string_view>({"to", "do", "does", "can"}), all[1].text);
  const bool is_request =
      is_one_in(std::to_array<std::string_view>({"can", "could", "would", "will"}), all[0].text)
      && all[1].text == "you" && all.size() > 3 && is_one_in(requests, all[2].text);
  return !is_request;
}

} // namespace troupe::planner
