#include "planner/list_lines.hpp"

#include "protocol/text/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "planner/duration.hpp"
#include "planner/order_words.hpp"
#include "planner/steps.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  const auto size = text.size();
  while (!text.empty() && is_space(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()))
    text.remove_suffix(1);
  count_steps(1 + size - text.size());
  return text;
}

bool is_letter(char c) {
  return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

/// Digits (at most nine) or one letter at the beginning; empty if there is none.
std::string_view label_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && end < 10 && is_digit(text[end]))
    ++end;
  if (end > 0)
    return end < 10 ? text.substr(0, end) : std::string_view{};
  return !text.empty() && is_letter(text.front()) ? text.substr(0, 1) : std::string_view{};
}

struct marker {
  marker_kind kind = marker_kind::none;
  std::string_view label;
  std::size_t bytes = 0; ///< With the blanks behind it.
  bool has_step_word = false;
};

/// A marker ends before a blank or with the line.
bool ends_marker(std::string_view text, std::size_t at) {
  return at >= text.size() || is_space(text[at]);
}

/// "1." "1)" "(1)" "a)" "(a)"; "a." could end a sentence and is none.
marker label_marker(std::string_view text) {
  const bool is_bracket = text.starts_with('(');
  const auto label = label_at(text.substr(is_bracket ? 1 : 0));
  if (label.empty())
    return {};
  const auto at = label.size() + (is_bracket ? 1 : 0);
  if (at >= text.size())
    return {};
  const char mark = text[at];
  const bool fits = mark == ')' || (mark == '.' && !is_bracket && is_digit(label.front()));
  if (!fits || !ends_marker(text, at + 1))
    return {};
  return {marker_kind::number, label, at + 1, false};
}

/// "Step 1:", "Task 1.", "Step 1)", "Step 1 -".
marker step_marker(std::string_view text) {
  constexpr auto words = std::to_array<std::string_view>({"step ", "task "});
  const auto begin = ascii_lower(text.substr(0, 5));
  if (std::ranges::find(words, begin) == words.end())
    return {};
  const auto label = label_at(text.substr(5));
  if (label.empty())
    return {};
  auto at = 5 + label.size();
  if (text.substr(at).starts_with(" -") && ends_marker(text, at + 2))
    return {marker_kind::number, label, at + 2, true};
  if (at >= text.size() || std::string_view(":.)").find(text[at]) == std::string_view::npos
      || !ends_marker(text, at + 1))
    return {};
  return {marker_kind::number, label, at + 1, true};
}

marker bullet_marker(std::string_view text) {
  constexpr auto bullets = std::to_array<std::string_view>({"- [ ]", "* [ ]", "-", "*", "\u2022"});
  for (const auto bullet : bullets)
    if (text.starts_with(bullet) && bullet.size() < text.size() && is_space(text[bullet.size()]))
      return {marker_kind::bullet, {}, bullet.size(), false};
  return {};
}

marker marker_at(std::string_view text) {
  for (const auto& found : {label_marker(text), step_marker(text), bullet_marker(text)})
    if (found.kind != marker_kind::none)
      return found;
  return {};
}

text_line line_from(std::string_view raw) {
  text_line out;
  constexpr std::size_t tab_blanks = 4;
  for (const char each : raw.substr(0, raw.find_first_not_of(" \t\r")))
    out.indent += each == '\t' ? tab_blanks - out.indent % tab_blanks : 1;
  out.whole = trimmed(raw);
  const auto found = marker_at(out.whole);
  out.marker = found.kind;
  out.label = ascii_lower(found.label);
  out.has_step_word = found.has_step_word;
  out.text = trimmed(out.whole.substr(found.bytes));
  return out;
}

