#include "tests/house/source_tree.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace troupe::house {

namespace fs = std::filesystem;

bool source_file::below(std::string_view folder) const {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

std::vector<source_file> read_tree(const fs::path& root) {
  std::vector<source_file> found;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const auto name = entry->path().filename().string();
    if (entry->is_directory()) {
      const bool hidden = name.starts_with('.') && name != ".ci";
      const bool build_tree = (entry.depth() == 0 && name == "build") || fs::exists(entry->path() / "CMakeCache.txt");
      if (hidden || build_tree) {
        entry.disable_recursion_pending();
      }
      continue;
    }
    if (!entry->is_regular_file() || name == ".git") { // in a worktree git keeps a file of that name
      continue;
    }
    std::ifstream in(entry->path(), std::ios::binary);
    source_file file{fs::relative(entry->path(), root).generic_string(),
                     std::string(std::istreambuf_iterator<char>(in), {}),
                     (entry->status().permissions() & fs::perms::owner_exec) != fs::perms::none};
    if (file.text.find('\0') == std::string::npos) {
      found.push_back(std::move(file));
    }
  }
  std::ranges::sort(found, {}, &source_file::path);
  return found;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

} // namespace troupe::house
