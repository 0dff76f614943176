#include "actors/caf_scheduler.hpp"

#include <troupe/protocol/ids.hpp>

#if !TROUPE_CAF_1

#include "store/short_time_slices.hpp"

#include <caf/detail/double_ended_queue.hpp>
#include <caf/logger.hpp>
#include <caf/policy/unprofiled.hpp>
#include <caf/scheduler/coordinator.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <utility>

#endif

namespace troupe {

#if TROUPE_CAF_1

void use_scheduler(caf::actor_system_config&) {}

#else

namespace {

using caf::resumable;

/// Which worker runs an actor that has something to do (CAF's concept of a scheduler policy).
class local_first : public caf::policy::unprofiled {
public:
  /// What the workers share.
  struct coordinator_data {
    explicit coordinator_data(caf::scheduler::abstract_coordinator*) {}
    std::atomic<std::size_t> next_worker{0};
    std::atomic<std::size_t> asleep{0}; ///< Workers.
  };

  struct worker_data {
    explicit worker_data(caf::scheduler::abstract_coordinator*) {}
    worker_data(const worker_data&) {} // CAF copies one for each worker; each begins empty.
    worker_data& operator=(const worker_data&) = delete;

    caf::detail::double_ended_queue<resumable> queue;
    std::atomic<bool> is_asleep{false}; ///< Becomes false under `guard`.
    std::atomic<bool> is_busy{false};   ///< With a job; it may take long.
    std::mutex guard;
    std::condition_variable woken;
  };

  /// From any thread.
  template<class Coordinator>
  void central_enqueue(Coordinator* self, resumable* job) {
    auto* own = static_cast<typename Coordinator::worker_type*>(current_worker);
    if (!own || own->parent() != self)
      return least_busy(self)->external_enqueue(job);
    const bool is_next = d(own).queue.empty();
    d(own).queue.append(job);
    if (!is_next)
      share(own);
  }

  template<class Worker>
  void external_enqueue(Worker* self, resumable* job) {
    d(self).queue.append(job);
    wake(self);
  }

  /// What an actor spawns comes first, and the last of it before the rest, as in CAF.
  template<class Worker>
  void internal_enqueue(Worker* self, resumable* job) {
    const bool is_next = d(self).queue.empty();
    d(self).queue.prepend(job);
    if (!is_next)
      share(self);
  }

  template<class Worker>
  void resume_job_later(Worker* self, resumable* job) {
    d(self).queue.append(job);
  }

  template<class Worker>
  void before_resume(Worker* self, resumable*) {
    d(self).is_busy.store(true, std::memory_order_relaxed);
  }

  template<class Worker>
  void after_resume(Worker* self, resumable*) {
    d(self).is_busy.store(false, std::memory_order_relaxed);
  }

  template<class Worker>
  resumable* dequeue(Worker* self) {
    if (!std::exchange(current_worker, self)) {
      take_short_time_slices();
      make_thread_state();
    }
    for (;;) {
      for (std::size_t tries = 0; tries < tries_max; ++tries)
        if (auto* job = take(self, tries % steal_interval == 0))
          return job;
      for (std::size_t yields = 0; yields < yields_max; ++yields) {
        std::this_thread::yield(); // The thread that makes the next job may need the core.
        if (auto* job = take(self, true))
          return job;
      }
      if (auto* job = sleep(self))
        return job;
    }
  }

  template<class Worker, class Function>
  void foreach_resumable(Worker* self, Function call) {
    while (auto* job = d(self).queue.take_head())
      call(job);
  }

  template<class Coordinator, class Function>
  void foreach_central_resumable(Coordinator*, Function) {}

private:
  static constexpr std::size_t tries_max = 100;
  static constexpr std::size_t steal_interval = 10;
  static constexpr std::size_t yields_max = 20;

  /// One that is awake and has nothing to do, else one that sleeps, else the next in turn.
  template<class Coordinator>
  static auto* least_busy(Coordinator* all) {
    const auto count = all->num_workers();
    const auto first = d(all).next_worker.fetch_add(1, std::memory_order_relaxed);
    auto* out = all->worker_by_id(first % count);
    for (std::size_t i = 0; i < count; ++i) {
      auto* each = all->worker_by_id((first + i) % count);
      if (d(each).is_asleep)
        out = each;
      else if (!d(each).is_busy.load(std::memory_order_relaxed) && d(each).queue.empty())
        return each;
    }
    return out;
  }

