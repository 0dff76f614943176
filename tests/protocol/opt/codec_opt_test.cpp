#include "protocol/fold/rollup.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/document_reader.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;
using opt::unknown_members;
namespace json = boost::json;

namespace {

template<class Write>
json::value written(Write write) {
  std::string text;
  json_writer out(text);
  write(out);
  INFO(text);
  return json::parse(text);
}

task_spec task_from(std::string_view text) {
  const auto read = opt::read_task(json::parse(text), unknown_members::refuse);
  INFO((read ? std::string{} : read.error().message));
  REQUIRE(read.has_value());
  return *read;
}

error task_error(std::string_view text, unknown_members rule = unknown_members::refuse) {
  const auto read = opt::read_task(json::parse(text), rule, "/t");
  INFO(text);
  REQUIRE_FALSE(read.has_value());
  return read.error();
}

/// Two plans: "Research" (id r) with a chain of two, "Writing" with one task that depends on both
/// ways across.
objective_view sample_view() {
  objective_view view;
  view.id = objective_id{"obj-abc"};
  view.name = "Research AI safety papers and write a summary";
  view.state = objective_state::working;
  view.revision = 3;
  view.created = view.updated = *parse_rfc3339("2026-02-03T04:05:06.789Z");
  const auto add = [&](plan_spec spec, plan_state state, std::vector<task_summary> slots) {
    plan_view plan;
    plan.spec = std::make_shared<const plan_spec>(std::move(spec));
    plan.state = state;
    plan.tasks = std::move(slots);
    plan.created = plan.updated = view.created;
    view.plans.push_back(std::move(plan));
  };
  plan_spec research;
  research.id = plan_id{"plan-001"};
  research.name = "Research";
  research.tasks.resize(2);
  research.tasks.edit(0).id = task_id{"task-001"};
  research.tasks.edit(0).name = "Search papers";
  research.tasks.edit(1).id = task_id{"task-002"};
  research.tasks.edit(1).name = "Summarize findings";
  research.tasks.edit(1).dependencies = {"Search papers"};
  research.tasks.edit(1).dependency_indexes = {0};
  plan_spec writing;
  writing.id = plan_id{"plan-002"};
  writing.name = "Writing";
  writing.dependencies = {"Research", "plan-0", "nowhere"};
  writing.tasks.resize(1);
  writing.tasks.edit(0).id = task_id{"task-003"};
  writing.tasks.edit(0).name = "Write summary";
  writing.tasks.edit(0).dependencies = {"Summarize findings", "plan-0/task-0", "elsewhere"};
  add(std::move(research), plan_state::working,
      {task_summary{.state = task_state::working, .attempt = 1}, task_summary{}});
  add(std::move(writing), plan_state::pending, {task_summary{}});
  return view;
}

} // namespace

// -- reading --------------------------------------------------------------------------------------

TEST_CASE("a task may use every member", "[protocol][opt]") {
  const auto task =
      task_from(R"({"id": "a", "name": "A", "description": "two\nlines", "agent": "sleep",
    "input": {"seconds": 0.5}, "dependencies": ["b", "task-3", 4, 5.0], "timeout": 2.5,
    "retry": {"maxAttempts": 3, "backoff": 0.25, "maxBackoff": 10, "jitter": 0.5}, "metadata": {"mine": 1}})");
  CHECK(task.id.str() == "a");
  CHECK(task.key == "a");
  CHECK(task.name == "A");
  CHECK(task.description == "two\nlines");
  CHECK(task.agent == "sleep");
  CHECK(task.input == json::parse(R"({"seconds": 0.5})").as_object());
  CHECK(task.dependencies == std::vector<std::string>{"b", "task-3", "task-4", "task-5"});
  CHECK(task.timeout == milliseconds{2500});
  CHECK(task.retry == retry_policy{3, milliseconds{250}, milliseconds{10000}, 0.5});
  CHECK(task.metadata == json::parse(R"({"mine": 1})").as_object());
}

TEST_CASE("members that a task leaves out have their defaults", "[protocol][opt]") {
  const auto named = task_from(R"({"name": "A"})");
  CHECK(named.id.empty());
  CHECK(named.key.empty());
  CHECK(named.retry == retry_policy{});
  CHECK(named.timeout == milliseconds{0});
  CHECK(task_from(R"({"id": "a"})").name == "a");
  CHECK(task_from(R"({"name": "A", "timeout": 0.0001})").timeout == milliseconds{1}); // not "none"
  CHECK(task_from(R"({"name": "A", "retry": {"backoff": 100}})").retry.backoff_max
        == milliseconds{100000});
  CHECK(task_from(R"({"name": "A", "retry": {"backoff": 100, "maxBackoff": 5}})").retry.backoff_max
        == milliseconds{5000});
}

TEST_CASE("a plan and an objective may use every member", "[protocol][opt]") {
  const auto read = opt::read_objective(
      json::parse(R"({"$schema": "x", "id": "o", "name": "O", "description": "d",
    "maxParallel": 7, "metadata": {"k": [1]}, "status": "submitted", "createdAt": "now", "updatedAt": "now", "plans": [
      {"id": "p", "objectiveId": "o", "name": "P", "description": "e", "status": "pending", "tasks": [{"name": "t"}],
       "dependencies": ["q", 1], "alternatives": [2, "r"], "onFailure": "continue", "maxParallel": 2,
       "metadata": {"m": true}, "createdAt": "", "updatedAt": ""},
      {"name": "Q", "onFailure": "failFast"}]})"),
      unknown_members::refuse);
  REQUIRE(read.has_value());
  CHECK(read->id.str() == "o");
  CHECK(read->name == "O");
  CHECK(read->description == "d");
  CHECK(read->parallel_max == 7);
  CHECK(read->metadata == json::parse(R"({"k": [1]})").as_object());
  REQUIRE(read->plans.size() == 2);
  const auto& plan = *read->plans[0];
  CHECK(plan.id.str() == "p");
  CHECK(plan.key == "p");
  CHECK(plan.name == "P");
  CHECK(plan.description == "e");
  CHECK(plan.tasks.size() == 1);
  CHECK(plan.dependencies == std::vector<std::string>{"q", "plan-1"});
  CHECK(plan.alternatives == std::vector<std::string>{"plan-2", "r"});
  CHECK(plan.failure == on_failure::keep_going);
  CHECK(plan.parallel_max == 2);
  CHECK(plan.metadata == json::parse(R"({"m": true})").as_object());
  CHECK(read->plans[1]->failure == on_failure::fail_fast);
}

