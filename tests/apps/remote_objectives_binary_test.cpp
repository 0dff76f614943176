// The commands about objectives of a server: the real binary against the real server, on a terminal
// and without one, over breaks of the connection and of the server.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/relay.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

using namespace troupe::testing;
namespace json = boost::json;

namespace {

constexpr const char* asking_plan =
    R"({"name": "Trip", "plans": [{"name": "Book", "tasks": [
      {"name": "Flight", "agent": "echo", "input": {"text": "OSL 08:15"}},
      {"name": "Hotel", "agent": "scripted", "dependencies": ["Flight"],
       "input": {"steps": [{"ask": "By the sea?"}, {"complete": "done"}]}},
      {"name": "Letter", "agent": "echo", "dependencies": ["Hotel"], "input": {"text": "all booked"}}]}]})";

} // namespace

TEST_CASE("a plan is submitted, listed, answered, watched and shown", "[binary][remote]") {
  const served server;
  desk person(url_of(server));
  person.write("trip.json", asking_plan);
  const auto submitted = person.run({"submit", person.path("trip.json")});
  CAPTURE(submitted.err);
  REQUIRE(submitted.code == 0);
  const auto id = trimmed(submitted.out);
  const auto blocked = person.run({"watch", id});
  CHECK(blocked.code == 3);
  CHECK(contains(blocked.err, "By the sea?"));
  CHECK(contains(blocked.err, "troupe answer " + id + ".p0.t1 TEXT"));
  CHECK(contains(person.run({"ls"}).out, "Trip"));
  CHECK(person.run({"ls", "-o", "name"}).out == id + "\n");
  CHECK(contains(person.run({"inbox"}).out, "By the sea?"));
  CHECK(person.run({"inbox", "@last", "-o", "name"}).out == id + ".p0.t1.question-1\n");
  CHECK(person.run({"pause", id}).out == "objective " + id + " blocked\n");
  CHECK(person.run({"resume", id}).code == 0);
  const auto answered = person.run({"answer", id + ".p0.t1", "yes"});
  CHECK(answered.out == "question " + id + ".p0.t1.question-1 answered\n");
  const auto watched = person.run({"watch", id.substr(0, id.size() - 3)});
  CHECK(watched.code == 0);
  CHECK(contains(watched.out, "completed: 3 of 3 tasks"));
  CHECK(contains(watched.out, "all booked"));
  const auto late = person.run({"answer", id + ".p0.t1.question-1", "no"});
  CHECK(late.code == 1);
  CHECK(contains(late.err, url_of(server) + ": "));
  const auto shown = person.run({"show", "@last"});
  CHECK(shown.code == 0);
  CHECK(contains(shown.out, "Hotel"));
  CHECK(contains(shown.out, "all booked"));
  CHECK(person.run({"inbox"}).out.empty());
}

TEST_CASE("all pages are listed, and an id is not guessed among too many", "[binary][remote]") {
  constexpr std::size_t count = 130; // a page has 100
  const served server;
  for (std::size_t i = 0; i < count; ++i)
    server.ask("objectives/create",
               R"({"id":"trip-)" + std::to_string(1000 + i) + R"(","name":"Trip"})");
  const desk person(url_of(server));
  const auto listed = person.run({"ls", "-o", "name"});
  CHECK(listed.code == 0);
  CHECK(std::ranges::count(listed.out, '\n') == count);
  // One fits, and all have the text in their ids or names.
  server.ask("objectives/create", R"({"id":"a-trip","name":"trip-1"})");
  const auto guessed = person.run({"show", "trip"});
  CHECK(guessed.code == 1);
  CHECK(contains(guessed.err, "several objectives begin with trip"));
  const auto hidden = person.run({"cancel", "ip-1"});
  CHECK(hidden.code == 1);
  CHECK(contains(hidden.err, "write the whole id"));
  CHECK(person.run({"show", "a-trip"}).code == 0);
}

