// Runs that are found again, as a person or a script meets them: results at the end, `troupe ls`,
// `show`, `logs`, `rm`, `run --resume` and `--retry`. The real binary, and real programs.
#include "tests/apps/run_user.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

using namespace troupe::testing;
using namespace troupe::testing::runs;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr const char* chain = R"({"name": "Chain", "tasks": [
  {"id": "first", "agent": "echo", "input": {"text": "in the middle"}},
  {"id": "last", "agent": "echo", "input": {"text": "at the end"}, "dependencies": ["first"]}]})";

} // namespace

TEST_CASE("the first plan prints what it made", "[apps][binary][runs]") {
  user me;
  const auto file = me.file("hello.json", hello);
  const auto done = me.troupe({"run", file});
  CHECK(done.code == 0);
  CHECK(contains(done.out, "--- Hello / greet\nHello, world\ncompleted: 1 of 1 task in "));
  CHECK(done.err.empty());
  process screen({troupe_binary(), "run", file}, me.environment(), screen_size{});
  CHECK(screen.wait() == 0);
  CHECK(contains(screen.out(), "--- Hello / greet\r\nHello, world\r\ncompleted: 1 of 1 task in "));
}

TEST_CASE("results are those of the last tasks, of all, or none", "[apps][binary][runs]") {
  user me;
  const auto file = me.file("chain.json", chain);
  const auto shown = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", file, "--store", "memory"});
    return me.troupe(std::move(words)).out;
  };
  CHECK(contains(shown({}), "--- Chain / last\nat the end\n"));
  CHECK_FALSE(contains(shown({}), "in the middle"));
  CHECK(contains(shown({"--output", "all"}), "--- Chain / first\nin the middle\n"));
  CHECK_FALSE(contains(shown({"--output", "none"}), "at the end"));
  CHECK_FALSE(contains(shown({"-q"}), "at the end"));
  CHECK(contains(shown({"-q", "--output", "results"}), "at the end"));
  CHECK_FALSE(contains(shown({"--json"}), "---"));
}

TEST_CASE("results are written as files", "[apps][binary][runs]") {
  user me;
  const auto file = me.file("chain.json", chain);
  const auto out = me.home / "out";
  CHECK(me.troupe({"run", file, "-q", "--output", "none", "--output-dir", out}).code == 0);
  CHECK(text_of(out + "/Chain/last/echo.txt") == "at the end");
  CHECK_FALSE(std::filesystem::exists(out + "/Chain/first"));
  CHECK(me.troupe({"show", "@last", "--output", "all", "--output-dir", out}).code == 0);
  CHECK(text_of(out + "/Chain/first/echo.txt") == "in the middle");
  const auto refused = me.troupe({"run", file, "--output-dir", file});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "--output-dir"));
  std::filesystem::remove_all(out + "/Chain");
  std::ofstream(out + "/Chain") << "in the way";
  const auto lost = me.troupe({"run", file, "-q", "--output-dir", out});
  CHECK(lost.code == 1);
  CHECK(contains(lost.err, "cannot be written"));
}

TEST_CASE("a failed program shows the end of what it wrote, once and with line breaks",
          "[apps][binary][runs]") {
  user me;
  const auto file = me.file(
      "build.json",
      plan(program("compile", "echo cc a.c; echo a.c:1: error >&2; echo make: Error >&2; exit 2")));
  const auto done = me.troupe({"run", file});
  CHECK(done.code == 1);
  CHECK(contains(done.out, "\nfailed: Build / compile: exited with 2\n"));
  for (const auto* line : {"\n  cc a.c\n", "\n  make: Error\n"}) {
    const auto at = done.out.find(line);
    CHECK(at != std::string::npos);
    CHECK(done.out.find(line + 3, at + 4) == std::string::npos);
  }
  CHECK(contains(done.out, "\nfailed: 0 of 1 task completed, 1 failed, in "));
  CHECK(contains(done.err, "troupe logs " + me.id()));
  const auto as_json = me.troupe({"run", file, "--json"});
  CHECK(contains(as_json.out, " stdout cc a.c\\n"));
}

TEST_CASE("in a GitHub workflow the log can be folded, task by task", "[apps][binary][runs]") {
  user me;
  const auto file = me.file(
      "build.json", plan(R"({"id": "greet", "agent": "echo", "input": {"text": "::error::x"}}, )"
                         + program("compile", "echo cc a.c; echo error; exit 2")));
  const std::vector<std::string> words{troupe_binary(), "run", file, "--store", "memory"};
  auto environment = me.environment();
  environment.emplace_back("GITHUB_ACTIONS=true");
  const auto done = run_program(words, {}, environment);
  CHECK(done.code == 1);
  const auto stop = std::string("::stop-commands::");
  const auto found = done.out.find(stop);
  REQUIRE(found != std::string::npos);
  const auto token =
      done.out.substr(found + stop.size(), done.out.find('\n', found) - found - stop.size());
  CHECK(token.size() > 16);
  const auto end = "::" + token + "::\n::endgroup::\n";
  CHECK(contains(done.out, "\n::group::Build / greet\n" + stop + token + "\n::error::x\n" + end));
  CHECK(contains(done.out, "\nfailed: Build / compile: exited with 2\n"
                           "::group::what Build / compile wrote\n"
                               + stop + token + "\n  cc a.c\n  error\n" + end));
  process screen(words, environment, screen_size{});
  CHECK(screen.wait() == 1);
  CHECK_FALSE(contains(screen.out(), "::group::")); // A person looks.
  environment.back() = "GITHUB_ACTIONS=false";
  CHECK_FALSE(contains(run_program(words, {}, environment).out, "::group::"));
}

