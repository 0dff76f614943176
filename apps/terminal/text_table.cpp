#include "apps/terminal/text_table.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace troupe {

std::string draw_table(const text_table& table, std::size_t width, bool colour) {
  auto rows = table.rows;
  std::vector<span> heads;
  for (const auto& each : table.heads)
    heads.push_back({each, style::dim});
  rows.insert(rows.begin(), std::move(heads));
  std::vector<std::size_t> widths(table.heads.size());
  for (auto& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i) {
      row[i].text = clean_line(row[i].text);
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }
  std::string out;
  for (const auto& row : rows) {
    std::vector<span> line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool is_last = i + 1 == widths.size();
      line.push_back(
          {is_last ? row[i].text : fit_to(row[i].text, widths[i], "") + "  ", row[i].look});
    }
    out += render_line(line, width, colour, "...") + "\n";
  }
  return out;
}

std::string shown_age(timestamp then, timestamp now) {
  using namespace std::chrono;
  const auto age = now - then;
  const auto ago = [](std::int64_t number, const char* unit) {
    return std::to_string(number) + unit + " ago";
  };
  if (age < 10s)
    return "now";
  if (age < 2min)
    return ago(duration_cast<seconds>(age).count(), "s");
  if (age < 2h)
    return ago(duration_cast<minutes>(age).count(), "m");
  if (age < 48h)
    return ago(duration_cast<hours>(age).count(), "h");
  return ago(duration_cast<hours>(age).count() / 24, "d");
}

std::string local_time(timestamp at) {
  const auto seconds =
      std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(at));
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 16> out{};
  return {out.data(), std::strftime(out.data(), out.size(), "%H:%M:%S", &parts)};
}

} // namespace troupe
