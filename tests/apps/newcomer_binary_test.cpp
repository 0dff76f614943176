// The way of a newcomer, as README and `--help` describe it: from nothing to a plan of real
// programs that fails, why it failed, mending it, doing again only what failed; on this computer
// and on a server. On a terminal of 80 x 24.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/relay.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <regex>

using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

/// A program that counts how often it ran, and one that is broken.
constexpr const char* build_plan = R"(name: Build
tasks:
  - name: fetch
    agent: command
    input: {shell: "echo fetched >> fetch.log; echo fetched", cwd: WORK}
  - name: compile
    agent: command
    input: {argv: ["/bin/sh", "compile.sh"], cwd: WORK}
    dependencies: [fetch]
  - name: report
    agent: echo
    input: {text: "made ${tasks.compile.artifacts[0].text}"}
    dependencies: [compile]
)";

/// The columns of the longest line, without what only moves the cursor; the plans here have no wide
/// characters.
std::ptrdiff_t columns_of(const std::string& screen) {
  static const std::regex controls("\x1b\\[[0-9;?]*[A-Za-z]");
  static const std::regex ends("[\r\n]+");
  const auto text = std::regex_replace(screen, controls, "");
  std::ptrdiff_t out = 0;
  for (std::sregex_token_iterator line(text.begin(), text.end(), ends, -1), end; line != end;
       ++line)
    out = std::max(out, std::count_if(line->first, line->second, [](char each) {
                     return (static_cast<unsigned char>(each) & 0xC0U) != 0x80U;
                   }));
  return out;
}

class newcomer {
public:
  newcomer() {
    std::filesystem::create_directories(at_desk.path("work"));
    auto plan = std::string(build_plan);
    for (auto at = plan.find("WORK"); at != std::string::npos; at = plan.find("WORK"))
      plan.replace(at, 4, at_desk.path("work"));
    at_desk.write("build.yaml", plan);
    break_it();
  }

  void break_it() const { script("echo compiling; echo 'main.c:3: no such thing' >&2; exit 1\n"); }
  void mend_it() const { script("echo program\n"); }
  /// The program cannot be mended: the plan calls another one. `place`: where programs run.
  void mend_plan(const std::string& place = "work") const {
    auto plan = std::string(R"(name: Build
tasks:
  - name: fetch
    agent: command
    input: {shell: "echo fetched twice >> fetch.log", cwd: WORK}
  - name: compile
    agent: command
    input: {shell: "echo program", cwd: WORK}
    dependencies: [fetch]
  - name: link
    agent: echo
    input: {text: "linked ${tasks.compile.artifacts[0].text}"}
    dependencies: [compile]
  - name: report
    agent: echo
    input: {text: "${tasks.link.artifacts[0].text}"}
    dependencies: [link]
)");
    for (auto at = plan.find("WORK"); at != std::string::npos; at = plan.find("WORK"))
      plan.replace(at, 4, place);
    at_desk.write("build.yaml", plan);
  }
  [[nodiscard]] std::size_t times_fetched() const {
    std::ifstream log(at_desk.path("work/fetch.log"));
    std::size_t out = 0;
    for (std::string line; std::getline(log, line);)
      ++out;
    return out;
  }
  /// What comes to the screen of a command, and its exit code. No line is wider than the screen.
  std::pair<std::string, int> on_screen(std::vector<std::string> with) const {
    auto environment = at_desk.environment();
    for (const auto* each : {"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm"})
      environment.emplace_back(each);
    process one(at_desk.words(std::move(with)), environment, screen_size{});
    const int code = one.wait();
    CHECK(columns_of(one.out()) <= screen_size{}.columns);
    return {one.out(), code};
  }

  desk at_desk;

private:
  void script(const std::string& text) const { at_desk.write("work/compile.sh", text); }
};

} // namespace

