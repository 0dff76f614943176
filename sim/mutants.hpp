// Bugs that are planted on purpose: what shows that the checkers find anything. Each one stands at
// a seam of the product (its store, its disk, what clients send), so that the product itself has
// none of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace troupe::sim {

enum class mutant : std::uint8_t {
  none,
  sync_before_disk,
  answer_before_commit,
  lost_commit,
  lost_wake_up,
  missed_change,
  doubled_change,
  stale_read,
  cursor_off_by_one,
  hole_in_history,
  forgotten_messages,
  message_of_another_name,
  lost_dependency,
  no_limit,
  lost_tail,
};

struct planted {
  std::string_view name;
  mutant bug;
  std::string_view checker; ///< That is to find it; "run": the world does not end.
};

inline constexpr auto mutants = std::to_array<planted>({
    {"sync-before-disk", mutant::sync_before_disk, "kept"},
    {"answer-before-commit", mutant::answer_before_commit, "kept"},
    {"lost-commit", mutant::lost_commit, "rest"},
    {"lost-wake-up", mutant::lost_wake_up, "run"},
    {"missed-change", mutant::missed_change, "streams"},
    {"doubled-change", mutant::doubled_change, "streams"},
    {"stale-read", mutant::stale_read, "rest"},
    {"cursor-off-by-one", mutant::cursor_off_by_one, "streams"},
    {"hole-in-history", mutant::hole_in_history, "streams"},
    {"forgotten-messages", mutant::forgotten_messages, "messages"},
    {"message-of-another-name", mutant::message_of_another_name, "kept"},
    {"lost-dependency", mutant::lost_dependency, "plans"},
    {"no-limit", mutant::no_limit, "plans"},
    {"lost-tail", mutant::lost_tail, "kept"},
});

} // namespace troupe::sim