TEST_CASE("a failed objective is shown with its reason and tried again", "[binary][remote]") {
  const served server({"--store", "memory", "--allow-commands"});
  desk person(url_of(server));
  person.write("fail.json", R"({"name": "Bad", "plans": [{"name": "P", "tasks": [
    {"name": "program", "agent": "command", "input": {"argv": ["sh", "-c", "echo first words; exit 3"]}}]}]})");
  const auto failed = person.run({"submit", person.path("fail.json"), "--watch"});
  CHECK(failed.code == 1);
  CHECK(contains(failed.out, "exited with 3"));
  CHECK(contains(failed.out, "first words"));
  // It begins once it is watched, so that nothing is missed.
  const auto events =
      lines_of(person.run({"submit", person.path("fail.json"), "--watch", "--json"}).out);
  REQUIRE(events.size() > 3);
  CHECK(at(json::parse(events.front()), "/event") == "objective_created");
  CHECK(std::ranges::any_of(events, [](const std::string& line) {
    const auto event = json::parse(line);
    return at(event, "/event") == "task_moved" && at(event, "/state") == "working";
  }));
  CHECK(contains(person.run({"logs", "@last"}).out, "first words"));
  CHECK(person.run({"logs", "@last", "nothing"}).code == 1);
  CHECK(person.run({"retry", "@last"}).code == 0);
  const auto again = person.run({"watch", "@last", "--json"});
  CHECK(again.code == 1);
  CHECK(at(json::parse(lines_of(again.out).back()), "/status") == "failed");
  // What was written before the retry is there, and told from what was written after it.
  const auto lines = person.run({"logs", "@last"}).out;
  CHECK(contains(lines, "program | first words"));
  CHECK(contains(lines, "program (2) | first words"));
}

TEST_CASE("logs of a server have the lines of all programs as they were written",
          "[binary][remote]") {
  desk person;
  person.write("server.toml", "store = \"memory\"\n[agents]\ncommand = true\n"
                              "command-parallel = 2\n");
  const served server({"--config", person.path("server.toml")});
  person.use(url_of(server));
  // The second writes after the first, which then writes once more.
  person.write("two.yaml", "name: Two\nenv: {HERE: " + person.path("")
                               + "}\n"
                                 R"(tasks:
  - name: a
    agent: command
    input:
      shell: |
        cd "$HERE"; echo one; touch begun
        until test -e done; do sleep 0.1; done
        sleep 0.1; echo three
  - name: b
    agent: command
    input:
      shell: |
        cd "$HERE"
        until test -e begun; do sleep 0.1; done
        sleep 0.1; echo two; touch done
)");
  REQUIRE(person.run({"submit", person.path("two.yaml"), "--watch", "-q"}).code == 0);
  std::string order;
  for (const auto& line : lines_of(person.run({"logs", "@last"}).out))
    order += line.substr(line.find('|'));
  CHECK(order == "| one| two| three");
}

TEST_CASE("watch that ends at a question says how long the tasks before it took",
          "[binary][remote]") {
  const served server({"--store", "memory"});
  desk person(url_of(server));
  person.write("asks.json", R"({"name": "Asks", "plans": [{"name": "P", "tasks": [
    {"name": "first", "agent": "sleep", "input": {"seconds": 0.2}},
    {"name": "asks", "agent": "scripted", "dependencies": ["first"],
     "input": {"steps": [{"ask": "Go on?"}, {"complete": "ok"}]}}]}]})");
  const auto id = trimmed(person.run({"submit", person.path("asks.json")}).out);
  REQUIRE(server.reaches(id + ".p0.t1", "TASK_STATE_INPUT_REQUIRED"));
  const auto watched = person.run({"watch", id, "--no-input"});
  CHECK(watched.code == 3);
  CHECK(contains(watched.out, "critical path "));
  CHECK_FALSE(contains(watched.out, "critical path 0.00s"));
}

