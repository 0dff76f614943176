// Runs of this computer that are changed while nothing runs them: `troupe claim`, `answer` and
// `modify`, and how commands for servers name the same for a run.
#include "tests/apps/run_user.hpp"

#include <boost/json/parse.hpp>

#include <csignal>
#include <cstdint>
#include <filesystem>

using namespace troupe::testing;
using namespace troupe::testing::runs;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

/// How many changes the record of the only run has.
std::int64_t changes_in(const user& of) {
  const auto directory = std::string(of.run().at("directory").as_string());
  const auto checked = of.troupe({"store", "check", "--data", directory, "--json"});
  INFO(checked.out << checked.err);
  REQUIRE(checked.code == 0);
  return json::parse(lines_of(checked.out).back())
      .at("read")
      .at("changes")
      .to_number<std::int64_t>();
}

} // namespace

TEST_CASE("a question of a run is claimed, and only who claimed it answers, or who overrides",
          "[apps][binary][runs]") {
  user me;
  REQUIRE(me.troupe({"run", me.file("trip.json", asking), "--no-input"}).code == 3);
  const auto id = me.id();
  const auto question = id + ".p0.t0.question-1";
  const auto before = changes_in(me);
  const auto claimed = me.troupe({"claim", id + ".p0.t0", "--by", "anna"});
  INFO(claimed.out << claimed.err);
  CHECK(claimed.code == 0);
  CHECK(changes_in(me) == before + 1); // the claim, and nothing else
  CHECK(contains(claimed.out, "question " + question + " claimed by anna until "));
  const auto listed = me.troupe({"inbox"}).out;
  CHECK(contains(listed, "CLAIMED BY"));
  CHECK(contains(listed, "anna"));
  const auto refused = me.troupe({"answer", id, "Oslo", "--by", "bob"});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "claimed by \"anna\""));
  CHECK(contains(refused.err, "leave it to them, or send it with --override"));
  CHECK_FALSE(contains(refused.out, "Trip")); // The run has not gone on.
  CHECK(me.troupe({"answer", id, "Oslo"}).code == 1);
  CHECK(me.troupe({"claim", id, "--by", "bob"}).code == 1);
  CHECK(me.troupe({"claim", question, "--by", "anna", "--release"}).out
        == "question " + question + " released\n");
  CHECK_FALSE(contains(me.troupe({"inbox"}).out, "CLAIMED BY"));
  const auto taken = me.troupe({"claim", id.substr(0, 5), "--by", "bob", "--json"});
  CHECK(json::parse(taken.out).at("claim").at("by") == "bob");
  CHECK(me.run().at("state") == "waiting");
  const auto done = me.troupe({"answer", question, "Oslo", "--by", "anna", "--override"});
  INFO(done.out << done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "--- Trip / q\nOslo\n"));
  const auto late = me.troupe({"claim", question});
  CHECK(late.code == 2);
  CHECK(contains(late.err, "nothing of it waits for an answer"));
}

TEST_CASE("the answer to a run may be data, or that there is none", "[apps][binary][runs]") {
  user me;
  const auto file = me.file("trip.json", asking);
  REQUIRE(me.troupe({"run", file, "--no-input"}).code == 3);
  CHECK(me.troupe({"answer", "@last", "--data", "{"}).code == 2);
  const auto given = me.troupe({"answer", "@last", "--data", "\"Oslo\"", "--by", "anna"});
  INFO(given.out << given.err);
  CHECK(given.code == 0);
  CHECK(contains(given.out, "--- Trip / q\nOslo\n"));
  REQUIRE(me.troupe({"run", file, "--no-input"}).code == 3);
  const auto declined = me.troupe({"answer", "@last", "--decline"});
  INFO(declined.out << declined.err);
  CHECK(declined.code == 1); // The agent does not go on without an answer.
  CHECK(contains(declined.out, "Which city?"));
}

