// One language for callers: what an agent of any version and binding answers, in the JSON of A2A
// 0.3, with which the contract of `remote_agent` is written (`"kind": "task"`, `"input-required"`).
// Members that nobody knows are kept. Plain functions.
#pragma once

#include "protocol/a2a/request_writing.hpp"
#include <troupe/protocol/task_state.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string_view>

namespace troupe::remote_agent {

/// `from`: a task, a message, or an event of a stream, as a server of that format writes it.
[[nodiscard]] boost::json::object in_common_words(const boost::json::value& from,
                                                  wire::wire_format format);

/// `input-required`.
[[nodiscard]] std::string_view state_word(task_state state) noexcept;

} // namespace troupe::remote_agent