TEST_CASE("what programs wrote is found again, line by line", "[apps][binary][runs]") {
  user me;
  const auto file =
      me.file("build.json", plan(program("a", "echo one; echo two >&2") + ", "
                                 + program("b", "echo three", R"(, "dependencies": ["a"])")));
  REQUIRE(me.troupe({"run", file, "-q"}).code == 0);
  const auto all = me.troupe({"logs", "@last"});
  CHECK(all.code == 0);
  for (const auto* line : {"  a | one\n", "  a | two\n", "  b | three\n"})
    CHECK(contains(all.out, line));
  for (const auto* name : {"b", "Build / b"})
    CHECK(lines_of(me.troupe({"logs", "@last", name}).out).size() == 1);
  const auto of_b = me.troupe({"logs", me.id().substr(0, 4), "b"});
  CHECK(lines_of(of_b.out).size() == 1);
  CHECK(contains(of_b.out, "s  three\n"));
  const auto as_json = json::parse(me.troupe({"logs", "@last", "b", "--json"}).out).as_object();
  CHECK(as_json.at("text") == "three");
  CHECK(as_json.at("stream") == "stdout");
  CHECK(as_json.contains("at"));
  const auto unknown = me.troupe({"logs", "@last", "c"});
  CHECK(unknown.code == 2);
  CHECK(contains(unknown.err, "those that did: a, b"));
}

TEST_CASE("the log of a run is followed while it goes on", "[apps][binary][runs]") {
  user me;
  const auto gate = me.home / "gate";
  const auto file =
      me.file("build.json", plan(program("a", "echo begun; while [ ! -e " + gate
                                                  + " ]; do sleep 0.05; done; echo over")));
  process run({troupe_binary(), "run", file, "--json"}, me.environment());
  REQUIRE(run.read_until([](const process& p) { return contains(p.out(), "\"attempt\":1"); }, 30s));
  process follow({troupe_binary(), "logs", "@last", "--follow"}, me.environment());
  REQUIRE(follow.read_until([](const process& p) { return contains(p.out(), "begun"); }, 30s));
  CHECK(me.run().at("state") == "running");
  const auto shown = me.troupe({"show", "@last"});
  CHECK(shown.code == 2);
  CHECK(contains(shown.err, "is running"));
  CHECK(me.troupe({"rm", "@last"}).code == 1);
  std::ofstream(gate) << "open";
  CHECK(run.wait() == 0);
  CHECK(follow.wait() == 0);
  CHECK(contains(follow.out(), "over\n"));
}

TEST_CASE("the last line of a program that runs is in the tree", "[apps][binary][terminal]") {
  user me;
  const auto file = me.file("build.json", plan(program("a", "echo half way; exec sleep 1000")));
  process run({troupe_binary(), "run", file, "--store", "memory"}, me.environment(), screen_size{});
  REQUIRE(run.read_until([](const process& p) { return contains(p.out(), "half way"); }, 30s));
  run.send_input("\x03");
  CHECK(run.wait() == 130);
}

TEST_CASE("runs are listed, shown as they ended, and removed", "[apps][binary][runs]") {
  user me;
  CHECK(contains(me.troupe({"ls"}).err, "no runs yet"));
  const auto good = me.file("hello.json", hello);
  const auto bad = me.file("bad.json", plan(program("a", "exit 3")));
  REQUIRE(me.troupe({"run", good, "-q"}).code == 0);
  const auto first = me.id();
  REQUIRE(me.troupe({"run", bad, "-q"}).code == 1);
  const auto listed = me.troupe({"ls"});
  REQUIRE(lines_of(listed.out).size() == 3);
  CHECK(contains(lines_of(listed.out)[1], "failed"));
  CHECK(contains(lines_of(listed.out)[1], "0/1    Build"));
  CHECK(contains(lines_of(listed.out)[2], first + "  completed"));
  const auto shown = me.troupe({"show", first});
  CHECK(shown.code == 0);
  CHECK(contains(shown.out, "greet"));
  CHECK(contains(shown.out, "--- Hello / greet\nHello, world\ncompleted: 1 of 1 task"));
  const auto failed = me.troupe({"show", "@last"}).out;
  CHECK(contains(failed, "failed: Build / a: exited with 3\n"));
  CHECK(contains(failed, "s  exited with 3\n")); // In the tree, behind its time, as it was live.
  CHECK(me.troupe({"show", "nosuch"}).code == 2);
  const auto removed = me.troupe({"rm", first});
  CHECK(removed.out == "removed " + first + "\n");
  CHECK(me.run().at("state") == "failed");
  CHECK(me.troupe({"rm", "--keep", "x"}).code == 2);
  CHECK(me.troupe({"rm", "--keep", "0"}).code == 0);
  CHECK(me.troupe({"ls", "--json"}).out.empty());
}

