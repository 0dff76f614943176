#include "planner/prose.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "planner/edge_collector.hpp"
#include "planner/limits.hpp"
#include "planner/prose_sentences.hpp"
#include "planner/prose_words.hpp"
#include "planner/steps.hpp"
#include "planner/task_verbs.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

using token_span = std::span<const token>;

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
  const auto seam = seam_at(words.subspan(comma), known_verbs::many);
  if (!seam || seam->phrase->kind == seam_kind::opening)
    return std::nullopt;
  const auto& first = words[comma].text;
  if (comma == 0 && first != "and"
      && !(first == "then" && begins_like_task(words.subspan(seam->tokens))))
    return std::nullopt;
  return found_seam{seam->phrase, seam->tokens + comma};
}

/// Whether the last mark is no part of the task. That of "5 p.m." is.
bool ends_in_mark(token_span words) {
  const auto& last = words.back().text;
  if (last == "." && words.size() > 1)
    return !is_dotted_letters(words[words.size() - 2].text);
  return last == "." || last == "!" || last == ";" || last == ",";
}

/// What words of order say about the task behind them.
struct task_place {
  const seam_phrase* seam = nullptr;   ///< The last one; null: there is none.
  const seam_phrase* placed = nullptr; ///< The one that has a place.
  bool has_others = false;             ///< Of another kind than the last one.
  bool is_bare_first = false;          ///< "First" before a word that is not known as a verb.
};

/// A part of a sentence that is one task.
struct clause {
  std::string_view text;
  std::string_view sentence;
  task_place place;
  bool ends_sentence = false;

  [[nodiscard]] bool is(seam_kind kind) const noexcept {
    return place.seam != nullptr && place.seam->kind == kind;
  }
  [[nodiscard]] bool is_next() const noexcept { return !is(seam_kind::same); }
};

class prose_reader {
public:
  prose_reader(std::string_view text, guesses rule) : rule_(rule), text_(text) {}

