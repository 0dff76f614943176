// The words from which sentences about order are made, by class: the table of docs/planner.md. A
// word that is not in the table makes a sentence not understood; no word is skipped because it
// seems to mean nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "planner/tokens.hpp"

namespace troupe::planner {

enum class word_class : std::uint8_t {
  // connectives: they put one side of the sentence before the other
  before,     ///< "before"
  after,      ///< "after"
  once,       ///< "once", "when": the moment at which something has happened
  upon,       ///< "upon": the same, also before "doing"
  until,      ///< "until"
  needed_for, ///< "must precede", "->": the left side is needed for the right one
  needs,      ///< "depends on", "<-": the left side needs the right one
  then,       ///< "then"
  together,   ///< "in parallel": at the same time
  during,     ///< "while": the same, but as the beginning of a clause
  in_order,   ///< "in this order": one after the other
  // modality: whether it has to be so
  must,     ///< "must", "should"
  may,      ///< "may", "can"
  only,     ///< "only"
  must_not, ///< "must not", "cannot"
  need_not, ///< "need not"
  // which moment of a step is meant
  start,   ///< "start", "begin"
  goes_on, ///< "runs", "doing": behind "once" it is no end
  end,     ///< "finish", "done"
  // other
  wait,        ///< "wait", "hold off": only before "until"
  conjunction, ///< "and"
  every,       ///< "all steps", "everything"
  step,        ///< "step": a number or a letter may follow
  open,        ///< "or", "if", "without": it leaves open which order is meant; always refused.
  filler,      ///< A word without meaning for the order: "the", "do", "please"
};

/// One word or several: "as soon as".
struct phrase {
  std::string_view words;
  word_class meaning;
};

/// The whole table, for documentation and tests.
[[nodiscard]] std::span<const phrase> order_phrases() noexcept;

struct found_phrase {
  word_class meaning;
  std::size_t tokens; ///< How many it has.
};

/// The longest phrase with which `words` begins.
[[nodiscard]] std::optional<found_phrase> phrase_at(std::span<const token> words);

/// Whether a sentence with this word may say something about order, so that it must not be taken
/// for anything else.
[[nodiscard]] constexpr bool says_order(word_class meaning) noexcept {
  return meaning <= word_class::in_order;
}

} // namespace troupe::planner