TEST_CASE("what a command says to go on with works as it is printed", "[binary][remote]") {
  const served server({"--store", "memory", "--allow-commands"});
  desk person; // No server is chosen for all commands.
  const auto url = url_of(server);
  person.write("fail.json", R"({"name": "Bad", "plans": [{"name": "P", "tasks": [
    {"name": "program", "agent": "command", "input": {"argv": ["sh", "-c", "echo words; exit 3"]}}]}]})");
  const auto failed = person.run({"submit", person.path("fail.json"), "--watch", "--server", url});
  CHECK(failed.code == 1);
  const auto id = trimmed(person.run({"ls", "-o", "name", "--server", url}).out);
  CHECK(contains(failed.err, "`troupe retry " + id + " --server " + url + "`"));
  CHECK(contains(failed.err, "`troupe retry " + id + " FILE --server " + url + "`"));
  CHECK(contains(person.run({"logs", id, "--server", url}).out, "words"));
  CHECK(person.run({"retry", id, "--server", url}).code == 0);
  CHECK(contains(person.run({"show", "other", "--server", url}).err,
                 "`troupe ls --server " + url + "`"));

  // A run of this computer, while commands mean a server.
  person.use(url);
  const auto here = person.run({"run", person.path("fail.json")});
  CHECK(here.code == 1);
  CHECK(contains(here.err, " --server local`"));
  CHECK(contains(person.run({"logs", "@last", "--server", "local"}).out, "words"));
  CHECK(contains(person.run({"watch", id}).err, "`troupe retry " + id + "`"));
}

TEST_CASE("a plan that a server refuses is shown at the place that is wrong", "[binary][remote]") {
  const served server({"--store", "memory"}); // It has no agent for programs.
  const desk person(url_of(server));
  person.write("plan.yaml", "name: Build\n"
                            "tasks:\n"
                            "  - {name: fetch, agent: echo, input: {text: x}}\n"
                            "  - name: compile\n"
                            "    agent: comand\n");
  const auto refused = person.run({"submit", person.path("plan.yaml")});
  CAPTURE(refused.err);
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, url_of(server) + ": " + person.path("plan.yaml") + ": line 5"));
  CHECK(contains(refused.err, "    5 |     agent: comand\n"));
  CHECK(contains(refused.err, "^~~~~~"));
}

TEST_CASE("watch ends if a task that asks holds the slot for which the others wait",
          "[binary][remote]") {
  desk person;
  person.write("server.toml", "store = \"memory\"\n[agents]\ncommand = true\n"
                              "command-parallel = 1\n");
  const served server({"--config", person.path("server.toml")});
  person.use(url_of(server));
  person.write("held.json", R"({"name": "Held", "plans": [{"name": "P", "tasks": [
    {"name": "asks", "agent": "command", "input": {"protocol": "jsonl", "argv": ["sh", "-c",
      "read order; echo '{\"ask\": {\"prompt\": \"Go on?\"}}'; read answer; echo '{\"complete\": \"ok\"}'"]}},
    {"name": "waits", "agent": "command", "input": {"argv": ["true"]}}]}]})");
  const auto held = person.run({"submit", person.path("held.json"), "--watch", "--no-input"});
  CAPTURE(held.err);
  CHECK(held.code == 3);
  CHECK(contains(held.err, "asks \"Go on?\""));
  CHECK(person.run({"answer", "@last", "yes"}).code == 0);
  CHECK(person.run({"watch", "@last", "-q"}).code == 0);
}

TEST_CASE("the tree of a large objective has the times of tasks that ended before",
          "[binary][remote]") {
  const served server({"--store", "memory"});
  desk person(url_of(server));
  std::string tasks;
  for (int i = 0; i < 250; ++i)
    tasks +=
        R"({"name": "t)" + std::to_string(i) + R"(", "agent": "echo", "input": {"text": "x"}},)";
  person.write("many.json",
               R"({"name": "Many", "plans": [{"name": "P", "tasks": [)" + tasks
                   + R"({"name": "slow", "agent": "sleep", "input": {"seconds": 60}}]}]})");
  const auto id = trimmed(person.run({"submit", person.path("many.json")}).out);
  REQUIRE(server.reaches(id + ".p0.t249", "TASK_STATE_COMPLETED"));
  auto environment = person.environment();
  environment.insert(environment.end(), {"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm"});
  process watch(person.words({"watch", id}), environment, screen_size{});
  const std::regex timed("t24[0-9] +[0-9.]+s");
  CHECK(watch.read_until([&](const process& p) { return std::regex_search(p.out(), timed); },
                         std::chrono::seconds{20}));
  CHECK(person.run({"cancel", id}).code == 0);
  CHECK(watch.wait() == 130);
}

