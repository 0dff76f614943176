// Draws an objective's plans and dependencies: as text for the terminal, as Graphviz dot, as
// Mermaid, and as a self-contained SVG. Pure functions from a checked objective to text.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// What a drawing says of tasks besides their names: by plan and task, both empty for nothing.
struct graph_marks {
  std::vector<std::vector<bool>> critical;         ///< On the critical path.
  std::vector<std::vector<std::string>> durations; ///< How long it took; empty: not known.

  [[nodiscard]] bool is_critical(std::size_t plan, std::size_t task) const {
    return plan < critical.size() && critical[plan][task];
  }
  [[nodiscard]] std::string duration(std::size_t plan, std::size_t task) const {
    return plan < durations.size() ? durations[plan][task] : std::string{};
  }
};

struct text_graph_options {
  std::size_t width = 100;          ///< Columns; no line is wider.
  std::size_t layer_tasks_max = 12; ///< Of one layer; more are folded into a count.
  std::size_t layers_max = 60;      ///< Of one plan.
  std::size_t arrows_max = 4;       ///< Names after an arrow; more are counted.
  std::size_t plans_max = 50;
  bool unicode = true;
};

/// Plan by plan its layers (what may run at once), each task with what it waits for behind an
/// arrow. Large plans are folded, with a note.
[[nodiscard]] std::string draw_text(const objective_spec& spec, const resolved_objective& edges,
                                    const text_graph_options& options,
                                    const graph_marks& marks = {});

/// Complete, however large.
[[nodiscard]] std::string draw_dot(const objective_spec& spec, const resolved_objective& edges,
                                   const graph_marks& marks = {});
[[nodiscard]] std::string draw_mermaid(const objective_spec& spec, const resolved_objective& edges,
                                       const graph_marks& marks = {});

/// Above this many tasks an SVG is of no use; `draw_svg` refuses (limit_exceeded) and
/// recommends dot.
inline constexpr std::size_t svg_tasks_max = 5000;

/// Left to right in layers, a band per plan, few crossings; readable on light and dark backgrounds.
[[nodiscard]] result<std::string> draw_svg(const objective_spec& spec,
                                           const resolved_objective& edges,
                                           const graph_marks& marks = {});

} // namespace troupe
