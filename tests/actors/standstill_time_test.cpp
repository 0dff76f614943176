// Nothing stands still unnoticed: what is free to begin begins, and what can only go on when
// an answer comes says so.
#include "actors/plan/live_bytes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

plan_spec one_by_one(plan_spec plan) {
  plan.parallel_max = 1;
  return plan;
}

/// Counts the tasks that end without having begun.
struct withdrawal_watcher final : watcher {
  void on_change(const change_ptr& change) override {
    for (const auto& one : change->events)
      if (const auto* fact = std::get_if<tasks_withdrawn>(&one))
        withdrawn += fact->tasks.size();
  }
  std::size_t withdrawn = 0;
};

/// Its continuations cannot read tasks while the disk is gone.
class gone_disk_store final : public passing_store {
public:
  void commit(change change, committed_fn then, watcher_ptr follow) override {
    passing_store::commit(
        std::move(change),
        [this, then = std::move(then)] {
          continuing_ = true;
          if (then)
            then();
          continuing_ = false;
        },
        std::move(follow));
  }
  void read_task(const task_id& id, read_done<task_ptr> done,
                 const std::string& client) const override {
    if (is_gone && continuing_)
      return done(make_error(errc::store_unreadable, "the disk is gone"));
    passing_store::read_task(id, std::move(done), client);
  }

  bool is_gone = false;

private:
  bool continuing_ = false;
};

/// Its reads of tasks wait until the test lets them fail.
class late_failure_store final : public passing_store {
public:
  void read_task(const task_id& id, read_done<task_ptr> done,
                 const std::string& client) const override {
    if (!is_late)
      return passing_store::read_task(id, std::move(done), client);
    ++reads;
    waiting_.push_back(std::move(done));
  }
  void fail_all() {
    for (const auto& done : std::exchange(waiting_, {}))
      done(make_error(errc::store_unreadable, "the disk is gone"));
  }

  bool is_late = false;
  mutable int reads = 0;

private:
  mutable std::vector<read_done<task_ptr>> waiting_;
};

/// A plan of one task, `<name>-task`, added to begin.
void add_started(clock_bed& bed, const std::string& name, std::vector<std::string> after) {
  create_plan more;
  more.objective = bed.objective()->id;
  more.spec = a_plan(name, {a_task(name + "-task", {}, "hand")});
  more.spec.dependencies = std::move(after);
  more.start = true;
  bool made = false;
  bed.main_gateway().create(std::move(more),
                            [&](const result<plan_id>& how) { made = how.has_value(); });
  bed.pass(0s);
  REQUIRE(made);
}

result<objective_ptr> make(clock_bed& bed, objective_spec spec, message_ptr request) {
  create_objective command;
  command.spec = std::move(spec);
  command.start = true;
  command.request = std::move(request);
  std::optional<result<objective_ptr>> made;
  bed.main_gateway().create(std::move(command), nullptr,
                            [&](result<objective_ptr> how) { made = std::move(how); });
  bed.pass(0s);
  REQUIRE(made);
  return *made;
}

} // namespace

TEST_CASE("the actor of a settled objective quits even if a reply fails", "[actors][time]") {
  const auto spec = an_objective({a_plan("p", {a_task("a", {}, "hand")})});
  executor_options options;
  options.live_bytes_max = live_bytes_of(spec) * 3 / 2; // for one
  auto owned = std::make_unique<gone_disk_store>();
  auto& disk = *owned;
  clock_bed bed{std::move(owned), options, std::nullopt};
  const auto first = make(bed, spec, std::make_shared<const message>());
  REQUIRE(first.has_value());
  CHECK(make(bed, spec, nullptr).error().code == errc::overloaded);
  disk.is_gone = true;
  bool answered = false;
  bed.main_gateway().cancel(cancel_task{{}, (*first)->root_task, {}},
                            [&](const result<task_ptr>&) { answered = true; });
  bed.pass(0s);
  CHECK(answered);
  disk.is_gone = false;
  CHECK(find_objective(bed.records(), (*first)->id)->state == objective_state::canceled);
  CHECK(make(bed, spec, nullptr).has_value());
}

