// The flags of `troupe session`.
#pragma once

#include "apps/session/session_options.hpp"

namespace CLI {
class App;
}

namespace troupe {

/// `options` outlives the parsing.
void add_session(CLI::App& app, session_options& options);

} // namespace troupe
