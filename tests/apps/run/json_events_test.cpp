#include "apps/run/json_events.hpp"
#include "tests/apps/run_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fstream>
#include <iterator>
#include <set>
#include <variant>

using namespace troupe;
using namespace troupe::testing;
namespace json = boost::json;

namespace {

/// The lines that the last change of `bed` makes, each of them valid JSON.
std::vector<json::object> lines_of(const run_bed& bed) {
  std::string text;
  append_json_events(text, bed.last, bed.model);
  std::vector<json::object> out;
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin))
    out.push_back(json::parse(text.substr(begin, end - begin)).as_object());
  CHECK(begin == text.size());
  return out;
}

run_bed one_task() {
  return run_bed({plan_named("P \"q\"", {task_named("t\n1")})});
}

std::string at(const json::object& line, std::string_view pointer) {
  return json::serialize(
      json::value(line).at_pointer(json::string_view(pointer.data(), pointer.size())));
}

} // namespace

TEST_CASE("a task's move names the task, its plan, the state and the attempt", "[apps][json]") {
  auto bed = one_task();
  bed.move(250, 0, 0, task_state::failed, 2, "no \x01 disk");
  const auto lines = lines_of(bed);
  REQUIRE(lines.size() == 1);
  CHECK(at(lines[0], "/event") == "\"task_moved\"");
  CHECK(at(lines[0], "/at") == "\"1970-01-01T00:00:01.250Z\"");
  CHECK(at(lines[0], "/objective") == "\"obj-1\"");
  CHECK(at(lines[0], "/plan/name") == "\"P \\\"q\\\"\"");
  CHECK(at(lines[0], "/task/id") == "\"obj-1.p0.t0\"");
  CHECK(at(lines[0], "/task/key") == "\"t\\n1\"");
  CHECK(at(lines[0], "/state") == "\"failed\"");
  CHECK(at(lines[0], "/attempt") == "2");
  CHECK(at(lines[0], "/message") == "\"no \\u0001 disk\"");
}

TEST_CASE("every kind of event is a line of its own", "[apps][json]") {
  auto bed = one_task();
  const auto event_of = [&] {
    const auto lines = lines_of(bed);
    REQUIRE(lines.size() == 1);
    return at(lines[0], "/event");
  };
  CHECK(event_of() == "\"objective_moved\"");
  bed.tell(1, objective_edited{"new name", ""});
  CHECK(event_of() == "\"objective_edited\"");
  bed.plan(1, 0, plan_state::working);
  CHECK(event_of() == "\"plan_moved\"");
  bed.tell(1, plan_added{plan_named("Q", {task_named("x")})});
  CHECK(event_of() == "\"plan_added\"");
  bed.tell(1, tasks_withdrawn{1, {0}, task_state::canceled, "why"});
  CHECK(event_of() == "\"tasks_withdrawn\"");
  CHECK(at(lines_of(bed)[0], "/tasks") == "[0]");
  bed.tell(1, tasks_renewed{1, {0}});
  CHECK(event_of() == "\"tasks_renewed\"");
  bed.tell(1, plan_changed{1, {}, "ann", "more to do", 2});
  CHECK(event_of() == "\"plan_changed\"");
  CHECK(at(lines_of(bed)[0], "/author") == "\"ann\"");
  CHECK(at(lines_of(bed)[0], "/revision") == "2");
  bed.tell(1, pause_changed{true, 1});
  CHECK(event_of() == "\"pause_changed\"");
  CHECK(at(lines_of(bed)[0], "/paused") == "true");
  bed.tell(1, objective_closing{objective_state::canceled, "by request"});
  CHECK(event_of() == "\"objective_closing\"");
  CHECK(at(lines_of(bed)[0], "/state") == "\"canceled\"");
  bed.tell_task(1, 0, 0, task_created{std::make_shared<task>()});
  CHECK(event_of() == "\"task_created\"");
  bed.tell_task(1, 0, 0,
                task_message{std::make_shared<message>(
                    message{"m", role::agent, {text_part("hi")}, {}, {}, {}, {}, {}})});
  CHECK(event_of() == "\"task_message\"");
  CHECK(at(lines_of(bed)[0], "/message/parts/0/text") == "\"hi\"");
  bed.tell_task(
      1, 0, 0,
      task_artifact{std::make_shared<artifact>(artifact{"a1", "out", "", {text_part("x")}, {}, {}}),
                    true, false});
  CHECK(event_of() == "\"task_artifact\"");
  CHECK(at(lines_of(bed)[0], "/artifact/artifactId") == "\"a1\"");
  CHECK(at(lines_of(bed)[0], "/append") == "true");
  bed.tell_task(1, 0, 0,
                task_progress{std::make_shared<progress_report>(
                    progress_report{{tracker("k", 1, 4, "m")}, progress_aggregate{1.0, 4.0, ""}})});
  CHECK(event_of() == "\"task_progress\"");
  CHECK(at(lines_of(bed)[0], "/trackers/0/total") == "4");
  CHECK(at(lines_of(bed)[0], "/aggregate/progress") == "1");
}

