// A question as it is shown to a person, with the choices it leaves. Plain values.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

struct question_form {
  std::string text;                 ///< What is shown, with its line ends.
  std::vector<std::string> choices; ///< Their values; a person may type the number instead.
};

/// Of an answer of `inputs/get` (docs/questions.md). The choices are those of `enum`, `oneOf` and
/// booleans.
[[nodiscard]] question_form form_of(const boost::json::value& input);

/// What was typed, or the choice with that number.
[[nodiscard]] std::string chosen_text(const question_form& form, std::string_view typed);

} // namespace troupe