TEST_CASE("rm removes nothing while commands go to a server", "[apps][binary][runs]") {
  user me;
  REQUIRE(me.troupe({"run", me.file("hello.json", hello)}).code == 0);
  auto elsewhere = me.environment();
  elsewhere.emplace_back("TROUPE_SERVER=http://127.0.0.1:9");
  const auto refused = run_program({troupe_binary(), "rm", "@last"}, {}, elsewhere);
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "rm removes runs of this computer, and the server is "
                              "http://127.0.0.1:9; to remove local runs, say --server local"));
  CHECK(run_program({troupe_binary(), "rm", "@last", "--server", "local"}, {}, elsewhere).code
        == 0);
  CHECK(me.troupe({"ls", "--json"}).out.empty());
}

TEST_CASE("old runs are removed at the end of a new one", "[apps][binary][runs]") {
  user me;
  const auto file = me.file("hello.json", hello);
  for (int i = 0; i < 3; ++i)
    REQUIRE(me.troupe({"run", file, "-q", "--keep", "2"}).code == 0);
  CHECK(lines_of(me.troupe({"ls", "--json"}).out).size() == 2);
  CHECK(me.troupe({"run", file, "-q", "--keep", "many"}).code == 2);
  CHECK(lines_of(me.troupe({"ls", "--json"}).out).size() == 2); // nothing was run
}

TEST_CASE("two runs of one file at the same time do not disturb each other",
          "[apps][binary][runs]") {
  user me;
  const auto file = me.file("slow.json", endless);
  process one({troupe_binary(), "run", file, "--json"}, me.environment());
  process two({troupe_binary(), "run", file, "--json"}, me.environment());
  for (auto* each : {&one, &two})
    CHECK(
        each->read_until([](const process& p) { return contains(p.out(), "\"attempt\":1"); }, 30s));
  CHECK(lines_of(me.troupe({"ls", "--json"}).out).size() == 2);
  for (auto* each : {&one, &two}) {
    each->signal(SIGTERM);
    CHECK(each->wait() == 130);
  }
}

TEST_CASE("a question that nobody answers leaves the run, and it goes on later",
          "[apps][binary][runs]") {
  user me;
  const auto file = me.file("trip.json", asking);
  const auto left = me.troupe({"run", file, "--no-input"});
  CHECK(left.code == 3);
  CHECK(contains(left.out, "Trip / other: completed")); // all else was done
  CHECK(contains(left.out, "1 of 2 tasks completed, 1 waits for an answer"));
  const auto id = me.id();
  CHECK(contains(left.err, "troupe run --resume " + id));
  CHECK(me.run().at("state") == "waiting");
  CHECK(contains(me.troupe({"run", file, "--no-input", "--store", "memory"}).err, "is gone"));
  const auto done = me.troupe({"run", "--resume", id.substr(0, 5), "--answer", "q=Oslo"});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "--- Trip / q\nOslo\n"));
  CHECK(me.run().at("state") == "completed");
  const auto nothing = me.troupe({"run", "--resume", id});
  CHECK(nothing.code == 2);
  CHECK(contains(nothing.err, "has completed"));
}

TEST_CASE("questions of runs that wait are listed, and an answer goes on with the run",
          "[apps][binary][runs]") {
  user me;
  CHECK(contains(me.troupe({"inbox"}).err, "no run on this computer waits for an answer"));
  CHECK(contains(me.troupe({"answer", "k3v9", "Oslo"}).err, "k3v9"));
  const auto left = me.troupe({"run", me.file("trip.json", asking), "--no-input"});
  REQUIRE(left.code == 3);
  const auto id = me.id();
  CHECK(contains(left.err, "`troupe answer " + id + "`"));
  const auto question = id + ".p0.t0.question-1";
  const auto listed = me.troupe({"inbox"});
  INFO(listed.out << listed.err);
  CHECK(contains(listed.out, question));
  CHECK(contains(listed.out, "Which city?"));
  CHECK(me.troupe({"inbox", "@last", "-o", "name"}).out == question + "\n");
  const auto as_json = json::parse(me.troupe({"inbox", "-o", "json"}).out).as_object();
  CHECK(std::string(as_json.at("objectiveId").as_string()) == id);
  CHECK(as_json.at("prompt").as_string() == "Which city?");

  CHECK(me.troupe({"answer", id + ".p0.t1", "Oslo"}).code == 2); // it asks nothing
  CHECK(me.troupe({"answer", id}).code == 2);                    // there is no terminal
  CHECK(me.run().at("state") == "waiting");
  const auto done = me.troupe({"answer", question, "Oslo"});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "--- Trip / q\nOslo\n"));
  const auto late = me.troupe({"answer", question, "Bergen"});
  CHECK(late.code == 2);
  CHECK(contains(late.err, "nothing of it waits for an answer"));
}

TEST_CASE("an answer is for the question that it names, and earlier ones are not asked again",
          "[apps][binary][runs]") {
  user me;
  const auto left = me.troupe(
      {"run", me.file("two.json", R"({"name": "Two", "tasks": [{"id": "q", "agent": "scripted",
        "input": {"steps": [{"ask": "first?"}, {"artifactFromAnswer": {"name": "one"}},
                            {"ask": "second?"}, {"artifactFromAnswer": {"name": "two"}}]}}]})"),
       "--no-input"});
  REQUIRE(left.code == 3);
  CHECK(me.troupe({"answer", "@last", "A1"}).code == 3);
  const auto second = me.id() + ".p0.t0.question-2";
  CHECK(me.troupe({"inbox", "-o", "name"}).out == second + "\n");
  const auto done = me.troupe({"answer", second, "A2"});
  INFO(done.out << done.err);
  CHECK(done.code == 0);
  const auto shown = me.troupe({"show", "@last", "--output", "all"}).out;
  INFO(shown);
  CHECK(contains(shown, "A1"));
  CHECK(contains(shown, "A2"));
}