TEST_CASE("a question that was answered says by whom, to who claims or answers it",
          "[apps][binary][runs]") {
  user me;
  const auto file = me.file("two.json", R"({"name": "Two", "tasks": [
    {"id": "q", "agent": "scripted", "input": {"steps": [{"ask": "first?"}, {"ask": "second?"}]}}]})");
  REQUIRE(me.troupe({"run", file, "--no-input"}).code == 3);
  REQUIRE(me.troupe({"answer", "@last", "A1", "--by", "anna"}).code == 3);
  const auto first = me.id() + ".p0.t0.question-1";
  for (const auto& words : {std::vector<std::string>{"claim", first}, {"answer", first, "A2"}}) {
    const auto late = me.troupe(words);
    INFO(late.out << late.err);
    CHECK(late.code == 2);
    CHECK(contains(late.err, "answered by \"anna\""));
  }
}

TEST_CASE("a run that waits is changed as an objective of a server, and nothing of it begins",
          "[apps][binary][runs]") {
  user me;
  const auto count = me.home / "count";
  const auto file = me.file("trip.json",
                            R"({"name": "Trip", "tasks": [
        {"id": "q", "agent": "scripted", "input": {"steps": [{"ask": "Which city?"}]}},
        )" + program("pack", "echo x >> " + count, R"(, "dependencies": ["q"])")
                                + "]}");
  REQUIRE(me.troupe({"run", file, "--no-input"}).code == 3);
  const auto id = me.id();
  const auto recorded = [&] { return changes_in(me); };
  const auto before = recorded();
  REQUIRE(before > 0);
  const auto dry = me.troupe({"modify", id, "--add", "Map", "--after", "q", "--dry-run"});
  INFO(dry.out << dry.err);
  CHECK(dry.code == 0);
  CHECK(dry.out == "plan " + id + ".p0 would be at revision 1\n  added " + id + ".p0.t2\n");
  CHECK(dry.err.empty());
  CHECK(recorded() == before);

  const auto added =
      me.troupe({"modify", id, "--add", "Map", "--agent", "command", "--input",
                 R"({"shell": "echo y >> )" + count + R"("})", "--reason", "it may rain"});
  INFO(added.out << added.err);
  CHECK(added.code == 0);
  CHECK(contains(added.out, "plan " + id + ".p0 is at revision 1\n  added " + id + ".p0.t2\n"));
  CHECK(contains(added.err, "`troupe run --resume " + id + "` goes on with the run"));
  CHECK_FALSE(std::filesystem::exists(count));
  CHECK(me.run().at("state") == "waiting");
  CHECK(me.run().at("tasks") == 3);
  CHECK(contains(me.troupe({"inbox"}).out, "Which city?"));
  CHECK(contains(me.troupe({"history", id}).out, "it may rain"));
  const auto changed = recorded();
  CHECK(changed > before);

  const auto stale = me.troupe({"modify", id + ".p0", "--add", "Tent", "--if-revision", "0"});
  CHECK(stale.code == 1);
  CHECK(contains(stale.err, "is at revision 1, not 0"));
  CHECK(recorded() == changed);
  const auto operations = me.file("operations.json", R"([{"op": "setObjective", "priority": 7},
      {"op": "addPlan", "name": "Pack", "tasks": [{"name": "Suitcase", "agent": "echo"}]}])");
  const auto report = me.troupe({"modify", "@last", operations, "--json"});
  INFO(report.out << report.err);
  CHECK(report.code == 0);
  CHECK(report.err.empty());
  CHECK(json::parse(report.out).at("added").at(0) == json::value(id + ".p1"));
  const auto which = me.troupe({"modify", id, "--add", "Tent"});
  CHECK(which.code == 2);
  CHECK(contains(which.err, "It has 2: " + id + ".p0, " + id + ".p1"));

  const auto done = me.troupe({"answer", id, "Oslo"});
  INFO(done.out << done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "completed: 4 of 4 tasks"));
  const auto wrote = text_of(count);
  CHECK((wrote == "x\ny\n" || wrote == "y\nx\n"));
}

TEST_CASE("what is asked is skipped, and the run goes on without an answer",
          "[apps][binary][runs]") {
  user me;
  REQUIRE(me.troupe({"run", me.file("trip.json", asking), "--no-input"}).code == 3);
  const auto id = me.id();
  const auto skipped =
      me.troupe({"modify", id, me.file("skip.json", R"([{"op": "skipTask", "task": "q"}])")});
  INFO(skipped.out << skipped.err);
  CHECK(skipped.code == 0);
  CHECK(contains(skipped.out, "skipped " + id + ".p0.t0"));
  CHECK(me.troupe({"inbox", "-o", "name"}).out.empty());
  CHECK(me.run().at("state") != "waiting");
}

