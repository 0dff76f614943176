#include "planner/list_reader.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "planner/above_list.hpp"
#include "planner/edge_collector.hpp"
#include "planner/limits.hpp"
#include "planner/order_sentence.hpp"
#include "planner/order_words.hpp"
#include "planner/phrase_set.hpp"
#include "planner/prose_words.hpp"
#include "planner/step_names.hpp"
#include "planner/tokens.hpp"
#include "planner/within_step.hpp"

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
  return std::ranges::any_of(words, [](const token& word) { return is_in(order_nouns, word.text); })
         && std::ranges::all_of(words, [](const token& word) {
              return is_in(order_nouns, word.text) || is_in(heading_words, word.text);
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

/// What a line says about the order of the step above it.
struct order_field {
  std::string phrase;
  std::string_view steps;
};

/// "If it fails, roll back", "paint again (optional)"
bool has_condition(std::span<const token> words) {
  constexpr auto conditions = std::to_array<std::string_view>(
      {"if", "unless", "otherwise", "optional", "optionally", "maybe", "perhaps"});
  const auto is_one = [&](const token& each) {
    return std::ranges::find(conditions, each.text) != conditions.end();
  };
  if (words.empty())
    return false;
  const auto bracket =
      std::ranges::find(words.rbegin(), words.rend(), std::string_view("("), &token::text);
  return is_one(words.front())
         || (words.back().text == ")" && bracket != words.rend() && is_one(*(bracket - 1)));
}

/// "Depends on: 1", "needs: Test, Build" below a step.
std::optional<order_field> order_field_of(std::string_view text) {
  const auto words = tokens_of(text);
  const auto phrase = phrase_at(words);
  if (!phrase || !says_order(phrase->meaning) || phrase->tokens >= words.size()
      || words[phrase->tokens].text != ":")
    return std::nullopt;
  return order_field{joined(std::span(words).first(phrase->tokens)),
                     text.substr(words[phrase->tokens].end)};
}

/// The label behind `label`: "3" behind "2", "c" behind "b".
std::string label_behind(const std::string& label) {
  if (const auto number = number_of(label))
    return std::to_string(*number + 1);
  return label.empty() ? std::string{} : std::string(1, static_cast<char>(label.front() + 1));
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
    if (is_deeper && may_be_item(line))
      out_.problems.push_back({std::string(line.whole),
                               "it may be a step or belong to the one above it; begin it where the "
                               "other steps begin, or farther in and with another mark"});
    if (is_deeper)
      return add_detail(line);
    if (line.marker == kind_)
      return add_item(line);
    add_sentences(sentence);
  }

  /// Whether a line that is farther in than the first item may be an item: it is one blank farther
  /// in than the item above it, or has the next number, and no other list has begun below that.
  [[nodiscard]] bool may_be_item(const text_line& line) const {
    if (line.marker != kind_)
      return false;
    const bool is_next = !line.label.empty() && line.label == label_behind(out_.tasks.back().label)
                         && (detail_label_.empty() || line.label != label_behind(detail_label_));
    return is_next || line.indent == item_indent_ + 1;
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
    check_marks(line, parts.name);
    if (!parts.unread.empty())
      unread_brackets_.push_back({0, std::string(parts.unread), std::string(line.whole)});
    item_indent_ = line.indent;
    detail_label_.clear();
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
  void check_marks(const text_line& line, std::string_view name) {
    const auto say = [&](std::string reason) {
      out_.problems.push_back({std::string(line.whole), std::move(reason)});
    };
    auto how = marked_as(line.text);
    if (how.empty())
      how = marked_at_end_as(line.text);
    if (how.empty())
      how = marked_at_end_as(name);
    if (!how.empty())
      return say("it is marked as " + std::string(how) + "; leave it out");
    const auto words = tokens_of(line.text);
    if (!words.empty() && (words.front().text == "or" || words.front().text == "alternatively"))
      out_.assumptions.push_back(quoted(shown(line.text))
                                 + " is a step, though it may stand for another one");
    if (has_condition(words))
      out_.assumptions.push_back(quoted(shown(line.text))
                                 + " is a step, though it may be done on a condition only");
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
    detail_label_ = line.label;
    if (auto field = order_field_of(line.text)) {
      fields_.push_back({static_cast<std::uint32_t>(out_.tasks.size() - 1), std::move(*field),
                         std::string(line.whole)});
      return;
    }
    if (task.description.empty())
      out_.assumptions.push_back("the lines below " + quoted(shown(task.name))
                                 + " are its description");
    if (task.description.empty())
      task.description = task.name;
    task.description += '\n';
    task.description += line.whole;
    details_.push_back({static_cast<std::uint32_t>(out_.tasks.size() - 1), line.whole});
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
      } else if (const auto unread = unread_above_list(text, names_); !unread.empty()) {
        out_.problems.push_back(
            {std::string(sentence), "it may change the order or the choice of the steps: "
                                        + quoted(unread) + " is not understood above a list"});
      } else if (asks_about_list(text)) {
        out_.problems.push_back(
            {std::string(sentence), "it asks about the steps; a list is to be done"});
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
    const auto check = [this](std::string_view text, std::uint32_t position) {
      if (mentions_step(text, names_) || has_order_of_step(text, position, names_))
        out_.problems.push_back({std::string(text), "it mentions a step within the text of a step; "
                                                    "write \"(after 2)\" at its end, or a sentence "
                                                    "below the list"});
    };
    for (std::uint32_t position = 0; position < item_texts_.size(); ++position)
      check(item_texts_[position], position);
    for (const auto& [position, text] : details_)
      check(text, position);
    for (const auto& each : unread_brackets_)
      if (may_be_order(each.inside, names_))
        out_.problems.push_back({each.line, "the bracket " + quoted("(" + shown(each.inside) + ")")
                                                + " may be an order, but is not understood"});
  }

  void leave_question_out() {
    if (sentences_.empty() || !sentences_.back().ends_with('?'))
      return;
    // "Actually do 3 first?"
    if (const auto unread = unread_above_list(sentences_.back(), names_);
        !unread.empty() || mentions_step(sentences_.back(), names_))
      return;
    out_.assumptions.push_back("the question at the end is left out: "
                               + quoted(shown(sentences_.back())));
    sentences_.pop_back();
  }

  void read_sentences() {
    for (const auto& [position, inside, line] : brackets_)
      take(order_of(position, inside), line);
    for (const auto& [position, field, line] : fields_)
      read_field(position, field, line);
    for (const auto& sentence : sentences_) {
      const auto rule =
          has_step_word(sentence) ? bare_numbers::are_unknown : bare_numbers::are_steps;
      take(read_order_sentence(sentence, names_, rule), sentence);
    }
  }

  /// "(after 2 and 3)" at the end of an item: as if the sentence began with the step.
  [[nodiscard]] read_result<ordering> order_of(std::uint32_t position,
                                               std::string_view said) const {
    const auto& task = out_.tasks[position];
    // A bullet has no number; its own words are the name.
    const auto step = task.label.empty() ? '"' + task.name + '"' : "step " + task.label;
    return read_order_sentence(step + ": " + std::string(said), names_, bare_numbers::are_steps);
  }

  /// "Needs: Test, Build": all of it is one list, or each part between commas is one.
  void read_field(std::uint32_t position, const order_field& field, const std::string& line) {
    const auto said = [&](std::string_view steps) {
      return order_of(position, field.phrase + ' ' + std::string(steps));
    };
    const auto whole = said(field.steps);
    if (whole || field.steps.find(',') == std::string_view::npos)
      return take(whole, line);
    for (auto rest = field.steps; !rest.empty();) {
      const auto comma = std::min(rest.find(','), rest.size());
      take(said(rest.substr(0, comma)), line);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
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
    const bool is_chain = kind_ != marker_kind::bullet;
    if (is_chain && !is_ascending(out_.tasks)) {
      out_.problems.push_back(
          {"", "the numbers of the steps do not grow; a sentence has to say the order"});
      return;
    }
    if (steps_say_order(is_chain))
      return;
    if (!is_chain) {
      out_.assumptions.emplace_back("no order is said: bullets have none");
      return;
    }
    constexpr std::string_view chain = "no order is said: the numbers are one";
    out_.assumptions.emplace_back(chain);
    ordering said;
    for (std::uint32_t i = 0; i < out_.tasks.size(); ++i)
      said.push_back({i});
    edges_.add(said, chain);
  }

  /// Whether steps, or the lines below them, say an order otherwise than in a form that is read.
  /// Then a problem says so.
  bool steps_say_order(bool is_chain) {
    const step_words words(item_texts_);
    const auto say = [this](std::string_view text, const std::string& said) {
      if (!said.empty())
        out_.problems.push_back(
            {std::string(text), quoted(said)
                                    + " may be an order within a step; say it in a sentence below "
                                      "the list, or write \"Order:\" there if it is none"});
    };
    for (std::uint32_t position = 0; position < item_texts_.size(); ++position) {
      const auto& text = item_texts_[position];
      auto said = place_said_in(text);
      say(text, said.empty() ? words.order_in(text, position, is_chain) : said);
    }
    for (const auto& [position, text] : details_)
      say(text, words.order_in(text, position, is_chain));
    return !out_.problems.empty();
  }

  struct bracket {
    std::uint32_t position;
    std::string inside;
    std::string line;
  };

  struct field_line {
    std::uint32_t position;
    order_field field;
    std::string line;
  };

  /// A line below an item and farther in.
  struct detail {
    std::uint32_t position; ///< Of the item.
    std::string_view text;
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
  std::vector<detail> details_;
  std::vector<bracket> brackets_;
  std::vector<field_line> fields_;
  std::size_t item_indent_ = 0; ///< Of the last item.
  std::string detail_label_;    ///< Of the last line below it.
  std::vector<bracket> unread_brackets_;
  std::vector<std::string> sentences_; ///< Below the items, and between them.
};

} // namespace

text_reading read_list(const std::vector<text_line>& lines) {
  return list_reader(lines).read();
}

} // namespace troupe::planner
