// A question at the prompt of a command that answers it.
#pragma once

#include "apps/run/question_form.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace troupe {

class question_prompt {
public:
  /// Shows the question on standard error. `input`: as `inputs/get` shows it (docs/questions.md).
  explicit question_prompt(const boost::json::value& input);

  /// Reads a line of standard input: what was typed, or the choice with that number. Nothing:
  /// there is no more; that is said.
  [[nodiscard]] std::optional<std::string> ask() const;

private:
  question_form form_;
};

} // namespace troupe
