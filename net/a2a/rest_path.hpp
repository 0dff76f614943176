// What a path of the HTTP+JSON binding names (A2A 1.0 section 5.3, A2A 0.3 section 3.5.6; those of
// objectives and plans: docs/objectives.md, "REST"). A plain value, so that routing is tested
// without sockets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

enum class rest_resource : std::uint8_t {
  message,       ///< `/message:send`, `/message:stream`
  tasks,         ///< `/tasks`
  task,          ///< `/tasks/{id}`, with or without an action
  push_configs,  ///< `/tasks/{id}/pushNotificationConfigs`
  push_config,   ///< `/tasks/{id}/pushNotificationConfigs/{config}`
  extended_card, ///< `/extendedAgentCard`; in 0.3 `/v1/card`
  objectives,    ///< `/objectives`
  objective,     ///< `/objectives/{id}`
  plans,         ///< `/objectives/{id}/plans`
  plan,          ///< `/plans/{id}`, with or without an action
  inputs,        ///< `/inputs`
  input,         ///< `/inputs/{id}`, with or without an action
};

struct rest_path {
  bool below_v1 = false; ///< `/v1/...`: A2A 0.3.
  rest_resource resource = rest_resource::tasks;
  std::string
      action; ///< After the last `:` of the last segment: `send`, `cancel`, ...; may be empty.
  std::string tenant; ///< 1.0 only, the segment before; may be empty.
  std::string id;     ///< Of the task, objective, plan or question; empty if the path names none.
  std::string config;

  friend bool operator==(const rest_path&, const rest_path&) = default;
};

/// Nothing if no path of either version looks like that. Repeated slashes count as one; ids are
/// percent-decoded.
[[nodiscard]] std::optional<rest_path> parse_rest_path(std::string_view path);

} // namespace troupe::net
