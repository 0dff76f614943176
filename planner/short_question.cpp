#include "planner/short_question.hpp"

#include "protocol/text/text.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "planner/prose_sentences.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

constexpr auto question_words = std::to_array<std::string_view>(
    {"who", "whom", "what", "which", "whose", "why", "how", "who's", "what's", "where's", "how's"});
/// "When done ping me" is none: an auxiliary follows in a question.
constexpr auto words_of_place = std::to_array<std::string_view>({"when", "where"});
constexpr auto auxiliaries = std::to_array<std::string_view>(
    {"is", "are", "was", "were", "did", "does", "would", "should", "could", "will"});
/// They are orders as well: "do the laundry", "can the beans".
constexpr auto auxiliary_orders = std::to_array<std::string_view>({"do", "can"});

constexpr auto people =
    std::to_array<std::string_view>({"i", "you", "we", "they", "he", "she", "anybody", "anyone"});
constexpr auto subjects = std::to_array<std::string_view>(
    {"it", "there", "this", "that", "these", "those", "the", "a", "an", "my", "your", "our",
     "their", "his", "her", "its", "any", "everybody", "everyone"});

bool is_auxiliary(std::string_view word) {
  return is_in(auxiliaries, word) || is_in(auxiliary_orders, word);
}

bool begins_like_question(std::span<const token> words) {
  const auto& first = words.front().text;
  if (is_in(question_words, first))
    return true;
  if (words.size() < 2)
    return false;
  const auto& second = words[1].text;
  if (is_in(words_of_place, first))
    return is_auxiliary(second);
  if (is_in(auxiliary_orders, first))
    return is_in(people, second);
  return is_in(auxiliaries, first) && (is_in(people, second) || is_in(subjects, second));
}

/// Numbers with an operator between two of them. "2024-05-01", "1/2" and "10x" are none: a minus or
/// a stroke needs blanks.
bool is_arithmetic(std::string_view text) {
  constexpr std::string_view operators = "+-*/^%=x";
  constexpr std::string_view others = "0123456789().,? \t\r\n";
  if (text.find_first_not_of(std::string(operators) + std::string(others))
      != std::string_view::npos)
    return false;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  bool has_operator = false;
  bool is_behind_number = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_digit(c) || c == ')') {
      is_behind_number = true;
    } else if (operators.find(c) != std::string_view::npos) {
      const auto next = text.find_first_not_of(" \t+-(.", at + 1);
      const bool is_before_number = next != std::string_view::npos && is_digit(text[next]);
      const bool needs_blanks = c == '-' || c == '/';
      const bool has_blanks =
          at > 0 && is_blank(text[at - 1]) && at + 1 < text.size() && is_blank(text[at + 1]);
      has_operator =
          has_operator || (is_behind_number && is_before_number && (!needs_blanks || has_blanks));
      is_behind_number = false;
    }
  }
  return has_operator;
}

} // namespace

bool is_short_question(std::string_view text) {
  // A character has at most four bytes.
  if (text.empty() || text.size() > 4 * question_characters_max
      || std::ranges::count_if(text, [](char c) { return !continues_utf8(c); })
             > static_cast<std::ptrdiff_t>(question_characters_max)
      || read_sentences(text).sentences.size() != 1)
    return false;
  const auto words = tokens_of(text);
  if (words.empty())
    return false;
  if (words.back().text == "?")
    return true;
  const bool has_comma =
      std::ranges::any_of(words, [](const token& each) { return each.text == ","; });
  return (!has_comma && begins_like_question(words)) || is_arithmetic(text);
}

} // namespace troupe::planner
