// `troupe run`, `validate`, `graph`, `agents`, `version` as a person or a script meets them: the
// real binary, its exit codes and output.
#include "tests/apps/process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <csignal>
#include <filesystem>

using namespace troupe::testing;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

std::string plan(const std::string& tasks) {
  return R"({"name": "Test run", "plans": [{"name": "Only", "tasks": [)" + tasks + "]}]}";
}

const std::string two_tasks =
    plan(R"({"id": "a", "name": "A", "agent": "echo", "input": {"text": "hi"}},
                                      {"name": "B", "agent": "sleep", "input": {"seconds": 0.01}, "dependencies": ["a"]})");
const std::string asking = plan(
    R"({"id": "q", "name": "Q", "agent": "scripted", "input": {"steps": [{"ask": "Which city?"}]}})");
const std::string failing =
    plan(R"({"name": "F", "agent": "scripted", "input": {"steps": [{"fail": "no disk"}]}})");
const std::string endless = plan(R"({"name": "S", "agent": "sleep", "input": {"seconds": 1000}})");

outcome troupe_with(std::vector<std::string> words, const std::string& input = {}) {
  words.insert(words.begin(), troupe_binary());
  return run_program(std::move(words), input, {"NO_COLOR=1", "LC_ALL=C.UTF-8"});
}

outcome run_memory(const std::string& text, std::vector<std::string> words = {}) {
  words.insert(words.begin(), {"run", "-", "--store", "memory"});
  return troupe_with(std::move(words), text);
}

json::object summary_of(const outcome& outcome) {
  const auto lines = lines_of(outcome.out);
  REQUIRE_FALSE(lines.empty());
  return json::parse(lines.back()).as_object();
}

bool contains(const std::string& text, const std::string& name) {
  return text.find(name) != std::string::npos;
}

} // namespace

TEST_CASE("a completed run ends with 0 and its summary as the last line", "[apps][binary]") {
  const auto done = run_memory(two_tasks, {"--json"});
  INFO(done.err);
  CHECK(done.code == 0);
  const auto summary = summary_of(done);
  CHECK(summary.at("status") == "completed");
  CHECK(summary.at("tasks").at("completed") == 2);
  CHECK(summary.at("attempts") == 2);
  CHECK(summary.contains("objective"));
  CHECK(summary.contains("elapsedSeconds"));
  CHECK(summary.contains("criticalPathSeconds"));
  CHECK(summary.at("maxParallel").to_number<int>() <= 1);
  for (const auto& line : lines_of(done.out))
    CHECK(json::parse(line).is_object());
}

TEST_CASE("without a terminal every change of state is a line", "[apps][binary]") {
  const auto done = run_memory(two_tasks);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "Only / A: completed\n"));
  CHECK(contains(done.out, "Only / B: completed\n"));
  CHECK(contains(done.out, "completed: 2 of 2 tasks in "));
  CHECK(done.out.find('\x1b') == std::string::npos);
  const auto quiet = run_memory(two_tasks, {"--quiet"});
  CHECK(lines_of(quiet.out).size() == 1);
}

TEST_CASE("a failed run ends with 1 and says why", "[apps][binary]") {
  const auto done = run_memory(failing);
  CHECK(done.code == 1);
  CHECK(contains(done.out, "failed: Only / F: "));
  CHECK(contains(done.out, "no disk"));
}

TEST_CASE("an invalid file ends with 2 before anything is run or made", "[apps][binary]") {
  const temporary_directory place;
  const auto data = place / "data";
  const auto bad = place.file("bad.json", plan(R"({"name": "A", "agnet": "echo"})"));
  const auto done = troupe_with({"run", bad, "--data", data});
  CHECK(done.code == 2);
  CHECK(done.out.empty());
  CHECK(contains(done.err, "agnet"));
  CHECK(contains(done.err, "did you mean"));
  CHECK_FALSE(std::filesystem::exists(data));
  const auto as_json = troupe_with({"run", bad, "--data", data, "--json"});
  CHECK(json::parse(as_json.out).at("error").at("code") == "invalid_document");
  CHECK(troupe_with({"run", place / "missing.json"}).code == 2);
  CHECK(troupe_with({"run"}).code == 2);
  CHECK(troupe_with({"run", bad, "--agent", "nobody"}).code == 2);
}

TEST_CASE("a question in a run that is not interactive ends with 3 and shows the question",
          "[apps][binary]") {
  const auto done = run_memory(asking, {"--json"});
  CHECK(done.code == 3);
  CHECK(contains(done.err, "Which city?"));
  CHECK(contains(done.err, "--answer \"q=TEXT\""));
  CHECK(summary_of(done).at("status") == "blocked");
}

