// A sentence about order as its parts: steps, words of known classes, commas. The step between
// tokens and meaning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "planner/order_words.hpp"
#include "planner/ordering.hpp"
#include "planner/step_names.hpp"

namespace troupe::planner {

/// Whether a number alone ("after 2 and 3") names a step, or only one behind the word "step".
enum class bare_numbers : std::uint8_t { are_unknown, are_steps };

struct named_steps {
  std::vector<std::uint32_t> steps;
};
struct known_word {
  word_class meaning;
};
struct comma_mark {}; ///< A colon, too.

struct sentence_part {
  std::variant<named_steps, known_word, comma_mark> is;
  std::string text; ///< As written, in lower case: for reasons.

  [[nodiscard]] bool is_word(word_class meaning) const noexcept {
    const auto* word = std::get_if<known_word>(&is);
    return word != nullptr && word->meaning == meaning;
  }
  [[nodiscard]] const named_steps* steps() const noexcept { return std::get_if<named_steps>(&is); }
  [[nodiscard]] bool is_comma() const noexcept { return std::holds_alternative<comma_mark>(is); }
};

/// Refused: a word that no table has, a step that is not there, a name that several steps have.
/// Linear.
[[nodiscard]] read_result<std::vector<sentence_part>>
parts_of_sentence(std::string_view sentence, const step_names& steps, bare_numbers rule);

/// Whether a text mentions a step by number ("step 2") that `steps` has.
[[nodiscard]] bool mentions_step(std::string_view text, const step_names& steps);

} // namespace troupe::planner