/// Where the item with that number begins behind `from`, if its marker looks like `like`.
std::size_t find_marker(std::string_view line, std::size_t from, std::uint32_t number,
                        std::string_view like) {
  const auto digits = like.find_first_of("0123456789");
  const auto digits_end = like.find_first_not_of("0123456789", digits);
  const auto wanted = " " + std::string(like.substr(0, digits)) + std::to_string(number)
                      + std::string(like.substr(digits_end)) + " ";
  const auto found = line.find(wanted, from);
  count_steps(std::min(found, line.size()) - std::min(from, line.size()));
  return found == std::string_view::npos ? found : found + 1;
}

/// The items of one line: "Plan: 1. cook 2. eat". Each with its marker; what is before the first
/// one comes first.
std::vector<std::string_view> items_of_line(std::string_view line) {
  count_steps(line.size());
  std::vector<std::string_view> out;
  auto begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return out;
  auto first = marker_at(line.substr(begin));
  if (first.kind == marker_kind::none) {
    // "Plan a trip: 1. ..."
    constexpr auto openings = std::to_array<std::string_view>({": 1. ", ": 1) ", ": (1) "});
    for (const auto opening : openings) {
      const auto at = line.find(opening);
      if (at == std::string_view::npos
          || find_marker(line, at + 2, 2, trimmed(opening.substr(2))) == std::string_view::npos)
        continue;
      out.push_back(line.substr(0, at + 1));
      begin = at + 2;
      first = marker_at(line.substr(begin));
      break;
    }
  }
  const auto number = number_of(first.label);
  if (first.kind != marker_kind::number || !number) {
    out.push_back(line);
    return out;
  }
  const auto like = trimmed(line.substr(begin, first.bytes));
  auto next_number = *number;
  auto item = out.empty() ? 0 : begin; // the indent of the first item belongs to it
  for (auto at = begin; at != std::string_view::npos;) {
    ++next_number;
    at = find_marker(line, at + like.size(), next_number, like);
    out.push_back(line.substr(item, at == std::string_view::npos ? at : at - item));
    item = at;
  }
  return out;
}

/// A bracket at the end of `text`: what is in it, and where it begins. Empty: none.
std::pair<std::string_view, std::size_t> last_bracket(std::string_view text) {
  if (!text.ends_with(')') && !text.ends_with(']'))
    return {};
  const char opening = text.back() == ')' ? '(' : '[';
  const auto at = text.rfind(opening);
  count_steps(text.size() - (at == std::string_view::npos ? 0 : at));
  if (at == std::string_view::npos || at == 0)
    return {};
  return {text.substr(at + 1, text.size() - at - 2), at};
}

/// Whether a bracket speaks about the order, in a way that is known or not.
bool begins_with_connective(std::string_view text) {
  const auto words = tokens_of(text);
  const auto phrase = phrase_at(words);
  return phrase && says_order(phrase->meaning);
}

/// "paint - 2 h", "paint, takes 2 h", "paint: 2 h"
std::optional<std::pair<std::string_view, std::chrono::milliseconds>>
without_trailing_duration(std::string_view text) {
  constexpr auto seams = std::to_array<std::string_view>(
      {" - ", " \u2013 ", " \u2014 ", ", takes ", ": takes ", " takes "});
  for (const auto seam : seams) {
    const auto at = text.rfind(seam);
    count_steps(text.size() - (at == std::string_view::npos ? 0 : at));
    // "8 - 10 minutes" is a part of the text.
    if (at == std::string_view::npos || at == 0 || is_digit(text[at - 1]))
      continue;
    if (const auto duration = read_duration(text.substr(at + seam.size())))
      return std::pair(trimmed(text.substr(0, at)), *duration);
  }
  return std::nullopt;
}

using mark = std::pair<std::string_view, std::string_view>;
constexpr auto item_marks = std::to_array<mark>({{"[x]", "done"},
                                                 {"[X]", "done"},
                                                 {"\u2611", "done"},
                                                 {"\u2705", "done"},
                                                 {"\u2713", "done"},
                                                 {"\u2714", "done"},
                                                 {"\u2714\ufe0f", "done"},
                                                 {"[-]", "dropped"},
                                                 {"[~]", "dropped"},
                                                 {"\u2612", "dropped"},
                                                 {"\u274c", "dropped"},
                                                 {"\u2717", "dropped"}});

