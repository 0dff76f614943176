// A2A 0.3 as its REST binding speaks it: ProtoJSON of the 0.3 proto, in which messages have
// `content`, enumerations their long names and push configurations resource names (docs/a2a.md,
// "JSON"). Names as in codec_v0_3.hpp.
//
// Params are one object that the router has merged from path, query and body: path values are `id`
// for a task, `taskId` and `id` for a push configuration, query values are strings.
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

namespace troupe::v0_3_rest {

/// Bytes are encoded once, as the proto says. What 0.3 has no place for is lost, as in
/// codec_v0_3.hpp.
void write(json_writer& out, const part& value);
/// `referenceTaskIds` are not in the proto and left out.
void write(json_writer& out, const message& value);
void write(json_writer& out, const artifact& value);
void write(json_writer& out, const task& value, const task_view_options& view = {});
/// `owner` lends its ids to a status message that has none.
void write(json_writer& out, const task_status& value, const task& owner);
/// `{"name":"tasks/…/pushNotificationConfigs/…","pushNotificationConfig":{…}}`; with its secrets,
/// so for its owner only.
void write(json_writer& out, const push_config& value);

/// SendMessageResponse and the first event of a stream: `{"task":…}`, with `objective` beside it
/// for a client that activated OPT (docs/a2a.md, D15); `beside` may be null.
void write_sent(json_writer& out, const task& value, const task_view_options& view,
                const objective_view* beside = nullptr);
/// SendMessageResponse of an agent that answered with a message: `{"message":…}`.
void write_answer(json_writer& out, const message& value);
/// What GET /v1/tasks answers: the members of 1.0 with tasks of 0.3 (docs/a2a.md, D19).
void write_task_list(json_writer& out, std::span<const task_ptr> tasks,
                     std::string_view next_page_token, std::uint32_t page_size,
                     std::uint64_t total_size, const task_view_options& view);
void write_push_config_list(json_writer& out, std::span<const push_config> configs,
                            std::string_view next_page_token);

/// A StreamResponse for one event; false (and nothing written) for events that the stream does not
/// show.
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

/// POST /v1/message:send and :stream. `opt`: the client activated OPT; only then,
/// or with a key of OPT, may a message lack its id, and gets one from `ids`. `historyLength` 0 is
/// the proto's "all", here and below.
[[nodiscard]] result<send_params> read_send_params(const boost::json::value& params, id_source& ids,
                                                   bool opt = false);
/// The task is `id`, or the resource `name` ("tasks/…").
[[nodiscard]] result<get_task> read_get_task(const boost::json::value& params);
[[nodiscard]] result<list_tasks> read_list_tasks(const boost::json::value& params);
[[nodiscard]] result<cancel_task> read_cancel_task(const boost::json::value& params);
[[nodiscard]] result<subscribe_to_task> read_subscribe(const boost::json::value& params);

/// The configuration may stand under `config`, `pushNotificationConfig`, one in the other, or bare;
/// its id in itself, in `configId` or at the end of a resource name; the task in `taskId`, or in
/// `name` or `parent`: the SDKs differ.
[[nodiscard]] result<create_push_config> read_create_push_config(const boost::json::value& params);
/// `taskId` and `id`, or the resource `name` (list: `parent`).
[[nodiscard]] result<get_push_config> read_get_push_config(const boost::json::value& params);
[[nodiscard]] result<list_push_configs> read_list_push_configs(const boost::json::value& params);
[[nodiscard]] result<delete_push_config> read_delete_push_config(const boost::json::value& params);

/// `TASK_STATE_CANCELLED` (with two L) etc.
[[nodiscard]] std::string_view state_name(task_state state) noexcept;

} // namespace troupe::v0_3_rest
