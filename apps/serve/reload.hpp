// SIGHUP: what of changed settings a running server takes.
#pragma once

#include "apps/settings/config_file.hpp"
#include "apps/settings/settings.hpp"

#include <string>

namespace troupe {

/// Takes those settings of `fresh` that differ and can be changed while the server runs; of tables
/// that are no settings it takes none. What was taken, and what needs a restart, as a line for the
/// log.
[[nodiscard]] std::string take_changes(serve_settings& now, const serve_settings& fresh,
                                       const other_tables& tables_now = {},
                                       const other_tables& tables_fresh = {});

} // namespace troupe
