#include "tests/house/source_tree.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace troupe::house {

namespace fs = std::filesystem;

bool source_file::below(std::string_view folder) const {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

std::vector<source_file> read_tree(const fs::path& root) {
  std::vector<source_file> found;
  for (auto entry = fs::recursive_directory_iterator(root);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const auto name = entry->path().filename().string();
    if (entry->is_directory()) {
      const bool hidden = name.starts_with('.') && name != ".ci";
      const bool build_tree =
          (entry.depth() == 0 && name == "build") || fs::exists(entry->path() / "CMakeCache.txt");
      if (hidden || build_tree) {
        entry.disable_recursion_pending();
      }
      continue;
    }
    if (!entry->is_regular_file()
        || name == ".git") { // in a worktree git keeps a file of that name
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

std::string code_of(std::string_view text) {
  std::string out(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (auto i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n')
        out[i] = ' ';
  };
  const auto end_of = [&](std::string_view mark, std::size_t from) {
    const auto at = text.find(mark, from);
    return at == std::string_view::npos ? text.size() : at + mark.size();
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto rest = text.substr(i);
    auto end = i + 1;
    if (rest.starts_with("//")) {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (rest.starts_with("/*")) {
      end = end_of("*/", i + 2);
      blank(i, end);
    } else if (rest.starts_with("R\"")) {
      const auto open = text.find('(', i);
      const std::string close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
      end = end_of(close, i);
      blank(i, end);
    } else if (rest.starts_with('"')
               || (rest.starts_with('\'')
                   && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))) {
      while (end < text.size() && text[end] != rest.front())
        end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      blank(i, end);
    }
    i = end;
  }
  return out;
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
