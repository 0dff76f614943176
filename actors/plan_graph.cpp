#include "actors/plan_graph.hpp"

#include <algorithm>
#include <cassert>

namespace troupe {

plan_graph::plan_graph(std::uint32_t size, const std::vector<graph_edge>& edges, std::span<const std::uint32_t> externals)
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

std::span<const std::uint32_t> plan_graph::dependents(std::uint32_t task) const noexcept {
  return {targets_.data() + offsets_[task], targets_.data() + offsets_[task + 1]};
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
  for (const auto dependent : dependents(task))
    if (one_less(dependent))
      released.push_back(dependent);
}

bool plan_graph::external_done(std::uint32_t task) {
  return state_[task] == node::waiting && one_less(task);
}

std::vector<std::uint32_t> plan_graph::abandon(std::uint32_t task) {
  std::vector<std::uint32_t> lost;
  const auto visit = [&](std::uint32_t from) {
    for (const auto dependent : dependents(from))
      if (state_[dependent] == node::waiting) {
        state_[dependent] = node::abandoned;
        --waiting_;
        lost.push_back(dependent);
      }
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

} // namespace troupe
