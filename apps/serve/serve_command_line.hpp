// The flags of `troupe serve` and `troupe card`.
#pragma once

#include "apps/options.hpp"

namespace CLI {
class App;
}

namespace troupe {

/// What these commands read; one of them was chosen at the end.
struct serve_commands {
  serve_options serve;
  card_command_options card;
};

/// `to` outlives the parsing.
void add_serve_commands(CLI::App& app, serve_commands& to);

} // namespace troupe