TEST_CASE("a newcomer mends a failed run and does again only what failed",
          "[binary][newcomer][terminal]") {
  newcomer me;
  CHECK(contains(me.on_screen({"--help"}).first, "troupe init"));
  CHECK(me.on_screen({"init", me.at_desk.path("plan.yaml")}).second == 0);
  CHECK(contains(me.on_screen({"run", me.at_desk.path("plan.yaml")}).first, "Hello, World! It is"));

  CHECK(contains(me.on_screen({"validate", me.at_desk.path("build.yaml")}).first,
                 "valid: 1 plan, 3 tasks"));
  const auto [screen, code] = me.on_screen({"run", me.at_desk.path("build.yaml")});
  CHECK(code == 1);
  CHECK(contains(screen, "failed: Build / compile: exited with 1"));
  CHECK(contains(screen, "  main.c:3: no such thing"));
  CHECK(contains(screen, "troupe logs "));
  CHECK(contains(screen, "troupe run --retry "));
  const auto logs = me.on_screen({"logs", "@last", "compile"}).first;
  CHECK(contains(logs, "compiling"));
  CHECK(contains(logs, "main.c:3: no such thing"));

  me.mend_it();
  const auto again = me.on_screen({"run", "--retry"});
  CHECK(again.second == 0);
  CHECK(contains(again.first, "made program"));
  CHECK(me.times_fetched() == 1);
  CHECK(contains(me.on_screen({"ls"}).first, "completed"));
  CHECK(contains(me.on_screen({"show", "@last"}).first, "made program"));
  CHECK(contains(me.on_screen({"graph", "--run", "@last"}).first, "* marks the critical path"));
}

TEST_CASE("a newcomer does the same on a server", "[binary][newcomer][terminal]") {
  newcomer me;
  served server({"--dev"});
  me.at_desk.use(url_of(server));
  const auto [screen, code] = me.on_screen({"submit", me.at_desk.path("build.yaml"), "--watch"});
  CHECK(code == 1);
  CHECK(contains(screen, "failed: Build / compile: exited with 1"));
  CHECK(contains(screen, "main.c:3: no such thing"));
  CHECK_FALSE(contains(screen, "--- Build / fetch")); // Another task depends on it.
  CHECK(contains(screen, "troupe retry obj-"));
  CHECK(contains(me.on_screen({"logs", "@last", "compile"}).first, "main.c:3: no such thing"));
  me.mend_it();
  CHECK(me.on_screen({"retry", "@last"}).second == 0);
  const auto again = me.on_screen({"watch", "@last"});
  CHECK(again.second == 0);
  CHECK(contains(again.first, "--- Build / report\r\nmade program"));
  CHECK_FALSE(contains(again.first, "--- Build / compile"));
  CHECK(me.times_fetched() == 1);
  CHECK(contains(me.on_screen({"ls"}).first, "completed"));
  const auto drawn = me.on_screen({"graph", "--run", "@last"}).first;
  CHECK(contains(drawn, "* marks the critical path"));
  CHECK(contains(drawn, "compile * [command] "));
  CHECK(contains(me.on_screen({"graph", "--run", "@last", "--server", "local"}).first, "no runs"));
}

TEST_CASE("a plan that was mended in its file is what a retry on a server does",
          "[binary][newcomer]") {
  const bool is_kept = GENERATE(false, true); // Only a store that is kept has the changes.
  CAPTURE(is_kept);
  newcomer me;
  const auto file = me.at_desk.path("build.yaml");
  const served server({"--allow-commands", "--store", is_kept ? "rocksdb" : "memory", "--data",
                       me.at_desk.path("data")});
  me.at_desk.use(url_of(server));
  REQUIRE(me.at_desk.run({"submit", file, "--watch", "-q"}).code == 1);

  // What the server does not take changes nothing.
  me.at_desk.write("build.yaml", "name: Build\ntasks: [{name: compile, agent: ecko}]\n");
  const auto refused = me.at_desk.run({"retry", "@last", file});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "ecko"));
  CHECK(contains(refused.err, "and is canceled"));
  CHECK(contains(me.at_desk.run({"show", "@last"}).out, "fetch"));

  me.mend_plan(me.at_desk.path("work"));
  const auto mended = me.at_desk.run({"retry", "@last", file});
  CAPTURE(mended.err);
  CHECK(mended.code == 0);
  CHECK(contains(mended.err, "build.yaml has changed: 2 tasks changed, 1 added"));
  CHECK(contains(mended.err,
                 "completed tasks stay as they are, whatever the file says now: \"fetch\""));
  const auto watched = me.at_desk.run({"watch", "@last"});
  CHECK(watched.code == 0);
  CHECK(contains(watched.out, "--- Build / report\nlinked program"));
  CHECK(contains(watched.out, "completed: 4 of 4 tasks"));
  CHECK(me.times_fetched() == 1);
  const auto wrong = me.at_desk.run({"retry", "@last", me.at_desk.path("nothing.yaml")});
  CHECK(wrong.code == 2);
}

