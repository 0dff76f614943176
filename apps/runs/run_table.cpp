#include "apps/runs/run_table.hpp"

#include "apps/terminal/text_table.hpp"

#include <algorithm>
#include <chrono>

namespace troupe {

namespace {

style style_of(const run_entry& entry) {
  if (entry.is_running)
    return style::cyan;
  if (is_unfinished(entry))
    return style::yellow;
  if (entry.is_damaged)
    return style::red;
  return entry.state == objective_state::completed ? style::green
         : entry.state == objective_state::failed  ? style::red
                                                   : style::plain;
}

std::vector<span> row_of(const run_entry& entry, timestamp now, bool is_wide) {
  const auto ended = entry.ended != timestamp{} ? entry.ended : now;
  const auto began = entry.tried != timestamp{} ? entry.tried : entry.started;
  const bool took = entry.is_running || entry.ended != timestamp{};
  std::vector<span> out{
      {entry.id},
      {std::string(state_word(entry)), style_of(entry)},
      {shown_age(entry.started, now)},
      {took ? format_duration(std::max(std::chrono::milliseconds{0}, ended - began)) : ""},
      {std::to_string(entry.completed) + "/" + std::to_string(entry.tasks)}};
  if (is_wide) {
    out.push_back({entry.file});
    out.push_back({entry.directory});
  }
  out.push_back({entry.name});
  return out;
}

} // namespace

std::string draw_runs(const std::vector<run_entry>& entries, timestamp now,
                      const table_options& options) {
  text_table table{{"RUN", "STATE", "STARTED", "TOOK", "TASKS"}, {}};
  if (options.is_wide)
    table.heads.insert(table.heads.end(), {"FILE", "DIRECTORY"});
  table.heads.emplace_back("NAME");
  for (const auto& each : entries)
    table.rows.push_back(row_of(each, now, options.is_wide));
  return draw_table(table, options.width, options.colour);
}

} // namespace troupe
