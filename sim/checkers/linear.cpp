#include <algorithm>

#include "sim/checkers/checkers.hpp"
#include "sim/checkers/journal_fold.hpp"

namespace troupe::sim {

namespace {

/// A client was shown a state. `began` is 0 for an event of a stream, which may be late.
struct sighting {
  moment began = 0;
  moment ended = 0;
  const task_view* shown = nullptr;
  std::string client;
};

std::map<std::string, std::vector<sighting>> sightings_of(const history& seen) {
  std::map<std::string, std::vector<sighting>> out;
  for (const auto& made : seen.calls)
    if (made.ended != 0)
      for (const auto& shown : made.tasks)
        out[shown.id].push_back({made.began, made.ended, &shown, made.client});
  for (const auto& read : seen.streams)
    for (const auto& event : read.events)
      if (event.kind != event_kind::artifact)
        out[read.task].push_back({0, event.at, &event.task, read.client});
  for (auto& [id, all] : out)
    std::ranges::stable_sort(all, {}, &sighting::ended);
  return out;
}

/// The states that the task had, in order.
std::vector<std::string> states_of(const std::vector<stream_event>& journal) {
  std::vector<std::string> out{"TASK_STATE_SUBMITTED"};
  for (const auto& event : journal)
    if (event.kind == event_kind::status && event.task.state != out.back())
      out.push_back(event.task.state);
  return out;
}

} // namespace

verdict check_linear(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  for (const auto& [id, all] : sightings_of(seen)) {
    const auto states = states_of(journal_of(seen, id));
    std::vector<std::pair<moment, std::size_t>> known; // How far the task was, by when it was seen.
    for (const auto& each : all) {
      // What was seen before this question was asked still holds. The earliest state that fits
      // leaves most room for the others.
      std::size_t least = 0;
      for (const auto& [ended, at] : known)
        if (ended < each.began)
          least = std::max(least, at);
      const auto found = std::find(states.begin() + static_cast<std::ptrdiff_t>(least),
                                   states.end(), each.shown->state);
      if (found == states.end())
        return "task " + id + " was shown to " + each.client + " as " + each.shown->state
               + " at moment " + std::to_string(each.ended) + ", after it had been " + states[least]
               + " already";
      known.emplace_back(each.ended, static_cast<std::size_t>(found - states.begin()));
    }
  }
  return std::nullopt;
}

} // namespace troupe::sim
