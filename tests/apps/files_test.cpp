// Plan files and where their records go.
#include "apps/open_store.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/text_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/agents/register_builtin.hpp>

#include <boost/json/serialize.hpp>

#include <filesystem>

using namespace troupe;
using namespace troupe::testing;

namespace {

std::string refusal(const std::string& text) {
  const temporary_directory place;
  agent_registry agents;
  register_builtin_agents(agents);
  const auto file = read_plan_file(place.file("plan.json", text));
  if (!file)
    return file.error().message;
  const auto checked = check_plan_file(*file, agents);
  return checked ? "valid" : checked.error().message;
}

} // namespace

TEST_CASE("a mistake in a file is reported with its name and the line", "[apps][files]") {
  CHECK(refusal(R"({"name": "n", "plans": [{"name": "p", "tasks": [{"name": "t"}]}]})") == "valid");
  CHECK_THAT(refusal("{\"name\": \"n\",\n\"plans\": [\n{\"name\": \"p\", \"tasks\": []}]}"),
             ContainsSubstring("plan.json: line 3 (/plans/0/tasks): plan \"p\" has no tasks"));
  CHECK_THAT(refusal(R"({"name": "n", "plans": []})"), ContainsSubstring("no plan"));
  CHECK_THAT(refusal("{\"name\": \"n\", \"plans\": [{\"name\": \"p\", \"tasks\": [\n{\"name\": "
                     "\"t\", \"agent\": \"nobody\"}]}]}"),
             ContainsSubstring("plan.json: line 2 (/plans/0/tasks/0/agent): "));
  CHECK_THAT(
      refusal(
          R"({"name": "n", "plans": [{"name": "p", "tasks": [{"name": "a", "dependencies": ["b"]},
                                                                          {"name": "b", "dependencies": ["a"]}]}]})"),
      ContainsSubstring("cycle"));
  CHECK_THAT(refusal("{\"name\": \"n\", \"tasks\": [\n{\"name\": \"fetch\"},\n{\"name\": \"t\", "
                     "\"dependencies\": [\"fecth\"]}]}"),
             ContainsSubstring(
                 "plan.json: line 3 (/tasks/1/dependencies/0): task \"t\" depends on \"fecth\"")
                 && ContainsSubstring("did you mean \"fetch\"?"));
  CHECK_THAT(refusal(R"({"name": "n", "tasks": [{"name": "t", "agent": "ecoh"}]})"),
             ContainsSubstring("plan.json: line 1 (/tasks/0/agent): task \"t\": no agent is named "
                               "\"ecoh\"; did you mean \"echo\"?"));
  CHECK_THAT(refusal("not json"), ContainsSubstring("plan.json: "));
  CHECK_THAT(refusal(""), ContainsSubstring("plan.json: "));
}

TEST_CASE("a plan may be YAML, by its ending or its text", "[apps][files]") {
  const temporary_directory place;
  const std::string yaml = "name: n\ntasks:\n  - name: a\n    agent: echo\n    input: {text: no}\n";
  const std::string json = R"({"name": "n", "tasks": [{"name": "a", "input": {"text": "no"}}]})";
  for (const auto& [name, text] : {std::pair{"plan.yaml", yaml},
                                   {"plan.yml", yaml},
                                   {"plan", yaml},
                                   {"plan.txt", yaml},
                                   {"other.yaml", json},
                                   {"other", "\xef\xbb\xbf\n" + json}}) {
    INFO(name);
    const auto file = read_plan_file(place.file(name, text));
    REQUIRE(file.has_value());
    REQUIRE(file->objective.plans.size() == 1);
    CHECK(file->objective.plans[0]->tasks[0].input.at("text") == "no");
  }
  const auto refused = read_plan_file(place.file("plan.json", yaml));
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().message, ContainsSubstring("not valid JSON"));
}

TEST_CASE("a mistake in a YAML file is reported with its name and the line", "[apps][files]") {
  const temporary_directory place;
  agent_registry agents;
  register_builtin_agents(agents);
  const auto refusal_of = [&](const std::string& text) {
    const auto file = read_plan_file(place.file("plan.yaml", text));
    if (!file)
      return file.error().message;
    const auto checked = check_plan_file(*file, agents);
    return checked ? "valid" : checked.error().message;
  };
  CHECK_THAT(refusal_of("name: n\ntasks:\n  - name: t\n    agnet: echo\n"),
             ContainsSubstring("plan.yaml: line 4 (/tasks/0/agnet): ")
                 && ContainsSubstring("did you mean \"agent\"?"));
  CHECK_THAT(refusal_of("name: n\ntasks:\n  - name: t\n    agent: ecoh\n"),
             ContainsSubstring("plan.yaml: line 4 (/tasks/0/agent): ")
                 && ContainsSubstring("did you mean \"echo\"?"));
  CHECK_THAT(refusal_of("name: n\ntasks: [\n"), ContainsSubstring("plan.yaml: line "));
  CHECK_THAT(refusal_of("- 1\n"), ContainsSubstring("plan.yaml: line 1: a plan document must be"));
}