TEST_CASE("a question answered beforehand is no obstacle", "[apps][binary]") {
  const auto done = run_memory(asking, {"--answer", "q=Lisbon", "--no-input"});
  INFO(done.err);
  CHECK(done.code == 0);
  const auto misspelt = run_memory(asking, {"--answer", "p=Lisbon"});
  CHECK(misspelt.code == 2);
  CHECK(contains(misspelt.err, "no task"));
}

TEST_CASE("SIGINT and SIGTERM cancel cleanly", "[apps][binary]") {
  for (const int number : {SIGINT, SIGTERM}) {
    process run({troupe_binary(), "run", "-", "--store", "memory", "--json"});
    run.send_input(endless);
    run.close_input();
    REQUIRE(run.read_until(
        [](const process& p) { return contains(p.out(), "\"state\":\"working\",\"attempt\":1"); },
        30s));
    run.signal(number);
    CHECK(run.wait() == 130);
    const auto last = json::parse(lines_of(run.out()).back());
    CHECK(last.at("status") == "canceled");
    CHECK(last.at("tasks").at("canceled") == 1);
  }
}

TEST_CASE("a reader that goes away ends neither the run nor anything else", "[apps][binary]") {
  const std::vector<std::vector<std::string>> all{
      {"run", "-", "--store", "memory", "--json"}, {"graph", "-"}, {"validate", "-"}};
  for (auto words : all) {
    CAPTURE(words);
    words.insert(words.begin(), troupe_binary());
    process unread(words);
    unread.close_output();
    unread.send_input(two_tasks);
    CHECK(unread.wait() == 0);
    CHECK(unread.err().empty());
  }
}

TEST_CASE("output that is lost is complained of and is no success", "[apps][binary]") {
  const temporary_directory place;
  const auto good = place.file("good.json", two_tasks);
  const auto bad = place.file("bad.json", failing);
  const auto to_full = [](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/full", troupe_binary()});
    const auto done = run_program(std::move(words));
    CHECK(contains(done.err, "standard output cannot be written: No space left on device"));
    return done.code;
  };
  for (const auto* how : {"--json", "--quiet", "--color=never"})
    CHECK(to_full({"run", good, "--store", "memory", how}) == 1);
  CHECK(to_full({"run", bad, "--store", "memory"}) == 1);
  CHECK(to_full({"run", place.file("q.json", asking), "--store", "memory"}) == 3);
  CHECK(to_full({"validate", good}) == 1);
  CHECK(to_full({"validate", good, good, "--json"}) == 1);
  CHECK(to_full({"validate", good, bad, place / "gone.json", "--json"}) == 2);
  CHECK(to_full({"graph", good}) == 1);
  CHECK(to_full({"card"}) == 1);
  CHECK(to_full({"agents"}) == 1);
  CHECK(to_full({"--version"}) == 1);
  CHECK(to_full({"--help"}) == 1);
  CHECK(to_full({"run", "--help"}) == 1);
  CHECK(to_full({"serve", "--print-config"}) == 1);
}

TEST_CASE("standard descriptors that are closed are no files of the record", "[apps][binary]") {
  const temporary_directory place;
  const auto closed = [&](const std::string& which) {
    const auto file = place.file("plan.json", two_tasks);
    return run_program({"/bin/sh", "-c", "exec \"$0\" \"$@\" " + which, troupe_binary(), "run",
                        file, "--data", place / "data", "--json"});
  };
  const auto silent = closed("<&- >&-");
  CHECK(silent.code == 1);
  CHECK(contains(silent.err, "standard output cannot be written"));
  CHECK(closed("<&-").code == 0);
  CHECK(closed("2>&-").code == 0);
  CHECK(closed("<&- >&- 2>&-").code == 1);
}

TEST_CASE("the same file runs again and again in one directory", "[apps][binary]") {
  const temporary_directory place;
  const auto file =
      place.file("plan.json", R"({"id": "o", "name": "Again", "plans": [{"id": "p", "name": "P",
    "tasks": [{"id": "t", "name": "T", "agent": "echo", "input": {"text": "x"}}]}]})");
  std::string first;
  for (int i = 0; i < 3; ++i) {
    const auto done = troupe_with({"run", file, "--data", place / "data", "--json"});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const std::string id(summary_of(done).at("objective").as_string());
    CHECK(id != first);
    first = id;
  }
  const auto nothing = troupe_with({"run", file, "--data", place / "data", "--resume"});
  CHECK(nothing.code == 2);
  CHECK(contains(nothing.err, "no unfinished run"));
}

