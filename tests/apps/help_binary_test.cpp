// Completion and the manual page, by the real binary and the shells that are there.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

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

/// The variables of a shell that finds `troupe` on its path, and reads its files in `me`'s home.
std::vector<std::string> shell_environment(const desk& me) {
  auto out = me.environment();
  const auto directory = std::filesystem::path(troupe_binary()).parent_path().string();
  const auto* path = std::getenv("PATH");
  out.push_back("PATH=" + directory + ":" + (path == nullptr ? "/usr/bin:/bin" : path));
  out.push_back("ZDOTDIR=" + me.path(""));
  for (const auto* each : {"LC_ALL=C.UTF-8", "TERM=xterm"})
    out.emplace_back(each);
  return out;
}

/// What fish offers for the line so far.
std::string fish_offers(const desk& me, const std::string& line) {
  const auto done = run_program({"/usr/bin/env", "fish", "--no-config", "-c",
                                 "troupe completion fish | source; complete -C \"" + line + "\""},
                                {}, shell_environment(me));
  INFO(done.err);
  CHECK(done.code == 0);
  return done.out;
}

/// A zsh with its own system of completion, in front of a person.
class zsh {
public:
  explicit zsh(const desk& me)
      : shell_(
          (me.write(".zshrc", settings), std::vector<std::string>{"/usr/bin/env", "zsh", "-i"}),
          shell_environment(me), screen_size{}) {
    REQUIRE(shows("ready> "));
  }

  /// The line after `keys` and the tabulator key.
  std::string completed(const std::string& keys) {
    const auto from = shell_.out().size();
    shell_.send_input(keys + "\t\x18");
    const auto line = [&] {
      const auto begin = shell_.out().find("line[", from);
      const auto end = shell_.out().find("]line", from);
      return end == std::string::npos ? std::string{}
                                      : shell_.out().substr(begin + 5, end - begin - 5);
    };
    CHECK(shell_.read_until([&](const process&) { return !line().empty(); }, 60s));
    return line();
  }
  /// Whether `text` is shown after `keys` and the tabulator key.
  bool offers(const std::string& keys, const std::string& text) {
    shell_.send_input("\x15" + keys + "\t");
    return shows(text);
  }

private:
  static constexpr const char* settings = R"(PS1='ready> '
autoload -Uz compinit
compinit -D
source <(troupe completion zsh)
show_line() { local line=$BUFFER; BUFFER=; zle -I; print -r -- "line[$line]line" }
zle -N show_line
bindkey '^X' show_line
)";

  bool shows(const std::string& text) {
    const auto from = seen_;
    const auto is_shown = [&](const process& now) {
      const auto at = now.out().find(text, from);
      seen_ = at == std::string::npos ? from : at + text.size();
      return at != std::string::npos;
    };
    return shell_.read_until(is_shown, 60s);
  }

  process shell_;
  std::size_t seen_ = 0;
};

/// One that has run a plan with the task `say it`.
class runner : public desk {
public:
  runner() {
    write("plan.json", R"({"name": "P", "tasks": [
      {"name": "say it", "agent": "command", "input": {"argv": ["echo", "hi"]}}]})");
    REQUIRE(run({"run", path("plan.json"), "-q"}).code == 0);
  }
};

} // namespace

