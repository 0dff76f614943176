// What the planner reads in a text: the tasks, their order with the sentence that says it, what it
// assumed, and what it did not understand. A plain value.
#pragma once

#include <troupe/protocol/spec.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::planner {

struct read_task {
  std::string label; ///< "1" or "a"; empty for a bullet and in prose.
  std::string name;
  std::string description; ///< Empty, or what the name does not have: a longer text, lines below.
  std::chrono::milliseconds expected{0}; ///< 0: not said.

  friend bool operator==(const read_task&, const read_task&) = default;
};

/// Task `before` ends before task `after` begins; both are positions.
struct read_edge {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  std::uint32_t source = 0; ///< Position in text_reading::sources.

  friend bool operator==(const read_edge&, const read_edge&) = default;
};

/// A part of the text for which nothing was planned, and why.
struct not_understood {
  std::string text; ///< The sentence, or the beginning of the text; cut if it is long.
  std::string reason;

  friend bool operator==(const not_understood&, const not_understood&) = default;
};

struct text_reading {
  std::string title;       ///< The line above a list; may be empty.
  std::string description; ///< Further lines there.
  std::vector<read_task> tasks;
  std::vector<read_edge> edges;     ///< Each pair once, in the order in which the text says them.
  std::vector<std::string> sources; ///< Sentences of the text, or assumptions, that gave edges.
  std::vector<std::string> assumptions; ///< What was taken for granted, for people.
  std::vector<not_understood> problems; ///< If there are any, nothing may be planned from this.
  bool is_guess = false;                ///< No word of the text says that it has several tasks.

  /// Two tasks or more, and every sentence was understood.
  [[nodiscard]] bool is_plan() const noexcept { return tasks.size() > 1 && problems.empty(); }
};

/// Whether sentences that only follow each other, or "and" before a verb, may be taken for several
/// tasks (text_reading::is_guess).
enum class guesses : std::uint8_t { none, allowed };

/// Reads a list with sentences about its order, or prose ("first ..., then ..."). Linear
/// (planner/steps.hpp), where a sentence about all steps counts each of them; more than
/// a limit of planner/limits.hpp is a problem of the whole text.
[[nodiscard]] text_reading read_text(std::string_view text, guesses rule = guesses::none);

/// The objective of a reading that is a plan: one plan with its tasks, for the default agent.
/// `name`: of the objective; empty: the reading's title, else the names of its first tasks.
[[nodiscard]] objective_spec objective_of(const text_reading& reading, std::string_view name = {});

} // namespace troupe::planner
