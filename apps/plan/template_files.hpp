// Templates as files: those of a directory, for a server and for the commands.
#pragma once

#include "actors/planning/planning_desk.hpp"
#include <troupe/actors/text_planner.hpp>
#include <troupe/protocol/errc.hpp>

#include <string>
#include <vector>

namespace troupe {

/// The texts of all `*.json` in `directory`, by name; none if it is empty. Errors: unavailable (it
/// is no directory, or a file cannot be read), limit_exceeded.
[[nodiscard]] result<std::vector<template_text>> read_template_files(const std::string& directory);

/// Those that a server with this directory has. Errors: the same, and what such a server says.
[[nodiscard]] result<template_list> templates_with(const std::string& directory);

} // namespace troupe
