#include "sim/checkers/journal_fold.hpp"

#include <charconv>

namespace troupe::sim {

place place_of(std::string_view cursor) {
  place out = first_place;
  const auto dot = cursor.find('.');
  std::from_chars(cursor.data(), cursor.data() + std::min(dot, cursor.size()), out.first);
  if (dot == std::string_view::npos)
    out.second = last_place.second;
  else
    std::from_chars(cursor.data() + dot + 1, cursor.data() + cursor.size(), out.second);
  return out;
}

void folded_task::apply(const stream_event& event) {
  if (event.kind == event_kind::status) {
    state = event.task.state;
  } else if (event.kind == event_kind::artifact) {
    auto& text = artifacts[event.artifact];
    text = event.append ? text + event.text : event.text;
  } else {
    state = event.task.state;
    artifacts = event.task.artifacts.value_or(std::map<std::string, std::string>{});
  }
}

folded_task fold(const std::vector<stream_event>& journal, const place& until) {
  folded_task out;
  for (const auto& event : journal)
    if (place_of(event.cursor) <= until)
      out.apply(event);
  return out;
}

const std::vector<stream_event>& journal_of(const history& seen, const std::string& task) {
  static const std::vector<stream_event> none;
  const auto found = seen.journal.find(task);
  return found == seen.journal.end() ? none : found->second;
}

} // namespace troupe::sim