TEST_CASE("programs that ask and hold all slots leave the run to wait", "[apps][binary][runs]") {
  user me;
  const auto file = me.file("held.json", R"({"name": "Held", "tasks": [
    {"id": "ask", "agent": "command", "input": {"protocol": "jsonl",
      "shell": "echo '{\"ask\": \"One?\"}'; read order; read answer"}},
    {"id": "next", "agent": "command", "input": {"shell": "echo next"}}]})");
  const auto left = me.troupe({"run", file, "--no-input", "-j", "1"});
  INFO(left.out << left.err);
  CHECK(left.code == 3);
  CHECK(me.run().at("state") == "waiting");
  const auto done = me.troupe({"answer", "@last", "yes"});
  INFO(done.out << done.err);
  CHECK(done.code == 0);
}

TEST_CASE("programs run where the run was begun, from wherever it goes on",
          "[apps][binary][runs]") {
  user me;
  const auto here = me.home / "here";
  std::filesystem::create_directory(here);
  const auto file = me.file("release.json", R"({"name": "Release", "tasks": [
    {"id": "build", "agent": "command", "input": {"shell": "echo art > built"}},
    {"id": "ok", "agent": "scripted", "input": {"steps": [{"ask": "Publish?"}]}, "dependencies": ["build"]},
    {"id": "publish", "agent": "command", "input": {"shell": "cat built"}, "dependencies": ["ok"]}]})");
  const auto left = run_program({"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", here, troupe_binary(),
                                 "run", file, "--no-input"},
                                {}, me.environment());
  REQUIRE(left.code == 3);
  std::filesystem::rename(here, me.home / "elsewhere");
  const auto gone = me.troupe({"answer", "@last", "yes"});
  CHECK(gone.code == 2);
  CHECK(contains(gone.err, here));
  std::filesystem::rename(me.home / "elsewhere", here);
  const auto done = me.troupe({"answer", "@last", "yes"});
  INFO(done.out << done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "--- Release / publish\nart\n"));
  CHECK(contains(done.err, "programs run in " + here));
}

TEST_CASE("of a run in which several tasks ask, an answer names one", "[apps][binary][runs]") {
  user me;
  const auto asks = [](const std::string& name) {
    return R"({"id": ")" + name + R"(", "agent": "scripted", "input": {"steps": [{"ask": "?"}]}})";
  };
  REQUIRE(
      me.troupe({"run", me.file("two.json", plan(asks("a") + "," + asks("b"))), "--no-input"}).code
      == 3);
  const auto id = me.id();
  const auto unclear = me.troupe({"answer", id, "yes"});
  CHECK(unclear.code == 2);
  CHECK(contains(unclear.err, id + ".p0.t0, " + id + ".p0.t1"));
  const auto by_beginning = id.substr(0, 5) + ".p0.t1";
  CHECK(me.troupe({"answer", by_beginning, "yes"}).code == 3); // the other one still asks
  CHECK(me.troupe({"inbox", "-o", "name"}).out == id + ".p0.t0.question-1\n");
  CHECK(me.troupe({"answer", "@last", "yes"}).code == 0);
}

TEST_CASE("the question of a run in a directory of one's own is answered by that directory",
          "[apps][binary][runs]") {
  user me;
  const auto file = me.file("trip.json", asking);
  const auto directory = me.home / "own";
  REQUIRE(me.troupe({"run", file, "--no-input", "--data", directory}).code == 3);
  const auto question = me.troupe({"inbox", directory + "/", "-o", "name"}).out;
  REQUIRE(contains(question, ".p0.t0.question-1"));
  const auto task = question.substr(0, question.find(".question-1"));
  CHECK(me.troupe({"answer", directory + "/k3v9.p0.t1", "Oslo"}).code == 2);
  const auto done = me.troupe({"answer", directory + "/" + task, "Oslo"});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "--- Trip / q\nOslo\n"));
}

TEST_CASE("a run that was killed is interrupted, said, and resumed", "[apps][binary][runs]") {
  user me;
  const auto file = me.file("slow.json", endless);
  {
    process run({troupe_binary(), "run", file, "--json"}, me.environment());
    REQUIRE(
        run.read_until([](const process& p) { return contains(p.out(), "\"attempt\":1"); }, 30s));
    run.signal(SIGKILL);
    CHECK(run.wait() == 128 + SIGKILL);
  }
  CHECK(me.run().at("state") == "interrupted");
  const auto id = me.id();
  const auto shown = me.troupe({"show", id});
  CHECK(shown.code == 0);
  CHECK(contains(lines_of(shown.out).front(), "interrupted"));
  CHECK(contains(shown.out, "1 interrupted"));
  CHECK(contains(shown.out, "interrupted: 0 of 1 task completed, 1 interrupted, in "));
  CHECK(contains(shown.err, "its process died; to go on: `troupe run --resume " + id + "`"));
  const auto refused = me.troupe({"run", "--retry", id});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "--resume"));
  const auto other = me.troupe({"run", file, "-q", "--time-scale", "0"});
  CHECK(contains(other.err, "was interrupted; continue it with --resume " + id));
  const auto done = me.troupe({"run", file, "-q", "--resume", "--time-scale", "0"});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.err, "going on with the run " + id + " \"Slow\" (0 of 1 task completed)"));
  CHECK(contains(me.troupe({"ls"}).out, id + "  completed"));
}

