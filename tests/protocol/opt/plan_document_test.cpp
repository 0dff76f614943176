#include "protocol/opt/codec_opt.hpp"
#include "tests/protocol/json_schema.hpp"
#include "tests/protocol/plan_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <map>
#include <random>
#include <set>

using namespace troupe;
using opt::member_of;
namespace json = boost::json;

namespace {

error refused(std::string_view text) {
  const auto read = read_plan_document(text);
  INFO(text.substr(0, 200));
  REQUIRE_FALSE(read.has_value());
  return read.error();
}

const json::value& schema() {
  static const auto value = json::parse(test::read_file(
      std::filesystem::path(troupe::testing::source_dir()) / "docs" / "plan.schema.json"));
  return value;
}

std::string nested(std::size_t levels) {
  return R"({"name": "n", "tasks": [{"name": "t", "input": {"x": )" + std::string(levels, '[')
         + std::string(levels, ']') + "}}]}";
}

/// What the tasks' dependencies lead to inside one objective: a name of any kind to numbers of
/// tasks. Written plainly, to check the scenarios without the executor.
class plain_resolver {
public:
  explicit plain_resolver(const objective_spec& objective) : objective_(objective) {
    for (const auto& plan : objective.plans)
      for (const auto& task : plan->tasks) {
        const auto number = total_++;
        if (!task.key.empty())
          found_[task.key].insert(number);
        if (task.key != task.name)
          found_[task.name].insert(number);
      }
  }

  /// Kahn's algorithm; false if something is left over. Fails the test for a name that leads to no
  /// task or to several.
  bool ends() {
    std::vector<std::vector<std::size_t>> dependents(total_);
    std::vector<std::size_t> waits(total_);
    std::size_t number = 0;
    std::size_t first = 0;
    for (const auto& plan : objective_.plans) {
      for (const auto& task : plan->tasks) {
        for (const auto& name : task.dependencies) {
          dependents[target(name, first, plan->tasks.size())].push_back(number);
          ++waits[number];
        }
        ++number;
      }
      first += plan->tasks.size();
    }
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < total_; ++i)
      if (waits[i] == 0)
        ready.push_back(i);
    std::size_t done = 0;
    for (; done < ready.size(); ++done)
      for (const auto dependent : dependents[ready[done]])
        if (--waits[dependent] == 0)
          ready.push_back(dependent);
    return done == total_;
  }

private:
  std::size_t target(const std::string& name, std::size_t first, std::size_t size) {
    CAPTURE(name);
    if (const auto at = found_.find(name); at != found_.end()) {
      REQUIRE(at->second.size() == 1);
      return *at->second.begin();
    }
    REQUIRE(name.starts_with("task-"));
    const auto position = std::stoul(name.substr(5));
    REQUIRE(position < size);
    return first + position;
  }

  const objective_spec& objective_;
  std::size_t total_ = 0;
  std::map<std::string, std::set<std::size_t>> found_;
};

} // namespace

TEST_CASE("a plan document is an objective, or a bare plan that becomes one",
          "[protocol][document]") {
  const auto objective =
      read_plan_document(R"({"name": "o", "plans": [{"name": "p", "tasks": [{"name": "t"}]}]})");
  REQUIRE(objective.has_value());
  CHECK(objective->kind == document_kind::opt);
  CHECK(objective->objective.name == "o");
  const auto plan = read_plan_document(
      R"({"$schema": "s", "id": "i", "name": "p", "description": "d", "metadata": {"m": 1}, "tasks": [{"name": "t"}]})");
  REQUIRE(plan.has_value());
  CHECK(plan->objective.name == "p");
  CHECK(plan->objective.description == "d");
  CHECK(plan->objective.metadata == json::object{{"m", 1}});
  REQUIRE(plan->objective.plans.size() == 1);
  CHECK(plan->objective.plans[0]->key == "i");
  CHECK(plan->objective.plans[0]->tasks.size() == 1);
}

