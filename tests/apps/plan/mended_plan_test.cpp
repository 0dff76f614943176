#include "apps/plan/mended_plan.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/plan_document.hpp>
#include <troupe/protocol/unshared.hpp>

#include <boost/json/object.hpp>

using namespace troupe;

namespace {

objective_spec read_mended(const std::string& text) {
  auto document = read_plan_document(text);
  REQUIRE(document.has_value());
  return std::move(document->objective);
}

resolved_objective edges_of(const objective_spec& spec) {
  auto edges = resolve_dependencies(spec.plans);
  REQUIRE(edges.has_value());
  return std::move(*edges);
}

/// A run of `text` in which the tasks of these names have completed.
objective_view ran(const std::string& text, const std::vector<std::string>& completed) {
  auto spec = read_mended(text);
  const auto edges = edges_of(spec);
  objective_view out;
  out.id = objective_id("run");
  out.parallel_max = spec.parallel_max;
  for (std::uint32_t p = 0; p < spec.plans.size(); ++p) {
    auto plan = std::make_shared<plan_spec>(*spec.plans[p]);
    plan->id = make_plan_id(out.id, p);
    plan_view view;
    bool is_whole = true;
    for (std::uint32_t t = 0; t < plan->tasks.size(); ++t) {
      auto& task = plan->tasks.edit(t);
      task.id = make_task_id(plan->id, t);
      task.dependency_indexes.clear();
      const auto& own = edges.plans[p];
      for (auto i = own.dependency_offsets[t]; i < own.dependency_offsets[t + 1]; ++i) {
        const auto& on = own.dependency_positions[i];
        task.dependency_indexes.push_back(on.plan == p ? on.task : elsewhere);
        if (on.plan != p)
          plan->outside.push_back({t, on.plan, on.task, task_id("")});
      }
      const auto& name = task.name.empty() ? task.key : task.name;
      task_summary summary;
      summary.state = std::ranges::find(completed, name) != completed.end() ? task_state::completed
                                                                            : task_state::failed;
      summary.attempt = 1;
      is_whole = is_whole && summary.state == task_state::completed;
      view.tasks.push_back(summary);
    }
    view.state = is_whole ? plan_state::completed : plan_state::failed;
    view.spec = std::move(plan);
    out.plans.push_back(std::move(view));
  }
  return out;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& each : names)
    out += (out.empty() ? "<" : ",<") + each;
  return out;
}

std::string shown_operation(const wanted_operation& operation) {
  if (const auto* added = std::get_if<add_task>(&operation))
    return "+" + added->spec.name + "=" + added->as + list_of(added->spec.dependencies);
  if (const auto* gone = std::get_if<remove_task<std::string>>(&operation))
    return "-" + gone->task;
  if (const auto* less = std::get_if<remove_dependency<std::string>>(&operation))
    return less->task + "!<" + less->on;
  if (const auto* put = std::get_if<put_task<std::string>>(&operation))
    return put->task + ":" + put->spec.name + list_of(put->spec.dependencies);
  return std::holds_alternative<edit_plan>(operation) ? "edit" : "?";
}

/// The operations, and how much they are.
std::string mended(const std::string& before, const std::vector<std::string>& completed,
                   const std::string& now, const std::set<task_position>& made_by_tasks = {},
                   const std::set<std::uint32_t>& made_plans = {}) {
  const auto file = read_mended(now);
  const auto out =
      mend_run(ran(before, completed), file, edges_of(file), made_by_tasks, made_plans);
  if (!out)
    return out.error().message;
  std::string text;
  for (const auto& plan : out->plans) {
    text += plan.plan.str() + ":";
    for (const auto& each : plan.operations)
      text += " " + shown_operation(each);
    text += "; ";
  }
  for (const auto& each : out->objective) {
    if (const auto* fresh = std::get_if<new_plan>(&each))
      text += "plan " + fresh->spec->name + "=" + fresh->as + "; ";
    else if (const auto* order = std::get_if<set_plan_dependencies<std::string>>(&each))
      text += order->plan + list_of(order->on) + "; ";
    else if (const auto* gone = std::get_if<remove_plan<std::string>>(&each))
      text += "remove " + gone->plan + "; ";
    else if (const auto* skipped = std::get_if<skip_plan<std::string>>(&each))
      text += "skip " + skipped->plan + "; ";
    else
      text += "edit; ";
  }
  text += mended_text(*out);
  for (const auto& each : out->staying)
    text += " stays:" + each;
  return text;
}

std::string plan_of_tasks(const std::string& tasks) {
  return R"({"name": "Build", "plans": [{"name": "Build", "tasks": [)" + tasks + "]}]}";
}

const std::string fetch = R"({"name": "fetch", "agent": "echo"})";
const std::string compile = R"({"name": "compile", "agent": "echo", "dependencies": ["fetch"]})";
const std::string broken_before = plan_of_tasks(fetch + "," + compile);

} // namespace

TEST_CASE("a file that has not changed mends nothing", "[apps][mended]") {
  CHECK(mended(broken_before, {"fetch"}, broken_before).empty());
}

TEST_CASE("a task that did not complete takes its new definition", "[apps][mended]") {
  CHECK(mended(broken_before, {"fetch"},
               plan_of_tasks(fetch + R"(,{"name": "compile", "agent": "noop",
                                          "dependencies": ["fetch"]})"))
        == "run.p0: run.p0.t1:compile<run.p0.t0; 1 task changed");
}

TEST_CASE("a task that has completed stays, and is named", "[apps][mended]") {
  CHECK(mended(broken_before, {"fetch"},
               plan_of_tasks(R"({"name": "fetch", "agent": "noop"},)" + compile))
        == " stays:fetch");
  CHECK(mended(broken_before, {"fetch"}, plan_of_tasks(R"({"name": "compile", "agent": "echo"})"))
        == "run.p0: run.p0.t1!<run.p0.t0 run.p0.t1:compile; 1 task changed stays:fetch");
}

