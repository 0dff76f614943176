#include "sim/editing.hpp"

#include "protocol/json/quoted.hpp"
#include <troupe/protocol/time.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace troupe::sim {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t plans_known_max = 20;
constexpr std::size_t changes_known_max = 10;

/// Members of a JSON object, one after the other.
class object_text {
public:
  explicit object_text(std::string_view op = {}) {
    if (!op.empty())
      add("op", quoted(op));
  }
  object_text& add(std::string_view name, const std::string& json) {
    text_ += (text_.empty() ? "" : ",") + quoted(name) + ":" + json;
    return *this;
  }
  object_text& add_flag(std::string_view name, bool is_set) {
    return is_set ? add(name, "true") : *this;
  }
  object_text& add_members(const std::string& members) {
    text_ += (text_.empty() ? "" : ",") + members;
    return *this;
  }
  [[nodiscard]] std::string str() const { return "{" + text_ + "}"; }

private:
  std::string text_;
};

std::string array_of(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& each : names)
    out += (out.empty() ? "" : ",") + quoted(each);
  return "[" + out + "]";
}

/// Draws the operations of one change, and notes what they name.
class drawing {
public:
  drawing(world& in, dice& chance, std::string operation, std::string objective)
      : in_(in), chance_(chance), operation_(std::move(operation)),
        objective_(std::move(objective)) {}

  asked_change change;
  std::vector<ordered_plan> plans; ///< That it adds.

  [[nodiscard]] const std::string& operations() const noexcept { return operations_; }

  void draw_for_plan(known_plan& plan);
  void draw_for_objective(const std::vector<std::string>& plan_names);

private:
  void put(std::string_view op, object_text members) {
    operations_ += (operations_.empty() ? "" : ",") + members.str();
    change.operations.emplace_back(op);
  }
  /// Names it in the change.
  const std::string& named(const std::string& name) { return *change.names.insert(name).first; }
  [[nodiscard]] std::string fresh(const std::string& prefix) {
    return prefix + ".n-" + operation_ + "-" + std::to_string(made_++);
  }
  void add_task(known_plan& plan);
  void complete(const std::string& task);
  void set_plan(const std::string& plan);
  /// One that may have been taken away again is null.
  [[nodiscard]] std::string deadline_json() {
    return chance_.chance(0.3) ? "null" : quoted(draw_deadline(in_, chance_, objective_));
  }

