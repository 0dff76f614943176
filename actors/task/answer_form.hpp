// Whether an answer fits the form of its question. Decisions as plain functions.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/task_life.hpp>

namespace troupe {

/// errc::invalid_answer: `answer` does not fit the form of `asked`; the field is a JSON pointer
/// into the value of the answer (value_of_answer). Any answer fits a question without a form.
[[nodiscard]] result<void> check_answer(const question& asked, const message& answer);

} // namespace troupe
