// How references are written within the strings of a task's input; the grammar stands in
// input_references.hpp. Used there alone.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe {

using reference_step = std::variant<std::size_t, std::string>; ///< `[3]` or `["name"]`.

enum class reference_kind : std::uint8_t { text, url, data };

/// One `${tasks...}`.
struct artifact_reference {
  std::string task;
  reference_step artifact;
  std::optional<std::size_t> part;
  reference_kind kind = reference_kind::text;
  std::vector<reference_step> path; ///< Below data.
  std::string written;              ///< As it stands in the string, for messages.
};

/// Text as it is, or a reference.
using template_segment = std::variant<std::string_view, artifact_reference>;

/// Takes a string apart; at least one segment. The texts are parts of `text`. Errors:
/// errc::invalid_reference with the position, without a field.
[[nodiscard]] result<std::vector<template_segment>> parse_template(std::string_view text);

} // namespace troupe
