// What a client is answered, in every version and binding: tasks, messages, events of a stream,
// lists and errors as values. Servers differ in what they leave out, so the readers take what there
// is: only what a client cannot do without (the id and the state of a task) must be there. The
// other direction of wire_writing.hpp.
#pragma once

#include "protocol/a2a/request_writing.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/task.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::wire {

/// A task has another state, or its agent said something while it works.
struct status_update {
  task_id task;
  std::string context;
  task_status status;
  bool is_last = false; ///< 0.3 says so (`final`); 1.0 has no such member.
  boost::json::object metadata;
};

/// A task made something.
struct artifact_update {
  task_id task;
  std::string context;
  troupe::artifact artifact;
  bool append = false; ///< The parts come behind those that are there.
  bool is_last = false;
  boost::json::object metadata;
};

/// What a send is answered with (the first two), or one event of a stream.
using answer = std::variant<task, message, status_update, artifact_update>;

/// A page of `ListTasks`.
struct task_page {
  std::vector<task> tasks;
  std::string next_page_token; ///< Empty: it is the last one.
  std::uint64_t total = 0;     ///< On all pages, if the server says so.
};

/// A page of the push configurations of a task.
struct push_page {
  std::vector<push_config> configs;
  std::string next_page_token; ///< Empty: it is the last one.
};

/// Of the times of a task, `created` and `ready_at` are `troupe/v1/readyAt` in its metadata, if it
/// is there, and `details` has `troupe/v1/spans`. Errors of all: invalid_agent_response, with the
/// place in the answer.
[[nodiscard]] result<task> read_task(const boost::json::value& from, wire_format format);
[[nodiscard]] result<answer> read_answer(const boost::json::value& from, wire_format format);
[[nodiscard]] result<task_page> read_task_page(const boost::json::value& from, wire_format format);
/// A push configuration: flat in 1.0, below `pushNotificationConfig` in 0.3. Its `task` is empty if
/// the server does not name it.
[[nodiscard]] result<push_config> read_push_config(const boost::json::value& from,
                                                   wire_format format);
/// A bare array, too, as JSON-RPC of 0.3 has it.
[[nodiscard]] result<push_page> read_push_page(const boost::json::value& from, wire_format format);

/// The `error` of a JSON-RPC answer, or the body of a REST answer with `status`, in either version.
/// The code is that of the reason (`ErrorInfo`), else of the number; `internal` of one that nobody
/// knows. The message is the server's.
[[nodiscard]] error read_rpc_error(const boost::json::value& from);
[[nodiscard]] error read_rest_error(unsigned status, const boost::json::value& from);
/// What a status means when the body says nothing.
[[nodiscard]] errc errc_of_status(unsigned status) noexcept;

} // namespace troupe::wire
