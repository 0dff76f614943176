#include <algorithm>

#include "sim/checkers/checkers.hpp"
#include "sim/checkers/journal_fold.hpp"

namespace troupe::sim {

namespace {

std::string stream_name(const stream_read& read) {
  return "the stream of task " + read.task + " to " + read.client;
}

verdict compare(const stream_read& read, const folded_task& shown, const folded_task& kept,
                const std::string& where) {
  if (shown.state != kept.state)
    return stream_name(read) + " shows " + shown.state + where + ", and the journal has "
           + kept.state;
  if (shown.artifacts != kept.artifacts)
    return stream_name(read) + " leads to other artifacts than the journal" + where;
  return std::nullopt;
}

/// The states in the journal behind `after`, up to `until`.
std::vector<std::string> statuses(const std::vector<stream_event>& journal, const place& after,
                                  const place& until) {
  std::vector<std::string> out;
  for (const auto& event : journal)
    if (event.kind == event_kind::status && place_of(event.cursor) > after
        && place_of(event.cursor) <= until)
      out.push_back(event.cursor);
  return out;
}

/// As the journal has it: "17" is where its last event of change 17 stands.
std::string cursor_in(const std::vector<stream_event>& journal, const std::string& cursor) {
  std::string out = cursor;
  if (cursor.find('.') == std::string::npos)
    for (const auto& event : journal)
      if (place_of(event.cursor).first == place_of(cursor).first)
        out = event.cursor;
  return out;
}

verdict check_stream(const stream_read& read, const std::vector<stream_event>& journal) {
  auto from = read.after.empty() ? first_place : place_of(read.after);
  auto at = from;
  auto shown = fold(journal, from);
  std::vector<std::string> states;
  if (read.after.empty() && !read.events.empty()
      && read.events.front().kind != event_kind::snapshot)
    return stream_name(read) + " does not begin with a snapshot";
  if (!read.after.empty() && !read.events.empty()
      && read.events.front().kind == event_kind::snapshot && !read.events.front().has_gap
      && !read.events.front().cursor.empty())
    return stream_name(read) + " was to go on behind " + read.after
           + ", and begins anew without saying that something is missing";
  for (const auto& event : read.events) {
    const bool is_snapshot = event.kind == event_kind::snapshot;
    // A task that has ended has no place in its stream any more.
    const auto next = is_snapshot && event.cursor.empty() ? last_place : place_of(event.cursor);
    if (next < at || (next == at && !is_snapshot))
      return stream_name(read) + " has cursor " + event.cursor + " behind a later one";
    at = next;
    shown.apply(event);
    if (is_snapshot) {
      states.clear();
      from = next;
      if (auto wrong = compare(read, shown, fold(journal, at), " in its snapshot"))
        return wrong;
    } else if (event.kind == event_kind::status) {
      states.push_back(cursor_in(journal, event.cursor));
    }
  }
  const auto kept = statuses(journal, from, at);
  if (states != kept)
    return stream_name(read) + " has " + std::to_string(states.size()) + " changes of state from "
           + (read.after.empty() ? std::string("its snapshot") : read.after)
           + " on, and the journal has " + std::to_string(kept.size());
  return compare(read, shown, fold(journal, at), " at its end");
}

} // namespace

verdict check_streams(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  for (const auto& read : seen.streams)
    if (auto wrong = check_stream(read, journal_of(seen, read.task)))
      return wrong;
  return std::nullopt;
}

} // namespace troupe::sim
