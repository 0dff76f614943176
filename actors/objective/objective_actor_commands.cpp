// What an objective is asked: to change, to pause, to grow by a plan, to begin or end one, to take
// an answer, to be canceled.
#include "actors/commands/message_rules.hpp"
#include "actors/commands/once_answer.hpp"
#include "actors/commands/once_desk.hpp"
#include "actors/objective/acceptance.hpp"
#include "actors/objective/objective_actor.hpp"
#include "actors/plan/live_bytes.hpp"
#include "protocol/opt/limits_opt.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace troupe {

namespace {

committed_fn answer_with_plan(const plan_id& id, const reply_port<plan_id>& to) {
  return [id, to](const commit_outcome& outcome) {
    to(outcome.conflict ? result<plan_id>{came_before()} : result<plan_id>{id});
  };
}

/// What is wrong with the plan at `position`, said of the operation that brings it.
error said_of_operation(std::size_t operation, std::uint32_t position, error why) {
  const auto where = "/operations/" + std::to_string(operation);
  const auto plan = "/plans/" + std::to_string(position);
  why.field = where + (why.field.starts_with(plan) ? why.field.substr(plan.size()) : "");
  why.message.insert(0, "operation " + std::to_string(operation) + ": ");
  return why;
}

} // namespace

/// The actor of a settled objective is there for its command only.
template<class Message>
void objective_actor::refuse(const Message& message, error why) {
  message.done(std::move(why));
  quit_if_ended();
}

void objective_actor::on_change(const change_objective& message) {
  if (is_deferred(message, &objective_actor::on_change))
    return;
  command from{.by = owner_of(message.command.who),
               .metadata = {},
               .answer = answer_with_view(message.done),
               .plan = std::nullopt,
               .conditions = answered(message.command.conditions, {.objective = view().id}),
               .leaves = message.leaves};
  if (auto refused = obey(message.command, std::move(from)))
    refuse(message, std::move(*refused));
}

void objective_actor::on_add(const add_plan& message) {
  if (is_deferred(message, &objective_actor::on_add))
    return;
  const auto position = static_cast<std::uint32_t>(view().plans.size());
  auto& spec = *message.spec;
  name_plan(spec, view().id, position);
  auto added = check_addition(index(), message.spec, env_.agents);
  if (!added)
    return refuse(message, added.error());
  note_dependencies(spec, position, added->plan, [this](const task_position& at) {
    return view().plans[at.plan].spec->tasks[at.task].id;
  });
  plan_addition addition{message.spec, added->plan, message.start, message.starts_objective,
                         message.if_revision};
  // The plan is there before others are told of it.
  resolved_.push_back(std::make_shared<const resolved_plan>(std::move(added->plan)));
  running_.emplace_back();
  command from{.by = message.by,
               .metadata = {},
               .answer = answer_with_plan(spec.id, message.done),
               .plan = std::nullopt,
               .conditions = answered(message.conditions, {.plan = spec.id})};
  const auto awaited = std::move(added->awaited);
  if (auto refused = obey(std::move(addition), std::move(from))) {
    resolved_.pop_back();
    running_.pop_back();
    return refuse(message, std::move(*refused));
  }
  index().add(message.spec, life_.relations().back());
  hold(spec, position);
  await_tasks(awaited);
  if (spec.deadline)
    mind_deadlines();
}

/// Kept up to date from then on, so that whatever is added later costs only itself.
objective_index& objective_actor::index() {
  if (!index_) {
    std::vector<plan_spec_ptr> plans;
    for (const auto& plan : view().plans)
      plans.push_back(plan.spec);
    index_.emplace(std::move(plans), life_.relations());
  }
  return *index_;
}

std::optional<std::uint32_t> objective_actor::find_plan(const plan_id& id) const {
  const auto known = plan_positions_.find(id);
  if (known == plan_positions_.end() || view().plans[known->second].spec->is_removed)
    return std::nullopt;
  return known->second;
}

