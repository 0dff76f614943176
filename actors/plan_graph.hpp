// Which tasks of one plan may run, as a plain value: the plan actor asks, this answers. Knows nothing of actors, time or agents.
// Made by resolve_dependencies (objective_graph.hpp), which has refused unknown names and cycles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace troupe {

/// `to` cannot start before `from` has completed.
struct graph_edge {
  std::uint32_t from;
  std::uint32_t to;

  friend bool operator==(const graph_edge&, const graph_edge&) = default;
};

class plan_graph {
public:
  plan_graph() = default;
  /// `externals[i]` counts what task i waits for outside this plan (may be empty: none). Linear in size and edges; a double edge counts once.
  plan_graph(std::uint32_t size, const std::vector<graph_edge>& edges, std::span<const std::uint32_t> externals = {});

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(waits_for_.size()); }
  [[nodiscard]] std::span<const std::uint32_t> dependents(std::uint32_t task) const noexcept;

  // -- what happened -> what may happen now --------------------------------------------------------------------------

  /// The tasks that wait for nothing. Call once.
  [[nodiscard]] std::vector<std::uint32_t> start();
  /// `task` completed: appends the tasks this sets free to `released`.
  void complete(std::uint32_t task, std::vector<std::uint32_t>& released);
  /// One of the things outside this plan that `task` waits for has completed; true if it may start now. News of a task that no
  /// longer waits is passed over.
  [[nodiscard]] bool external_done(std::uint32_t task);
  /// `task` will never complete: all tasks that therefore never start (transitive, `task` itself not among them), each
  /// reported once in the life of the graph.
  [[nodiscard]] std::vector<std::uint32_t> abandon(std::uint32_t task);
  /// All tasks that were neither released nor abandoned; they are abandoned now.
  [[nodiscard]] std::vector<std::uint32_t> abandon_rest();

  // -- counts --------------------------------------------------------------------------------------------------------

  /// Tasks neither released nor abandoned.
  [[nodiscard]] std::uint32_t waiting() const noexcept { return waiting_; }

private:
  enum class node : std::uint8_t { waiting, released, abandoned };

  bool release(std::uint32_t task);
  bool one_less(std::uint32_t task);

  // Compressed rows: the dependents of i are targets_[offsets_[i] .. offsets_[i + 1]).
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint32_t> waits_for_;
  std::vector<node> state_;
  std::uint32_t waiting_ = 0;
};

} // namespace troupe
