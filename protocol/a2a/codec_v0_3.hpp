// A2A 0.3 as its JSON-RPC binding speaks it (0.3 specification sections 6 and 7): domain values to
// text and back. Every object says its `kind`, states and roles are in lower case. Names as in
// codec_v1_0.hpp.
#pragma once

#include "protocol/a2a/send_params.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/task.hpp>

#include <boost/json/value.hpp>

#include <span>
#include <string>
#include <string_view>

namespace troupe::v0_3 {

/// `mediaType` and `filename` of a text or data part have no place in 0.3 and are lost; data that
/// is no object is wrapped (docs/a2a.md, "JSON").
void write(json_writer& out, const part& value);
void write(json_writer& out, const message& value);
void write(json_writer& out, const artifact& value);
/// Also the snapshot with which a stream begins, and what is posted to a push configuration.
void write(json_writer& out, const task& value, const task_view_options& view = {});
/// `owner` lends its ids to a status message that has none.
void write(json_writer& out, const task_status& value, const task& owner);
/// TaskPushNotificationConfig: `{"taskId":…,"pushNotificationConfig":{…}}`; with its secrets, so
/// for its owner only.
void write(json_writer& out, const push_config& value);

/// The result of message/send that is answered directly: the bare message. `beside`: for a client
/// that activated OPT, with one member more, `message` (itself again; docs/a2a.md, D15).
void write_answer(json_writer& out, const message& value, bool beside);

/// The result of message/send: the bare task. `beside`: the objective, for a client that activated
/// OPT; the task then has two members more, `task` (itself again) and `objective` (docs/a2a.md,
/// D15). May be null.
void write_sent(json_writer& out, const task& value, const task_view_options& view,
                const objective_view* beside);

/// The result of tasks/list, which 0.3 does not have (docs/a2a.md, D19): the members of 1.0 with
/// tasks of 0.3.
void write_task_list(json_writer& out, std::span<const task_ptr> tasks,
                     std::string_view next_page_token, std::uint32_t page_size,
                     std::uint64_t total_size, const task_view_options& view);
/// The result of tasks/pushNotificationConfig/list: a bare array, without a token.
void write_push_config_list(json_writer& out, std::span<const push_config> configs);

/// One event of a stream; false (and nothing written) for events that it does not show.
bool write_stream_event(json_writer& out, const change& where, const event& happened,
                        const stream_mark& mark);

/// `context`: the path of the object for error messages. A message without an id is given one from
/// `ids`.
[[nodiscard]] result<message> read_message(const boost::json::value& from, id_source& ids,
                                           const std::string& context = "message");
[[nodiscard]] result<part> read_part(const boost::json::value& from, const std::string& context);
[[nodiscard]] result<artifact> read_artifact(const boost::json::value& from,
                                             const std::string& context);

using send_params = wire::send_params;

/// message/send, message/stream. `opt`: the client activated OPT; only then,
/// or with a key of OPT, may a message lack its id, and gets one from `ids`.
[[nodiscard]] result<send_params> read_send_params(const boost::json::value& params, id_source& ids,
                                                   bool opt = false);
[[nodiscard]] result<get_task> read_get_task(const boost::json::value& params);
[[nodiscard]] result<list_tasks> read_list_tasks(const boost::json::value& params);
[[nodiscard]] result<cancel_task> read_cancel_task(const boost::json::value& params);
/// tasks/resubscribe.
[[nodiscard]] result<subscribe_to_task> read_subscribe(const boost::json::value& params);

/// tasks/pushNotificationConfig/set: `taskId`, `pushNotificationConfig`.
[[nodiscard]] result<create_push_config> read_create_push_config(const boost::json::value& params);
/// The others: `id` is the task, `pushNotificationConfigId` the configuration (in get it may be
/// missing).
[[nodiscard]] result<get_push_config> read_get_push_config(const boost::json::value& params);
[[nodiscard]] result<list_push_configs> read_list_push_configs(const boost::json::value& params);
[[nodiscard]] result<delete_push_config> read_delete_push_config(const boost::json::value& params);

/// `input-required` etc.; `unknown` for `unspecified`.
[[nodiscard]] std::string_view state_name(task_state state) noexcept;

} // namespace troupe::v0_3
