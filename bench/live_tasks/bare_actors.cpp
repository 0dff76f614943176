#include "bench/live_tasks/bare_actors.hpp"

#include "actors/caf.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {

namespace {

using bare_handle = actor_handle<std::uint32_t>;

class bare_actor {
public:
  using handle = bare_handle;
  static inline const char* name = "bench.bare";

  bare_actor(handle::pointer self, std::string id, std::atomic<std::size_t>* alive)
      : self_(self), id_(std::move(id)), alive_(alive) {}

  handle::behavior_type make_behavior() {
    alive_->fetch_add(1);
    alive_->notify_one();
    return {[this](std::uint32_t) { self_->quit(); }};
  }

private:
  handle::pointer self_;
  std::string id_;
  std::atomic<std::size_t>* alive_;
};

} // namespace

void with_bare_actors(std::size_t count, std::size_t threads,
                      const std::function<void()>& measure) {
#if TROUPE_CAF_1
  caf::core::init_global_meta_objects();
  constexpr auto threads_key = "caf.scheduler.max-threads";
#else
  constexpr auto threads_key = "scheduler.max-threads";
#endif
  caf::actor_system_config config;
  config.set(threads_key, threads);
  caf::actor_system system(config);
  std::atomic<std::size_t> alive{0};
  std::vector<bare_handle> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(
        spawn_actor<bare_actor>(system, "obj-0123456789abcd.p0.t" + std::to_string(i), &alive));
  for (auto seen = alive.load(); seen < count; seen = alive.load())
    alive.wait(seen);
  measure();
  for (const auto& one : all)
    tell(one, std::uint32_t{0});
  all.clear();
  system.await_all_actors_done();
}

} // namespace troupe::bench
