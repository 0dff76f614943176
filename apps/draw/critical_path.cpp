#include "apps/draw/critical_path.hpp"

#include <algorithm>
#include <numeric>

namespace troupe {

namespace {

/// Tasks of all plans in one numbering, followed by one gate before and one after each plan.
class numbering {
public:
  explicit numbering(const std::vector<plan_spec_ptr>& plans) : plans_(plans.size()) {
    first_.reserve(plans.size() + 1);
    first_.push_back(0);
    for (const auto& plan : plans)
      first_.push_back(first_.back() + plan->tasks.size());
  }

  [[nodiscard]] std::size_t task(std::size_t plan, std::size_t index) const {
    return first_[plan] + index;
  }
  [[nodiscard]] std::size_t tasks() const { return first_.back(); }
  [[nodiscard]] std::size_t before(std::size_t plan) const { return tasks() + plan; }
  [[nodiscard]] std::size_t after(std::size_t plan) const { return tasks() + plans_ + plan; }
  [[nodiscard]] std::size_t size() const { return tasks() + 2 * plans_; }

private:
  std::size_t plans_;
  std::vector<std::size_t> first_;
};

struct path_edge {
  std::size_t from;
  std::size_t to;
};

std::vector<path_edge> edges_of(const std::vector<plan_spec_ptr>& plans,
                                const resolved_objective& from, const numbering& nodes) {
  std::vector<path_edge> out;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    const auto& plan = from.plans[p];
    for (std::size_t t = 0; t < plans[p]->tasks.size(); ++t) {
      out.push_back({nodes.before(p), nodes.task(p, t)});
      out.push_back({nodes.task(p, t), nodes.after(p)});
      for (auto i = plan.dependency_offsets[t]; i < plan.dependency_offsets[t + 1]; ++i)
        out.push_back(
            {nodes.task(plan.dependency_positions[i].plan, plan.dependency_positions[i].task),
             nodes.task(p, t)});
    }
    for (const auto d : plan.dependencies) {
      out.push_back({nodes.after(d), nodes.before(p)});
      for (const auto alternative : from.plans[d].alternatives)
        if (alternative != p)
          out.push_back({nodes.after(alternative), nodes.before(p)});
    }
    for (const auto alternative : plan.alternatives)
      out.push_back({nodes.after(p), nodes.before(alternative)});
  }
  return out;
}

constexpr std::size_t no_node = static_cast<std::size_t>(-1);

/// Longest path to the end of each node; nodes on a cycle stay at 0. `came_from`: the node before
/// each on that path, if it has one.
std::vector<std::int64_t> longest(std::size_t size, const std::vector<path_edge>& edges,
                                  const std::vector<std::int64_t>& weight,
                                  std::vector<std::size_t>* came_from = nullptr) {
  if (came_from != nullptr)
    came_from->assign(size, no_node);
  std::vector<std::size_t> offsets(size + 1, 0);
  std::vector<std::size_t> waits(size, 0);
  for (const auto& edge : edges) {
    ++offsets[edge.from + 1];
    ++waits[edge.to];
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<std::size_t> targets(edges.size());
  auto next = offsets;
  for (const auto& edge : edges)
    targets[next[edge.from]++] = edge.to;
  std::vector<std::int64_t> begin(size, 0);
  std::vector<std::int64_t> end(size, 0);
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < size; ++i)
    if (waits[i] == 0)
      ready.push_back(i);
  while (!ready.empty()) {
    const auto node = ready.back();
    ready.pop_back();
    end[node] = begin[node] + weight[node];
    for (auto i = offsets[node]; i < offsets[node + 1]; ++i) {
      if (came_from != nullptr && end[node] > begin[targets[i]])
        (*came_from)[targets[i]] = node;
      begin[targets[i]] = std::max(begin[targets[i]], end[node]);
      if (--waits[targets[i]] == 0)
        ready.push_back(targets[i]);
    }
  }
  return end;
}

std::vector<std::int64_t> weights_of(const std::vector<plan_spec_ptr>& plans,
                                     const numbering& nodes, const task_weight& weight) {
  std::vector<std::int64_t> out(nodes.size(), 0);
  for (std::uint32_t p = 0; p < plans.size(); ++p)
    for (std::uint32_t t = 0; t < plans[p]->tasks.size(); ++t)
      out[nodes.task(p, t)] = std::max<std::int64_t>(0, weight(p, t));
  return out;
}

} // namespace

std::vector<std::vector<bool>> critical_tasks(const std::vector<plan_spec_ptr>& plans,
                                              const resolved_objective& edges,
                                              const task_weight& weight) {
  const numbering nodes(plans);
  std::vector<std::size_t> came_from;
  const auto end = longest(nodes.size(), edges_of(plans, edges, nodes),
                           weights_of(plans, nodes, weight), &came_from);
  std::vector<bool> is_on(nodes.size(), false);
  const auto last = std::max_element(end.begin(), end.end());
  if (last != end.end() && *last > 0)
    for (auto at = static_cast<std::size_t>(last - end.begin()); at != no_node; at = came_from[at])
      is_on[at] = true;
  std::vector<std::vector<bool>> out;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    auto& marks = out.emplace_back();
    for (std::size_t t = 0; t < plans[p]->tasks.size(); ++t)
      marks.push_back(is_on[nodes.task(p, t)]);
  }
  return out;
}

std::int64_t critical_path(const std::vector<plan_spec_ptr>& plans, const resolved_objective& edges,
                           const task_weight& weight) {
  const numbering nodes(plans);
  const auto end =
      longest(nodes.size(), edges_of(plans, edges, nodes), weights_of(plans, nodes, weight));
  return end.empty() ? 0 : *std::max_element(end.begin(), end.end());
}

std::int64_t critical_path_tasks(const std::vector<plan_spec_ptr>& plans,
                                 const resolved_objective& edges) {
  return critical_path(plans, edges, [&](std::uint32_t plan, std::uint32_t) {
    return edges.plans[plan].alternative_of ? 0 : 1;
  });
}

std::vector<std::vector<std::int64_t>> steps_of(const std::vector<plan_spec_ptr>& plans,
                                                const resolved_objective& edges) {
  const numbering nodes(plans);
  std::vector<std::int64_t> weights(nodes.size(), 0);
  std::fill_n(weights.begin(), nodes.tasks(), 1);
  const auto end = longest(nodes.size(), edges_of(plans, edges, nodes), weights);
  std::vector<std::vector<std::int64_t>> out;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    auto& steps = out.emplace_back();
    for (std::size_t t = 0; t < plans[p]->tasks.size(); ++t)
      steps.push_back(end[nodes.task(p, t)] - 1);
  }
  return out;
}

std::vector<std::uint32_t> layers_of(const plan_spec& plan, const resolved_plan& edges) {
  std::vector<path_edge> inside;
  inside.reserve(edges.edges.size());
  for (const auto& edge : edges.edges)
    inside.push_back({edge.from, edge.to});
  const std::vector<std::int64_t> one(plan.tasks.size(), 1);
  const auto end = longest(plan.tasks.size(), inside, one);
  std::vector<std::uint32_t> out;
  out.reserve(end.size());
  for (const auto each : end)
    out.push_back(each > 0 ? static_cast<std::uint32_t>(each - 1) : 0);
  return out;
}

} // namespace troupe
