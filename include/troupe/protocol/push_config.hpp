// The URL to which the events of a task are posted (A2A `TaskPushNotificationConfig`,
// docs/push.md), and the commands about it.
#pragma once

#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The credentials for the receiver: `Authorization: <scheme> <credentials>`.
struct push_authentication {
  std::string scheme;
  std::string credentials; ///< Never logged; shown to the creator only.

  friend bool operator==(const push_authentication&, const push_authentication&) = default;
};

/// The format of a notification: that of the version under which the configuration was made.
enum class push_payload : std::uint8_t {
  v1_0 = 1, ///< A StreamResponse for each event.
  v0_3 = 2, ///< The whole Task whenever its state changes.
};

struct push_config {
  std::string id; ///< Unique within the task; the server makes one if the client gives none.
  task_id task;
  /// protocol/text/http_url.hpp reads it. Its addresses are checked when a connection is made.
  std::string url;
  std::string token; ///< Sent in its own header; may be empty.
  std::optional<push_authentication> authentication;
  push_payload payload = push_payload::v1_0;
  /// Its client activated the Task Progress extension: progress is posted, too.
  bool progress = false;
  principal owner; ///< The client that made it; only this client sees it.
};

/// CreateTaskPushNotificationConfig / tasks/pushNotificationConfig/set. A configuration with the
/// same id on the same task is replaced.
struct create_push_config {
  principal who;
  push_config config;
};

/// GetTaskPushNotificationConfig / .../get.
struct get_push_config {
  principal who;
  task_id task;
  std::string id; ///< Empty (0.3 only): the first.
};

/// ListTaskPushNotificationConfigs / .../list.
struct list_push_configs {
  principal who;
  task_id task;
  std::uint32_t page_size = 100; ///< 1 to 100.
  std::string page_token;
};

/// DeleteTaskPushNotificationConfig / .../delete. To delete a configuration that does not exist
/// succeeds.
struct delete_push_config {
  principal who;
  task_id task;
  std::string id;
};

/// Checks the form of a configuration: a valid id (or none yet), a URL of
/// protocol/text/http_url.hpp, and texts that fit into header lines. errc::invalid_params, with the
/// field of the configuration. It does not check if notifications may go to this address.
[[nodiscard]] result<void> check_push_config(const push_config& config);

/// Whether `text` is a token of RFC 9110 section 5.6.2, like the name of an authentication scheme.
[[nodiscard]] bool is_header_token(std::string_view text) noexcept;

} // namespace troupe
