// What an operator meets: the welcome of `serve --dev`, log lines, signals, and a drain that lets
// programs end.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/push_receiver.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

auto says(const std::string& text) {
  return [text](const process& one) { return contains(one.err(), text); };
}

/// A plan whose only task runs a script of a shell.
std::string plan_of(const std::string& script) {
  return R"({"name": "Work", "tasks": [{"name": "w", "agent": "command", "input": {"shell": ")"
         + script + R"("}}]})";
}

} // namespace

TEST_CASE("serve --dev welcomes with commands that work", "[apps][binary][dev]") {
  desk me;
  process serve({troupe_binary(), "serve", "--dev", "--listen", "127.0.0.1:0"}, me.environment());
  REQUIRE(serve.read_until([](const process& p) { return contains(p.out(), "readyz"); }, 30s));
  const auto& said = serve.out();
  const auto begin = said.find("export TROUPE_SERVER=") + 21;
  const auto url = said.substr(begin, said.find('\n', begin) - begin);
  me.use(url);
  CHECK(contains(me.run({"send", "Hello"}).out, "Hello"));
  CHECK(contains(said, "troupe send \"Hello\""));
  me.write("plan.json", plan_of("echo made it")); // the command agent is there
  CHECK(contains(me.run({"submit", me.path("plan.json"), "--watch"}).out, "made it"));
  REQUIRE(contains(said, "  curl -sN " + url));
  std::vector<std::string> answers;
  for (auto at = said.find("\n  curl "); at != std::string::npos;) {
    const auto next = said.find("\n  curl ", at + 1);
    const auto command = said.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    CAPTURE(command);
    const auto done = run_program({"/bin/sh", "-c", command});
    CHECK(done.code == 0);
    answers.push_back(done.out);
    at = next;
  }
  REQUIRE(answers.size() == 3);
  CHECK(contains(answers[0], "\"text\":\"Hello\""));
  CHECK(contains(answers[0], "TASK_STATE_COMPLETED"));
  CHECK(contains(answers[1], "\"protocolVersion\""));
  CHECK(contains(answers[2], "\"ready\""));
  serve.signal(SIGTERM);
  CHECK(serve.wait() == 0);
}

TEST_CASE("a server logs its settings, objectives and failed tasks, and requests at debug",
          "[apps][binary][log]") {
  served server({"--store", "memory", "--allow-commands", "--log-level", "debug"});
  desk me(url_of(server));
  me.write("plan.json", plan_of("exit 7"));
  const auto id = trimmed(me.run({"submit", me.path("plan.json")}).out);
  auto& program = server.program();
  REQUIRE(program.read_until(says("objective " + id + ": failed"), 30s));
  CHECK(contains(program.err(), "settings: listen = \"127.0.0.1:0\""));
  CHECK(contains(program.err(), "objective " + id + " created: Work"));
  CHECK(contains(program.err(), "objective " + id + ": working"));
  CHECK(contains(program.err(), "task " + id + ".p0.t0 failed: exited with 7"));
  CHECK(program.read_until(says("POST / objectives/create"), 30s));
  CHECK(server.stop() == 0);
}

TEST_CASE("a server that others reach warns that it asks nobody who they are",
          "[apps][binary][log]") {
  process serve({troupe_binary(), "serve", "--listen", "0.0.0.0:0", "--store", "memory"});
  CHECK(serve.read_until(says("everybody who reaches 0.0.0.0 may use this server"), 30s));
  // In red on a terminal.
  process shown({troupe_binary(), "serve", "--listen", "0.0.0.0:0", "--store", "memory"},
                {"TERM=xterm", "NO_COLOR=", "LC_ALL=C.UTF-8"}, screen_size{24, 200});
  REQUIRE(
      shown.read_until([](const process& p) { return contains(p.out(), "may use this"); }, 30s));
  const auto& out = shown.out();
  const auto line = out.rfind('\n', out.find("may use this"));
  CHECK(contains(out.substr(line, out.find("may use this") - line), "\x1b[31m"));
}

