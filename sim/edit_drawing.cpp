#include "sim/edit_drawing.hpp"

#include <algorithm>
#include <cstdio>

#include "sim/editing.hpp"

namespace troupe::sim {

void drawing::put(std::string_view op, const object_text& members) {
  operations_ += (operations_.empty() ? "" : ",") + members.str();
  change.operations.emplace_back(op);
}

std::string drawing::fresh(const std::string& prefix) {
  return *in_.seen.names.insert(prefix + ".n-" + operation_ + "-" + std::to_string(made_++)).first;
}

std::string drawing::deadline_json() {
  return chance_.chance(0.3) ? "null" : quoted(draw_deadline(in_, chance_, objective_));
}

/// Clients go on to use the old name, too.
void drawing::rename(known_plan& plan, const std::string& task) {
  const auto name = fresh(plan.name);
  put("renameTask",
      object_text("renameTask").add("task", quoted(named(task))).add("name", quoted(named(name))));
  plan.tasks.push_back(name);
}

std::string retry_json(const settings& how) {
  char out[64];
  const auto size = std::snprintf(out, sizeof out, R"({"maxAttempts":2,"backoff":%.3f})",
                                  std::chrono::duration<double>(how.retry_backoff).count());
  return {out, static_cast<std::size_t>(size)};
}

void drawing::add_task(known_plan& plan) {
  const auto name = fresh(plan.name);
  std::vector<std::string> on;
  for (auto left = chance_.below(3); left > 0 && !plan.tasks.empty(); --left) {
    const auto one = chance_.one_of(plan.tasks);
    if (std::ranges::find(on, one) != on.end())
      continue;
    on.push_back(one);
    change.waiting.emplace_back(name, one);
  }
  object_text task("addTask");
  task.add("name", quoted(name)).add("dependencies", array_of(on));
  task.add("retry", retry_json(in_.how));
  if (!on.empty() && chance_.chance(0.2))
    task.add("input",
             R"({"text":)" + quoted("${tasks[\"" + on.front() + "\"].artifacts[0].text}") + "}");
  if (chance_.chance(0.3))
    task.add("as", quoted("as-" + name));
  if (chance_.chance(0.3))
    task.add("expectedSeconds", std::to_string(chance_.between(1, 20)));
  put("addTask", task);
  plan.tasks.push_back(name);
}

void drawing::complete(const std::string& task) {
  object_text done("completeTask");
  done.add("task", quoted(named(task))).add_flag("cancel", chance_.chance(0.5));
  if (chance_.chance(0.6)) {
    const auto text = task + "/by/" + operation_ + ";";
    in_.seen.chunks.insert(text);
    done.add("artifacts", R"([{"artifactId":"by-hand","parts":[{"text":)" + quoted(text) + "}]}]");
  }
  put("completeTask", done);
}

void drawing::set_plan(const std::string& plan) {
  object_text edited("setPlan");
  if (!plan.empty())
    edited.add("plan", quoted(named(plan)));
  edited.add("description", quoted(operation_));
  if (chance_.chance(0.3)) {
    edited.add("maxParallel", std::to_string(chance_.between(0, 3)));
    change.limits_plan = true;
  }
  if (chance_.chance(0.3))
    edited.add("onFailure", chance_.chance(0.5) ? R"("failFast")" : R"("continue")");
  if (chance_.chance(in_.how.deadlines))
    edited.add("deadline", deadline_json());
  if (chance_.chance(0.3))
    edited.add("priority", std::to_string(static_cast<int>(chance_.below(201)) - 100));
  put("setPlan", edited);
}

void drawing::draw_for_plan(known_plan& plan) {
  if (plan.tasks.empty())
    return add_task(plan);
  const auto& task = chance_.one_of(plan.tasks);
  const auto with_cancel = [&](std::string_view op) {
    object_text out(op);
    out.add("task", quoted(named(task))).add_flag("cancel", chance_.chance(0.5));
    return out;
  };
  auto more = in_.stream("more of " + operation_ + "." + std::to_string(drawn_++));
  if (more.chance(in_.how.renaming))
    return rename(plan, task);
  switch (chance_.below(14)) {
    case 0:
      put("removeTask", object_text("removeTask")
                            .add("task", quoted(named(task)))
                            .add_flag("bridge", chance_.chance(0.6)));
      break;
    case 1: {
      object_text with;
      with.add("name", quoted(task)).add("retry", retry_json(in_.how));
      if (chance_.chance(0.3))
        with.add("dependencies", "[]");
      put("replaceTask",
          object_text("replaceTask").add("task", quoted(named(task))).add("with", with.str()));
      break;
    }
    case 2:
    case 3: {
      auto skip = with_cancel("skipTask");
      if (chance_.chance(0.3)) {
        skip.add("then", R"("skip")");
        change.skips_others = true;
      }
      put("skipTask", skip);
      break;
    }
    case 4:
    case 5: complete(task); break;
    case 6:
    case 7:
      put("retryTask", object_text("retryTask")
                           .add("task", quoted(named(task)))
                           .add("dependents", chance_.chance(0.7) ? "true" : "false"));
      break;
    case 8:
    case 9: {
      const auto& on = chance_.one_of(plan.tasks);
      change.waiting.emplace_back(task, on);
      put("addDependency",
          object_text("addDependency").add("task", quoted(task)).add("on", quoted(on)));
      break;
    }
    case 10: {
      const auto& on = chance_.one_of(plan.tasks);
      put("removeDependency",
          object_text("removeDependency").add("task", quoted(named(task))).add("on", quoted(on)));
      break;
    }
    case 11:
      if (chance_.chance(in_.how.deadlines)) {
        put("setDeadline", object_text("setDeadline")
                               .add("task", quoted(named(task)))
                               .add("deadline", quoted(draw_deadline(in_, chance_, objective_))));
        break;
      }
      put("setPriority", object_text("setPriority")
                             .add("task", quoted(named(task)))
                             .add("priority", std::to_string(chance_.below(10))));
      break;
    case 12: set_plan(""); break;
    default: add_task(plan);
  }
}

void drawing::draw_for_objective(const std::vector<std::string>& plan_names) {
  const auto turn = plan_names.empty() ? 0 : chance_.below(9);
  const auto plan = plan_names.empty() ? std::string{} : chance_.one_of(plan_names);
  if (turn < 3) {
    dice extra(in_.how.seed, "plan of " + operation_ + std::to_string(made_));
    auto fresh_plan = draw_tasks(in_, chance_, extra, fresh(objective_));
    object_text added("addPlan");
    added.add("id", quoted(fresh_plan.name));
    added.add_members(json_of(fresh_plan, in_.how)).add_flag("start", chance_.chance(0.7));
    if (!plan.empty() && chance_.chance(0.4))
      added.add("dependencies", array_of({plan}));
    put("addPlan", added);
    plans.push_back(std::move(fresh_plan));
  } else if (turn < 4) {
    put("removePlan", object_text("removePlan").add("plan", quoted(named(plan))));
  } else if (turn < 5) {
    put("skipPlan", object_text("skipPlan")
                        .add("plan", quoted(named(plan)))
                        .add_flag("cancel", chance_.chance(0.5)));
  } else if (turn < 7) {
    std::vector<std::string> on;
    if (chance_.chance(0.7))
      on.push_back(chance_.one_of(plan_names));
    put("setPlanDependencies", object_text("setPlanDependencies")
                                   .add("plan", quoted(named(plan)))
                                   .add("dependencies", array_of(on)));
  } else if (turn < 8) {
    set_plan(plan);
  } else {
    object_text edited("setObjective");
    edited.add("description", quoted(operation_));
    edited.add("priority", std::to_string(static_cast<int>(chance_.below(201)) - 100));
    if (chance_.chance(in_.how.deadlines))
      edited.add("deadline", deadline_json());
    named(objective_);
    put("setObjective", edited);
  }
}

} // namespace troupe::sim
