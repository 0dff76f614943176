// The plan documents of the tree, for tests that go over all of them.
#pragma once

#include "tests/support/source_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace troupe::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Sorted; empty if there is no such folder.
inline std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ec))
    if (entry.path().extension() == ".json")
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

inline std::vector<std::filesystem::path> scenario_files() {
  return json_files(std::filesystem::path(troupe::testing::source_dir()) / "scenarios");
}

} // namespace troupe::test