// A new plan may depend on tasks of older plans for which no plan waited until now. Running older
// plans get a message.
void objective_actor::await_tasks(const std::vector<awaited_edge>& edges) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> news;
  for (const auto& edge : edges) {
    auto& waiting = awaited_later_[edge.from];
    if (waiting.empty() && resolved_[edge.from.plan]->awaited(edge.from.task).empty())
      news[edge.from.plan].push_back(edge.from.task);
    waiting.push_back(edge.to);
  }
  for (auto& [plan, tasks] : news)
    if (running_[plan])
      tell(running_[plan], tasks_awaited{std::move(tasks)});
}

void objective_actor::on_move_plan(const move_plan& message) {
  if (is_deferred(message, &objective_actor::on_move_plan))
    return;
  const auto& asked = message.command;
  const auto found = find_plan(asked.id);
  if (!found)
    return refuse(message, unknown_plan(asked.id.str()));
  const auto plan = *found;
  command from{.by = owner_of(asked.who),
               .metadata = {},
               .answer = answer_with_plan(asked.id, message.done),
               .refuse = [done = message.done](error why) { done(std::move(why)); },
               .plan = plan,
               .conditions = answered(asked.conditions, {.plan = asked.id})};
  const bool renames = !asked.edited.name.empty();
  if (auto refused =
          obey(plan_update{plan, asked.state, asked.if_revision, asked.edited}, std::move(from)))
    refuse(message, std::move(*refused));
  else if (renames)
    index_.reset(); // made anew, with the new name
}

void objective_actor::on_reshape(const reshape_plan& message) {
  if (is_deferred(message, &objective_actor::on_reshape))
    return;
  const auto& asked = message.command;
  const auto found = find_plan(asked.id);
  if (!found)
    return refuse(message, unknown_plan(asked.id.str()));
  const auto plan = *found;
  if (!asked.by_task.empty()) // it comes from a task: the gateway has not checked it
    if (auto ok = check_operations(asked.operations, env_.agents); !ok)
      return refuse(message, ok.error());
  if (adds_keys(asked.operations))
    if (auto ok = check_added_keys(asked.operations, plan, index()); !ok)
      return refuse(message, ok.error());
  const bool runs = running_[plan] != nullptr;
  changing_ = shape_under_change{plan, &message, view().plans[plan].spec};
  command from{.by = owner_of(asked.who),
               .metadata = {},
               .answer = nullptr, // It is made of the report, here or by the plan's actor.
               .plan = plan,
               .conditions = {},
               .report = message.done,
               .once = asked.conditions};
  if (auto refused = obey(shape_change{plan, asked, terms_for(plan, asked)}, std::move(from))) {
    changing_.reset();
    return refuse(message, std::move(*refused));
  }
  if (runs)
    changing_->message = nullptr;
  else
    changing_.reset();
  mind_deadlines();
}

void objective_actor::on_modify(const reshape_objective& message) {
  if (is_deferred(message, &objective_actor::on_modify))
    return;
  const auto before = view().plans.size();
  auto asked = message.command;
  auto added = take_in_plans(asked);
  if (!added) {
    let_go_plans(before);
    return refuse(message, added.error());
  }
  command from{.by = owner_of(asked.who),
               .metadata = {},
               .answer = nullptr, // It is made of the report.
               .plan = std::nullopt,
               .conditions = {},
               .report = message.done,
               .once = asked.conditions};
  const auto relate = [](const std::vector<plan_spec_ptr>& plans) {
    auto resolved = resolve_dependencies(plans);
    if (!resolved)
      return result<std::vector<plan_relations>>{resolved.error()};
    return result<std::vector<plan_relations>>{{resolved->plans.begin(), resolved->plans.end()}};
  };
  if (auto refused =
          obey(objective_reshape{std::move(asked), relate, std::move(*added)}, std::move(from))) {
    let_go_plans(before);
    return refuse(message, std::move(*refused));
  }
  if (view().plans.size() == before) // A dry run may have been about some.
    let_go_plans(before);
  for (auto plan = static_cast<std::uint32_t>(before); plan < view().plans.size(); ++plan)
    hold(*view().plans[plan].spec, plan);
  await_tasks(std::exchange(awaited_by_new_, {}));
  index_.reset(); // Made anew, with new names and dependencies.
  mind_deadlines();
}

