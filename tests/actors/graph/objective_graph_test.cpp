#include "actors/graph/objective_graph.hpp"
#include "actors/objective/acceptance.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/fold/plan_shape.hpp"
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"

#include <algorithm>
#include <string>

using namespace troupe;
using namespace troupe::testing;

namespace {

result<resolved_objective> resolve(std::vector<plan_spec> plans) {
  return resolve_dependencies(an_objective(std::move(plans)).plans);
}

error refusal(std::vector<plan_spec> plans) {
  const auto out = resolve(std::move(plans));
  REQUIRE_FALSE(out);
  return out.error();
}

task_spec with_key(std::string key, std::vector<std::string> after = {}) {
  auto out = a_task("", std::move(after));
  out.key = std::move(key);
  return out;
}

plan_spec after(plan_spec plan, std::vector<std::string> dependencies) {
  plan.dependencies = std::move(dependencies);
  return plan;
}

plan_spec or_else(plan_spec plan, std::vector<std::string> alternatives) {
  plan.alternatives = std::move(alternatives);
  return plan;
}

} // namespace

TEST_CASE("M17_by_index: dependencies are found by id, by name and by position",
          "[actors][objective_graph]") {
  auto plan = a_plan("p", {with_key("first"), a_task("Second one", {"first"}),
                           a_task("third", {"Second one", "task-0"})});
  const auto out = resolve({plan});
  REQUIRE(out);
  CHECK(out->plans[0].edges == std::vector<graph_edge>{{0, 1}, {1, 2}, {0, 2}});
}

TEST_CASE("a task may depend on a task of another plan", "[actors][objective_graph]") {
  const auto out = resolve({a_plan("one", {a_task("a"), a_task("b")}),
                            a_plan("two", {a_task("c", {"b"}), a_task("d", {"plan-0/task-0"})})});
  REQUIRE(out);
  CHECK(out->plans[1].externals == std::vector<std::uint32_t>{1, 1});
  REQUIRE(out->plans[0].awaited(1).size() == 1);
  CHECK(out->plans[0].awaited(1)[0].dependent == task_position{1, 0});
  CHECK(out->plans[0].awaited(0)[0].dependent == task_position{1, 1});
}

TEST_CASE("the plan's own task wins over one of the same name elsewhere",
          "[actors][objective_graph]") {
  const auto out =
      resolve({a_plan("one", {a_task("a")}), a_plan("two", {a_task("a"), a_task("b", {"a"})})});
  REQUIRE(out);
  CHECK(out->plans[1].edges == std::vector<graph_edge>{{0, 1}});
}

TEST_CASE("an objective with unresolvable dependencies is refused with their names",
          "[actors][objective_graph]") {
  SECTION("unknown name") {
    const auto why = refusal({a_plan("p", {a_task("a", {"nobody"})})});
    CHECK(why.code == errc::unknown_dependency);
    CHECK(why.message == "task \"a\" depends on \"nobody\", but this objective has no such task");
    CHECK(why.field == "/plans/0/tasks/0/dependencies/0");
  }
  SECTION("a name that is nearly right") {
    const auto why = refusal({a_plan("p", {a_task("fetch"), a_task("b", {"fetch", "fecth"})})});
    CHECK(why.message
          == "task \"b\" depends on \"fecth\", but this objective has no such task; did you mean "
             "\"fetch\"?");
    CHECK(why.field == "/plans/0/tasks/1/dependencies/1");
  }
  SECTION("a name with a quote in it") {
    const auto why = refusal({a_plan("p", {a_task("a \"b\"", {"c\nd"})})});
    CHECK(why.message
          == R"(task "a \"b\"" depends on "c\nd", but this objective has no such task)");
  }
  SECTION("self-dependency") {
    const auto why = refusal({a_plan("p", {a_task("a", {"a"})})});
    CHECK(why.code == errc::dependency_cycle);
    CHECK(why.message == "task \"a\" depends on itself");
    CHECK(why.field == "/plans/0/tasks/0/dependencies/0");
  }
  SECTION("duplicate id, even in another plan") {
    const auto why = refusal({a_plan("p", {with_key("x")}), a_plan("q", {with_key("x")})});
    CHECK(why.code == errc::duplicate_id);
    CHECK(why.field == "/plans/1/tasks/0/id");
  }
  SECTION("ambiguous name") {
    const auto why = refusal({a_plan("p", {a_task("a"), a_task("a"), a_task("b", {"a"})})});
    CHECK(why.code == errc::invalid_params);
    CHECK_THAT(why.message, ContainsSubstring("several tasks"));
  }
  SECTION("unknown plan") {
    const auto why = refusal({after(a_plan("p", {}), {"q"})});
    CHECK(why.code == errc::unknown_dependency);
    CHECK(why.field == "/plans/0/dependencies/0");
  }
  SECTION("position out of range") {
    CHECK(refusal({a_plan("p", {a_task("a", {"task-7"})})}).code == errc::unknown_dependency);
  }
  SECTION("alternative of two plans") {
    auto one = a_plan("one", {});
    auto two = a_plan("two", {});
    one.alternatives = two.alternatives = {"three"};
    CHECK(refusal({one, two, a_plan("three", {})}).code == errc::invalid_params);
  }
}