TEST_CASE("an extended A2A task says in its metadata what it depends on", "[protocol][opt]") {
  const auto task = task_from(
      R"({"id": "t1", "contextId": "o", "kind": "task", "status": {"state": "submitted"}, "artifacts": [],
    "history": [], "dependencies": ["a"], "metadata": {"opt/v1/objectiveId": "o", "opt/v1/planId": "p",
      "opt/v1/taskIndex": 1, "opt/v1/dependencies": ["b", "a", 0], "troupe/v1/name": "N", "troupe/v1/agent": "echo",
      "troupe/v1/input": {"x": 1}, "troupe/v1/timeout": 2, "troupe/v1/retry": {"maxAttempts": 2},
      "troupe/v1/description": "D", "troupe/v1/attempts": 4, "mine": 1}})");
  CHECK(task.dependencies == std::vector<std::string>{"a", "b", "task-0"});
  CHECK(task.name == "N");
  CHECK(task.agent == "echo");
  CHECK(task.description == "D");
  CHECK(task.input == json::object{{"x", 1}});
  CHECK(task.timeout == milliseconds{2000});
  CHECK(task.retry.attempts_max == 2);
  CHECK(task.metadata
        == json::object{{"mine", 1}}); // the rest is derived, and would stand there twice
  CHECK(task_error(R"({"id": "t", "metadata": {"troupe/v1/agent": 5}})").field
        == "/t/metadata/troupe~1v1~1agent");
}

TEST_CASE("opt/v1/taskIndex orders the tasks if all have one", "[protocol][opt]") {
  const auto names = [](std::string_view text) {
    const auto plan = opt::read_plan(json::parse(text), unknown_members::ignore);
    REQUIRE(plan.has_value());
    std::string out;
    for (const auto& task : plan->tasks)
      out += task.name;
    return out;
  };
  CHECK(names(R"({"name": "p", "tasks": [{"name": "b", "metadata": {"opt/v1/taskIndex": 7}},
                                         {"name": "a", "metadata": {"opt/v1/taskIndex": 2}}]})")
        == "ab");
  CHECK(
      names(
          R"({"name": "p", "tasks": [{"name": "b", "metadata": {"opt/v1/taskIndex": 7}}, {"name": "a"}]})")
      == "ba");
  CHECK(names(R"({"name": "p", "tasks": [{"name": "b", "metadata": {"opt/v1/taskIndex": 1}},
                                         {"name": "a", "metadata": {"opt/v1/taskIndex": 1}}]})")
        == "ba");
}

TEST_CASE("unknown members are ignored on the wire and refused in a file, with a hint",
          "[protocol][opt]") {
  struct row {
    const char* text;
    const char* field;
    const char* message;
  };
  const auto [text, field, message] = GENERATE(values<row>({
      {R"({"name": "a", "agnet": "x"})", "/t/agnet",
       R"(unknown member "agnet"; did you mean "agent"?)"},
      {R"({"name": "a", "Timeout": 1})", "/t/Timeout", R"(did you mean "timeout"?)"},
      {R"({"name": "a", "dependancies": []})", "/t/dependancies",
       R"(did you mean "dependencies"?)"},
      {R"({"name": "a", "depends_on": []})", "/t/depends_on", R"(did you mean "dependencies"?)"},
      {R"({"name": "a", "dependsOn": []})", "/t/dependsOn", R"(did you mean "dependencies"?)"},
      {R"({"name": "a", "needs": []})", "/t/needs", R"(did you mean "dependencies"?)"},
      {R"({"name": "a", "maxAttempts": 3})", "/t/maxAttempts",
       R"(it belongs to "retry", not to a task)"},
      {R"({"name": "a", "onFailure": "continue"})", "/t/onFailure",
       "it belongs to a plan, not to a task"},
      {R"({"name": "a", "colour/of~it": 3})", "/t/colour~1of~0it",
       R"(put what is yours into "metadata")"},
      {R"({"name": "a", "retry": {"attempts": 3}})", "/t/retry/attempts",
       R"(unknown member "attempts"; did you mean "maxAttempts"?)"},
      {R"({"name": "a", "": 3})", "/t/", R"(unknown member "")"},
  }));
  const auto cause = task_error(text);
  CHECK(cause.code == errc::invalid_document);
  CHECK(cause.field == field);
  CHECK_THAT(cause.message, ContainsSubstring(message));
  CHECK(opt::read_task(json::parse(text), unknown_members::ignore).has_value());
}

