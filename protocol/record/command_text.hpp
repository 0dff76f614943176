// Commands as text: the same content has the same text in every process. Who asks, and the
// request's id, are aside. For the numbers by which a command that comes again is known.
#pragma once

#include <troupe/protocol/command.hpp>

#include <string>

namespace troupe::record {

[[nodiscard]] std::string command_text(const send_message& command);
[[nodiscard]] std::string command_text(const cancel_task& command);
[[nodiscard]] std::string command_text(const create_objective& command);
[[nodiscard]] std::string command_text(const update_objective& command);
[[nodiscard]] std::string command_text(const create_plan& command);
[[nodiscard]] std::string command_text(const update_plan& command);
[[nodiscard]] std::string command_text(const change_plan& command);
[[nodiscard]] std::string command_text(const modify_objective& command);
[[nodiscard]] std::string command_text(const replan_objective& command);

} // namespace troupe::record
