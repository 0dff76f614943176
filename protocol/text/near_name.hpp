// The name that was probably meant by an unknown one: for the hints in error messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace troupe {

inline constexpr std::size_t name_compared_bytes_max = 48; ///< A longer name is no typing mistake.

/// How many insertions, deletions, substitutions and swaps of neighbours lie between two names
/// (optimal string alignment); ASCII case does not count. Quadratic: callers bound the lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that was most likely meant; empty if none is near, or `written` is longer than
/// `name_compared_bytes_max`.
[[nodiscard]] std::string_view nearest_name(std::string_view written,
                                            std::span<const std::string_view> candidates);

/// `; did you mean "steps"?`, the end of a sentence; nothing if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view written,
                                       std::span<const std::string_view> candidates);

} // namespace troupe
