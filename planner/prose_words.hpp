// The words of prose in stages: those that stand between tasks, and those that a task may not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

struct found_seam {
  const seam_phrase* phrase;
  std::size_t tokens; ///< With a comma, colon or dash behind it.
};

/// Which verbs show that a task begins.
enum class known_verbs : std::uint8_t { few, many };

/// The longest seam with which `words` begins.
[[nodiscard]] std::optional<found_seam> seam_at(std::span<const token> words, known_verbs verbs);

/// The seam with which `words` begin, as it is written in the table; empty: none.
[[nodiscard]] std::string_view seam_before(std::span<const token> words);

/// The denial with which `words` begin: "do not", "please never"; empty: none.
[[nodiscard]] std::string denial_before(std::span<const token> words);

/// A word in a task behind which the sentence may go on about what somebody or something else does:
/// "a script that reads the file, then ...", "tell Bob to buy rice, then ...". Empty: none.
[[nodiscard]] std::string relative_in(std::span<const token> words);

/// "First aid", "first floor": behind "first" this is no task.
[[nodiscard]] bool is_counted_by_first(std::string_view word);

/// A task in prose, for problem_in_task.
struct prose_task {
  std::span<const token> words;
  std::string_view text;
  /// No word of order shows that it is a task: only a verb can.
  bool needs_verb = false;
  bool is_first = false;
};

/// Why this cannot be read as one task whose place is said by the words before it only.
[[nodiscard]] std::optional<std::string> problem_in_task(const prose_task& task);

} // namespace troupe::planner