TEST_CASE("the lines of a watch say canceled of a canceled plan", "[binary][remote]") {
  const served server;
  desk person(url_of(server));
  person.write("asks.json", R"({"name": "Asks", "plans": [{"name": "P", "tasks": [
    {"name": "a", "agent": "scripted", "input": {"steps": [{"ask": "Go on?"}]}}]}]})");
  process watch(person.words({"submit", person.path("asks.json"), "--watch", "--wait"}),
                person.environment());
  const auto asks = [](const process& p) { return contains(p.out() + p.err(), "asks \"Go on?\""); };
  REQUIRE(watch.read_until(asks, std::chrono::seconds{20}));
  CHECK(person.run({"cancel", trimmed(person.run({"ls", "-o", "name"}).out)}).code == 0);
  CHECK(watch.wait() == 130);
  CHECK(contains(watch.out(), "plan P: canceled"));
  CHECK_FALSE(contains(watch.out(), "plan P: failed"));
}

TEST_CASE("the end of an objective of a server is told as that of a run", "[binary][remote]") {
  const served server({"--store", "memory", "--allow-commands"});
  const desk person(url_of(server));
  person.write("build.json",
               R"({"name": "Build", "maxParallel": 1, "plans": [{"name": "P", "tasks": [
    {"name": "a", "agent": "command", "input": {"argv": ["sh", "-c", "echo made a; sleep 1"]}},
    {"name": "b", "agent": "command", "input": {"argv": ["true"]}},
    {"name": "c", "agent": "echo", "input": {"text": "x"}}]}]})");
  const auto done = person.run({"submit", person.path("build.json"), "--watch", "--trace",
                                person.path("t.json"), "--timeline", person.path("t.html")});
  CAPTURE(done.err);
  CHECK(done.code == 0);
  for (const auto* text : {"waited ", "for a slot", "longest waits: P / ", "slowest: P / "})
    CHECK(contains(done.out, text));
  const auto shown = person.run({"show", "@last"}).out;
  CHECK(contains(shown, "slowest: P / "));
  CHECK(contains(shown, "(critical path "));
  std::ifstream trace(person.path("t.json"));
  const auto events = json::parse(std::string(std::istreambuf_iterator<char>(trace), {}));
  CHECK(std::ranges::any_of(events.at("traceEvents").as_array(), [](const json::value& each) {
    return at(each, "/ph") == "X" && at(each, "/cat") == "slot";
  }));
  // What a program that succeeded wrote is there afterwards, too.
  CHECK(contains(person.run({"logs", "@last", "a"}).out, "made a"));
  const auto id = trimmed(person.run({"ls", "-o", "name"}).out);
  const auto task = person.run({"task", id + ".p0.t0", "--json"}).out;
  CHECK(task.find("readyAt") == task.rfind("readyAt"));
  const auto refused = person.run({"watch", id, "--trace", person.path("no/t.json")});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "--trace " + person.path("no/t.json")));
}

TEST_CASE("the tree of a server has the times and the last lines of programs, and no invented bar",
          "[binary][remote]") {
  const served server({"--store", "memory", "--allow-commands"});
  const desk person(url_of(server));
  person.write("slow.json", R"({"name": "Slow", "plans": [{"name": "P", "tasks": [
    {"name": "soon", "agent": "command", "input": {"argv": ["sleep", "0.1"]}},
    {"name": "slow", "agent": "command", "input": {"argv": ["sh", "-c", "for i in 1 2 3 4; do echo line $i; sleep 0.1; done; until test -e )"
                                + person.path("go")
                                + R"(; do sleep 0.05; done; echo line 12; sleep 60"]}}]}]})");
  const auto id = trimmed(person.run({"submit", person.path("slow.json")}).out);
  REQUIRE(server.reaches(id + ".p0.t0", "TASK_STATE_COMPLETED"));
  auto environment = person.environment();
  environment.insert(environment.end(), {"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm"});
  process watch(person.words({"watch", id}), environment, screen_size{});
  REQUIRE(watch.read_until(
      [](const process& p) {
        return std::regex_search(p.out(), std::regex("slow .*s  line [0-9]"));
      },
      std::chrono::seconds{20}));
  CHECK(std::regex_search(watch.out(), std::regex("soon .*[0-9]s")));
  CHECK_FALSE(std::regex_search(watch.out(), std::regex("slow[^\\n]*░[^\\n]*\\n")));
  process log(person.words({"logs", id, "--follow"}), person.environment());
  REQUIRE(log.read_until([](const process& p) { return contains(p.out(), "slow | line 4"); },
                         std::chrono::seconds{30}));
  person.write("go", "");
  // The task goes on for a minute.
  CHECK(log.read_until([](const process& p) { return contains(p.out(), "slow | line 12"); },
                       std::chrono::seconds{30}));
  CHECK(log.out().find("line 1\n") == log.out().rfind("line 1\n"));
  CHECK(person.run({"cancel", id}).code == 0);
  CHECK(log.wait() == 0);
  CHECK(watch.wait() == 130);
  CHECK(contains(watch.out(), "⊘ P"));
}