TEST_CASE("the plan of a run is drawn without the time in which nothing ran it",
          "[apps][binary][runs]") {
  user me;
  const auto file = me.file("wait.json", R"({"name": "Wait", "tasks": [
      {"name": "s", "agent": "sleep", "input": {"seconds": 0.2}}]})");
  REQUIRE(me.troupe({"run", file, "-q"}).code == 0);
  CHECK_FALSE(contains(me.troupe({"graph", "--run", "@last"}).out, "0.00s"));
  const auto about = me.home / ("state/troupe/runs/" + me.id() + "/run.json");
  auto text = text_of(about);
  text.insert(1, R"("stopped":[{"from":"2000-01-01T00:00:00Z","to":"2100-01-01T00:00:00Z"}],)");
  std::ofstream(about) << text;
  CHECK(contains(me.troupe({"graph", "--run", "@last"}).out, "[sleep] 0.00s"));
}

TEST_CASE("a run that is killed has said what had completed", "[apps][binary][runs]") {
  user me;
  const auto file =
      me.file("half.json", plan(program("a", "echo half") + ", "
                                + program("b", "exec sleep 1000", R"(, "dependencies": ["a"])")));
  {
    process run({troupe_binary(), "run", file, "--json"}, me.environment());
    REQUIRE(
        run.read_until([](const process& p) { return contains(p.out(), "\"key\":\"b\""); }, 30s));
    CHECK(comes_true([&] { return me.run().at("completed") == 1; }));
    run.signal(SIGKILL);
    CHECK(run.wait() == 128 + SIGKILL);
  }
  CHECK(contains(me.troupe({"ls"}).out, "interrupted"));
  CHECK(contains(me.troupe({"ls"}).out, "1/2"));
}

TEST_CASE("a run that was canceled says how to do the rest, and which one it is",
          "[apps][binary][runs]") {
  user me;
  const auto file = me.file("slow.json", endless);
  process run({troupe_binary(), "run", file}, me.environment());
  REQUIRE(
      run.read_until([](const process& p) { return contains(p.out(), "Slow / s: working"); }, 30s));
  run.signal(SIGINT);
  CHECK(run.wait() == 130);
  const auto id = me.id();
  CHECK_FALSE(contains(run.err(), "not yet recorded"));
  CHECK(contains(run.err(), "to do the rest: `troupe run --retry " + id + "`"));
  const auto none = me.troupe({"run", "--resume"});
  CHECK(none.code == 2);
  CHECK(contains(none.err, "there is no unfinished run to resume"));
  const auto again = me.troupe({"run", "--retry", "-q", "--time-scale", "0"});
  CHECK(again.code == 0);
  CHECK(contains(again.err, "trying again the run " + id + " \"Slow\" (0 of 1 task completed)"));
  // By its id it is no question which one is meant.
  CHECK_FALSE(contains(me.troupe({"run", "--retry", id}).err, "trying again"));
}

TEST_CASE("a program that was stopped or gave up shows what it wrote", "[apps][binary][runs]") {
  user me;
  const auto all = [&](const std::string& script, const std::string& input,
                       const std::string& more = {}) {
    const auto done = me.troupe(
        {"run", me.file("p.json", plan(R"({"id": "p", "agent": "command", "input": {"shell": ")"
                                       + script + "\"" + input + "}" + more + "}"))});
    CHECK(done.code == 1);
    return done.out;
  };
  const auto late = all("echo half way; exec sleep 1000", "", R"(, "timeout": 0.5)");
  CHECK(contains(late, "failed: Build / p: timed out"));
  CHECK(contains(late, "\n  half way\n"));
  const auto word =
      all("echo because >&2; echo of this >&2; echo '{\\\"fail\\\": \\\"no luck\\\"}'",
          R"(, "protocol": "jsonl")");
  CHECK(contains(word, "failed: Build / p: no luck\n  because\n  of this\n"));
  const auto much =
      all("echo first; head -c 100000 /dev/zero; exec sleep 1000", R"(, "outputLimit": 1000)");
  CHECK(contains(much, "(outputLimit)\n"));
  CHECK(contains(much, "\n  first\n"));
  const auto wrong = all("echo hello there", R"(, "protocol": "jsonl")");
  CHECK(contains(wrong, "line 1 of stdout: not JSON ("));
  CHECK(contains(wrong, "\"hello there\""));
}

TEST_CASE("all failed tasks are listed where nobody scrolls", "[apps][binary][runs]") {
  user me;
  std::string tasks;
  for (int i = 0; i < 12; ++i)
    tasks += (i == 0 ? "" : ", ") + program("t" + std::to_string(i), "exit 1");
  const auto file = me.file("many.json", R"({"name": "Many", "plans": [{"name": "Many", "onFailure":
    "continue", "tasks": [)" + tasks + "]}]}");
  const auto done = me.troupe({"run", file});
  CHECK(contains(done.out, "failed: Many / t11: exited with 1\n"));
  process screen({troupe_binary(), "show", "@last"}, me.environment(), screen_size{});
  CHECK(screen.wait() == 0);
  CHECK(contains(screen.out(), "failed: 2 more tasks (`troupe show @last --output failed` shows"));
  process whole({troupe_binary(), "show", "@last", "--output", "failed"}, me.environment(),
                screen_size{});
  CHECK(whole.wait() == 0);
  CHECK_FALSE(contains(whole.out(), "more tasks"));
}