TEST_CASE("tasks that a file no longer has are removed by a retry, those of others stay",
          "[binary][newcomer]") {
  newcomer me;
  const served server({"--data", me.at_desk.path("data"), "--allow-commands"});
  me.at_desk.use(url_of(server));
  const auto file = me.at_desk.path("some.yaml");
  const auto plan = [](const std::string& command, const std::string& last) {
    return "name: Some\ntasks:\n"
           "  - {name: ask, agent: scripted, input: {steps: [{ask: Ready?}, {complete: ok}]}}\n"
           "  - {name: one, agent: command, input: {shell: \""
           + command + "\"}, dependencies: [ask]}\n  - {name: " + last
           + ", agent: echo, input: {text: last}, dependencies: [one]}\n";
  };
  me.at_desk.write("some.yaml", plan("exit 1", "two"));
  const auto id = trimmed(me.at_desk.run({"submit", file}).out);
  REQUIRE(server.reaches(id + ".p0.t0", "TASK_STATE_INPUT_REQUIRED"));
  REQUIRE(me.at_desk
              .run({"modify", id, "--add", "other", "--after", "one", "--agent", "echo", "--input",
                    R"({"text": "of somebody else"})"})
              .code
          == 0);
  me.at_desk.write("more.json", R"([{"op": "addPlan", "name": "More", "dependencies": ["Some"],
    "tasks": [{"name": "also", "agent": "echo", "input": {"text": "of a guest"}}]}])");
  REQUIRE(me.at_desk.run({"modify", id, me.at_desk.path("more.json")}).code == 0);
  REQUIRE(me.at_desk.run({"answer", id + ".p0.t0", "yes"}).code == 0);
  REQUIRE(me.at_desk.run({"watch", id, "-q"}).code == 1);

  me.at_desk.write("some.yaml", plan("echo ok", "three"));
  const auto mended = me.at_desk.run({"retry", id, file});
  CAPTURE(mended.err);
  CHECK(mended.code == 0);
  CHECK(contains(mended.err, "1 task changed, 1 added, 1 removed"));
  const auto watched = me.at_desk.run({"watch", id, "--output", "all"});
  CHECK(watched.code == 0);
  CHECK(contains(watched.out, "--- Some / three\nlast"));
  CHECK(contains(watched.out, "--- Some / other\nof somebody else"));
  CHECK(contains(watched.out, "--- More / also\nof a guest"));
  CHECK_FALSE(contains(watched.out, "--- Some / two"));
}

TEST_CASE("plans and tasks of one name are refused, because a server does not show their ids",
          "[binary][newcomer]") {
  newcomer me;
  const served server({"--store", "memory", "--allow-commands"});
  me.at_desk.use(url_of(server));
  const auto file = me.at_desk.path("twice.yaml");
  const std::string fails = "agent: command, input: {shell: \"exit 1\"}";
  me.at_desk.write("twice.yaml",
                   "name: Twice\nplans:\n  - {id: a, name: P, tasks: [{name: one, agent: echo}]}\n"
                   "  - {id: b, name: P, tasks: [{name: two, "
                       + fails + "}]}\n");
  REQUIRE(me.at_desk.run({"submit", file, "--watch", "-q"}).code == 1);
  const auto plans = me.at_desk.run({"retry", "@last", file});
  CHECK(plans.code == 1);
  CHECK(contains(plans.err, "2 plans with the name \"P\""));
  CHECK(contains(me.at_desk.run({"ls"}).out, "failed"));

  me.at_desk.write("twice.yaml", "name: Once\ntasks: [{name: x, " + fails + "}]\n");
  REQUIRE(me.at_desk.run({"submit", file, "--watch", "-q"}).code == 1);
  me.at_desk.write("twice.yaml", "name: Once\ntasks: [{id: a, name: x, " + fails
                                     + "}, {id: b, name: x, agent: echo}]\n");
  const auto tasks = me.at_desk.run({"retry", "@last", file});
  CHECK(tasks.code == 1);
  CHECK(contains(tasks.err, "2 tasks with the name \"x\""));
}

