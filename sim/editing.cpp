#include "sim/editing.hpp"

#include <troupe/protocol/time.hpp>

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <utility>

#include "sim/edit_drawing.hpp"
#include "sim/object_text.hpp"
#include "sim/remote.hpp"

namespace troupe::sim {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t plans_known_max = 20;
constexpr std::size_t changes_known_max = 10;

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
    change.added_plans.push_back(each.name);
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

/// "c0.o1" of "c0.o1.p0.t0.question-1"; empty: of a task without an objective.
std::string objective_of_question(const std::string& question) {
  const auto end = question.find('.', question.find('.') + 1);
  return question.starts_with("task-") || end == std::string::npos ? std::string{}
                                                                   : question.substr(0, end);
}

/// One message that answers several questions of an objective; nothing: only one task asks there.
std::optional<edit_request> draw_joint_answer(world& in, dice& chance,
                                              const std::string& operation) {
  const auto objective = objective_of_question(chance.one_of(in.known_questions));
  if (objective.empty())
    return std::nullopt;
  edit_request out;
  std::set<std::string> tasks;
  std::string answers;
  // The newest of each task, and few tasks: if one of the questions is closed, the message is
  // refused.
  const auto most = 2 + chance.below(2);
  for (const auto& each : in.known_questions | std::views::reverse) {
    if (tasks.size() == most)
      break;
    if (objective_of_question(each) != objective
        || !tasks.insert(each.substr(0, each.rfind('.'))).second)
      continue;
    out.questions.push_back(each);
    object_text one;
    one.add("inputId", quoted(each));
    if (chance.chance(0.5))
      one.add("value", quoted("answer of " + operation));
    if (chance.chance(0.1))
      one.add("action", R"("decline")");
    answers += (answers.empty() ? "" : ",") + one.str();
  }
  if (tasks.size() < 2)
    return std::nullopt;
  out.kind = call_kind::answer_together;
  out.method = "SendMessage";
  out.objective = objective;
  out.message_id = "j-" + operation;
  object_text said;
  said.add("messageId", quoted(out.message_id)).add("contextId", quoted(objective));
  said.add("role", R"("ROLE_USER")").add("parts", R"([{"text":"this"}])");
  said.add("metadata", R"({"opt/v1/answers":[)" + answers + "]}");
  out.params = object_text()
                   .add("message", said.str())
                   .add("configuration", R"({"returnImmediately":true})")
                   .str();
  out.may_repeat = in.how.deduplicates;
  return out;
}

edit_request draw_state(world& in, dice& chance, const std::string& operation,
                        const known_plan& plan) {
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
  out.plan = is_of_plan ? plan.name : std::string{};
  out.to = is_of_plan ? plan_states[chance.below(plan_states.size())]
                      : states[chance.below(states.size())];
  object_text params;
  params.add("id", quoted(is_of_plan ? plan.name : plan.objective)).add("status", quoted(out.to));
  if (in.stream("move " + operation).chance(in.how.move_requests))
    params.add("requestId", quoted("m-" + operation));
  out.params = params.str();
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

namespace {

/// Some tasks are done by remote agents.
void draw_target(const world& in, ordered_task& task) {
  if (in.how.delegated == 0)
    return;
  auto chance = in.stream("target of " + task.name);
  if (!chance.chance(in.how.delegated))
    return;
  task.target = remote_name(chance.below(remotes_max));
  constexpr auto ways = std::to_array<const char*>({"fail", "fail", "ask", "resend"});
  task.when_unsure = chance.one_of(ways);
}

/// The remote agent finds in the metadata what is allowed.
std::string delegation_json(const ordered_task& task) {
  const auto unsure = quoted(task.when_unsure);
  return object_text()
      .add("target", quoted(task.target))
      .add("text", quoted(task.name))
      .add("whenUnsure", unsure)
      .add("metadata", object_text().add("whenUnsure", unsure).str())
      .str();
}

} // namespace

ordered_plan draw_tasks(world& in, dice& chance, dice& extra, const std::string& prefix) {
  const auto objective = prefix.substr(0, prefix.find('.', prefix.find('.') + 1));
  const auto& how = in.how;
  ordered_plan out;
  out.name = prefix;
  in.seen.names.insert(prefix);
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
    draw_target(in, task);
    in.seen.names.insert(task.name);
    out.tasks.push_back(std::move(task));
  }
  if (is_large)
    in.story.reached("a plan has hundreds of tasks");
  return out;
}

std::string json_of(const ordered_plan& plan, const settings& how) {
  std::string tasks;
  for (const auto& task : plan.tasks) {
    object_text one;
    one.add("name", quoted(task.name)).add("dependencies", array_of(task.dependencies));
    one.add("retry", retry_json(how));
    if (task.expected_seconds != 0)
      one.add("expectedSeconds", std::to_string(task.expected_seconds));
    if (!task.deadline.empty())
      one.add("deadline", quoted(task.deadline));
    if (!task.target.empty())
      one.add("agent", R"("a2a")").add("input", delegation_json(task));
    tasks += (tasks.empty() ? "" : ",") + one.str();
  }
  return R"("name":)" + quoted(plan.name) + R"(,"onFailure":"continue","maxParallel":)"
         + std::to_string(plan.parallel_max)
         + (plan.deadline.empty() ? "" : R"(,"deadline":)" + quoted(plan.deadline))
         + (plan.alternatives.empty() ? "" : R"(,"alternatives":)" + array_of(plan.alternatives))
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
  if (turn < 30 && !in.known_questions.empty()) {
    if (auto more = in.stream("together " + operation); more.chance(in.how.together))
      if (auto together = draw_joint_answer(in, more, operation))
        return together;
    return draw_input(in, chance, client, operation);
  }
  if (turn < 36 && !in.sent_changes.empty())
    return draw_again(in, chance, operation);
  if (in.known_plans.empty())
    return std::nullopt;
  auto& plan = in.known_plans[chance.below(in.known_plans.size())];
  if (turn < 46)
    return draw_state(in, chance, operation, plan);
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
