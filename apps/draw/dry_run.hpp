// What would begin when, for `troupe run --dry-run`. Pure.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include "apps/draw/expected_times.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/spec.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A task, or a plan if `task` is empty. Names as people read them.
struct dry_run_place {
  std::string plan;
  std::string task;
};

struct dry_run_task {
  dry_run_place place;
  std::string agent;
  std::string program;              ///< Of a command: its words; else empty.
  std::vector<dry_run_place> after; ///< What it waits for.
  std::optional<std::chrono::milliseconds> begins;
};

/// Tasks that may begin when those of the steps before it have completed, most of them earlier.
struct dry_run_step {
  /// They begin only if the plan fails for which theirs stands in. Such steps come last.
  bool is_alternative = false;
  std::vector<dry_run_task> tasks;
};

struct dry_run {
  std::vector<dry_run_step> steps;
  /// When all would have ended; 0: no task says how long it takes.
  std::chrono::milliseconds end{0};
  std::size_t unknown = 0; ///< Tasks that do not say how long they take: they count as 0.
};

[[nodiscard]] dry_run make_dry_run(const objective_spec& objective, const resolved_objective& edges,
                                   const agent_registry& agents, const expected_slots& slots = {});

/// A line for each task, with the times if there are any.
[[nodiscard]] std::string draw(const dry_run& of);

/// `{"steps": [{"alternative": true, "tasks": [{"plan", "task", "agent", "program", "after":
/// [{"plan", "task"}], "beginsAtSeconds"}]}], "endsAtSeconds", "withoutExpectedSeconds"}` and a
/// newline. Members without a value are left out.
[[nodiscard]] std::string json_of(const dry_run& of);

} // namespace troupe
