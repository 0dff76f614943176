// Prose without a list: "First search papers, then summarize them. Finally, write a report."
#pragma once

#include <span>
#include <string_view>

#include "planner/text_reading.hpp"

namespace troupe::planner {

/// A word or phrase between two tasks, and where the second one stands then.
enum class seam_kind : std::uint8_t {
  opening, ///< "first": it begins the first stage.
  next,    ///< "then", "finally": all before it end first.
  same,    ///< "meanwhile": beside the tasks before it.
};
struct seam_phrase {
  std::string_view words;
  seam_kind kind;
  /// It means this only before a comma or a verb: "next week" is none.
  bool needs_verb = false;
};
[[nodiscard]] std::span<const seam_phrase> seam_phrases() noexcept;

/// Verbs with which a task may begin, for places where only a verb shows that one begins. Sorted.
[[nodiscard]] std::span<const std::string_view> task_verbs() noexcept;

/// Reads `text` into tasks in stages. Problems: a word of order that is not between tasks, a
/// condition, a clause that does not begin like a task.
[[nodiscard]] text_reading read_prose(std::string_view text, guesses rule);

} // namespace troupe::planner
