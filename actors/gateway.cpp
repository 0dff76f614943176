#include "actors/gateway.hpp"

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "actors/acceptance.hpp"
#include "actors/environment.hpp"
#include "actors/limits.hpp"
#include "actors/manual_clock.hpp"
#include "actors/message_rules.hpp"
#include "actors/objective_actor.hpp"
#include "actors/recent_sends.hpp"
#include "actors/task_actor.hpp"
#include "actors/throttle_actor.hpp"

namespace troupe {

namespace {

constexpr std::chrono::milliseconds housekeeping_interval{100};
constexpr int evict_every_rounds = 20;

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
  const auto cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  config.set(threads_key, options.threads ? options.threads : cores);
  config.set(throughput_key, messages_per_turn_max);
  return config;
}

// The fallback of a command whose objective actor ended before it looked at it; never seen outside.
const error dropped{};
constexpr int command_tries_max = 8;

} // namespace

struct gateway::impl {
  impl(store& records, const agent_registry& agents, executor_options options)
      : config(make_config(options)),
        system(options.by_hand ? options.by_hand->make_system(config, [this] { look_after(true); })
                               : std::make_unique<caf::actor_system>(config)),
        env(*system, records, agents, options) {
    if (options.deduplicate_seconds > 0)
      recent = std::make_unique<recent_sends>(std::chrono::seconds{options.deduplicate_seconds}, [this] { return env.now(); });
    for (const auto& name : agents.names())
      if (const auto limit = agents.find(name)->parallel_max(); limit > 0)
        env.agent_slots.emplace(name, spawn_actor<throttle_actor>(*system, limit));
    if (!options.by_hand)
      housekeeper = std::thread{[this] { keep_house(); }};
  }

  ~impl() {
    env.stopping = true;
    {
      const std::lock_guard lock{house_mutex};
      house_closed = true;
    }
    house_wakes.notify_all();
    if (housekeeper.joinable())
      housekeeper.join();
    env.objectives.close();
    env.lone_tasks.close();
    for (const auto& [name, who] : env.agent_slots)
      kill(who);
    if (env.options.by_hand) {
      env.options.by_hand->settle();
      env.options.by_hand->detach();
    }
    // A task on its way out still looks its throttle up: the table goes last.
    system->await_all_actors_done();
    env.agent_slots.clear();
    // What waits for the disk still leads to actors and to this object.
    env.records.drain();
  }

  void keep_house() {
    int round = 0;
    std::unique_lock lock{house_mutex};
    while (!house_wakes.wait_for(lock, housekeeping_interval, [this] { return house_closed; })) {
      lock.unlock();
      look_after(++round % evict_every_rounds == 0);
      lock.lock();
    }
  }

  // Samples what is too dear to ask per request, and sends settled objectives out of memory.
  void look_after(bool evict) {
    const auto status = env.records.status();
    backlog_full = status.backlog_changes > env.options.backlog_changes_max;
    unwritable = !status.writable;
    if (evict)
      env.records.evict(env.now() - env.options.settled_linger);
  }

  /// Why new work is not taken at the moment.
  [[nodiscard]] result<void> open() const {
    if (env.draining)
      return make_error(errc::unavailable, "the server is shutting down and takes no new work", "");
    if (unwritable)
      return make_error(errc::unavailable, "the store cannot write: " + env.records.status().problem, "");
    if (backlog_full)
      return make_error(errc::overloaded, "too many changes wait for the disk (limits.backlog-changes)", "");
    if (env.live_tasks.load(std::memory_order_relaxed) >= env.options.live_tasks_max)
      return make_error(errc::overloaded,
                        "there are " + std::to_string(env.options.live_tasks_max) + " live tasks (limits.live-tasks)", "");
    return {};
  }