TEST_CASE("an objective that has not begun stays so if it does not take a file",
          "[binary][newcomer]") {
  newcomer me;
  const served server({"--store", "memory"});
  me.at_desk.use(url_of(server));
  server.ask("objectives/create",
             R"({"id":"trip","name":"Trip","tasks":[{"name":"fetch","agent":"echo"}]})");
  me.at_desk.write("trip.yaml", "name: Trip\ntasks: [{name: fetch, agent: ecko}]\n");
  const auto refused = me.at_desk.run({"retry", "trip", me.at_desk.path("trip.yaml")});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "and stays submitted"));
  CHECK(at(server.ask("objectives/get", R"({"id":"trip"})"), "/objective/status") == "submitted");
}

TEST_CASE("an objective is not canceled if it is not known whether it has taken a file",
          "[binary][newcomer]") {
  newcomer me;
  relay between;
  const served server({"--store", "memory", "--allow-commands", "--public-url", between.url()});
  between.lead_to(server.port());
  me.at_desk.use(between.url());
  const auto file = me.at_desk.path("build.yaml");
  const auto id = trimmed(me.at_desk.run({"submit", file}).out);
  REQUIRE(me.at_desk.run({"watch", id, "-q"}).code == 1);
  me.mend_plan(me.at_desk.path("work"));
  between.replace("\"dryRun\":", "\"dryRun\";"); // The answer cannot be read.
  const auto unread = me.at_desk.run({"retry", id, file});
  CHECK(unread.code == 1);
  CHECK(contains(unread.err, "and stays submitted"));
  CHECK(at(server.ask("objectives/get", R"({"id":")" + id + R"("})"), "/objective/status")
        == "submitted");
  between.reset();
  CHECK(me.at_desk.run({"retry", id, file}).code == 0);
  CHECK(me.at_desk.run({"watch", id, "-q"}).code == 0);
}

