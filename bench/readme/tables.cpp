#include "bench/readme/tables.hpp"

#include "bench/support/harness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string_view>

namespace troupe::bench {

namespace {

constexpr std::string_view comment_begin = "<!-- figures ";
constexpr std::string_view comment_end = " -->";
constexpr std::string_view table_end = "<!-- end of figures -->";

std::string trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(' ');
  if (from == std::string_view::npos)
    return {};
  return std::string{text.substr(from, text.find_last_not_of(' ') - from + 1)};
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  for (;;) {
    const auto end = text.find(at);
    out.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos)
      return out;
    text.remove_prefix(end + 1);
  }
}

/// What the comment above a table says.
struct table_order {
  std::string bench;
  std::vector<std::string> rows;
  std::vector<std::string> cells;
};

table_order read_order(std::string_view comment, const std::string& place) {
  const auto wrong = place + " is not: <!-- figures BENCH; rows R | R; cells C | C -->";
  check(comment.ends_with(comment_end), wrong);
  comment.remove_prefix(comment_begin.size());
  comment.remove_suffix(comment_end.size());
  const auto parts = split(comment, ';');
  check(parts.size() == 3 && parts[1].starts_with("rows ") && parts[2].starts_with("cells "),
        wrong);
  return {parts[0], split(std::string_view{parts[1]}.substr(5), '|'),
          split(std::string_view{parts[2]}.substr(6), '|')};
}

std::string printed(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// 12345 as "12,345"; three digits at least.
std::string pretty_number(double value) {
  if (std::abs(value) < 100)
    return printed("%.3g", value);
  auto digits = printed("%.0f", value);
  const auto from = static_cast<std::size_t>(digits[0] == '-');
  for (auto at = digits.size(); at > from + 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

/// Times have a unit in each cell; for all others the head of the column says it.
std::string pretty_value(double value, const std::string& unit) {
  if (unit != "us" && unit != "ms")
    return pretty_number(value);
  const double us = unit == "ms" ? value * 1000 : value;
  if (us < 1000)
    return pretty_number(us) + " us";
  return us < 1e6 ? pretty_number(us / 1000) + " ms" : pretty_number(us / 1e6) + " s";
}

/// The figures that count, by case.
struct last_figures {
  figure_line last;
  std::map<std::string, std::vector<figure_line>> by_case;

  explicit last_figures(const std::vector<figure_line>& lines, const std::string& bench) {
    const auto counts = [&](const figure_line& line) {
      return line.bench == bench && !line.is_quick;
    };
    const auto found = std::find_if(lines.rbegin(), lines.rend(), counts);
    check(found != lines.rend(), "there are no figures of " + bench + " but those of --quick");
    last = *found;
    for (const auto& line : lines)
      if (counts(line) && line.commit == last.commit && line.machine == last.machine)
        by_case[line.name].push_back(line);
  }

  [[nodiscard]] std::string cell(std::string name, const std::string& row) const {
    constexpr std::string_view ratio_end = " ratio";
    const bool is_ratio = name.ends_with(ratio_end);
    if (is_ratio)
      name.resize(name.size() - ratio_end.size());
    if (const auto at = name.find('$'); at != std::string::npos)
      name.replace(at, 1, row);
    const auto found = by_case.find(name);
    if (found == by_case.end())
      return {};
    std::vector<double> values;
    for (const auto& line : found->second)
      if (!is_ratio)
        values.push_back(line.value);
      else if (line.ratio)
        values.push_back(*line.ratio);
    if (values.empty())
      return {};
    const auto middle = median(std::move(values));
    return is_ratio ? printed("%.2f", middle) : pretty_value(middle, found->second.front().unit);
  }
};

/// "100000" as "100,000"; other rows as they are.
std::string row_title(const std::string& row) {
  return row.size() > 3 && row.find_first_not_of("0123456789") == std::string::npos
             ? pretty_number(std::stod(row))
             : row;
}

std::string fill_rows(const table_order& order, const last_figures& figures) {
  std::string out;
  for (const auto& row : order.rows) {
    out += "| " + row_title(row);
    for (const auto& cell : order.cells) {
      const auto text = figures.cell(cell, row);
      out += text.empty() ? " |" : " | " + text;
    }
    out += " |\n";
  }
  return out + "\n" + figures.last.date.substr(0, 10) + ", " + figures.last.machine + ", commit "
         + figures.last.commit + ".\n";
}

} // namespace

std::string fill_tables(const std::string& document, const std::string& bench,
                        const std::vector<figure_line>& lines) {
  const last_figures figures(lines, bench);
  std::istringstream in{document};
  std::string out;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    out += line + '\n';
    if (!line.starts_with(comment_begin))
      continue;
    const auto place = "line " + std::to_string(number);
    const auto order = read_order(line, place);
    std::size_t head = 2; // Lines of the table that stay.
    while (std::getline(in, line) && line != table_end) {
      ++number;
      if (order.bench != bench || (head > 0 && line.starts_with('|'))) {
        out += line + '\n';
        head -= head > 0 ? 1 : 0;
      }
    }
    ++number;
    check(line == table_end, place + ": the table has no end (" + std::string{table_end} + ")");
    if (order.bench == bench)
      out += fill_rows(order, figures);
    out += line + '\n';
  }
  return out;
}

} // namespace troupe::bench
