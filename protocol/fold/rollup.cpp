#include "protocol/fold/rollup.hpp"

#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace troupe {

namespace {

constexpr std::uint32_t working_fraction_max = 990'000;
constexpr std::uint32_t unfinished_fraction_max = whole_fraction - 1;
/// The weight of a task while no task of its objective has an expected time.
constexpr std::int64_t usual_weight_ms = 1000;

/// Three digits are enough for an estimate, and bound how many different ones there are.
std::int64_t rounded_ms(milliseconds expected) noexcept {
  auto value = expected.count();
  std::int64_t unit = 1;
  while (value / unit >= 1000)
    unit *= 10;
  return (value + unit / 2) / unit * unit;
}

std::uint64_t unknown_weight_ms(const objective_rollup& of) noexcept {
  return static_cast<std::uint64_t>(of.median_ms > 0 ? of.median_ms : usual_weight_ms);
}

// -- one task -------------------------------------------------------------------------------------

bool counts(const task_spec& spec, const task_summary& summary) noexcept {
  return !spec.is_removed && (!summary.is_skipped || summary.state == task_state::completed);
}

std::uint32_t fraction_of_task(const plan_view& plan, std::uint32_t task) {
  const auto state = plan.tasks[task].state;
  if (state == task_state::completed)
    return whole_fraction;
  const bool has_begun = state != task_state::unspecified;
  return has_begun && task < plan.rollup.reached.size() ? plan.rollup.reached[task] : 0;
}

/// What the task adds to the sums. Nothing while its summary is lent.
rollup_sums sums_of_task(const plan_view& plan, std::uint32_t task) {
  rollup_sums out;
  if (task >= plan.tasks.size() || !counts(plan.spec->tasks[task], plan.tasks[task]))
    return out;
  const auto fraction = fraction_of_task(plan, task);
  const auto weight = static_cast<std::uint64_t>(rounded_ms(plan.spec->tasks[task].expected));
  if (weight > 0) {
    out.known_total = weight;
    out.known_done = weight;
    out.known_done *= fraction;
  } else {
    out.unknown_tasks = 1;
    out.unknown_done = fraction;
  }
  return out;
}

// -- sums -----------------------------------------------------------------------------------------

std::uint64_t total_ms(const rollup_sums& sums, const objective_rollup& of) noexcept {
  return sums.known_total + sums.unknown_tasks * unknown_weight_ms(of);
}

/// In milliseconds, times millionths.
auto done_of(const rollup_sums& sums, const objective_rollup& of) noexcept {
  auto out = sums.known_done;
  out += decltype(out){sums.unknown_done} * unknown_weight_ms(of);
  return out;
}

/// Without regard to what was held. `completed`: it is whole then, and never before.
std::uint32_t fraction_now(const rollup_sums& sums, const objective_rollup& of,
                           bool completed) noexcept {
  if (completed)
    return whole_fraction;
  const auto total = total_ms(sums, of);
  if (total == 0)
    return 0;
  const auto fraction = static_cast<std::uint64_t>(done_of(sums, of) / total);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(fraction, unfinished_fraction_max));
}

std::uint32_t fraction_now(const objective_view& view) noexcept {
  return fraction_now(view.rollup.sums, view.rollup, view.state == objective_state::completed);
}

std::uint32_t fraction_now(const objective_view& view, const plan_view& plan) noexcept {
  return fraction_now(plan.rollup.sums, view.rollup, plan.state == plan_state::completed);
}

/// Whether the fraction may be less with `more` in place of `less`.
bool may_lower(const rollup_sums& less, const rollup_sums& more) noexcept {
  return more.known_done < less.known_done || more.unknown_done < less.unknown_done
         || more.known_total > less.known_total || more.unknown_tasks > less.unknown_tasks;
}

/// With what was held: of this revision the highest.
std::uint32_t shown_fraction(const held_fraction& held, std::uint64_t revision,
                             std::uint32_t now) noexcept {
  return held.revision == revision ? std::max(held.fraction, now) : now;
}

