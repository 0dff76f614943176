#include "planner/prose.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "planner/edge_collector.hpp"
#include "planner/limits.hpp"
#include "planner/order_words.hpp"
#include "planner/steps.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

// clang-format off
constexpr auto seam_table = std::to_array<seam_phrase>({
    {"first", seam_kind::opening, true, 1}, {"first of all", seam_kind::opening, false, 1}, {"firstly", seam_kind::opening, false, 1},
    {"to begin with", seam_kind::opening, false, 1},
    {"then", seam_kind::next}, {"and then", seam_kind::next}, {"next", seam_kind::next, true}, {"after that", seam_kind::next},
    {"and after that", seam_kind::next}, {"afterwards", seam_kind::next}, {"and afterwards", seam_kind::next},
    {"finally", seam_kind::next, false, last_place}, {"and finally", seam_kind::next, false, last_place},
    {"lastly", seam_kind::next, false, last_place}, {"and lastly", seam_kind::next, false, last_place},
    {"second", seam_kind::next, true, 2}, {"secondly", seam_kind::next, false, 2},
    {"third", seam_kind::next, true, 3}, {"thirdly", seam_kind::next, false, 3},
    {"meanwhile", seam_kind::same}, {"and meanwhile", seam_kind::same}, {"at the same time", seam_kind::same}, {"in the meantime", seam_kind::same},
    {"in parallel", seam_kind::same}, {"simultaneously", seam_kind::same},
});

constexpr auto verbs = std::to_array<std::string_view>({
    "add", "analyse", "analyze", "answer", "apply", "approve", "arrange", "ask", "assemble", "backup", "bake", "boil", "book", "bring", "build",
    "buy", "calculate", "call", "check", "choose", "clean", "clone", "collect", "combine", "commit", "compare", "compile", "compose", "compute",
    "configure", "confirm", "convert", "cook", "copy", "count", "create", "cut", "decide", "define", "delete", "deliver", "deploy", "describe",
    "design", "develop", "download", "draft", "draw", "drive", "edit", "email", "estimate", "evaluate", "execute", "explain", "export", "extract",
    "fetch", "fill", "filter", "find", "fix", "format", "gather", "generate", "get", "give", "identify", "implement", "import", "inform",
    "inspect", "install", "investigate", "invite", "list", "load", "look", "make", "measure", "merge", "migrate", "monitor", "move", "notify",
    "open", "order", "organise", "organize", "outline", "pack", "paint", "pay", "pick", "plan", "plot", "post", "prepare", "present", "print",
    "process", "publish", "pull", "push", "put", "read", "record", "refactor", "register", "release", "remove", "rename", "replace", "report",
    "request", "research", "reserve", "restart", "retrieve", "return", "review", "rewrite", "run", "save", "scan", "schedule", "search", "select",
    "sell", "send", "serve", "set", "share", "ship", "show", "sign", "sort", "split", "start", "stop", "store", "study", "submit", "summarise",
    "summarize", "take", "talk", "tell", "test", "train", "translate", "try", "turn", "update", "upload", "validate", "verify", "visit", "wash",
    "write",
});

/// A task does not begin like this.
constexpr auto no_task_begins = std::to_array<std::string_view>({
    "i", "you", "he", "she", "it", "we", "they", "there", "this", "that", "these", "those", "the", "a", "an", "my", "your", "our", "their",
    "is", "are", "was", "were", "who", "what", "which", "how", "why", "where", "and", "but", "so",
    "or", "alternatively", "instead", "optionally", "maybe", "perhaps", "possibly", "earlier", "previously", "beforehand",
});

/// At the end of a task they say where it stands: "cook afterwards".
constexpr auto order_endings = std::to_array<std::string_view>({"first", "last", "afterwards", "beforehand", "finally", "lastly"});

/// What changes whether or how a task is done cannot be part of a plan of stages.
constexpr auto conditions = std::to_array<std::string_view>({"if", "unless", "otherwise", "else", "whenever"});
// clang-format on

static_assert(std::ranges::is_sorted(verbs)); // for the binary search

using token_span = std::span<const token>;

bool is_verb(token_span words) {
  return !words.empty() && std::ranges::binary_search(verbs, std::string_view(words.front().text));
}

struct found_seam {
  const seam_phrase* phrase;
  std::size_t tokens; ///< With a comma behind it.
};

/// The words of each row of the table.
const std::vector<std::vector<token>>& seam_words() {
  static const auto out = [] {
    std::vector<std::vector<token>> all;
    for (const auto& each : seam_table)
      all.push_back(tokens_of(each.words));
    return all;
  }();
  return out;
}

/// The longest seam with which `words` begins.
std::optional<found_seam> seam_at(token_span words) {
  count_steps(1);
  std::optional<found_seam> out;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < seam_table.size(); ++i) {
    const auto& phrase = seam_words()[i];
    const auto& each = seam_table[i];
    if (phrase.size() <= longest || phrase.size() > words.size()
        || !std::ranges::equal(phrase, words.first(phrase.size()), {}, &token::text, &token::text))
      continue;
    const auto behind = words.subspan(phrase.size());
    const bool has_comma = !behind.empty() && behind.front().text == ",";
    if (each.needs_verb && !has_comma && !is_verb(behind))
      continue;
    longest = phrase.size();
    out = found_seam{&each, phrase.size() + (has_comma ? 1 : 0)};
  }
  return out;
}

