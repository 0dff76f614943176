// The repository's own files as text, for the tests that hold them against the rules of the house.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::house {

struct source_file {
  std::string path; ///< Relative to the root, with slashes: `include/troupe/protocol/ids.hpp`.
  std::string text;
  bool executable = false;

  [[nodiscard]] bool ends_with(std::string_view suffix) const { return path.ends_with(suffix); }
  [[nodiscard]] bool below(std::string_view folder) const;
};

/// Every text file of the tree below `root`, sorted by path; without build trees and hidden folders
/// other than `.ci`.
[[nodiscard]] std::vector<source_file> read_tree(const std::filesystem::path& root);

/// C++ with blanks in the place of comments and of what stands in quotes; the lines stay where they
/// are.
[[nodiscard]] std::string code_of(std::string_view text);

/// Without the line ends.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

} // namespace troupe::house
