// A2A 1.0 JSON (ProtoJSON shapes of the 1.0 specification, sections 4, 5.5 to 5.7): domain values
// to text and back. Shared by the JSON-RPC and REST bindings. Writers append to a json_writer;
// readers say which field was wrong
// (`message.parts[0].text`).
#pragma once

#include "protocol/a2a/send_params.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/task.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <span>
#include <string>

namespace troupe::v1_0 {

void write(json_writer& out, const part& value);
void write(json_writer& out, const message& value);
void write(json_writer& out, const artifact& value);
void write(json_writer& out, const task& value, const task_view_options& view = {});
/// `owner` lends its ids to a status message that has none: messages of a task always carry
/// `contextId` and `taskId`.
void write(json_writer& out, const task_status& value, const task& owner);
/// TaskPushNotificationConfig, flat; with its secrets, so for its owner only.
void write(json_writer& out, const push_config& value);

/// SendMessageResponse and the first event of a stream: `{"task":…}`, with `objective` beside it
/// for a client that activated OPT (docs/a2a.md, D15); `beside` may be null.
void write_sent(json_writer& out, const task& value, const task_view_options& view,
                const objective_view* beside = nullptr);
/// SendMessageResponse of an agent that answered with a message: `{"message":…}`.
void write_answer(json_writer& out, const message& value);
/// ListTasksResponse; all four members are always there (A2A 1.0 section 3.1.4). With
/// `view.include_artifacts` every task has `artifacts`, if only `[]`; without, none has.
void write_task_list(json_writer& out, std::span<const task_ptr> tasks,
                     std::string_view next_page_token, std::uint32_t page_size,
                     std::uint64_t total_size, const task_view_options& view);
/// ListTaskPushNotificationConfigsResponse.
void write_push_config_list(json_writer& out, std::span<const push_config> configs,
                            std::string_view next_page_token);

/// A StreamResponse for one event of a task: `{"statusUpdate":…}` or `{"artifactUpdate":…}`; false
/// (and nothing written) for events that a stream does not show (the creation, and messages that
/// the task was told).
bool write_stream_event(json_writer& out, const change& where, const event& happened,
                        const stream_mark& mark = {});

/// `context`: the path of the object for error messages, e.g. "message".
[[nodiscard]] result<message> read_message(const boost::json::value& from,
                                           const std::string& context = "message");
[[nodiscard]] result<part> read_part(const boost::json::value& from, const std::string& context);
[[nodiscard]] result<artifact> read_artifact(const boost::json::value& from,
                                             const std::string& context);

using send_params = wire::send_params;

/// SendMessage, SendStreamingMessage: `params` as received.
[[nodiscard]] result<send_params> read_send_params(const boost::json::value& params);
[[nodiscard]] result<get_task> read_get_task(const boost::json::value& params);
[[nodiscard]] result<list_tasks> read_list_tasks(const boost::json::value& params);
[[nodiscard]] result<cancel_task> read_cancel_task(const boost::json::value& params);
[[nodiscard]] result<subscribe_to_task> read_subscribe(const boost::json::value& params);

/// Create-, Get-, List- and DeleteTaskPushNotificationConfig: `taskId` is the task, `id` the
/// configuration.
[[nodiscard]] result<create_push_config> read_create_push_config(const boost::json::value& params);
[[nodiscard]] result<get_push_config> read_get_push_config(const boost::json::value& params);
[[nodiscard]] result<list_push_configs> read_list_push_configs(const boost::json::value& params);
[[nodiscard]] result<delete_push_config> read_delete_push_config(const boost::json::value& params);

/// `TASK_STATE_WORKING` etc.
[[nodiscard]] std::string_view state_name(task_state state) noexcept;

} // namespace troupe::v1_0
