// What a model is told of a task: the prompt, and what other tasks have made. Plain functions.
#pragma once

#include "agents/llm/llm_input.hpp"
#include "client/models/chat.hpp"
#include <troupe/actors/agent.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// How the conversation begins, with the first `messages` of the order's. `mark`: fresh, so that no
/// artifact can have it in it.
[[nodiscard]] std::vector<models::chat_message> first_messages(const order& of,
                                                               const llm_input& input,
                                                               std::size_t messages,
                                                               std::string_view mark);

} // namespace troupe
