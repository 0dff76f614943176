// The meaning of one sentence about order: the table of docs/planner.md, and the one function that
// reads a sentence by it. A sentence is exact, or refused with a reason; it is never taken for
// something that it does not say.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "planner/order_words.hpp"
#include "planner/ordering.hpp"
#include "planner/sentence_parts.hpp"
#include "planner/step_names.hpp"

namespace troupe::planner {

/// How a sentence says that the order has to be.
enum class modality : std::uint8_t {
  plain, ///< Nothing, or "must".
  may,
  only, ///< Also "can only".
  must_not,
  need_not,
};
inline constexpr std::size_t modalities = 5;

/// What a connective says with a modality. The main side is the one that is not behind the
/// connective; of "precede", "depend on", "then" and their like it is the left side.
enum class meaning : std::uint8_t {
  refused,
  main_first, ///< All of the main side before all of the other.
  main_last,
  no_order, ///< It says that there is none; beside another connective it adds nothing.
};

/// Moments of a step that a side may not name, because the sentence would then say something else
/// than that one step ends before another begins.
enum moment : std::uint8_t {
  main_start = 1,
  main_end = 2,
  other_start = 4,
  other_end = 8,
  other_goes_on = 16, ///< "When step 1 runs": it may not have ended.
  main_goes_on = 32,  ///< "Step 1 running is required for ...": the same.
};

/// A row of the table of meaning.
struct meaning_row {
  word_class connective;
  std::array<meaning, modalities> says; ///< By modality.
  std::uint8_t refused_moments;         ///< A set of `moment`.
  std::uint8_t refused_moments_denied;  ///< The same with modality `must_not`.
};

/// The whole table, for documentation and tests.
[[nodiscard]] std::span<const meaning_row> meaning_table() noexcept;

/// What `sentence` says about the order of `steps`. Linear.
[[nodiscard]] read_result<ordering>
read_order_sentence(std::string_view sentence, const step_names& steps,
                    bare_numbers rule = bare_numbers::are_unknown);

} // namespace troupe::planner