TEST_CASE("watch asks at a prompt, and what was pasted behind an answer answers nothing else",
          "[binary][remote]") {
  const served server;
  const desk person(url_of(server));
  person.write("trip.json", R"({"name": "Trip", "plans": [{"name": "P", "tasks": [
    {"name": "from", "agent": "scripted", "input": {"steps": [{"ask": "Where from?"}, {"artifactFromAnswer": {"name": "city"}}]}},
    {"name": "to", "agent": "scripted", "input": {"steps": [{"ask": "Where to?"}, {"artifactFromAnswer": {"name": "city"}}]}}]}]})");
  const auto submit = [&] { return trimmed(person.run({"submit", person.path("trip.json")}).out); };
  auto environment = person.environment();
  environment.insert(environment.end(), {"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm"});
  const auto shows = [](const std::string& text) {
    return [text](const process& p) { return contains(p.out(), text); };
  };
  const auto from = shows("? P / from"), to = shows("? P / to");

  const auto id = submit();
  process watch(person.words({"watch", id}), environment, screen_size{});
  REQUIRE(watch.read_until([&](const process& p) { return from(p) || to(p); },
                           std::chrono::seconds{20}));
  const bool is_from_first = from(watch);
  watch.send_input("pasted one\npasted two\n");
  REQUIRE(watch.read_until(is_from_first ? to : from, std::chrono::seconds{20}));
  watch.send_input("typed\n");
  CHECK(watch.wait() == 0);
  CHECK(watch.is_cooked());
  CHECK(contains(watch.out(), "completed: 2 of 2 tasks"));
  const auto shown = person.run({"show", id}).out;
  CHECK(contains(shown, "pasted one"));
  CHECK(contains(shown, "typed"));
  CHECK_FALSE(contains(shown, "pasted two"));

  process given_up(person.words({"watch", submit()}), environment, screen_size{});
  REQUIRE(given_up.read_until([&](const process& p) { return from(p) || to(p); },
                              std::chrono::seconds{20}));
  given_up.send_input("\x04");
  CHECK(given_up.wait() == 3);
  CHECK(given_up.is_cooked());
}

