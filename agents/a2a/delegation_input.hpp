// The input of the agent `a2a`, and the message that it becomes. Plain functions.
#pragma once

#include "agents/a2a/delegation.hpp"
#include "agents/a2a/delegation_note.hpp"
#include "agents/input_check.hpp"
#include "protocol/a2a/request_writing.hpp"
#include "protocol/opt/hitl.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What its input may have (docs/agents.md).
inline constexpr auto delegation_members =
    std::to_array<std::string_view>({"target", "url", "text", "data", "metadata", "whenUnsure"});

struct delegation_input {
  std::string target; ///< An alias.
  std::string url;    ///< In place of `target`. Both empty: delegation_options::default_target.
  std::string text;
  std::optional<boost::json::value> data;
  boost::json::object metadata;
  when_unsure unsure = when_unsure::fail;

  /// As it is written.
  [[nodiscard]] const std::string& name() const noexcept { return target.empty() ? url : target; }
};

/// `target` and `url` take no references: what a task made must not choose who is asked. Errors:
/// invalid_params, with the place in the input.
[[nodiscard]] result<delegation_input> read_delegation_input(const boost::json::object& input,
                                                             input_stage stage);

/// A lone task was made by a message without a plan: it has no input.
[[nodiscard]] bool is_lone(const order& from) noexcept;

/// The message that asks for the task: the input's text and data (else the text of the order), then
/// the parts of the artifacts of the tasks on which it depends; it refers to those that were done
/// at the target of the note. For a lone task: its request, without what is meant for this server.
/// The same for the same arguments. It is a copy of all of that: make it when it is sent, and keep
/// it no longer.
[[nodiscard]] wire::sending first_request(const order& from, delegation_input input,
                                          const delegation_note& ids,
                                          const std::vector<std::string>& path);
/// How many messages of the order the request of a new attempt stands for. Those after them go to
/// the remote task on their own.
[[nodiscard]] std::size_t messages_in_request(const order& from) noexcept;
/// A message to our task, for the remote one. `asked`: what it answers in kagent's words; null:
/// it is handed on as it is.
[[nodiscard]] wire::sending further_message(const message& said, const delegation_note& ids,
                                            const hitl::request* asked);

} // namespace troupe