TEST_CASE("every wrong type is named with its pointer, what was expected and what was found",
          "[protocol][opt]") {
  struct row {
    const char* text;
    const char* field;
    const char* message;
  };
  const auto [text, field, message] = GENERATE(values<row>({
      {"5", "/t", "a task must be an object, found the number 5"},
      {"[]", "/t", "must be an object, found an empty array"},
      {"{}", "/t", R"(a task needs a "name" or an "id")"},
      {R"({"name": ""})", "/t", R"(a task needs a "name" or an "id")"},
      {R"({"name": 5})", "/t/name", R"("name" must be a string, found the number 5)"},
      {R"({"name": "a\nb"})", "/t/name", "must not contain control characters"},
      {R"({"name": "a\u001b[2Jb"})", "/t/name", R"(found the string "a\u001b[2Jb")"},
      {R"({"id": ""})", "/t/id", "must have 1 to 256 bytes"},
      {R"({"id": "a/b"})", "/t/id", R"(found the string "a/b")"},
      {R"({"id": 7})", "/t/id", "must be a string, found the number 7"},
      {R"({"name": "a", "description": []})", "/t/description",
       "must be a string, found an empty array"},
      {R"({"name": "a", "agent": {"name": "command"}})", "/t/agent",
       "must be a string, found an object"},
      {R"({"name": "a", "input": "x"})", "/t/input", R"(must be an object, found the string "x")"},
      {R"({"name": "a", "dependencies": "b"})", "/t/dependencies",
       R"(must be an array of strings, found the string "b")"},
      {R"({"name": "a", "dependencies": ["b", {}]})", "/t/dependencies/1",
       "must be an id, a name or a position"},
      {R"({"name": "a", "dependencies": [-1]})", "/t/dependencies/0", "found the number -1"},
      {R"({"name": "a", "dependencies": [0.5]})", "/t/dependencies/0", "found the number 0.5"},
      {R"({"name": "a", "dependencies": [1e300]})", "/t/dependencies/0", "found the number 1e+300"},
      {R"({"name": "a", "dependencies": [""]})", "/t/dependencies/0", "must not be empty"},
      {R"({"name": "a", "timeout": "5s"})", "/t/timeout",
       R"(a number of seconds from 0 to 315360000, found the string "5s")"},
      {R"({"name": "a", "timeout": -0.5})", "/t/timeout", "found the number -0.5"},
      {R"({"name": "a", "timeout": 1e9})", "/t/timeout", "found the number 1e+09"},
      {R"({"name": "a", "retry": 3})", "/t/retry",
       R"("retry" must be an object, found the number 3)"},
      {R"({"name": "a", "retry": {"maxAttempts": 0}})", "/t/retry/maxAttempts",
       "a whole number from 1 to 1000, found the number 0"},
      {R"({"name": "a", "retry": {"maxAttempts": 1001}})", "/t/retry/maxAttempts",
       "found the number 1001"},
      {R"({"name": "a", "retry": {"maxAttempts": 1.5}})", "/t/retry/maxAttempts",
       "found the number 1.5"},
      {R"({"name": "a", "retry": {"maxAttempts": 18446744073709551615}})", "/t/retry/maxAttempts",
       "18446744073709551615"},
      {R"({"name": "a", "retry": {"backoff": true}})", "/t/retry/backoff", "found true"},
      {R"({"name": "a", "retry": {"maxBackoff": "1"}})", "/t/retry/maxBackoff",
       "must be a number of seconds"},
      {R"({"name": "a", "retry": {"jitter": 1.01}})", "/t/retry/jitter",
       "a number from 0 to 1, found the number 1.01"},
      {R"({"name": "a", "metadata": 1})", "/t/metadata", "must be an object, found the number 1"},
      {R"({"name": "a", "metadata": {"opt/v1/dependencies": 1}})",
       "/t/metadata/opt~1v1~1dependencies", "an array of strings"},
      {R"({"name": "a", "metadata": {"opt/v1/taskIndex": "x"}})", "/t/metadata/opt~1v1~1taskIndex",
       "a whole number"},
  }));
  for (const auto rule : {unknown_members::refuse, unknown_members::ignore}) {
    const auto cause = task_error(text, rule);
    CHECK(cause.code
          == (rule == unknown_members::refuse ? errc::invalid_document : errc::invalid_params));
    CHECK(cause.field == field);
    CHECK_THAT(cause.message, ContainsSubstring(message));
  }
}

TEST_CASE("a JSON null is an absent member on the wire and a wrong type in a file",
          "[protocol][opt]") {
  const auto text =
      R"({"name": "a", "description": null, "agent": null, "input": null, "dependencies": null,
                        "retry": null, "timeout": null, "metadata": null, "id": null})";
  CHECK(opt::read_task(json::parse(text), unknown_members::ignore).has_value());
  CHECK_THAT(task_error(R"({"name": "a", "timeout": null})").message,
             ContainsSubstring("found null"));
}

TEST_CASE("texts and lists over their limit are refused by name", "[protocol][opt]") {
  const auto long_text = [](std::size_t bytes) { return json::value(std::string(bytes, 'x')); };
  const auto refused = [](json::value from) {
    const auto read = opt::read_objective(from, unknown_members::refuse);
    REQUIRE_FALSE(read.has_value());
    return read.error();
  };
  const auto with_task = [](json::value task) {
    return json::value{{"name", "o"},
                       {"plans", json::array{json::value{
                                     {"name", "p"}, {"tasks", json::array{std::move(task)}}}}}};
  };
  CHECK(opt::read_objective({{"name", long_text(opt::name_bytes_max)}}, unknown_members::refuse)
            .has_value());
  auto cause = refused({{"name", long_text(opt::name_bytes_max + 1)}});
  CHECK(cause.code == errc::limit_exceeded);
  CHECK_THAT(cause.message, ContainsSubstring("1025 bytes; the limit is 1024"));
  CHECK(refused({{"name", "o"}, {"description", long_text(opt::description_bytes_max + 1)}}).code
        == errc::limit_exceeded);

  cause = refused({{"name", "o"}, {"id", long_text(1 << 20)}});
  CHECK(cause.message.size() < 300);
  CHECK_THAT(cause.message, ContainsSubstring("1048576 bytes"));
  cause = refused(with_task(
      {{"name", "t"}, {"dependencies", json::array(opt::dependencies_per_task_max + 1, "x")}}));
  CHECK(cause.code == errc::limit_exceeded);
  CHECK(cause.field == "/plans/0/tasks/0/dependencies");
  CHECK_THAT(cause.message, ContainsSubstring("dependencies_per_task_max"));

  cause = refused(
      {{"name", "o"}, {"plans", json::array(opt::plans_per_objective_max + 1, json::object{})}});
  CHECK(cause.code == errc::limit_exceeded);
  CHECK_THAT(cause.message, ContainsSubstring("maxPlansPerObjective"));
  cause = refused({{"name", "o"},
                   {"plans", json::array{json::value{
                                 {"name", "p"},
                                 {"tasks", json::array(opt::tasks_per_plan_max + 1, nullptr)}}}}});
  CHECK(cause.code == errc::limit_exceeded);
  CHECK_THAT(cause.message, ContainsSubstring("maxTasksPerPlan"));
}

