// The files of planner/templates, as part of the program (planner/shipped_texts.cmake).
#pragma once

#include <span>
#include <string_view>

namespace troupe::planner {

[[nodiscard]] std::span<const std::string_view> shipped_template_texts() noexcept;

} // namespace troupe::planner
