#include "apps/terminal/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utf8proc.h>

namespace troupe {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd"; // U+FFFD

struct decoded {
  char32_t code;
  std::size_t bytes;
  bool valid;
};

/// The first character of `text` (not empty); one byte if that is not UTF-8.
decoded decode(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (bytes <= 0)
    return {0, 1, false};
  return {static_cast<char32_t>(code), static_cast<std::size_t>(bytes), true};
}

/// East Asian Width and combining marks of Unicode are the library's; a modifier of a skin tone is
/// drawn into its emoji.
std::size_t width_of(char32_t code) {
  const bool modifies = code >= 0x1f3fb && code <= 0x1f3ff;
  return modifies ? 0
                  : static_cast<std::size_t>(
                      std::max(0, utf8proc_charwidth(static_cast<utf8proc_int32_t>(code))));
}

/// C0, DEL and C1 controls, bidirectional embeddings, overrides and isolates, line and paragraph
/// separators.
bool is_unprintable(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e
         || code == 0x200f || (code >= 0x2028 && code <= 0x202e)
         || (code >= 0x2066 && code <= 0x2069);
}

} // namespace

std::string clean_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes, valid] = decode(text);
    if (!valid)
      out += replacement;
    else if (code == '\n' || code == '\t')
      out += ' ';
    else if (!is_unprintable(code))
      out.append(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return out;
}

std::string clean_lines(std::string_view text) {
  std::string out;
  for (;;) {
    const auto end = text.find('\n');
    out += clean_line(text.substr(0, end));
    if (end == std::string_view::npos)
      return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string first_line(std::string_view text) {
  const auto end = text.find_first_of("\r\n");
  const bool is_all = text.find_first_not_of("\r\n", end) == std::string_view::npos;
  return clean_line(text.substr(0, end)) + (is_all ? "" : " ...");
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes, valid] = decode(text);
    out += valid ? text.substr(0, bytes) : replacement;
    text.remove_prefix(bytes);
  }
  return out;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain_marks = "_@%+=:,./-";
  const auto is_plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || static_cast<unsigned char>(c) >= 0x80
           || plain_marks.find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain))
    return std::string(word);
  std::string out = "'";
  for (const char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto [code, bytes, valid] = decode(text);
    columns += valid ? width_of(code) : 1;
    text.remove_prefix(bytes);
  }
  return columns;
}

std::string cut_to(std::string_view text, std::size_t columns, std::string_view ellipsis) {
  if (display_width(text) <= columns)
    return std::string(text);
  if (display_width(ellipsis) > columns)
    ellipsis = {};
  const std::size_t room = columns - display_width(ellipsis);
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const auto [code, bytes, valid] = decode(text.substr(end));
    const std::size_t width = valid ? width_of(code) : 1;
    if (used + width > room)
      break;
    used += width;
    end += bytes;
  }
  return std::string(text.substr(0, end)).append(ellipsis);
}

std::string fit_to(std::string_view text, std::size_t columns, std::string_view ellipsis) {
  std::string out = cut_to(text, columns, ellipsis);
  out.append(columns - display_width(out), ' ');
  return out;
}

std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

namespace {

struct line_break {
  std::size_t at = 0;      ///< The size of the line: nowhere.
  bool in_command = false; ///< Between backquotes.
};

/// Where a line that is wider than `columns` is broken. `in_command`: it begins inside one.
line_break place_to_break(std::string_view line, std::size_t columns, wide_word rule,
                          bool in_command) {
  constexpr std::size_t mark_columns = 2; // A blank and a backslash.
  const auto fits = cut_to(line, columns, "").size();
  const auto first = std::min(line.find_first_not_of(' '), line.size());
  line_break out{line.size()};
  std::optional<line_break> before;
  std::optional<line_break> within;
  for (auto i = first; i < line.size(); ++i) {
    if (line[i] == '`' && (in_command || line.find('`', i + 1) != std::string_view::npos))
      in_command = !in_command;
    if (line[i] != ' ')
      continue;
    if (i > fits) {
      out = {i, in_command};
      break;
    }
    // A blank right behind what fits is a place, too.
    if (!in_command)
      before = {i, false};
    else if (i + mark_columns <= fits)
      within = {i, true};
  }
  if (before || within)
    return before ? *before : *within;
  return rule == wide_word::breaks && fits > 0 ? line_break{fits} : out;
}

} // namespace

std::vector<std::string> wrapped(std::string_view line, std::size_t columns, std::size_t indent,
                                 wide_word rule) {
  std::vector<std::string> out;
  std::string begun;
  bool in_command = false;
  while (begun.size() + display_width(line) > columns) {
    const auto place =
        place_to_break(line, columns - std::min(columns, begun.size()), rule, in_command);
    const auto at = place.at;
    const auto rest = line.find_first_not_of(' ', at);
    if (rest == std::string_view::npos)
      break;
    out.push_back(begun.append(line.substr(0, line.find_last_not_of(' ', at - 1) + 1))
                      .append(place.in_command ? " \\" : ""));
    in_command = place.in_command;
    line.remove_prefix(rest);
    begun.assign(indent, ' ');
  }
  out.push_back(begun.append(line));
  return out;
}

