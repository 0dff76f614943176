// What a model is told when it shall plan an objective anew, and the change that it answers. The
// prompt, the schema and the reader come from one table. Plain functions.
#pragma once

#include "agents/llm/plan_reply.hpp"
#include "client/models/chat.hpp"
#include <troupe/actors/text_planner.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Of a change that a model makes.
inline constexpr std::size_t planned_operations_max = 100;

/// JSON Schema of the reply, for servers that hold answers to one.
[[nodiscard]] boost::json::object change_reply_schema(const std::vector<std::string>& agents,
                                                      questions rule = questions::none);
/// What is asked about `of.so_far`, with what was asked and answered before. `mark`: fresh, so that
/// no artifact can have it in it.
[[nodiscard]] models::chat_request change_request(const planning_order& of, std::string_view mark);
/// The content of an answer. Errors: invalid_document, in words for the model, with the place.
[[nodiscard]] result<planner_report> read_change_reply(std::string_view content,
                                                       const std::vector<std::string>& agents,
                                                       questions rule = questions::none);

} // namespace troupe
