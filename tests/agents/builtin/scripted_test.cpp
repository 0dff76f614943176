#include "agents/builtin/scripted.hpp"
#include "protocol/json/json_pieces.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::test;
using namespace std::chrono_literals;

namespace {

// One attempt of a script.
struct play {
  explicit play(std::string_view steps, std::uint32_t attempt = 1, double time_scale = 1) {
    auto order = order_with(std::string(R"({"steps": )") + std::string(steps) + "}");
    order.attempt = attempt;
    order.time_scale = time_scale;
    begin(std::move(order));
  }
  explicit play(order_input input) {
    order order;
    order.input = std::move(input);
    begin(std::move(order));
  }

  void begin(order order) {
    auto started = scripted_agent().start(shared(std::move(order)), port);
    if (auto* going = std::get_if<agent_run_ptr>(&started))
      run = std::move(*going);
    else
      at_once = std::get<report_failed>(started).reason;
  }

  [[nodiscard]] std::string end() const {
    const auto all = port->reports();
    return all.empty() ? "nothing reported" : ending(all.back());
  }

  std::shared_ptr<fake_port> port = std::make_shared<fake_port>();
  agent_run_ptr run;
  std::string at_once;
};

std::vector<std::string> ids(const progress_report& report) {
  std::vector<std::string> out;
  for (const auto& tracker : report.trackers)
    out.push_back(tracker.id);
  return out;
}

} // namespace

TEST_CASE("a script without steps completes", "[agents][scripted]") {
  const play empty("[]");
  CHECK(empty.port->reports().size() == 1);
  CHECK(empty.end() == "completed: ");
}

TEST_CASE("a script ends as its last step says", "[agents][scripted]") {
  CHECK(play(R"([{"complete": "done"}, {"fail": "never reached"}])").end() == "completed: done");
  CHECK(play(R"([{"fail": "no luck"}])").end() == "failed: no luck");
  CHECK(play(R"([{"reject": "not mine"}])").end() == "rejected: not mine");
  CHECK(play(R"([{"message": "over"}])").end() == "completed: ");
  CHECK_THROWS_WITH(play(R"([{"crash": "boom"}])"), "boom");
}

TEST_CASE("failUntilAttempt fails only the attempts before", "[agents][scripted]") {
  constexpr auto script = R"([{"failUntilAttempt": 3, "reason": "flaky"}])";
  CHECK(play(script, 1).end() == "failed: flaky");
  CHECK(play(script, 2).end() == "failed: flaky");
  CHECK(play(script, 3).end() == "completed: ");
  CHECK(play(R"([{"failUntilAttempt": 2}])").end() == "failed: failed on purpose");
}

TEST_CASE("every report goes through the port, in order", "[agents][scripted]") {
  const play all(
      R"([{"message": "hi"}, {"artifact": {"name": "log", "text": "a"}}, {"complete": "ok"}])");
  const auto reports = all.port->reports();
  REQUIRE(reports.size() == 3);
  const auto& said = std::get<report_message>(reports[0]).message;
  CHECK(said.from == role::agent);
  CHECK(text_of(said.parts) == "hi");
  CHECK(std::get<report_artifact>(reports[1]).artifact.name == "log");
  CHECK(ending(reports[2]) == "completed: ok");
}

TEST_CASE("progress reports are snapshots of what is not finished", "[agents][scripted]") {
  const play script(R"([
    {"progress": {"id": "a", "progress": 1, "total": 2, "message": "half"}},
    {"progress": {"id": "b", "progress": 5}},
    {"progress": {"id": "a", "progress": 2, "total": 2, "status": "completed"}},
    {"progress": {"id": "c", "status": "failed"}},
    {"progress": {"id": "b", "progress": 6}},
    {"progress": {"trackers": [{"id": "d"}], "aggregate": {"progress": 3, "total": 4, "message": "all"}}},
    {"progress": {"id": "e"}}])");
  const auto all = script.port->all<report_progress>();
  REQUIRE(all.size() == 7);
  CHECK(ids(all[0].report) == std::vector<std::string>{"a"});
  CHECK(all[0].report.trackers[0].total == 2.0);
  CHECK(all[0].report.trackers[0].message == "half");
  CHECK(ids(all[1].report) == std::vector<std::string>{"a", "b"});
  CHECK(ids(all[2].report) == std::vector<std::string>{"a", "b"}); // its end is still told
  CHECK(all[2].report.trackers[0].status == tracker_status::completed);
  CHECK(ids(all[3].report) == std::vector<std::string>{"b", "c"});
  CHECK(ids(all[4].report) == std::vector<std::string>{"b"});
  CHECK(all[4].report.trackers[0].progress == 6.0);
  CHECK(ids(all[5].report) == std::vector<std::string>{"d"}); // a list replaces what was
  CHECK(all[5].report.aggregate == progress_aggregate{3.0, 4.0, "all"});
  CHECK(ids(all[6].report) == std::vector<std::string>{"d", "e"});
}