  world& in_;
  dice& chance_;
  const std::string operation_;
  const std::string objective_;
  std::string operations_;
  std::size_t made_ = 0;
};

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
  task.add("retry", R"({"maxAttempts":2,"backoff":0.05})");
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
  switch (chance_.below(14)) {
    case 0:
      put("removeTask", object_text("removeTask")
                            .add("task", quoted(named(task)))
                            .add_flag("bridge", chance_.chance(0.6)));
      break;
    case 1: {
      object_text with;
      with.add("name", quoted(task)).add("retry", R"({"maxAttempts":2,"backoff":0.05})");
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
    added.add_members(json_of(fresh_plan)).add_flag("start", chance_.chance(0.7));
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

std::vector<std::string> names_of_plans(const world& in, const std::string& objective) {
  std::vector<std::string> out;
  for (const auto& each : in.known_plans)
    if (each.objective == objective)
      out.push_back(each.name);
  return out;
}

std::string request_params(const asked_change& change, const std::string& operations) {
  object_text out;
  out.add("id", quoted(change.target)).add("reason", quoted(change.reason));
  if (change.if_revision)
    out.add("ifRevision", std::to_string(*change.if_revision));
  if (!change.request_id.empty())
    out.add("requestId", quoted(change.request_id));
  out.add_flag("dryRun", change.is_dry_run);
  return out.add("operations", "[" + operations + "]").str();
}

edit_request draw_change(world& in, dice& chance, const std::string& operation, known_plan& plan) {
  edit_request out;
  out.objective = plan.objective;
  const bool is_of_plan = chance.chance(0.7);
  drawing drawn(in, chance, operation, plan.objective);
  auto& change = drawn.change;
  change.is_of_plan = is_of_plan;
  change.target = is_of_plan ? plan.name : plan.objective;
  change.reason = operation;
  if (chance.chance(0.6))
    change.request_id = "r-" + operation;
  if (chance.chance(0.5)) {
    const auto known = in.revisions.find(change.target);
    change.if_revision = known == in.revisions.end() ? 0 : known->second;
  }
  change.is_dry_run = chance.chance(0.08);
  const auto plans = names_of_plans(in, plan.objective);
  for (auto left = chance.between(1, 3); left > 0; --left) {
    if (is_of_plan)
      drawn.draw_for_plan(plan);
    else
      drawn.draw_for_objective(plans);
  }
  // From here on `plan` may be gone.
  const auto objective = plan.objective;
  for (const auto& each : drawn.plans) {
    const auto of = std::ranges::find(in.seen.objectives, objective, &ordered_objective::id);
    if (of != in.seen.objectives.end())
      of->plans.push_back(each);
    learn_plan(in, objective, each);
  }
  out.method = is_of_plan ? "plans/modify" : "objectives/modify";
  out.params = request_params(change, drawn.operations());
  out.may_repeat = !change.request_id.empty();
  if (out.may_repeat) {
    in.sent_changes.push_back({out.method, out.params, out.objective, change});
    if (in.sent_changes.size() > changes_known_max)
      in.sent_changes.pop_front();
  }
  out.change = std::move(change);
  return out;
}

/// A change that was sent before, as it was; or something else with its request id.
edit_request draw_again(world& in, dice& chance, const std::string& operation) {
  const auto& before = chance.one_of(in.sent_changes);
  edit_request out;
  out.method = before.method;
  out.params = before.params;
  out.objective = before.objective;
  out.may_repeat = true;
  out.change = before.change;
  if (chance.chance(0.3)) {
    out.change->reason = operation;
    const auto old = R"("reason":)" + quoted(before.change.reason);
    out.params.replace(out.params.find(old), old.size(), R"("reason":)" + quoted(operation));
  }
  return out;
}

edit_request draw_input(world& in, dice& chance, const std::string& client,
                        const std::string& operation) {
  edit_request out;
  asked_input input;
  input.question = chance.one_of(in.known_questions);
  input.by = client;
  out.task = input.question.substr(0, input.question.rfind('.'));
  object_text params;
  params.add("id", quoted(input.question)).add("by", quoted(client));
  const auto turn = chance.below(10);
  if (turn < 6) {
    out.kind = call_kind::answer_input;
    out.method = "inputs/answer";
    input.declines = chance.chance(0.15);
    if (input.declines) {
      params.add("action", chance.chance(0.5) ? R"("decline")" : R"("cancel")");
    } else {
      input.value = "answer of " + operation;
      params.add("value", quoted(input.value));
    }
    if (chance.chance(0.5)) {
      input.request_id = "a-" + operation;
      in.seen.sent.insert("answer-" + input.request_id);
      params.add("requestId", quoted(input.request_id));
    }
    out.may_repeat = !input.request_id.empty();
  } else {
    out.kind = turn < 9 ? call_kind::claim : call_kind::release;
    out.method = turn < 9 ? "inputs/claim" : "inputs/release";
  }
  input.overrides = turn < 9 && chance.chance(0.2);
  params.add_flag("override", input.overrides);
  out.params = params.str();
  out.input = std::move(input);
  return out;
}

edit_request draw_state(dice& chance, const known_plan& plan) {
  edit_request out;
  out.kind = call_kind::move;
  out.objective = plan.objective;
  const bool is_of_plan = chance.chance(0.4);
  constexpr auto states =
      std::to_array<const char*>({"blocked", "working", "working", "submitted", "submitted",
                                  "planning", "failed", "completed"});
  constexpr auto plan_states = std::to_array<const char*>(
      {"blocked", "working", "working", "pending", "pending", "skipped", "failed", "completed"});
  out.method = is_of_plan ? "plans/update" : "objectives/update";
  out.params = object_text()
                   .add("id", quoted(is_of_plan ? plan.name : plan.objective))
                   .add("status", quoted(is_of_plan ? plan_states[chance.below(plan_states.size())]
                                                    : states[chance.below(states.size())]))
                   .str();
  out.may_repeat = true;
  return out;
}

} // namespace

void remember(std::deque<std::string>& in, const std::string& id, std::size_t most) {
  if (id.empty() || std::ranges::find(in, id) != in.end())
    return;
  in.push_back(id);
  if (in.size() > most)
    in.pop_front();
}

std::string draw_deadline(world& in, dice& chance, const std::string& objective) {
  const auto wait = std::chrono::floor<std::chrono::milliseconds>(
      chance.between(nanoseconds{50ms}, in.how.deadline_max));
  auto out = to_rfc3339(in.clock.now() + wait);
  in.seen.deadlines[objective].insert(out);
  return out;
}

ordered_plan draw_tasks(world& in, dice& chance, dice& extra, const std::string& prefix) {
  const auto objective = prefix.substr(0, prefix.find('.', prefix.find('.') + 1));
  const auto& how = in.how;
  ordered_plan out;
  out.name = prefix;
  out.parallel_max = chance.chance(0.5) ? static_cast<std::uint32_t>(chance.between(1, 3)) : 0;
  if (extra.chance(how.deadlines))
    out.deadline = draw_deadline(in, extra, objective);
  // A large one is wide: its tasks would else take the rest of the world.
  const bool is_large = how.plan_tasks_max > settings{}.plan_tasks_max && extra.chance(0.1);
  if (is_large)
    out.parallel_max = 0;
  const auto count = is_large ? how.plan_tasks_max : chance.between(1, settings{}.plan_tasks_max);
  const bool has_times = extra.chance(0.3);
  for (std::size_t i = 0; i < count; ++i) {
    ordered_task task;
    task.name = prefix + ".t" + std::to_string(i);
    for (std::size_t on = is_large && i > 2 ? i - 2 : 0; on < i; ++on)
      if (chance.chance(0.3))
        task.dependencies.push_back(prefix + ".t" + std::to_string(on));
    if (has_times && extra.chance(0.6))
      task.expected_seconds = static_cast<unsigned>(extra.between(1, 30));
    if (extra.chance(how.deadlines / 4))
      task.deadline = draw_deadline(in, extra, objective);
    out.tasks.push_back(std::move(task));
  }
  if (is_large)
    in.story.reached("a plan has hundreds of tasks");
  return out;
}

std::string json_of(const ordered_plan& plan) {
  std::string tasks;
  for (const auto& task : plan.tasks) {
    object_text one;
    one.add("name", quoted(task.name)).add("dependencies", array_of(task.dependencies));
    one.add("retry", R"({"maxAttempts":2,"backoff":0.05})");
    if (task.expected_seconds != 0)
      one.add("expectedSeconds", std::to_string(task.expected_seconds));
    if (!task.deadline.empty())
      one.add("deadline", quoted(task.deadline));
    tasks += (tasks.empty() ? "" : ",") + one.str();
  }
  return R"("name":)" + quoted(plan.name) + R"(,"onFailure":"continue","maxParallel":)"
         + std::to_string(plan.parallel_max)
         + (plan.deadline.empty() ? "" : R"(,"deadline":)" + quoted(plan.deadline))
         + R"(,"tasks":[)" + tasks + "]";
}

void learn_plan(world& in, const std::string& objective, const ordered_plan& plan) {
  known_plan fresh{objective, plan.name, {}};
  for (const auto& each : plan.tasks)
    fresh.tasks.push_back(each.name);
  in.known_plans.push_back(std::move(fresh));
  if (in.known_plans.size() > plans_known_max)
    in.known_plans.pop_front();
}

std::optional<edit_request> draw_edit(world& in, dice& chance, const std::string& client,
                                      const std::string& operation) {
  const auto turn = chance.below(100);
  if (turn < 30 && !in.known_questions.empty())
    return draw_input(in, chance, client, operation);
  if (turn < 36 && !in.sent_changes.empty())
    return draw_again(in, chance, operation);
  if (in.known_plans.empty())
    return std::nullopt;
  auto& plan = in.known_plans[chance.below(in.known_plans.size())];
  if (turn < 46)
    return draw_state(chance, plan);
  if (turn < 56) {
    edit_request out;
    const bool is_of_plan = chance.chance(0.4);
    out.kind = call_kind::read;
    out.method = is_of_plan ? "plans/get" : "objectives/get";
    out.objective = plan.objective;
    out.params = object_text().add("id", quoted(is_of_plan ? plan.name : plan.objective)).str();
    out.may_repeat = true;
    return out;
  }
  return draw_change(in, chance, operation, plan);
}

} // namespace troupe::sim
