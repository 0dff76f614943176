// What tasks have made, as a model is told it: between marks, and cut if it is long. Plain
// functions.
#pragma once

#include <troupe/actors/agent.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Of one artifact, and of all of one task: what is longer is cut in the middle, and it is said.
inline constexpr std::size_t llm_artifact_bytes_max = std::size_t{64} << 10;
inline constexpr std::size_t llm_artifacts_bytes_max = std::size_t{256} << 10;

/// `text`, or its beginning and its end with a line between that says how much is left out.
[[nodiscard]] std::string cut_in_the_middle(std::string_view text, std::size_t bytes_max);

/// What tasks have made, each artifact in a block between marks; empty: nothing. `mark`: fresh, so
/// that no artifact can have it in it.
[[nodiscard]] std::string artifact_blocks(const std::vector<dependency_result>& made,
                                          std::string_view mark);
/// What called tasks have made, or how they have ended, between marks.
[[nodiscard]] std::string told_called(const std::vector<called_task>& called,
                                      std::string_view mark);

} // namespace troupe
