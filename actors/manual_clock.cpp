#include "actors/manual_clock.hpp"

#include "actors/caf.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <deque>
#include <map>

#if TROUPE_CAF_1
#include <caf/detail/actor_system_access.hpp>
#include <caf/scheduler.hpp>
#endif

namespace troupe {

using std::chrono::nanoseconds;

// -- CAF's side -----------------------------------------------------------------------------------
// jobs(): the actors that have messages. resume(): gives one of them its turn. next_due() and
// pass(): the clock's timers.

#if TROUPE_CAF_1

namespace {

/// Keeps timers in the order in which they fall due.
class turned_clock final : public caf::actor_clock {
public:
  time_point now() const noexcept override { return now_; }

  caf::disposable schedule(time_point at, caf::action action) override {
    timers_.emplace(at, action);
    return std::move(action).as_disposable();
  }

  [[nodiscard]] std::optional<nanoseconds> next_due() const {
    if (timers_.empty())
      return std::nullopt;
    return timers_.begin()->first - now_;
  }

  void pass(nanoseconds span) {
    now_ += span;
    while (!timers_.empty() && timers_.begin()->first <= now_) {
      auto action = std::move(timers_.extract(timers_.begin()).mapped());
      action.run();
    }
  }

private:
  time_point now_{nanoseconds{1}}; // CAF takes a time of zero for "none"
  std::multimap<time_point, caf::action> timers_;
};

/// Puts every actor that has messages into one queue.
class turned_scheduler final : public caf::scheduler {
public:
  void schedule(caf::resumable* who) override { jobs.push_back(who); }
  void delay(caf::resumable* who) override { jobs.push_back(who); }
  void start() override {}
  void stop() override {
    for (auto* who : std::exchange(jobs, {}))
      caf::intrusive_ptr_release(who);
  }

  std::deque<caf::resumable*> jobs;
};

} // namespace

struct manual_clock::machine {
  static std::unique_ptr<caf::actor_system> make_system(caf::actor_system_config& config) {
    return std::make_unique<caf::actor_system>(
        config,
        [](caf::actor_system& system, caf::actor_system_config&, void*) {
          caf::detail::actor_system_access parts{system};
          parts.clock(std::make_unique<turned_clock>());
          parts.scheduler(std::make_unique<turned_scheduler>());
        },
        nullptr);
  }

  explicit machine(caf::actor_system& system)
      : scheduler_(dynamic_cast<turned_scheduler&>(system.scheduler())),
        clock_(dynamic_cast<turned_clock&>(system.clock())) {}

  std::deque<caf::resumable*>& jobs() { return scheduler_.jobs; }
  auto resume(caf::resumable& who, std::size_t messages_max) {
    return who.resume(&scheduler_, messages_max);
  }
  [[nodiscard]] std::optional<nanoseconds> next_due() const { return clock_.next_due(); }
  void pass(nanoseconds span) { clock_.pass(span); }

private:
  turned_scheduler& scheduler_;
  turned_clock& clock_;
};

#else

struct manual_clock::machine {
  static std::unique_ptr<caf::actor_system> make_system(caf::actor_system_config& config) {
    config.set("scheduler.policy", caf::atom("testing"));
    return std::make_unique<caf::actor_system>(config);
  }

  explicit machine(caf::actor_system& system)
      : coordinator_(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())),
        worker_(system, coordinator_.jobs) {}

  std::deque<caf::resumable*>& jobs() { return coordinator_.jobs; }
  auto resume(caf::resumable& who, std::size_t messages_max) {
    return who.resume(&worker_, messages_max);
  }
  [[nodiscard]] std::optional<nanoseconds> next_due() const {
    const auto& clock = coordinator_.clock();
    if (clock.schedule().empty())
      return std::nullopt;
    return clock.schedule().begin()->first - clock.now();
  }
  void pass(nanoseconds span) { coordinator_.advance_time(span); }

private:
  /// What an actor believes to be the thread it runs on.
  struct worker final : caf::execution_unit {
    worker(caf::actor_system& system, std::deque<caf::resumable*>& queue)
        : caf::execution_unit(&system), jobs(queue) {}
    void exec_later(caf::resumable* who) override { jobs.push_back(who); }
    std::deque<caf::resumable*>& jobs;
  };

  caf::scheduler::test_coordinator& coordinator_;
  worker worker_;
};

#endif

// -- ours -----------------------------------------------------------------------------------------

manual_clock::manual_clock(timestamp start, std::optional<std::uint64_t> seed) : start_(start) {
  if (seed)
    random_.emplace(*seed);
}

manual_clock::~manual_clock() = default;

timestamp manual_clock::now() const noexcept {
  return start_ + std::chrono::floor<std::chrono::milliseconds>(elapsed_);
}

time_source::steady_point manual_clock::steady() const noexcept {
  return steady_point{elapsed_};
}

void manual_clock::set(timestamp to) noexcept {
  start_ += to - now();
}

bool manual_clock::step() {
  if (!machine_ || machine_->jobs().empty())
    return false;
  auto& jobs = machine_->jobs();
  const auto at = jobs.begin()
                  + static_cast<std::ptrdiff_t>(random_ ? random_->next_random() % jobs.size() : 0);
  auto* who = *at;
  jobs.erase(at);
  const auto messages =
      random_ ? 1 + random_->next_random() % messages_per_turn_max : messages_per_turn_max;
  switch (machine_->resume(*who, messages)) {
    case caf::resumable::resume_later: jobs.push_back(who); break;
    case caf::resumable::done:
    case caf::resumable::awaiting_message: caf::intrusive_ptr_release(who); break;
    case caf::resumable::shutdown_execution_unit: break;
  }
  return true;
}

void manual_clock::settle() {
  while (step()) {
    // until no actor has messages
  }
}

void manual_clock::advance(nanoseconds span) {
  const auto until = elapsed_ + span;
  settle();
  for (auto due = next_due(); due && *due <= until - elapsed_; due = next_due()) {
    pass(std::max(*due, nanoseconds{0}));
    settle();
  }
  pass(until - elapsed_);
  settle();
  turn_housekeeper();
  settle();
}

void manual_clock::pass(nanoseconds span) {
  elapsed_ += span;
  if (machine_)
    machine_->pass(span);
  if (turns_.turn_deadlines)
    turns_.turn_deadlines();
}

void manual_clock::turn_housekeeper() {
  if (turns_.after_advance)
    turns_.after_advance();
}

std::optional<nanoseconds> manual_clock::next_due() const {
  auto due = machine_ ? machine_->next_due() : std::nullopt;
  if (const auto deadline = turns_.next_deadline ? turns_.next_deadline() : std::nullopt) {
    // From this nanosecond: what records are dated with is cut to milliseconds.
    const auto wait = start_ + elapsed_;
    const auto left = std::max(nanoseconds{*deadline - wait}, nanoseconds{0});
    due = due ? std::min(*due, left) : left;
  }
  return due;
}

std::unique_ptr<caf::actor_system> manual_clock::make_system(caf::actor_system_config& config,
                                                             gateway_turns turns) {
  auto system = machine::make_system(config);
  machine_ = std::make_unique<machine>(*system);
  turns_ = std::move(turns);
  return system;
}

void manual_clock::detach() {
  machine_.reset();
  turns_ = {};
}

} // namespace troupe
