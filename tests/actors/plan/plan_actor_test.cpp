#include "actors/environment.hpp"
#include "actors/graph/objective_graph.hpp"
#include "actors/plan/plan_actor.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/reads.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr timestamp first_day{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};

/// An objective that keeps what its plan reports, and does nothing else.
struct listening_objective {
  using handle = objective_handle;
  static inline const char* name = "test.objective";

  listening_objective(actor_pointer<handle>, std::vector<objective_input>& heard) : heard_(heard) {}
  void begin() {}
  void on(plan_fact& message) { heard_.push_back(std::move(message.fact)); }
  template<class Message>
  void on(Message&) {}

private:
  std::vector<objective_input>& heard_;
};

/// The actor of one plan of two tasks of `hand`, at most two of which run at once; a task that
/// fails is tried a second time after a second.
class plan_stand {
public:
  plan_stand() : hand_(std::make_shared<hand_agent>(clock)), records_(make_memory_store()) {
    agents_.add("hand", hand_);
    options_.by_hand = &clock;
    options_.memory = std::make_shared<memory_budget>();
    options_.objective_bytes_max = objective_bytes_max;
#if TROUPE_CAF_1
    caf::core::init_global_meta_objects();
    caf::init_global_meta_objects<caf::id_block::troupe>();
#endif
    system_ = clock.make_system(config_, {});
    env_.emplace(*system_, *records_, agents_, options_);
    objective_ = spawn_actor<listening_objective>(*system_, heard);
    begin_plan();
  }

  ~plan_stand() {
    env_->stopping = true;
    kill(plan_);
    kill(objective_);
    clock.settle();
    clock.detach();
    system_->await_all_actors_done();
  }
  plan_stand(const plan_stand&) = delete;
  plan_stand& operator=(const plan_stand&) = delete;

  [[nodiscard]] objective_ptr stored() const {
    return find_objective(*records_, objective_id{"o"});
  }

  /// The task commits what its agent reports, and its plan takes note 5 ms later.
  void report(const std::string& task, agent_report reported) {
    hand_->of(task).port->report(std::move(reported));
    clock.step();
    let_plan_be_late();
  }

  void answer(std::uint32_t task, const std::string& text) {
    tell(plan_, task_input{task, {}, provide_input{say(text, role::user), {}}});
    clock.step();
    clock.step();
    let_plan_be_late();
  }

  manual_clock clock{first_day};
  std::vector<objective_input> heard;

private:
  void begin_plan() {
    const auto spec = make_objective("o", {2});
    auto plan = *spec->plans[0];
    plan.failure = on_failure::keep_going;
    plan.parallel_max = 2;
    for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
      auto& one = plan.tasks.edit(task);
      one.agent = "hand";
      one.retry = {.attempts_max = 2, .backoff = 1s, .jitter = 0};
    }
    spec->plans[0] = std::make_shared<const plan_spec>(std::move(plan));
    auto begun =
        about("o", 0, objective_created{spec, {}}, objective_moved{objective_event::work, ""},
              plan_moved{0, plan_event::work, ""});
    begun.at = clock.now();
    records_->commit(std::move(begun));
    plan_start start;
    start.view = stored()->plans[0];
    start.resolved =
        std::make_shared<const resolved_plan>(resolve_dependencies(spec->plans)->plans.front());
    start.context = "o";
    start.objective = objective_;
    start.made = std::make_shared<made_bytes>(0);
    plan_ = spawn_actor<plan_actor>(*system_, *env_, std::move(start));
    clock.settle();
  }

  void let_plan_be_late() {
    clock.pass(5ms);
    clock.settle();
  }

  std::shared_ptr<hand_agent> hand_;
  std::unique_ptr<store> records_;
  agent_registry agents_;
  executor_options options_;
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  std::optional<environment> env_;
  objective_handle objective_;
  plan_handle plan_;
};

/// The last fact of that kind; null if there is none.
template<class Fact>
const Fact* last_of(const std::vector<objective_input>& heard) {
  for (auto each = heard.rbegin(); each != heard.rend(); ++each)
    if (const auto* fact = std::get_if<Fact>(&*each))
      return fact;
  return nullptr;
}

} // namespace

TEST_CASE("a plan's slots are those of the store, with the times at which its tasks committed",
          "[plan]") {
  plan_stand stand;
  stand.report("task 0", report_question{"Log in, please", true});
  const auto* asked = last_of<question_changed>(stand.heard);
  REQUIRE(asked != nullptr);
  REQUIRE(stand.stored()->pending_inputs.size() == 1);
  CHECK(asked->at == stand.stored()->pending_inputs[0].since);
  CHECK(asked->moved.to == task_state::auth_required);
  CHECK(text_of(asked->moved.message->parts) == "Log in, please");

  stand.answer(0, "done");
  CHECK(last_of<question_changed>(stand.heard)->moved.to == task_state::working);
  stand.report("task 0", report_failed{"not yet"});
  stand.clock.advance(2s);
  artifact made;
  made.parts.push_back(text_part("made"));
  stand.report("task 0", report_completed{{std::move(made)}, ""});
  stand.report("task 1", report_failed{"never", false});

  const auto* ended = last_of<plan_ended>(stand.heard);
  REQUIRE(ended != nullptr);
  CHECK(ended->moves.back().reason == "task \"task 1\" failed: never");
  const auto& stored = stand.stored()->plans[0].tasks;
  REQUIRE(ended->summaries.size() == stored.size());
  for (std::size_t task = 0; task < stored.size(); ++task) {
    const auto& own = ended->summaries[task];
    CAPTURE(task);
    CHECK(own.state == stored[task].state);
    CHECK(own.attempt == stored[task].attempt);
    CHECK(own.has_artifacts == stored[task].has_artifacts);
    CHECK(own.changed_ms == stored[task].changed_ms);
  }
}
