// How tasks and plans are called where people read them.
#pragma once

#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <string>

namespace troupe {

/// The name to show for a task or plan: its name, else its key, else its position.
[[nodiscard]] std::string shown_name(const task_spec& task, std::size_t index);
[[nodiscard]] std::string shown_name(const plan_spec& plan, std::size_t index);

} // namespace troupe
