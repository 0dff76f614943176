// What a model is told when it shall plan a text, and what it answers as a plan. The prompt, the
// schema and the reader come from one table. Plain functions.
#pragma once

#include "client/models/chat.hpp"
#include <troupe/actors/text_planner.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Of a plan that a model makes.
inline constexpr std::size_t planned_tasks_max = 200;

/// Whether a reply may be a question.
enum class questions : std::uint8_t { none, allowed };

/// JSON Schema of the reply, for servers that hold answers to one.
[[nodiscard]] boost::json::object plan_reply_schema(const std::vector<std::string>& agents,
                                                    questions rule = questions::none);
/// What is asked, with what was asked and answered before. `mark`: fresh, so that no artifact can
/// have it in it.
[[nodiscard]] models::chat_request plan_request(const planning_order& of, std::string_view mark);
/// The content of an answer. Errors: invalid_document, in words for the model, with the place.
[[nodiscard]] result<planner_report> read_plan_reply(std::string_view content,
                                                     const std::vector<std::string>& agents,
                                                     questions rule = questions::none);
[[nodiscard]] questions question_rule(const planning_order& of) noexcept;

/// A reply that is a question, with its `choices`. Errors: as read_plan_reply.
[[nodiscard]] result<planner_report> read_question_reply(const boost::json::object& from);
/// Adds what was asked and answered before.
void add_exchanges(models::chat_request& to, const planning_order& of);

/// What both kinds of replies share: the members of a task, a line each; and why tasks of a model
/// cannot be taken (too many, an agent that they may not name, `${`, an unknown member). `where`: a
/// JSON pointer.
[[nodiscard]] result<void> check_planned_tasks(const boost::json::array& tasks,
                                               const std::vector<std::string>& agents,
                                               const std::string& where);
[[nodiscard]] std::string task_member_lines();
/// Why a reply of either kind cannot be taken: invalid_document, in words for the model. `where`: a
/// JSON pointer, empty for the whole reply.
[[nodiscard]] error wrong_reply(const std::string& where, const std::string& text);

} // namespace troupe
