// Whether an answer fits the form of its question. Decisions as plain functions.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/task_life.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace troupe {

/// The value of an answer to a question with that form (of the subset of
/// protocol/json/json_schema.hpp): its first data part. Else what its text means, letter case and
/// blanks around it apart: of choices (`enum`, `oneOf`) the one with that value or title, of a
/// boolean `yes`, `no`, `true` or `false`, of a number, an array or an object its JSON; in all
/// other cases the text itself.
[[nodiscard]] boost::json::value value_of_answer(const message& answer,
                                                 const boost::json::object& form);

/// errc::invalid_answer: `answer` does not fit the form of `asked`; the field is a JSON pointer
/// into the value of the answer. Any answer fits a question without a form.
[[nodiscard]] result<void> check_answer(const question& asked, const message& answer);

} // namespace troupe
