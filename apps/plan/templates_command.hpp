// `troupe templates`: what texts may become without a model. Of this computer: the templates of the
// program, and those of a directory.
#pragma once

#include "apps/options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

enum class templates_tool : std::uint8_t { list, show, check };

struct templates_options {
  templates_tool tool = templates_tool::list;
  std::string directory;          ///< Of templates beside those of the program; empty: none.
  std::string server;             ///< list: those of this server's card. Empty: of this computer.
  std::string name;               ///< show: of the template.
  std::vector<std::string> files; ///< check: files, and directories of files.
  list_format format = list_format::table;
  colour_choice colour = colour_choice::automatic;
};

/// A row of `ls`.
struct listed_template {
  std::string name;
  std::string example; ///< A message that fits.
  std::string description;
};

[[nodiscard]] std::string draw_templates(const std::vector<listed_template>& all,
                                         list_format format, std::size_t width, bool colour);

/// Exit codes: exit_failed if there is no such template; exit_usage if a file is none.
[[nodiscard]] int templates_command(const templates_options& options);

} // namespace troupe