  /// Whether plans or a message of that size may be added to what is live.
  [[nodiscard]] result<void> has_room(std::size_t bytes) const {
    const auto live = env.live_bytes.load(std::memory_order_relaxed);
    if (live + bytes <= env.options.live_bytes_max)
      return {};
    return make_error(errc::overloaded,
                      "live work was given " + std::to_string(live) + " bytes of plans and messages; with " + std::to_string(bytes)
                          + " more there would be more than " + std::to_string(env.options.live_bytes_max) + " (limits.live-bytes)",
                      "");
  }

  /// What a message that brings an objective keeps to, as one that brings none does; in its media types if the default agent is to do
  /// all the work.
  [[nodiscard]] result<void> check_request(const create_objective& what) const {
    if (!what.request)
      return {};
    const auto refer = [this, owner = owner_of(what.who)](const task_id& id) { return env.records.find_task_of(owner, id); };
    if (auto ok = check_task_references(*what.request, refer); !ok)
      return ok;
    const auto who = env.agents.find(env.agents.default_agent);
    if (!who || !is_for_default_agent(what.spec))
      return {};
    return check_media_types(*what.request, what.accepted_output_modes, *who);
  }

  [[nodiscard]] bool is_for_default_agent(const objective_spec& what) const {
    std::size_t tasks = 0;
    for (const auto& plan : what.plans)
      for (const auto& task : plan->tasks) {
        if (env.agents.name_or_default(task.agent) != env.agents.default_agent)
          return false;
        ++tasks;
      }
    return tasks > 0;
  }

  void send_new(send_message what, watcher_ptr follow, reply<sent> done) {
    task_start start;
    start.id = task_id{thread_id_source().next("task")};
    start.agent = env.agents.default_agent;
    start.owner = owner_of(what.who);
    start.context = what.what.context_id.empty() ? thread_id_source().next("ctx") : what.what.context_id;
    what.what.task_id = start.id.str();
    what.what.context_id = start.context;
    start.request = std::make_shared<const message>(std::move(what.what));
    start.request_metadata = std::move(what.metadata);
    start.accepted_output_modes = std::move(what.accepted_output_modes);
    start.traceparent = std::move(what.who.traceparent);
    start.follow = std::move(follow);
    start.done = {std::move(done), make_error(errc::internal, "the task's actor died before it began", start.id.str())};
    spawn_actor<task_actor>(*system, env, std::move(start));
  }

  void send_to(const task_ptr& record, send_message what, reply<sent> done) const {
    const auto id = record->id;
    reply_port<task_id> accepted{[done = std::move(done), context = record->context](result<task_id> taken) {
                                   if (taken)
                                     done(sent{*taken, context, false, nullptr});
                                   else
                                     done(taken.error());
                                 },
                                 task_has_ended(id.str())};
    provide_input input{std::make_shared<const message>(std::move(what.what)), std::move(accepted)};
    if (!record->origin && record->agent != objective_agent) {
      if (const auto who = env.lone_tasks.find(id.str()))
        tell(who, std::move(input));
      return;
    }
    const bool root = !record->origin;
    if (const auto who = env.objectives.find(record->context))
      tell(who, objective_input{root, record->origin.plan_index, record->origin.task_index, std::move(input)});
  }

  /// The live actor of an objective; one that has settled is brought back for as long as the command takes.
  [[nodiscard]] result<objective_handle> objective_for(const objective_id& id) {
    if (auto who = env.objectives.find(id.str()))
      return who;
    // The disk is read under the lock: what it says must still be so when the actor begins.
    const std::lock_guard lock{env.entering};
    if (auto who = env.objectives.find(id.str()))
      return who;
    const auto view = env.records.find_objective(id);
    if (!view)
      return unknown_objective(id.str());
    return spawn_existing(*view);
  }

