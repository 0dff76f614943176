// What programs of the command agent get from the `troupe` process, and what is left of them.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

using namespace troupe::testing;
namespace json = boost::json;

namespace {

/// A task for the shell.
json::object task_of(const std::string& script, json::array env_allow = {}) {
  return {{"name", "t"},
          {"agent", "command"},
          {"input",
           {{"argv", {"/bin/sh", "-c", script}},
            {"protocol", "jsonl"},
            {"envAllow", std::move(env_allow)}}}};
}

json::object objective_of(json::object task) {
  return {{"id", "o"},
          {"name", "o"},
          {"plans", json::array{{{"name", "p"}, {"tasks", json::array{std::move(task)}}}}}};
}

void begin(const served& serve, const json::object& task) {
  static_cast<void>(serve.ask("objectives/create", json::serialize(objective_of(task))));
  static_cast<void>(serve.ask("objectives/update", R"({"id":"o","status":"working"})"));
}

std::string said_by(const served& serve) {
  const auto task = serve.ask("GetTask", R"({"id":"o.p0.t0"})");
  const auto text = at(task, "/history/0/parts/0/text");
  return text == "(none)" ? std::string{} : text;
}

bool is_there(const std::string& pid) {
  return ::kill(static_cast<pid_t>(std::stoi(pid)), 0) == 0 || errno != ESRCH;
}

constexpr auto leave = R"((setsid sleep 600 & echo "{\"message\":\"$!\"}"); read -r x; read -r y)";

} // namespace

TEST_CASE("a program cannot read the variables of the process that runs it", "[apps][binary]") {
  std::vector<std::string> words;
  if (::getuid() == 0) { // who may read everything
    if (::access("/usr/bin/setpriv", X_OK) != 0) {
      WARN("skipped: this is root, and there is no setpriv to become somebody else");
      return;
    }
    words = {"/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"};
    auto reads = words;
    reads.insert(reads.end(), {"/usr/bin/test", "-r", troupe_binary()});
    if (run_program(reads).code != 0) {
      WARN("skipped: this is root, and nobody else may read " << troupe_binary());
      return;
    }
  }
  const std::string script = "head -c 1 /proc/self/environ >/dev/null && echo own is read; "
                             "head -c 1 /proc/$PPID/environ >/dev/null || echo ours is refused";
  const json::object task{
      {"name", "t"}, {"agent", "command"}, {"input", {{"argv", {"/bin/sh", "-c", script}}}}};
  std::string said;
  SECTION("a run") {
    const json::object plan{{"name", "p"}, {"tasks", json::array{task}}};
    words.insert(words.end(), {troupe_binary(), "run", "-", "--json", "--store", "memory"});
    const auto done = run_program(words, json::serialize(plan), {"SECRET=s"});
    INFO(done.err);
    CHECK(done.code == 0);
    said = done.out;
  }
  SECTION("a server") {
    const served server({"--store", "memory", "--allow-commands"}, {}, words);
    begin(server, task);
    CHECK(server.reaches("o.p0.t0", "TASK_STATE_COMPLETED"));
    said = json::serialize(server.ask("GetTask", R"({"id":"o.p0.t0"})"));
  }
  CHECK_THAT(said, ContainsSubstring("own is read"));
  CHECK_THAT(said, ContainsSubstring("ours is refused"));
}

TEST_CASE("a program that has left its group ends with the run", "[apps][binary]") {
  const temporary_directory directory;
  const auto file = directory / "pid";
  const auto last = GENERATE(as<std::string>{}, "exit 0", "sleep 60");
  const auto script =
      "(setsid sleep 600 & echo $! > " + file + ".new); mv " + file + ".new " + file + "; " + last;
  const json::object plan{
      {"name", "p"},
      {"tasks", json::array{{{"name", "t"},
                             {"agent", "command"},
                             {"input", {{"argv", {"/bin/sh", "-c", script}}}}}}}};
  process run({troupe_binary(), "run", "-", "--json", "--store", "memory"});
  run.send_input(json::serialize(plan));
  run.close_input();
  REQUIRE(comes_true([&] { return std::filesystem::exists(file); }));
  std::string pid;
  std::ifstream(file) >> pid;
  if (last == "exit 0") {
    CHECK(run.wait() == 0);
  } else {
    REQUIRE(is_there(pid));
    run.signal(GENERATE(SIGINT, SIGTERM));
    CHECK(run.wait() == 130);
  }
  CHECK_FALSE(is_there(pid));
}

TEST_CASE("a server passes only the variables that its operator names", "[apps][binary]") {
  const auto task = task_of(R"(echo "{\"complete\":\"home is $HOME\"}")", {"HOME", "PWD"});
  const served closed({"--store", "memory", "--allow-commands"});
  const auto refused =
      closed.client().post(request_of("objectives/create", json::serialize(objective_of(task))));
  CHECK_THAT(refused.body, ContainsSubstring("--pass-env") && ContainsSubstring("PWD"));
  const served open({"--store", "memory", "--allow-commands", "--pass-env", "PWD"});
  begin(open, task);
  CHECK(open.reaches("o.p0.t0", "TASK_STATE_COMPLETED"));
}

TEST_CASE("a program that has left its group ends with its task, and with the server",
          "[apps][binary]") {
  served serve({"--store", "memory", "--allow-commands", "--drain-seconds", "1"});
  begin(serve, task_of(leave));
  REQUIRE(comes_true([&] { return !said_by(serve).empty(); }));
  const auto pid = said_by(serve);
  REQUIRE(is_there(pid));
  SECTION("canceled") {
    static_cast<void>(serve.ask("CancelTask", R"({"id":"o.p0.t0"})"));
    CHECK(comes_true([&] { return !is_there(pid); }));
    CHECK(serve.stop() == 0);
  }
  SECTION("SIGTERM") {
    CHECK(serve.stop() == 0);
    CHECK_FALSE(is_there(pid));
  }
  SECTION("SIGKILL") {
    serve.program().signal(SIGKILL);
    CHECK(serve.program().wait() == 128 + SIGKILL);
    CHECK(comes_true([&] { return !is_there(pid); }));
  }
}
