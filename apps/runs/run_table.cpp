#include "apps/runs/run_table.hpp"

#include "apps/text.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace troupe {

namespace {

style style_of(const run_entry& entry) {
  if (entry.is_running)
    return style::cyan;
  if (is_unfinished(entry))
    return style::yellow;
  return entry.state == objective_state::completed ? style::green
         : entry.state == objective_state::failed  ? style::red
                                                   : style::plain;
}

struct table_row {
  std::array<std::string, 5> cells; ///< All but the name.
  std::string name;
  style look = style::plain;
};

table_row row_of(const run_entry& entry, timestamp now) {
  const auto ended = entry.ended != timestamp{} ? entry.ended : now;
  const bool took = entry.is_running || entry.ended != timestamp{};
  return {
      {entry.id, std::string(state_word(entry)), shown_age(entry.started, now),
       took ? format_duration(std::max(std::chrono::milliseconds{0}, ended - entry.started)) : "",
       std::to_string(entry.completed) + "/" + std::to_string(entry.tasks)},
      clean_line(entry.name),
      style_of(entry)};
}

} // namespace

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

std::string draw_runs(const std::vector<run_entry>& entries, timestamp now,
                      const table_options& options) {
  std::vector<table_row> rows{{{"RUN", "STATE", "STARTED", "TOOK", "TASKS"}, "NAME", style::dim}};
  for (const auto& each : entries)
    rows.push_back(row_of(each, now));
  std::array<std::size_t, 5> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row.cells[i]));
  std::string out;
  for (const auto& row : rows) {
    std::vector<span> line;
    for (std::size_t i = 0; i < widths.size(); ++i)
      line.push_back({fit_to(row.cells[i], widths[i], "") + "  ",
                      i == 1 || &row == &rows.front() ? row.look : style::plain});
    line.push_back({row.name, &row == &rows.front() ? row.look : style::plain});
    out += render_line(line, options.width, options.colour, "...") + "\n";
  }
  return out;
}

} // namespace troupe