  /// Sends an objective the message that `make` makes of the reply; once more if its actor was just ending.
  template<class T, class Make>
  void command(const objective_id& id, Make make, reply<T> done, int tries = command_tries_max) {
    const auto who = objective_for(id);
    if (!who)
      return done(who.error());
    tell(*who, make(reply_port<T>{[this, id, make, done = std::move(done), tries](result<T> what) {
                                    if (what || what.error() != dropped)
                                      done(std::move(what));
                                    else if (tries > 1 && !env.stopping)
                                      command_again<T>(id, make, done, tries - 1);
                                    else
                                      done(make_error(errc::unavailable, "the objective is just ending; try again", id.str()));
                                  },
                                  dropped}));
  }

  /// From where nothing may be thrown.
  template<class T, class Make>
  void command_again(const objective_id& id, Make make, const reply<T>& done, int tries) noexcept {
    try {
      command<T>(id, make, done, tries);
    } catch (const store_unreadable& e) {
      done(make_error(errc::unavailable, e.what(), id.str()));
    }
  }

  /// With `env.entering` held.
  [[nodiscard]] result<objective_handle> spawn_existing(const objective_view& view) {
    std::vector<plan_spec_ptr> plans;
    for (const auto& plan : view.plans)
      plans.push_back(plan.spec);
    auto resolved = resolve_accepted(plans);
    if (!resolved)
      return resolved.error();
    objective_start start;
    start.view = view;
    start.resolved = std::make_shared<const resolved_objective>(std::move(*resolved));
    auto who = spawn_actor<objective_actor>(*system, env, std::move(start));
    env.objectives.put(view.id.str(), who);
    return who;
  }

  void resume_lone(const task& record) {
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
    start.accepted_output_modes = record.accepted_output_modes;
    const std::lock_guard lock{env.entering};
    env.lone_tasks.put(record.id.str(), spawn_actor<task_actor>(*system, env, std::move(start)));
  }

  /// Ids a client chose are reserved from the check until they are committed, so that two requests cannot both have them.
  [[nodiscard]] result<void> reserve(const std::vector<std::string>& ids) {
    const std::lock_guard lock{reserve_mutex};
    for (const auto& id : ids)
      if (reserved.contains(id) || env.records.knows_task(task_id{id}) || env.records.knows_objective(objective_id{id})
          || env.records.objective_of(plan_id{id}))
        return make_error(errc::duplicate_id, "the id \"" + id + "\" is in use already; choose another or leave it out", id);
    reserved.insert(ids.begin(), ids.end());
    return {};
  }

  void unreserve(const std::vector<std::string>& ids) {
    const std::lock_guard lock{reserve_mutex};
    for (const auto& id : ids)
      reserved.erase(id);
  }

  std::unique_ptr<recent_sends> recent; ///< Null: none are kept. Replies note there what came of them, to the end of the last actor.
  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  environment env;
  std::mutex reserve_mutex;
  std::set<std::string> reserved;
  std::atomic<bool> backlog_full{false};
  std::atomic<bool> unwritable{false};
  std::mutex house_mutex;
  std::condition_variable house_wakes;
  bool house_closed = false;
  std::thread housekeeper;
};

gateway::gateway(store& records, const agent_registry& agents, executor_options options)
    : impl_(std::make_unique<impl>(records, agents, options)) {
  // nop
}

gateway::~gateway() = default;

void gateway::resume(const recovered& what) {
  auto& env = impl_->env;
  for (const auto& view : what.objectives) {
    const std::lock_guard lock{env.entering};
    const auto who = impl_->spawn_existing(*view);
    if (!who && env.options.warn) // It was accepted once, so its dependencies resolve.
      env.options.warn("objective " + view->id.str() + " cannot go on: " + who.error().message);
  }
  for (const auto& record : what.lone_tasks) {
    if (record->agent != objective_agent) {
      impl_->resume_lone(*record);
      continue;
    }
    // An objective settles, and then its root task does; the process may have ended in between.
    const auto whole = env.records.find_objective(objective_id{record->context});
    if (whole && is_settled(whole->state))
      env.records.commit(root_moved(*whole, whole->state, whole->reason, {}, env.now()));
  }
}