TEST_CASE("what was added more than a thousand changes ago is not of the file",
          "[binary][newcomer]") {
  newcomer me;
  const served server(
      {"--data", me.at_desk.path("data"), "--allow-commands", "--durability", "async"});
  me.at_desk.use(url_of(server));
  const auto file = me.at_desk.path("long.yaml");
  server.ask("objectives/create", R"({"id":"long","name":"Long","tasks":[{"name":"one",)"
                                  R"("agent":"command","input":{"shell":"exit 1"}}]})");
  REQUIRE(me.at_desk
              .run({"modify", "long.p0", "--add", "other", "--agent", "echo", "--input",
                    R"({"text": "of a guest"})", "--after", "one"})
              .code
          == 0);
  auto client = server.client();
  for (int i = 0; i < 1'000; ++i)
    REQUIRE(at(result_of(client.post(request_of(
                   "plans/modify", R"({"id":"long.p0","operations":[{"op":"setPlan","priority":)"
                                       + std::to_string(i % 2) + "}]}"))),
               "/revision")
            == std::to_string(i + 2));
  server.ask("objectives/update", R"({"id":"long","status":"working"})");
  REQUIRE(me.at_desk.run({"watch", "long", "-q"}).code == 1);
  me.at_desk.write("long.yaml", "name: Long\ntasks: [{name: one, agent: command, "
                                "input: {shell: exit 0}}]\n");
  CHECK(me.at_desk.run({"retry", "long", file}).code == 0);
  const auto watched = me.at_desk.run({"watch", "long"});
  CHECK(watched.code == 0);
  CHECK(contains(watched.out, "of a guest"));
}

TEST_CASE("a plan that was skipped on the server may be left out of the file",
          "[binary][newcomer]") {
  newcomer me;
  const served server({"--store", "memory", "--allow-commands"});
  me.at_desk.use(url_of(server));
  const auto file = me.at_desk.path("both.yaml");
  const auto plan = [](const std::string& command) {
    return "name: Both\nplans:\n  - name: A\n    tasks:\n"
           "    - {name: ask, agent: scripted, input: {steps: [{ask: Ready?}, {complete: ok}]}}\n"
           "    - {name: one, agent: command, input: {shell: \""
           + command + "\"}, dependencies: [ask]}\n";
  };
  me.at_desk.write("both.yaml", plan("exit 1")
                                    + "  - {name: B, dependencies: [A], tasks: [{name: b, agent: "
                                      "echo, input: {text: b}}]}\n");
  const auto id = trimmed(me.at_desk.run({"submit", file}).out);
  REQUIRE(server.reaches(id + ".p0.t0", "TASK_STATE_INPUT_REQUIRED"));
  me.at_desk.write("skip.json", R"([{"op": "skipPlan", "plan": "B"}])");
  REQUIRE(me.at_desk.run({"modify", id, me.at_desk.path("skip.json")}).code == 0);
  REQUIRE(me.at_desk.run({"answer", id + ".p0.t0", "yes"}).code == 0);
  REQUIRE(me.at_desk.run({"watch", id, "-q"}).code == 1);
  me.at_desk.write("both.yaml", plan("echo ok"));
  const auto mended = me.at_desk.run({"retry", id, file});
  CAPTURE(mended.err);
  CHECK(mended.code == 0);
  CHECK(me.at_desk.run({"watch", id, "-q"}).code == 0);
}

TEST_CASE("a plan that was mended in its file is what a retry of the file does",
          "[binary][newcomer]") {
  newcomer me;
  const auto first = me.at_desk.run({"run", me.at_desk.path("build.yaml"), "-q"});
  REQUIRE(first.code == 1);
  me.mend_plan();
  // Only the file takes the changes, and a retry of the run says so.
  const auto of_run = me.at_desk.run({"run", "--retry", "@last", "-q"});
  CHECK(of_run.code == 1);
  CHECK(contains(of_run.err, "`troupe run --retry " + me.at_desk.path("build.yaml") + "`"));
  const auto done = me.at_desk.run({"run", "--retry", me.at_desk.path("build.yaml")});
  CHECK(done.code == 0);
  CHECK(contains(done.err, "has changed: 2 tasks changed, 1 added"));
  CHECK(contains(done.err,
                 "completed tasks stay as they are, whatever the file says now: \"fetch\""));
  CHECK(contains(done.out, "--- Build / report\nlinked program"));
  CHECK(contains(done.out, "completed: 4 of 4 tasks"));
  CHECK(me.times_fetched() == 1);
  CHECK(contains(me.at_desk.run({"ls"}).out, "completed"));
  CHECK(me.at_desk.run({"run", "--retry", me.at_desk.path("build.yaml")}).code == 2);
}

TEST_CASE("a mended file that is not valid leaves the run as it was", "[binary][newcomer]") {
  newcomer me;
  REQUIRE(me.at_desk.run({"run", me.at_desk.path("build.yaml"), "-q"}).code == 1);
  me.at_desk.write("build.yaml", "name: Build\ntasks: [{name: fetch, agent: ecko}]\n");
  const auto refused = me.at_desk.run({"run", "--retry", me.at_desk.path("build.yaml")});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "did you mean \"echo\"?"));
  CHECK(contains(me.at_desk.run({"ls"}).out, "failed"));
  me.mend_plan();
  CHECK(me.at_desk.run({"run", "--retry", me.at_desk.path("build.yaml"), "-q"}).code == 0);
}

