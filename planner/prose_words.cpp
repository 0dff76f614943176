#include "planner/prose_words.hpp"

#include "protocol/json/quoted.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "planner/choice_words.hpp"
#include "planner/list_lines.hpp"
#include "planner/order_words.hpp"
#include "planner/phrase_set.hpp"
#include "planner/steps.hpp"
#include "planner/task_verbs.hpp"

namespace troupe::planner {

namespace {

// clang-format off
constexpr auto seam_table = std::to_array<seam_phrase>({
    {"first", seam_kind::opening, true, 1}, {"first of all", seam_kind::opening, false, 1}, {"firstly", seam_kind::opening, false, 1},
    {"to begin with", seam_kind::opening, false, 1},
    {"then", seam_kind::next}, {"and then", seam_kind::next}, {"next", seam_kind::next, true},
    // "After that meeting" is none.
    {"after that", seam_kind::next, true}, {"and after that", seam_kind::next, true},
    {"afterwards", seam_kind::next}, {"and afterwards", seam_kind::next},
    {"finally", seam_kind::next, false, last_place}, {"and finally", seam_kind::next, false, last_place},
    {"lastly", seam_kind::next, false, last_place}, {"and lastly", seam_kind::next, false, last_place},
    {"second", seam_kind::next, true, 2}, {"secondly", seam_kind::next, false, 2},
    {"third", seam_kind::next, true, 3}, {"thirdly", seam_kind::next, false, 3},
    {"fourth", seam_kind::next, true, 4}, {"fourthly", seam_kind::next, false, 4},
    {"fifth", seam_kind::next, true, 5}, {"sixth", seam_kind::next, true, 6}, {"seventh", seam_kind::next, true, 7},
    {"eighth", seam_kind::next, true, 8}, {"ninth", seam_kind::next, true, 9}, {"tenth", seam_kind::next, true, 10},
    {"meanwhile", seam_kind::same}, {"and meanwhile", seam_kind::same}, {"at the same time", seam_kind::same}, {"in the meantime", seam_kind::same},
    {"in parallel", seam_kind::same}, {"simultaneously", seam_kind::same},
});

/// A task does not begin like this.
constexpr auto no_task_begins = std::to_array<std::string_view>({
    "i", "you", "he", "she", "it", "we", "they", "there", "here", "this", "that", "these", "those", "the", "a", "an", "my", "your", "our", "their",
    "is", "are", "was", "were", "am", "who", "what", "which", "whose", "how", "why", "where", "and", "but", "so", "yet", "nor", "not", "no", "yes",
    "can", "could", "would", "will", "should", "did", "does", "has", "having", "given", "assuming", "provided", "providing",
    "or", "alternatively", "instead", "optionally", "maybe", "perhaps", "possibly", "ideally", "preferably", "hopefully", "sometimes",
    "earlier", "previously", "beforehand", "initially", "now", "later", "soon", "eventually", "subsequently", "thereafter", "afterward", "ultimately",
    "again", "also", "plus", "additionally", "besides", "moreover", "furthermore", "likewise", "similarly", "etc",
    "thus", "hence", "therefore", "however", "though", "although", "because", "since", "as", "than", "with", "to", "of", "from", "by", "for", "even",
    "actually", "oops", "rather", "correction",
    "every", "each", "some", "whenever", "anytime", "ok", "okay", "well", "hi", "hello", "hey", "dear", "thanks", "cheers", "regards",
});

/// "It's", "here's", "you'll".
constexpr auto contractions = std::to_array<std::string_view>({"s", "re", "ll", "d", "ve", "m"});

/// At the end of a task they say where it stands: "cook afterwards".
constexpr auto order_endings = std::to_array<std::string_view>({
    "first", "last", "afterwards", "afterward", "beforehand", "finally", "lastly", "later", "earlier", "previously", "thereafter", "subsequently",
    "eventually", "initially", "meanwhile", "in advance", "in the end", "at the end", "at the beginning", "at the start", "in between",
    "for now", "immediately", "right away", "straight away", "at any time", "any time", "anytime", "prior", "at last", "second", "third", "fourth", "fifth", "1st", "2nd", "3rd", "4th", "5th",
    // Something is missing behind them: "by then", "now and then".
    "and", "or", "but", "nor", "by", "since", "from", "the", "a", "an", "of", "even", "every", "so", "than", "as", "now", "not",
});

/// Within a task they say something about the order.
constexpr auto order_within = std::to_array<std::string_view>({
    "meanwhile", "in the meantime", "afterwards", "thereafter", "beforehand", "finally", "lastly", "firstly", "secondly", "thirdly",
    "first of all", "last of all", "to begin with", "now and then", "in between", "at last", "at first", "by the time", "during", "and so on", "in turn",
    "as i", "as you", "as he", "as she", "as it", "as we", "as they", "as the",
});

/// "The first chapter" counts; elsewhere "first" may be an order.
constexpr auto before_ordinals = std::to_array<std::string_view>({
    "the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "this", "that", "one", "per", "every", "each",
});

/// Behind "first" they are counted by it.
constexpr auto counted = std::to_array<std::string_view>({
    "aid", "and", "base", "chapter", "class", "come", "cousin", "date", "day", "degree", "draft", "edition", "floor", "gear", "grade", "graders",
    "half", "hand", "impression", "impressions", "in", "item", "lady", "language", "lesson", "month", "name", "names", "night", "of", "on", "one",
    "or", "page", "part", "person", "phase", "point", "prize", "quarter", "rate", "responder", "responders", "round", "stage", "step", "steps",
    "task", "thing", "things", "time", "to", "up", "week", "year", "years",
});

/// What changes whether or how a task is done cannot be part of a plan of stages.
constexpr auto conditions = std::to_array<std::string_view>({
    "if", "unless", "otherwise", "else", "whenever", "in case", "as long as", "depending on", "provided that", "assuming that", "every time",
    "each time",
});

/// Where no verb begins they make a statement: "rice is cheap".
constexpr auto statements = std::to_array<std::string_view>({
    "is", "are", "was", "were", "has", "had", "have", "does", "did", "should", "must", "would", "could", "might", "shall", "will", "may", "can",
    "isn't", "aren't", "hasn't", "haven't", "won't",
});
// clang-format on

using token_span = std::span<const token>;

bool begins_with_verb(token_span words, known_verbs verbs) {
  return verbs == known_verbs::few ? begins_with_task_verb(words) : begins_like_task(words);
}

bool is_seam_mark(std::string_view text) {
  return text == "," || text == ":" || text == "-" || text == "\u2014";
}

struct seam_row {
  std::vector<token> words;
  const seam_phrase* phrase;
};

/// By their first word.
const std::map<std::string, std::vector<seam_row>, std::less<>>& seam_rows() {
  static const auto out = [] {
    std::map<std::string, std::vector<seam_row>, std::less<>> all;
    for (const auto& each : seam_table) {
      auto words = tokens_of(each.words);
      auto& rows = all[words.front().text];
      rows.push_back({std::move(words), &each});
    }
    return all;
  }();
  return out;
}

/// Words of order that a task may not have: they stand between tasks, and this one is not known to.
bool is_misplaced(word_class meaning) {
  return meaning <= word_class::until || meaning == word_class::then
         || meaning == word_class::during || meaning == word_class::in_order
         || meaning == word_class::together;
}

bool is_ordinal(std::string_view word) {
  constexpr auto ordinals = std::to_array<std::string_view>(
      {"first", "second", "third", "fourth", "fifth", "1st", "2nd", "3rd", "4th", "5th"});
  return is_in(ordinals, word);
}

/// Whether an ordinal behind `before` counts something: "the first chapter", "Bob's first".
bool counts_behind(const token& before) {
  return is_in(before_ordinals, before.text) || before.text.ends_with("'s")
         || number_of(before.text).has_value();
}

/// The pronoun of "it's", or the word itself.
std::string_view without_contraction(std::string_view word) {
  const auto at = word.find('\'');
  return at != std::string_view::npos && is_in(contractions, word.substr(at + 1))
             ? word.substr(0, at)
             : word;
}

/// "Sorts", "goes": a verb that says what somebody does, not what is to be done.
bool is_third_person(std::string_view word) {
  const auto is_verb = [](std::string_view text) {
    const auto words = tokens_of(text);
    return begins_like_task(words);
  };
  if (word.size() < 3 || !word.ends_with('s') || is_verb(word))
    return false;
  return is_verb(word.substr(0, word.size() - 1))
         || (word.ends_with("es") && is_verb(word.substr(0, word.size() - 2)))
         || (word.ends_with("ies") && is_verb(std::string(word.substr(0, word.size() - 3)) + 'y'));
}

std::optional<std::string> problem_at_beginning(const prose_task& task) {
  const auto words = task.words;
  const auto& first = words.front().text;
  const auto no_task = [](std::string_view begins) {
    return "a task does not begin with " + quoted(shown(begins));
  };
  if (is_in(no_task_begins, without_contraction(first)) || (first == "please" && words.size() == 1))
    return no_task(first);
  if (is_third_person(first))
    return quoted(shown(first)) + " may be what somebody or something does, and no task";
  if (first == "thank" && words.size() > 1 && words[1].text == "you")
    return no_task("thank you");
  if (first == "do" && words.size() > 1
      && (words[1].text == "you" || words[1].text == "we" || words[1].text == "they"))
    return no_task("do " + words[1].text);
  if (first == "last"
      && (words.size() == 1 || is_seam_mark(words[1].text) || begins_like_task(words.subspan(1))))
    return no_task("last");
  if (const auto denial = denial_before(words); !denial.empty())
    return quoted(denial) + " says what is not to be done; a task says what is";
  if (is_ordinal(first) && !task.is_first)
    return first == "first" ? "\"first\" does not stand before the first task" : no_task(first);
  if (is_ordinal(first))
    return quoted(first) + " may be a part of the task; put a comma behind it if it is none";
  return std::nullopt;
}

std::optional<std::string> problem_at_end(token_span words) {
  static const phrase_set endings(order_endings);
  constexpr std::size_t ending_words_max = 3;
  const auto& last = words.back().text;
  if (last == "?")
    return "a question is no task";
  for (std::size_t count = 1; count < std::min(words.size(), ending_words_max + 1); ++count) {
    const auto ending = words.last(count);
    if (endings.longest_at(ending) != count)
      continue;
    if (last != "first" && is_ordinal(last) && counts_behind(words[words.size() - 2]))
      continue;
    return quoted(joined(ending)) + " at the end of a task is not read";
  }
  return std::nullopt;
}

/// What stands at `at` within a task.
std::optional<std::string> problem_within(token_span all, std::size_t at) {
  static const phrase_set orders(order_within);
  static const phrase_set unless_so(conditions);
  const auto words = all.subspan(at);
  const auto& word = words.front().text;
  if (const auto count = unless_so.longest_at(words))
    return quoted(joined(words.first(count))) + " is a condition; a plan has none";
  if (const auto count = orders.longest_at(words))
    return quoted(joined(words.first(count))) + " is an order that is not read within a task";
  const auto phrase = phrase_at(words);
  if (phrase && is_misplaced(phrase->meaning))
    return quoted(joined(words.first(phrase->tokens)))
           + " is known only in sentences about numbered or named steps";
  if (word == "first" && at > 0 && words.size() > 1 && !counts_behind(all[at - 1]))
    return "\"first\" does not stand before the first task";
  if (const auto choice = choice_at(words, choice_place::in_prose); !choice.empty())
    return "it may change the order or the choice of the tasks: " + quoted(choice)
           + " is not understood in prose";
  if (says_done(all, at) && (words.size() == 1 || words[1].text == ")" || words[1].text == "]"))
    return quoted(word) + " may say that it is done; leave it out then";
  if (word == ":")
    return "a colon is read only behind a word of order";
  return std::nullopt;
}

/// Quotes and brackets of which one side is in another task were parted within.
std::optional<std::string> problem_of_brackets(token_span words, std::string_view text) {
  std::size_t round = 0;
  std::size_t square = 0;
  std::size_t quotes = 0;
  std::size_t single = 0;
  for (const auto& each : words) {
    const std::string_view word = each.text;
    // A closing one without its opening one makes a large number.
    round += word == "(" ? 1U : 0U;
    round -= word == ")" ? 1U : 0U;
    square += word == "[" || word == "{" ? 1U : 0U;
    square -= word == "]" || word == "}" ? 1U : 0U;
    quotes += word == "\"" ? 1U : 0U;
    const bool opens = word.size() > 1 && (word.front() == '\'' || word.starts_with("\u2018"));
    single += opens ? 1U : 0U;
    if (single > 0 && word.ends_with('\''))
      --single;
  }
  const auto ticks = std::ranges::count(text, '`');
  count_steps(text.size());
  const bool has_other = (text.find("\u00ab") == std::string_view::npos)
                             != (text.find("\u00bb") == std::string_view::npos)
                         || text.find("\u201e") != std::string_view::npos;
  if (round != 0 || square != 0 || quotes % 2 != 0 || single != 0 || ticks % 2 != 0 || has_other)
    return "a bracket or quote in it has no other end";
  return std::nullopt;
}

std::optional<std::string> problem_of_verb(const prose_task& task) {
  const auto has_verb = begins_like_task(task.words);
  // "Order is irrelevant": the verb is a noun here.
  const auto looked_at =
      has_verb ? task.words.first(std::min<std::size_t>(task.words.size(), 2)) : task.words;
  const auto said = std::ranges::find_if(
      looked_at, [](const token& each) { return is_in(statements, each.text); });
  if (said != looked_at.end())
    return quoted(said->text) + " makes it a statement; a task says what is to be done";
  if (has_verb || !task.needs_verb)
    return std::nullopt;
  return quoted(shown(task.words.front().text))
         + (task.is_first ? " is not known as a verb; write \"First, \" before it if it is a task"
                          : " is not known as a verb; write \"Then\" before it if it is a task");
}

} // namespace

std::span<const seam_phrase> seam_phrases() noexcept {
  return seam_table;
}

std::optional<found_seam> seam_at(token_span words, known_verbs verbs) {
  count_steps(1);
  std::optional<found_seam> out;
  if (words.empty())
    return out;
  const auto rows = seam_rows().find(words.front().text);
  if (rows == seam_rows().end())
    return out;
  std::size_t longest = 0;
  for (const auto& [phrase, each] : rows->second) {
    if (phrase.size() <= longest || phrase.size() > words.size()
        || !std::ranges::equal(phrase, words.first(phrase.size()), {}, &token::text, &token::text))
      continue;
    const auto behind = words.subspan(phrase.size());
    const bool has_mark = !behind.empty() && is_seam_mark(behind.front().text);
    if (each->needs_verb && !has_mark && !begins_with_verb(behind, verbs))
      continue;
    longest = phrase.size();
    out = found_seam{each, phrase.size() + (has_mark ? 1 : 0)};
  }
  return out;
}

std::string_view seam_before(token_span words) {
  const auto seam = seam_at(words, known_verbs::few);
  return seam ? seam->phrase->words : std::string_view{};
}

std::string denial_before(token_span words) {
  constexpr auto polite = std::to_array<std::string_view>({"please", "also", "but", "and"});
  while (!words.empty() && is_in(polite, words.front().text))
    words = words.subspan(1);
  const auto phrase = phrase_at(words);
  if (!phrase
      || (phrase->meaning != word_class::must_not && phrase->meaning != word_class::need_not))
    return {};
  return joined(words.first(phrase->tokens));
}

bool is_counted_by_first(std::string_view word) {
  return is_in(counted, word);
}

std::string relative_in(token_span words) {
  constexpr auto relatives = std::to_array<std::string_view>(
      {"that", "which", "who", "whose", "whom", "how", "whether", "what", "where", "why"});
  constexpr auto others_do = std::to_array<std::string_view>(
      {"ask", "tell", "teach", "remind", "instruct", "invite", "persuade", "convince", "encourage",
       "urge", "warn", "want", "help", "order", "request", "allow", "advise"});
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto& word = words[i].text;
    const auto& before = words[i - 1].text;
    // "Fix that bug", "so that"
    const bool is_other_that = word == "that" && (before == "so" || i == 1);
    const bool has_end = i + 1 < words.size() && words[i + 1].text == "to"; // "what to buy"
    if (is_in(relatives, word) && !is_other_that && !has_end)
      return word;
    if (word == "to" && i > 1 && !is_in(relatives, before) && is_in(others_do, words.front().text)
        && begins_like_task(words.subspan(i + 1)))
      return words.front().text;
  }
  return {};
}

std::optional<std::string> problem_in_task(const prose_task& task) {
  if (task.words.empty())
    return "there is no task between two words of order";
  if (auto problem = problem_at_beginning(task))
    return problem;
  for (std::size_t at = 0; at < task.words.size(); ++at)
    if (auto problem = problem_within(task.words, at))
      return problem;
  if (auto problem = problem_at_end(task.words))
    return problem;
  if (const auto how = marked_as(task.text);
      !how.empty() || task.text.find("~~") != std::string_view::npos)
    return "it is marked as " + std::string(how.empty() ? "struck out" : how) + "; leave it out";
  if (auto problem = problem_of_brackets(task.words, task.text))
    return problem;
  return problem_of_verb(task);
}

} // namespace troupe::planner
