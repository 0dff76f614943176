#include "actors/quiet_clock.hpp"

#if !TROUPE_CAF_1

#include <caf/policy/work_stealing.hpp>
#include <caf/scheduler/coordinator.hpp>

#include <utility>

#endif

namespace troupe {

#if TROUPE_CAF_1

void use_quiet_clock(caf::actor_system_config&) {}

#else

namespace {

using caf_clock = caf::detail::thread_safe_actor_clock;

/// CAF's own policy under a name of ours: the workers are compiled here, without CAF's log
/// (caf.hpp), and are not to be mixed up with those in CAF's library.
class stealing final : public caf::policy::work_stealing {};
using caf_scheduler = caf::scheduler::coordinator<stealing>;

/// Passes on to the scheduler's own clock what is to be sent later. Nobody sets time-outs, so there
/// are none to forget.
class quiet_clock final : public caf_clock {
public:
  explicit quiet_clock(caf_clock& clock) : clock_(clock) {}

  void schedule_message(time_point at, caf::strong_actor_ptr to,
                        caf::mailbox_element_ptr element) override {
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

class quiet_scheduler final : public caf_scheduler {
public:
  explicit quiet_scheduler(caf::actor_system& system)
      : caf_scheduler(system), clock_(caf_scheduler::clock()) {}

  caf_clock& clock() noexcept override { return clock_; }

private:
  quiet_clock clock_;
};

} // namespace

void use_quiet_clock(caf::actor_system_config& config) {
  config.module_factories.emplace_back([](caf::actor_system& system) -> caf::actor_system::module* {
    return new quiet_scheduler(system); // the system owns it
  });
}

#endif

} // namespace troupe