TEST_CASE("the dependencies of all tasks together have a limit", "[protocol][opt]") {
  const json::value task{{"name", "t"},
                         {"dependencies", json::array(opt::dependencies_per_task_max, 0)}};
  const auto plan = [&](std::size_t tasks) {
    return json::value{{"name", "p"}, {"tasks", json::array(tasks, task)}};
  };
  const auto most = opt::dependencies_total_max / opt::dependencies_per_task_max;
  const auto cause = opt::read_plan(plan(most + 1), unknown_members::refuse).error();
  CHECK(cause.code == errc::limit_exceeded);
  CHECK_THAT(cause.message, ContainsSubstring("dependencies_total_max"));
}

TEST_CASE("a plan of 100,000 tasks with 1,000,000 dependencies is read in full",
          "[protocol][opt]") {
  constexpr std::size_t tasks = 100'000;
  constexpr std::size_t each = 10;
  json::array list;
  list.reserve(tasks);
  for (std::size_t i = 0; i < tasks; ++i) {
    json::array names;
    for (std::size_t k = 1; k <= each && k <= i; ++k)
      names.emplace_back("n" + std::to_string(i - k));
    list.push_back({{"name", "n" + std::to_string(i)}, {"dependencies", std::move(names)}});
  }
  const auto plan =
      opt::read_plan({{"name", "big"}, {"tasks", std::move(list)}}, unknown_members::refuse);
  REQUIRE(plan.has_value());
  REQUIRE(plan->tasks.size() == tasks);
  std::size_t edges = 0;
  for (const auto& task : plan->tasks)
    edges += task.dependencies.size();
  CHECK(edges == tasks * each - each * (each + 1) / 2);
  CHECK(plan->tasks.back().dependencies.back() == "n99989");
}

// -- params ---------------------------------------------------------------------------------------

TEST_CASE("every request that the extension's document prints is read", "[protocol][opt]") {
  const auto objective = opt::read_create_objective(json::parse(
      R"({"name": "Plan birthday party", "description": "Organize a party for 20 guests"})"));
  REQUIRE(objective.has_value());
  CHECK(objective->spec.name == "Plan birthday party");
  CHECK_FALSE(objective->start);

  const auto get = opt::read_get_objective(
      json::parse(R"({"id": "obj-123", "includePlans": true, "includeTasks": false})"));
  REQUIRE(get.has_value());
  CHECK(get->id.str() == "obj-123");
  CHECK(get->include_plans);
  CHECK_FALSE(get->include_tasks);

  const auto list =
      opt::read_list_objectives(json::parse(R"({"status": "working", "pageSize": 10})"));
  REQUIRE(list.has_value());
  CHECK(list->states == std::vector{objective_state::working});
  CHECK(list->page_size == 10);

  const auto plan =
      opt::read_create_plan(json::parse(R"({"objectiveId": "obj-123", "name": "Venue and catering",
    "tasks": [{"name": "Research venues", "description": "Find 3 options"},
              {"name": "Get catering quotes", "description": "Budget: $500"}]})"));
  REQUIRE(plan.has_value());
  CHECK(plan->objective.str() == "obj-123");
  CHECK(plan->spec.tasks[1].description == "Budget: $500");

  const auto update =
      opt::read_update_plan(json::parse(R"({"id": "plan-456", "status": "completed"})"));
  REQUIRE(update.has_value());
  CHECK(update->state == plan_state::completed);

  CHECK(
      opt::read_objective(
          json::parse(R"({"id": "obj-123", "name": "Plan birthday party", "status": "submitted"})"),
          unknown_members::ignore)
          .has_value());
}

TEST_CASE("an objective comes with its plans and may start at once", "[protocol][opt]") {
  const auto read = opt::read_create_objective(json::parse(
      R"({"name": "o", "start": true, "later": 1, "plans": [{"name": "p", "tasks": [{"name": "t", "agnet": 1}]}]})"));
  REQUIRE(read.has_value());
  CHECK(read->start);
  CHECK(read->spec.plans.at(0)->tasks[0].name == "t");
  const auto update = opt::read_update_objective(json::parse(
      R"({"id": "o", "status": "canceled", "name": "n", "description": "d", "revision": 4})"));
  REQUIRE(update.has_value());
  CHECK(update->state == objective_state::canceled);
  CHECK(update->if_revision == 4U);
  CHECK(update->edited.name == "n");
  const auto plan = opt::read_get_plan(json::parse(R"({"id": "p", "includeTasks": false})"));
  REQUIRE(plan.has_value());
  CHECK_FALSE(plan->include_tasks);
  CHECK(opt::read_list_objectives(nullptr).has_value());
}

