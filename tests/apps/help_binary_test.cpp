// Completion and the manual page, by the real binary and the shells that are there.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>

using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

bool has_program(const std::string& name) {
  return run_program({"/bin/sh", "-c", "command -v " + name + " > /dev/null"}).code == 0;
}

/// What bash offers for the words, the last of which is being typed.
std::string bash_offers(const desk& me, const std::string& words) {
  const auto script = "source <(\"$0\" completion bash); COMP_WORDS=(" + words
                      + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _troupe \"$0\"; "
                        "printf '%s\\n' \"${COMPREPLY[@]}\"";
  const auto done =
      run_program({"/usr/bin/env", "bash", "-c", script, troupe_binary()}, {}, me.environment());
  INFO(done.err);
  CHECK(done.code == 0);
  return done.out;
}

} // namespace

TEST_CASE("a shell completes commands, runs, tasks and files", "[binary][completion]") {
  if (!has_program("bash")) {
    WARN("skipped: no bash here");
    return;
  }
  desk me;
  me.write("plan.json", R"({"name": "P", "tasks": [
    {"name": "say it", "agent": "command", "input": {"argv": ["echo", "hi"]}}]})");
  REQUIRE(me.run({"run", me.path("plan.json"), "-q"}).code == 0);
  CHECK(contains(bash_offers(me, "troupe val"), "validate\n"));
  CHECK(contains(bash_offers(me, "troupe run --time"), "--timeline\n"));
  CHECK(contains(bash_offers(me, "troupe graph --format m"), "mermaid\n"));
  const auto id = trimmed(me.run({"ls", "-o", "name"}).out);
  CHECK(contains(bash_offers(me, "troupe show ''"), id + "\n"));
  CHECK(contains(bash_offers(me, "troupe logs " + id + " s"), "say\\ it\n"));
  CHECK(
      contains(bash_offers(me, "troupe run " + me.path("plan.json") + " --only s"), "say\\ it\n"));
  CHECK(contains(bash_offers(me, "troupe validate " + me.path("pl")), me.path("plan.json") + "\n"));
}

TEST_CASE("objectives and questions of a server are completed", "[binary][completion]") {
  served server({"--store", "memory"});
  desk me(url_of(server));
  me.write("plan.json", R"({"name": "Trip", "tasks": [
    {"name": "q", "agent": "scripted", "input": {"steps": [{"ask": "Where?"}]}}]})");
  const auto id = trimmed(me.run({"submit", me.path("plan.json")}).out);
  const auto task = id + ".p0.t0";
  CHECK(contains(me.run({"__complete", "watch", ""}).out, id + "\tTrip\n"));
  bool is_asked = false;
  for (int i = 0; i < 100 && !is_asked; ++i)
    is_asked = contains(me.run({"__complete", "answer", ""}).out, "\tWhere?\n");
  CHECK(is_asked);
  CHECK(me.run({"__complete", "watch", "nothing-like-it"}).out == ":none\n");
  me.use("http://127.0.0.1:1"); // Nobody is there.
  CHECK(me.run({"__complete", "watch", ""}).code == 0);
}

TEST_CASE("the scripts of all shells are printed, and are what the shells read",
          "[binary][completion]") {
  desk me;
  for (const auto* shell : {"bash", "zsh", "fish"}) {
    const auto script = me.run({"completion", shell});
    CHECK(script.code == 0);
    CHECK(contains(script.out, "__complete"));
    me.write("script", script.out);
    if (has_program(shell))
      CHECK(run_program({"/usr/bin/env", shell, "-n", me.path("script")}).code == 0);
  }
  CHECK(me.run({"completion", "csh"}).code == 2);
}

TEST_CASE("the manual page can be read", "[binary][man]") {
  desk me;
  const auto page = me.run({"man"});
  CHECK(page.code == 0);
  CHECK(contains(page.out, ".SH COMMANDS"));
  me.write("troupe.1", page.out);
  if (!has_program("groff")) {
    WARN("skipped: no groff here");
    return;
  }
  const auto shown =
      run_program({"/usr/bin/env", "groff", "-man", "-Tutf8", "-ww", me.path("troupe.1")}, {},
                  me.environment());
  CHECK(shown.code == 0);
  CHECK(shown.err.empty());
  CHECK(contains(shown.out, "troupe run"));
}
