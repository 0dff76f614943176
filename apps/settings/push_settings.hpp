// The settings of push notifications, the table [push] of the configuration; what they mean stands
// in docs/push.md.
#pragma once

#include "apps/settings/settings.hpp"

#include <vector>

namespace troupe {

[[nodiscard]] std::vector<setting> push_settings();

} // namespace troupe
