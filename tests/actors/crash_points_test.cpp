// The process dies after each commit of a run in turn, and another one goes on: whatever the
// moment, the objective ends as it would have ended, and nothing of it is left behind. Time and
// turns stand still in the test's hands, so each point is met once.
#include "actors/objective/objective_actor.hpp"
#include "protocol/fold/last_tasks.hpp"
#include "tests/support/calling_agent.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/specs.hpp"

#include <functional>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A store that takes so many commits; what comes after them never happened.
class mortal_store final : public passing_store {
public:
  void commit(change change, committed_fn then, watcher_ptr follow) override {
    if (lives == 0)
      return;
    --lives;
    passing_store::commit(std::move(change), std::move(then), std::move(follow));
  }

  std::size_t lives = 0;
};

const objective_id only{"o"};

struct scenario {
  std::string name;
  objective_spec spec;
  /// What people do after the start, each once everything has come to rest; false: refused, or not
  /// answered.
  std::vector<std::function<bool(clock_bed&)>> acts;
  objective_state end;
  bool starts = true; ///< When it is created; else an act starts it.
  /// The shape of its first plan at the end (shape_of); empty: not looked at.
  std::string shape{};
};

bool move_objective(clock_bed& bed, objective_state to) {
  update_objective command;
  command.id = only;
  command.state = to;
  const auto done = std::make_shared<bool>(false); // The answer may come when this is long over.
  bed.main_gateway().update(command,
                            [done](const result<objective_ptr>& how) { *done = how.has_value(); });
  bed.clock.settle();
  return *done;
}

bool move_one_plan(clock_bed& bed, std::uint32_t plan, plan_state to) {
  update_plan command;
  command.id = find_objective(bed.records(), only)->plans[plan].spec->id;
  command.state = to;
  const auto done = std::make_shared<bool>(false); // The answer may come when this is long over.
  bed.main_gateway().update(command,
                            [done](const result<plan_id>& how) { *done = how.has_value(); });
  bed.clock.settle();
  return *done;
}

bool create(clock_bed& bed, const objective_spec& spec, bool start) {
  create_objective command;
  command.spec = spec;
  command.spec.id = only;
  command.start = start;
  auto request = std::make_shared<message>();
  request->message_id = "m";
  request->from = role::user;
  command.request = std::move(request);            // So that a root task stands for the objective.
  const auto done = std::make_shared<bool>(false); // The answer may come when this is long over.
  bed.main_gateway().create(std::move(command), nullptr,
                            [done](const result<objective_ptr>& how) { *done = how.has_value(); });
  bed.clock.settle();
  return *done;
}

/// What another process finds, and goes on with.
void resume(clock_bed& bed) {
  bed.stop();
  recovered left;
  if (auto found = find_objective(bed.records(), only)) {
    if (auto root = find_task(bed.records(), found->root_task);
        root && !is_terminal(root->status.state))
      left.lone_tasks.push_back(std::move(root));
    if (!is_settled(found->state))
      left.objectives.push_back(std::move(found));
  }
  bed.main_gateway().resume(left);
  bed.clock.settle();
}

std::string states_of(const store& records) {
  const auto view = find_objective(records, only);
  if (!view)
    return "(none)";
  std::string out{to_string(view->state)};
  for (const auto& plan : view->plans) {
    out += " | " + std::string{to_string(plan.state)};
    for (const auto& slot : plan.tasks)
      out += " " + std::string{summary_state(slot)};
  }
  return out;
}

/// The tasks of the first plan, in parentheses what they depend on; those that were removed in
/// brackets, with their state: "a [b canceled] c(d)".
std::string shape_of(const store& records) {
  const auto view = find_objective(records, only);
  const auto& plan = view->plans.front();
  if (plan.tasks.size() != plan.spec->tasks.size())
    return "the tasks have not as many slots";
  std::string out;
  for (std::uint32_t t = 0; t < plan.tasks.size(); ++t) {
    const auto& task = plan.spec->tasks[t];
    out += task.is_removed ? "[" + task.name + " " + std::string{summary_state(plan.tasks[t])} + "]"
                           : task.name;
    for (const auto on : task.dependency_indexes)
      out += "(" + plan.spec->tasks[on].name + ")";
    out += " ";
  }
  return out + "revision " + std::to_string(view->revision);
}