/// Keeps the fraction that is shown now, before it may become less. As long as it only grows,
/// nothing is kept.
void hold(objective_view& view, plan_view* plan) {
  const auto keep = [&](held_fraction& held, std::uint32_t now) {
    held = {shown_fraction(held, view.revision, now), view.revision};
  };
  keep(view.rollup.held, fraction_now(view));
  if (plan)
    keep(plan->rollup.held, fraction_now(view, *plan));
}

rolled_up shown_of(const rollup_sums& sums, const objective_rollup& of, std::uint32_t fraction) {
  constexpr double unit = 1000.0;
  return {static_cast<double>(done_of(sums, of)) / (unit * whole_fraction),
          static_cast<double>(total_ms(sums, of)) / unit, fraction};
}

// -- which plans count ----------------------------------------------------------------------------

/// The plans of which one at a time counts: a plan and its alternatives.
std::vector<std::uint32_t> group_of(const objective_view& view, std::uint32_t plan) {
  const auto first = view.plans[plan].rollup.alternative_of.value_or(plan);
  std::vector<std::uint32_t> out{first};
  const auto& others = view.plans[first].rollup.alternatives;
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

bool has_begun(const plan_view& plan) noexcept {
  return plan.state != plan_state::pending && plan.state != plan_state::skipped;
}

/// Whether a plan of a group counts. `is_replaced`: one after it has begun.
bool counts(const plan_view& plan, bool is_replaced) noexcept {
  switch (plan.state) {
    case plan_state::pending: return !plan.rollup.alternative_of;
    case plan_state::skipped: return false;
    case plan_state::failed: return !is_replaced;
    case plan_state::working:
    case plan_state::blocked:
    case plan_state::completed: break;
  }
  return true;
}

void count_group(objective_view& view, std::uint32_t plan) {
  const auto group = group_of(view, plan);
  bool is_replaced = false;
  for (auto each = group.rbegin(); each != group.rend(); ++each) {
    const auto& member = view.plans[*each];
    const bool counts_now = counts(member, is_replaced);
    is_replaced = is_replaced || has_begun(member);
    if (counts_now == member.rollup.is_counted)
      continue;
    if (counts_now)
      view.rollup.sums += member.rollup.sums;
    else
      view.rollup.sums -= member.rollup.sums;
    view.plans.edit(*each).rollup.is_counted = counts_now;
  }
}

void count_blocked(objective_view& view, plan_state state, int by) {
  if (state == plan_state::blocked)
    view.rollup.plans_blocked +=
        static_cast<std::uint32_t>(by); // Wraps around for -1, as it should.
}

/// Plans by what others call them: an id, else a name, else a position.
class plans_by_name {
public:
  explicit plans_by_name(const objective_view& view)
      : size_(static_cast<std::uint32_t>(view.plans.size())) {
    for (std::uint32_t p = 0; p < size_; ++p) {
      if (!view.plans[p].spec)
        continue;
      const auto& spec = *view.plans[p].spec;
      ids_.try_emplace(spec.key, p);
      ids_.try_emplace(spec.id.str(), p);
      names_.try_emplace(spec.name, p);
    }
    ids_.erase("");
  }

  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const {
    for (const auto* in : {&ids_, &names_})
      if (const auto found = in->find(name); found != in->end())
        return found->second;
    constexpr std::string_view prefix = "plan-";
    std::uint32_t at = 0;
    if (!name.starts_with(prefix))
      return std::nullopt;
    const auto* end = name.data() + name.size();
    const auto [stop, problem] = std::from_chars(name.data() + prefix.size(), end, at);
    return problem == std::errc{} && stop == end && at < size_ ? std::optional{at} : std::nullopt;
  }

private:
  std::uint32_t size_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::unordered_map<std::string_view, std::uint32_t> names_;
};

void link_alternatives(objective_view& view, const plans_by_name& names, std::uint32_t plan) {
  if (!view.plans[plan].spec)
    return;
  for (const auto& name : view.plans[plan].spec->alternatives) {
    const auto other = names.find(name);
    if (!other || *other == plan || view.plans[*other].rollup.alternative_of)
      continue;
    view.plans.edit(*other).rollup.alternative_of = plan;
    view.plans.edit(plan).rollup.alternatives.push_back(*other);
  }
}

// -- expected times -------------------------------------------------------------------------------

template<class Change>
void change_times(objective_view& view, const plan_view& plan, std::span<const std::uint32_t> tasks,
                  Change change) {
  if (!view.rollup.is_kept)
    return;
  bool has_changed = false;
  for (const auto task : tasks) {
    if (task >= plan.spec->tasks.size())
      continue;
    const auto& spec = plan.spec->tasks[task];
    if (spec.is_removed || spec.expected.count() == 0)
      continue;
    if (!view.rollup.expected)
      view.rollup.expected = std::make_shared<expected_times>();
    change(unshared(view.rollup.expected), rounded_ms(spec.expected));
    has_changed = true;
  }
  if (!has_changed)
    return;
  // The median: of an even number the mean of the two in the middle.
  std::uint64_t count = 0;
  for (const auto& [ms, tasks_of] : *view.rollup.expected)
    count += tasks_of;
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::uint64_t before = 0;
  for (const auto& [ms, tasks_of] : *view.rollup.expected) {
    const auto through = before + tasks_of;
    if (before < (count + 1) / 2 && (count + 1) / 2 <= through)
      lower = ms;
    if (before < count / 2 + 1 && count / 2 + 1 <= through)
      upper = ms;
    before = through;
  }
  view.rollup.median_ms = (lower + upper) / 2;
}

std::vector<std::uint32_t> all_tasks(const plan_view& plan) {
  std::vector<std::uint32_t> out(plan.spec->tasks.size());
  for (std::uint32_t t = 0; t < out.size(); ++t)
    out[t] = t;
  return out;
}

/// The sums and times of a plan that is not counted yet.
void sum_up_plan(objective_view& view, plan_view& plan) {
  plan.rollup.sums = {};
  plan.rollup.is_counted = false;
  if (!plan.spec)
    return;
  const auto tasks = all_tasks(plan);
  for (const auto task : tasks)
    plan.rollup.sums += sums_of_task(plan, task);
  put_in_times(view, plan, tasks);
}

} // namespace

