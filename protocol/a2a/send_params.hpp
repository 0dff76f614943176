// The params of SendMessage and message/send: the same value for every version and binding. Each
// codec fills it in (`read_send_params`).
#pragma once

#include <troupe/protocol/command.hpp>
#include <troupe/protocol/push_config.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::wire {

struct send_params {
  send_message command;
  bool return_immediately =
      false; ///< 0.3: `blocking` is false, in REST also absent from a configuration.
  /// The version leaves it to the server whether to wait, and the params do not say: 0.3 without
  /// `blocking`.
  bool leaves_waiting_open = false;
  std::optional<std::uint32_t> history_length;
  std::string tenant; ///< Also in `command.who`.
  std::optional<push_config>
      push; ///< Asked for along with the message; `task` is empty, `id` may be.
};

} // namespace troupe::wire