TEST_CASE("progress that breaks the extension's rules is not remembered", "[agents][scripted]") {
  const play script(
      R"([{"progress": {"id": "a", "progress": 3, "total": 2}}, {"progress": {"id": "b"}}])");
  const auto all = script.port->all<report_progress>();
  REQUIRE(all.size() == 2);
  CHECK(validate(all[0].report).has_error());
  CHECK(ids(all[1].report) == std::vector<std::string>{"b"});
}

TEST_CASE("a script sleeps on the actor's timer, scaled", "[agents][scripted]") {
  const play script(R"([{"sleep": 2}, {"sleep": 0}, {"complete": "awake"}])", 1, 0.5);
  CHECK(script.port->wakes() == std::vector<std::chrono::nanoseconds>{1s});
  CHECK(script.port->reports().empty());
  script.run->on_input(user_says("not asked"));
  CHECK(script.port->reports().empty());
  script.run->on_wake();
  CHECK(script.end() == "completed: awake");
  script.run->on_wake();
  CHECK(script.port->reports().size() == 1);
}

TEST_CASE("a script asks and uses the answer", "[agents][scripted]") {
  const play script(
      R"([{"ask": "Which city?"}, {"artifactFromAnswer": {"name": "city"}}, {"askAuth": "Sign in"}])");
  CHECK(script.port->wait_for<report_question>().prompt == "Which city?");
  script.run->on_wake(); // nothing it waits for
  CHECK(script.port->reports().size() == 1);
  script.run->on_input(user_says("by the way")); // was on its way when the script asked
  CHECK(script.port->reports().size() == 1);
  script.run->on_answer(user_says("Paris"));
  const auto artifacts = script.port->all<report_artifact>();
  REQUIRE(artifacts.size() == 1);
  CHECK(artifacts[0].artifact.name == "city");
  CHECK(text_of(artifacts[0].artifact.parts) == "Paris");
  const auto second = script.port->wait_for<report_question>(1);
  CHECK(second.auth);
  CHECK(second.prompt == "Sign in");
  script.run->on_answer(user_says("token"));
  CHECK(script.end() == "completed: ");
}