/// Tasks that the record says go on although nothing goes on any more.
std::vector<std::string> left_behind(const store& records) {
  std::vector<std::string> out;
  const auto view = find_objective(records, only);
  for (const auto& plan : view->plans)
    for (std::uint32_t t = 0; t < plan.tasks.size(); ++t)
      if (const auto record = find_task(records, plan.task_at(t));
          record && !is_terminal(record->status.state))
        out.push_back(plan.spec->tasks[t].name);
  return out;
}

/// Whether the run came to its end before the store died.
bool run_until_death(const scenario& scenario, std::size_t lives) {
  auto owned = std::make_unique<mortal_store>();
  auto& mortal = *owned;
  mortal.lives = lives;
  clock_bed bed{std::move(owned), {}, std::nullopt};
  const auto caller = std::make_shared<calling_agent>();
  caller->wanted = {a_change("1", a_task("called")), a_change("2", a_task("fails", {}, "boom")),
                    a_change("3", a_task("added"), false)};
  bed.agents.add("calls", caller);
  std::size_t answered = 0;
  if (!create(bed, scenario.spec, scenario.starts)) {
    resume(bed); // no client was told that there is anything
    return false;
  }
  while (answered < scenario.acts.size() && scenario.acts[answered](bed))
    ++answered;
  bed.pass(std::chrono::minutes{5}); // backoffs
  const bool lived = mortal.lives > 0;
  mortal.lives = SIZE_MAX;
  resume(bed);
  // Who was told nothing tries again; some of it may have been done.
  for (; answered < scenario.acts.size(); ++answered)
    static_cast<void>(scenario.acts[answered](bed));
  bed.pass(std::chrono::minutes{5});
  INFO(scenario.name << ", dead after " << lives << " commits: " << states_of(mortal));
  CHECK(find_objective(mortal, only)->state == scenario.end);
  const auto root = find_task(mortal, find_objective(mortal, only)->root_task);
  CHECK((!root
         || root->status.state
                == root_state(*find_objective(mortal, only),
                              scenario.end))); // Created right after the objective.
  if (root && scenario.end == objective_state::completed)
    CHECK(root->artifacts.empty()
          == last_tasks(*find_objective(mortal, only), {}, 1).first.empty());
  CHECK(left_behind(mortal).empty());
  if (!scenario.shape.empty())
    CHECK(shape_of(mortal) == scenario.shape);
  return lived;
}

void run_through(const scenario& scenario) {
  std::size_t lives = 0;
  while (!run_until_death(scenario, lives))
    REQUIRE(++lives < 5'000);
  CHECK(lives > scenario.spec.plans.size());
}

plan_spec after(plan_spec plan, std::string other) {
  plan.dependencies = {std::move(other)};
  return plan;
}

task_spec with_key(task_spec task) {
  task.key = task.name;
  return task;
}

/// One change of everything that a change can do.
bool reshape(clock_bed& bed) {
  change_plan command;
  command.id = find_objective(bed.records(), only)->plans.front().spec->id;
  command.operations = {add_task{with_key(a_task("d", {"a"}))},
                        add_dependency<std::string>{"c", "d"},
                        remove_task<std::string>{"b"},
                        remove_dependency<std::string>{"e", "c"},
                        rename_task<std::string>{"e", "last"},
                        set_priority<std::string>{"e", 1},
                        add_task{a_task("f", {"e"})}};
  const auto done = std::make_shared<bool>(false); // The answer may come when this is long over.
  bed.main_gateway().change(std::move(command),
                            [done](const result<change_report>& how) { *done = how.has_value(); });
  bed.clock.settle();
  return *done;
}

/// The task at hand completes; false if that is not recorded.
bool complete_by_hand(clock_bed& bed, const std::string& name, report_completed how = {}) {
  if (bed.hand->running() > 0)
    bed.report(name, std::move(how));
  const auto view = find_objective(bed.records(), only);
  return is_settled(view->state) || view->plans[0].tasks[0].state == task_state::completed;
}

task_spec retried(task_spec task) {
  task.retry.attempts_max = 2;
  task.retry.backoff = std::chrono::seconds{10};
  return task;
}

} // namespace

