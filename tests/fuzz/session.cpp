// Session files. A damaged one is refused with errc::store_failed; a line of ours is as it is
// written; and the state of a whole one reads back from its snapshot.
#include "store/session/session_line.hpp"
#include "store/session/session_names.hpp"
#include "store/session/session_reader.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <algorithm>
#include <variant>

using namespace troupe;

namespace {

std::string snapshot_of(const sessions::session_state& state) {
  std::string out;
  if (state.view() != nullptr)
    sessions::write_snapshot_event(out, state);
  return out;
}

/// A session whose events are these lines, with the checksums that they need.
std::string session_of(std::string_view lines, std::string_view parent) {
  std::string out;
  const auto key = sessions::key_of(objective_id{"trip"});
  sessions::write_head(out, {.key = key, .at = {}, .parent = std::string{parent}});
  out += '\n';
  std::string last;
  for (std::uint64_t number = 1; !lines.empty(); ++number) {
    const auto end = std::min(lines.find('\n'), lines.size());
    sessions::event_line line;
    line.number = number;
    line.event = lines.substr(0, end);
    line.parent = last;
    sessions::write_event(out, line);
    out += '\n';
    last = sessions::line_id_of(number);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

void check_lines(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\n'), bytes.size());
    const auto text = bytes.substr(0, end);
    const auto read = sessions::read_line(text);
    if (const auto* line = std::get_if<sessions::event_line>(&read)) {
      std::string again;
      sessions::write_event(again, *line);
      fuzz::demand(again == text, "a line of ours is written otherwise", text, again);
    }
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

void check(std::string_view bytes) {
  std::uint64_t changes = 0;
  const auto read = sessions::read_session(bytes, [&](change&&) { ++changes; });
  if (!fuzz::accepted(read, errc::store_failed))
    return;
  fuzz::demand(changes <= read->events && read->bytes <= bytes.size(), "more than there is", bytes);
  const auto first = snapshot_of(read->state);
  if (first.empty())
    return;
  const auto again = sessions::read_session(session_of(first, "parent"));
  fuzz::demand(again.has_value(), "a snapshot that was written is refused", first,
               again ? "" : again.error().message);
  const auto second = snapshot_of(again->state);
  const auto once_more = sessions::read_session(session_of(second, "parent"));
  fuzz::demand(once_more.has_value() && snapshot_of(once_more->state) == second,
               "a snapshot reads back otherwise", first, second);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::text_of(data, size);
  check_lines(bytes);
  check(bytes);
  // Nobody finds checksums by chance.
  std::string events;
  for (auto left = bytes; !left.empty();) {
    const auto end = std::min(left.find('\n'), left.size());
    events += fuzz::with_short_fractions(left.substr(0, end)) + "\n";
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  check(session_of(events, ""));
  check(session_of(events, "parent"));
  return 0;
}