TEST_CASE("where no record is kept there is nothing to resume, and nothing is made",
          "[apps][binary]") {
  const temporary_directory place;
  const auto file = place.file("plan.json", two_tasks);
  std::filesystem::create_directory(place / "empty");
  for (const auto* data : {"new", "empty", "plan.json/below"}) {
    const auto nothing = troupe_with({"run", file, "--data", place / data, "--resume"});
    CAPTURE(data, nothing.err);
    CHECK(nothing.code == 2);
    CHECK(contains(nothing.err,
                   "no unfinished run to resume: no record is kept in " + (place / data)));
  }
  const auto json_too = troupe_with({"run", "--data", place / "new", "--resume", "--json"});
  CHECK(json_too.code == 2);
  CHECK(json::parse(lines_of(json_too.out).back()).at("error").at("code") == "objective_not_found");
  const auto unsaid = run_program({troupe_binary(), "run", file, "--resume"}, {},
                                  {"XDG_STATE_HOME=" + (place / "state")});
  CHECK(unsaid.code == 2);
  CHECK(contains(unsaid.err, "no unfinished run"));
  CHECK(contains(unsaid.err, place / "state"));
  CHECK_FALSE(std::filesystem::exists(place / "new"));
  CHECK_FALSE(std::filesystem::exists(place / "state"));
  CHECK(std::filesystem::is_empty(place / "empty"));
}

