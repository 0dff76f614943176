#include "protocol/opt/wfformat.hpp"
#include "tests/protocol/plan_files.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <boost/json/parse.hpp>

#include <cstdlib>
#include <map>

using namespace troupe;
namespace json = boost::json;

namespace {

/// An instance with these task and execution lists.
std::string instance(std::string_view tasks, std::string_view executions) {
  return R"({"name": "w", "description": "d", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": )"
         + std::string(tasks) + R"(, "files": []}, "execution": {"makespanInSeconds": 9, "tasks": )"
         + std::string(executions) + "}}}";
}

constexpr auto two_tasks =
    R"([{"name": "A", "id": "a_1", "parents": [], "children": ["b_1"], "inputFiles": ["f"]},
                               {"name": "B", "id": "b_1", "parents": ["a_1"], "children": []}])";
constexpr auto two_runs =
    R"([{"id": "b_1", "runtimeInSeconds": 2}, {"id": "a_1", "runtimeInSeconds": 0.25, "avgCPU": 3}])";

error refused(const std::string& text) {
  const auto read = read_plan_document(text);
  INFO(text);
  REQUIRE_FALSE(read.has_value());
  return read.error();
}

} // namespace

TEST_CASE("a WfFormat instance becomes one plan of sleeps", "[protocol][wfformat]") {
  const auto read = read_plan_document(instance(two_tasks, two_runs));
  REQUIRE(read.has_value());
  CHECK(read->kind == document_kind::wfformat);
  CHECK(read->objective.name == "w");
  CHECK(read->objective.description == "d");
  REQUIRE(read->objective.plans.size() == 1);
  const auto& tasks = read->objective.plans[0]->tasks;
  REQUIRE(tasks.size() == 2);
  CHECK(tasks[0].key == "a_1");
  CHECK(tasks[0].id.empty()); // the same file can be run twice in one store
  CHECK(tasks[0].name == "A");
  CHECK(tasks[0].agent == "sleep");
  CHECK(tasks[0].input == json::object{{"seconds", 0.25}});
  CHECK(tasks[0].dependencies.empty());
  CHECK(tasks[1].input == json::object{{"seconds", 2.0}});
  CHECK(tasks[1].dependencies == std::vector<std::string>{"a_1"});
  CHECK(tasks[1].dependency_indexes == std::vector<std::uint32_t>{0});
}

TEST_CASE("an edge counts once, whichever side names it", "[protocol][wfformat]") {
  const auto edges = [](std::string_view a, std::string_view b) {
    const auto read = read_plan_document(
        instance(R"([{"id": "a", )" + std::string(a) + R"(}, {"id": "b", )" + std::string(b) + "}]",
                 R"([{"id": "a", "runtimeInSeconds": 1}, {"id": "b", "runtimeInSeconds": 1}])"));
    REQUIRE(read.has_value());
    return read->objective.plans[0]->tasks[1].dependencies;
  };
  const std::vector<std::string> once{"a"};
  CHECK(edges(R"("children": ["b"])", R"("parents": ["a"])") == once);
  CHECK(edges(R"("children": ["b", "b"])", R"("parents": [])") == once);
  CHECK(edges(R"("name": "")", R"("parents": ["a", "a"])") == once);
}

