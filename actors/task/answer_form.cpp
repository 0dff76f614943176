#include "actors/task/answer_form.hpp"

#include "protocol/json/json_schema.hpp"
#include "protocol/opt/answer_text.hpp"

#include <string>

namespace troupe {

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