TEST_CASE("a run whose entry is damaged is listed, and can be removed", "[apps][binary][runs]") {
  user me;
  REQUIRE(me.troupe({"run", me.file("hello.json", hello), "-q"}).code == 0);
  const auto id = me.id();
  std::ofstream(me.home / ("state/troupe/runs/" + id + "/run.json")) << "{";
  CHECK(contains(me.troupe({"ls"}).out, id + "  damaged"));
  CHECK(me.troupe({"run", "--resume"}).code == 2);
  CHECK(me.troupe({"rm", id}).out == "removed " + id + "\n");
  CHECK(me.troupe({"ls", "--json"}).out.empty());
}

TEST_CASE("a file of times that cannot be written is refused before anything runs",
          "[apps][binary][runs]") {
  user me;
  const auto refused = me.troupe({"run", me.file("hello.json", hello), "--trace", "/proc/t"});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "--trace /proc/t: "));
  CHECK(me.troupe({"ls", "--json"}).out.empty());
}

TEST_CASE("no tree is drawn where the terminal is not known", "[apps][binary][terminal]") {
  user me;
  auto environment = me.environment();
  std::erase(environment, "TERM=xterm");
  environment.emplace_back("TERM=");
  process run({troupe_binary(), "run", me.file("hello.json", hello)}, environment, screen_size{});
  CHECK(run.wait() == 0);
  CHECK(contains(run.out(), "Hello / greet: completed"));
  CHECK_FALSE(contains(run.out(), "\x1b["));
}

TEST_CASE("a retry does again only what failed and what depends on it", "[apps][binary][runs]") {
  user me;
  const auto fixed = me.home / "fixed";
  const auto count = me.home / "count";
  const auto file =
      me.file("build.json",
              // The failure would cancel the first one, if it still ran then.
              plan(program("fine", "echo x >> " + count) + ", "
                   + program("broken", "test -e " + fixed, R"(, "dependencies": ["fine"])") + ", "
                   + program("after", "echo made", R"(, "dependencies": ["broken"])")));
  const auto failed = me.troupe({"run", file});
  CHECK(failed.code == 1);
  const auto id = me.id();
  CHECK(contains(failed.err, "troupe run --retry " + id));
  std::ofstream(fixed) << "yes";
  const auto done = me.troupe({"run", "--retry", id});
  INFO(done.out + done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "--- Build / after\nmade\n"));
  CHECK(contains(done.out, "completed: 3 of 3 tasks"));
  CHECK(text_of(count) == "x\n");
  CHECK(me.run().at("state") == "completed");
  const auto history = me.troupe({"history", id});
  INFO(history.out + history.err);
  CHECK(history.code == 0);
  CHECK(contains(history.out, "retryTask"));
  const auto of_plan = me.troupe({"history", id + ".p0", "--json"});
  REQUIRE_FALSE(lines_of(of_plan.out).empty());
  const auto last = json::parse(lines_of(of_plan.out).front());
  CHECK(last.at("operations").at(0).at("op") == "retryTask");
  CHECK(last.at("operations").at(0).at("plan") == json::value(id + ".p0"));
  const auto revision = json::serialize(last.at("revision"));
  CHECK(me.troupe({"history", id, "--after", revision, "--json"}).out.empty());
  CHECK(contains(me.troupe({"history", id, "--at", "0"}).out, "\"broken\""));
  CHECK(me.troupe({"history", id, "--at", "99"}).code == 1);
  CHECK(me.troupe({"history", id + ".p7"}).code == 2);
  const auto again = me.troupe({"run", file, "--retry"});
  CHECK(again.code == 2);
  CHECK(contains(again.err, "there is no failed or canceled run to retry"));
}

TEST_CASE("retry and resume without a server are about the runs of this computer",
          "[apps][binary][runs]") {
  user me;
  const auto good = me.home / "good";
  const auto file = me.file("bad.json", plan(program("a", "test -e " + good)));
  REQUIRE(me.troupe({"run", file, "-q"}).code == 1);
  CHECK(me.troupe({"resume", "@last"}).code == 2); // It has ended.
  const auto mended = me.troupe({"retry", "@last", file});
  CHECK(mended.code == 2);
  CHECK(contains(mended.err, "`troupe run --retry " + file + "`"));
  std::ofstream{good};
  const auto again = me.troupe({"retry", "@last"});
  CHECK(again.code == 0);
  CHECK(contains(again.out, "completed: 1 of 1 task"));
  const auto asks = me.file("asks.json", asking);
  REQUIRE(me.troupe({"run", asks, "--no-input", "-q"}).code == 3);
  CHECK(me.troupe({"resume", "@last"}).code == 3); // Nobody is there to be asked.
  CHECK(contains(me.troupe({"pause", "@last"}).err, "which server?"));
}

TEST_CASE("the history of a run has what is deep in its plans", "[apps][binary][runs]") {
  user me;
  const auto deep = std::string(60, '[') + std::string(60, ']');
  const auto with = R"(, "metadata": {"deep": )" + deep + "}";
  const auto file = me.file("deep.json", plan(program("one", "exit 1", with)));
  REQUIRE(me.troupe({"run", file, "-q"}).code == 1);
  me.file("deep.json", plan(program("one", "exit 0", with)));
  REQUIRE(me.troupe({"run", "--retry", file, "-q"}).code == 0);
  const auto history = me.troupe({"history", me.id(), "--json"});
  CHECK(history.code == 0);
  CHECK(contains(history.out, R"("op":"replaceTask")"));
  CHECK(contains(history.out, deep));
}