TEST_CASE("a server whose delegations go over a proxy warns that it checks no addresses",
          "[apps][binary][log]") {
  desk me;
  me.write("troupe.toml", "store = \"memory\"\nlisten = \"127.0.0.1:0\"\n"
                          "[agents]\na2a-proxy = \"http://127.0.0.1:9\"\n");
  process serve({troupe_binary(), "serve", "--config", me.path("troupe.toml")});
  CHECK(serve.read_until(says("agents.a2a-proxy: URLs in plans are reached over a proxy, so that "
                              "their addresses cannot be checked"),
                         30s));
}

TEST_CASE("a default target that is none is refused at the start", "[apps][binary]") {
  desk me;
  const auto [targets, reason] = GENERATE(table<std::string, std::string>({
      {"", "; there is none, see [[targets]] in docs/cli.md"},
      {"[[targets]]\nalias = \"harbour\"\nurl = \"http://127.0.0.1:9\"\n",
       "; did you mean \"harbour\"?"},
  }));
  me.write("troupe.toml", "store = \"memory\"\nlisten = \"127.0.0.1:0\"\n"
                          "[agents]\na2a-target = \"harbor\"\n"
                              + targets);
  const auto tried = me.run({"serve", "--config", me.path("troupe.toml")});
  CHECK(tried.code == 2);
  CHECK(contains(tried.err, "\"agents.a2a-target\" names no target: \"harbor\"" + reason));
}

TEST_CASE("the start names the models and the targets of the configuration",
          "[apps][binary][log]") {
  desk me;
  me.write("troupe.toml", "store = \"memory\"\nlisten = \"127.0.0.1:0\"\n"
                          "[models.fast]\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"x\"\n"
                          "[models.local]\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"y\"\n"
                          "[[targets]]\nalias = \"harbour\"\nurl = \"http://127.0.0.1:9\"\n");
  process serve({troupe_binary(), "serve", "--config", me.path("troupe.toml")});
  REQUIRE(serve.read_until(says("replayed)"), 30s));
  CHECK(contains(serve.err(), " models: fast, local\n"));
  CHECK(contains(serve.err(), " targets: harbour\n"));
}

TEST_CASE("each attempt to post a notification is a line at debug", "[apps][binary][log]") {
  push_receiver receiver;
  receiver.script({answer_text(500), answer_text(200)});
  desk me;
  me.write("troupe.toml", "store = \"memory\"\nagent = \"conformance\"\nlog-level = \"debug\"\n"
                          "[push]\nallow-http = true\nallow-private = true\n");
  served server({"--config", me.path("troupe.toml")});
  me.use(url_of(server));
  const auto task = asking_task(me.run({"send", "hello"}).err);
  REQUIRE(me.run({"push", "add", task, receiver.url()}).code == 0);
  REQUIRE(me.run({"cancel", task}).code == 0);
  static_cast<void>(receiver.wait_for(2));
  const auto& program = server.program();
  REQUIRE(server.program().read_until(
      [&](const process& one) {
        return contains(one.err(), ": 500\n") && contains(one.err(), ": 200\n");
      },
      30s));
  CHECK(contains(program.err(), task));
}

