// The manual page, from the same texts as `--help`.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace troupe {

/// In the language of man(7).
[[nodiscard]] std::string man_page(const CLI::App& app, const std::string& version);

} // namespace troupe
