// The message in a task's status that Troupe itself writes: why a task failed, was canceled, or
// waits for its next attempt.
#pragma once

#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace troupe {

/// From the agent's side, with an id of its own.
[[nodiscard]] message_ptr make_status_message(std::string text, const std::string& context,
                                              const task_id& task,
                                              boost::json::object metadata = {});

} // namespace troupe
