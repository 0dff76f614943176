// The answer that `answer` was given, or a question at its prompt.
#pragma once

#include "apps/options.hpp"
#include "apps/run/question_form.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace troupe {

/// A text, or what `--data` says; null: neither is given. Errors: invalid_params (`--data` is no
/// JSON).
[[nodiscard]] result<boost::json::value> given_value(const answer_options& options);
/// Nothing is given, and there is no terminal to ask at.
[[nodiscard]] error no_answer_given();

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
