#include "planner/sentence_parts.hpp"

#include "protocol/json/quoted.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "planner/limits.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

using tokens = std::span<const token>;

bool is_step_word(const token& each) {
  const auto phrase = phrase_at(tokens(&each, 1));
  return phrase && phrase->meaning == word_class::step;
}

bool is_conjunction(const token& each) {
  return each.text == "and" || each.text == "&";
}

/// Whether a label of a step, or a range of them, may be here. A letter is one only if a step has
/// it.
bool is_label(tokens words, const step_names& steps) {
  if (words.empty())
    return false;
  const auto& text = words.front().text;
  if (number_of(text) || range_of(text))
    return true;
  if (text.size() != 1 || !steps.labelled(text))
    return false;
  return words.size() < 2 || !is_step_word(words[1]); // "a step"
}

/// Adds the steps that a label or a range of labels names.
std::optional<refusal> add_label(std::string_view text, const step_names& steps,
                                 std::vector<std::uint32_t>& out) {
  const auto missing = [](std::string_view label) {
    return refusal{"there is no step " + shown(label)};
  };
  const auto range = range_of(text);
  if (!range) {
    const auto step = steps.labelled(text);
    if (!step)
      return missing(text);
    out.push_back(*step);
    return std::nullopt;
  }
  if (range->first > range->last || range->last - range->first >= tasks_max)
    return refusal{quoted(shown(text)) + " is no range of steps"};
  for (auto label = range->first; label <= range->last; ++label)
    if (auto wrong = add_label(std::to_string(label), steps, out))
      return wrong;
  return std::nullopt;
}

struct label_list {
  std::vector<std::uint32_t> steps;
  std::size_t tokens = 0;
};

/// "1", "1, 3 and 5-7", "2 to 4". A comma behind "and" ends the list. `words` begins with a label.
read_result<label_list> read_labels(tokens words, const step_names& steps) {
  label_list out;
  if (auto wrong = add_label(words.front().text, steps, out.steps))
    return *wrong;
  out.tokens = 1;
  const auto is_range =
      words.size() > 2 && number_of(words[0].text) && number_of(words[2].text)
      && (words[1].text == "to" || words[1].text == "through" || words[1].text == "-");
  if (is_range) {
    out.steps.clear();
    if (auto wrong = add_label(words[0].text + '-' + words[2].text, steps, out.steps))
      return *wrong;
    out.tokens = 3;
  }
  bool has_conjunction = false;
  while (out.tokens < words.size()) {
    auto rest = words.subspan(out.tokens);
    std::size_t skipped = 0;
    if (rest.front().text == "," && !has_conjunction)
      ++skipped;
    if (skipped < rest.size() && is_conjunction(rest[skipped])) {
      ++skipped;
      has_conjunction = true;
    }
    if (skipped == 0 || !is_label(rest.subspan(skipped), steps))
      break;
    if (auto wrong = add_label(rest[skipped].text, steps, out.steps))
      return *wrong;
    out.tokens += skipped + 1;
  }
  return out;
}

/// Reads part after part from the front.
class part_reader {
public:
  part_reader(tokens words, const step_names& steps, bare_numbers rule)
      : unread_(words), steps_(steps), rule_(rule) {
    // Where numbers name the steps, a step called "finish" must not be found in the verb.
    std::size_t numbers = 0;
    for (const auto& each : words)
      numbers += number_of(each.text) ? 1U : range_of(each.text) ? 2U : 0U;
    finds_unquoted_ = numbers < 2;
  }