void gateway::send(send_message what, watcher_ptr follow, reply<sent> done) {
  if (auto ok = impl_->open(); !ok)
    return done(ok.error());
  if (impl_->recent && impl_->recent->answer(what, done))
    return;
  if (auto ok = impl_->has_room(bytes_of(what.what)); !ok)
    return done(ok.error());
  const auto refer = [this, owner = owner_of(what.who)](const task_id& id) { return records().find_task_of(owner, id); };
  const bool is_new = what.what.task_id.empty();
  const auto record = is_new ? nullptr : refer(task_id{what.what.task_id});
  if (!is_new && !record)
    return done(unknown_task(what.what.task_id));
  if (auto ok = check_task_references(what.what, refer); !ok)
    return done(ok.error());
  if (is_new) {
    const auto who = agents().find(agents().default_agent);
    if (auto ok = who ? check_media_types(what.what, what.accepted_output_modes, *who) : result<void>{}; !ok)
      return done(ok.error());
    return impl_->send_new(std::move(what), std::move(follow), std::move(done));
  }
  if (!what.what.context_id.empty() && what.what.context_id != record->context)
    return done(make_error(errc::invalid_params, "message.contextId is not the task's: " + record->context, "message.contextId"));
  if (is_terminal(record->status.state))
    return done(task_has_ended(what.what.task_id));
  const auto who = agents().find(agents().name_or_default(record->agent));
  if (auto ok = who ? check_media_types(what.what, what.accepted_output_modes, *who) : result<void>{}; !ok)
    return done(ok.error());
  impl_->send_to(record, std::move(what), std::move(done));
}

void gateway::cancel(cancel_task what, reply<task_ptr> done) {
  const auto record = records().find_task_of(owner_of(what.who), what.id);
  if (!record)
    return done(unknown_task(what.id.str()));
  if (record->status.state == task_state::canceled)
    return done(record);
  const auto refusal = make_error(errc::task_not_cancelable, "the task has ended already", what.id.str());
  if (is_terminal(record->status.state))
    return done(refusal);
  reply_port<task_ptr> answer{std::move(done), refusal};
  cancel_run order{"canceled by request", std::move(what.metadata), std::move(answer)};
  if (!record->origin && record->agent != objective_agent) {
    if (const auto who = impl_->env.lone_tasks.find(what.id.str()))
      tell(who, std::move(order));
    return;
  }
  const bool root = !record->origin;
  if (const auto who = impl_->env.objectives.find(record->context))
    tell(who, objective_cancel{root, record->origin.plan_index, record->origin.task_index, std::move(order)});
}

