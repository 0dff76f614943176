// When tasks would begin if each took as long as its plan says (`expectedSeconds`), for
// `troupe run --dry-run`. Pure.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include <troupe/protocol/spec.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace troupe {

/// How many tasks may run at once; 0: any number. Those of the plans come from their documents.
struct expected_slots {
  std::uint32_t tasks = 0;    ///< Of the objective.
  std::uint32_t commands = 0; ///< Of those that are programs.
};

struct expected_starts {
  /// By plan and task; nothing for a task that begins only if a plan fails.
  std::vector<std::vector<std::optional<std::chrono::milliseconds>>> begins;
  std::chrono::milliseconds end{0};
  /// Tasks that do not say how long they take: they count as 0.
  std::size_t unknown = 0;
};

/// Tasks that are ready begin by priority, then in the order of the document.
[[nodiscard]] expected_starts
expect_times(const objective_spec& objective, const resolved_objective& edges,
             const expected_slots& slots,
             const std::function<bool(const task_spec& task)>& is_command);

} // namespace troupe
