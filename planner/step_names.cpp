#include "planner/step_names.hpp"

#include "protocol/json/quoted.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>

#include "planner/limits.hpp"
#include "planner/order_words.hpp"
#include "planner/steps.hpp"

namespace troupe::planner {

namespace {

bool is_final_mark(const token& each) {
  return each.text == "." || each.text == "!" || each.text == "," || each.text == ";";
}

/// Without the full stop at its end: a sentence that names the step has none there.
std::vector<token> words_of_name(std::string_view name) {
  auto out = tokens_of(name);
  while (!out.empty() && is_final_mark(out.back()))
    out.pop_back();
  return out;
}

bool has_order_words_only(std::span<const token> words) {
  while (!words.empty()) {
    const auto phrase = phrase_at(words);
    if (!phrase && words.front().text != "," && !number_of(words.front().text))
      return false;
    words = words.subspan(phrase ? phrase->tokens : 1);
  }
  return true;
}

} // namespace

bool step_names::add(std::string_view label, std::string_view name) {
  const auto step = static_cast<std::uint32_t>(size_);
  ++size_;
  labels_.emplace_back(label);
  names_.emplace_back(name);
  const auto words = words_of_name(name);
  std::size_t at = 0;
  for (const auto& word : words) {
    const auto next = tree_[at].next.try_emplace(word.text, tree_.size());
    if (next.second)
      tree_.emplace_back();
    at = next.first->second;
  }
  if (at != 0) {
    auto& place = tree_[at];
    place.is_ambiguous = place.step.has_value();
    place.step = step;
    place.needs_quotes = words.size() > unquoted_name_words_max || has_order_words_only(words);
  }
  return label.empty() || by_label_.emplace(label, step).second;
}

std::optional<std::uint32_t> step_names::labelled(std::string_view label) const {
  if (label.starts_with('#'))
    label.remove_prefix(1);
  const auto found = by_label_.find(label);
  return found == by_label_.end() ? std::nullopt : std::optional(found->second);
}

std::string step_names::spoken(std::uint32_t step) const {
  return labels_[step].empty() ? quoted(shown(names_[step])) : "step " + labels_[step];
}

std::optional<step_names::found_name>
step_names::longest(std::span<const token> words, std::size_t words_max, bool in_quotes) const {
  std::optional<found_name> out;
  std::size_t at = 0;
  for (std::size_t taken = 0; taken < std::min(words.size(), words_max); ++taken) {
    count_steps(1);
    const auto next = tree_[at].next.find(words[taken].text);
    if (next == tree_[at].next.end())
      break;
    at = next->second;
    const auto& place = tree_[at];
    if (!place.step || (!in_quotes && place.needs_quotes))
      continue;
    // Within quotes the whole is the name, with or without a full stop.
    auto end = taken + 1;
    if (in_quotes) {
      while (end < words.size() && is_final_mark(words[end]))
        ++end;
      count_steps(end - taken);
      if (end == words.size() || words[end].text != "\"")
        continue;
      ++end;
    }
    out = found_name{*place.step, end, place.is_ambiguous};
  }
  return out;
}

std::optional<step_names::found_name> step_names::quoted_at(std::span<const token> words) const {
  if (words.empty() || words.front().text != "\"")
    return std::nullopt;
  auto out = longest(words.subspan(1), quoted_name_words_max, true);
  if (out)
    ++out->tokens;
  return out;
}

std::optional<step_names::found_name> step_names::unquoted_at(std::span<const token> words) const {
  return longest(words, unquoted_name_words_max, false);
}

} // namespace troupe::planner