TEST_CASE("the history of a run is found by a directory that has a dot, and of no other run",
          "[apps][binary][runs]") {
  user me;
  const auto directory = me.home / "tmp.k3v9";
  REQUIRE(me.troupe({"run", me.file("hello.json", hello), "--data", directory}).code == 0);
  CHECK(me.troupe({"history", directory}).code == 0);
  CHECK(me.troupe({"history", directory + "/"}).code == 0);
  const auto wrong = me.troupe({"history", directory + "/wrong.p0"});
  CHECK(wrong.code == 2);
  CHECK(contains(wrong.err, "wrong"));
}

TEST_CASE("a run that was refused leaves nothing behind", "[apps][binary][runs]") {
  user me;
  CHECK(me.troupe({"run", me.file("bad.json", "{"), "-q"}).code == 2);
  CHECK(me.troupe({"ls", "--json"}).out.empty());
}

TEST_CASE("a plan is run with values for its parameters", "[apps][binary]") {
  user me;
  const auto file = me.file("hello.json", R"({"name": "Hello",
    "params": {"who": {"description": "Whom to greet"}, "seconds": {"default": 0}},
    "tasks": [{"id": "wait", "agent": "sleep", "input": {"seconds": "${params.seconds}"}},
      {"id": "greet", "agent": "echo", "input": {"text": "Hello, ${params.who}"}, "dependencies": ["wait"]}]})");
  const auto done = me.troupe({"run", file, "--param", "who=Ada"});
  CHECK(contains(done.out, "Hello, Ada\n"));
  const auto missing = me.troupe({"run", file});
  CHECK(missing.code == 2);
  CHECK(contains(missing.err, "who (Whom to greet)"));
  CHECK(me.troupe({"validate", file, "--param", "who=x"}).code == 0);
  CHECK(me.troupe({"validate", file}).code == 2);
}

TEST_CASE("a dry run says what would begin when, and runs nothing", "[apps][binary]") {
  user me;
  const auto done = me.troupe({"run", me.file("chain.json", chain), "--dry-run"});
  CHECK(done.code == 0);
  CHECK(done.out
        == "step 1: 1 task\n  Chain / first [echo]\n"
           "step 2: 1 task\n  Chain / last [echo], after Chain / first\n");
  CHECK(me.troupe({"ls", "--json"}).out.empty());
}

TEST_CASE("a first plan is written, is valid, and runs", "[apps][binary]") {
  user me;
  for (const std::string name : {"plan.yaml", "plan.yml", "plan.json"}) {
    INFO(name);
    const auto file = me.home / name;
    const auto written = me.troupe({"init", file});
    CHECK(written.code == 0);
    CHECK(contains(written.err, "run it with: `troupe run " + file + "`"));
    // The schema that it names is beside it.
    CHECK(contains(text_of(file), "plan.schema.json"));
    CHECK(text_of(me.home / "plan.schema.json")
          == text_of(source_dir() + "/docs/plan.schema.json"));
    CHECK(me.troupe({"validate", file}).code == 0);
    const auto ran = me.troupe({"run", file, "-q", "--output", "results", "--param", "who=Ada"});
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "Hello, Ada! It is "));
    const auto again = me.troupe({"init", file});
    CHECK(again.code == 2);
    CHECK(contains(again.err, "is there already"));
    CHECK(me.troupe({"init", file, "--force"}).code == 0);
  }
  CHECK(me.troupe({"init", me.home / "plan.txt"}).code == 2);
  CHECK(me.troupe({"init", me.home / "no/plan.yaml"}).code == 1);
  CHECK(contains(me.troupe({"init", "-"}).out, "tasks:"));
}

TEST_CASE("the schema of plans is printed as it is in the documents", "[apps][binary]") {
  user me;
  const auto printed = me.troupe({"schema"}).out;
  CHECK(printed == text_of(source_dir() + "/docs/plan.schema.json"));
  CHECK(contains(printed, "\"$id\": \"urn:troupe:plan.schema.json\""));
}

TEST_CASE("the times of a run are written for viewers", "[apps][binary]") {
  user me;
  const auto file = me.file("build.json", plan(program("a", "sleep 0.05")));
  const auto done = me.troupe(
      {"run", file, "-q", "--trace", me.home / "trace.json", "--timeline", me.home / "times.svg"});
  INFO(done.err);
  CHECK(done.code == 0);
  const auto trace = json::parse(text_of(me.home / "trace.json"));
  bool runs = false;
  for (const auto& event : trace.at("traceEvents").as_array())
    runs = runs || (event.at("ph") == "X" && event.at("cat") == "running");
  CHECK(runs);
  CHECK(contains(text_of(me.home / "times.svg"), "Build / a: running"));
  CHECK(me.troupe({"run", file, "-q", "--timeline", me.home / "times.html"}).code == 0);
  CHECK(contains(text_of(me.home / "times.html"), "<td>Build / a</td><td>completed</td>"));
  const auto before = me.troupe({"ls", "-o", "name"}).out;
  const auto missing = me.troupe({"run", file, "-q", "--trace", me.home / "no/such"});
  CHECK(missing.code == 2);
  CHECK(contains(missing.err, "there is no folder " + (me.home / "no")));
  CHECK(me.troupe({"run", file, "-q", "--timeline", me.home / "times.png"}).code == 2);
  CHECK(me.troupe({"ls", "-o", "name"}).out == before); // nothing was run
}

