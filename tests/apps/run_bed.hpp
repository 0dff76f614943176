// Builds objectives and the changes a run makes of them, so that the tests of the views read as
// stories.
#pragma once

#include "apps/run/run_model.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/spec.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::testing {

/// A point in time `ms` after the epoch plus one second (the epoch itself means "never").
inline timestamp at(int ms) {
  return timestamp{std::chrono::milliseconds{1000 + ms}};
}

inline task_spec task_named(std::string name, std::vector<std::string> dependencies = {}) {
  task_spec out;
  out.key = name;
  out.name = std::move(name);
  out.dependencies = std::move(dependencies);
  return out;
}

inline plan_spec_ptr plan_named(std::string name, std::vector<task_spec> tasks,
                                std::vector<std::string> dependencies = {}) {
  auto out = std::make_shared<plan_spec>();
  out->key = name;
  out->name = std::move(name);
  out->tasks = std::move(tasks);
  out->dependencies = std::move(dependencies);
  return out;
}

/// A model and the ways to move it.
class run_bed {
public:
  explicit run_bed(std::vector<plan_spec_ptr> plans, std::string name = "Ship it") {
    auto spec = std::make_shared<objective_spec>();
    spec->name = std::move(name);
    spec->plans = std::move(plans);
    tell(0, objective_created{spec, {}});
    tell(0, objective_moved{objective_event::work, ""});
  }

  void tell(int ms, event happened) {
    change c;
    c.context = "obj-1";
    c.at = at(ms);
    c.events.push_back(std::move(happened));
    last = c;
    model.apply(c);
  }

  void tell_task(int ms, std::uint32_t plan, std::uint32_t task, event happened) {
    change c;
    c.context = "obj-1";
    c.at = at(ms);
    c.task = {task_id("obj-1.p" + std::to_string(plan) + ".t" + std::to_string(task)), false, plan,
              task};
    c.events.push_back(std::move(happened));
    last = c;
    model.apply(c);
  }

  void plan(int ms, std::uint32_t index, plan_state to, std::string reason = {}) {
    tell(ms, plan_moved{index, event_to(to), std::move(reason)});
  }

  void move(int ms, std::uint32_t plan, std::uint32_t task, task_state to,
            std::uint32_t attempt = 1, const std::string& words = {}) {
    message_ptr said;
    if (!words.empty())
      said = std::make_shared<message>(
          message{"m", role::agent, {text_part(words)}, {}, {}, {}, {}, {}});
    tell_task(ms, plan, task, task_moved{to, attempt, said});
  }

  run_model model;
  change last;
};

inline progress_tracker tracker(std::string id, double progress, double total,
                                std::string message = {}) {
  progress_tracker out;
  out.id = std::move(id);
  out.progress = progress;
  out.total = total;
  out.message = std::move(message);
  return out;
}

} // namespace troupe::testing
