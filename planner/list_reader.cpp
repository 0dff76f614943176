#include "planner/list_reader.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "planner/choice_words.hpp"
#include "planner/edge_collector.hpp"
#include "planner/limits.hpp"
#include "planner/order_sentence.hpp"
#include "planner/order_words.hpp"
#include "planner/phrase_set.hpp"
#include "planner/prose_words.hpp"
#include "planner/step_names.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

constexpr auto order_nouns =
    std::to_array<std::string_view>({"order", "ordering", "sequence", "dependency", "dependencies",
                                     "constraint", "constraints", "prerequisites"});
/// With these a line that has one of the nouns is still a heading.
constexpr auto heading_words = std::to_array<std::string_view>(
    {"the", "these", "following", "of", "and", "between", "task", "tasks", "step", "steps",
     "execution", "needs", "need", "to", "be", "obeyed", "when", "executing", "above"});

/// "Order:", "These ordering constraints need to be obeyed:". `heading`: the text before the colon.
bool is_order_heading(std::string_view heading) {
  const auto words = tokens_of(heading);
  const auto is_in = [](const auto& table, const token& word) {
    return std::ranges::find(table, word.text) != table.end();
  };
  return std::ranges::any_of(words, [&](const token& word) { return is_in(order_nouns, word); })
         && std::ranges::all_of(words, [&](const token& word) {
              return is_in(order_nouns, word) || is_in(heading_words, word);
            });
}