TEST_CASE("a mended file that a run cannot take leaves the run there", "[binary][newcomer]") {
  const newcomer me;
  const auto file = me.at_desk.path("both.yaml");
  const std::string other = "  - {name: B, tasks: [{name: b, agent: echo, input: {text: b}}]}\n";
  me.at_desk.write("both.yaml",
                   "name: Both\nplans:\n"
                   "  - {name: A, tasks: [{name: a, agent: command, input: {shell: exit 1}}]}\n"
                       + other);
  REQUIRE(me.at_desk.run({"run", file, "-q"}).code == 1);
  me.at_desk.write("both.yaml", "name: Both\nplans:\n"
                                "  - {name: A, alternatives: [B],"
                                " tasks: [{name: a, agent: echo, input: {text: a}}]}\n"
                                    + other);
  const auto refused = me.at_desk.run({"run", "--retry", file});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "has other alternatives than in the run"));
  CHECK(contains(me.at_desk.run({"ls"}).out, "failed"));
  CHECK(me.at_desk.run({"show", "@last"}).code == 0);
}

TEST_CASE("a mended file is read with the choices of the run", "[binary][newcomer]") {
  const newcomer me;
  const auto plan = [](const std::string& command) {
    return "name: Two\nparams: {word: {}}\ntasks:\n"
           "  - {name: one, agent: command, input: {shell: \""
           + command
           + "\", env: {WORD: \"${params.word}\"}}}\n"
             "  - {name: other, agent: echo, input: {text: other}}\n";
  };
  me.at_desk.write("two.yaml", plan("exit 1"));
  REQUIRE(
      me.at_desk.run({"run", me.at_desk.path("two.yaml"), "--param", "word=hello", "--only", "one"})
          .code
      == 1);
  me.at_desk.write("two.yaml", plan("echo said $WORD"));
  const auto done = me.at_desk.run({"run", "--retry", me.at_desk.path("two.yaml")});
  CHECK(done.code == 0);
  CHECK(contains(done.out, "said hello"));
  CHECK(contains(done.out, "completed: 1 of 1 task"));
}

TEST_CASE("a retry has the tasks of its run, not others", "[binary][newcomer]") {
  const newcomer me;
  const auto file = me.at_desk.path("two.yaml");
  me.at_desk.write("two.yaml", "name: Two\ntasks:\n"
                               "  - {name: one, agent: echo, input: {text: one}}\n"
                               "  - {name: two, agent: command, input: {shell: exit 1}}\n");
  REQUIRE(me.at_desk.run({"run", file, "-q"}).code == 1);
  const auto refused = me.at_desk.run({"run", "--retry", file, "--only", "one"});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "--only chooses the tasks of a new run"));
  CHECK(contains(me.at_desk.run({"ls"}).out, "failed"));
}

TEST_CASE("plans of a mended file come and go", "[binary][newcomer]") {
  const newcomer me;
  const std::string first =
      "name: Both\nplans:\n"
      "  - {name: A, tasks: [{name: a, agent: command, input: {shell: exit 1}}]}\n"
      "  - {name: B, dependencies: [A], tasks: [{name: b, agent: echo, input: {text: b}}]}\n";
  const std::string then =
      "name: Both\nplans:\n"
      "  - {name: A, tasks: [{name: a, agent: echo, input: {text: a}}]}\n"
      "  - {name: C, dependencies: [A], tasks: [{name: c, agent: echo, input: {text: c}}]}\n";
  me.at_desk.write("both.yaml", first);
  REQUIRE(me.at_desk.run({"run", me.at_desk.path("both.yaml"), "-q"}).code == 1);
  me.at_desk.write("both.yaml", then);
  const auto done = me.at_desk.run({"run", "--retry", me.at_desk.path("both.yaml")});
  CHECK(done.code == 0);
  CHECK(contains(done.err, "has changed: 1 task changed, 1 added, 1 removed"));
  CHECK(contains(done.out, "--- C / c\nc"));
  CHECK_FALSE(contains(done.out, "--- B / b"));
}

TEST_CASE("only a task and what it needs is run", "[binary][newcomer]") {
  newcomer me;
  const auto done = me.at_desk.run({"run", me.at_desk.path("build.yaml"), "--only", "fetch"});
  CHECK(done.code == 0);
  CHECK(contains(done.out, "completed: 1 of 1 task"));
  const auto wrong = me.at_desk.run({"run", me.at_desk.path("build.yaml"), "--only", "fetsh"});
  CHECK(wrong.code == 2);
  CHECK(contains(wrong.err, "did you mean \"fetch\"?"));
}
