// SIGHUP: what of changed settings a running server takes.
#pragma once

#include "apps/settings/settings.hpp"

#include <string>

namespace troupe {

/// Takes those settings of `fresh` that differ and can be changed while the server runs. What was
/// taken, and what needs a restart, as a line for the log.
[[nodiscard]] std::string take_changes(serve_settings& now, const serve_settings& fresh);

} // namespace troupe