  text_reading read() {
    auto found = read_sentences(text_);
    sentences_ = std::move(found.sentences);
    leave_out();
    if (sentences_.size() > 1 && !found.problems.empty()) {
      out_.problems = std::move(found.problems);
      return std::move(out_);
    }
    take_title();
    for (const auto sentence : sentences_)
      add_clauses(sentence);
    if (!has_order_ && clauses_.size() > 1) {
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
  /// What is said to a person: a greeting, thanks, a question.
  void leave_out() {
    const auto assume = [this](std::string_view left, std::string_view sentence) {
      out_.assumptions.push_back(std::string(left) + " left out: " + quoted(shown(sentence)));
    };
    if (sentences_.size() > 1 && is_greeting(sentences_.front())) {
      assume("the greeting at the beginning is", sentences_.front());
      sentences_.erase(sentences_.begin());
    }
    for (int round = 0; round < 2; ++round) { // In either order.
      if (sentences_.size() > 1 && is_thanks(sentences_.back())) {
        assume("the thanks at the end are", sentences_.back());
        sentences_.pop_back();
      }
      if (sentences_.size() > 1 && is_question(sentences_.back())) {
        assume("the question at the end is", sentences_.back());
        sentences_.pop_back();
      }
    }
  }

  /// "How to cook rice" on a line of its own says what the tasks are for.
  void take_title() {
    if (sentences_.size() < 2 || !is_how_to(sentences_.front()))
      return;
    const auto first = sentences_.front();
    const auto end = static_cast<std::size_t>(first.data() - text_.data()) + first.size();
    const auto behind = text_.substr(end);
    const auto next = std::min(behind.find_first_not_of(" \t\r"), behind.size());
    if (next == behind.size() || behind[next] != '\n' || first.ends_with(';'))
      return;
    const bool has_mark = first.ends_with(':') || first.ends_with('.');
    out_.title = shortened(with_single_blanks(first.substr(0, first.size() - (has_mark ? 1 : 0))),
                           task_name_bytes_max);
    sentences_.erase(sentences_.begin());
  }

  /// "Then eat?" is a task, or nobody knows.
  static bool is_question(std::string_view sentence) {
    if (!sentence.ends_with('?'))
      return false;
    const auto words = tokens_of(sentence);
    return !begins_like_task(words) && !seam_at(words, known_verbs::many);
  }

  void add_clauses(std::string_view sentence) {
    const auto all = tokens_of(sentence);
    token_span words(all);
    has_order_ = has_order_ || (!words.empty() && words.back().text == ";");
    while (!words.empty() && ends_in_mark(words))
      words = words.first(words.size() - 1);
    task_place place;
    const auto take = [&](const found_seam& seam) {
      place.has_others =
          place.has_others || (place.seam != nullptr && place.seam->kind != seam.phrase->kind);
      place.seam = seam.phrase;
      if (seam.phrase->place != 0)
        place.placed = seam.phrase;
      has_order_ = true;
      words = words.subspan(seam.tokens);
    };
    while (const auto seam = seam_at(words, known_verbs::many))
      take(*seam);
    const bool may_open = clauses_.empty() && place.seam == nullptr && words.size() > 1;
    if (may_open && words.front().text == "first" && !is_counted_by_first(words[1].text)) {
      place.is_bare_first = true;
      words = words.subspan(1);
    }
    std::size_t taken = 0;
    while (taken < words.size()) {
      const auto commas = commas_at(words.subspan(taken));
      const auto seam = inner_seam_at(words.subspan(taken), commas);
      if (!seam) { // Nor behind fewer of these commas.
        taken += std::max<std::size_t>(commas, 1);
        continue;
      }
      add_clause(words.first(taken), {{}, sentence, std::exchange(place, {}), false});
      words = words.subspan(taken);
      take(*seam);
      while (const auto more = seam_at(words, known_verbs::many))
        take(*more);
      taken = 0;
    }
    add_clause(words, {{}, sentence, place, true});
  }

  void add_clause(token_span words, clause out) {
    while (!words.empty() && (words.back().text == "-" || words.back().text == "\u2014"))
      words = words.first(words.size() - 1);
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
      if (!parts.empty())
        each.place = {};
      auto last = end;
      while (last > begin && all[last - 1].text == ",")
        --last;
      if (last > begin)
        each.text = whole.text.substr(all[begin].begin, all[last - 1].end - all[begin].begin);
      parts.push_back(each);
    };
    for (std::size_t i = 1; i + 1 < all.size(); ++i) {
      if (all[i].text != "and" || !begins_with_task_verb(token_span(all).subspan(i + 1)))
        continue;
      part(i);
      begin = i + 1;
    }
    if (parts.empty() || !begins_with_task_verb(all))
      return;
    part(all.size());
    clauses_ = std::move(parts);
    guess("\"and\" before a verb is taken for two tasks, one after the other");
  }

  void say(const clause& each, std::string reason) {
    if (out_.problems.size() < problems_max)
      out_.problems.push_back(
          {shortened(std::string(each.sentence), problem_text_bytes_max), std::move(reason)});
  }

  void check_clauses() {
    if (clauses_.size() < 2)
      return;
    for (std::size_t i = 0; i < clauses_.size(); ++i)
      check_clause(i);
    check_places();
    const auto& first = clauses_.front();
    if (out_.problems.empty() && first.is(seam_kind::next))
      say(first, quoted(first.place.seam->words) + " has no task before it");
  }

  void check_clause(std::size_t position) {
    const auto& each = clauses_[position];
    const bool is_first = position == 0;
    const auto words = tokens_of(each.text);
    const bool has_words = each.place.seam != nullptr || each.place.is_bare_first;
    const prose_task task{.words = words,
                          .text = each.text,
                          .needs_verb = !has_words && (!is_first || each.ends_sentence),
                          .is_first = is_first};
    if (const auto problem = problem_in_task(task))
      return say(each, *problem);
    if (each.place.has_others)
      return say(each, "two words of order before one task do not say the same");
    if (const auto relative = relative_in(words); !relative.empty() && goes_on(position))
      return say(each, "the task behind " + quoted(relative) + " may belong to what "
                           + quoted(relative) + " begins; write it as a sentence of its own");
    if (is_first && each.is(seam_kind::same))
      return say(each, quoted(each.place.seam->words) + " has no task before it");
    if (position > 1 && each.place.seam == nullptr && clauses_[position - 1].is(seam_kind::same))
      return say(each, "it may be beside the task before it or after it; write \"Meanwhile\" or "
                       "\"Then\" before it");
    if (each.place.is_bare_first && !begins_like_task(words)
        && !(clauses_[1].place.seam != nullptr && clauses_[1].is_next()))
      say(each, "\"first\" may be a part of the task; put a comma behind it if it is none");
  }

  /// Whether another task is in the same sentence.
  [[nodiscard]] bool goes_on(std::size_t position) const {
    return position + 1 < clauses_.size()
           && clauses_[position + 1].sentence.data() == clauses_[position].sentence.data();
  }

  /// "First" begins, "finally" ends, and "second" comes before "third".
  void check_places() {
    std::uint8_t before = 0;
    const auto last_stage =
        std::ranges::find_if(clauses_.rbegin(), clauses_.rend(), &clause::is_next);
    for (auto each = clauses_.begin(); each != clauses_.end(); ++each) {
      if (each->place.placed == nullptr)
        continue;
      const auto& seam = *each->place.placed;
      if (seam.place == 1 && each != clauses_.begin())
        say(*each, quoted(seam.words) + " does not stand before the first task");
      else if (seam.place == last_place && each + 1 < last_stage.base())
        say(*each, "a task follows behind " + quoted(seam.words));
      else if (seam.place <= before)
        say(*each, quoted(seam.words) + " stands behind a later number");
      before = std::max(before, seam.place);
    }
  }

  void add_tasks() {
    if (clauses_.size() > tasks_max) {
      if (out_.problems.empty())
        out_.problems.push_back(
            {"", "there are more than " + std::to_string(tasks_max) + " tasks"});
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
      if (each.is_next() && !stage.empty()) {
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
  std::string_view text_;
  std::vector<std::string_view> sentences_;
  std::vector<clause> clauses_;
  bool has_order_ = false; ///< A word of order, or a semicolon.
  text_reading out_;
};

} // namespace

text_reading read_prose(std::string_view text, guesses rule) {
  return prose_reader(text, rule).read();
}

} // namespace troupe::planner
