#include "protocol/fold/apply.hpp"
#include "protocol/fold/plan_life.hpp"
#include "tests/support/catch.hpp"

#include <functional>
#include <memory>
#include <optional>

using namespace troupe;

namespace {

constexpr plan_state all_states[]{plan_state::pending,   plan_state::working, plan_state::blocked,
                                  plan_state::completed, plan_state::failed,  plan_state::skipped};

plan_view a_running_plan(std::size_t tasks, plan_state state = plan_state::working,
                         std::uint32_t parallel_max = 0) {
  auto spec = std::make_shared<plan_spec>();
  spec->tasks.resize(tasks);
  spec->parallel_max = parallel_max;
  plan_view out;
  out.spec = spec;
  out.state = state;
  out.tasks.resize(tasks);
  return out;
}

/// Where the moves lead; each must be one of the table.
plan_view after(const plan_view& plan, const std::vector<plan_moved>& moves) {
  auto now = plan;
  for (const auto& move : moves) {
    if (!next_state(now.state, move.on))
      FAIL_CHECK(to_string(move.on) << " in " << to_string(now.state));
    apply(now, change{}, move);
  }
  return now;
}

plan_state decided(const plan_view& plan, const task_tally& tasks,
                   const std::optional<plan_end>& end = std::nullopt) {
  return after(plan, decide(plan, 0, tasks, end, "task \"a\" failed")).state;
}

/// Up to two tasks of each kind: of those that run some ask and some are parked, and of the parked
/// some are ready again.
void for_each_tally(const std::function<void(const task_tally&)>& visit) {
  const std::uint32_t counts[]{0, 1, 2};
  for (const auto running : counts)
    for (const auto ready : counts)
      for (const auto waiting : counts)
        for (const auto failed : counts)
          for (std::uint32_t asking = 0; asking <= running; ++asking)
            for (std::uint32_t parked = 0; parked <= running; ++parked)
              for (std::uint32_t ready_again = 0; ready_again <= parked; ++ready_again)
                visit({running, asking, ready, waiting, failed, parked, ready_again});
}

} // namespace

TEST_CASE("from every state, with any states of its tasks, a plan moves by the table or not at all",
          "[fold][plan_life]") {
  for_each_tally([&](const task_tally& tasks) {
    for (const auto state : all_states)
      for (const bool paused : {false, true})
        for (const std::uint32_t parallel_max : {0u, 1u})
          for (const auto& end :
               {std::optional<plan_end>{}, std::optional{plan_end{plan_state::failed, "no"}},
                std::optional{plan_end{plan_state::completed, "yes"}}}) {
            auto plan = a_running_plan(3, state, parallel_max);
            plan.paused = paused;
            const auto moved = after(plan, decide(plan, 0, tasks, end, "task \"a\" failed"));
            const auto to = moved.state;
            const bool may_go_on =
                tasks.ready + tasks.ready_again > 0 && has_room(plan, tasks.running - tasks.parked);
            if (is_settled(state) && to != state)
              FAIL_CHECK(to_string(state) << " to " << to_string(to));
            if (is_settled(to) && !is_settled(state) && tasks.running > 0)
              FAIL_CHECK("it ended, and " << tasks.running << " tasks run");
            if (to == plan_state::blocked && !paused && (may_go_on || tasks.asking == 0))
              FAIL_CHECK("it is blocked, and nothing holds it back");
            if (!decide(moved, 0, tasks, end, "").empty())
              FAIL_CHECK("it moves twice for one reason");
          }
  });
}

TEST_CASE("a plan is over when nothing of it runs and nothing can begin any more",
          "[fold][plan_life]") {
  const auto plan = a_running_plan(2);
  CHECK(decided(plan, {.running = 1}) == plan_state::working);
  CHECK(decided(plan, {.ready = 1}) == plan_state::working);
  CHECK(decided(plan, {.waiting = 1}) == plan_state::working);
  CHECK(decided(plan, {}) == plan_state::completed);
  CHECK(decided(plan, {.failed = 1}) == plan_state::failed);
  CHECK(decide(plan, 0, {.failed = 1}, std::nullopt, "task \"a\" failed").back().reason
        == "task \"a\" failed");
}

TEST_CASE("a plan without tasks ends only by command", "[fold][plan_life]") {
  const auto plan = a_running_plan(0);
  CHECK(decided(plan, {}) == plan_state::working);
  CHECK(decided(plan, {}, plan_end{plan_state::completed, "completed by request"})
        == plan_state::completed);
}