/// Names and resolves the plans that a change brings, one after the other, and says how they stand
/// to the others. From then on they are known here, before others are told of them; let_go_plans
/// undoes this.
result<std::vector<plan_relations>> objective_actor::take_in_plans(modify_objective& asked) {
  std::vector<plan_relations> out;
  std::map<std::string, std::string> called; // `as`, and the id
  const auto rename = [&](std::string& text) {
    if (const auto known = called.find(text); known != called.end())
      text = known->second;
  };
  for (std::size_t i = 0; i < asked.operations.size(); ++i) {
    auto* fresh = std::get_if<new_plan>(&asked.operations[i]);
    if (!fresh) {
      std::visit(
          [&](auto& one) {
            if constexpr (requires { rename(one.plan); })
              rename(one.plan);
            if constexpr (requires { rename(one.on.front()); })
              std::ranges::for_each(one.on, rename);
          },
          asked.operations[i]);
      continue;
    }
    auto& spec = *fresh->spec;
    std::ranges::for_each(spec.dependencies, rename);
    std::ranges::for_each(spec.alternatives, rename);
    const auto position = static_cast<std::uint32_t>(resolved_.size());
    name_plan(spec, view().id, position);
    auto added = check_addition(index(), fresh->spec, env_.agents);
    if (!added)
      return said_of_operation(i, position, added.error());
    note_dependencies(spec, position, added->plan, [this](const task_position& at) {
      return index().plans()[at.plan]->tasks[at.task].id;
    });
    index().add(fresh->spec, added->plan);
    out.push_back(added->plan);
    resolved_.push_back(std::make_shared<const resolved_plan>(std::move(added->plan)));
    running_.emplace_back();
    awaited_by_new_.insert(awaited_by_new_.end(), added->awaited.begin(), added->awaited.end());
    if (!fresh->as.empty())
      called[fresh->as] = spec.id.str();
  }
  return out;
}

/// Knows only the first `plans` again.
void objective_actor::let_go_plans(std::size_t plans) {
  if (resolved_.size() > plans)
    index_.reset();
  resolved_.resize(plans);
  running_.resize(plans);
  awaited_by_new_.clear();
}

bool objective_actor::answer_with_report(const change_report& report, command& from) {
  if (report.dry_run) {
    from.report(report);
    return false;
  }
  from.conditions = answered(from.once, answer_with(report));
  from.answer = [report, done = from.report](const commit_outcome& outcome) {
    done(outcome.conflict ? result<change_report>{came_before()} : result<change_report>{report});
  };
  return true;
}

/// What only the objective knows. A plan that runs knows itself which of its tasks are awaited, and
/// decides on another thread.
shape_terms objective_actor::terms_for(std::uint32_t plan, const change_plan& asked) const {
  shape_terms out;
  out.tasks_max = opt::tasks_per_plan_max;
  if (!running_[plan])
    out.is_awaited = [this, plan](std::uint32_t task) {
      return !resolved_[plan]->awaited(task).empty() || awaited_later_.contains({plan, task});
    };
  out.check_references = check_changed_references;
  out.reads = refers_to;
  const bool adds_dependencies =
      std::ranges::any_of(asked.operations, [](const wanted_operation& each) {
        return std::holds_alternative<add_dependency<std::string>>(each)
               || std::holds_alternative<put_task<std::string>>(each)
               || std::holds_alternative<replace_task>(each)
               || std::holds_alternative<remove_task<std::string>>(each); // it may bridge
      });
  if (view().plans[plan].spec->outside.empty() || !adds_dependencies)
    return out;
  std::vector<plan_spec_ptr> plans;
  for (const auto& each : view().plans)
    plans.push_back(each.spec);
  out.check_cycles = [plans = std::move(plans), plan](const plan_spec& changed) {
    return check_cycles(plans, plan, changed);
  };
  return out;
}