TEST_CASE("answer asks at a prompt with the choices, until an answer fits",
          "[binary][remote][terminal]") {
  const served server({"--store", "memory", "--allow-commands"});
  const desk person(url_of(server));
  person.write("choose.json", R"({"name": "Trip", "tasks": [
    {"name": "to", "agent": "command", "input": {"protocol": "jsonl", "argv": ["sh", "-c",
      "read order; echo '{\"ask\": {\"prompt\": \"Where to?\", \"schema\": {\"enum\": [\"sea\", \"city\"]}}}'; read answer; echo \"$answer\" >&2; echo '{\"complete\": \"ok\"}'"]}}]})");
  const auto id = trimmed(person.run({"submit", person.path("choose.json")}).out);
  REQUIRE(comes_true([&] { return contains(person.run({"inbox", "-o", "name"}).out, id); }));
  auto environment = person.environment();
  environment.insert(environment.end(), {"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm"});
  process answer(person.words({"answer", id + ".p0.t0"}), environment, screen_size{});
  const auto prompts = [](std::size_t count) {
    return [count](const process& p) {
      std::size_t seen = 0;
      for (auto at = p.out().find("\n> "); at != std::string::npos;
           at = p.out().find("\n> ", at + 1))
        ++seen;
      return seen >= count;
    };
  };
  REQUIRE(answer.read_until(prompts(1), std::chrono::seconds{20}));
  CHECK(contains(answer.out(), "Where to?"));
  CHECK(contains(answer.out(), "  1  sea"));
  CHECK(contains(answer.out(), "  2  city"));
  answer.send_input("lake\n");
  REQUIRE(answer.read_until(prompts(2), std::chrono::seconds{20}));
  answer.send_input("2\n");
  CHECK(answer.wait() == 0);
  CHECK(contains(answer.out(), "question " + id + ".p0.t0.question-1 answered"));
  CHECK(person.run({"watch", id, "-q"}).code == 0);
  CHECK(contains(person.run({"logs", id}).out, R"("answer":"city")"));

  const auto other = trimmed(person.run({"submit", person.path("choose.json")}).out);
  REQUIRE(comes_true([&] { return contains(person.run({"inbox", "-o", "name"}).out, other); }));
  process given_up(person.words({"answer", other + ".p0.t0"}), environment, screen_size{});
  REQUIRE(given_up.read_until(prompts(1), std::chrono::seconds{20}));
  given_up.send_input("\x04");
  CHECK(given_up.wait() == 3);
}

TEST_CASE("logs of a server are followed until the task, or the objective, ends",
          "[binary][remote]") {
  const served server({"--store", "memory", "--allow-commands"});
  const desk person(url_of(server));
  person.write("two.json", R"({"name": "Two", "plans": [{"name": "P", "tasks": [
    {"name": "first", "agent": "command", "input": {"argv": ["sh", "-c", "echo first words"]}},
    {"name": "asks", "agent": "scripted", "dependencies": ["first"],
     "input": {"steps": [{"ask": "Go on?"}, {"complete": "yes"}]}},
    {"name": "last", "agent": "command", "dependencies": ["asks"],
     "input": {"argv": ["sh", "-c", "echo last words >&2"]}}]}]})");
  const auto id = trimmed(person.run({"submit", person.path("two.json")}).out);
  process all(person.words({"logs", id, "--follow"}), person.environment());
  REQUIRE(all.read_until([](const process& p) { return contains(p.out(), "first words"); },
                         std::chrono::seconds{20}));
  // The objective goes on, and the task has ended.
  const auto first = person.run({"logs", id, "first", "--follow"});
  CHECK(first.code == 0);
  CHECK(contains(first.out, "first words"));
  CHECK(server.reaches(id + ".p0.t1", "TASK_STATE_INPUT_REQUIRED"));
  process one(person.words({"logs", id, "last", "--follow", "--json"}), person.environment());
  CHECK(person.run({"answer", id, "yes"}).code == 0);
  CHECK(all.wait() == 0);
  CHECK(one.wait() == 0);
  const auto words = all.out().find("first words");
  CHECK(all.out().find("first words", words + 1) == std::string::npos);
  CHECK(contains(all.out(), "last words"));
  CHECK_FALSE(contains(one.out(), "first words"));
  const auto lines = lines_of(one.out());
  REQUIRE(lines.size() == 1);
  const auto last = json::parse(lines.front());
  CHECK(at(last, "/plan") == "P");
  CHECK(at(last, "/name") == "last");
  CHECK(at(last, "/stream") == "stderr");
  CHECK(at(last, "/text") == "last words");
  CHECK(last.as_object().contains("at"));
  CHECK(contains(all.out(), "s  last | last words\n"));
  CHECK(person.run({"logs", id, "nothing", "--follow"}).code == 1);
}