TEST_CASE("SIGHUP takes what can be changed, SIGUSR1 does nothing", "[apps][binary][signals]") {
  desk me;
  me.write("troupe.toml", "store = \"memory\"\nlisten = \"127.0.0.1:0\"\n");
  process serve({troupe_binary(), "serve", "--config", me.path("troupe.toml")});
  REQUIRE(serve.read_until(says("replayed)"), 30s));
  serve.signal(SIGUSR1);
  me.write("troupe.toml",
           "store = \"memory\"\nlisten = \"127.0.0.1:0\"\nagent = \"sleep\"\ndrain-seconds = 3\n");
  serve.signal(SIGHUP);
  REQUIRE(serve.read_until(says("configuration read again: drain-seconds = 3; a restart is needed "
                                "for: agent"),
                           30s));
  me.write("troupe.toml", "store = \"memory\"\nlisten = \"127.0.0.1:0\"\n[models.fast]\n"
                          "url = \"http://127.0.0.1:9/v1\"\nmodel = \"x\"\n");
  serve.signal(SIGHUP);
  REQUIRE(serve.read_until(says("a restart is needed for: models.fast"), 30s));
  for (const auto* level : {"warn", "info"}) { // The line comes if the old or the new level has it.
    me.write("troupe.toml", "store = \"memory\"\nlisten = \"127.0.0.1:0\"\nlog-level = \""
                                + std::string(level) + "\"\n");
    serve.signal(SIGHUP);
    REQUIRE(serve.read_until(says("log-level = \"" + std::string(level) + "\""), 30s));
  }
  me.write("troupe.toml", "nonsense = 1\n");
  serve.signal(SIGHUP);
  REQUIRE(serve.read_until(says("the configuration stays as it was"), 30s));
  serve.signal(SIGTERM);
  CHECK(serve.wait() == 0);
}

TEST_CASE("a drain lets a running program end, and begins no other", "[apps][binary][drain]") {
  const temporary_directory place;
  desk me;
  const auto path = [&](const std::string& name) { return place / name; };
  const auto command = [](const std::string& name, const std::string& shell,
                          const std::string& more) {
    return R"({"name": ")" + name + R"(", "agent": "command", "input": {"shell": ")" + shell + "\""
           + more;
  };
  const auto wait = "until test -e " + path("go") + "; do sleep 0.05; done";
  const std::string after_it = R"(, "dependencies": ["w"]})";
  // `stay` still runs when `w` has ended, so that the drain goes on while others could begin.
  me.write("plan.json", R"({"name": "Work", "tasks": [)"
                            + command("w", "touch " + path("runs") + "; " + wait, "}}, ")
                            + command("stay", wait + "; sleep 1", "}}, ")
                            + command("once", "echo >> " + path("once"),
                                      R"(, "restart": "fail"})" + after_it + ", ")
                            + command("next", "echo >> " + path("next"), "}" + after_it) + "]}");
  served first({"--data", place / "data", "--allow-commands"});
  me.use(url_of(first));
  const auto id = trimmed(me.run({"submit", me.path("plan.json")}).out);
  REQUIRE(comes_true([&] { return std::filesystem::exists(path("runs")); }));
  first.program().signal(SIGTERM);
  first.program().signal(SIGINT); // Within a second of the other: they are one.
  REQUIRE(first.program().read_until(says("to end"), 30s));
  CHECK(contains(first.program().err(), " 10"));
  std::ofstream{path("go")};
  CHECK(first.program().wait() == 0);
  CHECK_FALSE(contains(first.program().err(), "interrupted"));
  CHECK_FALSE(std::filesystem::exists(path("once")));
  CHECK_FALSE(std::filesystem::exists(path("next")));
  served second({"--data", place / "data", "--allow-commands"});
  me.use(url_of(second));
  CHECK(me.run({"watch", id, "-q"}).code == 0);
  CHECK(contains(me.run({"show", id}).out, "completed: 4 of 4 tasks"));
  CHECK(std::filesystem::file_size(path("once")) == 1);
}

TEST_CASE("a drain says what it interrupts, and the next start that it goes on",
          "[apps][binary][drain]") {
  const temporary_directory place;
  desk me;
  me.write("plan.json", plan_of("touch " + (place / "runs") + "; sleep 1000"));
  served first({"--data", place / "data", "--allow-commands", "--drain-seconds", "0.2"});
  me.use(url_of(first));
  const auto id = trimmed(me.run({"submit", me.path("plan.json")}).out);
  REQUIRE(comes_true([&] { return std::filesystem::exists(place / "runs"); }));
  CHECK(first.stop() == 0);
  CHECK(
      contains(first.program().err(), "1 running program is interrupted; the next start goes on"));
  served second({"--data", place / "data", "--allow-commands", "--drain-seconds", "0.2"});
  CHECK(
      second.program().read_until(says("1 task was interrupted, and another attempt begins"), 30s));
  CHECK(second.stop() == 0);
}