TEST_CASE("after a crash at any point, a run ends as it would have ended", "[actors][recovery]") {
  SECTION("everything completes") {
    run_through(
        {"complete",
         an_objective({a_plan("p", {a_task("a"), a_task("b", {"a"}), a_task("c", {"a", "b"})}),
                       after(a_plan("q", {a_task("d"), a_task("e", {"d"})}), "p")}),
         {},
         objective_state::completed});
  }
  SECTION("a task fails among others that run") {
    run_through({"fail fast",
                 an_objective(
                     {a_plan("p", {a_task("a"), a_task("b", {}, "hand"), a_task("c", {"a"}, "boom"),
                                   a_task("d", {"b"}), a_task("e", {}, "hand")})}),
                 {},
                 objective_state::failed});
  }
  SECTION("a task fails and the others go on") {
    run_through(
        {"keep going",
         an_objective({going_on(a_plan(
             "p", {a_task("a"), a_task("b", {}, "boom"), a_task("c", {"b"}), a_task("d", {"a"}),
                   a_task("e", {"c", "d"}), retried(a_task("f", {}, "boom"))}))}),
         {},
         objective_state::failed});
  }
  SECTION("tasks wait for those of other plans") {
    run_through({"across",
                 an_objective({a_plan("p", {a_task("a"), a_task("t", {"a"})}),
                               a_plan("q", {a_task("x", {"t"}), a_task("y", {"x"})}),
                               a_plan("r", {a_task("z", {"y", "a"})})}),
                 {},
                 objective_state::completed});
  }
  SECTION("tasks wait for one of another plan that fails") {
    run_through({"across, failing",
                 an_objective({going_on(a_plan("p", {a_task("a", {}, "boom"), a_task("b")})),
                               going_on(a_plan("q", {a_task("x", {"a"}), a_task("y", {"x"}),
                                                     a_task("z", {"b"})}))}),
                 {},
                 objective_state::failed});
  }
  SECTION("an alternative takes over") {
    auto first = a_plan("p", {a_task("a"), a_task("b", {"a"}, "boom")});
    first.alternatives = {"q"};
    run_through({"alternative",
                 an_objective({std::move(first), a_plan("q", {a_task("c"), a_task("d", {"c"})}),
                               after(a_plan("r", {a_task("e")}), "q")}),
                 {},
                 objective_state::completed});
  }
  SECTION("a task calls others") {
    auto plan = a_plan("p", {with_key(a_task("a", {}, "calls")), with_key(a_task("b", {"a"}))});
    plan.parallel_max = 1;
    run_through({"calls",
                 an_objective({std::move(plan)}),
                 {},
                 objective_state::completed,
                 true,
                 "a b(a) called fails added revision 3"});
  }
  SECTION("a wide plan with one that fails") {
    std::vector<task_spec> all;
    for (int i = 0; i < 150; ++i)
      all.push_back(a_task("t" + std::to_string(i), {}, i == 3 ? "boom" : "hand"));
    run_through({"wide", an_objective({a_plan("p", std::move(all))}), {}, objective_state::failed});
  }
}

