#include "actors/graph/plan_graph.hpp"

#include <troupe/protocol/event.hpp>

#include <algorithm>
#include <cassert>

namespace troupe {

plan_graph::plan_graph(std::uint32_t size, const std::vector<graph_edge>& edges,
                       std::span<const std::uint32_t> externals)
    : offsets_(size + 1, 0), waits_for_(size, 0), state_(size, node::waiting), waiting_(size) {
  if (!externals.empty())
    std::copy(externals.begin(), externals.end(), waits_for_.begin());
  // Counting sort by source, then double edges out of each row.
  for (const auto& edge : edges)
    ++offsets_[edge.from + 1];
  for (std::size_t i = 1; i < offsets_.size(); ++i)
    offsets_[i] += offsets_[i - 1];
  targets_.resize(edges.size());
  auto next = offsets_;
  for (const auto& edge : edges)
    targets_[next[edge.from]++] = edge.to;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto begin = targets_.begin() + offsets_[i];
    const auto end = targets_.begin() + offsets_[i + 1];
    std::sort(begin, end);
    const auto unique_end = std::unique(begin, end);
    const auto row = kept;
    for (auto it = begin; it != unique_end; ++it) {
      ++waits_for_[*it];
      targets_[kept++] = *it;
    }
    offsets_[i] = row;
  }
  offsets_[size] = kept;
  targets_.resize(kept);
}

bool plan_graph::release(std::uint32_t task) {
  if (state_[task] != node::waiting)
    return false;
  state_[task] = node::released;
  --waiting_;
  return true;
}

bool plan_graph::one_less(std::uint32_t task) {
  assert(waits_for_[task] > 0);
  return --waits_for_[task] == 0 && release(task);
}

std::vector<std::uint32_t> plan_graph::start() {
  std::vector<std::uint32_t> released;
  for (std::uint32_t i = 0; i < size(); ++i)
    if (waits_for_[i] == 0 && release(i))
      released.push_back(i);
  return released;
}

void plan_graph::complete(std::uint32_t task, std::vector<std::uint32_t>& released) {
  state_[task] = node::completed;
  for_each_dependent(task, [&](std::uint32_t dependent) {
    if (one_less(dependent))
      released.push_back(dependent);
  });
}

void plan_graph::satisfy(std::uint32_t task, std::vector<std::uint32_t>& released) {
  if (state_[task] == node::completed)
    return;
  waiting_ -= state_[task] == node::waiting ? 1 : 0;
  complete(task, released);
}

bool plan_graph::external_done(std::uint32_t task) {
  return state_[task] == node::waiting && one_less(task);
}

std::vector<std::uint32_t> plan_graph::abandon(std::uint32_t task) {
  std::vector<std::uint32_t> lost;
  const auto visit = [&](std::uint32_t from) {
    for_each_dependent(from, [&](std::uint32_t dependent) {
      if (state_[dependent] != node::waiting)
        return;
      state_[dependent] = node::abandoned;
      --waiting_;
      lost.push_back(dependent);
    });
  };
  if (state_[task] == node::waiting) {
    state_[task] = node::abandoned;
    --waiting_;
  }
  visit(task);
  for (std::size_t i = 0; i < lost.size(); ++i)
    visit(lost[i]);
  return lost;
}

std::vector<std::uint32_t> plan_graph::abandon_rest() {
  std::vector<std::uint32_t> lost;
  for (std::uint32_t i = 0; i < size(); ++i)
    if (state_[i] == node::waiting) {
      state_[i] = node::abandoned;
      lost.push_back(i);
    }
  waiting_ = 0;
  return lost;
}

// -- changes while it goes on ---------------------------------------------------------------------

std::uint32_t plan_graph::add_task(std::uint32_t externals) {
  ++touched_;
  if (offsets_.empty())
    offsets_.push_back(0);
  offsets_.push_back(offsets_.back());
  waits_for_.push_back(externals);
  state_.push_back(node::waiting);
  ++waiting_;
  return size() - 1;
}

bool plan_graph::start_added(std::uint32_t task) {
  return waits_for_[task] == 0 && release(task);
}

bool plan_graph::has_edge(graph_edge edge) {
  bool found = false;
  for_each_dependent(edge.from, [&](std::uint32_t dependent) {
    ++touched_;
    found = found || dependent == edge.to;
  });
  return found;
}

bool plan_graph::add_edge(graph_edge edge) {
  ++touched_;
  if (has_edge(edge))
    return state_[edge.to] == node::waiting;
  added_[edge.from].push_back(edge.to);
  if (state_[edge.from] == node::completed)
    return state_[edge.to] == node::waiting;
  ++waits_for_[edge.to];
  if (state_[edge.to] == node::released) {
    state_[edge.to] = node::waiting;
    ++waiting_;
  }
  return true;
}

bool plan_graph::remove_edge(graph_edge edge) {
  ++touched_;
  bool found = false;
  // From the back: a change that removes all dependents of a task removes the last one first.
  const auto first = offsets_[edge.from];
  auto& end = ends_.try_emplace(edge.from, offsets_[edge.from + 1]).first->second;
  for (auto i = end; !found && i-- > first;) {
    ++touched_;
    found = targets_[i] == edge.to;
    if (found)
      targets_[i] = removed_edge;
  }
  while (end > first && targets_[end - 1] == removed_edge) {
    ++touched_;
    --end;
  }
  if (const auto more = added_.find(edge.from); !found && more != added_.end()) {
    touched_ += more->second.size();
    found = std::erase(more->second, edge.to) > 0;
  }
  if (!found || state_[edge.from] == node::completed || state_[edge.to] != node::waiting)
    return false;
  return one_less(edge.to);
}

void plan_graph::remove_task(std::uint32_t task, std::span<const std::uint32_t> dependencies,
                             std::vector<std::uint32_t>& released) {
  for (const auto from : dependencies)
    static_cast<void>(remove_edge({from, task}));
  if (state_[task] == node::waiting)
    --waiting_;
  state_[task] = node::abandoned;
  std::vector<std::uint32_t> freed;
  for_each_dependent(task, [&](std::uint32_t dependent) { freed.push_back(dependent); });
  for (const auto dependent : freed)
    if (remove_edge({task, dependent}))
      released.push_back(dependent);
}

std::vector<std::uint32_t> apply(plan_graph& graph, const plan_changed& changed) {
  std::vector<std::uint32_t> added;
  std::vector<std::uint32_t> freed;
  for (const auto& each : changed.operations) {
    if (const auto* one = std::get_if<add_task>(&each)) {
      added.push_back(graph.add_task());
      for (const auto on : one->spec.dependency_indexes)
        if (on != elsewhere)
          graph.add_edge({on, added.back()});
    } else if (const auto* removed = std::get_if<remove_task<std::uint32_t>>(&each)) {
      graph.remove_task(removed->task, {}, freed);
    } else if (const auto* more = std::get_if<add_dependency<std::uint32_t>>(&each)) {
      graph.add_edge({more->on, more->task});
    } else if (const auto* less = std::get_if<remove_dependency<std::uint32_t>>(&each)) {
      if (graph.remove_edge({less->on, less->task}))
        freed.push_back(less->task);
    }
  }
  for (const auto task : added)
    if (graph.start_added(task))
      freed.push_back(task);
  std::sort(freed.begin(), freed.end());
  freed.erase(std::unique(freed.begin(), freed.end()), freed.end());
  std::erase_if(freed, [&](std::uint32_t task) { return !graph.is_released(task); });
  return freed;
}

} // namespace troupe