TEST_CASE("a script may ask with a schema and reminders", "[agents][scripted]") {
  const play script(
      R"([{"ask": {"prompt": "Which?", "schema": {"enum": ["a", "b"]}, "remindAfter": 60}}])");
  const auto asked = script.port->wait_for<report_question>();
  CHECK(asked.prompt == "Which?");
  CHECK(asked.form.contains("enum"));
  CHECK(asked.remind_after == std::chrono::milliseconds{60'000});
  CHECK_FALSE(asked.open_for);
}

TEST_CASE("a chunk keeps the id of the artifact it continues", "[agents][scripted]") {
  const play script(R"([
    {"artifact": {"name": "log", "text": "1", "append": true, "lastChunk": false}},
    {"artifact": {"name": "log", "text": "2", "append": true}},
    {"artifact": {"name": "log", "data": {"n": 3}}},
    {"artifact": {"name": "other", "text": ""}}])");
  const auto all = script.port->all<report_artifact>();
  REQUIRE(all.size() == 4);
  CHECK(all[0].artifact.artifact_id == "log");
  CHECK_FALSE(all[0].append); // nothing to append to yet
  CHECK_FALSE(all[0].last_chunk);
  CHECK(all[1].artifact.artifact_id == "log");
  CHECK(all[1].append);
  CHECK(all[1].last_chunk);
  CHECK(all[2].artifact.artifact_id == "log-2");
  CHECK(all[2].artifact.parts[0] == data_part({{"n", 3}}));
  CHECK(all[3].artifact.artifact_id == "other");
}

TEST_CASE("a script that hangs does nothing until it is canceled", "[agents][scripted]") {
  const play script(R"([{"hang": true}, {"complete": "never"}])");
  script.run->on_wake();
  script.run->on_input(user_says("anybody there?"));
  CHECK(script.port->reports().empty());
  CHECK(script.run->on_cancel());
  script.run->on_wake();
  CHECK(script.port->reports().empty());
}

TEST_CASE("a canceled script ignores what comes late", "[agents][scripted]") {
  const play asking(R"([{"ask": "?"}])");
  CHECK(asking.run->on_cancel());
  asking.run->on_answer(user_says("late"));
  CHECK(asking.port->reports().size() == 1);
}

TEST_CASE("a crash after a wait comes out of the run", "[agents][scripted]") {
  const play script(R"([{"sleep": 1}, {"crash": "later"}])");
  CHECK_THROWS_WITH(script.run->on_wake(), "later");
}

TEST_CASE("a script is checked before anything runs", "[agents][scripted]") {
  const scripted_agent agent;
  const auto steps = [&](const std::string& text) {
    return verdict(agent, R"({"steps": )" + text + "}");
  };
  CHECK(steps("[]") == "fine");
  CHECK(
      steps(
          R"([{"sleep": "${tasks.a.artifacts[0].data}"}, {"message": "${tasks.a.artifacts[0].text}"}])")
      == "fine");
  CHECK(verdict(agent, R"({"steps": "${tasks.a.artifacts[0].data}"})") == "fine");
  for (
      const auto* step :
      {R"({"progress": {"id": "a", "progress": "${tasks.a.artifacts[0].data.n}"}})",
       R"({"progress": {"trackers": ["${tasks.a.artifacts[0].data}"]}})",
       R"({"hang": "${tasks.a.artifacts[0].data}"})",
       R"({"failUntilAttempt": "${tasks.a.artifacts[0].data}"})",
       R"({"artifact": "${tasks.a.artifacts[0].data}"})",
       R"({"artifactFromAnswer": "${tasks.a.artifacts[0].data}"})",
       R"({"artifact": {"name": "a", "raw": "${tasks.a.artifacts[0].text}", "append": "${tasks.a.artifacts[0].data}"}})"})
    CHECK(steps("[" + std::string(step) + "]") == "fine");
  CHECK(verdict(agent, "{}") == "/steps: is missing; must be a list of steps");
  CHECK(verdict(agent, R"({"steps": {}})") == "/steps: must be a list of steps");
  CHECK(verdict(agent, R"({"step": []})")
        == R"(/step: unknown member "step"; did you mean "steps"?)");
  CHECK(steps(R"([{"sleep": 1}, {"progres": {}}])")
        == R"(/steps/1/progres: unknown step "progres"; did you mean "progress"?)");
  CHECK(steps(R"([{"askauth": "x"}])")
        == R"(/steps/0/askauth: unknown step "askauth"; did you mean "askAuth"?)");
  CHECK(steps(R"([{"dance": 1}])") == R"(/steps/0/dance: unknown step "dance")");
  CHECK(steps(R"([{}])") == "/steps/0: this step is empty");
  CHECK(steps(R"([7])")
        == R"(/steps/0: a step must be an object with one member, such as {"sleep": 1})");
  CHECK(steps(R"([{"sleep": 1, "fail": "x"}])")
        == R"(/steps/0: a step does one thing; this has both "sleep" and "fail")");
  CHECK(steps(R"([{"fail": "x", "reason": "y"}])") == R"(/steps/0/reason: unknown step "reason")");
  CHECK(steps(R"([{"sleep": -1}])") == "/steps/0/sleep: must be a number >= 0");
  CHECK(steps(R"([{"hang": false}])") == "/steps/0/hang: must be true");
  CHECK(steps(R"([{"fail": 3}])") == "/steps/0/fail: must be a string");
  CHECK(steps(R"([{"failUntilAttempt": 1.5}])")
        == "/steps/0/failUntilAttempt: must be a whole number >= 0");
  CHECK(steps(R"([{"progress": {"id": ""}}])")
        == "/steps/0/progress/id: must be a string that is not empty");
  CHECK(steps(R"([{"progress": {"id": "a", "total": "3"}}])")
        == "/steps/0/progress/total: must be a number");
  CHECK(steps(R"([{"progress": {"id": "a", "status": "done"}}])")
        == "/steps/0/progress/status: must be running, completed or failed");
  CHECK(steps(R"([{"progress": {"id": "a", "startedAt": "noon"}}])")
        == "/steps/0/progress/startedAt: must be a time as in RFC 3339");
  CHECK(steps(R"([{"progress": {"trackers": 1}}])")
        == "/steps/0/progress/trackers: must be a list");
  CHECK(steps(R"([{"artifact": {"text": "x"}}])")
        == "/steps/0/artifact/name: must be a string that is not empty");
  CHECK(steps(R"([{"artifact": {"name": "a"}}])")
        == "/steps/0/artifact: must have exactly one of text, data, raw and url");
  CHECK(steps(R"([{"artifact": {"name": "a", "text": "x", "data": 1}}])")
        == "/steps/0/artifact: must have exactly one of text, data, raw and url");
  CHECK(steps(R"([{"artifact": {"name": "a", "text": "x", "lastchunk": true}}])")
        == R"(/steps/0/artifact/lastchunk: unknown member "lastchunk"; did you mean "lastChunk"?)");
  CHECK(steps(R"([{"artifactFromAnswer": "city"}])")
        == "/steps/0/artifactFromAnswer: must be an object with a name");
}

TEST_CASE("a script whose references became something wrong fails for good", "[agents][scripted]") {
  CHECK(play(R"([{"sleep": "soon"}])").at_once == "input/steps/0/sleep: must be a number >= 0");
  const play written(R"([{"artifact": {"name": "n", "text": {"a": [1]}}}])"); // a reference to data
  CHECK(text_of(written.port->wait_for<report_artifact>().artifact.parts) == R"({"a":[1]})");
}

TEST_CASE("a script puts a step together when its turn has come", "[agents][scripted]") {
  std::string text(1'000, 'x');
  const auto input = std::make_shared<const boost::json::object>(object(
      R"({"steps": [{"message": "${a}"}, {"ask": "?"}, {"message": "${a}"}, {"sleep": 1},
                    {"artifact": {"name": "out", "text": "${a}"}}, {"complete": "${a}"}]})"));
  const auto replaced = std::make_shared<string_replacements>();
  const auto& steps = input->at("steps");
  for (const auto* place : {&steps.at(0).at("message"), &steps.at(2).at("message"),
                            &steps.at(4).at("artifact").at("text"), &steps.at(5).at("complete")})
    replaced->by_place[place].text = {std::string_view{text}};
  const play script(order_input{input, replaced});
  const auto said = [&](std::size_t n) {
    return text_of(script.port->wait_for<report_message>(n).message.parts);
  };
  CHECK(said(0) == std::string(1'000, 'x'));
  text.assign(1'000, 'y'); // seen by steps that have no copy
  script.run->on_answer(user_says("go on"));
  CHECK(said(1) == std::string(1'000, 'y'));
  text.assign(1'000, 'z');
  script.run->on_wake();
  CHECK(text_of(script.port->wait_for<report_artifact>().artifact.parts)
        == std::string(1'000, 'z'));
  CHECK(script.end() == "completed: " + std::string(1'000, 'z'));
}

TEST_CASE("a script that is wrong in a later step does not begin", "[agents][scripted]") {
  const play script(R"([{"message": "first"}, {"sleep": "soon"}])");
  CHECK(script.at_once == "input/steps/1/sleep: must be a number >= 0");
  CHECK(script.port->reports().empty());
}

TEST_CASE("a script may be the data of another task, whole or step by step", "[agents][scripted]") {
  const auto list = boost::json::parse(R"([{"message": "${as it is}"}, {"complete": "done"}])");
  for (const bool is_whole : {true, false}) {
    const auto input = std::make_shared<const boost::json::object>(
        object(is_whole ? R"({"steps": "${a}"})" : R"({"steps": ["${a}", "${b}"]})"));
    const auto replaced = std::make_shared<string_replacements>();
    const auto& steps = input->at("steps");
    if (is_whole) {
      replaced->by_place[&steps].value = &list;
    } else {
      replaced->by_place[&steps.at(0)].value = &list.at(0);
      replaced->by_place[&steps.at(1)].value = &list.at(1);
    }
    const play script(order_input{input, replaced});
    CHECK(text_of(script.port->wait_for<report_message>().message.parts) == "${as it is}");
    CHECK(script.end() == "completed: done");
  }
}
