// The objects of A2A as all its versions write them. What a version spells otherwise stands in its
// `dialect`, one value per version and binding; the writers here ask it and know no version.
// Internal to protocol/.
#pragma once

#include "protocol/a2a/stream_mark.hpp"
#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/task.hpp>

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace troupe::wire {

using state_names =
    std::array<std::string_view, task_state_count>; ///< In the order of the enumeration.
using role_names = std::array<std::string_view, 3>;

struct dialect {
  const state_names* states;
  const role_names* roles;
  std::string_view message_parts; ///< The member of a message that holds its parts.
  bool has_references;            ///< Messages have `referenceTaskIds`.
  bool has_kinds; ///< Objects say in `kind` what they are; else an event is a member named after
                  ///< its kind.
  bool has_final; ///< Status events have `final`.
  void (*write_part)(json_writer& out, const part& value);
};

/// Anything outside the enumeration is unspecified.
[[nodiscard]] std::string_view name_of(const state_names& names, task_state state) noexcept;

/// `"metadata":{...}`, left out if empty.
void write_metadata(json_writer& out, const boost::json::object& metadata);

/// What extensions add to the metadata of a message.
struct message_extras {
  const progress_report* progress = nullptr;
  /// The question that it asks, in the words of kagent's extension.
  const question* asked = nullptr;
  /// The same as OPT shows it.
  const question* input = nullptr;
};

/// A message with the ids it has, or else the given ones.
void write_message(json_writer& out, const dialect& as, const message& value,
                   std::string_view context = {}, std::string_view task = {},
                   const message_extras& extras = {});
void write_artifact(json_writer& out, const dialect& as, const artifact& value);
void write_status(json_writer& out, const dialect& as, const task_status& value,
                  std::string_view context, std::string_view task,
                  const message_extras& extras = {});

void write_task(json_writer& out, const dialect& as, const task& value,
                const task_view_options& view);
/// The members alone, so that more can follow.
void write_task_members(json_writer& out, const dialect& as, const task& value,
                        const task_view_options& view);

/// What 1.0 and both REST bindings answer a send with, `{"task":{...}}`, and begin a stream with.
/// `beside`: the objective, for a client that activated OPT (docs/a2a.md, D15); may be null.
void write_sent(json_writer& out, const dialect& as, const task& value,
                const task_view_options& view, const objective_view* beside = nullptr);
/// `{"message":{...}}`, where an agent answered with a message.
void write_answer(json_writer& out, const dialect& as, const message& value);
/// `{"configs":[...],"nextPageToken":""}`.
void write_push_config_list(json_writer& out, std::span<const push_config> configs,
                            std::string_view next_page_token,
                            void (*write_config)(json_writer& out, const push_config& value));

/// The result of a list (A2A 1.0 section 3.1.4).
void write_task_list(json_writer& out, const dialect& as, std::span<const task_ptr> tasks,
                     std::string_view next_page_token, std::uint32_t page_size,
                     std::uint64_t total_size, const task_view_options& view);

/// False, and nothing written, for what a stream does not show.
bool write_stream_event(json_writer& out, const dialect& as, const change& where,
                        const event& happened, const stream_mark& mark);

} // namespace troupe::wire
