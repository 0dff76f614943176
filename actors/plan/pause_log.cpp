#include "actors/plan/pause_log.hpp"

#include <algorithm>

namespace troupe {

void pause_log::note(bool paused, timestamp now) {
  const bool is_paused = !pauses_.empty() && pauses_.back().end == timestamp::max();
  if (paused == is_paused)
    return;
  if (!paused) {
    pauses_.back().end = now;
    return;
  }
  if (pauses_.size() == pauses_max)
    pauses_.erase(pauses_.begin());
  pauses_.push_back({now});
}

std::vector<task_span> pause_log::waits_since(timestamp ready) const {
  std::vector<task_span> out;
  auto from = ready;
  const auto add = [&](task_phase phase, timestamp until) {
    if (from < until)
      out.push_back({phase, 1, from, until, {}});
    from = std::max(from, until);
  };
  for (const auto& each : pauses_) {
    if (each.end <= ready || each.end == timestamp::max() || each.begin == each.end)
      continue;
    add(task_phase::slot, each.begin);
    add(task_phase::pause, each.end);
  }
  return out;
}

} // namespace troupe
