// The way of a newcomer, as README and `--help` describe it: from nothing to a plan of real
// programs that fails, why it failed, mending it, doing again only what failed; on this computer
// and on a server. On a terminal of 80 x 24.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>

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
  [[nodiscard]] std::size_t times_fetched() const {
    std::ifstream log(at_desk.path("work/fetch.log"));
    std::size_t out = 0;
    for (std::string line; std::getline(log, line);)
      ++out;
    return out;
  }
  /// What comes to the screen of a command, and its exit code.
  std::pair<std::string, int> on_screen(std::vector<std::string> with) const {
    auto environment = at_desk.environment();
    for (const auto* each : {"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm"})
      environment.emplace_back(each);
    process one(at_desk.words(std::move(with)), environment, screen_size{});
    const int code = one.wait();
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
}

TEST_CASE("a plan that was mended in its file is not what a retry does", "[binary][newcomer]") {
  newcomer me;
  REQUIRE(me.at_desk.run({"run", me.at_desk.path("build.yaml"), "-q"}).code == 1);
  me.at_desk.write("build.yaml", "name: Build\ntasks: [{name: other, agent: echo}]\n");
  me.mend_it();
  const auto done = me.at_desk.run({"run", "--retry", me.at_desk.path("build.yaml")});
  CHECK(done.code == 0);
  CHECK(contains(done.err, "has changed since the run"));
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
