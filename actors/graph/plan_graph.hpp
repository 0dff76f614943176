// Which tasks of one plan may run: a plain value, which the plan actor asks. It knows no actors, no
// time and no agents. Made by resolve_dependencies (objective_graph.hpp), which has
// refused unknown names and cycles.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace troupe {

/// `to` cannot start before `from` has completed.
struct graph_edge {
  std::uint32_t from;
  std::uint32_t to;

  friend bool operator==(const graph_edge&, const graph_edge&) = default;
};

struct plan_changed;

class plan_graph {
public:
  plan_graph() = default;
  /// `externals[i]` counts what task i waits for outside this plan (may be empty: none). Linear in
  /// size and edges; a double edge counts once.
  plan_graph(std::uint32_t size, const std::vector<graph_edge>& edges,
             std::span<const std::uint32_t> externals = {});

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(waits_for_.size());
  }
  /// Calls `visit(dependent)` for each task that depends on `task`.
  template<class Visit>
  void for_each_dependent(std::uint32_t task, Visit visit) const {
    for (auto i = offsets_[task]; i < offsets_[task + 1]; ++i)
      if (targets_[i] != removed_edge)
        visit(targets_[i]);
    if (added_.empty())
      return;
    if (const auto more = added_.find(task); more != added_.end())
      for (const auto dependent : more->second)
        visit(dependent);
  }

  // -- what happened -> what may happen now -------------------------------------------------------

  /// The tasks that wait for nothing. Call once.
  [[nodiscard]] std::vector<std::uint32_t> start();
  /// `task` completed: appends the tasks this sets free to `released`.
  void complete(std::uint32_t task, std::vector<std::uint32_t>& released);
  /// One of the things outside this plan that `task` waits for has completed; true if it may start
  /// now. News of a task that no longer waits is passed over.
  [[nodiscard]] bool external_done(std::uint32_t task);
  /// `task` will never complete: all tasks that therefore never start (transitive, `task` itself
  /// not among them), each reported once in the life of the graph.
  [[nodiscard]] std::vector<std::uint32_t> abandon(std::uint32_t task);
  /// All tasks that were neither released nor abandoned; they are abandoned now.
  [[nodiscard]] std::vector<std::uint32_t> abandon_rest();

  // -- changes while it goes on -------------------------------------------------------------------
  // Each costs the edges it touches. The caller makes sure that no task is changed that has begun,
  // and that there is no cycle.

  /// One more task, the last; it waits for `externals` things outside. With none it is `waiting`
  /// until `start_added`.
  std::uint32_t add_task(std::uint32_t externals = 0);
  /// Whether a task that was added, with its edges, may start now.
  [[nodiscard]] bool start_added(std::uint32_t task);
  /// `to` waits for `from` as well, also if it was released and has not begun: false if it still
  /// may start, because `from` has completed. An edge that is there already changes nothing.
  bool add_edge(graph_edge edge);
  /// True if its `to` may start now.
  [[nodiscard]] bool remove_edge(graph_edge edge);
  /// `task` has not begun and never will; `dependencies`: what it waits for. Appends the tasks
  /// that may start now to `released`.
  void remove_task(std::uint32_t task, std::span<const std::uint32_t> dependencies,
                   std::vector<std::uint32_t>& released);

  /// What depends on `task` need not wait for it any more, also if it never began. Appends whom
  /// this sets free. A second call changes nothing.
  void satisfy(std::uint32_t task, std::vector<std::uint32_t>& released);
  /// `task`, which had ended, is to be done again. Appends it if it may start now. Of those that
  /// depend on it, `can_wait` says which wait again.
  template<class CanWait>
  void renew(std::uint32_t task, std::vector<std::uint32_t>& released, CanWait can_wait) {
    if (state_[task] == node::completed)
      for_each_dependent(task, [&](std::uint32_t dependent) {
        ++waits_for_[dependent];
        if (state_[dependent] == node::released && can_wait(dependent))
          wait(dependent);
      });
    wait(task);
    if (waits_for_[task] == 0 && release(task))
      released.push_back(task);
  }

  /// Whether it may start, or has started.
  [[nodiscard]] bool is_released(std::uint32_t task) const noexcept {
    return state_[task] == node::released;
  }

  // -- counts -------------------------------------------------------------------------------------

  /// Tasks neither released nor abandoned.
  [[nodiscard]] std::uint32_t waiting() const noexcept { return waiting_; }

  /// Edges and tasks that changes have looked at so far.
  [[nodiscard]] std::size_t touched() const noexcept { return touched_; }

private:
  enum class node : std::uint8_t { waiting, released, completed, abandoned };
  static constexpr std::uint32_t removed_edge = 0xffffffff;

  bool release(std::uint32_t task);
  void wait(std::uint32_t task) noexcept {
    waiting_ += state_[task] == node::waiting ? 0 : 1;
    state_[task] = node::waiting;
  }
  bool one_less(std::uint32_t task);
  [[nodiscard]] bool has_edge(graph_edge edge);

  // Compressed rows: the dependents of i are targets_[offsets_[i] .. offsets_[i + 1]).
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> targets_;
  /// Where the row of a task ends now, if an edge of it was removed: behind that, all are removed.
  std::unordered_map<std::uint32_t, std::uint32_t> ends_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>
      added_; ///< Dependents that came later.
  std::vector<std::uint32_t> waits_for_;
  std::vector<node> state_;
  std::uint32_t waiting_ = 0;
  std::size_t touched_ = 0;
};

/// Changes the graph as the plan was changed; the tasks that may start now. Costs what is touched.
[[nodiscard]] std::vector<std::uint32_t> apply(plan_graph& graph, const plan_changed& changed);

} // namespace troupe