TEST_CASE("wrong params are errc::invalid_params and name the parameter", "[protocol][opt]") {
  struct row {
    const char* method;
    const char* params;
    const char* field;
    const char* message;
  };
  const auto [method, params, field, message] = GENERATE(values<row>({
      {"objectives/create", "{}", "/name", R"(missing parameter "name")"},
      {"objectives/create", "null", "/name", R"(missing parameter "name")"},
      {"objectives/create", "[]", "", "params must be an object"},
      {"objectives/create", R"({"name": ""})", "/name", "must not be empty"},
      {"objectives/create", R"({"name": "o", "start": "yes"})", "/start", "must be true or false"},
      {"objectives/create", R"({"name": "o", "plans": [{"name": "p"}, {"tasks": []}]})",
       "/plans/1/name", R"(/plans/1/name: missing parameter "name")"},
      {"objectives/update", R"({"status": "working"})", "/id", R"(missing parameter "id")"},
      {"objectives/update", R"({"id": "o", "status": "done"})", "/status",
       R"(one of submitted, planning)"},
      {"objectives/update", R"({"id": "o", "status": 3})", "/status", "found the number 3"},
      {"objectives/update", R"({"id": "o", "revision": -1})", "/revision", "found the number -1"},
      {"objectives/get", "{}", "/id", R"(missing parameter "id")"},
      {"objectives/get", R"({"id": "o", "includePlans": 1})", "/includePlans",
       "must be true or false"},
      {"objectives/list", R"({"pageSize": 0})", "/pageSize",
       "a whole number from 1 to 100, found the number 0"},
      {"objectives/list", R"({"pageSize": 101})", "/pageSize", "found the number 101"},
      {"objectives/list", R"({"status": "WORKING"})", "/status", R"(found the string "WORKING")"},
      {"plans/create", R"({"name": "p"})", "/objectiveId", R"(missing parameter "objectiveId")"},
      {"plans/create", R"({"objectiveId": "o"})", "/name", R"(missing parameter "name")"},
      {"plans/create",
       R"({"objectiveId": "o", "name": "p", "tasks": [{"name": "t", "timeout": "x"}]})",
       "/tasks/0/timeout", R"(/tasks/0/timeout: "timeout" must be)"},
      {"plans/update", "{}", "/id", R"(missing parameter "id")"},
      {"plans/update", R"({"id": "p", "status": "submitted"})", "/status",
       "one of pending, working"},
      {"plans/update", R"({"id": "p", "tasks": []})", "/tasks", "at least one task"},
      {"plans/update", R"({"id": "p", "tasks": 5})", "/tasks", "must be an array of tasks"},
      {"plans/update", R"({"id": "p", "tasks": [{"name": "t"}], "name": "n"})", "/name",
       "in a request of its own"},
      {"plans/update", R"({"id": "p", "tasks": [{"name": "t"}, {"name": "u", "timeout": "x"}]})",
       "/tasks/1/timeout", R"(/tasks/1/timeout: "timeout" must be)"},
      {"plans/addTasks", R"({"id": "p", "tasks": [{"name": "t", "status": "completed"}]})",
       "/tasks/0/status", "not completed or skipped"},
      {"plans/list", R"({"objectiveId": "o", "orderBy": "size"})", "/orderBy",
       "one of updatedAt, createdAt, name"},
      {"plans/update", R"({"id": "p", "dependencies": []})", "/dependencies",
       R"(of a plan, not its "dependencies")"},
      {"plans/update", R"({"id": "p", "name": ""})", "/name", "leave it out to keep"},
      {"objectives/update", R"({"id": "o", "description": ""})", "/description",
       R"("description" must not be empty; leave it out to keep what there is)"},
      {"plans/update", R"({"id": "p", "requestId": ""})", "/requestId",
       "\"requestId\" must not be empty; leave it out to send none"},
      {"plans/update", R"({"id": "p", "revision": 1, "ifRevision": 2})", "/ifRevision",
       "the same member"},
      {"plans/get", R"({"id": 5})", "/id", "must be a string"},
  }));
  const auto refused = [&]() -> error {
    const auto from = json::parse(params);
    const std::string_view name = method;
    const auto of = [](const auto& read) {
      if (!read)
        return read.error();
      if constexpr (requires { read->wrong; })
        return read->wrong.value_or(error{});
      else
        return error{};
    };
    return name == "objectives/create"   ? of(opt::read_create_objective(from))
           : name == "objectives/update" ? of(opt::read_update_objective(from))
           : name == "objectives/get"    ? of(opt::read_get_objective(from))
           : name == "objectives/list"   ? of(opt::read_list_objectives(from))
           : name == "plans/create"      ? of(opt::read_create_plan(from))
           : name == "plans/update"      ? of(opt::read_update_plan(from))
           : name == "plans/addTasks"    ? of(opt::read_add_tasks(from))
           : name == "plans/list"        ? of(opt::read_list_plans(from))
                                         : of(opt::read_get_plan(from));
  }();
  CAPTURE(method, params);
  CHECK(refused.code == errc::invalid_params);
  CHECK(refused.field == field);
  CHECK_THAT(refused.message, ContainsSubstring(message));
}

// -- writing --------------------------------------------------------------------------------------

