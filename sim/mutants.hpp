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
  forgetful_start,
  every_owner,
  list_of_all,
  short_list,
  list_twice,
  lost_artifact,
  poor_view,
  old_objective,
  lost_recovery,
  leaked_slot,
  names_not_synced,
  deaf_to_errors,
  torn_write,
  misplaced_write,
  lost_segment,
  forged_bytes,
  forgotten_cursor,
  stale_answer,
  lost_event,
  swapped_events,
  repeated_event,
  wrong_text,
  other_version,
  other_binding,
  deaf_to_limits,
  two_starts,
  lost_report,
  other_start,
  revived_task,
};

struct planted {
  std::string_view name;
  mutant bug;
  std::string_view checker; ///< That is to find it; "run": the world does not end.
};

inline constexpr auto mutants = std::to_array<planted>({
    {"sync-before-disk", mutant::sync_before_disk, "run"},
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
    {"lost-tail", mutant::lost_tail, "run"},
    {"forgetful-start", mutant::forgetful_start, "messages"},
    {"every-owner", mutant::every_owner, "owners"},
    {"list-of-all", mutant::list_of_all, "owners"},
    {"short-list", mutant::short_list, "lists"},
    {"list-twice", mutant::list_twice, "lists"},
    {"lost-artifact", mutant::lost_artifact, "model"},
    {"poor-view", mutant::poor_view, "fold"},
    {"old-objective", mutant::old_objective, "same"},
    {"lost-recovery", mutant::lost_recovery, "still"},
    {"leaked-slot", mutant::leaked_slot, "run"},
    {"names-not-synced", mutant::names_not_synced, "run"},
    {"deaf-to-errors", mutant::deaf_to_errors, "run"},
    {"torn-write", mutant::torn_write, "run"},
    {"misplaced-write", mutant::misplaced_write, "run"},
    {"lost-segment", mutant::lost_segment, "run"},
    {"forged-bytes", mutant::forged_bytes, "invented"},
    {"forgotten-cursor", mutant::forgotten_cursor, "streams"},
    {"stale-answer", mutant::stale_answer, "linear"},
    {"lost-event", mutant::lost_event, "streams"},
    {"swapped-events", mutant::swapped_events, "streams"},
    {"repeated-event", mutant::repeated_event, "streams"},
    {"wrong-text", mutant::wrong_text, "invented"},
    {"other-version", mutant::other_version, "same"},
    {"other-binding", mutant::other_binding, "same"},
    {"deaf-to-limits", mutant::deaf_to_limits, "limits"},
    {"two-starts", mutant::two_starts, "attempts"},
    {"lost-report", mutant::lost_report, "model"},
    {"other-start", mutant::other_start, "recovery"},
    {"revived-task", mutant::revived_task, "moves"},
});

} // namespace troupe::sim