TEST_CASE("a fault of a WfFormat instance is named with its place", "[protocol][wfformat]") {
  struct row {
    const char* tasks;
    const char* executions;
    errc code;
    const char* field;
    const char* message;
  };
  const auto [tasks, executions, code, field, message] = GENERATE(values<row>({
      {R"([{"id": "a"}])", "[]", errc::invalid_document, "/workflow/specification/tasks/0",
       R"(task "a" has no runtime)"},
      {R"([{"id": "a"}])", R"([{"id": "a"}])", errc::invalid_document,
       "/workflow/execution/tasks/0", R"(task "a" has no "runtimeInSeconds")"},
      {R"([{"id": "a"}])", R"([{"id": "a", "runtimeInSeconds": -1}])", errc::invalid_document,
       "/workflow/execution/tasks/0/runtimeInSeconds", "found the number -1"},
      {R"([{"id": "a"}])", R"([{"id": "a", "runtimeInSeconds": "1"}])", errc::invalid_document,
       "/workflow/execution/tasks/0/runtimeInSeconds", R"(found the string "1")"},
      {R"([{"id": "a"}])",
       R"([{"id": "a", "runtimeInSeconds": 1}, {"id": "a", "runtimeInSeconds": 1}])",
       errc::duplicate_id, "/workflow/execution/tasks/1/id", "two executions"},
      {R"([{"id": "a"}, {"id": "a"}])", "[]", errc::duplicate_id,
       "/workflow/specification/tasks/1/id", R"(the id "a")"},
      {R"([{"name": "a"}])", "[]", errc::invalid_document, "/workflow/specification/tasks/0",
       R"("id" is missing)"},
      {R"([{"id": "a", "parents": ["b"]}])", R"([{"id": "a", "runtimeInSeconds": 1}])",
       errc::unknown_dependency, "/workflow/specification/tasks/0/parents/0",
       R"(no task has the id "b")"},
      {R"([{"id": "a", "children": ["b"]}])", R"([{"id": "a", "runtimeInSeconds": 1}])",
       errc::unknown_dependency, "/workflow/specification/tasks/0/children/0",
       R"(no task has the id "b")"},
      {R"([{"id": "a", "parents": "b"}])", R"([{"id": "a", "runtimeInSeconds": 1}])",
       errc::invalid_document, "/workflow/specification/tasks/0/parents", "an array of strings"},
      {"[1]", "[]", errc::invalid_document, "/workflow/specification/tasks/0",
       "a task must be an object"},
      {R"({"a": 1})", "[]", errc::invalid_document, "/workflow/specification/tasks",
       "an array of tasks"},
      {R"([{"id": "a"}])", "[[]]", errc::invalid_document, "/workflow/execution/tasks/0",
       "a task must be an object"},
      {"[]", "[]", errc::invalid_document, "/workflow/specification/tasks", "no tasks"},
  }));
  const auto cause = refused(instance(tasks, executions));
  CHECK(cause.code == code);
  CHECK(cause.field == field);
  CHECK_THAT(cause.message, ContainsSubstring(message));
  CHECK_THAT(cause.message, ContainsSubstring("line 1 (" + cause.field + "): "));
}

TEST_CASE("an instance of another version or without its parts is refused clearly",
          "[protocol][wfformat]") {
  CHECK_THAT(refused(R"({"schemaVersion": "1.4", "workflow": {"tasks": []}})").message,
             ContainsSubstring(R"(WfFormat 1.5 is supported, found the string "1.4")"));
  CHECK_THAT(refused(R"({"schemaVersion": "1.5", "workflow": {}})").message,
             ContainsSubstring(R"("specification" is missing)"));
  CHECK_THAT(
      refused(R"({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": []}}})").message,
      ContainsSubstring(R"("execution" is missing)"));
  CHECK_THAT(refused(R"({"schemaVersion": "1.5", "workflow": 3})").message,
             ContainsSubstring("must be an object"));
  CHECK_THAT(
      refused(
          R"({"schemaVersion": "1.5", "workflow": {"specification": {}, "execution": {"tasks": []}}})")
          .message,
      ContainsSubstring(R"("tasks" is missing)"));
}

TEST_CASE("tasks that were executed outside the workflow are left out", "[protocol][wfformat]") {
  const auto read = read_plan_document(
      instance(R"([{"id": "a"}])",
               R"([{"id": "setup", "runtimeInSeconds": 99}, {"id": "a", "runtimeInSeconds": 1}])"));
  REQUIRE(read.has_value());
  CHECK(read->objective.plans[0]->tasks.size() == 1);
}

TEST_CASE("published WfFormat instances are read as they are", "[protocol][wfformat]") {
  const auto* folder = std::getenv("TROUPE_WORKLOADS");
  if (folder == nullptr) {
    WARN("skipped: TROUPE_WORKLOADS names no folder with wfformat/*.json");
    return;
  }
  const auto files = test::json_files(std::filesystem::path(folder) / "wfformat");
  REQUIRE_FALSE(files.empty());
  for (const auto& file : files) {
    CAPTURE(file.string());
    const auto text = test::read_file(file);
    const auto read = read_plan_document(text);
    INFO((read ? std::string{} : read.error().message));
    REQUIRE(read.has_value());
    CHECK(read->kind == document_kind::wfformat);
    const auto raw = json::parse(text);
    double runtime = 0;
    for (const auto& task : raw.at("workflow").at("execution").at("tasks").as_array())
      runtime += task.at("runtimeInSeconds").to_number<double>();
    std::map<std::string, std::size_t> parents;
    for (const auto& task : raw.at("workflow").at("specification").at("tasks").as_array())
      parents[std::string(task.at("id").as_string())] = task.at("parents").as_array().size();
    const auto& tasks = read->objective.plans.at(0)->tasks;
    CHECK(tasks.size() == parents.size());
    double seconds = 0;
    for (const auto& task : tasks) {
      seconds += task.input.at("seconds").to_number<double>();
      CHECK(task.dependencies.size() == parents.at(task.key));
    }
    CHECK(seconds == Approx(runtime));
  }
}
