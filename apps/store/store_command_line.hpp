// The flags of `troupe store`.
#pragma once

#include "apps/options.hpp"

namespace CLI {
class App;
}

namespace troupe {

/// `options` outlives the parsing.
void add_store(CLI::App& app, store_tool_options& options);

} // namespace troupe
