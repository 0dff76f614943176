#include "planner/prose_sentences.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "planner/limits.hpp"
#include "planner/order_words.hpp"
#include "planner/phrase_set.hpp"
#include "planner/prose_words.hpp"
#include "planner/steps.hpp"
#include "planner/task_verbs.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

// clang-format off
/// A name or an explanation follows. Without the last dot.
constexpr auto before_more = std::to_array<std::string_view>({
    "approx", "capt", "cf", "dr", "e.g", "eg", "esp", "gen", "i.e", "ie", "incl", "lt", "messrs", "mr", "mrs", "ms", "mt", "mx", "prof", "resp",
    "rev", "sen", "sgt", "viz", "vs",
});

/// A number follows; else they are words, or at the end: "Say no."
constexpr auto before_number = std::to_array<std::string_view>({
    "art", "ca", "ch", "chap", "ed", "eq", "ext", "fig", "figs", "no", "nos", "nr", "p", "para", "pp", "rm", "sec", "tab", "v", "ver", "vol",
    "apr", "aug", "dec", "feb", "jan", "jul", "jun", "nov", "oct", "sep", "sept",
});

/// A sentence may also end behind them.
constexpr auto anywhere = std::to_array<std::string_view>({
    "a.m", "al", "am", "apt", "ave", "bldg", "blvd", "co", "corp", "dept", "est", "etc", "ext", "ft", "govt", "hr", "hrs", "inc", "jr", "kg",
    "lb", "lbs", "ltd", "max", "mi", "min", "mins", "oz", "p.m", "pm", "pt", "qt", "rd", "sq", "sr", "st", "tbsp", "tel", "temp", "tsp", "yd",
    "yr", "yrs",
});

constexpr auto months = std::to_array<std::string_view>({
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
});

constexpr auto greetings = std::to_array<std::string_view>({
    "hi", "hi there", "hello", "hello there", "hey", "hey there", "dear", "greetings", "good morning", "good afternoon", "good evening", "good day",
});

constexpr auto thanks = std::to_array<std::string_view>({
    "thanks", "thanks a lot", "thanks so much", "thanks very much", "thanks in advance", "many thanks", "thank you", "thank you very much",
    "thank you so much", "thank you in advance", "cheers", "please", "regards", "best regards", "kind regards", "best wishes", "sincerely",
    "yours sincerely",
});
// clang-format on

/// Words behind a greeting that may be a name: "Dear Dr Ann Miller".
constexpr std::size_t name_words_max = 3;
/// A longer sentence is neither a greeting nor thanks.
constexpr std::size_t greeting_bytes_max = 100;

bool is_mark(std::string_view text) {
  return text == "." || text == "!" || text == "," || text == ";" || text == ":";
}

/// Whether `sentence` is one of `phrases`, with a name or without.
bool is_phrase_with_name(std::string_view sentence, const phrase_set& phrases) {
  if (sentence.size() > greeting_bytes_max)
    return false;
  const auto all = tokens_of(sentence);
  std::span<const token> words(all);
  const auto known = phrases.longest_at(words);
  if (known == 0)
    return false;
  words = words.subspan(known);
  while (!words.empty() && is_mark(words.front().text))
    words = words.subspan(1);
  while (!words.empty() && is_mark(words.back().text))
    words = words.first(words.size() - 1);
  if (words.size() > name_words_max || (!words.empty() && all.front().text == "please"))
    return false;
  for (; !words.empty(); words = words.subspan(1)) {
    const auto phrase = phrase_at(words);
    if ((phrase && says_order(phrase->meaning)) || begins_like_task(words)
        || !seam_before(words).empty() || is_mark(words.front().text))
      return false;
  }
  return true;
}

/// How a text begins, behind quotes and brackets.
enum class beginning : std::uint8_t { capital, digit, other };
beginning beginning_of(std::string_view text) {
  constexpr auto opening = std::to_array<std::string_view>(
      {"\"", "'", "(", "[", "*", "_", "`", "\u201c", "\u2018", "\u00ab"});
  for (bool goes_on = true; goes_on;) {
    const auto* found = std::ranges::find_if(
        opening, [text](std::string_view each) { return text.starts_with(each); });
    goes_on = found != opening.end();
    if (goes_on)
      text.remove_prefix(found->size());
    count_steps(1);
  }
  if (text.empty())
    return beginning::other;
  const auto c = static_cast<unsigned char>(text.front());
  // U+00C0 to U+00DE are the capital letters of Latin-1.
  const bool is_latin = text.size() > 1 && c == 0xc3 && static_cast<unsigned char>(text[1]) <= 0x9e;
  if ((c >= 'A' && c <= 'Z') || is_latin)
    return beginning::capital;
  return is_digit(text.front()) ? beginning::digit : beginning::other;
}

