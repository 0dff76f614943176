// Where a task's news are posted to (A2A `TaskPushNotificationConfig`, docs/push.md), and the commands about it.
#pragma once

#include "protocol/command.hpp"
#include "protocol/errc.hpp"
#include "protocol/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// How the receiver is told who sends: `Authorization: <scheme> <credentials>`.
struct push_authentication {
  std::string scheme;
  std::string credentials; ///< Never logged; shown to the creator only.

  friend bool operator==(const push_authentication&, const push_authentication&) = default;
};

/// The shape of what is posted: that of the version under which the config was made.
enum class push_payload : std::uint8_t {
  v1_0 = 1, ///< A StreamResponse for each event.
  v0_3 = 2, ///< The whole Task whenever its state changes.
};

struct push_config {
  std::string id; ///< Unique within the task; given by the server if the client names none.
  task_id task;
  std::string url; ///< protocol/http_url.hpp reads it. Where it leads is checked when a connection is made.
  std::string token; ///< Sent along in a header of its own; may be empty.
  std::optional<push_authentication> authentication;
  push_payload payload = push_payload::v1_0;
  caller owner; ///< Who made it; nobody else sees it.
};

/// CreateTaskPushNotificationConfig / tasks/pushNotificationConfig/set. The same id on the same task replaces.
struct create_push_config {
  caller who;
  push_config what;
};

/// GetTaskPushNotificationConfig / .../get.
struct get_push_config {
  caller who;
  task_id task;
  std::string id; ///< Empty (0.3 only): the first.
};

/// ListTaskPushNotificationConfigs / .../list.
struct list_push_configs {
  caller who;
  task_id task;
  std::uint32_t page_size = 100; ///< 1 to 100.
  std::string page_token;
};

/// DeleteTaskPushNotificationConfig / .../delete. Deleting what is not there succeeds.
struct delete_push_config {
  caller who;
  task_id task;
  std::string id;
};

/// Whether a receiver could be told by it: an acceptable id (or none yet), an address of protocol/http_url.hpp, and texts that fit into
/// header lines. errc::invalid_params, the field that of the configuration. Whether the address may be posted to is another question.
[[nodiscard]] result<void> check_push_config(const push_config& what);

/// Whether `text` is a token of RFC 9110 section 5.6.2, as the name of an authentication scheme is.
[[nodiscard]] bool is_header_token(std::string_view text) noexcept;

} // namespace troupe