TEST_CASE("a plan that is to end waits for what runs", "[fold][plan_life]") {
  const plan_end end{plan_state::failed, "canceled by request"};
  CHECK(decided(a_running_plan(3), {.running = 1, .waiting = 2}, end) == plan_state::working);
  CHECK(decided(a_running_plan(3), {.waiting = 2}, end) == plan_state::failed);
}

TEST_CASE("a blocked plan that is over works again first", "[fold][plan_life]") {
  const auto moves = decide(a_running_plan(1, plan_state::blocked), 0, {}, std::nullopt, "");
  REQUIRE(moves.size() == 2);
  CHECK(moves[0].to() == plan_state::working);
  CHECK(moves[1].to() == plan_state::completed);
}

TEST_CASE("a plan waits for input when all that runs asks and nothing else may begin",
          "[fold][plan_life]") {
  const auto plan = a_running_plan(3);
  CHECK(decided(plan, {.running = 2, .asking = 1}) == plan_state::working);
  CHECK(decided(plan, {.running = 2, .asking = 2}) == plan_state::blocked);
  CHECK(decided(plan, {.running = 2, .asking = 2, .ready = 1}) == plan_state::working);
  const auto narrow = a_running_plan(3, plan_state::working, 2);
  CHECK(decided(narrow, {.running = 2, .asking = 2, .ready = 1}) == plan_state::blocked);
  CHECK(decide(narrow, 0, {.running = 2, .asking = 2}, std::nullopt, "").back().reason
        == "waits for input");
  CHECK(decided(a_running_plan(3, plan_state::blocked), {.running = 2, .asking = 1})
        == plan_state::working);
}

TEST_CASE("a paused plan is blocked until it goes on", "[fold][plan_life]") {
  auto plan = a_running_plan(3);
  plan.paused = true;
  const auto moves = decide(plan, 0, {.running = 1, .ready = 1}, std::nullopt, "");
  REQUIRE(moves.size() == 1);
  CHECK(moves[0].to() == plan_state::blocked);
  CHECK(moves[0].reason == "paused by request");
  auto asking = a_running_plan(1, plan_state::blocked);
  asking.reason = "waits for input";
  const task_tally asks{.running = 1, .asking = 1};
  CHECK(decide(asking, 0, asks, std::nullopt, "").empty());
  asking.paused = true;
  const auto paused = decide(asking, 0, asks, std::nullopt, "");
  REQUIRE(paused.size() == 1);
  CHECK(paused[0].reason == "paused by request");
  apply(plan, change{}, moves[0]);
  CHECK(decided(plan, {.ready = 1}) == plan_state::blocked);
  plan.paused = false;
  CHECK(decided(plan, {.ready = 1}) == plan_state::working);
}

TEST_CASE("a plan whose tasks wait for their next attempt works; one whose tasks all ask is "
          "blocked, parked or not",
          "[fold][plan_life]") {
  const auto narrow = a_running_plan(3, plan_state::working, 1);
  CHECK(decided(narrow, {.running = 2, .parked = 2}) == plan_state::working);
  CHECK(decided(narrow, {.running = 2, .asking = 1, .parked = 2}) == plan_state::working);
  CHECK(decided(narrow, {.running = 2, .asking = 2, .parked = 2}) == plan_state::blocked);
  CHECK(decided(narrow, {.running = 2, .asking = 2, .parked = 1}) == plan_state::blocked);
}

TEST_CASE("a parked task takes no room, and one that is ready again waits for room like a new one",
          "[fold][plan_life]") {
  const auto narrow = a_running_plan(3, plan_state::working, 1);
  CHECK(decided(narrow, {.running = 1, .asking = 1, .ready = 1, .parked = 1})
        == plan_state::working);
  CHECK(decided(narrow, {.running = 1, .asking = 1, .ready = 1}) == plan_state::blocked);
  CHECK(decided(narrow, {.running = 2, .asking = 1, .parked = 1, .ready_again = 1})
        == plan_state::blocked);
  CHECK(decided(narrow, {.running = 2, .parked = 1, .ready_again = 1}) == plan_state::working);
  CHECK(decided(narrow, {.running = 1, .parked = 1, .ready_again = 1}) == plan_state::working);
}

TEST_CASE("a plan whose running tasks ask, or wait for ones that do, is blocked",
          "[protocol][fold]") {
  const auto plan = a_running_plan(3);
  CHECK(decided(plan, {.running = 2, .asking = 1, .calling = 1}) == plan_state::blocked);
  CHECK(decided(plan, {.running = 3, .asking = 1, .calling = 1}) == plan_state::working);
  CHECK(decided(plan, {.running = 2, .calling = 1}) == plan_state::working);
}
