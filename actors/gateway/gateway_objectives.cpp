// The commands about objectives and plans: create, update, change.
#include "actors/commands/message_rules.hpp"
#include "actors/gateway/gateway_steps.hpp"
#include "actors/objective/acceptance.hpp"
#include "actors/objective/objective_actor.hpp"
#include "actors/plan/live_bytes.hpp"
#include "actors/planning/replanning.hpp"
#include "protocol/a2a/request_path.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/unshared.hpp>

#include <utility>

namespace troupe {

namespace {

/// Adds the ids that a client chose for the plan and its tasks.
void add_chosen_ids(const plan_spec& plan, std::vector<std::string>& to) {
  if (!plan.id.empty())
    to.push_back(plan.id.str());
  for (const auto& task : plan.tasks)
    if (!task.id.empty())
      to.push_back(task.id.str());
}

/// The `maxParallel` of an objective (0: no limit) under that of the server (gateway_options).
std::uint32_t allowed_parallel(std::uint32_t wanted, std::uint32_t most) noexcept {
  return most > 0 && (wanted == 0 || wanted > most) ? most : wanted;
}

/// The plans that a change brings, as plans/create would check them, and the ids that a client
/// chose for them.
result<void> check_new_plans(const modify_objective& command, const agent_registry& agents,
                             std::vector<std::string>& chosen) {
  for (std::size_t i = 0; i < command.operations.size(); ++i) {
    const auto* added = std::get_if<new_plan>(&command.operations[i]);
    if (!added)
      continue;
    auto ok = check_plan(*added->spec, 0, agents);
    if (ok)
      ok = check_chosen_ids(*added->spec, command.id, std::nullopt);
    if (!ok) {
      constexpr std::string_view first = "/plans/0";
      auto why = ok.error();
      why.field = "/operations/" + std::to_string(i)
                  + (why.field.starts_with(first) ? why.field.substr(first.size()) : "");
      return why;
    }
    add_chosen_ids(*added->spec, chosen);
  }
  return {};
}

} // namespace

// -- objectives -----------------------------------------------------------------------------------

void gateway::has_live_objective(const principal& who, const objective_id& id,
                                 reply<bool> done) const {
  if (!impl_->env->objectives.find(id.str()))
    return done(false);
  impl_->records.read_placement(
      id,
      [who, done = std::move(done)](const result<placement>& at) {
        if (!at && !is_not_found(at.error().code))
          return done(at.error());
        done(at && owns(who, at->owner));
      },
      client_of(who));
}

bool gateway::impl::is_for_default_agent(const objective_spec& spec) const {
  bool has_tasks = false;
  for (const auto& plan : spec.plans) {
    if (!troupe::is_for_default_agent(*plan, agents))
      return false;
    has_tasks = has_tasks || !plan->tasks.empty();
  }
  return has_tasks;
}

void gateway::create(create_objective command, watcher_ptr follow, reply<objective_ptr> done) {
  impl_->once_only(command, done,
                   [self = impl_.get(), follow = std::move(follow)](create_objective& first,
                                                                    reply<objective_ptr>& to) {
                     if (auto ok = self->open(); !ok)
                       return to(ok.error());
                     if (auto ok = self->has_room(live_bytes_of(first.spec)); !ok)
                       return to(ok.error());
                     self->create(std::move(first), follow, std::move(to));
                   });
}

/// The rules of messages hold also for a message that brings an objective. Its media types are
/// checked if the default agent does all tasks. Then the objective itself is checked, and the ids
/// that the client chose for it.
void gateway::impl::create(create_objective command, watcher_ptr follow,
                           reply<objective_ptr> done) {
  const auto shared = std::make_shared<create_objective>(std::move(command));
  static const boost::json::object none;
  if (auto ok = admit_path(shared->request ? shared->request->metadata : none, shared->traceparent,
                           shared->tracestate);
      !ok)
    return done(ok.error());
  if (shared->request) {
    // A deadline goes along: the earlier one counts.
    if (const auto due = deadline_in(shared->request->metadata);
        due && (!shared->spec.deadline || *due < *shared->spec.deadline))
      shared->spec.deadline = due;
  }
  const auto after_message = [this, shared, follow = std::move(follow)](reply<objective_ptr> to) {
    auto resolved = check_new_objective(shared->spec, agents);
    if (!resolved)
      return to(resolved.error());
    create_named(std::move(*shared), std::move(*resolved), follow, std::move(to));
  };
  if (!shared->request)
    return after_message(std::move(done));
  find_references(
      shared->who, *shared->request, nullptr, std::move(done),
      [this, shared, after_message](const find_task_fn& find, reply<objective_ptr> to) {
        if (auto ok = check_task_references(*shared->request, find); !ok)
          return to(ok.error());
        shared->spec.references = references_in(*shared->request);
        const auto agent = agents.find(agents.default_name());
        if (agent && is_for_default_agent(shared->spec))
          if (auto ok = check_media_types(*shared->request, shared->accepted_output_modes, *agent);
              !ok)
            return to(ok.error());
        after_message(std::move(to));
      });
}

void gateway::impl::create_named(create_objective command, resolved_objective resolved,
                                 watcher_ptr follow, reply<objective_ptr> done) {
  const auto bytes = text_bytes_of(command);
  auto spec = std::make_shared<objective_spec>(std::move(command.spec));
  std::vector<std::string> chosen;
  if (!spec->id.empty())
    chosen.push_back(spec->id.str());
  for (const auto& plan : spec->plans)
    add_chosen_ids(*plan, chosen);
  const auto known = std::make_shared<resolved_objective>(std::move(resolved));
  const auto who = command.who;
  static const boost::json::object none;
  auto path = request_path(command.request ? command.request->metadata : none, command.tracestate);
  auto begin = [this, spec = std::move(spec), known, who = std::move(command.who),
                trace = shared_trace({std::move(command.traceparent), std::move(command.tracestate),
                                      std::move(path)}),
                request = std::move(command.request), starts = command.start,
                conditions = std::move(command.conditions),
                follow = std::move(follow)](reply<objective_ptr> to) {
    if (spec->id.empty())
      spec->id = objective_id{thread_id_source().next("obj")};
    if (spec->name.empty())
      spec->name = spec->id.str();
    spec->parallel_max = allowed_parallel(spec->parallel_max, options.parallel_max);
    // Filled in before it is shared.
    for (std::size_t p = 0; p < spec->plans.size(); ++p)
      name_plan(unshared(spec->plans[p]), spec->id, p);
    const auto id_of = [&spec](const task_position& at) {
      return spec->plans[at.plan]->tasks[at.task].id;
    };
    for (std::size_t p = 0; p < spec->plans.size(); ++p)
      note_dependencies(unshared(spec->plans[p]), static_cast<std::uint32_t>(p), known->plans[p],
                        id_of);
    objective_start start;
    start.view.id = spec->id;
    start.by = owner_of(who);
    start.create = objective_created{spec, {}, *start.by, trace};
    if (request) {
      start.create->root_task = task_id{thread_id_source().next("task")};
      start.request = request;
    }
    start.resolved = std::move(*known);
    start.start = starts;
    start.follow = follow;
    start.conditions = answered(conditions, {.objective = spec->id});
    start.done = {std::move(to),
                  make_error(errc::internal, "the objective could not be created", spec->id.str())};
    spawn_actor<objective_actor>(*system, *env, std::move(start));
  };
  claim(std::move(chosen), bytes, who, std::move(done), std::move(begin));
}

void gateway::update(update_objective command, reply<objective_ptr> done) {
  impl_->once_only(command, done,
                   [self = impl_.get()](update_objective& first, reply<objective_ptr>& to) {
                     self->update(std::move(first), std::move(to));
                   });
}

void gateway::impl::update(update_objective command, reply<objective_ptr> done) {
  const auto id = command.id;
  const auto who = command.who;
  place(who, id, std::move(done),
        [this, id, command = std::move(command)](const placement&, reply<objective_ptr> to) {
          if (command.wrong)
            return to(*command.wrong);
          if (auto ok = has_room(command.edited); !ok)
            return to(ok.error());
          const bool cancels = command.state == objective_state::canceled;
          const auto joined = std::make_shared<cancel_answer<objective_view>>(std::move(to));
          this->command<objective_ptr>(
              id,
              [command, cancels, joined](reply_port<objective_ptr> port) {
                return change_objective{command, std::move(port),
                                        cancels ? joined->share(std::nullopt) : nullptr};
              },
              [joined](result<objective_ptr> changed) { joined->on_record(std::move(changed)); },
              command_tries_max);
        });
}

// -- plans ----------------------------------------------------------------------------------------

void gateway::create(create_plan command, reply<plan_id> done) {
  impl_->once_only(command, done, [self = impl_.get()](create_plan& first, reply<plan_id>& to) {
    if (auto ok = self->open(); !ok)
      return to(ok.error());
    const auto shared = std::make_shared<create_plan>(std::move(first));
    self->place(shared->who, shared->objective, std::move(to),
                [self, shared](const placement&, reply<plan_id> next) {
                  self->create(std::move(*shared), std::move(next));
                });
  });
}

void gateway::impl::create(create_plan command, reply<plan_id> done) {
  if (command.wrong)
    return done(*command.wrong);
  if (auto ok = has_room(live_bytes_of(command.spec)); !ok)
    return done(ok.error());
  if (auto ok = check_plan(command.spec, 0, agents); !ok)
    return done(ok.error());
  if (auto ok = check_chosen_ids(command.spec, command.objective, std::nullopt); !ok)
    return done(ok.error());
  std::vector<std::string> chosen;
  add_chosen_ids(command.spec, chosen);
  const auto bytes = text_bytes_of(command);
  const auto who = command.who;
  auto add = [this, id = command.objective,
              spec = std::make_shared<plan_spec>(std::move(command.spec)), starts = command.start,
              starts_objective = command.starts_objective, if_revision = command.if_revision,
              by = owner_of(command.who),
              conditions = std::move(command.conditions)](reply<plan_id> to) {
    this->command<plan_id>(
        id,
        [=](reply_port<plan_id> port) {
          return add_plan{spec, starts,          starts_objective, if_revision,
                          by,   std::move(port), conditions};
        },
        std::move(to), command_tries_max);
  };
  claim(std::move(chosen), bytes, who, std::move(done), std::move(add));
}

void gateway::update(update_plan command, reply<plan_id> done) {
  impl_->once_only(command, done, [self = impl_.get()](update_plan& first, reply<plan_id>& to) {
    self->update(std::move(first), std::move(to));
  });
}

void gateway::impl::update(update_plan command, reply<plan_id> done) {
  const auto id = command.id;
  const auto who = command.who;
  place(who, id, std::move(done),
        [this, command = std::move(command)](const placement& at, reply<plan_id> to) {
          if (command.wrong)
            return to(*command.wrong);
          if (auto ok = has_room(command.edited); !ok)
            return to(ok.error());
          this->command<plan_id>(
              at.objective,
              [command](reply_port<plan_id> port) {
                return move_plan{command, std::move(port)};
              },
              std::move(to), command_tries_max);
        });
}

// What changes nothing may come as often as it likes.
void gateway::change(change_plan command, reply<change_report> done) {
  if (command.dry_run)
    command.request_id.clear();
  impl_->once_only(command, done,
                   [self = impl_.get()](change_plan& first, reply<change_report>& to) {
                     self->change(std::move(first), std::move(to));
                   });
}

void gateway::impl::change(change_plan command, reply<change_report> done) {
  if (auto ok = open(); !ok)
    return done(ok.error());
  const auto id = command.id;
  const auto who = command.who;
  place(who, id, std::move(done),
        [this, command = std::move(command)](const placement& at, reply<change_report> to) {
          if (command.wrong)
            return to(*command.wrong);
          if (auto ok = has_room(live_bytes_of(command.operations)); !ok)
            return to(ok.error());
          if (auto ok = check_operations(command.operations, agents); !ok)
            return to(ok.error());
          this->command<change_report>(
              at.objective,
              [command](reply_port<change_report> port) {
                return reshape_plan{command, std::move(port)};
              },
              std::move(to), command_tries_max);
        });
}

void gateway::change(modify_objective command, reply<change_report> done) {
  if (command.dry_run)
    command.request_id.clear();
  impl_->once_only(command, done,
                   [self = impl_.get()](modify_objective& first, reply<change_report>& to) {
                     self->change(std::move(first), std::move(to));
                   });
}

void gateway::replan(replan_objective command, reply<replan_report> done) {
  if (command.dry_run)
    command.request_id.clear();
  impl_->once_only(command, done, [this](replan_objective& first, reply<replan_report>& to) {
    if (auto ok = impl_->open(); !ok)
      return to(ok.error());
    const auto shared = std::make_shared<replan_objective>(std::move(first));
    impl_->place(shared->who, shared->id, std::move(to),
                 [this, shared](const placement&, reply<replan_report> next) {
                   if (shared->wrong)
                     return next(*shared->wrong);
                   troupe::replan(*this, std::move(*shared), std::move(next));
                 });
  });
}

void gateway::impl::change(modify_objective command, reply<change_report> done) {
  if (auto ok = open(); !ok)
    return done(ok.error());
  const auto id = command.id;
  const auto who = command.who;
  for (auto& each : command.operations)
    if (auto* edited = std::get_if<edit_objective>(&each); edited && edited->parallel_max)
      edited->parallel_max = allowed_parallel(*edited->parallel_max, options.parallel_max);
  place(who, id, std::move(done),
        [this, id, command = std::move(command)](const placement&, reply<change_report> to) {
          if (command.wrong)
            return to(*command.wrong);
          if (auto ok = has_room(bytes_of(command.operations)); !ok)
            return to(ok.error());
          std::vector<std::string> chosen;
          if (auto ok = check_new_plans(command, agents, chosen); !ok)
            return to(ok.error());
          const auto by = command.who;
          claim(std::move(chosen), text_bytes_of(command), by, std::move(to),
                [this, id, command](reply<change_report> answer) {
                  this->command<change_report>(
                      id,
                      [command](reply_port<change_report> port) {
                        return reshape_objective{command, std::move(port)};
                      },
                      std::move(answer), command_tries_max);
                });
        });
}

} // namespace troupe
