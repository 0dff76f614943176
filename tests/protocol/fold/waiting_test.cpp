#include "protocol/fold/apply.hpp"
#include "protocol/fold/waiting.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Two plans of two tasks: in each the second waits for the first, and that of the second plan also
/// for the first one's.
struct board {
  std::shared_ptr<objective_spec> spec = make_objective("o", {});
  objective_view view;

  board() {
    for (std::size_t p = 0; p < 2; ++p) {
      auto plan = std::make_shared<plan_spec>(*make_plan(spec->id, p, 2));
      plan->tasks.edit(1).dependencies = {"task 0"};
      plan->tasks.edit(1).dependency_indexes = {0};
      spec->plans.push_back(std::move(plan));
    }
    auto& second = const_cast<plan_spec&>(*spec->plans[1]);
    second.tasks.edit(1).dependencies.push_back("o.p0.t0");
    second.tasks.edit(1).dependency_indexes.push_back(elsewhere);
    second.outside = {{1, 0, 0}};
    apply(view, about("o", 100, objective_created{spec, {}}));
  }

  template<class... Events>
  void at(std::int64_t ms, Events... events) {
    apply(view, about("o", ms, std::move(events)...));
  }
  void task_at(std::int64_t ms, std::uint32_t plan, std::uint32_t task, task_state state) {
    apply(view, about_task(*spec, plan, task, ms, moved(state)));
  }
  [[nodiscard]] std::optional<waiting_reason> why(std::uint32_t plan, std::uint32_t task) const {
    return waiting_for(view, plan, task);
  }
};

} // namespace

TEST_CASE("a task waits first for its start, then for its plan, then for what it depends on",
          "[fold][waiting]") {
  board now;
  CHECK(now.why(0, 0) == waiting_reason::start);
  now.at(110, objective_moved{objective_event::start_planning, ""});
  CHECK(now.why(0, 0) == waiting_reason::start);
  now.at(120, objective_moved{objective_event::work, ""});
  CHECK(now.why(0, 0) == waiting_reason::plan);
  now.at(130, plan_moved{0, plan_event::work, ""});
  CHECK(now.why(0, 0) == waiting_reason::slot);
  CHECK(now.why(0, 1) == waiting_reason::dependencies);
  now.task_at(140, 0, 0, task_state::working);
  CHECK_FALSE(now.why(0, 0));
  now.task_at(150, 0, 0, task_state::completed);
  CHECK_FALSE(now.why(0, 0));
  CHECK(now.why(0, 1) == waiting_reason::slot);
}

TEST_CASE("a pause, a question and an end are different reasons to wait", "[fold][waiting]") {
  board now;
  now.at(110, objective_moved{objective_event::work, ""}, plan_moved{0, plan_event::work, ""});
  now.at(120, pause_changed{true});
  CHECK(now.why(0, 0) == waiting_reason::pause);
  CHECK(now.why(1, 0) == waiting_reason::pause);
  CHECK(now.why(0, 1) == waiting_reason::dependencies);
  now.at(130, pause_changed{false});
  now.task_at(140, 0, 0, task_state::input_required);
  CHECK(now.why(0, 0) == waiting_reason::question);
  now.at(150, objective_closing{objective_state::canceled, ""});
  CHECK_FALSE(now.why(1, 0));
}

TEST_CASE("a task that has failed waits for its next attempt, then for a slot", "[fold][waiting]") {
  board now;
  now.at(110, objective_moved{objective_event::work, ""}, plan_moved{0, plan_event::work, ""});
  const auto move = [&](std::uint32_t attempt, std::uint32_t failures) {
    apply(now.view, about_task(*now.spec, 0, 0, 120,
                               task_moved{task_state::working, attempt, nullptr, failures}));
  };
  for (std::uint32_t attempt = 1; attempt < 40; ++attempt) {
    CAPTURE(attempt);
    move(attempt, attempt - 1);
    CHECK_FALSE(now.why(0, 0));
    move(attempt, attempt);
    CHECK(now.why(0, 0) == waiting_reason::backoff);
    apply(now.view, about_task(*now.spec, 0, 0, 130, task_queued{}));
    CHECK(now.why(0, 0) == waiting_reason::slot);
  }
  apply(now.view, about_task(*now.spec, 0, 0, 140, task_resumed{}));
  CHECK_FALSE(now.why(0, 0));
  now.task_at(150, 0, 0, task_state::failed);
  CHECK_FALSE(now.why(0, 0));
}

TEST_CASE("when a task last changed is known, or not any more", "[fold][waiting]") {
  board now;
  now.at(200, objective_moved{objective_event::work, ""}, plan_moved{0, plan_event::work, ""});
  now.task_at(250, 0, 0, task_state::completed);
  CHECK(changed_at(now.view, 0, 0) == at_ms(250));
  now.view.plans.edit(0).tasks.edit(0).changed_ms = UINT32_MAX;
  CHECK_FALSE(changed_at(now.view, 0, 0));
  CHECK_FALSE(changed_at(now.view, 7, 0));
}

TEST_CASE("a task is ready since its plan began and the last of its dependencies completed",
          "[fold][waiting]") {
  board now;
  now.at(200, objective_moved{objective_event::work, ""}, plan_moved{0, plan_event::work, ""},
         plan_moved{1, plan_event::work, ""});
  CHECK(ready_at(now.view, 0, 0) == at_ms(200));
  CHECK_FALSE(ready_at(now.view, 0, 1));
  now.task_at(250, 1, 0, task_state::completed);
  CHECK(now.why(1, 1) == waiting_reason::dependencies);
  now.task_at(300, 0, 0, task_state::completed);
  CHECK(now.why(1, 1) == waiting_reason::slot);
  CHECK(ready_at(now.view, 0, 1) == at_ms(300));
  CHECK(ready_at(now.view, 1, 1) == at_ms(300));
  now.at(400, plan_moved{0, plan_event::block, ""}, plan_moved{0, plan_event::work, ""});
  CHECK(ready_at(now.view, 0, 1) == at_ms(300)); // it had begun before it was blocked
}

TEST_CASE("a retried task is ready when its plan began again", "[fold][waiting]") {
  board now;
  now.at(200, objective_moved{objective_event::work, ""}, plan_moved{0, plan_event::work, ""});
  now.task_at(210, 0, 0, task_state::completed);
  now.at(220, plan_moved{0, plan_event::fail, ""}, plan_moved{0, plan_event::retry, ""});
  now.at(500, plan_moved{0, plan_event::work, ""});
  CHECK(ready_at(now.view, 0, 1) == at_ms(500));
}

TEST_CASE("a task that does not exist waits for nothing", "[fold][waiting]") {
  const board now;
  CHECK_FALSE(now.why(7, 0));
  CHECK_FALSE(now.why(0, 7));
  CHECK_FALSE(ready_at(now.view, 7, 0));
}