  /// Steals the oldest job, so that jobs begin in the order in which they came. If there are more,
  /// another worker may take the next.
  template<class Worker>
  static resumable* take(Worker* self, bool steals) {
    if (auto* job = d(self).queue.take_head())
      return job;
    auto* all = self->parent();
    for (std::size_t i = 1; steals && i < all->num_workers(); ++i) {
      auto* other = all->worker_by_id((self->id() + i) % all->num_workers());
      auto* job = d(other).queue.empty() ? nullptr : d(other).queue.take_head();
      if (job && !d(other).queue.empty())
        share(self);
      if (job)
        return job;
    }
    return nullptr;
  }

  /// A job, if one came meanwhile. Else null, after it was woken or some time has passed.
  template<class Worker>
  static resumable* sleep(Worker* self) {
    auto& mine = d(self);
    mine.is_asleep = true;
    d(self->parent()).asleep.fetch_add(1);
    // The worker looks once more, because a job that came before `asleep` was counted has woken no
    // worker. It looks without the lock, because that may wake another worker, which may be about
    // to wake this one.
    auto* job = take(self, true);
    std::unique_lock lock{mine.guard};
    if (!job)
      mine.woken.wait_for(lock, worker_sleep_max, [&] { return !mine.is_asleep; });
    if (mine.is_asleep.exchange(false))
      d(self->parent()).asleep.fetch_sub(1);
    return job;
  }

  /// True if it slept.
  template<class Worker>
  static bool wake(Worker* which) {
    auto& its = d(which);
    if (!its.is_asleep)
      return false;
    {
      const std::lock_guard lock{its.guard};
      if (!its.is_asleep.exchange(false))
        return false;
      d(which->parent()).asleep.fetch_sub(1);
    }
    its.woken.notify_one();
    return true;
  }

  /// It has more than it can do next: one that sleeps may take some of it.
  template<class Worker>
  static void share(Worker* self) {
    auto* all = self->parent();
    if (d(all).asleep == 0)
      return;
    for (std::size_t i = 1; i < all->num_workers(); ++i)
      if (wake(all->worker_by_id((self->id() + i) % all->num_workers())))
        return;
  }

  /// Libraries keep data for each thread. It is made here, when the thread begins: if C code asked
  /// for it later and memory had run out, the process would end.
  static void make_thread_state() {
    static_cast<void>(caf::logger::current_logger());
    static_cast<void>(thread_id_source());
  }

  static inline thread_local constinit void* current_worker = nullptr;
};

using caf_clock = caf::detail::thread_safe_actor_clock;
using caf_scheduler = caf::scheduler::coordinator<local_first>;

/// Passes on to the scheduler's own clock what is to be sent later. Nobody sets time-outs, so there
/// are none to forget.
class quiet_clock final : public caf_clock {
public:
  explicit quiet_clock(caf_clock& clock) : clock_(clock) {}

  void schedule_message(time_point at, caf::strong_actor_ptr to,
                        caf::mailbox_element_ptr element) override {
    handing_over_to(to);
    clock_.schedule_message(at, std::move(to), std::move(element));
  }
  void schedule_message(time_point at, caf::group to, caf::strong_actor_ptr from,
                        caf::message message) override {
    clock_.schedule_message(at, std::move(to), std::move(from), std::move(message));
  }
  void set_ordinary_timeout(time_point at, caf::abstract_actor* self, caf::atom_value type,
                            uint64_t id) override {
    clock_.set_ordinary_timeout(at, self, type, id);
  }
  void set_multi_timeout(time_point at, caf::abstract_actor* self, caf::atom_value type,
                         uint64_t id) override {
    clock_.set_multi_timeout(at, self, type, id);
  }
  void set_request_timeout(time_point at, caf::abstract_actor* self, caf::message_id id) override {
    clock_.set_request_timeout(at, self, id);
  }
  void cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) override {
    clock_.cancel_ordinary_timeout(self, type);
  }
  void cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) override {
    clock_.cancel_request_timeout(self, id);
  }
  void cancel_timeouts(caf::abstract_actor*) override {}
  void cancel_all() override { clock_.cancel_all(); }

private:
  caf_clock& clock_;
};

class scheduler final : public caf_scheduler {
public:
  explicit scheduler(caf::actor_system& system)
      : caf_scheduler(system), clock_(caf_scheduler::clock()) {}

  caf_clock& clock() noexcept override { return clock_; }

private:
  quiet_clock clock_;
};

} // namespace

void use_scheduler(caf::actor_system_config& config) {
  config.module_factories.emplace_back([](caf::actor_system& system) -> caf::actor_system::module* {
    return new scheduler(system); // the system owns it
  });
}

#endif

} // namespace troupe
