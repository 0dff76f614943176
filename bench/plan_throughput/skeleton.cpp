// The floor under every plan actor: the messages and spawns that no actor-model executor can do
// without, and nothing else. No ids, no states, no records, no agents, no watchers.
#include "actors/caf.hpp"
#include "actors/caf_scheduler.hpp"
#include "bench/plan_throughput/contender.hpp"
#include "bench/support/harness.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace troupe::bench {

namespace {

// Numbers are messages CAF knows already: to a task its position means "start", to a plan it means
// "done".
using plan_handle = actor_handle<std::uint32_t>;
using task_handle = actor_handle<std::uint32_t>;

/// Does nothing, says so, and ends.
class task_actor {
public:
  using handle = task_handle;
  static inline const char* name = "bench.task";

  task_actor(handle::pointer self, plan_handle plan) : self_(self), plan_(std::move(plan)) {}

  handle::behavior_type make_behavior() {
    return {[this](std::uint32_t position) {
      tell(plan_, position);
      self_->quit();
    }};
  }

private:
  handle::pointer self_;
  plan_handle plan_;
};

/// Spawns what is ready, until all are done.
class plan_actor {
public:
  using handle = plan_handle;
  static inline const char* name = "bench.plan";

  plan_actor(handle::pointer self, shape_ptr shape, plan_window* window)
      : self_(self), shape_(std::move(shape)), window_(window) {
    for (const auto& before : shape_->dependencies)
      waits_for_.push_back(static_cast<std::uint32_t>(before.size()));
    done_.resize(shape_->size());
  }

  handle::behavior_type make_behavior() {
    for (std::uint32_t i = 0; i < shape_->size(); ++i)
      if (waits_for_[i] == 0)
        release(i);
    return {[this](std::uint32_t position) { on_done(position); }};
  }

private:
  void release(std::uint32_t position) {
    tell(spawn_actor<task_actor>(self_->home_system(), handle_of(self_)), position);
  }

  void on_done(std::uint32_t position) {
    if (done_[position] || waits_for_[position] != 0) {
      window_->leave("the skeleton did a task twice or too early");
      return self_->quit();
    }
    done_[position] = true;
    for (const auto next : shape_->dependents[position])
      if (--waits_for_[next] == 0)
        release(next);
    if (++done_count_ == shape_->size()) {
      window_->leave();
      self_->quit();
    }
  }

  handle::pointer self_;
  shape_ptr shape_;
  plan_window* window_;
  std::vector<std::uint32_t> waits_for_;
  std::vector<bool> done_;
  std::size_t done_count_ = 0;
};

} // namespace

double run_skeleton(const load& load, skeleton_scheduler scheduler) {
#if TROUPE_CAF_1
  caf::core::init_global_meta_objects();
  constexpr auto threads_key = "caf.scheduler.max-threads";
#else
  constexpr auto threads_key = "scheduler.max-threads";
#endif
  caf::actor_system_config config;
  if (scheduler == skeleton_scheduler::ours)
    use_scheduler(config);
  config.set(threads_key, load.threads);
  caf::actor_system system(config);
  plan_window window(plans_in_flight(load));
  const auto seconds = seconds_of([&] {
    for (std::size_t i = 0; i < load.plans; ++i) {
      window.enter();
      spawn_actor<plan_actor>(system, load.shape, &window);
    }
    window.wait_all();
  });
  system.await_all_actors_done();
  return static_cast<double>(load.plans * load.shape->size()) / seconds;
}

} // namespace troupe::bench