TEST_CASE("what cannot be changed says what helps", "[apps][binary][runs]") {
  user me;
  const auto refused = [&](std::vector<std::string> words, const std::string& said) {
    const auto done = me.troupe(std::move(words));
    INFO(done.out << done.err);
    CHECK(done.code == 2);
    CHECK(contains(done.err, said));
  };
  refused({"modify", "k3v9", "--add", "Map"}, "k3v9");
  refused({"modify", "k3v9"}, "what is to be changed?");
  REQUIRE(me.troupe({"run", me.file("hello.json", hello)}).code == 0);
  const auto id = me.id();
  refused({"modify", id, "--add", "Map"}, "the run " + id + " has completed; it stays as it is");
  REQUIRE(me.troupe({"rm", id}).code == 0);
  REQUIRE(me.troupe({"run", me.file("bad.json", plan(program("a", "exit 1")))}).code == 1);
  refused({"modify", "@last", "--add", "Map"}, "`troupe run --retry " + me.id() + "`");
  REQUIRE(me.troupe({"rm", "@last"}).code == 0);
  REQUIRE(me.troupe({"run", me.file("trip.json", asking), "--no-input"}).code == 3);
  refused({"modify", me.id() + ".p7", "--add", "Map"}, "has no plan");
  refused({"modify", me.id(), me.file("none.json", "{}")}, "\"operations\"");
  const auto wrong = me.troupe({"modify", me.id(), "--add", "Map", "--after", "nowhere"});
  CHECK(wrong.code == 1);
  CHECK(contains(wrong.err, "nowhere"));
  refused({"claim", me.id() + ".p0.t1"}, "is no question, and no task that asks");
}

TEST_CASE("a run that was killed is changed, but not while it runs", "[apps][binary][runs]") {
  user me;
  const auto file = me.file("slow.json", endless);
  {
    process run({troupe_binary(), "run", file, "--json"}, me.environment());
    REQUIRE(
        run.read_until([](const process& p) { return contains(p.out(), "\"attempt\":1"); }, 30s));
    const auto busy = me.troupe({"modify", "@last", "--add", "Map"});
    CHECK(busy.code == 2);
    CHECK(contains(busy.err, "is running, and its process takes no changes from outside"));
    CHECK(contains(busy.err, "--follow"));
    run.signal(SIGKILL);
    CHECK(run.wait() == 128 + SIGKILL);
  }
  const auto id = me.id();
  const auto replace =
      me.file("replace.json", R"([{"op": "replaceTask", "task": "s", "with": {"name": "s"}}])");
  const auto begun = me.troupe({"modify", id, replace});
  CHECK(begun.code == 1); // It has begun, though nothing of it runs.
  const auto added = me.troupe({"modify", id, "--add", "Map", "--input", R"({"text": "a map"})"});
  INFO(added.out << added.err);
  CHECK(added.code == 0);
  CHECK(me.run().at("state") == "interrupted");
  const auto done = me.troupe({"run", "--resume", id, "--time-scale", "0"});
  INFO(done.out << done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "a map"));
  CHECK(contains(done.out, "completed: 2 of 2 tasks"));
}

TEST_CASE("commands for servers say how the same is done with a run of this computer",
          "[apps][binary][runs]") {
  user me;
  const auto says = [&](std::vector<std::string> words, const std::string& said) {
    const auto done = me.troupe(std::move(words));
    INFO(done.err);
    CHECK(done.code == 2);
    CHECK(contains(done.err, said));
  };
  says({"watch", "k3v9"}, "`troupe logs k3v9 --follow`");
  says({"pause", "k3v9"}, "Ctrl-C");
  says({"replan", "k3v9", "pack"}, "`troupe modify k3v9`");
  says({"cancel", "k3v9"}, "Ctrl-C");
  says({"submit", me.file("hello.json", hello)}, "`troupe run ");
}