void objective_actor::on_shape(const shape_settled& fact) {
  if (fact.changed) {
    const auto before = view().plans[fact.plan].spec;
    follow(plan_reshaped{*fact.changed});
    hold_bytes(editable_bytes_of(*view().plans[fact.plan].spec), editable_bytes_of(*before));
    note_shape(*before, *fact.changed);
    mind_deadlines();
  }
  if (changing_ && changing_->plan == fact.plan)
    end_change();
}

/// The view has it already. Holds as many bytes as the plan has now.
void objective_actor::note_shape(const plan_spec& before, const plan_changed& changed) {
  const auto& now = view().plans[changed.plan].spec;
  if (now->name != before.name)
    index_.reset(); // made anew, with the new name
  if (index_)
    index_->apply(now, changed);
  const auto size = static_cast<std::uint32_t>(before.tasks.size());
  for (const auto task : tasks_touched_by(changed, size))
    hold_bytes(live_bytes_of(now->tasks[task]),
               task < size ? live_bytes_of(before.tasks[task]) : 0);
}

template<class Message>
bool objective_actor::is_deferred(const Message& message,
                                  void (objective_actor::*handler)(const Message&)) {
  if (!changing_)
    return false;
  after_change_.push_back([this, message, handler] { (this->*handler)(message); });
  return true;
}

void objective_actor::end_change() {
  changing_.reset();
  while (!changing_ && !has_left_) {
    auto& waiting = ends_after_change_.empty() ? after_change_ : ends_after_change_;
    if (waiting.empty())
      return;
    const auto next = std::move(waiting.front());
    waiting.pop_front();
    next();
  }
}

void objective_actor::on_message(objective_message& message) {
  const auto plan = message.plan;
  if (plan < running_.size() && running_[plan])
    return tell(running_[plan],
                task_input{message.task, std::move(message.only), std::move(message.input)});
  if (!message.only.empty())
    return message.input.done(no_question(message.only.str()));
  const bool ended = plan < view().plans.size() && is_settled(view().plans[plan].state);
  message.input.done(ended ? task_has_ended("") : task_has_not_begun(""));
}

void objective_actor::on_root_said(const root_said& message) {
  const auto root = view().root_task;
  if (root.empty() || is_settled(view().state))
    return message.done(root);
  change said;
  said.context = view().id.str();
  said.task = {root, true, 0, 0};
  said.at = env_.now();
  said.events.push_back(task_message{message.message, root_state(view(), view().state)});
  write(std::move(said), [done = message.done, root] { done(root); });
}

void objective_actor::on_cancel(const objective_cancel& message) {
  const auto& asked = message.command;
  if (message.root) {
    if (asked.done)
      cancelers_.push_back(asked.done);
    cancel_metadata_ = asked.metadata;
    static_cast<void>(obey(objective_cancellation{asked.reason}, {.by = asked.by,
                                                                  .metadata = {},
                                                                  .answer = nullptr,
                                                                  .plan = std::nullopt,
                                                                  .conditions = asked.conditions,
                                                                  .leaves = asked.leaves}));
    return quit_if_ended();
  }
  if (message.plan < running_.size() && running_[message.plan])
    return tell(running_[message.plan], task_cancel{message.task, asked});
  if (message.plan >= view().plans.size())
    return;
  // A plan that has not begun has no actor: its task is withdrawn here. Else the task has ended:
  // the caller gets this error when the message is dropped.
  command from{.by = asked.by,
               .metadata = {},
               .answer =
                   [&records = env_.records, id = view().plans[message.plan].task_at(message.task),
                    done = asked.done](const commit_outcome& outcome) {
                     if (outcome.conflict)
                       return done(came_before());
                     records.read_task(id, done);
                   },
               .plan = std::nullopt,
               .conditions = asked.conditions};
  static_cast<void>(obey(task_withdrawal{message.plan, message.task, asked.reason, asked.metadata},
                         std::move(from)));
}

} // namespace troupe
