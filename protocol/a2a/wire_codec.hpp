// One protocol version in one binding, as a value: how params are read, how results, events and
// errors are written, and the few rules in which versions differ. Each version's file has its own
// (codec_v1_0.cpp and its siblings); its user never asks which version it is, and a further
// version is a further value.
#pragma once

#include "protocol/a2a/send_params.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/value.hpp>

#include <span>
#include <string_view>

namespace troupe {

struct wire_codec {
  template<class T>
  using reader = result<T> (*)(const boost::json::value& params);

  // -- params -------------------------------------------------------------------------------------
  /// `opt`: the client activated OPT, whose messages may lack an id in 0.3.
  result<wire::send_params> (*read_send)(const boost::json::value& params, bool opt);
  reader<get_task> read_get_task;
  reader<list_tasks> read_list_tasks;
  reader<cancel_task> read_cancel_task;
  reader<subscribe_to_task> read_subscribe;
  reader<create_push_config> read_create_push;
  reader<get_push_config> read_get_push;
  reader<list_push_configs> read_list_push;
  reader<delete_push_config> read_delete_push;

  // -- results ------------------------------------------------------------------------------------
  void (*write_task)(json_writer& out, const task& value, const task_view_options& view);
  /// The result of a send. `beside`: the objective, for a client that activated OPT (docs/a2a.md,
  /// D15); may be null.
  void (*write_sent)(json_writer& out, const task& value, const task_view_options& view,
                     const objective_view* beside);
  /// The result of a send that the agent answered with a message, and the only event of its stream.
  /// `beside`: for a client that activated OPT, also as the member `message` (docs/a2a.md, D15).
  void (*write_answer)(json_writer& out, const message& value, bool beside);
  void (*write_task_list)(json_writer& out, std::span<const task_ptr> tasks,
                          std::string_view next_page_token, std::uint32_t page_size,
                          std::uint64_t total_size, const task_view_options& view);
  void (*write_push)(json_writer& out, const push_config& value);
  /// `next_page_token`: empty on the last page; 0.3's JSON-RPC has no pages.
  void (*write_push_list)(json_writer& out, std::span<const push_config> all,
                          std::string_view next_page_token);
  void (*write_push_deleted)(json_writer& out);

  // -- stream events ------------------------------------------------------------------------------
  void (*write_snapshot)(json_writer& out, const task& value, const task_view_options& view);
  /// False, and nothing written, for what a stream does not show.
  bool (*write_event)(json_writer& out, const change& where, const event& one,
                      const stream_mark& mark);

  // -- errors -------------------------------------------------------------------------------------
  /// The value of a JSON-RPC answer's `error`.
  void (*write_rpc_error)(json_writer& out, const error& why, timestamp at);
  /// The whole body of a REST answer with this HTTP status.
  void (*write_rest_error)(json_writer& out, const error& why, timestamp at, unsigned status);

  // -- rules --------------------------------------------------------------------------------------
  card_shape extended_card_shape;       ///< How an extended card is written.
  bool refuses_subscribing_to_terminal; ///< Else a snapshot and the end (docs/a2a.md, D11).
  bool refuses_repeated_cancel;         ///< Else it is answered with the task (docs/a2a.md, D10).
};

/// A2A 1.0, in both bindings.
[[nodiscard]] const wire_codec& codec_1_0() noexcept;
/// A2A 0.3: its JSON-RPC and its REST binding have shapes of their own (docs/a2a.md, "JSON").
[[nodiscard]] const wire_codec& codec_0_3() noexcept;
[[nodiscard]] const wire_codec& codec_0_3_rest() noexcept;

} // namespace troupe
