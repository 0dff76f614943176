// Random lives of objectives and tasks: a sequence of changes as an executor would make them, the
// same for the same seed. Each call makes fresh records, so that one sequence can be given to
// several stores.
#pragma once

#include "tests/store/changes.hpp"

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace troupe::testing {

class random_changes {
public:
  explicit random_changes(std::uint32_t seed) : random_(seed) {}

  /// The next change; ids it brings into the world are added to the sets below.
  change next();

  std::set<std::string> objectives;
  std::set<std::string> tasks;

private:
  enum class life : std::uint8_t { unborn, live, asking, ended };
  struct planned_task {
    life state = life::unborn;
    std::uint32_t generation = 0;
    std::uint32_t attempt = 0;
  };
  struct objective {
    std::shared_ptr<objective_spec> spec;
    std::vector<std::vector<planned_task>> plans;
    bool settled = false;
  };
  struct lone_task {
    std::string id;
    std::string context;
    planned_task now;
  };

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  void grow(objective& of);
  change new_objective();
  change new_lone();
  change step_objective(objective& of);
  change step_task(objective& of, std::uint32_t plan, std::uint32_t index);
  change step_lone(lone_task& of);
  void live_on(change& out, planned_task& now);

  std::mt19937 random_;
  std::int64_t clock_ = 1'700'000'000'000;
  std::vector<objective> objectives_;
  std::vector<lone_task> lone_;
};

inline void random_changes::grow(objective& of) {
  auto plan =
      std::make_shared<plan_spec>(*make_plan(of.spec->id, of.spec->plans.size(), 1 + below(4)));
  if (below(2)) {
    plan->id =
        plan_id{"plan of " + of.spec->id.str() + " " + std::to_string(of.spec->plans.size())};
    plan->tasks.edit(0).id = task_id{"first of " + plan->id.str()};
  }
  for (const auto& each : plan->tasks)
    tasks.insert(each.id.str());
  of.plans.emplace_back(plan->tasks.size());
  of.spec->plans.push_back(std::move(plan));
}

inline change random_changes::new_objective() {
  objective made;
  made.spec = make_objective("obj-" + std::to_string(objectives_.size()), {});
  grow(made);
  grow(made);
  objectives.insert(made.spec->id.str());
  auto out = about(made.spec->id.str(), clock_,
                   objective_created{std::make_shared<objective_spec>(*made.spec), {}});
  objectives_.push_back(std::move(made));
  return out;
}

inline change random_changes::new_lone() {
  lone_task made{"task-" + std::to_string(lone_.size()),
                 "ctx-" + std::to_string(below(3)),
                 {life::live, 0, 0}};
  tasks.insert(made.id);
  auto out = about_lone(made.id, made.context, clock_, born_lone(made.id, made.context, clock_));
  if (below(3) == 0) {
    out.events.emplace_back(moved(task_state::working));
    out.events.emplace_back(moved(task_state::completed, 1, say("at once")));
    made.now.state = life::ended;
  }
  lone_.push_back(std::move(made));
  return out;
}

/// Something happens to a task that lives.
inline void random_changes::live_on(change& out, planned_task& now) {
  switch (below(8)) {
    case 0:
      out.events.emplace_back(moved(task_state::working, ++now.attempt));
      now.state = life::live;
      break;
    case 1:
      out.events.emplace_back(
          task_artifact{output("a" + std::to_string(below(2)), "piece"), below(2) == 0, false});
      break;
    case 2: out.events.emplace_back(task_message{say("note " + std::to_string(below(100)))}); break;
    case 3: {
      auto report = std::make_shared<progress_report>();
      report->trackers.push_back(
          {"t", 0.5 * below(3), 2.0, "moving", tracker_status::running, at_ms(clock_), {}});
      out.events.emplace_back(task_progress{std::move(report)});
      break;
    }
    case 4:
      out.events.emplace_back(moved(task_state::input_required, now.attempt, say("which one?")));
      now.state = life::asking;
      break;
    default:
      out.events.emplace_back(task_artifact{output("result", "42"), false, true});
      out.events.emplace_back(moved(below(2) ? task_state::completed : task_state::failed,
                                    now.attempt, say("the end")));
      now.state = life::ended;
  }
}

inline change random_changes::step_task(objective& of, std::uint32_t plan, std::uint32_t index) {
  auto& now = of.plans[plan][index];
  auto out = about_task(*of.spec, plan, index, clock_);
  if (now.generation)
    out.task.id = task_id{out.task.id.str() + ".r" + std::to_string(now.generation)};
  tasks.insert(out.task.id.str());
  if (now.state == life::unborn) {
    auto made = born(*of.spec, plan, index, clock_);
    made.record->id = out.task.id;
    out.events.emplace_back(std::move(made));
    now.state = life::live;
    if (below(2))
      out.events.emplace_back(moved(task_state::working, ++now.attempt));
    if (below(3))
      return out;
  }
  live_on(out, now);
  return out;
}

inline change random_changes::step_objective(objective& of) {
  auto out = about(of.spec->id.str(), clock_);
  const auto plan = below(static_cast<std::uint32_t>(of.plans.size()));
  bool any_live = false;
  for (const auto& tasks_of : of.plans)
    for (const auto& each : tasks_of)
      any_live = any_live || each.state == life::live || each.state == life::asking;
  switch (below(6)) {
    case 0: {
      grow(of);
      out.events.emplace_back(plan_added{of.spec->plans.back()});
      break;
    }
    case 1:
      out.events.emplace_back(objective_edited{"name " + std::to_string(below(9)), ""});
      break;
    case 2: out.events.emplace_back(plan_moved{plan, plan_event::work, "go"}); break;
    case 3: {
      tasks_withdrawn withdrawn{plan, {}, task_state::canceled, "not needed"};
      for (std::uint32_t i = 0; i < of.plans[plan].size(); ++i)
        if (of.plans[plan][i].state == life::unborn) {
          withdrawn.tasks.push_back(i);
          of.plans[plan][i].state = life::ended;
        }
      out.events.emplace_back(std::move(withdrawn));
      break;
    }
    case 4: {
      tasks_renewed renewed{plan, {}};
      for (std::uint32_t i = 0; i < of.plans[plan].size(); ++i)
        if (of.plans[plan][i].state == life::ended) {
          renewed.tasks.push_back(i);
          of.plans[plan][i] = {life::unborn, of.plans[plan][i].generation + 1, 0};
        }
      out.events.emplace_back(objective_moved{objective_event::reopen, "retry"});
      out.events.emplace_back(objective_moved{objective_event::work, "retry"});
      out.events.emplace_back(std::move(renewed));
      of.settled = false;
      break;
    }
    default:
      out.events.emplace_back(objective_moved{objective_event::reopen, ""});
      out.events.emplace_back(objective_moved{objective_event::work, "so it is"});
      if (!any_live)
        out.events.emplace_back(objective_moved{objective_event::fail, "so it is"});
      of.settled = !any_live;
  }
  return out;
}

inline change random_changes::step_lone(lone_task& of) {
  auto out = about_lone(of.id, of.context, clock_);
  live_on(out, of.now);
  return out;
}

inline change random_changes::next() {
  clock_ += below(3);
  if (objectives_.size() < 4 && below(10) == 0)
    return new_objective();
  if (lone_.empty() || below(12) == 0)
    return new_lone();
  if (objectives_.empty() || below(4) == 0) {
    auto& lone = lone_[below(static_cast<std::uint32_t>(lone_.size()))];
    return lone.now.state == life::ended ? new_lone() : step_lone(lone);
  }
  auto& of = objectives_[below(static_cast<std::uint32_t>(objectives_.size()))];
  const auto plan = below(static_cast<std::uint32_t>(of.plans.size()));
  const auto index = below(static_cast<std::uint32_t>(of.plans[plan].size()));
  if (of.settled || of.plans[plan][index].state == life::ended || below(6) == 0)
    return step_objective(of);
  return step_task(of, plan, index);
}

} // namespace troupe::testing
