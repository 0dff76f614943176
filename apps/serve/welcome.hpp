// What `troupe serve` says at its start to the person who tries it, and about who may reach it.
#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// Only programs of this machine can reach it: `127.0.0.1`, `::1`, `localhost`.
[[nodiscard]] bool is_loopback(std::string_view address);

/// What is said of a server that listens on `address`, which is not loopback.
[[nodiscard]] std::string exposure_warning(std::string_view address, bool commands_allowed);

/// For `serve --dev`: commands to try. `url`: where it listens.
[[nodiscard]] std::string welcome_text(std::string_view version, std::string_view url);

} // namespace troupe