  read_result<std::vector<sentence_part>> read() {
    while (!unread_.empty())
      if (auto wrong = read_part())
        return *wrong;
    return std::move(out_);
  }

private:
  std::optional<refusal> read_part() {
    const auto& first = unread_.front();
    if (const auto wrong = read_reference(); wrong.first)
      return wrong.second;
    const auto phrase = phrase_at(unread_);
    const auto name = find_name();
    if (name && (!phrase || name->tokens > phrase->tokens)) {
      if (name->is_ambiguous)
        return refusal{"several steps are called " + quoted(shown(text_of_next(name->tokens)))};
      return add(named_steps{{name->step}}, name->tokens);
    }
    if (phrase)
      return read_phrase(*phrase);
    if (first.text == "," || first.text == ":")
      return add(comma_mark{}, 1);
    if (is_label(unread_, steps_))
      return refusal{quoted(shown(first.text)) + " may be a number of anything; write \"step "
                     + shown(first.text) + "\" if it is a step"};
    if (first.text == "\"")
      return refusal{"no step has the name in quotes"};
    return refusal{"the word " + quoted(shown(first.text)) + " is not known here"};
  }

  /// Whether a step by label is here; then it was taken, or the refusal says why not.
  std::pair<bool, std::optional<refusal>> read_reference() {
    const std::size_t before = is_step_word(unread_.front()) ? 1 : 0;
    if ((before == 0 && rule_ == bare_numbers::are_unknown)
        || !is_label(unread_.subspan(before), steps_))
      return {false, std::nullopt};
    auto labels = read_labels(unread_.subspan(before), steps_);
    if (!labels)
      return {true, labels.error()};
    const auto count = before + labels->tokens;
    return {true, add(named_steps{std::move(labels->steps)}, count)};
  }

  std::optional<step_names::found_name> find_name() const {
    if (auto found = steps_.quoted_at(unread_))
      return found;
    return finds_unquoted_ ? steps_.unquoted_at(unread_) : std::nullopt;
  }

  std::optional<refusal> read_phrase(const found_phrase& phrase) {
    if (phrase.meaning == word_class::open)
      return refusal{quoted(text_of_next(phrase.tokens)) + " leaves open which order is meant"};
    if (phrase.meaning != word_class::every)
      return add(known_word{phrase.meaning}, phrase.tokens);
    // "the steps 1 and 2" is about these; "Sequence the tasks: ..." is a heading.
    const auto behind = unread_.subspan(phrase.tokens);
    const bool is_heading = !behind.empty() && behind.front().text == ":";
    if (!is_heading && !(is_step_word(unread_[phrase.tokens - 1]) && is_label(behind, steps_)))
      return add(known_word{phrase.meaning}, phrase.tokens);
    return add(known_word{word_class::filler}, is_heading ? phrase.tokens : phrase.tokens - 1);
  }

  template<class Part>
  std::optional<refusal> add(Part part, std::size_t count) {
    out_.push_back({std::move(part), text_of_next(count)});
    unread_ = unread_.subspan(count);
    return std::nullopt;
  }

  std::string text_of_next(std::size_t count) const {
    std::string out;
    for (const auto& each : unread_.first(count))
      out += (out.empty() ? "" : " ") + each.text;
    return out;
  }

  tokens unread_;
  const step_names& steps_;
  bare_numbers rule_;
  bool finds_unquoted_ = false;
  std::vector<sentence_part> out_;
};

bool ends_sentence(const token& each) {
  return each.text == "." || each.text == "!" || each.text == ";" || each.text == ",";
}

} // namespace

read_result<std::vector<sentence_part>>
parts_of_sentence(std::string_view sentence, const step_names& steps, bare_numbers rule) {
  auto words = tokens_of(sentence);
  while (!words.empty() && ends_sentence(words.back()))
    words.pop_back();
  return part_reader(words, steps, rule).read();
}

bool mentions_step(std::string_view text, const step_names& steps) {
  const auto words = tokens_of(text);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (!is_step_word(words[i]))
      continue;
    const auto& label = words[i + 1].text;
    const auto range = range_of(label);
    if (steps.labelled(label) || (range && steps.labelled(std::to_string(range->first))))
      return true;
  }
  return false;
}

} // namespace troupe::planner