TEST_CASE("an objective is written as the extension's design prints it", "[protocol][opt]") {
  const auto view = sample_view();
  const auto out = written([&](json_writer& w) { opt::write(w, view, true, true); });
  CHECK(json::serialize(out).starts_with(
      R"({"id":"obj-abc","name":"Research AI safety papers and write a summary","status":"working","plans":[{)"));
  const auto& tasks = out.at("plans").at(0).at("tasks");
  CHECK(tasks.at(0)
        == json::parse(
            R"({"id": "task-001", "name": "Search papers", "status": "working", "attempts": 1,
                "objectiveId": "obj-abc", "planId": "plan-001", "taskIndex": 0,
                "dependencies": [], "updatedAt": "2026-02-03T04:05:06.789Z"})"));
  CHECK(tasks.at(1)
        == json::parse(
            R"({"id": "task-002", "name": "Summarize findings", "status": "pending", "attempts": 0,
                                       "objectiveId": "obj-abc", "planId": "plan-001", "taskIndex": 1,
                                       "dependencies": ["task-001"], "waitingFor": "dependencies"})"));
  CHECK(out.at("plans").at(0).at("objectiveId") == "obj-abc");
  CHECK(out.at("plans").at(1).at("status") == "pending");
  CHECK(out.at("plans").at(1).at("dependencies")
        == json::parse(R"(["plan-001", "plan-001", "nowhere"])"));
  CHECK(out.at("plans").at(1).at("tasks").at(0).at("dependencies")
        == json::parse(R"(["task-002", "task-001", "elsewhere"])"));
  CHECK(out.at("createdAt") == "2026-02-03T04:05:06.789Z");
  CHECK(out.at("revision") == 3);
  CHECK_FALSE(out.as_object().contains("pendingInputs"));
  CHECK_FALSE(out.as_object().contains("reason"));
}

TEST_CASE("a plan says of its tasks since when they could run and what they wait for",
          "[protocol][opt]") {
  auto view = sample_view();
  const auto at = [&](std::int64_t seconds) {
    return view.created + std::chrono::seconds{seconds};
  };
  view.plans.edit(0).began = at(1);
  auto research = *view.plans[0].spec;
  research.tasks.edit(1).priority = 3;
  research.tasks.edit(1).deadline = at(60);
  view.plans.edit(0).spec = std::make_shared<const plan_spec>(std::move(research));
  const auto task = [&](std::size_t plan, std::size_t index) {
    return written([&](json_writer& w) { opt::write(w, view, true, true); })
        .at("plans")
        .at(plan)
        .at("tasks")
        .at(index);
  };
  CHECK(task(0, 0).at("readyAt") == "2026-02-03T04:05:07.789Z");
  CHECK_FALSE(task(0, 0).as_object().contains("waitingFor"));
  CHECK_FALSE(task(0, 1).as_object().contains("readyAt"));
  CHECK(task(0, 1).at("waitingFor") == "dependencies");
  CHECK(task(0, 1).at("priority") == 3);
  CHECK(task(0, 1).at("deadline") == "2026-02-03T04:06:06.789Z");
  CHECK(task(1, 0).at("waitingFor") == "plan");
  CHECK_FALSE(task(0, 1).as_object().contains("updatedAt")); // It is no task yet.
  CHECK(written([&](json_writer& w) { opt::write(w, view, true, true); })
            .at("plans")
            .at(0)
            .at("startedAt")
        == "2026-02-03T04:05:07.789Z");
  view.plans.edit(0).tasks.edit(0) =
      task_summary{.state = task_state::completed, .attempt = 1, .changed_ms = 5000};
  CHECK(task(0, 0).at("updatedAt") == "2026-02-03T04:05:11.789Z");
  CHECK(task(0, 1).at("readyAt") == "2026-02-03T04:05:11.789Z");
  CHECK(task(0, 1).at("waitingFor") == "slot");
}

TEST_CASE("M27_deadline: a deadline is a time, or seconds that count from the start",
          "[protocol][opt]") {
  const auto read = [](const std::string& deadline) {
    const auto member = R"("deadline":)" + deadline;
    return opt::read_objective(json::parse(R"({"name":"o",)" + member + R"(,"plans":[{"name":"p",)"
                                           + member + R"(,"tasks":[{"name":"t",)" + member
                                           + "}]}]}"),
                               unknown_members::refuse, "");
  };
  const auto after = read("1.5");
  REQUIRE(after.has_value());
  const auto& plan = *after->plans[0];
  CHECK(after->deadline_after == milliseconds{1500});
  CHECK(plan.deadline_after == milliseconds{1500});
  CHECK(plan.tasks[0].deadline_after == milliseconds{1500});
  CHECK_FALSE(after->deadline);
  const auto shown = written([&](json_writer& w) { opt::write_spec(w, *after); });
  CHECK(shown.at("deadline") == 1.5);
  CHECK(shown.at("plans").at(0).at("deadline") == 1.5);
  CHECK(shown.at("plans").at(0).at("tasks").at(0).at("deadline") == 1.5);
  CHECK(read(R"("2031-01-01T00:00:00Z")")->deadline == parse_rfc3339("2031-01-01T00:00:00Z"));
  for (const auto* wrong : {"0", "-1", "true", R"("soon")"}) {
    CAPTURE(wrong);
    const auto refused = read(wrong);
    REQUIRE(refused.has_error());
    CHECK(refused.error().field == "/deadline");
  }
}

TEST_CASE("a task that was removed is in no document of its plan", "[protocol][opt]") {
  auto view = sample_view();
  auto research = *view.plans[0].spec;
  research.tasks.edit(0).is_removed = true;
  view.plans.edit(0).spec = std::make_shared<const plan_spec>(research);
  const auto shown = written([&](json_writer& w) { opt::write(w, view, true, true); });
  CHECK(shown.at("plans").at(0).at("tasks").as_array().size() == 1);
  CHECK(shown.at("plans").at(0).at("tasks").at(0).at("id") == "task-002");
  CHECK(written([&](json_writer& w) { opt::write_spec(w, research); }).at("tasks").as_array().size()
        == 1);
}

