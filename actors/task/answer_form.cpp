#include "actors/task/answer_form.hpp"

#include "protocol/json/json_schema.hpp"
#include "protocol/opt/answer_text.hpp"

#include <string>
#include <variant>

namespace troupe {

boost::json::value value_of_answer(const message& answer, const boost::json::object& form) {
  for (const auto& part : answer.parts)
    if (const auto* content = std::get_if<data_content>(&part.content))
      return content->data;
  return value_of_text(text_of(answer.parts), form);
}

result<void> check_answer(const question& asked, const message& answer) {
  if (asked.form.empty())
    return {};
  const auto misfit = find_misfit(value_of_answer(answer, asked.form), asked.form);
  if (!misfit)
    return {};
  const auto where = misfit->pointer.empty() ? std::string("the answer") : misfit->pointer;
  return make_error(errc::invalid_answer, where + " " + misfit->message, misfit->pointer);
}

} // namespace troupe