TEST_CASE("watch says that the connection is lost, and goes on where it broke",
          "[binary][remote]") {
  relay between;
  const served server({"--store", "memory", "--public-url", between.url()});
  between.lead_to(server.port());
  desk person(between.url());
  person.write("trip.json", asking_plan);
  const auto id = trimmed(person.run({"submit", person.path("trip.json")}).out);
  between.cut_after("input-required");
  process watch(person.words({"watch", id, "--wait"}), person.environment());
  CHECK(watch.read_until([](const process& p) { return contains(p.err(), "connected again"); },
                         std::chrono::seconds{20}));
  CHECK(contains(watch.err(), between.url() + ": the connection is lost ("));
  CHECK(person.run({"answer", "@last", "yes"}).code == 0);
  CHECK(watch.wait() == 0);
  CHECK(contains(watch.out(), "completed: 3 of 3 tasks"));
}

TEST_CASE("watch tells each change and each question once over a restart of the server",
          "[binary][remote]") {
  relay between;
  const temporary_directory place;
  const std::vector<std::string> words{"--data", place / "data", "--public-url", between.url()};
  std::optional<served> server(std::in_place, words);
  between.lead_to(server->port());
  const desk person(between.url());
  person.write("trip.json", asking_plan);
  const auto id = trimmed(person.run({"submit", person.path("trip.json")}).out);
  process watch(person.words({"watch", id, "--json", "--wait"}), person.environment());
  REQUIRE(watch.read_until([](const process& p) { return contains(p.err(), "By the sea?"); },
                           std::chrono::seconds{20}));
  CHECK(server->stop() == 0);
  server.emplace(words);
  between.lead_to(server->port());
  CHECK(server->reaches(id + ".p0.t1", "TASK_STATE_INPUT_REQUIRED"));
  CHECK(person.run({"answer", id + ".p0.t1", "yes"}).code == 0);
  CHECK(watch.wait() == 0);
  std::map<std::string, int> completed;
  for (const auto& line : lines_of(watch.out()))
    if (const auto event = json::parse(line);
        at(event, "/event") == "task_moved" && at(event, "/state") == "completed")
      ++completed[at(event, "/task/name")];
  CHECK(completed["Flight"] <= 1); // It may have landed before `watch` began.
  CHECK(completed["Hotel"] == 1);
  CHECK(completed["Letter"] == 1);
  INFO(watch.err() << watch.out());
  const auto first = watch.err().find("By the sea?");
  CHECK(watch.err().find("By the sea?", first + 1) == std::string::npos);
}

TEST_CASE("a server that cannot be reached is said, also by what only Troupe has",
          "[binary][remote]") {
  for (const std::string command : {"answer", "claim"}) {
    std::vector<std::string> words{troupe_binary(), command, "t.question-1"};
    if (command == "answer")
      words.emplace_back("yes");
    words.insert(words.end(), {"--server", "http://127.0.0.1:1"});
    const auto refused = run_program(words);
    CHECK(refused.code != 0);
    CHECK_THAT(refused.err, ContainsSubstring("127.0.0.1:1"));
    CHECK(refused.err.find("no questions") == std::string::npos);
  }
}

TEST_CASE("a question is claimed, and only who claimed it answers, or who overrides",
          "[binary][remote]") {
  const served server;
  desk person(url_of(server));
  person.write("trip.json", asking_plan);
  const auto id = trimmed(person.run({"submit", person.path("trip.json")}).out);
  const auto task = id + ".p0.t1";
  REQUIRE(person.run({"watch", id}).code == 3); // It asks.
  const auto claimed = person.run({"claim", task, "--by", "anna"});
  CAPTURE(claimed.err);
  CHECK(claimed.code == 0);
  CHECK(contains(claimed.out, "question " + task + ".question-1 claimed by anna until "));
  CHECK(contains(person.run({"inbox", id}).out, "CLAIMED BY"));
  CHECK(contains(person.run({"inbox", id}).out, "anna"));
  const auto refused = person.run({"answer", task, "no", "--by", "bob"});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "claimed by \"anna\""));
  CHECK(person.run({"claim", task, "--by", "bob"}).code == 1);
  CHECK(person.run({"claim", task, "--by", "anna", "--release"}).out
        == "question " + task + ".question-1 released\n");
  CHECK_FALSE(contains(person.run({"inbox", id}).out, "CLAIMED BY"));
  const auto taken = person.run({"claim", task, "--by", "bob", "--json"});
  CHECK(json::parse(taken.out).at("claim").at("by") == "bob");
  CHECK(contains(person.run({"answer", task, "no", "--by", "anna"}).err,
                 "leave it to them, or send it with --override"));
  CHECK(person.run({"answer", task, "yes", "--by", "anna", "--override"}).out
        == "question " + task + ".question-1 answered\n");
  const auto other = trimmed(person.run({"submit", person.path("trip.json")}).out) + ".p0.t1";
  REQUIRE(server.reaches(other, "TASK_STATE_INPUT_REQUIRED"));
  CHECK(person.run({"answer", other, "--decline"}).out
        == "question " + other + ".question-1 declined\n");
}

