#include "apps/draw/dry_run.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

task_spec timed_task(const std::string& name, int seconds, std::vector<std::string> after = {}) {
  auto out = task_named(name, std::move(after));
  out.expected = std::chrono::seconds{seconds};
  return out;
}

std::string times_of(const objective_spec& objective, const expected_slots& slots) {
  const auto edges = resolve_dependencies(objective.plans);
  REQUIRE(edges.has_value());
  const auto all = expect_times(objective, *edges, slots,
                                [](const task_spec& task) { return task.agent == "command"; });
  std::string out;
  for (std::size_t p = 0; p < all.begins.size(); ++p)
    for (std::size_t t = 0; t < all.begins[p].size(); ++t)
      out += objective.plans[p]->tasks[t].name + " "
             + (all.begins[p][t] ? std::to_string(all.begins[p][t]->count() / 1000) : "-") + ", ";
  return out + "end " + std::to_string(all.end.count() / 1000);
}

} // namespace

TEST_CASE("expected times keep dependencies, slots and priorities", "[apps][draw]") {
  auto urgent = timed_task("d", 2);
  urgent.priority = 5;
  objective_spec objective;
  objective.plans = {plan_named("P", {timed_task("a", 3), timed_task("b", 1),
                                      timed_task("c", 4, {"a", "b"}), urgent}),
                     plan_named("Q", {timed_task("e", 1), task_named("f", {"e"})}, {"P"})};
  CHECK(times_of(objective, {}) == "a 0, b 0, c 3, d 0, e 7, f 8, end 8");
  CHECK(times_of(objective, {2, 0}) == "a 0, b 2, c 3, d 0, e 7, f 8, end 8");
  CHECK(times_of(objective, {1, 0}) == "a 2, b 5, c 6, d 0, e 10, f 11, end 11");
  auto narrow = std::make_shared<plan_spec>(*objective.plans[0]);
  narrow->parallel_max = 1;
  objective.plans[0] = narrow;
  CHECK(times_of(objective, {}) == "a 2, b 5, c 6, d 0, e 10, f 11, end 11");
}

TEST_CASE("expected times give programs their own slots, and alternatives none", "[apps][draw]") {
  auto a = timed_task("a", 2);
  auto b = timed_task("b", 2);
  a.agent = b.agent = "command";
  objective_spec objective;
  auto first = std::make_shared<plan_spec>(*plan_named("P", {a, b, timed_task("c", 1)}));
  first->alternatives = {"Q"};
  objective.plans = {first, plan_named("Q", {timed_task("d", 9)})};
  CHECK(times_of(objective, {0, 1}) == "a 0, b 2, c 0, d -, end 4");
}

TEST_CASE("a dry run says when tasks would begin, if they say how long they take", "[apps][draw]") {
  objective_spec objective;
  objective.plans = {
      plan_named("P", {timed_task("a", 90), timed_task("b", 30), task_named("c", {"a"})})};
  const auto edges = resolve_dependencies(objective.plans);
  REQUIRE(edges.has_value());
  CHECK(draw(make_dry_run(objective, *edges, agent_registry{}, {1, 0}))
        == "step 1: 2 tasks\n"
           "  P / a [echo], at 0.00s\n"
           "  P / b [echo], at 1m30s\n"
           "step 2: 1 task\n"
           "  P / c [echo], after P / a, at 2m00s\n"
           "expected to end after 2m00s; 1 task without expectedSeconds counts as 0\n");
  CHECK(json_of(make_dry_run(objective, *edges, agent_registry{}, {1, 0}))
        == R"({"steps":[{"tasks":[)"
           R"({"plan":"P","task":"a","agent":"echo","after":[],"beginsAtSeconds":0},)"
           R"({"plan":"P","task":"b","agent":"echo","after":[],"beginsAtSeconds":90}]},)"
           R"({"tasks":[{"plan":"P","task":"c","agent":"echo",)"
           R"("after":[{"plan":"P","task":"a"}],"beginsAtSeconds":120}]}],)"
           R"("endsAtSeconds":120,"withoutExpectedSeconds":1})"
           "\n");
}

TEST_CASE("a dry run says what would begin when, and after what", "[apps][draw]") {
  auto compile = task_named("compile");
  compile.agent = "command";
  compile.input = boost::json::parse(R"({"argv": ["cc", "-c", "a.c"]})").as_object();
  auto link = task_named("link", {"compile"});
  link.agent = "command";
  link.input = boost::json::parse(R"({"shell": "ld *.o"})").as_object();
  objective_spec objective;
  objective.plans = {plan_named("Build", {compile, link, task_named("docs")}),
                     plan_named("Ship", {task_named("send")}, {"Build"})};
  const auto edges = resolve_dependencies(objective.plans);
  REQUIRE(edges.has_value());
  CHECK(draw(make_dry_run(objective, *edges, agent_registry{}))
        == "step 1: 2 tasks\n"
           "  Build / compile [command] cc -c a.c\n"
           "  Build / docs [echo]\n"
           "step 2: 1 task\n"
           "  Build / link [command] ld *.o, after Build / compile\n"
           "step 3: 1 task\n"
           "  Ship / send [echo], after plan Build\n");
  const auto json = json_of(make_dry_run(objective, *edges, agent_registry{}));
  CHECK_THAT(json, ContainsSubstring(R"("agent":"command","program":"cc -c a.c","after":[])"));
  CHECK_THAT(json, ContainsSubstring(R"("after":[{"plan":"Build"}]})"));
  CHECK(json.find("Seconds") == std::string::npos);
}
