#include "actors/planning/replacement.hpp"

#include "actors/graph/objective_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "planner/verdict.hpp"

namespace troupe {

namespace {

/// Which plan of `from` a name means.
std::map<std::string, std::size_t, std::less<>> names_of(const objective_spec& from) {
  std::map<std::string, std::size_t, std::less<>> out;
  for (std::size_t i = 0; i < from.plans.size(); ++i) {
    const auto& plan = *from.plans[i];
    out["plan-" + std::to_string(i)] = i;
    for (const auto& name : {plan.id.str(), plan.key, plan.name})
      if (!name.empty())
        out.emplace(name, i);
  }
  return out;
}

/// How the plans that go stand to the others.
class removal {
public:
  explicit removal(const objective_view& now) : now_(now) {
    std::vector<plan_spec_ptr> plans;
    for (const auto& plan : now.plans)
      plans.push_back(plan.spec);
    if (auto resolved = resolve_accepted(plans))
      relations_ = std::move(resolved->plans);
    for (std::uint32_t p = 0; p < relations_.size(); ++p)
      if (may_go(p))
        gone_.insert(p);
    while (drop_needed()) {
    }
  }

  /// Dependents first.
  [[nodiscard]] std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> out;
    auto left = gone_;
    while (!left.empty()) {
      const auto next = std::ranges::find_if(left, [&](std::uint32_t plan) {
        return std::ranges::none_of(
            left, [&](std::uint32_t other) { return other != plan && needs(other, plan); });
      });
      if (next == left.end())
        return out; // Accepted plans make no cycle.
      out.push_back(*next);
      left.erase(next);
    }
    return out;
  }

  /// What they waited for and what stays, unless it has completed.
  [[nodiscard]] std::vector<std::string> awaited() const {
    std::set<std::uint32_t> found;
    const auto add = [&](std::uint32_t on) {
      if (!gone_.contains(on) && !is_settled(now_.plans[on].state))
        found.insert(on);
    };
    for (const auto plan : gone_) {
      std::ranges::for_each(relations_[plan].dependencies, add);
      for (const auto& each : now_.plans[plan].spec->outside)
        add(each.on_plan);
    }
    std::vector<std::string> out;
    for (const auto plan : found)
      out.push_back(now_.plans[plan].spec->id.str());
    return out;
  }

private:
  [[nodiscard]] bool may_go(std::uint32_t plan) const {
    const auto& view = now_.plans[plan];
    const auto& relations = relations_[plan];
    return view.state == plan_state::pending && !view.spec->is_removed
           && relations.alternatives.empty() && !relations.alternative_of;
  }
  [[nodiscard]] bool needs(std::uint32_t plan, std::uint32_t on) const {
    const auto& spec = *now_.plans[plan].spec;
    return std::ranges::find(relations_[plan].dependencies, on)
               != relations_[plan].dependencies.end()
           || std::ranges::any_of(
               spec.outside, [on](const outside_dependency& each) { return each.on_plan == on; });
  }
  /// A plan that stays keeps those that it needs. False: no more do.
  bool drop_needed() {
    for (std::uint32_t other = 0; other < relations_.size(); ++other) {
      if (gone_.contains(other) || now_.plans[other].spec->is_removed)
        continue;
      if (std::erase_if(gone_, [&](std::uint32_t plan) { return needs(other, plan); }) > 0)
        return true;
    }
    return false;
  }

  const objective_view& now_;
  std::vector<resolved_plan> relations_;
  std::set<std::uint32_t> gone_;
};

} // namespace

std::vector<wanted_objective_operation>
with_note(const std::vector<wanted_objective_operation>& from, const boost::json::object& note) {
  auto out = from;
  for (auto& each : out)
    if (auto* added = std::get_if<new_plan>(&each)) {
      added->spec = std::make_shared<plan_spec>(*added->spec);
      added->spec->metadata[planner::planner_key] = note;
    }
  return out;
}

std::vector<new_plan> plans_as_operations(const objective_spec& from) {
  const auto names = names_of(from);
  std::vector<new_plan> out;
  std::vector<bool> is_placed(from.plans.size());
  const auto position_of = [&](const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? from.plans.size() : found->second;
  };
  const auto called = [&](std::size_t plan) { return "new-" + std::to_string(plan); };
  const auto rename = [&](std::vector<std::string>& written) {
    for (auto& name : written)
      if (const auto plan = position_of(name); plan < from.plans.size())
        name = called(plan);
  };
  const auto is_ready = [&](const plan_spec& plan) {
    const auto is_there = [&](const std::string& name) {
      const auto on = position_of(name);
      return on == from.plans.size() || is_placed[on];
    };
    return std::ranges::all_of(plan.dependencies, is_there)
           && std::ranges::all_of(plan.alternatives, is_there);
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < from.plans.size(); ++i) {
      if (is_placed[i] || !is_ready(*from.plans[i]))
        continue;
      auto spec = std::make_shared<plan_spec>(*from.plans[i]);
      spec->id = {};
      spec->key.clear();
      rename(spec->dependencies);
      rename(spec->alternatives);
      out.push_back({std::move(spec), false, called(i)});
      is_placed[i] = goes_on = true;
    }
  }
  return out;
}

std::vector<wanted_objective_operation> replacing_operations(const objective_view& now,
                                                             std::vector<new_plan> plans) {
  const removal old(now);
  const auto awaited = old.awaited();
  std::vector<wanted_objective_operation> out;
  for (const auto plan : old.order())
    out.emplace_back(remove_plan<std::string>{now.plans[plan].spec->id.str()});
  for (auto& plan : plans) {
    if (plan.spec->dependencies.empty())
      plan.spec->dependencies = awaited;
    out.emplace_back(std::move(plan));
  }
  return out;
}

} // namespace troupe