TEST_CASE("a plan's task shows when it was ready, what it waits for, and what its attempts took",
          "[protocol][opt]") {
  task record;
  record.metadata = {{"opt/v1/planId", "p"}}; // as it is read back once it has ended
  record.ready_at = *parse_rfc3339("2026-02-03T04:05:00Z");
  const auto at = [&](std::int64_t seconds) {
    return record.ready_at + std::chrono::seconds{seconds};
  };
  const auto times = [&] {
    return written([&](json_writer& w) {
      w.begin_object();
      opt::write_task_times(w, record);
      w.end_object();
    });
  };
  CHECK(
      times()
      == json::parse(
          R"({"troupe/v1/readyAt": "2026-02-03T04:05:00.000Z", "troupe/v1/waitingFor": "slot"})"));
  record.attempt = 2;
  record.details.edit().spans = {{task_phase::running, 1, at(1), at(3), "no"},
                                 {task_phase::backoff, 1, at(3), at(5), ""}};
  record.since = at(5);
  record.status = {task_state::completed, nullptr, at(9)};
  CHECK(times()
        == json::parse(R"({"troupe/v1/readyAt": "2026-02-03T04:05:00.000Z", "troupe/v1/spans": [
    {"phase": "running", "attempt": 1, "startedAt": "2026-02-03T04:05:01.000Z", "endedAt": "2026-02-03T04:05:03.000Z", "reason": "no"},
    {"phase": "backoff", "attempt": 1, "startedAt": "2026-02-03T04:05:03.000Z", "endedAt": "2026-02-03T04:05:05.000Z"},
    {"phase": "running", "attempt": 2, "startedAt": "2026-02-03T04:05:05.000Z", "endedAt": "2026-02-03T04:05:09.000Z",
     "reason": "completed"}]})"));
  record.ready_at = {}; // as in records of earlier versions
  CHECK(times() == json::parse("{}"));
}

TEST_CASE("plans and tasks are left out on request", "[protocol][opt]") {
  const auto view = sample_view();
  CHECK_FALSE(written([&](json_writer& w) { opt::write(w, view, false, true); })
                  .as_object()
                  .contains("plans"));
  const auto plans = written([&](json_writer& w) { opt::write(w, view, true, false); }).at("plans");
  CHECK(plans.as_array().size() == 2);
  CHECK_FALSE(plans.at(0).as_object().contains("tasks"));
  const auto plan = written([&](json_writer& w) { opt::write(w, view, std::size_t{1}, true); });
  CHECK(plan.at("id") == "plan-002");
  CHECK(plan.at("tasks").at(0).at("dependencies").at(0) == "task-002");
}

TEST_CASE("a plan that is shown alone waits for the same plans as among all", "[protocol][opt]") {
  objective_view view;
  view.id = objective_id{"o"};
  const auto add = [&](std::string id, plan_state state, std::vector<std::string> dependencies) {
    plan_spec spec;
    spec.id = plan_id{std::move(id)};
    spec.name = spec.id.str();
    spec.dependencies = std::move(dependencies);
    // Two tasks that wait for the first and for the second plan.
    const auto waits = state == plan_state::working;
    spec.tasks.resize(waits ? 2 : 1);
    for (std::uint32_t task = 0; waits && task < 2; ++task)
      for (std::uint32_t plan = 0; plan < 2; ++plan)
        spec.outside.push_back({.task = task, .on_plan = plan, .on_task = 0});
    plan_view plan;
    plan.state = state;
    plan.tasks = std::vector<task_summary>(spec.tasks.size());
    plan.spec = std::make_shared<const plan_spec>(std::move(spec));
    view.plans.push_back(std::move(plan));
  };
  add("a", plan_state::blocked, {});
  add("b", plan_state::pending, {"a", "plan-0"});
  add("c", plan_state::working, {});
  add("d", plan_state::pending, {"c", "b", "c"});
  add("e", plan_state::pending, {"e"});
  add("f", plan_state::completed, {"a"});
  sum_up(view);
  const auto all = written([&](json_writer& w) { opt::write(w, view, true, true); }).at("plans");
  CHECK(all.at(1).at("waitingFor") == json::parse(R"(["a"])"));
  CHECK(all.at(2).at("waitingFor") == json::parse(R"(["a", "b"])"));
  CHECK(all.at(3).at("waitingFor") == json::parse(R"(["c", "b"])"));
  for (const std::size_t without : {0U, 4U, 5U})
    CHECK_FALSE(all.at(without).as_object().contains("waitingFor"));
  for (std::size_t i = 0; i < view.plans.size(); ++i)
    CHECK(written([&](json_writer& w) { opt::write(w, view, i, true); }) == all.at(i));
}

TEST_CASE("an objective shows its questions, reasons and retried tasks", "[protocol][opt]") {
  auto view = sample_view();
  view.state = objective_state::blocked;
  view.reason = "waits for an answer";
  view.description = "d \"quoted\"";
  view.parallel_max = 4;
  view.metadata = {{"a/b", 1}};
  view.root_task = task_id{"task-root"};
  view.pending_inputs.push_back({.task = task_id{"task-001"},
                                 .prompt = "A or B?",
                                 .since = view.created,
                                 .question = "question-2"});
  view.plans.edit(0).reason = "because";
  view.plans.edit(0).tasks.edit(0).generation = 2;
  const auto out = written([&](json_writer& w) { opt::write(w, view, true, true); });
  CHECK(
      out.at("pendingInputs")
      == json::parse(
          R"([{"taskId": "task-001", "prompt": "A or B?", "inputId": "task-001.question-2", "since": "2026-02-03T04:05:06.789Z"}])"));
  CHECK(out.at("status") == "blocked");
  CHECK(out.at("reason") == "waits for an answer");
  CHECK(out.at("description") == "d \"quoted\"");
  CHECK(out.at("maxParallel") == 4);
  CHECK(out.at("metadata") == json::parse(R"({"a/b": 1})"));
  CHECK(out.at("rootTaskId") == "task-root");
  CHECK(out.at("plans").at(0).at("reason") == "because");
  CHECK(out.at("plans").at(0).at("tasks").at(0).at("id") == "task-001.r2");
  CHECK(out.at("plans").at(0).at("tasks").at(1).at("dependencies").at(0) == "task-001.r2");
}

