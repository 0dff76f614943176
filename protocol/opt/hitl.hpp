// Questions and answers in the words of kagent's A2A extension "Human in the Loop", and in the
// older words of kagent. Plain values, both directions: our question as a request of the extension
// and a response to it as our answer; a request of an agent that speaks it as our question, and our
// answer as the response. docs/questions.md says what maps to what.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/task_life.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace troupe::hitl {

/// The key in the metadata of a message; the message also names it in its `extensions`.
inline constexpr std::string_view uri = "https://kagent.dev/extensions/hitl/v1";

/// Whether the question is about calls of tools: its data has `tools`, an array of objects with the
/// texts `id`, `call_id` and `name`, and an object `args`, if any.
[[nodiscard]] bool is_approval(const question& asked);

/// What stands under `uri` in the message that asks; `id` is the question's among all. A
/// `tool_approval_request` if it is about tools, else an `ask_user_request`: a form has one
/// question for each property, in their order.
[[nodiscard]] boost::json::object request_of(const question& asked, const std::string& id);

/// An answer in the terms of `inputs/answer`.
struct answer {
  answer_action action = answer_action::accept;
  boost::json::value value;
};

/// The id of the question that the message answers (`ask_user_response`); empty if it says none.
[[nodiscard]] std::string answered_id(const message& said);

/// What the message answers to `asked`, whose id among all is `id`; nothing if it has no response
/// of the extension and, if the question is about tools, none in the older words: a data part with
/// `decision_type`, or a text that is one word of approval or denial.
///
/// The value of an approval is true or false if that is what the question's form takes, else the
/// `approvals`; of a form an object; of another question what its one answer means, and all of them
/// for an array. errc::invalid_answer: it is no response to this question, does not answer every
/// part of it exactly once, or approves and rejects where one decision is taken.
[[nodiscard]] result<std::optional<answer>>
read_response(const message& said, const question& asked, std::string_view id);

/// A request of another agent as a question.
struct request {
  std::string id; ///< Of an `ask_user_request`.
  std::string prompt;
  boost::json::object form;
  boost::json::object data; ///< `tools` and `nested`, if the request has them.
  bool is_older = false;    ///< In the older words: it has no `uri`.
};

/// The request in a message that asks; nothing if there is none. The form of an `ask_user_request`
/// with one question takes that answer; with several, an object whose properties are `answer-1`,
/// `answer-2` and so on. errc::invalid_agent_response: it is none of the extension.
[[nodiscard]] result<std::optional<request>> read_request(const message& asking);

/// What answers the request, to be sent to the task that asked. `said` fits the form of `to`; of
/// one that was declined nothing is approved, and every answer is empty.
[[nodiscard]] message response_to(const request& to, const answer& said);

} // namespace troupe::hitl