TEST_CASE("an interrupted run is mentioned, left alone, and resumed when asked", "[apps][binary]") {
  const temporary_directory place;
  const auto data = place / "data";
  const auto slow =
      place.file("slow.json", plan(R"({"name": "S", "agent": "sleep", "input": {"seconds": 0.5}},
    {"name": "first", "agent": "echo", "input": {"text": "x"}})"));
  {
    process run({troupe_binary(), "run", slow, "--data", data, "--json", "--time-scale", "2000"});
    REQUIRE(run.read_until(
        [](const process& p) {
          return contains(p.out(), "\"name\":\"first\"},\"state\":\"completed\"");
        },
        30s));
    run.signal(SIGKILL);
    CHECK(run.wait() == 128 + SIGKILL);
  }
  const auto quick = place.file("quick.json", two_tasks);
  const auto other = troupe_with({"run", quick, "--data", data, "--json"});
  CHECK(other.code == 0);
  CHECK(contains(other.err, "was interrupted; continue it with --resume"));
  const auto resumed =
      troupe_with({"run", slow, "--data", data, "--json", "--resume", "--time-scale", "0.01"});
  INFO(resumed.err);
  INFO(resumed.out);
  CHECK(resumed.code == 0);
  CHECK(summary_of(resumed).at("tasks").at("completed") == 2);
  CHECK_FALSE(contains(resumed.out, "\"name\":\"first\"},\"state\":\"working\""));
}

TEST_CASE("a run is resumed with as many tasks at once as the flag says", "[apps][binary]") {
  const temporary_directory place;
  const auto data = place / "data";
  const auto file =
      place.file("plan.json", plan(R"({"name": "a", "agent": "sleep", "input": {"seconds": 0.01}},
    {"name": "b", "agent": "sleep", "input": {"seconds": 0.01}}, {"name": "c", "agent": "sleep", "input": {"seconds": 0.01}})"));
  const auto moves = [](const std::string& out) {
    std::string all;
    for (const auto& line : lines_of(out))
      if (contains(line, "\"task_moved\""))
        all += std::string(json::parse(line).at("state").as_string()) + " ";
    return all;
  };
  {
    process run({troupe_binary(), "run", file, "--data", data, "--json", "--time-scale", "100000"});
    REQUIRE(run.read_until(
        [&](const process& p) { return moves(p.out()) == "working working working "; }, 30s));
    run.signal(SIGKILL);
    CHECK(run.wait() == 128 + SIGKILL);
  }
  const auto resumed =
      troupe_with({"run", "--data", data, "--json", "--resume", "--max-parallel", "1"});
  CHECK(resumed.code == 0);
  CHECK(moves(resumed.out) == "working completed working completed working completed ");
}

TEST_CASE("an interrupted run from standard input is resumed by giving the same text again",
          "[apps][binary]") {
  const temporary_directory place;
  const std::vector<std::string> state{"XDG_STATE_HOME=" + place.path().string()};
  {
    process run({troupe_binary(), "run", "-", "--json", "--time-scale", "2000"}, state);
    run.send_input(two_tasks);
    run.close_input();
    REQUIRE(run.read_until(
        [](const process& p) {
          return contains(p.out(), "\"name\":\"A\"},\"state\":\"completed\"");
        },
        30s));
    run.signal(SIGKILL);
    CHECK(run.wait() == 128 + SIGKILL);
  }
  const auto other = run_program({troupe_binary(), "run", "-", "--resume"}, asking, state);
  CHECK(other.code == 2);
  const auto resumed =
      run_program({troupe_binary(), "run", "-", "--json", "--resume"}, two_tasks, state);
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  CHECK(summary_of(resumed).at("tasks").at("completed") == 2);
  CHECK_FALSE(contains(resumed.out, "\"name\":\"A\"},\"state\":\"working\""));
}

TEST_CASE("a directory that another run uses is refused with a way out", "[apps][binary]") {
  const temporary_directory place;
  const auto data = place / "data";
  process holder({troupe_binary(), "run", "-", "--data", data, "--json"});
  holder.send_input(endless);
  holder.close_input();
  REQUIRE(holder.read_until([](const process& p) { return contains(p.out(), "working"); }, 30s));
  const auto second = troupe_with({"run", "-", "--data", data}, two_tasks);
  CHECK(second.code == 2);
  CHECK(contains(second.err, "another run uses"));
  CHECK(contains(second.err, "--store memory"));
}

TEST_CASE("validate takes many files, and each gets its verdict", "[apps][binary]") {
  const auto both = troupe_with({"validate", "-", "/nonexistent/plan.json"}, two_tasks);
  CHECK(both.code == 2);
  CHECK(contains(both.out, "-: valid: 1 plan, 2 tasks"));
  CHECK(contains(both.err, "/nonexistent/plan.json: cannot be opened"));
  const auto as_json =
      troupe_with({"validate", "/nonexistent/plan.json", "-", "--json"}, two_tasks);
  CHECK(as_json.code == 2);
  const auto second = as_json.out.find('\n') + 1;
  const auto bad = json::parse(as_json.out.substr(0, second - 1));
  const auto good = json::parse(as_json.out.substr(second));
  CHECK(bad.at("valid") == false);
  CHECK(bad.at("file") == "/nonexistent/plan.json");
  CHECK(good.at("valid") == true);
  CHECK(good.at("file") == "-");
}

TEST_CASE("validate counts, or names file, line and mistake", "[apps][binary]") {
  const auto good = troupe_with({"validate", "-"}, two_tasks);
  CHECK(good.code == 0);
  CHECK(good.out == "valid: 1 plan, 2 tasks, 1 dependency, critical path 2 tasks\n");
  const auto as_json = json::parse(troupe_with({"validate", "-", "--json"}, two_tasks).out);
  CHECK(as_json.at("valid") == true);
  CHECK(as_json.at("criticalPathTasks") == 2);
  const auto bad =
      troupe_with({"validate", "-", "--json"}, plan(R"({"name": "A", "dependencies": ["A"]})"));
  CHECK(bad.code == 2);
  CHECK(json::parse(bad.out).at("valid") == false);
  CHECK_FALSE(bad.err.empty());
}

TEST_CASE("graph draws in every format", "[apps][binary]") {
  CHECK(contains(troupe_with({"graph", "-"}, two_tasks).out, "B * [sleep]  ← A\n"));
  CHECK(contains(troupe_with({"graph", "-", "--format", "dot"}, two_tasks).out, "p0t0 -> p0t1;"));
  CHECK(
      contains(troupe_with({"graph", "-", "--format", "mermaid"}, two_tasks).out, "p0t0 --> p0t1"));
  CHECK(contains(troupe_with({"graph", "-", "--format", "svg"}, two_tasks).out, "</svg>"));
  CHECK(troupe_with({"graph", "-"}, "{").code == 2);
}

TEST_CASE("agents and version describe the build", "[apps][binary]") {
  const auto agents = troupe_with({"agents"});
  CHECK(agents.code == 0);
  for (const char* name : {"echo", "sleep", "scripted", "command"})
    CHECK(contains(agents.out, name));
  const auto version = troupe_with({"--version"});
  CHECK(version.code == 0);
  CHECK(contains(version.out, "troupe 0."));
  CHECK(contains(version.out, "\nCAF "));
}