TEST_CASE("an alternative has none of its own", "[actors][objective_graph]") {
  const auto why =
      refusal({or_else(a_plan("P", {}), {"Q"}), or_else(a_plan("Q", {}), {"R"}), a_plan("R", {})});
  CHECK(why.code == errc::invalid_params);
  CHECK(why.message
        == "plan \"Q\" is an alternative of plan \"P\" and cannot have alternatives; list \"R\" "
           "among the alternatives of \"P\"");
  CHECK(why.field == "/plans/1/alternatives/0");
  CHECK(refusal({or_else(a_plan("P", {}), {"Q"}), or_else(a_plan("Q", {}), {"P"})}).code
        == errc::invalid_params);
  CHECK(resolve_accepted(an_objective({or_else(a_plan("P", {}), {"Q"}),
                                       or_else(a_plan("Q", {}), {"R"}), a_plan("R", {})})
                             .plans));
}

TEST_CASE("a cycle is printed as a path", "[actors][objective_graph]") {
  SECTION("of tasks") {
    const auto why = refusal({a_plan(
        "p", {a_task("a", {"c"}), a_task("b", {"a"}), a_task("c", {"b"}), a_task("d", {"c"})})});
    CHECK(why.code == errc::dependency_cycle);
    const std::string text = why.message;
    CHECK_THAT(text, EndsWith(" (each must complete before the next)"));
    const bool any = text.find("a -> b -> c -> a (") != std::string::npos
                     || text.find("b -> c -> a -> b (") != std::string::npos
                     || text.find("c -> a -> b -> c (") != std::string::npos;
    CHECK(any);
  }
  SECTION("through plans") {
    const auto why = refusal(
        {after(a_plan("one", {a_task("a")}), {"two"}), a_plan("two", {a_task("b", {"a"})})});
    CHECK(why.code == errc::dependency_cycle);
    CHECK_THAT(why.message, ContainsSubstring("plan one") && ContainsSubstring("plan two"));
    CHECK_THAT(why.field,
               StartsWith("/plans/") && EndsWith("/dependencies") && ContainsSubstring("/tasks/"));
  }
  SECTION("through plans, at the task that depends on another") {
    const auto why = refusal(
        {after(a_plan("one", {a_task("a")}), {"two"}), a_plan("two", {a_task("b", {"a"})})});
    CHECK_THAT(why.message, ContainsSubstring("plan two -> plan one -> a -> b"));
    CHECK(why.field == "/plans/1/tasks/0/dependencies");
  }
  SECTION("of ten thousand tasks, shortened") {
    std::vector<task_spec> ring;
    for (int i = 0; i < 10'000; ++i)
      ring.push_back(
          with_key("n" + std::to_string(i), {"n" + std::to_string((i + 9'999) % 10'000)}));
    const auto why = refusal({a_plan("p", std::move(ring))});
    CHECK(why.code == errc::dependency_cycle);
    CHECK_THAT(why.message, ContainsSubstring("(9980 more)"));
    CHECK(why.message.size() < 500);
  }
}

TEST_CASE("a plan that waits for a plan waits for its alternatives too, which must not wait for it",
          "[actors][objective_graph]") {
  const auto p = or_else(a_plan("P", {a_task("p")}), {"Q"});
  SECTION("the alternative depends on the plan itself") {
    const auto why = refusal({p, after(a_plan("Q", {}), {"P"})});
    CHECK(why.code == errc::dependency_cycle);
    CHECK(
        why.message
        == "the dependencies form a cycle: plan Q -> plan P (plan Q is its alternative) -> plan Q "
           "(each must complete before the next)");
    CHECK(why.field == "/plans/1/dependencies");
  }
  SECTION("the alternative depends on what depends on the plan") {
    const auto why = refusal({p, after(a_plan("D", {}), {"P"}), after(a_plan("Q", {}), {"D"})});
    CHECK(why.code == errc::dependency_cycle);
    CHECK_THAT(
        why.message,
        ContainsSubstring("plan D -> plan Q -> plan P (plan Q is its alternative) -> plan D"));
  }
  SECTION("a task of the alternative does") {
    const auto why =
        refusal({p, after(a_plan("D", {a_task("d")}), {"P"}), a_plan("Q", {a_task("q", {"d"})})});
    CHECK(why.code == errc::dependency_cycle);
    CHECK_THAT(
        why.message,
        ContainsSubstring("q -> plan Q -> plan P (plan Q is its alternative) -> plan D -> d"));
    CHECK(why.field == "/plans/2/tasks/0/dependencies");
  }
  SECTION("an alternative waits for one whose turn comes later") {
    const auto first = or_else(a_plan("P", {}), {"Q", "S"});
    CHECK(refusal({first, after(a_plan("Q", {}), {"S"}), a_plan("S", {})}).code
          == errc::dependency_cycle);
    CHECK(refusal({first, a_plan("Q", {a_task("q", {"s"})}), a_plan("S", {a_task("s")})}).code
          == errc::dependency_cycle);
  }
  SECTION("a task that depends on one of the plan's does not wait for alternatives") {
    CHECK(resolve({p, a_plan("D", {a_task("d", {"p"})}), a_plan("Q", {a_task("q", {"d"})})}));
    CHECK(resolve({p, a_plan("Q", {a_task("q", {"p"})})}));
  }
}

TEST_CASE("an objective that was accepted is not refused as a cycle later",
          "[actors][objective_graph]") {
  const auto plans =
      an_objective({or_else(a_plan("P", {}), {"Q"}), after(a_plan("Q", {}), {"P"})}).plans;
  CHECK_FALSE(resolve_dependencies(plans));
  const auto out = resolve_accepted(plans);
  REQUIRE(out);
  CHECK(out->plans[1].dependencies == std::vector<std::uint32_t>{0});
}

TEST_CASE("a plan that is named twice counts once", "[actors][objective_graph]") {
  const auto out = resolve({or_else(a_plan("P", {}), {"Q", "plan-1"}), a_plan("Q", {}),
                            after(a_plan("D", {}), {"P", "plan-0"})});
  REQUIRE(out);
  CHECK(out->plans[0].alternatives == std::vector<std::uint32_t>{1});
  CHECK(out->plans[2].dependencies == std::vector<std::uint32_t>{0});
}

// A long calculation of one thread: ThreadSanitizer finds nothing in it and takes eight times as
// long.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a hundred thousand tasks with a million edges resolve", "[actors][objective_graph]") {
  std::vector<task_spec> many;
  for (int i = 0; i < 100'000; ++i) {
    auto one = with_key("n" + std::to_string(i));
    for (int k = 1; k <= 10 && k <= i; ++k)
      one.dependencies.push_back("n" + std::to_string(i - k));
    many.push_back(std::move(one));
  }
  const auto out = resolve({a_plan("p", std::move(many))});
  REQUIRE(out);
  CHECK(out->plans[0].edges.size() == 999'945);
}
#endif

namespace {

constexpr auto pending = plan_state::pending;
constexpr auto working = plan_state::working;
constexpr auto completed = plan_state::completed;
constexpr auto failed = plan_state::failed;
constexpr auto skipped = plan_state::skipped;

std::vector<plan_relations> shape(std::vector<plan_spec> plans) {
  const auto out = resolve(std::move(plans));
  REQUIRE(out);
  return {out->plans.begin(), out->plans.end()};
}

plan_steps next_steps(const std::vector<plan_relations>& plans,
                      const std::vector<plan_state>& states, const std::vector<bool>& held = {}) {
  plan_order order{plans};
  for (std::uint32_t p = 0; p < plans.size(); ++p)
    order.set_state(p, states[p]);
  return order.next([&](std::uint32_t plan) { return !held.empty() && held[plan]; });
}

} // namespace

TEST_CASE("plans without dependencies start together, others after them",
          "[actors][objective_graph]") {
  const auto plans = shape({a_plan("a", {}), a_plan("b", {}), after(a_plan("c", {}), {"a", "b"})});
  CHECK(next_steps(plans, {pending, pending, pending}).start == std::vector<std::uint32_t>{0, 1});
  CHECK(next_steps(plans, {completed, working, pending}).start.empty());
  CHECK(next_steps(plans, {completed, completed, pending}).start == std::vector<std::uint32_t>{2});
  CHECK(next_steps(plans, {completed, completed, completed}).outcome == objective_state::completed);
}

TEST_CASE("a failed plan skips what depends on it and fails the objective in the end",
          "[actors][objective_graph]") {
  const auto plans = shape({a_plan("a", {}), a_plan("b", {}), after(a_plan("c", {}), {"a"}),
                            after(a_plan("d", {}), {"c"})});
  auto next = next_steps(plans, {failed, working, pending, pending});
  CHECK(next.skipped.size() == 2);
  CHECK_FALSE(next.outcome);
  CHECK(next_steps(plans, {failed, completed, skipped, skipped}).outcome
        == objective_state::failed);
}

TEST_CASE("alternatives start in turn and are skipped when they are not needed",
          "[actors][objective_graph]") {
  auto first = a_plan("a", {});
  first.alternatives = {"b", "c"};
  const auto plans =
      shape({first, a_plan("b", {}), a_plan("c", {}), after(a_plan("d", {}), {"a"})});
  CHECK(next_steps(plans, {pending, pending, pending, pending}).start
        == std::vector<std::uint32_t>{0});
  SECTION("not needed") {
    const auto next = next_steps(plans, {completed, pending, pending, pending});
    CHECK(next.skipped.size() == 2);
    CHECK(next.start == std::vector<std::uint32_t>{3});
  }
  SECTION("the next one's turn") {
    CHECK(next_steps(plans, {failed, pending, pending, pending}).start
          == std::vector<std::uint32_t>{1});
    CHECK(next_steps(plans, {failed, failed, pending, pending}).start
          == std::vector<std::uint32_t>{2});
  }
  SECTION("an alternative that completed meets the dependency") {
    const auto next = next_steps(plans, {failed, completed, pending, pending});
    CHECK(next.skipped.size() == 1);
    CHECK(next.start == std::vector<std::uint32_t>{3});
    CHECK(next_steps(plans, {failed, completed, skipped, completed}).outcome
          == objective_state::completed);
  }
  SECTION("none left") {
    const auto next = next_steps(plans, {failed, failed, failed, pending});
    CHECK(next.skipped.size() == 1);
    CHECK(next.outcome == objective_state::failed);
  }
}

TEST_CASE("plans that are held neither begin nor are skipped", "[actors][objective_graph]") {
  const auto plans =
      shape({a_plan("a", {}), after(a_plan("b", {}), {"a"}), after(a_plan("c", {}), {"a"})});
  CHECK(next_steps(plans, {pending, pending, pending}, {true, true, true}).start.empty());
  CHECK(next_steps(plans, {completed, pending, pending}, {true, true, false}).start
        == std::vector<std::uint32_t>{2});
  const auto next = next_steps(plans, {failed, pending, pending}, {true, true, false});
  REQUIRE(next.skipped.size() == 1);
  CHECK(next.skipped[0].plan == 2);
  CHECK_FALSE(next.outcome);
}

TEST_CASE("an objective without plans never ends by itself", "[actors][objective_graph]") {
  CHECK_FALSE(next_steps({}, {}).outcome);
}

// -- the graph of a plan as it stands ------------------------------------------------------------

namespace {

/// The waves in which the tasks of a plan may begin, each as "0 2".
std::string waves(plan_graph graph) {
  std::string out;
  auto free = graph.start();
  while (!free.empty()) {
    std::vector<std::uint32_t> next;
    for (const auto task : free) {
      out += std::to_string(task) + " ";
      graph.complete(task, next);
    }
    out.back() = '|';
    std::sort(next.begin(), next.end());
    free = std::move(next);
  }
  return out + " " + std::to_string(graph.waiting()) + " wait";
}

} // namespace

TEST_CASE("the graph of a plan that was changed is the one that was changed with it",
          "[actors][objective_graph]") {
  auto plan = a_plan(
      "p", {with_key("a"), with_key("b", {"a"}), with_key("c", {"b"}), with_key("d", {"other"})});
  const auto plans = an_objective({plan, a_plan("q", {with_key("other")})}).plans;
  const auto resolved = resolve_dependencies(plans);
  REQUIRE(resolved);
  auto noted = *plans[0];
  note_dependencies(noted, 0, resolved->plans[0],
                    [&](const task_position& at) { return plans[at.plan]->tasks[at.task].id; });
  plan_view view;
  view.spec = std::make_shared<plan_spec>(noted);
  view.tasks.resize(noted.tasks.size());
  auto graph = resolved->plans[0].graph(0, *view.spec);
  CHECK(waves(graph) == "0|1|2| 1 wait"); // d waits for a task of the other plan

  plan_shape shape{*view.spec};
  change_plan command;
  command.operations = {add_task{with_key("e", {"a"})}, remove_task<std::string>{"b"},
                        add_dependency<std::string>{"c", "e"},
                        add_dependency<std::string>{"d", "c"}};
  shape_terms terms;
  terms.tasks_max = 10;
  const auto changed = decide(view, shape, command, terms);
  REQUIRE(changed);
  static_cast<void>(apply(graph, changed->changed));
  apply(view, change{}, changed->changed);
  const auto anew = resolved->plans[0].graph(0, *view.spec);
  CHECK(waves(anew) == "0|4|2| 1 wait");
  CHECK(waves(anew) == waves(graph));
}