// -- reading --------------------------------------------------------------------------------------

rolled_up progress_of(const objective_view& view) {
  return shown_of(view.rollup.sums, view.rollup,
                  shown_fraction(view.rollup.held, view.revision, fraction_now(view)));
}

rolled_up progress_of(const objective_view& view, std::uint32_t plan) {
  const auto& of = view.plans[plan];
  return shown_of(of.rollup.sums, view.rollup,
                  shown_fraction(of.rollup.held, view.revision, fraction_now(view, of)));
}

progress_report report_of(const objective_view& view) {
  constexpr double whole_percent = 100.0;
  const auto percent = [](const rolled_up& of) {
    return static_cast<double>(of.fraction) * whole_percent / whole_fraction;
  };
  progress_report out;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p) {
    const auto& plan = view.plans[p];
    const bool runs = plan.state == plan_state::working || plan.state == plan_state::blocked;
    if (!runs || out.trackers.size() == progress_trackers_max)
      continue;
    out.trackers.push_back({.id = plan.spec->id.str(),
                            .progress = percent(progress_of(view, p)),
                            .total = whole_percent,
                            .message = plan.spec->name,
                            .status = tracker_status::running,
                            .started_at = plan.began,
                            .updated_at = plan.updated});
  }
  out.aggregate = {percent(progress_of(view)), whole_percent, ""};
  return out;
}

