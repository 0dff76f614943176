// The tools of the agent `llm`: what a model may ask for, and how what it wrote is read. Plain
// functions.
#pragma once

#include "agents/llm/llm_input.hpp"
#include "client/models/chat.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe {

/// Of a question to a person, and of each of its choices.
inline constexpr std::size_t llm_question_bytes_max = 4096;
inline constexpr std::size_t llm_choices_max = 50;
/// Characters of the text of a task that a model makes, and of its name.
inline constexpr std::size_t llm_task_text_max = 8192;
inline constexpr std::size_t llm_task_name_max = 200;
/// Tasks of one call of `add_tasks`.
inline constexpr std::size_t llm_added_tasks_max = 20;

/// What a model may use.
struct llm_offer {
  std::vector<std::string> tools;       ///< Names.
  std::vector<llm_listed_agent> agents; ///< That tasks may name.
  std::vector<std::string> approved;    ///< Tools whose calls a person approves first.
};

/// All that there are.
[[nodiscard]] std::span<const std::string_view> llm_tool_names() noexcept;
/// Whether the tool of that name makes tasks.
[[nodiscard]] bool llm_tool_makes_tasks(std::string_view name) noexcept;

/// The tools of `offer`, as a model is told of them.
[[nodiscard]] std::vector<models::tool_spec> llm_tool_specs(const llm_offer& offer);

/// What a call asks for: a question to a person (`ask_person`), or a change of the plan, which
/// waits for its task (`call_agent`) or not (`add_tasks`). Without a key.
using llm_request = std::variant<report_question, report_change>;

/// Errors: invalid_params, in words for the model: an unknown tool or agent, one that is not
/// offered, arguments that are not JSON or do not fit.
[[nodiscard]] result<llm_request> read_tool_call(const models::tool_call& call,
                                                 const llm_offer& offer);

/// The question whether a call may be made; its data is what docs/questions.md says of an approval.
/// Without a key.
[[nodiscard]] report_question approval_question(const models::tool_call& call);
/// Whether the answer to it is yes.
[[nodiscard]] bool is_approved(const message& answer);

} // namespace troupe
