// Answers to questions as messages: several in one (docs/questions.md), and `inputs/answer`.
#pragma once

#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/task_life.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// In the metadata of a message: its answers, an array of `{"inputId", "value", "action"}`.
inline constexpr std::string_view answers_key = "opt/v1/answers";

/// Answers of one message. All their tasks wait for each other for a moment; a message with more is
/// refused.
inline constexpr std::size_t answers_of_message_max = 100;

/// One of them.
struct given_answer {
  question_address asked;
  answer_action action = answer_action::accept;
  message said; ///< To the task that asks.
};

/// The answers that the message has, in the order of their questions' addresses, each for another
/// task; none if it is a message as any other. errc::invalid_params, errc::limit_exceeded.
[[nodiscard]] result<std::vector<given_answer>> answers_in(const message& text);

/// The message of that id, to the task that asks, that is the answer.
[[nodiscard]] message message_of(const answer_input& command, const task_id& to,
                                 std::string message_id);

} // namespace troupe
