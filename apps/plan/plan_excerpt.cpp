#include "apps/plan/plan_excerpt.hpp"

#include "apps/plan/plan_file.hpp"
#include "apps/plan/text_file.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"
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
std::optional<std::string_view> line_of_text(std::string_view text, std::size_t number) {
  for (std::size_t each = 1; !text.empty(); ++each) {
    const auto end = std::min(text.find('\n'), text.size());
    if (each == number)
      return text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

/// The part of a line that is marked: first byte and length.
struct marked {
  std::size_t begin = 0;
  std::size_t size = 1;
};

/// The last name in quotes that the message has and the line too, else the last member of the
/// pointer, else where the line begins.
marked find_mark(std::string_view line, std::string_view message) {
  if (const auto column = number_behind(message, ", column "); column && *column <= line.size())
    return {*column - 1, 1};
  marked out;
  const auto take = [&](std::string_view name) {
    const auto at = name.empty() ? std::string_view::npos : line.rfind(name);
    if (at != std::string_view::npos)
      out = {at, name.size()};
    return at != std::string_view::npos;
  };
  if (const auto quote = message.find('"'); quote != std::string_view::npos) {
    const auto hint = std::min(message.find("; did you mean"), message.size());
    std::string_view rest = message.substr(0, hint);
    for (auto end = rest.rfind('"'); end != std::string_view::npos && end > 0;
         end = rest.rfind('"')) {
      const auto begin = rest.rfind('"', end - 1);
      if (begin == std::string_view::npos)
        break;
      if (take(rest.substr(begin + 1, end - begin - 1)))
        return out;
      rest = rest.substr(0, begin);
    }
  }
  const auto pointer_end = message.find("): ");
  if (pointer_end != std::string_view::npos) {
    const auto slash = message.rfind('/', pointer_end);
    if (slash != std::string_view::npos && take(message.substr(slash + 1, pointer_end - slash - 1)))
      return out;
  }
  const auto first = line.find_first_not_of(" \t");
  return {first == std::string_view::npos ? 0 : first, 1};
}

} // namespace

std::string plan_excerpt(std::string_view text, const error& why, std::size_t columns) {
  const auto number = number_behind(why.message, ": line ");
  const auto line = number ? line_of_text(text, *number) : std::nullopt;
  if (!line)
    return {};
  const auto mark = find_mark(*line, why.message);
  const auto label = std::to_string(*number);
  const std::string gutter = std::string(label.size() < 5 ? 5 - label.size() : 0, ' ') + label;
  const auto room = columns > gutter.size() + 3 ? columns - gutter.size() - 3 : 1;
  const auto marked_text = clean_line(line->substr(mark.begin, std::min(mark.size, bytes_around)));
  auto begin = mark.begin - std::min(mark.begin, bytes_around);
  while (begin > 0 && begin < mark.begin && continues_utf8((*line)[begin]))
    ++begin;
  std::string lead = begin > 0 ? "..." : "";
  auto before = clean_line(line->substr(begin, mark.begin - begin));
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
      + clean_line(line->substr(std::min(line->size(), mark.begin + mark.size), bytes_around));
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
  err.write(plan_excerpt(*text, why, is_terminal ? size_of(STDERR_FILENO).columns : columns_max));
}

} // namespace troupe