TEST_CASE("as many commands run at once as are asked for", "[apps][binary]") {
  user me;
  // Each waits until all three have begun: fewer at once would never end.
  const auto marks = me.home / "marks";
  std::filesystem::create_directory(marks);
  std::string tasks;
  for (const auto* id : {"a", "b", "c"})
    tasks += (tasks.empty() ? "" : ", ")
             + program(id, std::string("touch ") + marks + "/" + id + "; while [ $(ls " + marks
                               + " | wc -l) -lt 3 ]; do sleep 0.02; done");
  CHECK(me.troupe({"run", me.file("three.json", plan(tasks)), "-q", "-j", "3"}).code == 0);
}

TEST_CASE("a command runs in the directory of its file, by the shell if asked", "[apps][binary]") {
  user me;
  std::filesystem::create_directories(me.home / "project/src");
  std::ofstream(me.home / "project/src/a.c") << "x";
  const auto file = me.file("project/plan.json", R"({"name": "Build", "tasks": [
    {"id": "a", "agent": "command", "input": {"shell": "ls *.c && echo fine", "cwd": "src"}}]})");
  CHECK(contains(me.troupe({"run", file}).out, "--- Build / a\na.c\nfine\n"));
}

TEST_CASE("a command that is not there is guessed, and help is a command", "[apps][binary]") {
  user me;
  const auto misspelt = me.troupe({"rnu", "x"});
  CHECK(misspelt.code == 2);
  CHECK(contains(misspelt.err, "there is no command \"rnu\"; did you mean \"run\"?"));
  CHECK(contains(me.troupe({"run", "x", "--max-paralel", "2"}).err,
                 "did you mean \"--max-parallel\"?"));
  CHECK(me.troupe({"help"}).out == me.troupe({"--help"}).out);
  CHECK(contains(me.troupe({"plan.yaml"}).err, "`troupe run plan.yaml`"));
  CHECK(contains(me.troupe({"context", "us"}).err, "did you mean \"use\"?"));
  CHECK(contains(me.troupe({"--server", "x", "ls"}).err,
                 "options stand behind the command, as in `troupe ls --server URL|ALIAS`"));
  CHECK(contains(me.troupe({"ls", "--server", "127.0.0.1:8080"}).err,
                 "did you mean http://127.0.0.1:8080?"));
  CHECK(me.troupe({"help", "run"}).out == me.troupe({"run", "--help"}).out);
  CHECK(me.troupe({"-V"}).out == me.troupe({"--version"}).out);
}

TEST_CASE("a cancel that takes long is said", "[apps][terminal]") {
  user me;
  const auto file =
      me.file("deaf.json", R"({"name": "Deaf", "tasks": [{"id": "d", "agent": "command",
    "input": {"shell": "trap '' TERM; echo ready; while :; do sleep 1; done", "killAfter": 60}}]})");
  process run({troupe_binary(), "run", file}, me.environment(), screen_size{});
  REQUIRE(run.read_until([](const process& p) { return contains(p.out(), "ready"); }, 30s));
  run.send_input("\x03");
  REQUIRE(run.read_until(
      [](const process& p) {
        return contains(p.out(), "waiting for programs to end; Ctrl-C again");
      },
      30s));
  run.send_input("\x03");
  CHECK(run.wait() == 130);
}

TEST_CASE("logs of a directory with several runs are those of one", "[apps][binary][runs]") {
  user me;
  const auto directory = me.home / "records";
  std::vector<std::string> ids;
  for (const auto* words : {"of the first", "of the second"}) {
    const auto file = me.file("build.json", plan(program("a", std::string("echo ") + words)));
    const auto done = me.troupe({"run", file, "--data", directory, "--json"});
    REQUIRE(done.code == 0);
    ids.emplace_back(
        json::parse(lines_of(done.out).back()).as_object().at("objective").as_string());
  }
  const auto last = me.troupe({"logs", directory + "/"});
  CHECK(last.code == 0);
  CHECK(contains(last.out, "of the second"));
  CHECK_FALSE(contains(last.out, "of the first"));
  CHECK(contains(last.err, "the lines of the run " + ids.back()));
  CHECK(contains(last.err, "`troupe logs " + directory + "/" + ids.front() + "`"));
  const auto first = me.troupe({"logs", directory + "/" + ids.front()});
  CHECK(first.code == 0);
  CHECK(contains(first.out, "of the first"));
  CHECK_FALSE(contains(first.out, "of the second"));
  const auto none = me.troupe({"logs", directory + "/other"});
  CHECK(none.code == 2);
  CHECK(contains(none.err, ids.front() + ", " + ids.back()));
}

TEST_CASE("logs tell the attempts before and after a retry apart", "[apps][binary][runs]") {
  user me;
  const auto file = me.file("build.json", plan(program("a", "echo words; exit 1")));
  REQUIRE(me.troupe({"run", file}).code == 1);
  REQUIRE(me.troupe({"run", "--retry", file}).code == 1);
  const auto lines = me.troupe({"logs", "@last"}).out;
  CHECK(contains(lines, "a | words"));
  CHECK(contains(lines, "a (2) | words"));
}
