// The tools of the agent `llm`: what a model may ask for, and how what it wrote is read. Plain
// functions.
#pragma once

#include "client/models/chat.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Of a question to a person, and of each of its choices.
inline constexpr std::size_t llm_question_bytes_max = 4096;
inline constexpr std::size_t llm_choices_max = 50;

/// All that there are.
[[nodiscard]] std::span<const std::string_view> llm_tool_names() noexcept;

/// Those of `names`, as a model is told of them.
[[nodiscard]] std::vector<models::tool_spec> llm_tool_specs(const std::vector<std::string>& names);

/// The question for a call of `ask_person`. `allowed`: the tools of the task. Errors:
/// invalid_params, in words for the model: an unknown tool, one that is not allowed, arguments that
/// are not JSON or do not fit.
[[nodiscard]] result<report_question> read_question_call(const models::tool_call& call,
                                                         const std::vector<std::string>& allowed);

/// What a person has answered, as a model is told it.
[[nodiscard]] std::string told_answer(const message& answer);

} // namespace troupe
