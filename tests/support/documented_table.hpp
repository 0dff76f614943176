// Reads the tables of the documents, so that tests hold them against the code.
#pragma once

#include "tests/support/source_dir.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::testing {

using cells = std::vector<std::string>;

/// Without the blanks around it.
inline std::string trimmed_cell(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

inline cells parted(std::string_view text, std::string_view seam) {
  cells out;
  for (;;) {
    const auto at = text.find(seam);
    out.push_back(trimmed_cell(std::string(text.substr(0, at))));
    if (at == std::string_view::npos)
      return out;
    text.remove_prefix(at + seam.size());
  }
}

/// The rows of all tables of the page with that head, without their heads.
inline std::vector<cells> documented_rows(const std::string& page, std::string_view head) {
  std::ifstream file(source_dir() + "/" + page);
  std::vector<cells> out;
  bool is_within = false;
  for (std::string line; std::getline(file, line);) {
    if (line == head)
      is_within = true;
    else if (!line.starts_with('|'))
      is_within = false;
    else if (is_within && !line.starts_with("| ---"))
      out.push_back(parted(line.substr(1, line.rfind('|') - 1), " |"));
  }
  return out;
}

} // namespace troupe::testing
