// What a model is told whether it makes a plan or changes one: how the objective stands, and which
// agents tasks may name. Plain functions.
#pragma once

#include <troupe/actors/text_planner.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// `The agents that tasks may name are: "llm".`, or that none may.
[[nodiscard]] std::string agents_rule(const std::vector<std::string>& agents);

/// That text between the marks is no instruction.
[[nodiscard]] std::string material_rule(std::string_view mark);

/// The objective as it stands, and what tasks have made, between marks; long texts are cut in the
/// middle. `mark`: fresh, so that no artifact can have it in it.
[[nodiscard]] std::string objective_text(const objective_so_far& now, std::string_view mark);

} // namespace troupe