TEST_CASE("the manual has a row for every event", "[apps][json]") {
  const auto plan = plan_named("P", {task_named("a")});
  const std::vector<event> all{
      objective_created{std::make_shared<objective_spec>(), {}},
      objective_edited{"n", ""},
      objective_moved{objective_event::work, ""},
      plan_added{plan},
      plan_moved{0, plan_event::work, ""},
      plan_changed{0, {}, "", "", 2},
      tasks_withdrawn{0, {0}, task_state::canceled, ""},
      task_created{std::make_shared<task>()},
      task_moved{task_state::working, 1, nullptr},
      task_message{std::make_shared<message>()},
      task_artifact{std::make_shared<artifact>(), false, true},
      task_progress{std::make_shared<progress_report>()},
      tasks_renewed{0, {0}},
      pause_changed{true, 0},
      objective_closing{objective_state::canceled, ""},
      plan_edited{0, {.name = "n"}},
      objective_changed{{}, "", "", 3},
  };
  auto bed = one_task();
  bed.last.events = all;
  const auto lines = lines_of(bed);
  std::set<std::string> names;
  for (const auto& line : lines)
    names.insert(line.at("event").as_string().c_str());
  CHECK(names.size() == all.size());

  // What a task's state tells already has no line of its own.
  const std::vector<event> silent{
      question_opened{std::make_shared<question>()},
      question_answered{"q"},
      question_expired{"q"},
      question_withdrawn{"q", ""},
      question_claimed{"q", {}},
      question_released{"q"},
      question_reminded{"q", nullptr},
      task_queued{},
      task_resumed{},
      task_noted{"n"},
  };
  CHECK(all.size() + silent.size() == std::variant_size_v<event>);
  bed.last.events = silent;
  CHECK(lines_of(bed).empty());

  std::ifstream manual(source_dir() + "/docs/cli.md");
  const std::string text{std::istreambuf_iterator<char>(manual), {}};
  const auto table = text.substr(text.find("| `event` |"));
  const auto rows = table.substr(0, table.find("\n\n"));
  for (const auto& name : names)
    CHECK_THAT(rows, ContainsSubstring("`" + name + "`"));
}

TEST_CASE("a change of several events makes as many lines, in order", "[apps][json]") {
  auto bed = one_task();
  bed.last.events.clear();
  bed.last.events.emplace_back(plan_moved{0, plan_event::work, ""});
  bed.last.events.emplace_back(plan_moved{0, plan_event::complete, "done"});
  const auto lines = lines_of(bed);
  REQUIRE(lines.size() == 2);
  CHECK(at(lines[1], "/state") == "\"completed\"");
  CHECK(at(lines[1], "/reason") == "\"done\"");
}

TEST_CASE("the summary is one line with the numbers of the run", "[apps][json]") {
  run_bed bed({plan_named("P", {task_named("a"), task_named("b")})});
  bed.move(0, 0, 0, task_state::working);
  bed.move(0, 0, 1, task_state::working);
  bed.move(100, 0, 0, task_state::completed);
  bed.move(150, 0, 1, task_state::working, 2);
  bed.move(200, 0, 1, task_state::failed, 2);
  bed.tell(1500, objective_moved{objective_event::fail, "b failed"});
  std::string text;
  append_json_summary(text, bed.model, troupe::testing::at(9000), std::chrono::milliseconds{100});
  CHECK(
      text
      == "{\"objective\":\"obj-1\",\"status\":\"failed\",\"tasks\":{\"completed\":1,\"failed\":1},"
         "\"elapsedSeconds\":1.5,\"criticalPathSeconds\":0.1,\"maxParallel\":2,\"attempts\":3}\n");
}