TEST_CASE("after a crash at any point, every acknowledged command takes effect",
          "[actors][recovery]") {
  SECTION("a cancel") {
    run_through({"cancel",
                 an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand"),
                                            a_task("c", {"a"})}),
                               a_plan("q", {a_task("d", {}, "hand")})}),
                 {[](clock_bed& bed) { return move_objective(bed, objective_state::canceled); }},
                 objective_state::canceled});
  }
  SECTION("plans are started one by one") {
    run_through(
        {"planning",
         an_objective({a_plan("p", {a_task("a")}), a_plan("q", {a_task("b"), a_task("c", {"b"})})}),
         {[](clock_bed& bed) { return move_one_plan(bed, 0, plan_state::working); },
          [](clock_bed& bed) { return move_one_plan(bed, 1, plan_state::working); }},
         objective_state::completed,
         false});
  }
  SECTION("a plan is added to begin when another has completed") {
    const auto add = [](clock_bed& bed) {
      create_plan create_plan;
      create_plan.objective = only;
      create_plan.spec = after(a_plan("q", {a_task("b")}), "p");
      create_plan.spec.id = plan_id{"q"}; // A second one is refused.
      create_plan.start = true;
      const auto done = std::make_shared<bool>(false);
      bed.main_gateway().create(std::move(create_plan),
                                [done](const result<plan_id>& how) { *done = how.has_value(); });
      bed.clock.settle();
      return *done;
    };
    run_through({"added",
                 an_objective({a_plan("p", {a_task("a")})}),
                 {add, [](clock_bed& bed) { return move_one_plan(bed, 0, plan_state::working); }},
                 objective_state::completed,
                 false});
  }
  SECTION("what failed is tried again") {
    run_through({"again",
                 an_objective({a_plan("p", {a_task("t")}),
                               going_on(a_plan("q", {a_task("x", {"t"}), a_task("y", {"x"}),
                                                     a_task("z", {}, "boom")}))}),
                 {[](clock_bed& bed) { return move_objective(bed, objective_state::planning); },
                  [](clock_bed& bed) { return move_objective(bed, objective_state::working); }},
                 objective_state::failed});
  }
  SECTION("the last task makes something") {
    run_through({"result",
                 an_objective({a_plan("p", {a_task("a", {}, "hand")})}),
                 {[](clock_bed& bed) {
                   return complete_by_hand(bed, "a", {{text_artifact("out", "made")}, ""});
                 }},
                 objective_state::completed});
  }
  SECTION("it is completed by request while a task runs") {
    run_through({"completed",
                 an_objective({a_plan("p", {a_task("a", {}, "hand")}),
                               after(a_plan("q", {a_task("b")}), "p")}),
                 {[](clock_bed& bed) { return move_objective(bed, objective_state::completed); }},
                 objective_state::completed});
  }
  SECTION("a failed plan works again, and its failed objective with it") {
    run_through({"works again",
                 an_objective({a_plan("p", {a_task("t", {}, "boom")}), a_plan("q", {a_task("b")})}),
                 {[](clock_bed& bed) { return move_one_plan(bed, 0, plan_state::working); }},
                 objective_state::failed});
  }
  SECTION("the shape of a plan is changed while it runs") {
    run_through({"reshaped",
                 an_objective({a_plan(
                     "p", {with_key(a_task("a", {}, "hand")), with_key(a_task("b", {"a"})),
                           with_key(a_task("c", {"b"})), with_key(a_task("e", {"a", "c"}))})}),
                 {reshape, [](clock_bed& bed) { return complete_by_hand(bed, "a"); }},
                 objective_state::completed,
                 true,
                 "a [b canceled] c(d) last(a) d(a) f(last) revision 1"});
  }
  SECTION("the shape of a plan is changed before it begins") {
    run_through(
        {"reshaped, pending",
         an_objective(
             {a_plan("p", {with_key(a_task("a")), with_key(a_task("b", {"a"})),
                           with_key(a_task("c", {"b"})), with_key(a_task("e", {"a", "c"}))})}),
         {reshape, [](clock_bed& bed) { return move_one_plan(bed, 0, plan_state::working); }},
         objective_state::completed,
         false,
         "a [b canceled] c(d) last(a) d(a) f(last) revision 1"});
  }
}
