// How far objectives and plans are: never back within a revision, whole only when completed, and at
// the end what a fresh computation gives.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

constexpr double millionths = 1'000'000;
constexpr double tolerance = 1e-6;

verdict check_whole(const std::string& of, const std::string& state, double fraction) {
  if ((fraction >= 1) == (state == "completed"))
    return std::nullopt;
  return of + " is " + state + ", and shows progress " + std::to_string(fraction);
}

/// The alternatives of its plans; empty: it has none.
std::map<std::string, std::vector<std::string>> alternatives_of(const history& seen,
                                                                const std::string& objective) {
  std::map<std::string, std::vector<std::string>> out;
  const auto ordered = std::ranges::find(seen.objectives, objective, &ordered_objective::id);
  if (ordered != seen.objectives.end())
    for (const auto& plan : ordered->plans)
      if (!plan.alternatives.empty())
        out[plan.name] = plan.alternatives;
  return out;
}

/// Of a plan and its alternatives one counts: none that was replaced, or has not begun.
std::set<std::string> without_weight(const history& seen, const shown_objective& shown) {
  std::set<std::string> out;
  for (const auto& [first, others] : alternatives_of(seen, shown.id)) {
    bool is_replaced = false;
    const auto look_at = [&](const std::string& name, bool is_alternative) {
      const auto plan = std::ranges::find(shown.plans, name, &shown_plan::name);
      if (plan == shown.plans.end())
        return;
      if ((plan->state == "failed" && is_replaced) || (plan->state == "pending" && is_alternative))
        out.insert(name);
      is_replaced = is_replaced || (plan->state != "pending" && plan->state != "skipped");
    };
    for (auto each = others.rbegin(); each != others.rend(); ++each)
      look_at(*each, true);
    look_at(first, false);
  }
  return out;
}

verdict check_sightings(const history& seen) {
  std::map<std::string, std::vector<const progress_sighting*>> by_id;
  for (const auto& each : seen.progress) {
    if (auto wrong = check_whole(each.of, each.state, each.fraction))
      return wrong;
    // The revision of a plan says nothing about other changes of its objective.
    if (each.objective_revision == 0 && each.revision != 0)
      continue;
    auto& before = by_id[each.of];
    for (const auto* other : before)
      if (other->ended < each.began && other->objective_revision == each.objective_revision
          && each.fraction + tolerance < other->fraction)
        return each.of + " was shown at " + std::to_string(other->fraction) + " and then at "
               + std::to_string(each.fraction) + ", in one revision";
    before.push_back(&each);
  }
  return std::nullopt;
}

/// Milliseconds of a task of which none are known.
double usual_weight(const shown_objective& shown) {
  std::vector<std::int64_t> known;
  for (const auto& plan : shown.plans)
    for (const auto& task : plan.tasks)
      if (task.expected_seconds > 0)
        known.push_back(std::llround(task.expected_seconds * 1000));
  if (known.empty())
    return 1000;
  std::ranges::sort(known);
  const auto middle = known.size() / 2;
  return static_cast<double>(known.size() % 2 == 1 ? known[middle]
                                                   : (known[middle - 1] + known[middle]) / 2);
}

/// Millionths that tasks had reached, by the place of the plan and its task.
using reached = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;

struct journal_view {
  reached how_far;
  std::map<std::string, std::uint32_t> plans; ///< Places by names.
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> tasks;
};

journal_view read_facts(const std::vector<objective_fact>& facts) {
  journal_view out;
  for (const auto& each : facts) {
    const std::pair place{each.plan, each.task};
    switch (each.kind) {
      case fact_kind::plan_added: out.plans[each.text] = each.plan; break;
      case fact_kind::task_added:
      case fact_kind::task_renamed: out.tasks[{each.plan, each.text}] = each.task; break;
      case fact_kind::task_begun:
      case fact_kind::task_renewed: out.how_far[place] = 0; break;
      case fact_kind::task_reached: out.how_far[place] = each.on; break;
      default: break;
    }
  }
  return out;
}

/// Where a task stands in its plan. Several may have one name; an id that the server made ends with
/// the place ("c0.o1.p0.t7", and "c0.o1.p0.t7.r1" once it was tried again).
std::optional<std::uint32_t> place_in_plan(const shown_task& task, std::uint32_t plan,
                                           const journal_view& journal) {
  const auto mark = task.id.rfind(".t");
  std::uint32_t place = 0;
  if (mark != std::string::npos
      && std::from_chars(task.id.data() + mark + 2, task.id.data() + task.id.size(), place).ec
             == std::errc{})
    return place;
  const auto found = journal.tasks.find({plan, task.name});
  return found == journal.tasks.end() ? std::nullopt : std::optional{found->second};
}

shown_progress computed(const shown_plan& plan, const journal_view& journal, double usual) {
  shown_progress out;
  const auto plan_at = journal.plans.find(plan.name);
  for (const auto& task : plan.tasks) {
    if (task.state == "skipped")
      continue;
    const auto weight = task.expected_seconds > 0 ? task.expected_seconds * 1000 : usual;
    double fraction = task.state == "completed" ? 1 : 0;
    if (task.state != "completed" && task.state != "pending" && plan_at != journal.plans.end()) {
      if (const auto at = place_in_plan(task, plan_at->second, journal))
        if (const auto far = journal.how_far.find({plan_at->second, *at});
            far != journal.how_far.end())
          fraction = far->second / millionths;
    }
    out.done += weight * fraction / 1000;
    out.total += weight / 1000;
  }
  return out;
}

verdict compare_progress(const std::string& of, const shown_progress& shown,
                         const shown_progress& computed) {
  if (std::abs(shown.done - computed.done) < tolerance
      && std::abs(shown.total - computed.total) < tolerance)
    return std::nullopt;
  return of + " shows " + std::to_string(shown.done) + " of " + std::to_string(shown.total)
         + " done, and it is " + std::to_string(computed.done) + " of "
         + std::to_string(computed.total);
}

verdict check_end(const history& seen, const shown_objective& shown) {
  if (auto wrong = check_whole("objective " + shown.id, shown.state, shown.progress.fraction))
    return wrong;
  const auto facts = seen.facts.find(shown.id);
  const auto journal =
      read_facts(facts == seen.facts.end() ? std::vector<objective_fact>{} : facts->second);
  const auto usual = usual_weight(shown);
  const auto apart = without_weight(seen, shown);
  shown_progress sum;
  for (const auto& plan : shown.plans) {
    const auto name = "plan " + plan.id;
    if (auto wrong = check_whole(name, plan.state, plan.progress.fraction))
      return wrong;
    const auto own = computed(plan, journal, usual);
    if (auto wrong = compare_progress(name, plan.progress, own))
      return wrong;
    if (plan.progress.total > 0
        && plan.progress.fraction + tolerance < std::min(own.done / own.total, 0.999999))
      return name + " shows less progress than it has made";
    if (plan.state == "skipped" || apart.contains(plan.name))
      continue;
    sum.done += own.done;
    sum.total += own.total;
  }
  return compare_progress("objective " + shown.id, shown.progress, sum);
}

} // namespace

verdict check_progress(const history& seen) {
  if (auto wrong = check_sightings(seen))
    return wrong;
  for (const auto& shown : seen.ends)
    if (auto wrong = check_end(seen, shown))
      return wrong;
  return std::nullopt;
}

} // namespace troupe::sim