std::string fit_lines(std::string_view text, std::size_t columns) {
  constexpr std::size_t indent = 2; // beside that of the line
  std::string out;
  for (const auto line : lines_in(text)) {
    const auto first = std::min(line.find_first_not_of(' '), line.size());
    for (const auto& each : wrapped(line, columns, first + indent))
      out += each + "\n";
  }
  return out;
}

std::string to_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [code, bytes, valid] = decode(text);
    if (valid && code < 0x80)
      out += text.front();
    else if (!valid || width_of(code) > 0)
      out += '?';
    text.remove_prefix(bytes);
  }
  return out;
}

std::string format_duration(std::chrono::milliseconds span) {
  const long long ms = std::max<long long>(0, span.count());
  const long long s = ms / 1000;
  std::array<char, 48> buffer{};
  if (ms < 9'995)
    std::snprintf(buffer.data(), buffer.size(), "%.2fs", static_cast<double>(ms) / 1000.0);
  else if (ms < 59'950)
    std::snprintf(buffer.data(), buffer.size(), "%.1fs", static_cast<double>(ms) / 1000.0);
  else if (s < 60)
    return "1m00s";
  else if (s < 3600)
    std::snprintf(buffer.data(), buffer.size(), "%lldm%02llds", s / 60, s % 60);
  else if (s < 86'400)
    std::snprintf(buffer.data(), buffer.size(), "%lldh%02lldm", s / 3600, s / 60 % 60);
  else
    std::snprintf(buffer.data(), buffer.size(), "%lldd%02lldh", s / 86'400, s / 3600 % 24);
  return buffer.data();
}

bool is_utf8_locale(const char* lc_all, const char* lc_ctype, const char* lang) {
  // POSIX XBD 8.2: the first of the three that is set and not empty decides.
  for (const char* value : {lc_all, lc_ctype, lang}) {
    if (value == nullptr || *value == '\0')
      continue;
    std::string name(value);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.find("utf-8") != std::string::npos || name.find("utf8") != std::string::npos;
  }
  return false;
}

namespace {

std::string_view sgr(style look) {
  switch (look) {
    case style::plain: return "";
    case style::bold: return "\x1b[1m";
    case style::dim: return "\x1b[2m";
    case style::red: return "\x1b[31m";
    case style::green: return "\x1b[32m";
    case style::yellow: return "\x1b[33m";
    case style::blue: return "\x1b[34m";
    case style::cyan: return "\x1b[36m";
  }
  return "";
}

} // namespace

namespace {

bool has_right_to_left(std::string_view text) {
  while (!text.empty()) {
    const auto [code, bytes, valid] = decode(text);
    const auto direction =
        utf8proc_get_property(static_cast<utf8proc_int32_t>(valid ? code : U' '))->bidi_class;
    if (direction == UTF8PROC_BIDI_CLASS_R || direction == UTF8PROC_BIDI_CLASS_AL)
      return true;
    text.remove_prefix(bytes);
  }
  return false;
}

/// The blanks around the words stay where they are.
std::string isolated(const std::string& text) {
  if (!has_right_to_left(text))
    return text;
  const auto first = text.find_first_not_of(' ');
  const auto end = text.find_last_not_of(' ') + 1;
  return text.substr(0, first) + "\xe2\x81\xa8" + text.substr(first, end - first) + "\xe2\x81\xa9"
         + text.substr(end);
}

} // namespace

std::string render_line(const std::vector<span>& spans, std::size_t columns, bool colour,
                        std::string_view ellipsis) {
  std::size_t total = 0;
  for (const auto& each : spans)
    total += display_width(each.text);
  const bool cut = total > columns;
  const std::size_t mark = cut && display_width(ellipsis) <= columns ? display_width(ellipsis) : 0;
  std::size_t left = columns - (cut ? mark : 0);
  std::string out;
  for (const auto& each : spans) {
    const std::string text = cut_to(each.text, left, {});
    left -= display_width(text);
    const bool styled = colour && each.look != style::plain && !text.empty();
    out.append(styled ? sgr(each.look) : "").append(isolated(text)).append(styled ? "\x1b[0m" : "");
    if (text.size() < each.text.size())
      break;
  }
  if (mark > 0)
    out.append(ellipsis);
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

bool can_draw(const char* term) {
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

colour_variables own_colour_variables() {
  return {std::getenv("NO_COLOR"), std::getenv("CLICOLOR_FORCE"), std::getenv("TERM")};
}

bool use_colour(colour_choice choice, bool is_terminal, const colour_variables& variables) {
  if (choice != colour_choice::automatic)
    return choice == colour_choice::always;
  if (variables.no_color != nullptr && *variables.no_color != '\0')
    return false;
  const std::string_view force =
      variables.clicolor_force == nullptr ? "" : variables.clicolor_force;
  return (!force.empty() && force != "0") || (is_terminal && can_draw(variables.term));
}

} // namespace troupe