TEST_CASE("a result that cannot be read is read once after each pause, until it can",
          "[actors][time]") {
  auto owned = std::make_unique<late_failure_store>();
  auto& disk = *owned;
  clock_bed bed{std::move(owned), {}, std::nullopt};
  const auto made = make(bed, an_objective({a_plan("p", {a_task("a", {}, "hand")})}),
                         std::make_shared<const message>());
  REQUIRE(made.has_value());
  disk.is_late = true;
  report_completed done;
  done.artifacts.push_back(text_artifact("out", "made"));
  bed.hand->of("a").port->report(std::move(done));
  bed.pass(0s);
  REQUIRE(disk.reads == 1);
  for (int tries = 1; tries < 5; ++tries) {
    disk.fail_all();
    bed.pass(0s);
    CHECK(disk.reads == tries);
    bed.pass(store_read_pause);
    CHECK(disk.reads == tries + 1);
  }
  disk.fail_all();
  disk.is_late = false;
  bed.pass(store_read_pause);
  const auto root = find_task(bed.records(), (*made)->root_task);
  CHECK(root->status.state == task_state::completed);
  CHECK(root->artifacts.size() == 1);
}

TEST_CASE("a task that ends badly makes room for the next under maxParallel", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({one_by_one(going_on(
      a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand"), a_task("c", {}, "hand")})))}));
  CHECK(bed.states() == "working pending pending");
  bed.report("a", report_failed{"no", false});
  CHECK(bed.states() == "failed working pending");
  const auto answered = bed.cancel("b");
  CHECK(bed.states() == "failed canceled working");
  bed.report("c", report_completed{});
  CHECK(bed.objective()->state == objective_state::failed);
}

TEST_CASE("an objective is blocked if no task of it can run before an answer", "[actors][time]") {
  clock_bed bed;
  auto objective = an_objective({});
  SECTION("the others wait for a turn in the plan") {
    objective =
        an_objective({one_by_one(a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")}))});
  }
  SECTION("the others wait for a turn in the objective") {
    objective = an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")})});
    objective.parallel_max = 1;
  }
  SECTION("another plan waits for the one that asks") {
    objective = an_objective(
        {a_plan("p", {a_task("a", {}, "hand")}), a_plan("q", {a_task("b", {"a"}, "hand")})});
  }
  bed.begin(std::move(objective));
  CHECK(bed.objective()->state == objective_state::working);
  bed.report("a", report_question{"which?", false});
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.say("a", "this");
  CHECK(bed.objective()->state == objective_state::working);
  bed.report("a", report_question{"sure?", false});
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.say("a", "yes");
  bed.report("a", report_completed{});
  CHECK(bed.objective()->state == objective_state::working);
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("an objective that is blocked works again once another of its plans does",
          "[actors][time]") {
  clock_bed bed;
  const auto after = [](plan_spec plan, const std::string& other) {
    plan.dependencies = {other};
    return plan;
  };
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")}),
                          a_plan("q", {a_task("b", {}, "hand")}), after(a_plan("gate", {}), "p"),
                          after(a_plan("behind", {a_task("c", {}, "hand")}), "gate")}));
  bed.report("a", report_question{"which?", false});
  CHECK(bed.objective()->state == objective_state::working);
  bed.report("b", report_failed{"no", false});
  REQUIRE(bed.objective()->state == objective_state::blocked);
  SECTION("one that is added") {
    create_plan more;
    more.objective = bed.objective()->id;
    more.spec = a_plan("more", {a_task("d", {}, "hand")});
    bed.main_gateway().create(std::move(more),
                              [](const result<plan_id>& made) { CHECK(made.has_value()); });
    bed.pass(0s);
    CHECK(bed.states(4) == "working");
  }
  SECTION("one that is tried again") {
    bed.move_plan(1, plan_state::working);
    CHECK(bed.states(1) == "working");
  }
  SECTION("one that waited for a plan that is now said to be completed") {
    bed.move_plan(2, plan_state::completed);
    CHECK(bed.states(3) == "working");
  }
  CHECK(bed.objective()->state == objective_state::working);
}

TEST_CASE("an objective whose plans are started one by one is blocked while they ask, and begins "
          "no other afterwards",
          "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective(
                {a_plan("p", {a_task("a", {}, "hand")}), a_plan("q", {a_task("b", {}, "hand")})}),
            false);
  bed.move_plan(0, plan_state::working);
  bed.report("a", report_question{"which?", false});
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.say("a", "this");
  CHECK(bed.objective()->state == objective_state::planning);
  bed.report("a", report_completed{});
  CHECK(bed.objective()->state == objective_state::planning);
  CHECK(bed.states(1) == "pending");
  bed.move(objective_state::working);
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a plan may be started once an alternative has completed for the one it depends on",
          "[actors][time]") {
  clock_bed bed;
  auto first = a_plan("p", {a_task("a", {}, "hand")});
  first.alternatives = {"q"};
  auto last = a_plan("d", {a_task("c", {}, "hand")});
  last.dependencies = {"p"};
  bed.begin(an_objective({first, a_plan("q", {a_task("b", {}, "hand")}), last}), false);
  bed.move_plan(0, plan_state::working);
  bed.report("a", report_failed{"no", false});
  CHECK_THROWS_WITH(bed.move_plan(2, plan_state::working),
                    ContainsSubstring("depends on plan \"p\", which is failed"));
  bed.move_plan(1, plan_state::working);
  bed.report("b", report_completed{});
  bed.move_plan(2, plan_state::working);
  bed.report("c", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("a plan that is added to begin does so as soon as what it depends on has completed",
          "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective(
                {a_plan("p", {a_task("a", {}, "hand")}), a_plan("q", {a_task("b", {}, "hand")})}),
            false);
  add_started(bed, "now", {});
  CHECK(bed.states(2) == "working");
  add_started(bed, "then", {"p", "now"});
  CHECK(bed.objective()->state == objective_state::planning);
  CHECK(bed.states(3) == "pending");
  bed.report("now-task", report_completed{});
  if (GENERATE(false, true))
    bed.restart();
  CHECK(bed.states(3) == "pending");
  bed.move_plan(0, plan_state::working);
  SECTION("it has") {
    bed.report("a", report_completed{});
    CHECK(bed.states(3) == "working");
    CHECK(bed.states(1) == "pending"); // no request asked for it
    bed.report("then-task", report_completed{});
    bed.move_plan(1, plan_state::working);
    bed.report("b", report_completed{});
    CHECK(bed.objective()->state == objective_state::completed);
  }
  SECTION("it has not, and then has when it is tried again") {
    bed.report("a", report_failed{"no", false});
    CHECK(bed.objective()->plans[3].state == plan_state::skipped);
    bed.move_plan(0, plan_state::working);
    bed.report("a", report_completed{});
    CHECK(bed.states(3) == "working");
  }
}

TEST_CASE("a plan that is added to begin while the objective is paused does so when it goes on",
          "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  bed.move(objective_state::blocked);
  add_started(bed, "more", {});
  CHECK(bed.states(1) == "pending");
  bed.move(objective_state::working);
  CHECK(bed.states(1) == "working");
}

TEST_CASE("a command to work does not answer the questions of an objective", "[actors][time]") {
  clock_bed bed;
  auto objective =
      an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")})});
  SECTION("its plan is blocked") {}
  SECTION("its plan has a task that waits for a turn in the objective") {
    objective = an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")})});
    objective.parallel_max = 1;
  }
  bed.begin(std::move(objective));
  bed.report("a", report_question{"which?", false});
  bed.move(objective_state::working);
  CHECK(bed.objective()->state == objective_state::blocked);
  bed.say("a", "this");
  bed.report("a", report_completed{});
  CHECK(bed.objective()->state == objective_state::working);
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("an objective is not blocked between one plan's question and another's turn",
          "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("c", {a_task("u", {}, "hand"), a_task("t", {}, "hand")}),
                          a_plan("b", {a_task("x", {"t"}, "hand")})}));
  bed.report("u", report_question{"which?", false});
  CHECK(bed.objective()->state == objective_state::working);
  bed.report("t", report_completed{});
  CHECK(bed.states(1) == "working");
  CHECK(std::count(bed.seen->plan_lines.begin(), bed.seen->plan_lines.end(), "0 objective blocked")
        == 0);
  bed.report("x", report_completed{});
  CHECK(bed.objective()->state == objective_state::blocked);
}

TEST_CASE("an objective that is to end answers when it has", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  std::optional<result<objective_ptr>> answer;
  update_objective command;
  command.id = bed.objective()->id;
  command.state = objective_state::canceled;
  bed.main_gateway().update(command,
                            [&answer](result<objective_ptr> got) { answer = std::move(got); });
  bed.pass(0s);
  REQUIRE(answer);
  CHECK((**answer)->state == objective_state::canceled);
}

TEST_CASE("an objective is not blocked while something of it runs", "[actors][time]") {
  clock_bed bed;
  auto objective = an_objective(
      {a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand"), a_task("c", {}, "hand")})});
  objective.parallel_max = 2;
  bed.begin(std::move(objective));
  bed.report("a", report_question{"which?", false});
  CHECK(bed.objective()->state == objective_state::working);
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::working);
  bed.report("c", report_completed{});
  CHECK(bed.objective()->state == objective_state::blocked);
}

TEST_CASE("several questions of one agent are answered one after another", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  bed.say("a", "nobody asked");
  for (const auto* prompt : {"first?", "second?", "third?"})
    bed.report("a", report_question{prompt, false});
  CHECK(bed.text("a") == "first?");
  CHECK(bed.states() == "input-required");
  bed.say("a", "1");
  CHECK(bed.text("a") == "second?");
  CHECK(bed.states() == "input-required");
  CHECK(bed.objective()->pending_inputs.size() == 1);
  bed.say("a", "2");
  CHECK(bed.text("a") == "third?");
  bed.say("a", "3");
  CHECK(bed.states() == "working");
  CHECK(bed.objective()->pending_inputs.empty());
  CHECK(bed.hand->heard
        == std::vector<std::string>{"a:nobody asked", "a answer:1", "a answer:2", "a answer:3"});
  bed.report("a", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
}

TEST_CASE("an agent that never stops asking fails its task", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  for (int i = 0; i < 1'000 && bed.states() != "failed"; ++i)
    bed.report("a", report_question{"?", false});
  CHECK(bed.states() == "failed");
  CHECK_THAT(bed.text("a"), ContainsSubstring("without waiting for an answer"));
}

TEST_CASE("a task that has an actor and waits for its turn takes no messages yet",
          "[actors][time]") {
  clock_bed bed;
  auto objective = an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")})});
  objective.parallel_max = 1;
  bed.begin(std::move(objective));
  send_message command;
  command.message.message_id = "m";
  command.message.from = role::user;
  command.message.parts.push_back(text_part("hello"));
  command.message.task_id = bed.objective()->plans[0].task_at(1).str();
  std::optional<result<sent>> answer;
  bed.main_gateway().send(std::move(command), nullptr,
                          [&](result<sent> how) { answer = std::move(how); });
  bed.pass(0s);
  REQUIRE(answer);
  CHECK(answer->error().code == errc::unsupported_operation);
  CHECK_THAT(answer->error().message, ContainsSubstring("has not begun"));
}

TEST_CASE("tasks of plans that will not begin end with them, and their watchers see it",
          "[actors][time]") {
  clock_bed bed;
  auto first = a_plan("first", {a_task("a", {}, "hand")});
  first.alternatives = {"second"};
  bed.begin(an_objective({first, a_plan("second", {a_task("b", {}, "hand")})}));
  const auto id = bed.objective()->plans[1].task_at(0);
  const auto watching = std::make_shared<withdrawal_watcher>();
  REQUIRE(watch_task(bed.records(), id, watching));
  SECTION("skipped, because the first of the alternatives completed") {
    bed.report("a", report_completed{});
    CHECK(bed.objective()->plans[1].state == plan_state::skipped);
  }
  SECTION("canceled with their objective") {
    bed.move(objective_state::canceled);
    CHECK(bed.objective()->plans[1].state == plan_state::skipped);
  }
  SECTION("skipped by request") {
    bed.move_plan(1, plan_state::skipped);
  }
  CHECK(bed.states(1) == "canceled");
  CHECK(find_task(bed.records(), id)->status.state == task_state::canceled);
  CHECK(watching->withdrawn == 1);
}

TEST_CASE("a canceled objective that is tried again begins what had not begun as well",
          "[actors][time]") {
  clock_bed bed;
  auto second = a_plan("second", {a_task("b", {}, "hand")});
  second.dependencies = {"first"};
  bed.begin(an_objective({a_plan("first", {a_task("a", {}, "hand")}), std::move(second)}));
  const auto before = bed.objective()->plans[1].task_at(0);
  bed.move(objective_state::canceled);
  CHECK(bed.states(1) == "canceled");
  if (GENERATE(false, true))
    bed.restart();
  bed.move(objective_state::submitted);
  CHECK(bed.states(1) == "pending");
  bed.move(objective_state::working);
  bed.report("a", report_completed{});
  bed.report("b", report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
  CHECK(bed.objective()->plans[1].task_at(0) != before);
  CHECK(find_task(bed.records(), before)->status.state == task_state::canceled);
}

TEST_CASE("plans that were skipped because of a failed plan are done once that plan is retried",
          "[actors][time]") {
  clock_bed bed;
  const auto after = [](plan_spec plan, const std::string& other) {
    plan.dependencies = {other};
    return plan;
  };
  bed.begin(an_objective({a_plan("first", {a_task("a", {}, "hand")}),
                          after(a_plan("second", {a_task("b", {}, "hand")}), "first"),
                          after(a_plan("third", {a_task("c", {}, "hand")}), "second")}));
  bed.report("a", report_failed{"no", false});
  CHECK(bed.objective()->state == objective_state::failed);
  CHECK(bed.objective()->plans[2].state == plan_state::skipped);
  CHECK(bed.states(2) == "canceled");
  if (GENERATE(false, true))
    bed.restart();
  bed.move(objective_state::planning);
  CHECK(bed.states(2) == "pending");
  bed.move(objective_state::working);
  for (const auto* name : {"a", "b", "c"})
    bed.report(name, report_completed{});
  CHECK(bed.objective()->state == objective_state::completed);
  CHECK(bed.seen->plan_lines.back() == "0 objective completed");
}

TEST_CASE("plans that were skipped by request stay skipped in a retry, and alternatives come back",
          "[actors][time]") {
  clock_bed bed;
  const auto after = [](plan_spec plan, const std::string& other) {
    plan.dependencies = {other};
    return plan;
  };
  auto second = after(a_plan("second", {a_task("b", {}, "hand")}), "first");
  second.alternatives = {"instead"};
  bed.begin(an_objective({a_plan("first", {a_task("a", {}, "hand")}), std::move(second),
                          a_plan("instead", {a_task("c", {}, "hand")}),
                          after(a_plan("unwanted", {a_task("d", {}, "hand")}), "first")}));
  bed.move_plan(3, plan_state::skipped);
  bed.report("a", report_failed{"no", false});
  CHECK(bed.objective()->state == objective_state::failed);
  CHECK(bed.objective()->plans[2].state == plan_state::skipped);
  bed.move(objective_state::submitted);
  bed.move(objective_state::working);
  CHECK(bed.objective()->plans[3].state == plan_state::skipped);
  bed.report("a", report_completed{});
  bed.report("b", report_failed{"no", false});
  CHECK(bed.states(2) == "working");
  bed.report("c", report_completed{});
  CHECK(bed.objective()->plans[2].state == plan_state::completed);
}

TEST_CASE("a plan that is ended before it began ends its tasks, and they stay as they ended",
          "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("first", {a_task("a", {}, "hand")})}));
  create_plan more;
  more.objective = bed.objective()->id;
  more.spec = a_plan("second", {a_task("b", {}, "hand")});
  more.spec.dependencies = {"first"};
  bed.main_gateway().create(std::move(more), [](const result<plan_id>&) {});
  bed.pass(0s);
  bed.move_plan(1, plan_state::failed);
  const auto before = bed.objective()->plans[1].task_at(0);
  CHECK(bed.states(1) == "canceled");
  bed.report("a", report_completed{});
  CHECK(find_task(bed.records(), before)->status.state == task_state::canceled);
}

TEST_CASE("a timer longer than a hop goes off at its time", "[actors][time]") {
  clock_bed bed;
  auto slow = a_task("a", {}, "hand");
  slow.timeout = 1h;
  bed.begin(an_objective({a_plan("p", {std::move(slow)})}));
  bed.pass(59min + 59s);
  CHECK(bed.states() == "working");
  bed.pass(1s);
  CHECK(bed.states() == "failed");
  CHECK_THAT(bed.text("a"), ContainsSubstring("timed out after 3600 s"));
}