TEST_CASE("a byte order mark and white space around the document are tolerated",
          "[protocol][document]") {
  CHECK(read_plan_document(
            "\xef\xbb\xbf\r\n\t {\"name\": \"p\", \"tasks\": [{\"name\": \"t\"}]} \n\n")
            .has_value());
  CHECK_THAT(refused("\xef\xbb\xbf{\"name\": \"p\",\n \"tasks\": [{\"nam\": \"t\"}]}").message,
             ContainsSubstring("line 2 (/tasks/0/nam)"));
}

TEST_CASE("an error in a file names line, pointer and what was probably meant",
          "[protocol][document]") {
  const auto cause = refused(R"({
  "name": "o",
  "plans": [
    {
      "name": "p",
      "tasks": [
        {"name": "a"},
        {"name": "b"},
        {"name": "c"},
        {
          "name": "d",
          "agnet": "sleep"
        }
      ]
    }
  ]
})");
  CHECK(cause.code == errc::invalid_document);
  CHECK(cause.field == "/plans/0/tasks/3/agnet");
  CHECK(cause.message
        == R"(line 12 (/plans/0/tasks/3/agnet): unknown member "agnet"; did you mean "agent"?)");
}

TEST_CASE("text that is not JSON is refused with line and column", "[protocol][document]") {
  struct row {
    std::string text;
    const char* message;
  };
  const auto [text, message] = GENERATE(values<row>({
      {"", "the document is empty"},
      {" \n\t\r\n", "the document is empty"},
      {"\xef\xbb\xbf", "the document is empty"},
      {"{\"name\": \"a\",\n  \"tasks\": [1, 2,],\n}",
       "line 2, column 18: not valid JSON: a comma before \"]\" is not allowed"},
      {"{\"name\": \"a\",\n}",
       "line 2, column 1: not valid JSON: a comma before \"}\" is not allowed"},
      {"{'name': 1}", "line 1, column 2: not valid JSON: strings stand in double quotes"},
      {"{\"name\" 1}", "line 1, column 9: not valid JSON: unexpected 1"},
      {"{\"name\": \"a\" \"tasks\": []}", "line 1, column 14: not valid JSON: unexpected \"; is a "
                                          "comma or a colon missing before it?"},
      {"// hello\n{}", "line 1, column 1: not valid JSON: comments are not allowed"},
      {"{\"a\": \"x\ny\"}",
       "line 1, column 9: not valid JSON: a string must end on the line it begins on"},
      {"{\"a\": \"x\ty\"}",
       "line 1, column 9: not valid JSON: a control character must be escaped"},
      {"{\"name\": \"a\", \"tasks\": [",
       "line 1, column 25: not valid JSON: the text ends in the middle"},
      {"{}\n{}",
       "line 2, column 1: not valid JSON: something follows after the end of the document"},
      {"{} x", "line 1, column 4: not valid JSON: something follows"},
      {"{\"a\": nul}", "not valid JSON"},
      {"{\n\"a\": 1e400}", "line 2, column 11: a number is out of range"},
      {"{\"a\": 01}", "not valid JSON"},
      {"{\"a\": \"\\x\"}", "not valid JSON"},
      {"{\"a\": \"\\ud800\"}", "not valid JSON"},
      {"{\"a\": \xe2\x82\xac}", "line 1, column 7: not valid JSON: unexpected \xe2\x82\xac"},
      {"{\"n\": \"\xc3\xa9\xff\"}", "line 1, column 9: not valid UTF-8"},
      {std::string("{\"a\": 1}\0", 9), "line 1, column 9"},
      {"{\"name\": \"a\",\n \"tasks\": [],\n \"name\": \"b\"}",
       "line 3, column 2: \"name\" appears twice in one object"},
  }));
  const auto cause = refused(text);
  CAPTURE(text);
  CHECK(cause.code == errc::parse_error);
  CHECK_THAT(cause.message, ContainsSubstring(message));
}

