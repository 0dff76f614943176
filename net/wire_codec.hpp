// One protocol version as the operations see it: params in, results and events out, errors, and the few rules in which versions
// differ. The operations hold a reference and never ask which version it is; a further version is a further implementation.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <boost/json/value.hpp>

#include "net/version.hpp"
#include "protocol/codec_agent_card.hpp"
#include "protocol/command.hpp"
#include "protocol/errc.hpp"
#include "protocol/event.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/objective.hpp"
#include "protocol/push_config.hpp"
#include "protocol/send_params.hpp"
#include "protocol/stream_mark.hpp"
#include "protocol/task.hpp"
#include "protocol/time.hpp"
#include "store/store.hpp"

namespace troupe::net {

/// SendMessage in either form, version-free.
using send_request = wire::send_params;

class wire_codec {
public:
  virtual ~wire_codec() = default;

  // -- params ----------------------------------------------------------------------------------------------------------
  [[nodiscard]] virtual result<send_request> read_send(const boost::json::value& params) const = 0;
  [[nodiscard]] virtual result<get_task> read_get_task(const boost::json::value& params) const = 0;
  [[nodiscard]] virtual result<list_tasks> read_list_tasks(const boost::json::value& params) const = 0;
  [[nodiscard]] virtual result<cancel_task> read_cancel_task(const boost::json::value& params) const = 0;
  [[nodiscard]] virtual result<subscribe_to_task> read_subscribe(const boost::json::value& params) const = 0;
  [[nodiscard]] virtual result<create_push_config> read_create_push(const boost::json::value& params) const = 0;
  [[nodiscard]] virtual result<get_push_config> read_get_push(const boost::json::value& params) const = 0;
  [[nodiscard]] virtual result<list_push_configs> read_list_push(const boost::json::value& params) const = 0;
  [[nodiscard]] virtual result<delete_push_config> read_delete_push(const boost::json::value& params) const = 0;

  // -- results ---------------------------------------------------------------------------------------------------------
  virtual void write_task(json_writer& out, const task& value, const task_view_options& view) const = 0;
  /// The result of a send. `beside`: the objective, for a client that activated OPT (docs/a2a.md, D15); may be null.
  virtual void write_sent(json_writer& out, const task& value, const task_view_options& view,
                          const objective_view* beside) const = 0;
  /// The result of a send that the agent answered with a message, and the only event of its stream.
  virtual void write_answer(json_writer& out, const message& value) const = 0;
  virtual void write_task_list(json_writer& out, const task_page& page, const list_tasks& query) const = 0;

  virtual void write_push(json_writer& out, const push_config& value) const = 0;
  /// `next_page_token`: empty on the last page; 0.3's JSON-RPC has no pages.
  virtual void write_push_list(json_writer& out, std::span<const push_config> all, std::string_view next_page_token) const = 0;
  virtual void write_push_deleted(json_writer& out) const = 0;

  // -- stream events ---------------------------------------------------------------------------------------------------
  virtual void write_snapshot(json_writer& out, const task& value, const task_view_options& view) const = 0;
  /// False, and nothing written, for what a stream does not show.
  virtual bool write_event(json_writer& out, const change& where, const event& what, const stream_mark& mark) const = 0;

  // -- errors ----------------------------------------------------------------------------------------------------------
  /// The value of a JSON-RPC answer's `error`.
  virtual void write_rpc_error(json_writer& out, const error& what, timestamp at) const = 0;
  /// The whole body of a REST answer.
  virtual void write_rest_error(json_writer& out, const error& what, timestamp at) const = 0;

  // -- the card --------------------------------------------------------------------------------------------------------
  /// How this version writes an extended card.
  [[nodiscard]] virtual card_shape extended_card_shape() const noexcept = 0;

  // -- rules -----------------------------------------------------------------------------------------------------------
  /// Whether subscribing to a terminal task is an error, or a snapshot and the end (docs/a2a.md, D11).
  [[nodiscard]] virtual bool refuses_subscribing_to_terminal() const noexcept = 0;
  /// Whether canceling a canceled task is an error, or answers with it (docs/a2a.md, D10).
  [[nodiscard]] virtual bool refuses_repeated_cancel() const noexcept = 0;
};

/// A2A 1.0, in both bindings.
[[nodiscard]] const wire_codec& codec_1_0() noexcept;
/// A2A 0.3: its JSON-RPC and its REST binding have shapes of their own (docs/a2a.md, "JSON").
[[nodiscard]] const wire_codec& codec_0_3() noexcept;
[[nodiscard]] const wire_codec& codec_0_3_rest() noexcept;

/// Of JSON-RPC answers to a client that asked for `version`; a missing one counts as 0.3, an unknown one as the newest.
[[nodiscard]] const wire_codec& codec_of(asked_version version) noexcept;

} // namespace troupe::net
