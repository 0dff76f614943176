// What a question leaves to choose, as it is shown to a person. Plain values.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

struct question_form {
  /// Below the question: a line for each choice with its number, or else what may be typed: its
  /// kind, or an example with a line for each member.
  std::vector<std::string> lines;
  std::vector<std::string> choices; ///< Their values; a person may type the number instead.
};

/// Of the JSON Schema of an answer, which is empty if any text will do. The choices are those of
/// protocol/json/schema_choices.hpp and of booleans.
[[nodiscard]] question_form form_of(const boost::json::object& schema);

/// Whether a typed line is an answer: blanks alone are none, unless they are a choice.
[[nodiscard]] bool is_answer(const question_form& form, std::string_view typed);
/// Of a line that is none.
inline constexpr std::string_view no_answer_words =
    "an empty line is no answer; type one and press Enter";

/// What was typed, or the choice with that number.
[[nodiscard]] std::string chosen_text(const question_form& form, std::string_view typed);

} // namespace troupe