TEST_CASE("deep nesting is refused by its limit and does not overflow the stack",
          "[protocol][document]") {
  CHECK(read_plan_document(nested(90)).has_value());
  for (const std::size_t levels : {100, 10'000, 1'000'000}) {
    const auto cause = refused(nested(levels));
    CHECK(cause.code == errc::parse_error);
    CHECK_THAT(cause.message, ContainsSubstring("nested deeper than 100 levels"));
  }
  CHECK_THAT(refused(std::string(1'000'000, '[')).message,
             ContainsSubstring("nested deeper than 100 levels"));
}

TEST_CASE("JSON that is no plan is refused with what would be one", "[protocol][document]") {
  CHECK_THAT(refused("[]").message,
             ContainsSubstring("line 1: a plan document must be an object, found an empty array"));
  CHECK_THAT(refused("3").message, ContainsSubstring("found the number 3"));
  CHECK_THAT(
      refused("{}").message,
      ContainsSubstring(R"(neither a plan document ("plans", or "tasks" for a single plan))"));
  CHECK_THAT(refused(R"({"name": "o"})").message, ContainsSubstring("there is nothing to do"));
  CHECK_THAT(refused(R"({"name": "o", "plans": []})").message,
             ContainsSubstring("there is nothing to do"));
  CHECK_THAT(refused(R"({"name": "p", "tasks": []})").message,
             ContainsSubstring(R"(plan "p" has no tasks)"));
  CHECK_THAT(refused(R"({"name": "o", "plans": [{"name": "p"}]})").message,
             ContainsSubstring(R"(line 1 (/plans/0/tasks): plan "p" has no tasks)"));
  CHECK_THAT(refused(R"({"name": "o", "plans": [], "tasks": []})").message,
             ContainsSubstring("it belongs to a plan"));
  CHECK_THAT(refused(R"({"tasks": [{"name": "t"}]})").message,
             ContainsSubstring(R"(line 1: "name" is missing)"));
}

TEST_CASE("no beginning of a valid document and no single wrong byte does harm",
          "[protocol][document]") {
  const auto text = test::read_file(std::filesystem::path(troupe::testing::source_dir())
                                    / "scenarios" / "alternatives.json");
  REQUIRE(read_plan_document(text).has_value());
  const auto end = text.find_last_of('}');
  for (std::size_t size = 0; size <= end; ++size)
    CHECK_FALSE(read_plan_document(std::string_view(text).substr(0, size)).has_value());
  std::mt19937 random(20260203);
  for (int i = 0; i < 4000; ++i) {
    auto wrong = text;
    wrong[random() % wrong.size()] = static_cast<char>(random() % 256);
    const auto read = read_plan_document(wrong);
    if (!read) {
      CHECK_FALSE(read.error().message.empty());
      CHECK_THAT(read.error().message, ContainsSubstring("line "));
    }
  }
}

// -- the schema -----------------------------------------------------------------------------------

TEST_CASE("the published schema knows the reader's members and no others", "[protocol][document]") {
  const std::map<const char*, member_of> parts{{"objective", member_of::objective},
                                               {"plan", member_of::plan},
                                               {"task", member_of::task},
                                               {"retry", member_of::retry}};
  for (const auto& [name, part] : parts) {
    const auto& definition = schema().at("$defs").at(name).as_object();
    CAPTURE(name);
    std::set<std::string> written;
    for (const auto& member : definition.at("properties").as_object())
      written.emplace(member.key());
    written.erase("params"); // taken out of the file before the reader sees it (plan_params.hpp)
    written.erase("env");
    const auto known = opt::known_members(part);
    CHECK(written == std::set<std::string>(known.begin(), known.end()));
    CHECK(definition.at("additionalProperties") == false);
  }
}

TEST_CASE("reader and schema give the same verdict", "[protocol][document]") {
  struct row {
    const char* pointer; // in the document below
    const char* value;   // put there; empty: the member is taken out
  };
  const auto [pointer, value] = GENERATE(values<row>({
      {"/name", ""},
      {"/name", "5"},
      {"/name", R"("")"},
      {"/name", R"("a\u0007")"},
      {"/name", "null"},
      {"/plans", ""},
      {"/plans", "[]"},
      {"/plans", "{}"},
      {"/plans/0", "1"},
      {"/plnas", "1"},
      {"/id", R"("x")"},
      {"/id", R"("a/b")"},
      {"/id", "1"},
      {"/description", R"("a\nb")"},
      {"/description", "1"},
      {"/maxParallel", "0"},
      {"/maxParallel", "3.0"},
      {"/maxParallel", "-1"},
      {"/maxParallel", "4294967295"},
      {"/maxParallel", "4294967296"},
      {"/maxParallel", R"("2")"},
      {"/metadata", "{}"},
      {"/metadata", "[]"},
      {"/metadata", R"({"troupe/v1/key": 7})"},
      {"/status", "7"},
      {"/createdAt", R"("now")"},
      {"/tasks", "[]"},
      {"/plans/0/name", ""},
      {"/plans/0/tasks", ""},
      {"/plans/0/tasks", "[]"},
      {"/plans/0/onFailure", R"("continue")"},
      {"/plans/0/onFailure", R"("stop")"},
      {"/plans/0/onFailure", "true"},
      {"/plans/0/alternatives", R"(["x", 1])"},
      {"/plans/0/alternatives", R"("x")"},
      {"/plans/0/dependencies", "[-1]"},
      {"/plans/0/dependencies", "[1.0]"},
      {"/plans/0/dependencies", "[4294967296]"},
      {"/plans/0/maxParallel", "1"},
      {"/plans/0/objectiveId", "[]"},
      {"/plans/0/metadata", R"({"troupe/v1/key": ""})"},
      {"/plans/0/metadata", R"({"troupe/v1/key": "a/b"})"},
      {"/plans/0/tasks/0/name", ""},
      {"/plans/0/tasks/0/name", R"("")"},
      {"/plans/0/tasks/0/id", R"("")"},
      {"/plans/0/tasks/0", R"({"id": "only"})"},
      {"/plans/0/tasks/0", R"({"id": "x", "name": ""})"},
      {"/plans/0/tasks/0", R"({"metadata": {"troupe/v1/name": "only"}})"},
      {"/plans/0/tasks/0", "{}"},
      {"/plans/0/tasks/0", R"({"metadata": {"troupe/v1/name": ""}})"},
      {"/plans/0/tasks/0/agent", "{}"},
      {"/plans/0/tasks/0/agent", R"("sleep")"},
      {"/plans/0/tasks/0/input", R"({"a": [null]})"},
      {"/plans/0/tasks/0/input", "[]"},
      {"/plans/0/tasks/0/dependencies", R"(["a", 0, "task-1"])"},
      {"/plans/0/tasks/0/dependencies", R"([""])"},
      {"/plans/0/tasks/0/dependencies", R"(["a\n"])"},
      {"/plans/0/tasks/0/dependencies", "[true]"},
      {"/plans/0/tasks/0/timeout", "0"},
      {"/plans/0/tasks/0/timeout", "-0.1"},
      {"/plans/0/tasks/0/timeout", "315360000"},
      {"/plans/0/tasks/0/timeout", "315360001"},
      {"/plans/0/tasks/0/timeout", R"("1s")"},
      {"/plans/0/tasks/0/retry", "{}"},
      {"/plans/0/tasks/0/retry", "3"},
      {"/plans/0/tasks/0/retry",
       R"({"maxAttempts": 1000, "backoff": 0.5, "maxBackoff": 9, "jitter": 1})"},
      {"/plans/0/tasks/0/retry", R"({"maxAttempts": 1001})"},
      {"/plans/0/tasks/0/retry", R"({"maxAttempts": 1.5})"},
      {"/plans/0/tasks/0/retry", R"({"jitter": 1.5})"},
      {"/plans/0/tasks/0/retry", R"({"backoff": null})"},
      {"/plans/0/tasks/0/retry", R"({"tries": 2})"},
      {"/plans/0/tasks/0/kind", "1"},
      {"/plans/0/tasks/0/status", "{}"},
      {"/plans/0/tasks/0/metadata", R"({"opt/v1/dependencies": ["x"], "opt/v1/taskIndex": 0})"},
      {"/plans/0/tasks/0/metadata", R"({"opt/v1/dependencies": 1})"},
      {"/plans/0/tasks/0/metadata", R"({"opt/v1/taskIndex": -1})"},
      {"/plans/0/tasks/0/metadata", R"({"troupe/v1/agent": 1})"},
      {"/plans/0/tasks/0/metadata", R"({"troupe/v1/retry": {"x": 1}})"},
      {"/plans/0/tasks/0/metadata", R"({"troupe/v1/timeout": -1})"},
      {"/plans/0/tasks/0/maxAttempts", "2"},
  }));
  auto document =
      json::parse(R"({"name": "o", "plans": [{"name": "p", "tasks": [{"name": "t"}]}]})");
  REQUIRE(test::conforms(document, schema()));
  const std::string path = pointer;
  const auto slash = path.find_last_of('/');
  boost::system::error_code ec;
  auto* parent = document.find_pointer(path.substr(0, slash), ec);
  REQUIRE(parent != nullptr);
  if (parent->is_array())
    parent->as_array().at(std::stoul(path.substr(slash + 1))) = json::parse(value);
  else if (std::string_view(value).empty())
    parent->as_object().erase(path.substr(slash + 1));
  else
    parent->as_object()[path.substr(slash + 1)] = json::parse(value);
  const auto text = json::serialize(document);
  CAPTURE(text);
  CHECK(read_plan_document(text).has_value() == test::conforms(document, schema()));
}

// -- the scenarios --------------------------------------------------------------------------------

TEST_CASE("every scenario is a valid plan document that can end",
          "[protocol][document][scenarios]") {
  const auto files = test::scenario_files();
  std::set<std::string> names;
  for (const auto& file : files) {
    names.insert(file.stem().string());
    CAPTURE(file.stem().string());
    const auto text = test::read_file(file);
    const auto read = read_plan_document(text);
    INFO((read ? std::string{} : read.error().message));
    REQUIRE(read.has_value());
    CHECK(test::conforms(json::parse(text), schema()));
    CHECK(plain_resolver(read->objective).ends());
    for (const auto& plan : read->objective.plans)
      for (const auto& other : {plan->dependencies, plan->alternatives})
        for (const auto& name : other)
          CHECK(std::any_of(
              read->objective.plans.begin(), read->objective.plans.end(),
              [&](const auto& candidate) { return candidate->name == name && candidate != plan; }));
  }
  for (const auto expected :
       {"alternatives", "blog-post", "cancel-midway", "database-migration", "deep-chain-1000",
        "demo", "diamond-lattice", "fan-out-1000", "flaky", "travel"})
    CHECK(names.contains(expected));
}

TEST_CASE("every scenario says what it is and how it ends", "[protocol][document][scenarios]") {
  for (const auto& file : test::scenario_files()) {
    CAPTURE(file.stem().string());
    const auto read = read_plan_document(test::read_file(file));
    REQUIRE(read.has_value());
    const auto& scenario = read->objective.metadata.at("scenario").as_object();
    const std::set<std::string> known{"description", "expect", "answers", "cancelAfter",
                                      "timeScale"};
    for (const auto& member : scenario)
      CHECK(known.contains(std::string(member.key())));
    CHECK_FALSE(scenario.at("description").as_string().empty());
    const auto& expect = scenario.at("expect").as_object();
    const auto status = objective_state_from(expect.at("status").as_string());
    REQUIRE(status);
    CHECK(is_settled(*status));
    std::size_t tasks = 0;
    std::size_t plain_tasks = 0; // in plans that are no alternatives
    std::set<std::string> alternatives;
    for (const auto& plan : read->objective.plans)
      alternatives.insert(plan->alternatives.begin(), plan->alternatives.end());
    for (const auto& plan : read->objective.plans) {
      tasks += plan->tasks.size();
      plain_tasks += alternatives.contains(plan->name) ? 0 : plan->tasks.size();
    }
    std::size_t expected = 0;
    for (const auto& [state, count] : expect.at("tasks").as_object()) {
      const auto named = task_state_from(state);
      REQUIRE(named);
      CHECK(is_terminal(*named));
      expected += count.to_number<std::size_t>();
    }
    CHECK(expected <= tasks);
    if (*status == objective_state::completed && alternatives.empty())
      CHECK(expected == plain_tasks);
    if (const auto* plans = expect.if_contains("plans"))
      for (const auto& [name, state] : plans->as_object())
        CHECK(plan_state_from(state.as_string()).has_value());
    std::size_t questions = 0;
    for (const auto& plan : read->objective.plans)
      for (const auto& task : plan->tasks)
        questions += json::serialize(task.input).find("{\"ask\":") != std::string::npos;
    CHECK(questions
          == (scenario.contains("answers") ? scenario.at("answers").as_object().size() : 0));
  }
}

TEST_CASE("a scenario's task depends on the tasks to which it refers",
          "[protocol][document][scenarios]") {
  std::size_t seen = 0;
  for (const auto& file : test::scenario_files()) {
    const auto read = read_plan_document(test::read_file(file));
    REQUIRE(read.has_value());
    for (const auto& plan : read->objective.plans)
      for (const auto& task : plan->tasks) {
        const auto input = json::serialize(task.input);
        constexpr std::string_view opening = R"(${tasks[\")";
        for (auto at = input.find(opening); at != std::string::npos; at = input.find(opening, at)) {
          at += opening.size();
          const auto name = input.substr(at, input.find('\\', at) - at);
          CAPTURE(file.stem().string(), task.name, name);
          CHECK(std::find(task.dependencies.begin(), task.dependencies.end(), name)
                != task.dependencies.end());
          ++seen;
        }
      }
  }
  CHECK(seen > 5);
}

TEST_CASE("a document that was read, written and read again is the same",
          "[protocol][document][scenarios]") {
  for (const auto& file : test::scenario_files()) {
    CAPTURE(file.stem().string());
    const auto first = read_plan_document(test::read_file(file));
    REQUIRE(first.has_value());
    const auto write = [](const objective_spec& objective) {
      std::string text;
      json_writer out(text);
      opt::write_spec(out, objective);
      return text;
    };
    const auto text = write(first->objective);
    const auto second = opt::read_objective(json::parse(text), opt::unknown_members::refuse);
    REQUIRE(second.has_value());
    CHECK(write(*second) == text);
    REQUIRE(second->plans.size() == first->objective.plans.size());
    for (std::size_t p = 0; p < second->plans.size(); ++p) {
      const auto& a = *first->objective.plans[p];
      const auto& b = *second->plans[p];
      CHECK((a.name == b.name && a.dependencies == b.dependencies
             && a.alternatives == b.alternatives && a.failure == b.failure
             && a.parallel_max == b.parallel_max && a.tasks.size() == b.tasks.size()));
      for (std::size_t t = 0; t < b.tasks.size(); ++t) {
        const auto& x = a.tasks[t];
        const auto& y = b.tasks[t];
        CHECK((x.name == y.name && x.agent == y.agent && x.input == y.input
               && x.dependencies == y.dependencies && x.retry == y.retry && x.timeout == y.timeout
               && x.metadata == y.metadata && x.key == y.key));
      }
    }
  }
}

TEST_CASE("every plan printed in docs/plans.md is one", "[protocol][document][scenarios]") {
  const auto text =
      test::read_file(std::filesystem::path(troupe::testing::source_dir()) / "docs" / "plans.md");
  std::size_t plans = 0;
  std::size_t tasks = 0;
  constexpr std::string_view fence = "```json\n";
  for (auto begin = text.find(fence); begin != std::string::npos; begin = text.find(fence, begin)) {
    begin += fence.size();
    const auto block = text.substr(begin, text.find("```\n", begin) - begin);
    CAPTURE(block);
    const bool whole = block.find("\"tasks\"") != std::string::npos;
    const bool read =
        whole ? read_plan_document(block).has_value()
              : opt::read_task(json::parse(block), opt::unknown_members::refuse).has_value();
    CHECK(read);
    ++(whole ? plans : tasks);
  }
  CHECK(plans == 4);
  CHECK(tasks == 1);
}
