// Whether a write failed because there is no room.
#pragma once

#include <cerrno>
#include <system_error>

namespace troupe {

/// The disk is full, or the quota of the user. `failed` is in the generic or the system category.
[[nodiscard]] inline bool is_disk_full(std::error_code failed) noexcept {
  return failed == std::errc::no_space_on_device || failed.value() == EDQUOT;
}

} // namespace troupe
