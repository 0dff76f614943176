// The params of requests as a client sends them, in every version and binding: the other direction
// of `read_send_params` and its siblings. JSON trees, because REST takes some members out again
// for the path and the query.
#pragma once

#include <troupe/protocol/message.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/task_state.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::wire {

enum class a2a_version : std::uint8_t { v1_0, v0_3 };
enum class a2a_binding : std::uint8_t { json_rpc, rest };

/// How a client and a server speak: the JSON of 0.3 differs between its bindings.
struct wire_format {
  a2a_version version = a2a_version::v1_0;
  a2a_binding binding = a2a_binding::json_rpc;

  friend bool operator==(const wire_format&, const wire_format&) = default;
};

/// `1.0`, `0.3`
[[nodiscard]] std::string_view to_string(a2a_version version) noexcept;
/// `JSONRPC`, `HTTP+JSON`: as agent cards name it.
[[nodiscard]] std::string_view to_string(a2a_binding binding) noexcept;

struct sending {
  troupe::message message;
  bool waits = true; ///< The answer comes when the task has ended or asks; else at once.
  std::vector<std::string> accepted_output_modes; ///< Empty: any.
  boost::json::object metadata;                   ///< Of the request.
};
[[nodiscard]] boost::json::object write_send(const sending& request, wire_format format);

struct task_filter {
  std::string context;
  std::optional<task_state> state;
  std::uint32_t page_size = 50;
  std::string page_token;
  std::optional<std::uint32_t> history_length;
  bool include_artifacts = false;
};
[[nodiscard]] boost::json::object write_task_filter(const task_filter& filter, wire_format format);

/// The calls about push configurations; `write_named_push`: to get or delete one. On REST `taskId`
/// and `id` belong into the path.
[[nodiscard]] boost::json::object write_create_push(const push_config& config, wire_format format);
[[nodiscard]] boost::json::object
write_list_push(const std::string& task, const std::string& page_token, wire_format format);
[[nodiscard]] boost::json::object write_named_push(const std::string& task, const std::string& id,
                                                   wire_format format);

} // namespace troupe::wire