std::size_t commas_at(token_span words) {
  std::size_t out = 0;
  while (out < words.size() && words[out].text == ",")
    ++out;
  count_steps(out);
  return out;
}

/// A seam within a sentence: behind a comma, or "and then", or before a verb. `comma`: commas with
/// which `words` begins.
std::optional<found_seam> inner_seam_at(token_span words, std::size_t comma) {
  const auto seam = seam_at(words.subspan(comma));
  if (!seam || seam->phrase->kind == seam_kind::opening)
    return std::nullopt;
  const auto& first = words[comma].text;
  if (comma == 0 && first != "and" && !(first == "then" && is_verb(words.subspan(seam->tokens))))
    return std::nullopt;
  return found_seam{seam->phrase, seam->tokens + comma};
}

/// A part of a sentence that is one task.
struct clause {
  std::string_view text;
  std::string_view sentence;
  bool is_next = true; ///< Else beside the one before.
  bool has_seam = false;
  const seam_phrase* placed = nullptr; ///< The seam before it that has a place.
};

/// Words of order that a clause may not have: they stand between tasks, and this one is not known
/// to.
bool is_misplaced(word_class meaning) {
  return meaning <= word_class::until || meaning == word_class::then
         || meaning == word_class::during || meaning == word_class::in_order
         || meaning == word_class::together;
}

std::string late_opening(const seam_phrase& seam) {
  return quoted(seam.words) + " does not stand before the first task";
}

std::optional<std::string> problem_of(token_span words) {
  if (words.empty())
    return "there is no task between two words of order";
  if (std::ranges::find(no_task_begins, words.front().text) != no_task_begins.end())
    return "a task does not begin with " + quoted(words.front().text);
  if (const auto denial = denial_before(words); !denial.empty())
    return quoted(denial) + " says what is not to be done; a task says what is";
  const auto& last = words.back().text;
  if (words.size() > 1 && std::ranges::find(order_endings, last) != order_endings.end())
    return quoted(last) + " at the end of a task is not read";
  bool may_begin = false; // "..., but first ..."
  for (; !words.empty(); words = words.subspan(1)) {
    const auto& word = words.front().text;
    if (std::ranges::find(conditions, word) != conditions.end())
      return quoted(word) + " is a condition; a plan has none";
    const auto phrase = phrase_at(words);
    if (phrase && is_misplaced(phrase->meaning))
      return quoted(word) + " is known only in sentences about numbered or named steps";
    if (const auto seam = may_begin ? seam_at(words) : std::nullopt;
        seam && seam->phrase->kind == seam_kind::opening)
      return late_opening(*seam->phrase);
    may_begin = word == "," || word == "and" || word == "but" || word == ":";
  }
  return std::nullopt;
}

class prose_reader {
public:
  prose_reader(std::string_view text, guesses rule) : rule_(rule), sentences_(sentences_of(text)) {}

  text_reading read() {
    if (sentences_.size() > 1 && sentences_.back().ends_with('?')) {
      out_.assumptions.push_back("the question at the end is left out: "
                                 + quoted(shown(sentences_.back())));
      sentences_.pop_back();
    }
    for (const auto sentence : sentences_)
      add_clauses(sentence);
    const bool has_seam = std::ranges::any_of(clauses_, &clause::has_seam);
    if (!has_seam && clauses_.size() > 1) {
      if (rule_ == guesses::none) {
        out_.problems.push_back({"", "no word says that its sentences are tasks in an order"});
        return std::move(out_);
      }
      guess("the sentences are taken for tasks, one after the other");
    }
    if (clauses_.size() == 1 && rule_ == guesses::allowed)
      split_at_and();
    check_clauses();
    add_tasks();
    return std::move(out_);
  }

private:
  void add_clauses(std::string_view sentence) {
    const auto all = tokens_of(sentence);
    token_span words(all);
    const bool has_semicolon = !words.empty() && words.back().text == ";";
    const auto is_end = [](const token& each) {
      return each.text == "." || each.text == "!" || each.text == ";" || each.text == ",";
    };
    while (!words.empty() && is_end(words.back()))
      words = words.first(words.size() - 1);
    bool is_next = true;
    bool has_seam = has_semicolon;
    const seam_phrase* placed = nullptr;
    const auto take = [&](const found_seam& seam) {
      is_next = seam.phrase->kind != seam_kind::same;
      if (seam.phrase->place != 0)
        placed = seam.phrase;
      has_seam = true;
      words = words.subspan(seam.tokens);
    };
    while (const auto seam = seam_at(words))
      take(*seam);
    std::size_t taken = 0;
    while (taken < words.size()) {
      const auto commas = commas_at(words.subspan(taken));
      const auto seam = inner_seam_at(words.subspan(taken), commas);
      if (!seam) { // Nor behind fewer of these commas.
        taken += std::max<std::size_t>(commas, 1);
        continue;
      }
      add_clause(words.first(taken), {.text = {},
                                      .sentence = sentence,
                                      .is_next = is_next,
                                      .has_seam = has_seam,
                                      .placed = std::exchange(placed, nullptr)});
      words = words.subspan(taken);
      take(*seam);
      while (const auto more = seam_at(words))
        take(*more);
      taken = 0;
    }
    add_clause(words, {.text = {},
                       .sentence = sentence,
                       .is_next = is_next,
                       .has_seam = has_seam,
                       .placed = placed});
  }

