// The sentences of a text that is no list: which full stops and line ends part them, and what is
// said to a person only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/text_reading.hpp"

namespace troupe::planner {

struct prose_sentences {
  std::vector<std::string_view> sentences;
  /// Ends of which it is not clear whether they part two sentences: "Dr. Cook".
  std::vector<not_understood> problems;
};

/// An end is clear before a capital letter, a word of order, or an empty line. The dot of an
/// abbreviation ends no sentence: "Dr. Miller", "5 p.m. in the hall". Linear.
[[nodiscard]] prose_sentences read_sentences(std::string_view text);

/// "p.m", "u.s": a dot behind `word` belongs to it.
[[nodiscard]] bool is_dotted_letters(std::string_view word);

/// "Hi Bob,": nothing but a greeting, and a name.
[[nodiscard]] bool is_greeting(std::string_view sentence);
/// "How to cook rice:", which is a title if it has its line for itself.
[[nodiscard]] bool is_how_to(std::string_view sentence);
/// "Thank you very much!", "Kind regards": nothing but thanks, and a name.
[[nodiscard]] bool is_thanks(std::string_view sentence);

} // namespace troupe::planner