/// At the end of an item, in a bracket or behind a dash or colon.
constexpr auto item_mark_words = std::to_array<mark>({{"done", "done"},
                                                      {"already done", "done"},
                                                      {"finished", "done"},
                                                      {"completed", "done"},
                                                      {"complete", "done"},
                                                      {"canceled", "dropped"},
                                                      {"cancelled", "dropped"},
                                                      {"dropped", "dropped"},
                                                      {"skip", "dropped"},
                                                      {"skipped", "dropped"},
                                                      {"rejected", "dropped"},
                                                      {"postponed", "dropped"},
                                                      {"not needed", "dropped"},
                                                      {"won't do", "dropped"},
                                                      {"not now", "dropped"}});
constexpr std::size_t mark_word_bytes_max = 32; ///< None is longer.

} // namespace

text_lines lines_of_text(std::string_view text) {
  text_lines out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto items = items_of_line(text.substr(0, end));
    out.is_split = out.is_split || items.size() > 1;
    for (const auto item : items)
      if (!trimmed(item).empty())
        out.lines.push_back(line_from(item));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string_view marked_as(std::string_view text) {
  if (text.starts_with("~~"))
    return "struck out";
  const auto* found = std::ranges::find_if(item_marks, [text](const mark& each) {
    return text.starts_with(each.first) && ends_marker(text, each.first.size());
  });
  return found == item_marks.end() ? std::string_view{} : found->second;
}

std::string_view marked_at_end_as(std::string_view text) {
  while (text.ends_with('.') || text.ends_with('!') || text.ends_with(' '))
    text.remove_suffix(1);
  for (const auto& [each, meaning] : item_marks)
    if (text.size() > each.size() && text.ends_with(each)
        && is_space(text[text.size() - each.size() - 1]))
      return meaning;
  auto said = last_bracket(text).first;
  if (said.empty()) {
    std::size_t begin = 0;
    for (const std::string_view seam : {" - ", " \u2013 ", " \u2014 ", ": ", " -- "})
      if (const auto at = text.rfind(seam); at != std::string_view::npos)
        begin = std::max(begin, at + seam.size());
    count_steps(text.size());
    said = begin == 0 ? std::string_view{} : text.substr(begin);
  }
  const auto word = ascii_lower(trimmed(said).substr(0, mark_word_bytes_max));
  const auto* found = std::ranges::find(item_mark_words, word, &mark::first);
  return found == item_mark_words.end() ? std::string_view{} : found->second;
}

item_parts parts_of_item(std::string_view text) {
  item_parts out;
  for (bool has_more = true; has_more;) {
    text = trimmed(text);
    has_more = false;
    const auto bare = text.ends_with('.') || text.ends_with(';') || text.ends_with(',')
                          ? trimmed(text.substr(0, text.size() - 1))
                          : text;
    if (const auto [inside, at] = last_bracket(bare); at > 0) {
      const auto duration = read_duration(inside);
      if (duration && !out.expected) {
        out.expected = *duration;
        has_more = true;
      } else if (begins_with_connective(inside)) {
        out.orders.emplace_back(inside);
        has_more = true;
      }
      if (has_more)
        text = bare.substr(0, at);
      else
        out.unread = inside;
    } else if (!out.expected) {
      if (const auto found = without_trailing_duration(text)) {
        text = found->first;
        out.expected = found->second;
        has_more = true;
      }
    }
  }
  while (!text.empty() && (text.back() == ';' || text.back() == ','))
    text.remove_suffix(1);
  std::ranges::reverse(out.orders);
  out.name = with_single_blanks(text);
  return out;
}

} // namespace troupe::planner
