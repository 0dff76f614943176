#include "apps/plan/template_files.hpp"

#include "apps/text_file.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "planner/limits.hpp"

namespace troupe {

result<std::vector<template_text>> read_template_files(const std::string& directory) {
  std::vector<template_text> out;
  if (directory.empty())
    return out;
  std::error_code failed;
  std::vector<std::string> paths;
  for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed))
    if (at->path().extension() == ".json")
      paths.push_back(at->path().string());
  if (failed)
    return make_error(errc::unavailable, directory + ": cannot be read: " + failed.message());
  std::ranges::sort(paths);
  for (auto& path : paths) {
    auto text = read_text(path, planner::template_bytes_max);
    if (!text)
      return text.error();
    out.push_back({std::move(*text), std::move(path)});
  }
  return out;
}

result<template_list> templates_with(const std::string& directory) {
  auto texts = read_template_files(directory);
  if (!texts)
    return texts.error();
  planning_options all;
  all.templates = std::move(*texts);
  return read_templates(all);
}

} // namespace troupe