std::string_view without_colon(std::string_view text) {
  while (text.ends_with(':') || text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

/// Phrases that are about an order whatever stands beside them: "in parallel", "in this order".
bool has_order_of_all(std::string_view text) {
  const auto all = tokens_of(text);
  for (std::span<const token> words(all); !words.empty(); words = words.subspan(1)) {
    const auto phrase = phrase_at(words);
    if (phrase
        && (phrase->meaning == word_class::in_order
            || (phrase->meaning == word_class::together && phrase->tokens > 2)
            || words.front().text == "simultaneously" || words.front().text == "concurrently"
            || (words.front().text == "in" && phrase->meaning == word_class::together)))
      return true;
  }
  return false;
}

/// A phrase of `text` above a list that says that its order, or which of its steps are done, is not
/// as it stands there, or that they are done already; or a denial. Empty: none. "How to eat only
/// rice" is a title.
std::string limit_in(std::string_view text) {
  const auto all = tokens_of(text);
  if (all.empty() || all.front().text == "how")
    return {};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto words = std::span<const token>(all).subspan(i);
    const auto denial = phrase_at(words);
    if (denial
        && (denial->meaning == word_class::must_not || denial->meaning == word_class::need_not))
      return joined(words.first(denial->tokens));
    if (auto choice = choice_at(words, choice_place::above_list); !choice.empty())
      return choice;
    if (says_done(all, i))
      return all[i].text;
  }
  return {};
}

/// Whether what is in a bracket may be an order: "parallel with 2", "2 and 3", "with cook".
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

/// Numbers, or letters, each above the one before.
bool is_ascending(const std::vector<read_task>& tasks) {
  return std::ranges::adjacent_find(tasks,
                                    [](const read_task& a, const read_task& b) {
                                      const auto x = number_of(a.label);
                                      const auto y = number_of(b.label);
                                      return x.has_value() != y.has_value()
                                             || (x ? *x >= *y : a.label >= b.label);
                                    })
         == tasks.end();
}

class list_reader {
public:
  explicit list_reader(const std::vector<text_line>& lines) : lines_(lines), edges_(out_) {}

  text_reading read() {
    const auto first = std::ranges::find_if(
        lines_, [](const text_line& line) { return line.marker != marker_kind::none; });
    kind_ = first->marker;
    indent_ = first->indent;
    for (auto line = first; line != lines_.end(); ++line)
      add_line(*line);
    if (out_.tasks.size() > tasks_max) {
      out_.tasks.clear();
      out_.problems.push_back({"", "there are more than " + std::to_string(tasks_max) + " tasks"});
      return std::move(out_);
    }
    for (auto line = lines_.begin(); line != first; ++line)
      read_introduction(line->whole);
    check_items();
    leave_question_out();
    read_sentences();
    if (out_.problems.empty())
      assume_order();
    edges_.check();
    return std::move(out_);
  }

private:
  // -- lines ----------------------------------------------------------------------------------

  void add_line(const text_line& line) {
    const auto colon =
        line.marker == marker_kind::none ? line.whole.find(':') : std::string_view::npos;
    if (colon != std::string_view::npos && is_order_heading(line.whole.substr(0, colon))) {
      is_below_heading_ = true;
      says_order_ = true;
      return add_sentences(line.whole.substr(colon + 1));
    }
    const auto sentence = line.has_step_word ? line.whole : line.text;
    if (is_below_heading_)
      return add_sentences(sentence);
    const bool is_deeper = !out_.tasks.empty() && line.indent > indent_ + 1;
    if (is_deeper)
      return add_detail(line);
    if (line.marker == kind_)
      return add_item(line);
    add_sentences(sentence);
  }

  void add_item(const text_line& line) {
    if (!line.label.empty() && names_.labelled(line.label)) {
      if (line.has_step_word) // "Step 4: after step 2"
        return add_sentences(line.whole);
      out_.problems.push_back(
          {std::string(line.whole), "the number " + line.label + " is there twice"});
      return;
    }
    auto parts = parts_of_item(line.text);
    if (parts.name.empty()) {
      out_.problems.push_back({std::string(line.whole), "a step without a name"});
      return;
    }
    check_beginning(line);
    if (!parts.unread.empty())
      unread_brackets_.push_back({0, std::string(parts.unread), std::string(line.whole)});
    names_.add(line.label, parts.name);
    read_task task;
    task.label = line.label;
    task.name = shortened(parts.name, task_name_bytes_max);
    if (task.name != parts.name)
      task.description = parts.name;
    task.expected = parts.expected.value_or(std::chrono::milliseconds(0));
    out_.tasks.push_back(std::move(task));
    item_texts_.push_back(std::move(parts.name));
    const auto position = static_cast<std::uint32_t>(out_.tasks.size() - 1);
    for (auto& order : parts.orders)
      brackets_.push_back({position, std::move(order), std::string(line.whole)});
  }

  /// What would be lost in a name: that it is done, an order.
  void check_beginning(const text_line& line) {
    const auto say = [&](std::string reason) {
      out_.problems.push_back({std::string(line.whole), std::move(reason)});
    };
    if (const auto how = marked_as(line.text); !how.empty())
      return say("it is marked as " + std::string(how) + "; leave it out");
    const auto words = tokens_of(line.text);
    if (!words.empty() && (words.front().text == "or" || words.front().text == "alternatively"))
      out_.assumptions.push_back(quoted(shown(line.text))
                                 + " is a step, though it may stand for another one");
    if (const auto denial = denial_before(words); !denial.empty())
      out_.assumptions.push_back(quoted(shown(line.text))
                                 + " is a step, though it says what is not to be done");
    if (const auto seam = seam_before(words); !seam.empty())
      say(quoted(seam)
          + " is an order that is not read at the beginning of a step; say it in a sentence below "
            "the list");
  }

  /// A line below an item and farther in.
  void add_detail(const text_line& line) {
    auto& task = out_.tasks.back();
    if (task.description.empty())
      out_.assumptions.push_back("the lines below " + quoted(shown(task.name))
                                 + " are its description");
    if (task.description.empty())
      task.description = task.name;
    task.description += '\n';
    task.description += line.whole;
    details_.push_back(line.whole);
  }

  void add_sentences(std::string_view text) {
    for (const auto sentence : sentences_of(text))
      sentences_.emplace_back(sentence);
  }

  // -- what is above the items ----------------------------------------------------------------

  void read_introduction(std::string_view line) {
    if (is_order_heading(without_colon(line)) && line.ends_with(':')) {
      // "Order:" above a list is its heading: what it means depends on the markers.
      return;
    }
    for (const auto sentence : sentences_of(line)) {
      const auto text = without_colon(sentence);
      const auto order = read_order_sentence(text, names_);
      if (order) {
        says_order_ = true;
        edges_.add(*order, sentence);
      } else if (mentions_step(text, names_) || has_order_of_all(text)) {
        out_.problems.push_back({std::string(sentence), order.error().reason});
      } else if (const auto limit = limit_in(text); !limit.empty()) {
        out_.problems.push_back(
            {std::string(sentence), "it may change the order or the choice of the steps: "
                                        + quoted(limit) + " is not understood above a list"});
      } else if (out_.title.empty()) {
        out_.title =
            with_single_blanks(text.ends_with('.') ? text.substr(0, text.size() - 1) : text);
        if (auto whole = out_.title; whole.size() > task_name_bytes_max)
          out_.title = shortened(std::move(whole), task_name_bytes_max);
      } else {
        out_.description += (out_.description.empty() ? "" : " ") + with_single_blanks(text);
        out_.assumptions.push_back("this is no order, but an introduction: " + quoted(shown(text)));
      }
    }
  }

  // -- sentences ------------------------------------------------------------------------------

  /// An order within an item would be lost.
  void check_items() {
    const auto check = [this](std::string_view text) {
      if (mentions_step(text, names_) || ends_in_order(text, names_))
        out_.problems.push_back({std::string(text), "it mentions a step within the text of a step; "
                                                    "write \"(after 2)\" at its end, or a sentence "
                                                    "below the list"});
    };
    std::ranges::for_each(item_texts_, check);
    std::ranges::for_each(details_, check);
    for (const auto& each : unread_brackets_)
      if (may_be_order(each.inside, names_))
        out_.problems.push_back({each.line, "the bracket " + quoted("(" + shown(each.inside) + ")")
                                                + " may be an order, but is not understood"});
  }

  void leave_question_out() {
    if (sentences_.empty() || !sentences_.back().ends_with('?'))
      return;
    out_.assumptions.push_back("the question at the end is left out: "
                               + quoted(shown(sentences_.back())));
    sentences_.pop_back();
  }

  void read_sentences() {
    for (const auto& [position, inside, line] : brackets_)
      read_bracket(position, inside, line);
    for (const auto& sentence : sentences_) {
      const auto rule =
          has_step_word(sentence) ? bare_numbers::are_unknown : bare_numbers::are_steps;
      take(read_order_sentence(sentence, names_, rule), sentence);
    }
  }

  /// "(after 2 and 3)" at the end of an item: as if the sentence began with the step.
  void read_bracket(std::uint32_t position, std::string_view inside, const std::string& line) {
    const auto label = out_.tasks[position].label;
    if (label.empty()) {
      // A bullet has no number; its own words are the name.
      take(read_order_sentence('"' + out_.tasks[position].name + "\": " + std::string(inside),
                               names_, bare_numbers::are_steps),
           line);
      return;
    }
    take(read_order_sentence("step " + label + ": " + std::string(inside), names_,
                             bare_numbers::are_steps),
         line);
  }

  /// Without the word "step" each number is a step: "3 needs 1 and 2", "1 -> 2".
  static bool has_step_word(std::string_view text) {
    const auto words = tokens_of(text);
    return std::ranges::any_of(words, [](const token& each) {
      const auto phrase = phrase_at(std::span(&each, 1));
      return phrase && phrase->meaning == word_class::step;
    });
  }

  void take(const read_result<ordering>& order, const std::string& sentence) {
    if (!order) {
      out_.problems.push_back({sentence, order.error().reason});
      return;
    }
    says_order_ = true;
    edges_.add(*order, sentence);
  }

  /// What holds beside what is said. Of a text with problems nobody knows what it says.
  void assume_order() {
    if (out_.tasks.size() < 2)
      return;
    if (says_order_) {
      out_.assumptions.emplace_back(
          "the text says an order, so tasks wait for nothing else than it says");
      return;
    }
    if (kind_ == marker_kind::bullet) {
      out_.assumptions.emplace_back("no order is said: bullets have none");
      return;
    }
    if (!is_ascending(out_.tasks)) {
      out_.problems.push_back(
          {"", "the numbers of the steps do not grow; a sentence has to say the order"});
      return;
    }
    constexpr std::string_view chain = "no order is said: the numbers are one";
    out_.assumptions.emplace_back(chain);
    ordering said;
    for (std::uint32_t i = 0; i < out_.tasks.size(); ++i)
      said.push_back({i});
    edges_.add(said, chain);
  }

  struct bracket {
    std::uint32_t position;
    std::string inside;
    std::string line;
  };

  const std::vector<text_line>& lines_;
  text_reading out_;
  step_names names_;
  edge_collector edges_;
  marker_kind kind_ = marker_kind::none;
  std::size_t indent_ = 0;
  bool is_below_heading_ = false;
  bool says_order_ = false;
  std::vector<std::string> item_texts_; ///< Whole, by position.
  std::vector<std::string_view> details_;
  std::vector<bracket> brackets_;
  std::vector<bracket> unread_brackets_;
  std::vector<std::string> sentences_; ///< Below the items, and between them.
};

} // namespace

text_reading read_list(const std::vector<text_line>& lines) {
  return list_reader(lines).read();
}

} // namespace troupe::planner
