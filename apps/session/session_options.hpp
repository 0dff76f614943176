// What `troupe session` was asked to do, as a plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

enum class session_tool : std::uint8_t {
  write, ///< `export`
  check,
  read, ///< `import`
};

/// Flags of `session`: which tool, and of what.
struct session_options {
  session_tool tool = session_tool::check;
  std::vector<std::string> objectives; ///< Of `export`.
  bool all = false;                    ///< `export` writes all of the data directory.
  std::string directory;               ///< Where `export` writes; empty: in the data directory.
  std::string data;                    ///< The data directory of `export` and `import`.
  std::string path;                    ///< The file of `import`; of `check` also a directory.
  std::string as;                      ///< The new id of what `import` brings; empty: its own.
  bool state = false;                  ///< `check` prints what the files lead to.
  bool json = false;
};

} // namespace troupe