TEST_CASE("bash completes commands, runs, tasks and files", "[binary][completion]") {
  if (!has_program("bash")) {
    WARN("skipped: no bash here");
    return;
  }
  const runner me;
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

TEST_CASE("zsh completes commands, options, runs, tasks and files", "[binary][completion]") {
  if (!has_program("zsh")) {
    WARN("skipped: no zsh here (Debian: scripts/install-deps shells)");
    return;
  }
  const runner me;
  const auto id = trimmed(me.run({"ls", "-o", "name"}).out);
  zsh shell(me);
  CHECK(shell.completed("troupe val") == "troupe validate ");
  CHECK(shell.completed("troupe graph --format m") == "troupe graph --format mermaid ");
  CHECK(shell.completed("troupe show " + id.substr(0, 3)) == "troupe show " + id + " ");
  CHECK(shell.completed("troupe logs " + id + " s") == "troupe logs " + id + " say\\ it ");
  CHECK(shell.completed("troupe validate " + me.path("pl"))
        == "troupe validate " + me.path("plan.json") + " ");
  CHECK(shell.offers("troupe run --time", "--timeline "));
  CHECK(shell.offers("troupe show ", id + " "));
}

TEST_CASE("fish completes commands, options, runs, tasks and files", "[binary][completion]") {
  if (!has_program("fish")) {
    WARN("skipped: no fish here (Debian: scripts/install-deps shells)");
    return;
  }
  const runner me;
  const auto id = trimmed(me.run({"ls", "-o", "name"}).out);
  CHECK(contains(fish_offers(me, "troupe val"), "validate\t"));
  CHECK(contains(fish_offers(me, "troupe run --time"), "--timeline\t"));
  CHECK(contains(fish_offers(me, "troupe graph --format m"), "mermaid\n"));
  CHECK(contains(fish_offers(me, "troupe show "), id + "\t"));
  CHECK(contains(fish_offers(me, "troupe logs " + id + " s"), "say it\n"));
  CHECK(contains(fish_offers(me, "troupe validate " + me.path("pl")), "plan.json\n"));
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
  const auto offers = [&](std::vector<std::string> words, const std::string& line) {
    words.insert(words.begin(), "__complete");
    const auto done = me.run(words);
    INFO(done.out << done.err);
    CHECK(contains(done.out, line + "\n"));
  };
  offers({"replan", ""}, id + "\tTrip");
  offers({"cancel", ""}, id + "\tTrip");
  offers({"cancel", task}, task + "\tinput-required");
  offers({"send", "--task", ""}, task + "\tinput-required");
  offers({"send", "--context", ""}, id + "\t");
  offers({"logs", id, ""}, "q\tTrip");
  offers({"modify", id, "--add", "x", "--after", ""}, "q\tTrip");
  offers({"templates", "show", "conf"}, "conference-trip\tTravel for a conference: flights first, "
                                        "then the hotel and the transport on the ground");
  me.use("http://127.0.0.1:1"); // Nobody is there.
  CHECK(me.run({"__complete", "watch", ""}).code == 0);
}

TEST_CASE("runs that wait, and their tasks, are completed for claim and modify",
          "[binary][completion]") {
  desk me;
  me.write("plan.json", R"({"name": "Trip", "tasks": [
    {"name": "q", "agent": "scripted", "input": {"steps": [{"ask": "Where?"}]}},
    {"name": "pack", "agent": "echo", "dependencies": ["q"]}]})");
  REQUIRE(me.run({"run", me.path("plan.json"), "--no-input"}).code == 3);
  const auto id = trimmed(me.run({"ls", "-o", "name"}).out);
  const auto offers = [&](std::vector<std::string> words, const std::string& line) {
    words.insert(words.begin(), "__complete");
    const auto done = me.run(words);
    INFO(done.out << done.err);
    CHECK(contains(done.out, line + "\n"));
  };
  offers({"claim", ""}, id + "\tTrip");
  offers({"modify", ""}, id + "\twaiting, Trip");
  offers({"modify", id, "--add", "x", "--after", ""}, "pack\tTrip"); // It has not begun.
  offers({"modify", id + ".p0", "--add", "x", "--after", ""}, "q\tTrip");
}

TEST_CASE("objectives of a data directory are completed", "[binary][completion]") {
  desk me;
  std::string id;
  {
    served server({"--data", me.path("data")});
    me.use(url_of(server));
    me.write("plan.json", R"({"name": "Trip", "tasks": [{"name": "n", "agent": "noop"}]})");
    id = trimmed(me.run({"submit", me.path("plan.json")}).out);
    CHECK(me.run({"watch", id, "-q"}).code == 0);
    CHECK(server.stop() == 0);
  }
  const auto done =
      me.run({"__complete", "session", "export", "--data", me.path("data"), id.substr(0, 2)});
  CHECK(contains(done.out, id + "\t\n"));
  CHECK(me.run({"__complete", "session", "export", "--data", me.path("none"), ""}).out
        == ":none\n");
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
  const auto plain = run_program({"/usr/bin/env", "groff", "-man", "-Tutf8", "-P-c", "-P-b", "-P-u",
                                  "-P-o", me.path("troupe.1")},
                                 {}, me.environment());
  for (const auto& line : lines_of(plain.out)) {
    CAPTURE(line);
    CHECK(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }) <= 80);
  }
}