TEST_CASE("a file that cannot be read is named with the reason", "[apps][files]") {
  const auto missing = read_plan_file("/nonexistent/plan.json");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().message
        == "/nonexistent/plan.json: cannot be opened: No such file or directory");
  const auto folder = read_plan_file("/");
  REQUIRE_FALSE(folder.has_value());
  CHECK(folder.error().message == "/: cannot be read: Is a directory");
}

TEST_CASE("a text file is read whole, or refused with the reason", "[apps][files]") {
  const temporary_directory place;
  CHECK(read_text(place.file("empty", "")).value().empty());
  const auto file = place.file("long", std::string(100'000, 'x'));
  CHECK(read_text(file).value() == std::string(100'000, 'x'));
  const auto folder = read_text(place.path());
  REQUIRE_FALSE(folder.has_value());
  CHECK_THAT(folder.error().message, EndsWith(": cannot be read: Is a directory"));
  CHECK(read_text(file, 100'000).has_value());
  const auto too_long = read_text("/dev/zero", 100'000);
  REQUIRE_FALSE(too_long.has_value());
  CHECK(too_long.error().code == errc::limit_exceeded);
}

TEST_CASE("ids of a file are local: cleared, while keys stay", "[apps][files]") {
  const temporary_directory place;
  auto file = read_plan_file(place.file(
      "p.json",
      R"({"id": "o", "name": "n", "plans": [{"id": "p", "name": "p", "tasks": [{"id": "t", "name": "t"}]}]})"));
  REQUIRE(file.has_value());
  [[maybe_unused]] const auto* plan = file->objective.plans[0].get();
  make_ids_local(file->objective);
#if !defined(__SANITIZE_THREAD__) // there every changed value is copied (unshared.hpp)
  CHECK(file->objective.plans[0].get() == plan);
#endif
  CHECK(file->objective.id.empty());
  CHECK(file->objective.plans[0]->id.empty());
  CHECK(file->objective.plans[0]->key == "p");
  CHECK(file->objective.plans[0]->tasks[0].id.empty());
  CHECK(file->objective.plans[0]->tasks[0].key == "t");
}

TEST_CASE("the directory of a command is meant from the file", "[apps][files]") {
  agent_registry agents;
  register_own_agents(agents);
  const auto placed = [&](const std::string& task, const std::string& path) {
    const temporary_directory place;
    auto file = read_plan_file(
        place.file("p.json", R"({"name": "n", "tasks": [{"name": "t", )" + task + "}]}"));
    REQUIRE(file.has_value());
    place_commands(*file, path, agents);
    return std::string(file->objective.plans[0]->tasks[0].input.at("cwd").as_string());
  };
  const auto command = [](const std::string& cwd) {
    return R"("agent": "command", "input": {"argv": ["ls"], "cwd": ")" + cwd + "\"}";
  };
  CHECK(placed(command("src"), "/a/b/plan.json") == "/a/b/src");
  CHECK(placed(command("../src"), "/a/b/plan.json") == "/a/src");
  CHECK(placed(command("/src"), "/a/b/plan.json") == "/src");
  CHECK(placed(command("src"), "-") == (std::filesystem::current_path() / "src").string());
  CHECK(placed(command("${tasks.x.artifacts[0].text}"), "/a/plan.json")
        == "${tasks.x.artifacts[0].text}");
  CHECK(placed(R"("agent": "echo", "input": {"cwd": "src"})", "/a/plan.json") == "src");
}

TEST_CASE("the variables of a file are those of its commands, whose own go first",
          "[apps][files]") {
  const temporary_directory place;
  agent_registry agents;
  register_own_agents(agents);
  auto file = read_plan_file(place.file("p.json", R"({
    "name": "n", "env": {"A": "all", "N": 3, "T": true}, "tasks": [
      {"name": "none", "agent": "command", "input": {"argv": ["env"]}},
      {"name": "own", "agent": "command", "input": {"argv": ["env"], "env": {"A": "mine", "B": "b"}}},
      {"name": "other", "agent": "echo", "input": {"text": "x"}}]})"));
  REQUIRE(file.has_value());
  place_commands(*file, "/a/p.json", agents);
  CHECK(check_plan_file(*file, agents).has_value());
  const auto& tasks = file->objective.plans[0]->tasks;
  const auto env_of = [&](std::size_t task) {
    return boost::json::serialize(tasks[task].input.at("env"));
  };
  CHECK(env_of(0) == R"({"A":"all","N":"3","T":"true"})");
  CHECK(env_of(1) == R"({"A":"mine","B":"b","N":"3","T":"true"})");
  CHECK_FALSE(tasks[2].input.contains("env"));
}
