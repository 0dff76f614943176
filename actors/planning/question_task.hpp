// The task that asks a person what the planner wants to know before it makes a plan. Its answer
// makes the plans of the text, or the next question. Plain functions.
#pragma once

#include <troupe/actors/text_planner.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Who does it (actors/planning/question_agent.hpp).
inline constexpr std::string_view question_agent_name = "troupe.planner";

/// The longest question of a planner: as long as one of the agent `llm`.
inline constexpr std::size_t planner_question_bytes_max = 4096;

/// A question, and all that the planner is to know when it was answered.
struct planning_question {
  std::string text;             ///< What is to be planned.
  std::string suggested_name{}; ///< Of the objective; may be empty.
  std::optional<bool> prefers_objective{};
  bool renames = false;                 ///< The objective gets the name of the plan.
  bool replans = false;                 ///< The text says how the objective is to go on.
  std::vector<planner_exchange> said{}; ///< What was asked before.
  std::string prompt{};
  boost::json::object form{}; ///< As in report_question.
};

/// Why the question cannot be asked; empty: it can.
[[nodiscard]] std::string question_fault(const report_planner_question& asked);

/// As the input of the task. Nothing in it is a reference.
[[nodiscard]] boost::json::object write_planning_question(const planning_question& from);
/// The same, read. errc::invalid_params: it is none.
[[nodiscard]] result<planning_question> read_planning_question(const boost::json::object& from);

/// An objective without a name, with one plan whose only task asks.
[[nodiscard]] objective_spec objective_that_asks(const planning_question& from);

/// The text with all that was asked and answered, for a task that does what nobody has planned.
[[nodiscard]] std::string text_with_answers(const std::string& text,
                                            const std::vector<planner_exchange>& said);

} // namespace troupe
