#include "apps/plan/plan_excerpt.hpp"

#include "apps/plan/plan_file.hpp"
#include "apps/plan/yaml.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/json_location.hpp"
#include "protocol/text/text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include <unistd.h>

namespace troupe {

namespace {

constexpr std::size_t columns_max = 200;
constexpr std::size_t columns_before = 40; ///< Of a long line, before the mark.
constexpr std::size_t bytes_around = 400;  ///< Of a long line, on each side of the mark.

std::optional<std::size_t> number_behind(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos)
    return std::nullopt;
  std::size_t out = 0;
  const auto* const begin = text.data() + at + word.size();
  const auto read = std::from_chars(begin, text.data() + text.size(), out);
  if (read.ec != std::errc{} || out == 0)
    return std::nullopt;
  return out;
}

/// `number` counts from 1.
std::optional<text_range> line_of_text(std::string_view text, std::size_t number) {
  std::size_t begin = 0;
  for (std::size_t each = 1; begin < text.size(); ++each) {
    const auto end = std::min(text.find('\n', begin), text.size());
    if (each == number)
      return text_range{begin, end};
    begin = end + 1;
  }
  return std::nullopt;
}

bool is_of_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
         || continues_utf8(c) || static_cast<unsigned char>(c) >= 0xc0;
}

/// The last place of `word` in `text` within `in`, as a whole word.
std::optional<text_range> find_word(std::string_view text, text_range in, std::string_view word) {
  const auto part = text.substr(in.begin, in.end - in.begin);
  for (auto at = part.rfind(word); at != std::string_view::npos && !word.empty();
       at = at == 0 ? std::string_view::npos : part.rfind(word, at - 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || !is_of_word(part[at - 1]) || !is_of_word(word.front());
    const bool ends = end == part.size() || !is_of_word(part[end]) || !is_of_word(word.back());
    if (begins && ends)
      return text_range{in.begin + at, in.begin + end};
  }
  return std::nullopt;
}

/// The last name in quotes that the message has and the text has within `in`.
std::optional<text_range> find_quoted(std::string_view text, text_range in,
                                      std::string_view message) {
  auto rest = message.substr(0, std::min(message.find("; did you mean"), message.size()));
  for (auto end = rest.rfind('"'); end != std::string_view::npos && end > 0;
       end = rest.rfind('"')) {
    const auto begin = rest.rfind('"', end - 1);
    if (begin == std::string_view::npos)
      break;
    if (const auto found = find_word(text, in, rest.substr(begin + 1, end - begin - 1)))
      return found;
    rest = rest.substr(0, begin);
  }
  return std::nullopt;
}

text_range common(text_range a, text_range b) {
  const auto begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Without the quotes around it, and without what follows a value that has no end of its own.
text_range trimmed(std::string_view text, text_range in) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (in.end > in.begin && is_blank(text[in.end - 1]))
    --in.end;
  const bool is_quoted = in.end > in.begin + 2 && text[in.begin] == text[in.end - 1]
                         && (text[in.begin] == '"' || text[in.begin] == '\'');
  return is_quoted ? text_range{in.begin + 1, in.end - 1} : in;
}

struct nearest_value {
  value_place place;
  bool is_itself = true; ///< Else the value is missing, and this should have it.
};

/// What the pointer names, else what should have it; never the whole document.
std::optional<nearest_value> find_nearest(std::string_view text, bool is_yaml,
                                          std::string_view pointer) {
  const auto whole = pointer.size();
  for (; pointer.starts_with('/'); pointer = pointer.substr(0, pointer.rfind('/')))
    if (const auto found = is_yaml ? find_yaml_value(text, pointer) : find_value(text, pointer))
      return nearest_value{*found, pointer.size() == whole};
  return std::nullopt;
}

/// The part of `line` that is marked.
text_range find_mark(std::string_view text, text_range line, bool is_yaml, const error& why) {
  if (const auto column = number_behind(why.message, ", column ");
      column && *column <= line.end - line.begin)
    return {line.begin + *column - 1, line.begin + *column};
  const auto is_on_line = [&](text_range of) {
    return of.end > of.begin && of.begin >= line.begin && of.begin < line.end;
  };
  if (const auto found = find_nearest(text, is_yaml, why.field)) {
    const auto* place = &found->place;
    const auto value = trimmed(text, common(place->value, line));
    const bool is_container = text[place->value.begin] == '{' || text[place->value.begin] == '['
                              || place->value.end > line.end;
    if (why.message.find("unknown member") != std::string::npos && is_on_line(place->name))
      return place->name;
    if (const auto word = find_quoted(text, value, why.message); word && found->is_itself)
      return *word;
    if (is_container && is_on_line(place->name))
      return place->name;
    if (is_on_line(value))
      return value;
  } else if (const auto word = find_quoted(text, line, why.message)) {
    return *word;
  }
  const auto first = text.substr(line.begin, line.end - line.begin).find_first_not_of(" \t");
  const auto begin = line.begin + (first == std::string_view::npos ? 0 : first);
  return {begin, begin + 1};
}

} // namespace

std::string plan_excerpt(std::string_view text, bool is_yaml, const error& why,
                         std::size_t columns) {
  const auto number = number_behind(why.message, ": line ");
  const auto range = number ? line_of_text(text, *number) : std::nullopt;
  if (!range)
    return {};
  const auto line = text.substr(range->begin, range->end - range->begin);
  const auto at = find_mark(text, *range, is_yaml, why);
  const struct {
    std::size_t begin;
    std::size_t size;
  } mark{at.begin - range->begin, at.end - at.begin};
  const auto label = std::to_string(*number);
  const std::string gutter = std::string(label.size() < 5 ? 5 - label.size() : 0, ' ') + label;
  const auto room = columns > gutter.size() + 3 ? columns - gutter.size() - 3 : 1;
  const auto marked_text = clean_line(line.substr(mark.begin, std::min(mark.size, bytes_around)));
  auto begin = mark.begin - std::min(mark.begin, bytes_around);
  while (begin > 0 && begin < mark.begin && continues_utf8(line[begin]))
    ++begin;
  std::string lead = begin > 0 ? "..." : "";
  auto before = clean_line(line.substr(begin, mark.begin - begin));
  const auto room_before = std::min(columns_before, room / 2);
  if (display_width(before) + display_width(marked_text) > room)
    while (display_width(before) > room_before) {
      lead = "...";
      std::size_t first = 1; // Of the first character, in bytes.
      while (first < before.size() && continues_utf8(before[first]))
        ++first;
      before.erase(0, first);
    }
  const auto shown =
      lead + before + marked_text
      + clean_line(line.substr(std::min(line.size(), mark.begin + mark.size), bytes_around));
  std::string below(display_width(lead + before), ' ');
  below += "^" + std::string(std::max<std::size_t>(display_width(marked_text), 1) - 1, '~');
  return gutter + " | " + cut_to(shown, room, "") + "\n" + std::string(gutter.size(), ' ') + " | "
         + cut_to(below, room, "") + "\n";
}

void complain_about_plan(const error& why, const std::string& path) {
  complain(why.message);
  if (path == "-")
    return;
  const auto text = read_text(path, plan_file_bytes_max);
  if (!text)
    return;
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  output err(STDERR_FILENO);
  err.write(plan_excerpt(*text, says_yaml(path, *text), why,
                         is_terminal ? size_of(STDERR_FILENO).columns : columns_max));
}

} // namespace troupe