void gateway::create(create_objective what, watcher_ptr follow, reply<objective_ptr> done) {
  if (auto ok = impl_->open(); !ok)
    return done(ok.error());
  if (auto ok = impl_->has_room(bytes_of(what.spec)); !ok)
    return done(ok.error());
  if (auto ok = impl_->check_request(what); !ok)
    return done(ok.error());
  auto resolved = check_new_objective(what.spec, agents());
  if (!resolved)
    return done(resolved.error());
  auto spec = std::make_shared<objective_spec>(std::move(what.spec));
  std::vector<std::string> chosen;
  const auto choose = [&](const std::string& id) {
    if (!id.empty())
      chosen.push_back(id);
  };
  choose(spec->id.str());
  for (const auto& plan : spec->plans) {
    choose(plan->id.str());
    for (const auto& task : plan->tasks)
      choose(task.id.str());
  }
  if (!chosen.empty())
    if (auto ok = impl_->reserve(chosen); !ok)
      return done(ok.error());
  if (spec->id.empty())
    spec->id = objective_id{thread_id_source().next("obj")};
  if (spec->name.empty())
    spec->name = spec->id.str();
  if (const auto most = impl_->env.options.parallel_max; most > 0 && (spec->parallel_max == 0 || spec->parallel_max > most))
    spec->parallel_max = most;
  for (std::size_t p = 0; p < spec->plans.size(); ++p) {
    auto plan = std::make_shared<plan_spec>(*spec->plans[p]);
    name_plan(*plan, spec->id, p);
    note_dependencies(*plan, static_cast<std::uint32_t>(p), resolved->plans[p]);
    spec->plans[p] = std::move(plan);
  }
  objective_start start;
  start.view = new_view(*spec, impl_->env.now());
  start.view.owner = owner_of(what.who);
  if (what.request) {
    start.view.root_task = task_id{thread_id_source().next("task")};
    start.request = std::move(what.request);
  }
  start.resolved = std::make_shared<const resolved_objective>(std::move(*resolved));
  start.start = what.start;
  start.follow = std::move(follow);
  start.done = {[state = impl_.get(), chosen = std::move(chosen), done = std::move(done)](result<objective_ptr> made) {
                  state->unreserve(chosen);
                  done(std::move(made));
                },
                make_error(errc::internal, "the objective's actor died before it began", spec->id.str())};
  start.create = std::move(spec);
  spawn_actor<objective_actor>(*impl_->system, impl_->env, std::move(start));
}

void gateway::update(update_objective what, reply<objective_ptr> done) {
  const auto id = what.id;
  if (!records().find_objective_of(owner_of(what.who), id))
    return done(unknown_objective(id.str()));
  impl_->command<objective_ptr>(
      id, [what = std::move(what)](reply_port<objective_ptr> port) { return change_objective{what, std::move(port)}; },
      std::move(done));
}

void gateway::create(create_plan what, reply<plan_id> done) {
  if (auto ok = impl_->open(); !ok)
    return done(ok.error());
  if (!records().find_objective_of(owner_of(what.who), what.objective))
    return done(unknown_objective(what.objective.str()));
  if (auto ok = impl_->has_room(bytes_of(what.spec)); !ok)
    return done(ok.error());
  if (auto ok = check_plan(what.spec, 0, agents()); !ok)
    return done(ok.error());
  if (auto ok = check_chosen_ids(what.spec, what.objective, std::nullopt); !ok)
    return done(ok.error());
  std::vector<std::string> chosen;
  if (!what.spec.id.empty())
    chosen.push_back(what.spec.id.str());
  for (const auto& task : what.spec.tasks)
    if (!task.id.empty())
      chosen.push_back(task.id.str());
  if (!chosen.empty())
    if (auto ok = impl_->reserve(chosen); !ok)
      return done(ok.error());
  impl_->command<plan_id>(
      what.objective,
      [spec = std::make_shared<const plan_spec>(std::move(what.spec)), start = what.start](reply_port<plan_id> port) {
        return add_plan{spec, start, std::move(port)};
      },
      [state = impl_.get(), chosen, done = std::move(done)](result<plan_id> made) {
        state->unreserve(chosen);
        done(std::move(made));
      });
}

void gateway::update(update_plan what, reply<plan_id> done) {
  const auto whole = records().find_objective_of(owner_of(what.who), what.id);
  if (!whole)
    return done(unknown_plan(what.id.str()));
  impl_->command<plan_id>(
      whole->id, [what = std::move(what)](reply_port<plan_id> port) { return change_plan{what, std::move(port)}; },
      std::move(done));
}

result<void> gateway::check(const objective_spec& what) const {
  if (auto resolved = check_new_objective(what, agents()); !resolved)
    return resolved.error();
  return {};
}

void gateway::drain() {
  impl_->env.draining = true;
}

bool gateway::draining() const noexcept {
  return impl_->env.draining;
}

store& gateway::records() noexcept {
  return impl_->env.records;
}

const agent_registry& gateway::agents() const noexcept {
  return impl_->env.agents;
}

} // namespace troupe