TEST_CASE("a task's metadata says where it belongs, and is read back", "[protocol][opt]") {
  plan_spec plan;
  plan.id = plan_id{"p"};
  plan.name = "P";
  plan.tasks.resize(2);
  plan.tasks.edit(0).id = task_id{"p.t0"};
  plan.tasks.edit(0).name = "first";
  auto& spec = plan.tasks.edit(1);
  spec.id = task_id{"p.t1"};
  spec.name = "second";
  spec.description = "D";
  spec.agent = "sleep";
  spec.input = {{"seconds", 0.5}};
  spec.dependencies = {"first", "other plan's"};
  spec.retry = {3, milliseconds{250}, milliseconds{60000}, 0.1};
  spec.timeout = milliseconds{1500};
  spec.metadata = {{"mine", 1}, {"changed", "spec"}};
  task record;
  record.id = task_id{"p.t1"};
  record.context = "o";
  record.agent = "sleep";
  record.attempt = 2;
  record.metadata = {{"changed", "record"}};
  const auto metadata = [&] {
    record.origin = {std::make_shared<const plan_spec>(plan), 0, 1};
    return written([&](json_writer& w) {
      w.begin_object();
      opt::write_task_metadata(w, record);
      w.end_object();
    });
  };

  CHECK(metadata().at("opt/v1/dependencies") == json::parse(R"(["first", "other plan's"])"));
  spec.dependency_indexes = {0, elsewhere};
  const auto out = metadata();
  CHECK(out
        == json::parse(R"({"opt/v1/objectiveId": "o", "opt/v1/planId": "p", "opt/v1/taskIndex": 1,
    "opt/v1/dependencies": ["p.t0", "other plan's"], "troupe/v1/name": "second", "troupe/v1/description": "D",
    "troupe/v1/agent": "sleep", "troupe/v1/attempts": 2, "troupe/v1/timeout": 1.5, "troupe/v1/input": {"seconds": 0.5},
    "troupe/v1/retry": {"maxAttempts": 3, "backoff": 0.25, "maxBackoff": 60, "jitter": 0.1}, "mine": 1})"));

  const auto again = opt::read_task({{"id", "p.t1"}, {"metadata", out}}, unknown_members::refuse);
  REQUIRE(again.has_value());
  CHECK(again->name == spec.name);
  CHECK(again->retry == spec.retry);
  CHECK(again->timeout == spec.timeout);
  CHECK(again->input == spec.input);
  CHECK(again->dependencies == std::vector<std::string>{"p.t0", "other plan's"});
}

TEST_CASE("a lone task has no metadata of a plan, and a plain one only what it needs",
          "[protocol][opt]") {
  const auto members = [](const task& record) {
    std::string text;
    json_writer out(text);
    opt::write_task_metadata(out, record);
    return text;
  };
  task lone;
  lone.agent = "echo";
  CHECK(members(lone).empty());
  plan_spec plan;
  plan.id = plan_id{"p"};
  plan.tasks.resize(1);
  plan.tasks.edit(0).name = "n";
  lone.context = "o";
  lone.attempt = 1;
  lone.origin = {std::make_shared<const plan_spec>(plan), 0, 0};
  CHECK(
      members(lone)
      == R"("opt/v1/objectiveId":"o","opt/v1/planId":"p","opt/v1/taskIndex":0,"troupe/v1/name":"n",)"
         R"("troupe/v1/agent":"echo","troupe/v1/attempts":1)");
}

TEST_CASE("a spec is written so that the reader gives the same spec, keys apart from ids included",
          "[protocol][opt]") {
  const auto same = [](const plan_spec& a, const plan_spec& b) {
    CHECK(a.id == b.id);
    CHECK(a.key == b.key);
    CHECK(a.metadata == b.metadata);
    REQUIRE(a.tasks.size() == b.tasks.size());
    for (std::size_t i = 0; i < a.tasks.size(); ++i) {
      CHECK(a.tasks[i].id == b.tasks[i].id);
      CHECK(a.tasks[i].key == b.tasks[i].key);
      CHECK(a.tasks[i].metadata == b.tasks[i].metadata);
    }
  };
  plan_spec plan;
  plan.id = plan_id{"o.p0"};
  plan.key = "research";
  plan.name = "P";
  plan.metadata = {{"a \"b\"", 1}};
  plan.tasks.resize(4);
  for (std::size_t i = 0; i < plan.tasks.size(); ++i)
    plan.tasks.edit(i).name = "t" + std::to_string(i);
  plan.tasks.edit(0).id = task_id{"o.p0.t0"}; // generated
  plan.tasks.edit(1).id = task_id{"mine"};
  plan.tasks.edit(1).key = "mine";
  plan.tasks.edit(2).id = task_id{"o.p0.t2"};
  plan.tasks.edit(2).key = "written";
  plan.tasks.edit(2).metadata = {{"x", nullptr}};
  const auto out = written([&](json_writer& w) { opt::write_spec(w, plan); });
  const auto again = opt::read_plan(out, unknown_members::refuse);
  REQUIRE(again.has_value());
  same(plan, *again);
}
