#include "actors/caf_scheduler.hpp"
#include "actors/gateway/gateway_impl.hpp"
#include "actors/objective/acceptance.hpp"
#include "actors/objective/objective_actor.hpp"
#include "actors/plan/live_bytes.hpp"
#include "actors/planning/parameters_agent.hpp"
#include "actors/planning/planned_objective.hpp"
#include "actors/planning/question_agent.hpp"
#include "actors/planning/question_task.hpp"
#include "actors/planning/replanning.hpp"
#include "actors/planning/template_check.hpp"
#include "actors/slots/throttle_actor.hpp"
#include "actors/task/task_actor.hpp"
#include "protocol/core_count.hpp"
#include <troupe/actors/gateway.hpp>

#include <algorithm>
#include <unordered_map>

#include "planner/parameters_task.hpp"

namespace troupe {

namespace {

constexpr std::chrono::milliseconds housekeeping_interval{100};

caf::actor_system_config make_config(const executor_options& options) {
#if TROUPE_CAF_1
  caf::core::init_global_meta_objects();
  caf::init_global_meta_objects<caf::id_block::troupe>();
  constexpr char threads_key[] = "caf.scheduler.max-threads";
  constexpr char throughput_key[] = "caf.scheduler.max-throughput";
#else
  constexpr char threads_key[] = "scheduler.max-threads";
  constexpr char throughput_key[] = "scheduler.max-throughput";
#endif
  caf::actor_system_config config;
  config.set(threads_key, options.threads ? options.threads : std::size_t{core_count()});
  config.set(throughput_key, messages_per_turn_max);
  return config;
}

/// With what is used unless something else is said.
executor_options complete(executor_options how) {
  how.memory = budget_or_own(std::move(how.memory));
  if (how.objective_bytes_max == 0)
    how.objective_bytes_max =
        std::min(objective_bytes_max, how.memory->bytes_max() / objective_bytes_divisor);
  return how;
}

} // namespace

// -- impl -----------------------------------------------------------------------------------------

gateway::impl::impl(store& in, const agent_registry& known, const executor_options& how)
    : records(in), registered(known), options(complete(how)),
      desk(
          in, [this] { return now(); }, options.memory),
      config(make_config(options)) {}

void gateway::impl::start() {
  if (!options.by_hand)
    use_scheduler(config);
  system = options.by_hand ? options.by_hand->make_system(
               config, {.after_advance = [this] { house->turn_fully(); },
                        .next_deadline = [this] { return env->deadlines.next_due(); },
                        .turn_deadlines = [this] { env->deadlines.turn(now()); }})
                           : std::make_unique<caf::actor_system>(config);
  env.emplace(*system, records, agents, options);
  house.emplace(*env);
  plan_desk.emplace(*env);
  for (const auto& name : agents.names())
    if (const auto limit = agents.find(name)->parallel_max(); limit > 0)
      env->agent_slots.emplace(name, spawn_actor<throttle_actor>(*system, *env, limit));
  if (!options.by_hand)
    ticks.start(housekeeping_interval, [this] { house->turn(); });
}

gateway::impl::~impl() {
  if (!env)
    return;
  env->stopping = true;
  ticks.stop();
  for (const auto& one : loops)
    one->close();
  desk.close();
  env->objectives.close();
  env->lone_tasks.close();
  if (options.by_hand) // Else agents have their grace: programs end as they want to.
    env->stopping_tasks.close();
  env->deadlines.close();
  plan_desk->close();
  for (const auto& [name, actor] : env->agent_slots)
    kill(actor);
  if (options.by_hand) {
    options.by_hand->settle();
    options.by_hand->detach();
  }
  // A task on its way out still looks its throttle up: the table goes last.
  system->await_all_actors_done();
  env->agent_slots.clear();
  // Continuations of changes that wait for the disk still refer to actors and to this object, so
  // they end first.
  records.drain();
}

result<void> gateway::impl::open() const {
  if (draining)
    return make_error(errc::unavailable, "the server is shutting down and takes no new work", "");
  if (!house->can_write())
    return make_error(errc::unavailable, "the store cannot write: " + records.status().problem, "");
  if (const auto* why = house->backlog_problem())
    return make_error(errc::overloaded, std::string{why} + "; try again later", "");
  if (env->live_tasks.load(std::memory_order_relaxed) >= options.live_tasks_max)
    return make_error(errc::overloaded,
                      "there are " + std::to_string(options.live_tasks_max)
                          + " live tasks (limits.live-tasks)",
                      "");
  return {};
}

result<void> gateway::impl::keeps_up() const {
  if (const auto* why = house->full_backlog_problem())
    return make_error(errc::overloaded, std::string{why} + "; try again later", "");
  return {};
}

result<void> gateway::impl::has_room(std::size_t bytes) const {
  return env->has_room(bytes);
}

result<void> gateway::impl::has_room(const edits& wanted) const {
  const auto bytes = live_bytes_of(wanted);
  return bytes == 0 ? result<void>{} : has_room(bytes);
}

result<objective_handle> gateway::impl::spawn_existing(const objective_view& view,
                                                       std::optional<task_state> root_shown) {
  std::vector<plan_spec_ptr> plans;
  for (const auto& plan : view.plans)
    plans.push_back(plan.spec);
  auto resolved = resolve_accepted(plans);
  if (!resolved)
    return resolved.error();
  objective_start start;
  start.view = view;
  start.resolved = std::move(*resolved);
  start.root_shown = root_shown;
  auto actor = spawn_actor<objective_actor>(*system, *env, std::move(start));
  env->objectives.put(view.id.str(), actor);
  ++env->entered;
  return actor;
}

void gateway::impl::resume_lone(const task& record) {
  task_start start;
  start.id = record.id;
  start.agent = record.agent;
  start.context = record.context;
  start.owner = record.owner;
  start.exists = true;
  start.attempts = record.attempt;
  for (const auto& one : record.history)
    if (one->from == role::user && !start.request)
      start.request = one;
  if (!start.request)
    start.request = std::make_shared<const message>();
  start.request_metadata = record.metadata;
  start.accepted_output_modes = record.details->accepted_output_modes;
  start.trace = record.details->trace;
  start.ready_at = record.ready_at;
  const std::lock_guard lock{env->entering};
  env->lone_tasks.put(record.id.str(), spawn_lone(std::move(start)));
}

/// Its first slot is asked for here, so that tasks get theirs in the order in which they came.
task_handle gateway::impl::spawn_lone(task_start&& start) {
  if (!needs_slots(*env, throttle_handle{}, start.agent))
    return spawn_actor<task_actor>(*system, *env, std::move(start));
  start.ticket = ++env->last_ticket;
  slot_request wanted{.ticket = start.ticket,
                      .objective = start.context,
                      .owner = start.owner,
                      .has_begun = start.attempts > 0,
                      .waiting_since = start.ready_at};
  const auto agent = start.agent;
  auto task = spawn_actor<task_actor>(*system, *env, std::move(start));
  static_cast<void>(request_slots(*env, throttle_handle{}, agent, std::move(wanted), task));
  return task;
}

// -- life -----------------------------------------------------------------------------------------

gateway::gateway(store& records, const agent_registry& agents, executor_options options)
    : impl_(std::make_unique<impl>(records, agents, options)) {}

gateway::~gateway() = default;

void gateway::start() {
  impl_->agents = agent_registry::beside(impl_->registered);
  impl_->agents.add(std::string(planner::parameters_agent_name),
                    std::make_shared<parameters_agent>(*this));
  impl_->agents.add(std::string(question_agent_name), std::make_shared<question_agent>(*this));
  impl_->start();
}

void gateway::resume(const recovered& left) {
  auto& env = *impl_->env;
  std::unordered_map<task_id, task_state> roots;
  for (const auto& record : left.lone_tasks)
    if (record->agent == objective_agent)
      roots.emplace(record->id, record->status.state);
  std::vector<objective_ptr> planned;
  std::vector<objective_ptr> paused;
  for (const auto& view : left.objectives) {
    const auto root = roots.find(view->root_task);
    const std::lock_guard lock{env.entering};
    const auto actor = impl_->spawn_existing(
        *view, root == roots.end() ? std::nullopt : std::optional{root->second});
    if (actor && is_being_planned(*view))
      planned.push_back(view);
    if (actor && view->planner_pause)
      paused.push_back(view);
    if (!actor && env.options.warn) // It was accepted once, so its dependencies resolve.
      env.options.warn("objective " + view->id.str() + " cannot go on: " + actor.error().message);
  }
  for (const auto& record : left.lone_tasks) {
    if (record->agent != objective_agent) {
      impl_->resume_lone(*record);
      continue;
    }
    // An objective settles, and then its root task does; the process may have ended in between.
    env.records.read_objective(
        objective_id{record->context}, [&env, self = impl_.get(), shown = record->status.state](
                                           const result<objective_ptr>& whole) {
          if (!whole || !*whole || !is_settled((*whole)->state))
            return;
          const std::lock_guard lock{env.entering};
          const bool is_here = env.objectives.find((*whole)->id.str()) != nullptr;
          if (is_here || !self->spawn_existing(**whole, shown)) // it ends its root task, and leaves
            env.records.commit(
                root_moved(**whole, (*whole)->state, (*whole)->reason, {}, env.now()));
        });
  }
  for (const auto& view : planned)
    take_up_planning(*this, *view);
  for (const auto& view : paused)
    end_planner_pause(*this, *view);
}

loop_gateway& gateway::attach(std::function<void()> notify) {
  const std::lock_guard guard(impl_->loops_lock);
  impl_->loops.push_back(std::make_unique<loop_gateway>(*impl_->env, std::move(notify)));
  return *impl_->loops.back();
}

void gateway::end_feeds_of(const principal& reader, const error& reason) {
  const std::lock_guard guard(impl_->loops_lock);
  for (const auto& each : impl_->loops)
    each->end_feeds_of(reader, reason);
}

result<void> gateway::check(const objective_spec& spec) const {
  if (auto resolved = check_new_objective(spec, agents()); !resolved)
    return resolved.error();
  return {};
}

const memory_budget_ptr& gateway::memory() const noexcept {
  return impl_->options.memory;
}

void gateway::begin_move(const objective_id& id) {
  impl_->env->objectives.begin_move(id.str());
}

void gateway::begin_move(const task_id& id) {
  impl_->env->lone_tasks.begin_move(id.str());
}

void gateway::end_move(const objective_id& id, const std::string& address) {
  impl_->env->objectives.end_move(id.str(), address);
}

void gateway::end_move(const task_id& id, const std::string& address) {
  impl_->env->lone_tasks.end_move(id.str(), address);
}

void gateway::drain() {
  impl_->draining = true;
}

bool gateway::draining() const noexcept {
  return impl_->draining;
}

result<void> gateway::takes_work() const {
  auto taken = impl_->open();
  return taken ? impl_->has_room(1) : taken;
}

timestamp gateway::now() const {
  return impl_->now();
}

result<void> gateway::set_templates(const std::vector<template_text>& templates) {
  planning_options all;
  all.templates = templates;
  auto read = read_templates(all);
  if (!read)
    return read.error();
  if (auto fine = check_templates(*read, impl_->agents); !fine)
    return fine;
  impl_->plan_desk->replace(std::move(*read));
  return {};
}

std::vector<template_summary> gateway::templates() const {
  const auto& desk = *impl_->plan_desk;
  return desk.is_on() ? summaries_of(desk.templates()) : std::vector<template_summary>{};
}

planning_desk& gateway::planning() noexcept {
  return *impl_->plan_desk;
}

store& gateway::records() noexcept {
  return impl_->records;
}

const agent_registry& gateway::agents() const noexcept {
  return impl_->env ? impl_->agents : impl_->registered;
}

} // namespace troupe