/// The word before the marks at the end of `sentence`, in lower case and without what opens it.
std::string last_word(std::string_view sentence) {
  auto end = sentence.size();
  while (end > 0 && std::string_view(".!?;,").find(sentence[end - 1]) != std::string_view::npos)
    --end;
  auto begin = end;
  while (begin > 0
         && std::string_view(" \t\r\n(\"[").find(sentence[begin - 1]) == std::string_view::npos)
    --begin;
  count_steps(sentence.size() - begin);
  return ascii_lower(sentence.substr(begin, end - begin));
}

enum class end_kind : std::uint8_t { parts, is_within, is_unclear };

/// What a full stop behind `word` is, if `behind` is on the same line or on the next one.
end_kind kind_of_stop(const std::string& word, std::string_view behind) {
  const auto begins = beginning_of(behind);
  const auto next = tokens_of(behind);
  const bool has_capital = begins == beginning::capital;
  const bool may_be_task = begins_like_task(next);
  const bool is_before_number = is_in(before_number, word) && begins == beginning::digit;
  if (is_in(before_more, word) || is_before_number)
    return may_be_task ? end_kind::is_unclear : end_kind::is_within;
  if (is_in(anywhere, word) || is_dotted_letters(word))
    return has_capital || may_be_task ? end_kind::is_unclear : end_kind::is_within;
  const bool is_initial = word.size() == 1 && !is_digit(word.front());
  const bool is_day = std::ranges::all_of(word, is_digit) && !word.empty() && !next.empty()
                      && is_in(months, next.front().text);
  return has_capital && !is_initial && !is_day ? end_kind::parts : end_kind::is_unclear;
}

/// Whether the end of `sentence` parts it from `behind`; `between`: the blanks.
end_kind kind_of_end(std::string_view sentence, std::string_view between, std::string_view behind) {
  const char mark = sentence.back();
  const auto line_end = between.find('\n');
  const bool has_line_end = line_end != std::string_view::npos;
  const bool has_empty_line =
      has_line_end && between.find('\n', line_end + 1) != std::string_view::npos;
  if (mark == ';' || has_empty_line || is_greeting(sentence)
      || (mark == ':' && has_line_end && is_how_to(sentence))
      || !seam_before(tokens_of(behind)).empty())
    return end_kind::parts;
  if (mark == '.')
    return kind_of_stop(last_word(sentence), behind);
  return mark != ',' && beginning_of(behind) == beginning::capital ? end_kind::parts
                                                                   : end_kind::is_unclear;
}

} // namespace

bool is_dotted_letters(std::string_view word) {
  if (word.size() < 3 || word.size() % 2 == 0)
    return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((word[i] == '.') != (i % 2 == 1))
      return false;
  return true;
}

bool is_greeting(std::string_view sentence) {
  static const phrase_set phrases(greetings);
  return is_phrase_with_name(sentence, phrases);
}

bool is_how_to(std::string_view sentence) {
  const auto words = tokens_of(sentence);
  return words.size() > 2 && words[0].text == "how" && words[1].text == "to";
}

bool is_thanks(std::string_view sentence) {
  static const phrase_set phrases(thanks);
  return is_phrase_with_name(sentence, phrases);
}

prose_sentences read_sentences(std::string_view text) {
  prose_sentences out;
  const auto at = [text](std::string_view part) {
    return static_cast<std::size_t>(part.data() - text.data());
  };
  for (const auto sentence : sentences_of(text)) {
    if (out.sentences.empty()) {
      out.sentences.push_back(sentence);
      continue;
    }
    auto& before = out.sentences.back();
    const auto end = at(before) + before.size();
    const auto between = text.substr(end, at(sentence) - end);
    const auto kind = kind_of_end(before, between, sentence);
    if (kind == end_kind::is_within) {
      before = text.substr(at(before), at(sentence) + sentence.size() - at(before));
      continue;
    }
    if (kind == end_kind::is_unclear && out.problems.size() < problems_max)
      out.problems.push_back(
          {shortened(std::string(before), problem_text_bytes_max),
           "it is not clear whether a sentence ends behind " + quoted(shown(last_word(before)))});
    out.sentences.push_back(sentence);
  }
  return out;
}

} // namespace troupe::planner
