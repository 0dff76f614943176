#include "apps/run/question_prompt.hpp"

#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/text_in.hpp"

#include <iostream>

#include <unistd.h>

namespace troupe {

result<boost::json::value> given_value(const answer_options& options) {
  if (options.data.empty())
    return options.text ? boost::json::value(*options.text) : boost::json::value();
  boost::system::error_code failed;
  auto value = parse_json(options.data, failed);
  if (failed)
    return make_error(errc::invalid_params, "--data is no JSON: " + json_fault(failed));
  return value;
}

error no_answer_given() {
  return make_error(errc::invalid_params,
                    "what is the answer? TEXT, --data or --decline; without them it is asked for "
                    "on a terminal");
}

question_prompt::question_prompt(const boost::json::value& input) {
  const auto* schema = input.is_object() ? input.get_object().if_contains("schema") : nullptr;
  if (schema != nullptr && schema->is_object())
    form_ = form_of(schema->get_object());
  output err(STDERR_FILENO);
  err.write(clean_lines(text_in(input, "prompt")) + "\n");
  for (const auto& line : form_.lines)
    err.write(line + "\n");
}

std::optional<std::string> question_prompt::ask() const {
  output err(STDERR_FILENO);
  const auto prompt = [&err] {
    err.write("> ");
    err.flush();
  };
  prompt();
  for (std::string line; std::getline(std::cin, line); prompt()) {
    if (is_answer(form_, line))
      return chosen_text(form_, line);
    complain(no_answer_words);
  }
  err.write("\n");
  err.flush();
  complain("not answered");
  return std::nullopt;
}

} // namespace troupe