std::uint32_t fraction_of(const progress_report& report) {
  const auto fraction = [](const std::optional<double>& progress, double total) {
    const auto share = total > 0 ? progress.value_or(0) / total : 0;
    return static_cast<std::uint64_t>(std::clamp(share, 0.0, 1.0) * whole_fraction);
  };
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  if (report.aggregate && report.aggregate->total) {
    sum = fraction(report.aggregate->progress, *report.aggregate->total);
    count = 1;
  } else {
    for (const auto& tracker : report.trackers)
      if (tracker.total) {
        sum += fraction(tracker.progress, *tracker.total);
        ++count;
      }
  }
  if (count == 0)
    return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum / count, working_fraction_max));
}

// -- keeping --------------------------------------------------------------------------------------

rollup_sums sums_of(const objective_view& view, const plan_view& plan,
                    std::span<const std::uint32_t> tasks) {
  rollup_sums out;
  if (view.rollup.is_kept)
    for (const auto task : tasks)
      out += sums_of_task(plan, task);
  return out;
}

void change_sums(objective_view& view, plan_view& plan, const rollup_sums& less,
                 const rollup_sums& more) {
  if (less == more)
    return;
  if (may_lower(less, more))
    hold(view, &plan);
  plan.rollup.sums += more;
  plan.rollup.sums -= less;
  if (!plan.rollup.is_counted)
    return;
  view.rollup.sums += more;
  view.rollup.sums -= less;
}

void take_out_times(objective_view& view, const plan_view& plan,
                    std::span<const std::uint32_t> tasks) {
  change_times(view, plan, tasks, [](expected_times& times, std::int64_t ms) {
    if (const auto found = times.find(ms); found != times.end() && --found->second == 0)
      times.erase(found);
  });
}

void put_in_times(objective_view& view, const plan_view& plan,
                  std::span<const std::uint32_t> tasks) {
  change_times(view, plan, tasks, [](expected_times& times, std::int64_t ms) { ++times[ms]; });
}

void set_reached(plan_view& plan, std::uint32_t task, std::uint32_t fraction) {
  auto& reached = plan.rollup.reached;
  if (task >= plan.tasks.size() || (task >= reached.size() && fraction == 0))
    return;
  if (task >= reached.size())
    reached.resize(std::size_t{task} + 1);
  if (reached[task] != fraction)
    reached.edit(task) = fraction;
}

void count_plans(objective_view& view, std::uint32_t plan, plan_state from) {
  if (!view.rollup.is_kept)
    return;
  hold(view, nullptr);
  count_group(view, plan);
  count_blocked(view, from, -1);
  count_blocked(view, view.plans[plan].state, 1);
}

void add_to_rollup(objective_view& view) {
  if (!view.rollup.is_kept || view.plans.empty())
    return;
  const auto last = static_cast<std::uint32_t>(view.plans.size() - 1);
  sum_up_plan(view, view.plans.edit(last));
  if (!view.plans[last].spec->alternatives.empty())
    link_alternatives(view, plans_by_name{view}, last);
  count_group(view, last);
}

void sum_up(objective_view& view) {
  if (!view.rollup.is_kept)
    return;
  view.rollup.sums = {};
  view.rollup.expected = nullptr;
  view.rollup.median_ms = 0;
  view.rollup.plans_blocked = 0;
  bool has_alternatives = false;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p) {
    auto& plan = view.plans.edit(p);
    plan.rollup.alternative_of.reset();
    plan.rollup.alternatives.clear();
    sum_up_plan(view, plan);
    count_blocked(view, plan.state, 1);
    has_alternatives = has_alternatives || (plan.spec && !plan.spec->alternatives.empty());
  }
  if (has_alternatives) {
    const plans_by_name names{view};
    for (std::uint32_t p = 0; p < view.plans.size(); ++p)
      link_alternatives(view, names, p);
  }
  for (std::uint32_t p = 0; p < view.plans.size(); ++p)
    if (!view.plans[p].rollup.alternative_of)
      count_group(view, p);
}

} // namespace troupe
