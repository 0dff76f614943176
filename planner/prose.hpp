// Prose without a list: "First search papers, then summarize them. Finally, write a report."
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "planner/text_reading.hpp"
#include "planner/tokens.hpp"

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
  /// "second" is 2. Those of a text grow; 1 is only before the first task. 0: it may be anywhere.
  std::uint8_t place = 0;
};
[[nodiscard]] std::span<const seam_phrase> seam_phrases() noexcept;

/// The place of "finally": no stage follows.
inline constexpr std::uint8_t last_place = 255;

/// The seam with which `words` begin, as it is written in the table; empty: none.
[[nodiscard]] std::string_view seam_before(std::span<const token> words);

/// The denial with which `words` begin: "do not", "please never"; empty: none.
[[nodiscard]] std::string denial_before(std::span<const token> words);

/// Verbs with which a task may begin, for places where only a verb shows that one begins. Sorted.
[[nodiscard]] std::span<const std::string_view> task_verbs() noexcept;

/// Reads `text` into tasks in stages. Problems: a word of order that is not between tasks, a
/// condition, a clause that does not begin like a task.
[[nodiscard]] text_reading read_prose(std::string_view text, guesses rule);

} // namespace troupe::planner