TEST_CASE("operations of a plan may be sent to the objective that has only this plan",
          "[binary][remote]") {
  const served server;
  desk person(url_of(server));
  person.write("trip.json", asking_plan);
  const auto id = trimmed(person.run({"submit", person.path("trip.json")}).out);
  REQUIRE(person.run({"watch", id}).code == 3);
  person.write("operations.json",
               R"([{"op": "addTask", "name": "Map"}, {"op": "setPlan", "name": "Book it"}])");
  const auto changed = person.run({"modify", id, person.path("operations.json")});
  CAPTURE(changed.err);
  CHECK(contains(changed.out, "plan " + id + ".p0 is at revision 1\n"));
}

TEST_CASE("an objective is changed by a file and by one task, and its history shows it",
          "[binary][remote]") {
  const temporary_directory data;
  const served server({"--data", data.path().string()});
  desk person(url_of(server));
  person.write("trip.json", asking_plan);
  const auto id = trimmed(person.run({"submit", person.path("trip.json")}).out);
  REQUIRE(person.run({"watch", id}).code == 3);
  person.write("operations.json",
               R"([{"op": "setObjective", "priority": 7},
                   {"op": "addPlan", "name": "Pack", "tasks": [{"name": "Suitcase", "agent": "echo"}]}])");
  const auto dry =
      person.run({"modify", id, person.path("operations.json"), "--dry-run", "--json"});
  CAPTURE(dry.err);
  REQUIRE(dry.code == 0);
  CHECK(json::parse(dry.out).at("dryRun") == true);
  const auto changed =
      person.run({"modify", id, person.path("operations.json"), "--reason", "it may rain"});
  CAPTURE(changed.err);
  CHECK(changed.out
        == "objective " + id + " is at revision 1\n  added " + id + ".p1\n  released " + id
               + ".p1\n");
  const auto added = person.run({"modify", id + ".p0", "--add", "Map", "--after", "Hotel"});
  CAPTURE(added.err);
  CHECK(contains(added.out, "plan " + id + ".p0 is at revision 2\n  added " + id + ".p0.t3\n"));
  const auto which = person.run({"modify", id, "--add", "Map"});
  CHECK(which.code == 1);
  CHECK(contains(which.err, "It has 2: " + id + ".p0, " + id + ".p1"));
  CHECK(person.run({"modify", id, person.path("operations.json"), "--if-revision", "1"}).code == 1);
  CHECK(person.run({"modify", id}).code == 2);
  const auto history = person.run({"history", id});
  CAPTURE(history.out);
  CHECK(contains(history.out, "it may rain"));
  CHECK(contains(history.out, "addPlan " + id + ".p1"));
  CHECK(contains(history.out, "addTask " + id + ".p0.t3"));
  const auto of_plan = person.run({"history", id + ".p0", "--json"});
  CHECK(json::parse(of_plan.out).at("revision") == 2);
  CHECK_FALSE(contains(of_plan.out, "troupe/v1/key")); // The client gave no id.
  person.write("misspelled.json", R"([{"op": "addTaks", "name": "Map"}])");
  const auto misspelled = person.run({"modify", id + ".p0", person.path("misspelled.json")});
  CHECK(contains(misspelled.err, "did you mean \"addTask\"?"));
  const auto past = person.run({"history", id, "--at", "0"});
  CHECK(json::parse(past.out).at("plans").as_array().size() == 1);
  CHECK(person.run({"history", id, "--at", "9"}).code == 1);
}
