// The plans that benchmarks run, as plain graphs: who depends on whom, by position. Every contender
// gets the same one. A plain value without behaviour.
#pragma once

#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace troupe::bench {

/// A plan without names: `dependencies[i]` are the positions task i waits for.
struct shape {
  std::string name;
  std::vector<std::vector<std::uint32_t>> dependencies;
  std::vector<std::vector<std::uint32_t>> dependents; ///< The same edges, the other way round.

  [[nodiscard]] std::size_t size() const noexcept { return dependencies.size(); }
};

using shape_ptr = std::shared_ptr<const shape>;

/// Each task after the one before it.
[[nodiscard]] shape_ptr make_chain(std::size_t tasks);
/// One task, then all others at once.
[[nodiscard]] shape_ptr make_fan_out(std::size_t tasks);
/// All but the last at once, then the last.
[[nodiscard]] shape_ptr make_fan_in(std::size_t tasks);
/// A square grid, each task after its upper and its left neighbour; the last row may be short.
[[nodiscard]] shape_ptr make_lattice(std::size_t tasks);

/// An objective with one plan of this shape; every task is of this agent.
[[nodiscard]] objective_spec spec_of(const shape& shape, const std::string& agent = "noop");

} // namespace troupe::bench