  void add_clause(token_span words, clause out) {
    if (!words.empty())
      out.text = out.sentence.substr(words.front().begin, words.back().end - words.front().begin);
    clauses_.push_back(out);
  }

  void guess(std::string assumption) {
    out_.is_guess = true;
    out_.assumptions.push_back("a guess: " + std::move(assumption));
  }

  /// "Research papers and write a summary", at each "and" before a verb.
  void split_at_and() {
    const auto whole = clauses_.front();
    const auto all = tokens_of(whole.text);
    std::vector<clause> parts;
    std::size_t begin = 0;
    const auto part = [&](std::size_t end) {
      auto each = whole;
      auto last = end;
      while (last > begin && all[last - 1].text == ",")
        --last;
      if (last > begin)
        each.text = whole.text.substr(all[begin].begin, all[last - 1].end - all[begin].begin);
      parts.push_back(each);
    };
    for (std::size_t i = 1; i + 1 < all.size(); ++i) {
      if (all[i].text != "and" || !is_verb(token_span(all).subspan(i + 1)))
        continue;
      part(i);
      begin = i + 1;
    }
    if (parts.empty() || !is_verb(all))
      return;
    part(all.size());
    clauses_ = std::move(parts);
    guess("\"and\" before a verb is taken for two tasks, one after the other");
  }

  void check_clauses() {
    if (clauses_.size() < 2)
      return;
    for (const auto& each : clauses_)
      if (const auto problem = problem_of(tokens_of(each.text)))
        out_.problems.push_back({std::string(each.sentence), *problem});
    check_places();
  }

  /// "First" begins, "finally" ends, and "second" comes before "third".
  void check_places() {
    std::uint8_t before = 0;
    for (auto each = clauses_.begin(); each != clauses_.end(); ++each) {
      if (each->placed == nullptr)
        continue;
      const auto& seam = *each->placed;
      const auto place = seam.place;
      const auto say = [&](std::string reason) {
        out_.problems.push_back({std::string(each->sentence), std::move(reason)});
      };
      if (place == 1 && each != clauses_.begin())
        say(late_opening(seam));
      else if (place == last_place && std::any_of(each + 1, clauses_.end(), is_next_stage))
        say("a task follows behind " + quoted(seam.words));
      else if (place <= before)
        say(quoted(seam.words) + " stands behind a later number");
      before = std::max(before, place);
    }
  }

  static bool is_next_stage(const clause& each) { return each.is_next; }

  void add_tasks() {
    if (clauses_.size() > tasks_max) {
      out_.problems.push_back({"", "there are more than " + std::to_string(tasks_max) + " tasks"});
      return;
    }
    std::vector<std::uint32_t> before;
    std::vector<std::uint32_t> stage;
    edge_collector edges(out_);
    std::string_view source;
    for (const auto& each : clauses_) {
      const auto position = static_cast<std::uint32_t>(out_.tasks.size());
      if (each.text.empty()) // A problem says so.
        continue;
      read_task task;
      task.description = with_single_blanks(each.text);
      task.name = shortened(task.description, task_name_bytes_max);
      if (task.name == task.description)
        task.description.clear();
      out_.tasks.push_back(std::move(task));
      if (each.is_next && !stage.empty()) {
        if (!before.empty())
          edges.add({before, stage}, source);
        before = std::exchange(stage, {});
        source = each.sentence;
      }
      stage.push_back(position);
    }
    if (!before.empty())
      edges.add({before, stage}, source);
  }

  guesses rule_;
  std::vector<std::string_view> sentences_;
  std::vector<clause> clauses_;
  text_reading out_;
};

} // namespace

std::span<const seam_phrase> seam_phrases() noexcept {
  return seam_table;
}

std::string_view seam_before(token_span words) {
  const auto seam = seam_at(words);
  return seam ? seam->phrase->words : std::string_view{};
}

std::string denial_before(token_span words) {
  constexpr auto polite = std::to_array<std::string_view>({"please", "also", "but", "and"});
  while (!words.empty() && std::ranges::find(polite, words.front().text) != polite.end())
    words = words.subspan(1);
  const auto phrase = phrase_at(words);
  if (!phrase
      || (phrase->meaning != word_class::must_not && phrase->meaning != word_class::need_not))
    return {};
  std::string denial;
  for (const auto& each : words.first(phrase->tokens))
    denial += (denial.empty() ? "" : " ") + each.text;
  return denial;
}

std::span<const std::string_view> task_verbs() noexcept {
  return verbs;
}

text_reading read_prose(std::string_view text, guesses rule) {
  return prose_reader(text, rule).read();
}

} // namespace troupe::planner
