#include "apps/draw/expected_times.hpp"

#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace troupe {

namespace {

using milliseconds = std::chrono::milliseconds;

struct task_at {
  std::uint32_t plan = 0;
  std::uint32_t task = 0;
};

class expected_run {
public:
  expected_run(const objective_spec& objective, const resolved_objective& edges,
               const expected_slots& slots,
               const std::function<bool(const task_spec& task)>& is_command)
      : objective_(objective), slots_(slots), plans_(objective.plans.size()) {
    out_.begins.resize(plans_.size());
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      set_up(p, edges.plans[p], is_command);
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      connect(p, edges.plans[p]);
  }

  expected_starts run() {
    for (std::uint32_t p = 0; p < plans_.size(); ++p)
      if (plans_[p].waits == 0)
        open(p);
    begin_all();
    while (!running_.empty()) {
      now_ = running_.top().end;
      while (!running_.empty() && running_.top().end == now_) {
        const auto done = running_.top().of;
        running_.pop();
        complete(done);
      }
      begin_all();
    }
    out_.end = now_;
    return std::move(out_);
  }

private:
  struct task_row {
    std::size_t waits = 0;
    std::vector<task_at> followers;
    bool is_command = false;
  };
  struct plan_row {
    std::vector<task_row> tasks;
    std::vector<std::uint32_t> followers;
    std::size_t waits = 0;
    std::size_t left = 0;
    std::size_t running = 0;
    bool is_alternative = false;
    bool is_open = false;
  };
  /// Greater priorities first, then by place.
  using place_in_line = std::tuple<std::int64_t, std::uint32_t, std::uint32_t>;
  struct running_task {
    milliseconds end;
    task_at of;
    bool operator<(const running_task& other) const { return end > other.end; }
  };

  void set_up(std::uint32_t p, const resolved_plan& edges,
              const std::function<bool(const task_spec& task)>& is_command) {
    const auto& spec = *objective_.plans[p];
    auto& plan = plans_[p];
    plan.is_alternative = edges.alternative_of.has_value();
    plan.left = spec.tasks.size();
    plan.tasks.resize(spec.tasks.size());
    out_.begins[p].resize(spec.tasks.size());
    for (std::uint32_t t = 0; t < spec.tasks.size(); ++t) {
      plan.tasks[t].is_command = is_command(spec.tasks[t]);
      if (spec.tasks[t].expected.count() == 0 && !plan.is_alternative)
        ++out_.unknown;
    }
  }

  void connect(std::uint32_t p, const resolved_plan& edges) {
    auto& plan = plans_[p];
    for (std::uint32_t t = 0; t < plan.tasks.size(); ++t)
      for (auto i = edges.dependency_offsets[t]; i < edges.dependency_offsets[t + 1]; ++i) {
        const auto& on = edges.dependency_positions[i];
        plans_[on.plan].tasks[on.task].followers.push_back({p, t});
        ++plan.tasks[t].waits;
      }
    for (const auto on : edges.dependencies) {
      plans_[on].followers.push_back(p);
      ++plan.waits;
    }
  }

  void open(std::uint32_t p) {
    auto& plan = plans_[p];
    if (plan.is_alternative)
      return;
    plan.is_open = true;
    for (std::uint32_t t = 0; t < plan.tasks.size(); ++t)
      put_in_line({p, t});
    if (plan.left == 0)
      end(p);
  }

  void put_in_line(task_at of) {
    const auto& plan = plans_[of.plan];
    const auto& task = plan.tasks[of.task];
    if (!plan.is_open || task.waits > 0)
      return;
    const auto& spec = *objective_.plans[of.plan];
    const auto priority = std::int64_t{spec.priority} + spec.tasks[of.task].priority;
    ready_[{of.plan, task.is_command}].emplace(-priority, of.plan, of.task);
  }

  [[nodiscard]] bool has_room(std::uint32_t p, bool is_command) const {
    const auto most = objective_.plans[p]->parallel_max;
    return (most == 0 || plans_[p].running < most)
           && (!is_command || slots_.commands == 0 || commands_ < slots_.commands);
  }

  void begin_all() {
    while (slots_.tasks == 0 || running_.size() < slots_.tasks) {
      auto best = ready_.end();
      for (auto each = ready_.begin(); each != ready_.end(); ++each)
        if (has_room(each->first.first, each->first.second)
            && (best == ready_.end() || *each->second.begin() < *best->second.begin()))
          best = each;
      if (best == ready_.end())
        return;
      const auto [priority, p, t] = *best->second.begin();
      commands_ += best->first.second ? 1 : 0;
      best->second.erase(best->second.begin());
      if (best->second.empty())
        ready_.erase(best);
      ++plans_[p].running;
      out_.begins[p][t] = now_;
      running_.push({now_ + objective_.plans[p]->tasks[t].expected, {p, t}});
    }
  }

  void complete(task_at of) {
    auto& plan = plans_[of.plan];
    --plan.running;
    commands_ -= plan.tasks[of.task].is_command ? 1 : 0;
    for (const auto& follower : plan.tasks[of.task].followers) {
      --plans_[follower.plan].tasks[follower.task].waits;
      put_in_line(follower);
    }
    if (--plan.left == 0)
      end(of.plan);
  }

  void end(std::uint32_t p) {
    for (const auto follower : plans_[p].followers)
      if (--plans_[follower].waits == 0)
        open(follower);
  }

  const objective_spec& objective_;
  const expected_slots slots_;
  std::vector<plan_row> plans_;
  std::map<std::pair<std::uint32_t, bool>, std::set<place_in_line>> ready_; ///< Programs apart.
  std::priority_queue<running_task> running_;
  std::size_t commands_ = 0; ///< Programs that run.
  milliseconds now_{0};
  expected_starts out_;
};

} // namespace

expected_starts expect_times(const objective_spec& objective, const resolved_objective& edges,
                             const expected_slots& slots,
                             const std::function<bool(const task_spec& task)>& is_command) {
  return expected_run(objective, edges, slots, is_command).run();
}

} // namespace troupe
