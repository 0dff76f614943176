#include "apps/help/help_text.hpp"

#include "apps/terminal/text.hpp"

#include <algorithm>
#include <vector>

namespace troupe {

namespace {

constexpr std::size_t example_indent = 4; ///< Of what goes on behind the beginning of an example.

/// Where the lines after the first one begin.
std::size_t indent_of(std::string_view line, std::size_t text_column) {
  const auto first = std::min(line.find_first_not_of(' '), line.size());
  // Names of options are narrower than the column, and padded to it.
  const bool is_row = line.size() > text_column && line[text_column] != ' '
                      && line[text_column - 1] == ' ' && first > 0
                      && (first == text_column || line[text_column - 2] == ' ');
  if (first == 0)
    return 0;
  if (is_row)
    return text_column;
  // An example goes on below what is said about it.
  const auto gap = line.find("   ", first);
  const auto said = std::min(line.find_first_not_of(' ', gap), line.size());
  return said < help_columns - example_indent ? said : first + example_indent;
}

/// Where the line is to be cut: at the last blank before which everything fits, or at the first one
/// if a word is too wide.
std::size_t cut_of(std::string_view line, std::size_t indent) {
  auto out = std::string_view::npos;
  for (auto at = line.find(' ', indent + 1); at != std::string_view::npos;
       at = line.find(' ', at + 1)) {
    if (out != std::string_view::npos && display_width(line.substr(0, at)) > help_columns)
      break;
    out = at;
  }
  return out;
}

/// An example that is nothing but a command: it goes on so that a shell takes what is copied.
bool is_command(std::string_view line) {
  const auto first = std::min(line.find_first_not_of(' '), line.size());
  const auto begins = [&](std::string_view word) { return line.substr(first).starts_with(word); };
  return first > 0 && (begins("troupe ") || begins("curl "))
         && line.find("   ", first) == line.npos;
}

/// The last blank outside of quotes before which the line fits with a backslash; npos: none.
std::size_t cut_of_command(std::string_view line) {
  auto out = std::string_view::npos;
  char quote = '\0';
  for (auto at = line.find_first_not_of(' '); at < line.size(); ++at) {
    const char c = line[at];
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (c == ' ' && display_width(line.substr(0, at)) + 2 <= help_columns)
      out = at;
  }
  return out;
}

} // namespace

std::string fit_help(std::string_view text, std::size_t text_column) {
  std::string out;
  const auto lines = lines_in(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto line = std::string{lines[i]};
    const auto indent = indent_of(line, text_column);
    // Examples and lists are indented by less: each of their lines stands alone.
    const bool is_text = indent == 0 || indent == text_column;
    const bool is_copied = !is_text && is_command(line);
    while (display_width(line) > help_columns) {
      const auto cut = is_copied ? cut_of_command(line) : cut_of(line, indent);
      if (cut == std::string::npos)
        break;
      out.append(line, 0, cut).append(is_copied ? " \\\n" : "\n");
      line.erase(0, std::min(line.find_first_not_of(' ', cut), line.size()));
      line.insert(0, indent, ' ');
      // The next line of the same text follows at once.
      while (is_text && i + 1 < lines.size() && display_width(line) <= help_columns
             && !lines[i + 1].empty() && lines[i + 1].find_first_not_of(' ') == indent)
        line.append(" ").append(lines[++i].substr(indent));
    }
    out += line + "\n";
  }
  return out;
}

} // namespace troupe