TEST_CASE("an id in the file names a task, whatever its name is", "[apps][mended]") {
  CHECK(mended(plan_of_tasks(R"({"id": "a", "name": "one", "agent": "echo"})"), {},
               plan_of_tasks(R"({"id": "a", "name": "two", "agent": "echo"})"))
        == "run.p0: run.p0.t0:two; 1 task changed");
  CHECK(mended(plan_of_tasks(R"({"id": "a", "name": "one", "agent": "echo"})"), {},
               plan_of_tasks(R"({"id": "b", "name": "two", "agent": "echo"})"))
        == "run.p0: +two=new:0.0 -run.p0.t0; 1 task added, 1 removed");
}

TEST_CASE("new tasks are added after those that they need", "[apps][mended]") {
  CHECK(mended(broken_before, {"fetch"}, plan_of_tasks(fetch + R"(,
                 {"name": "late", "agent": "echo", "dependencies": ["early"]},
                 {"name": "early", "agent": "echo", "dependencies": ["fetch"]},
                 {"name": "compile", "agent": "echo", "dependencies": ["fetch", "late"]})"))
        == "run.p0: +early=new:0.2<run.p0.t0 +late=new:0.1<new:0.2 "
           "run.p0.t1:compile<run.p0.t0,<new:0.1; 1 task changed, 2 added");
}

TEST_CASE("tasks that the file has no more go, but not those that tasks have made",
          "[apps][mended]") {
  const auto three = plan_of_tasks(fetch + "," + compile + R"(,{"name": "made", "agent": "echo"})");
  CHECK(mended(three, {"fetch"}, plan_of_tasks(fetch))
        == "run.p0: -run.p0.t2 -run.p0.t1; 2 tasks removed");
  CHECK(mended(three, {"fetch"}, plan_of_tasks(fetch), {{0, 2}})
        == "run.p0: -run.p0.t1; 1 task removed");
}

TEST_CASE("a dependency that is turned round is taken away first", "[apps][mended]") {
  CHECK(mended(broken_before, {},
               plan_of_tasks(R"({"name": "fetch", "agent": "echo", "dependencies": ["compile"]},
                                {"name": "compile", "agent": "echo"})"))
        == "run.p0: run.p0.t1!<run.p0.t0 run.p0.t0:fetch<run.p0.t1 run.p0.t1:compile; "
           "2 tasks changed");
}

TEST_CASE("plans come, go, and change their order", "[apps][mended]") {
  const std::string two =
      R"({"name": "Two", "plans": [{"name": "A", "tasks": [{"name": "a", "agent": "echo"}]},
    {"name": "B", "dependencies": ["A"], "tasks": [{"name": "b", "agent": "echo"}]}]})";
  CHECK(mended(two, {"a"}, R"({"name": "Two", "plans": [
      {"name": "A", "tasks": [{"name": "a", "agent": "echo"}]},
      {"name": "C", "tasks": [{"name": "c", "agent": "echo"}]},
      {"name": "B", "dependencies": ["A", "C"], "tasks": [{"name": "b", "agent": "echo"}]}]})")
        == "plan C=new:1; run.p1<run.p0,<new:1; 1 task added");
  CHECK(
      mended(
          two, {},
          R"({"name": "Two", "plans": [{"name": "A", "tasks": [{"name": "a", "agent": "echo"}]}]})")
      == "skip run.p1; 1 task removed");
}

TEST_CASE("plans that others have added stay, and the only other plan may get a new name",
          "[apps][mended]") {
  const std::string two =
      R"({"name": "Two", "plans": [{"name": "A", "tasks": [{"name": "a", "agent": "echo"}]},
    {"name": "Added", "tasks": [{"name": "b", "agent": "echo"}]}]})";
  const auto one = [](const std::string& name) {
    return R"({"name": "Two", "plans": [{"name": ")" + name
           + R"(", "tasks": [{"name": "a", "agent": "echo"}]}]})";
  };
  CHECK(mended(two, {}, one("A")) == "skip run.p1; 1 task removed");
  CHECK(mended(two, {}, one("A"), {}, {1}).empty());
  CHECK(mended(two, {}, one("Other"), {}, {1}) == "run.p0: edit; ");
}

TEST_CASE("a task that is replaced names what it waits for in other plans by the ids",
          "[apps][mended]") {
  const auto two = [](const std::string& agent) {
    return R"({"name": "Two", "plans": [{"name": "A", "tasks": [{"name": "a", "agent": "echo"}]},
      {"name": "B", "tasks": [{"name": "b", "agent": ")"
           + agent + R"(", "dependencies": ["plan-0/task-0"]}]}]})";
  };
  CHECK(mended(two("echo"), {"a"}, two("noop")) == "run.p1: run.p1.t0:b<run.p0.t0; 1 task changed");
}

TEST_CASE("what no operation changes is refused with the reason", "[apps][mended]") {
  const std::string two =
      R"({"name": "Two", "plans": [{"name": "A", "tasks": [{"name": "a", "agent": "echo"}]},
    {"name": "B", "tasks": [{"name": "b", "agent": "echo"}]}]})";
  CHECK(
      mended(two, {"a"},
             R"({"name": "Two", "plans": [{"name": "A", "tasks": [{"name": "a", "agent": "echo"}]},
    {"name": "B", "tasks": [{"name": "b", "agent": "echo", "dependencies": ["plan-0/task-0"]}]}]})")
          .find("waits for other tasks of other plans")
      != std::string::npos);
}
