// What a command led to, as it is kept for one that comes again: ids, from which the answer is read
// anew. Only an agent's direct answer and the report of a change of a plan are kept themselves:
// there is no record of them.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/once.hpp>
#include <troupe/protocol/plan_change.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// One of them is set.
struct once_answer {
  task_id task{};
  std::string context{}; ///< Of the task.
  objective_id objective{};
  plan_id plan{};
  message_ptr message{};
  std::optional<change_report> changed{}; ///< With `plan`, the last one that it is about or adds.
};

/// That of a change of a plan or an objective.
[[nodiscard]] once_answer answer_with(change_report report);

/// As `once::answer`.
[[nodiscard]] std::string write_once_answer(const once_answer& answer);
/// errc::store_failed for a text that is damaged.
[[nodiscard]] result<once_answer> read_once_answer(const once& came);

/// For `change::conditions`. Empty if there are none.
[[nodiscard]] std::vector<once_ptr> answered(const once_conditions& conditions,
                                             const once_answer& answer);
/// The same with another answer.
[[nodiscard]] std::vector<once_ptr> answered(const std::vector<once_ptr>& conditions,
                                             const once_answer& answer);

} // namespace troupe
