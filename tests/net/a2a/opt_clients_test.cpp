// What clients of objectives and plans met, with the bytes as they send them: what summaries and
// lists show, what updates take, which moves there are, and how messages reach an objective.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <initializer_list>
#include <utility>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* opt_1_0 =
    "A2A-Version: 1.0\r\nA2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";

/// `b` of the second plan depends on `a` of the first, by name.
constexpr const char* two_plans =
    R"({"id":"trip","name":"Trip","plans":[)"
    R"({"name":"First","tasks":[{"name":"a","agent":"puppet"}]},)"
    R"({"name":"Second","tasks":[{"name":"b","agent":"echo","input":{"text":"hi"},)"
    R"("retry":{"maxAttempts":2},"timeout":9,"dependencies":["a"]}]}]})";

boost::json::value objective(const net_bed& bed, const std::string& id = "trip") {
  return bed.result_of("objectives/get", R"({"id":")" + id + "\"}").at("objective");
}

std::string status(const net_bed& bed, const std::string& id = "trip") {
  return at(objective(bed, id), "/status");
}

boost::json::value update(const net_bed& bed, const char* method, const std::string& params) {
  return bed.call(rpc(method, params));
}

void finish(const net_bed& bed, std::size_t task, const char* text = nullptr) {
  report_completed done;
  if (text) {
    artifact made;
    made.artifact_id = "out";
    made.parts.push_back(text_part(text));
    done.artifacts.push_back(std::move(made));
  }
  bed.puppet->port(task)->report(std::move(done));
}

std::string rest_task(const net_bed& bed, const std::string& path, const char* version) {
  return bed.connect().request("GET", path, "", version).body;
}

} // namespace

TEST_CASE("M7_dependency_ids: opt/v1/dependencies are ids, also across plans", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"working"})"));
  finish(bed, 0);
  REQUIRE(comes_true([&] { return status(bed) == "completed"; }));
  const std::string ids = R"(["trip.p0.t0"])";
  constexpr const char* where = "/metadata/opt~1v1~1dependencies";
  CHECK(at(bed.result_of("GetTask", R"({"id":"trip.p1.t0"})"), where) == ids);
  CHECK(at(bed.call(rpc("tasks/get", R"({"id":"trip.p1.t0"})"), "").at("result"), where) == ids);
  CHECK(at(boost::json::parse(rest_task(bed, "/tasks/trip.p1.t0", "A2A-Version: 1.0\r\n")), where)
        == ids);
  CHECK(at(boost::json::parse(rest_task(bed, "/v1/tasks/trip.p1.t0", "")), where) == ids);
}

TEST_CASE("M6_keys: a task's summary has its index, its plan and its dependencies", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  const auto shown = objective(bed);
  for (const auto* plan : {"0", "1"}) {
    const auto task = std::string("/plans/") + plan + "/tasks/0";
    CHECK(at(shown, task + "/taskIndex") == "0");
    CHECK(at(shown, task + "/objectiveId") == "trip");
    CHECK(at(shown, task + "/planId") == std::string("trip.p") + plan);
  }
  CHECK(at(shown, "/plans/0/tasks/0/dependencies") == "[]");
  CHECK(at(shown, "/plans/1/tasks/0/dependencies") == R"(["trip.p0.t0"])");
}

TEST_CASE("O4_list: a list ends without a page token, and shows plans and tasks as asked",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  static_cast<void>(bed.result_of("objectives/create", R"({"name":"another"})"));
  const auto first = bed.result_of("objectives/list", R"({"pageSize":1})");
  const auto token = at(first, "/nextPageToken");
  CHECK(token != "(none)");
  const auto last = bed.result_of("objectives/list", R"({"pageSize":1,"pageToken":")" + token
                                                         + R"(","includeTasks":true})");
  CHECK(at(last, "/nextPageToken") == "(none)");
  CHECK(at(last, "/objectives/0/plans/1/tasks/0/name") == "b");
  const auto usual = bed.result_of("objectives/list", "{}");
  CHECK(at(usual, "/nextPageToken") == "(none)");
  CHECK(at(usual, "/objectives/1/plans/1/name") == "Second");
  CHECK(at(usual, "/objectives/1/plans/1/tasks") == "(none)");
  CHECK(at(bed.result_of("objectives/list", R"({"includePlans":false})"), "/objectives/1/plans")
        == "(none)");
}

TEST_CASE("F3_unknown_reference: a reference to an unknown task is ignored, and reveals nothing",
          "[net][opt]") {
  const net_bed bed;
  constexpr const char* names = R"(,"referenceTaskIds":["nobody-knows"])";
  const auto v1_0 = bed.call(rpc("SendMessage", text_message("hi", names)));
  CHECK(at(v1_0, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  const auto rest = bed.connect().request("POST", "/message:send", text_message("hi", names),
                                          "A2A-Version: 1.0\r\n");
  CHECK(rest.status == 200);
  const auto v0_3 = bed.call(
      rpc("message/send", R"({"message":{"kind":"message","messageId":"m","role":"user",)"
                          R"("parts":[{"kind":"text","text":"hi"}],"referenceTaskIds":["x"]}})"),
      "");
  CHECK(at(v0_3, "/result/status/state") == "completed");
  const auto of_plan = bed.call(
      rpc("SendMessage",
          text_message(
              "hi", std::string(names)
                        + R"(,"metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a"}]}})")));
  CHECK(at(of_plan, "/result/task/status/state") == "TASK_STATE_COMPLETED");
}

TEST_CASE("F3_unknown_reference: an agent gets nothing of a task that is unknown to its client",
          "[net][opt]") {
  const net_bed bed({}, "puppet");
  static_cast<void>(
      bed.call(rpc("SendMessage", text_message("hi", R"(,"referenceTaskIds":["nobody-knows"])",
                                               R"(,"configuration":{"returnImmediately":true})"))));
  CHECK(bed.puppet->asked(0)->references.empty());
  finish(bed, 0);
}

TEST_CASE("M1_objective, M3_plan: updates keep name, description and metadata", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  static_cast<void>(bed.result_of(
      "objectives/update",
      R"({"id":"trip","name":"T","description":"D","metadata":{"a":1,"b":{"c":2}}})"));
  const auto merged =
      bed.result_of("objectives/update", R"({"id":"trip","metadata":{"a":null,"d":4}})");
  CHECK(at(merged, "/objective/name") == "T");
  CHECK(at(merged, "/objective/description") == "D");
  CHECK(at(merged, "/objective/metadata") == R"({"b":{"c":2},"d":4})");
  const auto plan = bed.result_of(
      "plans/update",
      R"({"id":"trip.p1","name":"Last","description":"of all","metadata":{"k":"v"}})");
  CHECK(at(plan, "/plan/name") == "Last");
  CHECK(at(plan, "/plan/description") == "of all");
  CHECK(at(plan, "/plan/metadata") == R"({"k":"v"})");
  CHECK(at(plan, "/plan/revision") == "3");
  CHECK(at(objective(bed), "/plans/1/name") == "Last");
  CHECK(at(update(bed, "plans/update", R"({"id":"trip.p1","metadata":[]})"), "/error/code")
        == "-32602");
  CHECK(at(objective(bed), "/revision") == "3");
}

TEST_CASE("M14_unknown: an unknown plan or objective is -32000, even with other faults",
          "[net][opt]") {
  const net_bed bed;
  for (const auto& [method, params] : std::initializer_list<std::pair<const char*, const char*>>{
           {"plans/update", R"({"id":"nope","name":"x"})"},
           {"plans/update", R"({"id":"nope","tasks":[]})"},
           {"plans/update", R"({"id":"nope","status":"nonsense","revision":-1})"},
           {"objectives/update", R"({"id":"nope","status":7})"},
           {"plans/create", R"({"objectiveId":"nope"})"},
           {"plans/addTasks", R"({"id":"nope","tasks":7})"},
           {"plans/modify", R"({"id":"nope","operations":[{"op":"nonsense"}],"ifRevision":-1})"},
           {"plans/create", R"({"objectiveId":"nope","name":"p","tasks":[{"timeout":"x"}]})"}}) {
    CAPTURE(method, params);
    CHECK(at(bed.call(rpc(method, params)), "/error/code") == "-32000");
    CHECK(at(bed.call(rpc(method, params), ""), "/error/code") == "-32000");
  }
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  CHECK(at(update(bed, "plans/update", R"({"id":"trip.p0","tasks":[]})"), "/error/code")
        == "-32602");
  CHECK(at(update(bed, "plans/update", R"({"name":"x"})"), "/error/code") == "-32602");
}

TEST_CASE("M21_revision: every change may name the revision it expects, under both names",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  for (const auto* name : {"revision", "ifRevision"})
    for (const auto& [method, object] : std::initializer_list<std::pair<const char*, const char*>>{
             {"plans/create", R"("objectiveId":"trip","name":"p")"},
             {"plans/update", R"("id":"trip.p0","status":"skipped")"},
             {"objectives/update", R"("id":"trip","name":"n")"}}) {
      CAPTURE(name, method);
      const auto refused = update(bed, method, std::string("{") + object + ",\"" + name + "\":7}");
      CHECK(at(refused, "/error/code") == "-32602");
      CHECK(at(refused, "/error/data/0/reason") == "REVISION_MISMATCH");
    }
  CHECK(at(objective(bed), "/revision") == "0");
  const auto added =
      update(bed, "plans/create", R"({"objectiveId":"trip","name":"p","ifRevision":0})");
  CHECK(at(added, "/result/plan/revision") == "1");
}

TEST_CASE("T_moves: an objective is completed by request while its plans run", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"working"})"));
  static_cast<void>(bed.puppet->port(0));
  const auto ended = bed.result_of("objectives/update", R"({"id":"trip","status":"completed"})");
  CHECK(at(ended, "/objective/status") == "completed");
  CHECK(at(ended, "/objective/plans/0/status") == "completed");
  CHECK(at(ended, "/objective/plans/0/tasks/0/status") == "canceled");
}

TEST_CASE("T_moves: a blocked plan is skipped, and a skipped one stays so", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"working"})"));
  bed.puppet->port(0)->report(report_question{"which?", false});
  REQUIRE(comes_true([&] { return at(objective(bed), "/plans/0/status") == "blocked"; }));
  const auto skipped = bed.result_of("plans/update", R"({"id":"trip.p0","status":"skipped"})");
  CHECK(at(skipped, "/plan/status") == "skipped");
  CHECK(at(skipped, "/plan/tasks/0/status") == "canceled");
  const auto again = update(bed, "plans/update", R"({"id":"trip.p0","status":"pending"})");
  CHECK(at(again, "/error/code") == "-32001");
  CHECK_THAT(at(again, "/error/message"),
             Contains("the plan is skipped and cannot become pending"));
}

TEST_CASE("T_moves: a failed plan works again, and its failed objective with it", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"working"})"));
  bed.puppet->port(0)->report(report_failed{"no", false});
  REQUIRE(comes_true([&] { return status(bed) == "failed"; }));
  const auto again = bed.result_of("plans/update", R"({"id":"trip.p0","status":"working"})");
  CHECK(at(again, "/plan/status") == "working");
  CHECK(status(bed) == "working");
  finish(bed, 1);
}

TEST_CASE("M4_blocked_behind: a plan behind a blocked one is blocked, and says what it waits for",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"trip","name":"Book travel","start":true,"plans":[)"
      R"({"name":"Flights","tasks":[{"name":"Get approval","agent":"puppet"}]},)"
      R"({"name":"Hotel","dependencies":["Flights"],"tasks":[{"name":"Room","agent":"noop"}]},)"
      R"({"name":"Tour","dependencies":["Hotel"],"tasks":[{"name":"Bus","agent":"noop"}]},)"
      R"({"name":"Train","tasks":[{"name":"Seat","agent":"puppet"}]},)"
      R"({"name":"Ferry","dependencies":["Flights","Train"],"tasks":[{"name":"f","agent":"noop"}]},)"
      R"({"name":"Visa","tasks":[{"name":"Form","agent":"noop","dependencies":["Get approval"]},)"
      R"({"name":"Post","agent":"noop","dependencies":["Form"]}]},)"
      R"({"name":"Map","tasks":[{"name":"m","agent":"noop","dependencies":["Seat"]}]}]})"));
  const auto first = bed.puppet->asked(0)->name == "Get approval" ? 0U : 1U;
  static_cast<void>(bed.puppet->port(1));
  bed.puppet->port(first)->report(report_question{"On Friday?", false});
  REQUIRE(comes_true([&] { return at(objective(bed), "/plans/0/status") == "blocked"; }));
  const auto shown = objective(bed);
  CHECK(at(shown, "/status") == "working");
  CHECK(at(shown, "/plans/0/pendingInputs/0/taskId") == "trip.p0.t0");
  CHECK(at(shown, "/plans/0/pendingInputs/0/prompt") == "On Friday?");
  CHECK(at(shown, "/plans/1/status") == "blocked");
  CHECK(at(shown, "/plans/1/reason") == "waits for plan \"Flights\"");
  CHECK(at(shown, "/plans/1/waitingFor") == R"(["trip.p0"])");
  CHECK(at(shown, "/plans/1/pendingInputs") == "(none)");
  CHECK(at(shown, "/plans/2/status") == "blocked");
  CHECK(at(shown, "/plans/2/waitingFor") == R"(["trip.p1"])");
  CHECK(at(shown, "/plans/3/status") == "working");
  CHECK(at(shown, "/plans/4/status") == "pending"); // one of the two that it waits for runs
  CHECK(at(shown, "/plans/5/status") == "blocked"); // it has begun, and nothing of it can run
  CHECK(at(shown, "/plans/5/waitingFor") == R"(["trip.p0"])");
  CHECK(at(shown, "/plans/6/status") == "working");
  CHECK(at(bed.result_of("plans/get", R"({"id":"trip.p1"})"), "/plan/status") == "blocked");
  const auto canceled =
      bed.result_of("objectives/update", R"({"id":"trip","status":"canceled"})").at("objective");
  for (const auto* plan : {"0", "3", "5", "6"})
    CHECK(at(canceled, std::string("/plans/") + plan + "/status") == "failed");
  for (const auto* plan : {"1", "2", "4"})
    CHECK(at(canceled, std::string("/plans/") + plan + "/status") == "skipped");
}

TEST_CASE("M15_top_level: tasks without plans are one plan, over the wire as in a file",
          "[net][opt]") {
  const net_bed bed;
  const auto made =
      bed.result_of("objectives/create", R"({"id":"o","name":"Party","tasks":[{"name":"Cake"},)"
                                         R"({"name":"Candles","dependencies":["Cake"]}]})");
  CHECK(at(made, "/objective/id") == "o");
  CHECK(at(made, "/objective/plans/0/name") == "Party");
  CHECK(at(made, "/objective/plans/0/tasks/1/dependencies") == R"(["o.p0.t0"])");
  const auto sent = bed.call(
      rpc("SendMessage",
          text_message("go", R"(,"metadata":{"opt/v1/objective":{"id":"sent","name":"Party",)"
                             R"("tasks":[{"name":"Cake"}]}})")),
      opt_1_0);
  CHECK(at(sent, "/result/objective/plans/0/tasks/0/name") == "Cake");
  const auto both = update(bed, "objectives/create", R"({"name":"o","plans":[],"tasks":[]})");
  CHECK(at(both, "/error/code") == "-32602");
  CHECK_THAT(at(both, "/error/message"), Contains("not both"));
}

TEST_CASE("the result of objectives/get is a plan document with the same work", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"working"})"));
  bed.puppet->port(0)->report(report_question{"which?", false});
  REQUIRE(comes_true([&] { return status(bed) == "blocked"; }));
  const auto printed = boost::json::serialize(objective(bed));
  CAPTURE(printed);
  const auto read = read_plan_document(printed);
  REQUIRE(read.has_value());
  REQUIRE(read->objective.plans.size() == 2);
  const auto& task = read->objective.plans[1]->tasks[0];
  CHECK(task.name == "b");
  CHECK(task.agent == "echo");
  CHECK(task.input == boost::json::object{{"text", "hi"}});
  CHECK(task.retry.attempts_max == 2);
  CHECK(task.timeout == std::chrono::seconds{9});
  CHECK(task.dependencies == std::vector<std::string>{"trip.p0.t0"});
}

TEST_CASE("M8_message_keys: a message with an objective and a plan brings both", "[net][opt]") {
  const net_bed bed;
  const auto sent = bed.call(
      rpc("SendMessage",
          text_message("go", R"(,"metadata":{"opt/v1/objective":{"id":"o","name":"Party"},)"
                             R"("opt/v1/plan":{"name":"Cake","tasks":[{"name":"Bake"}]}})")),
      opt_1_0);
  CHECK(at(sent, "/result/objective/id") == "o");
  CHECK(at(sent, "/result/objective/plans/0/name") == "Cake");
  CHECK(at(sent, "/result/objective/plans/1") == "(none)"); // no task for the text
  CHECK(at(sent, "/result/task/status/state") == "TASK_STATE_COMPLETED");
}

TEST_CASE("M8_message_keys: a plan without tasks gets the text as its task", "[net][opt]") {
  const net_bed bed;
  const auto send = [&](const std::string& text, const std::string& metadata) {
    return bed.call(rpc("SendMessage", text_message(text, R"(,"metadata":{)" + metadata + "}")),
                    opt_1_0);
  };
  for (const std::string plan : {R"({"name":"p"})", R"({"name":"p","tasks":[]})"}) {
    const auto sent = send("please do this", R"("opt/v1/plan":)" + plan);
    CHECK(at(sent, "/result/task/status/state") == "TASK_STATE_COMPLETED");
    CHECK(at(sent, "/result/objective/plans/0/name") == "p");
    CHECK(at(sent, "/result/objective/plans/0/tasks/0/name") == "please do this");
  }
  const auto refused =
      send("please do this", R"("opt/v1/objective":{"name":"o","plans":[{"name":"p"}]})");
  CHECK(at(refused, "/error/code") == "-32602");
  CHECK_THAT(at(refused, "/error/message"), Contains("has no task, so it would never end"));
  CHECK(at(send("", R"("opt/v1/plan":{"name":"p"})"), "/error/code") == "-32602");
}

TEST_CASE("D6_option_b: an ended objective takes no plan, in A2A's own code", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"O","start":true,"plans":[{"name":"p","tasks":[{"name":"a","agent":"noop"}]}]})"));
  REQUIRE(comes_true([&] {
    return at(bed.result_of("objectives/get", R"({"id":"o"})"), "/objective/status") == "completed";
  }));
  const auto refused = bed.call(
      rpc("SendMessage",
          text_message("x", R"(,"contextId":"o","metadata":{"opt/v1/plan":{"name":"more","tasks":)"
                            R"([{"name":"b","agent":"noop"}]}})")),
      opt_1_0);
  CHECK(at(refused, "/error/code") == "-32004"); // -32001 would say that there is no such task.
  CHECK_THAT(at(refused, "/error/message"), Contains("the objective is completed"));
}

TEST_CASE("F6_reach: what a message with an objective refers to reaches its tasks", "[net][opt]") {
  const std::string plan =
      R"({"name":"p","tasks":[{"name":"a"},{"name":"b","dependencies":["a"]}]})";
  const std::string work =
      GENERATE_REF(as<std::string>{}, R"("opt/v1/plan":)" + plan,
                   R"("opt/v1/objective":{"name":"o","plans":[)" + plan + "]}");
  CAPTURE(work);
  const net_bed bed({}, "puppet");
  const auto first = bed.call(
      rpc("SendMessage", text_message("hi", "", R"(,"configuration":{"returnImmediately":true})")));
  const auto id = at(first, "/result/task/id");
  finish(bed, 0, "a map");
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":")" + id + "\"}"), "/status/state")
           == "TASK_STATE_COMPLETED";
  }));
  static_cast<void>(
      bed.call(rpc("SendMessage",
                   R"({"message":{"messageId":"m2","role":"ROLE_USER","referenceTaskIds":[")" + id
                       + R"("],"parts":[{"text":"this","metadata":{"referenceArtifactId":"out"}}],)"
                         R"("metadata":{)"
                       + work
                       + R"(}},)"
                         R"("configuration":{"returnImmediately":true}})")));
  for (std::size_t task = 1; task <= 2; ++task) {
    const auto order = bed.puppet->asked(task);
    REQUIRE(order->references.size() == 1);
    CHECK(order->references[0].id.str() == id);
    REQUIRE(order->references[0].artifacts.size() == 1);
    CHECK(text_of(order->references[0].artifacts[0]->parts) == "a map");
    CHECK(order->references[0].pinned == std::vector<std::string>{"out"});
    finish(bed, task);
  }
}

TEST_CASE("M25_root_result: an ended root task has what the last tasks made", "[net][opt]") {
  const net_bed bed({}, "puppet");
  constexpr const char* plans =
      R"(,"metadata":{"opt/v1/objective":{"id":"o","name":"n","plans":[)"
      R"({"name":"p","tasks":[{"name":"a"},{"name":"b","dependencies":["a"]}]},)"
      R"({"name":"q","dependencies":["p"],"tasks":[{"name":"c"}]},)"
      R"({"name":"r","dependencies":["p"],"tasks":[{"name":"d"}]}]}})";
  auto client = bed.connect();
  client.send(http_client::request_text("POST", "/message:stream", text_message("go", plans),
                                        "A2A-Version: 1.0\r\n"));
  REQUIRE(client.receive_head().header("content-type") == "text/event-stream");
  finish(bed, 0, "of a");
  finish(bed, 1, "of b");
  static_cast<void>(bed.puppet->port(3));
  const bool c_is_first = bed.puppet->asked(2)->name == "c";
  finish(bed, c_is_first ? 2 : 3, "of c");
  finish(bed, c_is_first ? 3 : 2, "of d");
  std::vector<std::string> shown;
  std::string last;
  while (const auto text = client.next_event()) {
    const auto event = boost::json::parse(*text);
    if (at(event, "/artifactUpdate") != "(none)")
      shown.push_back(at(event, "/artifactUpdate/artifact/artifactId"));
    last = at(event, "/statusUpdate/status/state");
  }
  CHECK(shown == std::vector<std::string>{"o.p1.t0.out", "o.p2.t0.out"});
  CHECK(last == "TASK_STATE_COMPLETED");
  const auto root = at(objective(bed, "o"), "/rootTaskId");
  const auto task = bed.result_of("GetTask", R"({"id":")" + root + "\"}");
  CHECK(at(task, "/artifacts/0/parts/0/text") == "of c");
  CHECK(at(task, "/artifacts/0/metadata/troupe~1v1~1taskId") == "o.p1.t0");
  CHECK(at(task, "/artifacts/1/parts/0/text") == "of d");
  CHECK(at(task, "/artifacts/2") == "(none)");
  const auto v0_3 = bed.call(rpc("tasks/get", R"({"id":")" + root + "\"}"), "").at("result");
  CHECK(at(v0_3, "/artifacts/1/parts/0/text") == "of d");
}

TEST_CASE("an answer through a root task returns the root task, and its stream goes on with it",
          "[net][opt]") {
  const net_bed bed({}, "puppet");
  constexpr const char* plan = R"(,"metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a"}]}})";
  const auto asked = [&](std::size_t task) {
    bed.puppet->port(task)->report(report_question{"which?", false});
  };
  const auto begin = bed.call(rpc(
      "SendMessage", text_message("go", plan, R"(,"configuration":{"returnImmediately":true})")));
  const auto root = at(begin, "/result/task/id");
  asked(0);
  const auto root_state = [&] {
    return at(bed.result_of("GetTask", R"({"id":")" + root + "\"}"), "/status/state");
  };
  REQUIRE(comes_true([&] { return root_state() == "TASK_STATE_INPUT_REQUIRED"; }));
  SECTION("not waiting") {
    const auto answer = bed.call(
        rpc("SendMessage", text_message("this", R"(,"taskId":")" + root + "\"",
                                        R"(,"configuration":{"returnImmediately":true})")));
    CHECK(at(answer, "/result/task/id") == root);
    finish(bed, 0);
  }
  SECTION("waiting") {
    auto client = bed.connect();
    client.send(http_client::post_text(
        rpc("SendMessage", text_message("this", R"(,"taskId":")" + root + "\"")),
        "A2A-Version: 1.0\r\n"));
    CHECK(bed.puppet->input(0) == "this");
    finish(bed, 0);
    const auto answer = boost::json::parse(client.receive().body);
    CHECK(at(answer, "/result/task/id") == root);
    CHECK(at(answer, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  }
  SECTION("in 0.3") {
    const auto answer = bed.call(
        rpc("message/send",
            R"({"message":{"kind":"message","messageId":"m","role":"user","taskId":")" + root
                + R"(","parts":[{"kind":"text","text":"this"}]},)"
                  R"("configuration":{"blocking":false}})"),
        "");
    CHECK(at(answer, "/result/id") == root);
    finish(bed, 0);
  }
  SECTION("as a stream") {
    auto client = bed.connect();
    client.send(http_client::request_text("POST", "/message:stream",
                                          text_message("this", R"(,"taskId":")" + root + "\""),
                                          "A2A-Version: 1.0\r\n"));
    REQUIRE(client.receive_head().header("content-type") == "text/event-stream");
    const auto first = client.next_event();
    REQUIRE(first);
    CHECK(at(boost::json::parse(*first), "/task/id") == root);
    // The question that was answered is not shown once more.
    CHECK(at(boost::json::parse(*first), "/task/status/state") == "TASK_STATE_WORKING");
    CHECK(bed.puppet->input(0) == "this");
    finish(bed, 0, "made");
    std::string last;
    while (const auto text = client.next_event()) {
      CHECK_THAT(*text, Contains(root));
      last = at(boost::json::parse(*text), "/statusUpdate/status/state");
    }
    CHECK(last == "TASK_STATE_COMPLETED");
  }
  REQUIRE(comes_true([&] { return root_state() == "TASK_STATE_COMPLETED"; }));
}

TEST_CASE("the root task of an objective that waits for a login alone is AUTH_REQUIRED",
          "[net][opt]") {
  const net_bed bed({}, "puppet");
  constexpr const char* plan =
      R"(,"metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a"},{"name":"b"}]}})";
  const auto begin = bed.call(rpc(
      "SendMessage", text_message("go", plan, R"(,"configuration":{"returnImmediately":true})")));
  const auto root = at(begin, "/result/task/id");
  const auto root_comes_to = [&](const std::string& state) {
    return comes_true([&] {
      return at(bed.result_of("GetTask", R"({"id":")" + root + "\"}"), "/status/state") == state;
    });
  };
  // While the other task works, the objective does, too.
  bed.puppet->port(0)->report(report_question{"log in", true});
  bed.puppet->port(1)->report(report_question{"log in there, too", true});
  REQUIRE(root_comes_to("TASK_STATE_AUTH_REQUIRED"));
  // A stream stays open for the login, and ends with the task.
  auto follower = bed.connect();
  follower.send(http_client::post_text(rpc("SubscribeToTask", R"({"id":")" + root + "\"}")));
  REQUIRE(follower.receive_head().status == 200);
  const auto first = follower.next_event();
  REQUIRE(first);
  CHECK_THAT(*first, Contains("TASK_STATE_AUTH_REQUIRED"));
  const auto log_in = [&](std::size_t task) {
    const auto question = bed.puppet->asked(task)->id.str() + ".question-1";
    static_cast<void>(
        bed.result_of("inputs/answer", R"({"id":")" + question + R"(","value":"done"})"));
  };
  log_in(0);
  REQUIRE(root_comes_to("TASK_STATE_WORKING"));
  bed.puppet->port(0)->report(report_question{"which?", false});
  REQUIRE(root_comes_to("TASK_STATE_INPUT_REQUIRED")); // One asks for something else.
  log_in(1);
  REQUIRE(root_comes_to("TASK_STATE_WORKING"));
  finish(bed, 0); // First, else nothing works while it asks.
  const auto asked = bed.puppet->asked(0)->id.str();
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":")" + asked + "\"}"), "/status/state")
           == "TASK_STATE_COMPLETED";
  }));
  finish(bed, 1);
  REQUIRE(root_comes_to("TASK_STATE_COMPLETED"));
  std::string states;
  while (const auto text = follower.next_event())
    if (const auto state = at(boost::json::parse(*text), "/result/statusUpdate/status/state");
        state != "(none)")
      states += state.substr(std::string("TASK_STATE_").size()) + " ";
  CHECK(states == "WORKING INPUT_REQUIRED WORKING COMPLETED ");
}

TEST_CASE("D6_option_b: a message into an objective's context is a task of the objective",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", R"({"id":"obj-abc","name":"Research"})"));
  SECTION("over JSON-RPC in 1.0") {
    const auto sent = bed.call(
        rpc("SendMessage", text_message("AI safety", R"(,"contextId":"obj-abc")")), opt_1_0);
    CHECK(at(sent, "/result/task/contextId") == "obj-abc");
    CHECK(at(sent, "/result/task/status/state") == "TASK_STATE_COMPLETED");
    CHECK(at(sent, "/result/task/metadata/opt~1v1~1objectiveId") == "obj-abc");
    CHECK(at(sent, "/result/task/metadata/opt~1v1~1planId") == "obj-abc.p0");
    CHECK(at(sent, "/result/objective/id") == "obj-abc");
  }
  SECTION("over REST in 1.0") {
    const auto sent = bed.connect().request("POST", "/message:send",
                                            text_message("AI safety", R"(,"contextId":"obj-abc")"),
                                            "A2A-Version: 1.0\r\n");
    CHECK(at(boost::json::parse(sent.body), "/task/id") == "obj-abc.p0.t0");
  }
  SECTION("over JSON-RPC in 0.3, as the design prints it") {
    const auto sent = bed.call(
        rpc("message/send", R"({"message":{"messageId":"m","role":"user","contextId":"obj-abc",)"
                            R"("parts":[{"type":"text","text":"AI safety"}]}})"),
        "");
    CHECK(at(sent, "/result/id") == "obj-abc.p0.t0");
  }
  SECTION("over REST in 0.3") {
    const auto sent = bed.connect().request(
        "POST", "/v1/message:send",
        R"({"message":{"messageId":"m","role":"ROLE_USER","contextId":"obj-abc",)"
        R"("content":[{"text":"AI safety"}]}})",
        "");
    CHECK(at(boost::json::parse(sent.body), "/task/id") == "obj-abc.p0.t0");
  }
  SECTION("as a stream") {
    auto client = bed.connect();
    client.send(http_client::request_text("POST", "/message:stream",
                                          text_message("AI safety", R"(,"contextId":"obj-abc")"),
                                          "A2A-Version: 1.0\r\n"));
    REQUIRE(client.receive_head().header("content-type") == "text/event-stream");
    std::string last;
    while (const auto text = client.next_event())
      last = at(boost::json::parse(*text), "/statusUpdate/status/state");
    CHECK(last == "TASK_STATE_COMPLETED");
  }
  SECTION("with a plan of its own: D6_option_b_plan") {
    const auto sent = bed.call(rpc(
        "SendMessage", text_message("go", R"(,"contextId":"obj-abc","metadata":{"opt/v1/plan":)"
                                          R"({"name":"Writing","tasks":[{"name":"Draft"}]}})")));
    CHECK(at(sent, "/result/task/id") == "obj-abc.p0.t0");
    CHECK(at(objective(bed, "obj-abc"), "/plans/0/name") == "Writing");
  }
  REQUIRE(comes_true([&] { return status(bed, "obj-abc") == "completed"; }));
  CHECK(at(objective(bed, "obj-abc"), "/plans/1") == "(none)");
  const auto all = bed.result_of("ListTasks", R"({"contextId":"obj-abc"})");
  CHECK(at(all, "/totalSize") == "1");
  // An objective that has ended takes no more: a follow-up is a task beside it.
  const auto after =
      bed.call(rpc("SendMessage", text_message("more", R"(,"contextId":"obj-abc")")));
  CHECK(at(after, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(objective(bed, "obj-abc"), "/plans/1") == "(none)");
}

TEST_CASE("D6_option_b: no message into an objective's context is a task beside the objective",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", R"({"id":"o","name":"Research"})"));
  const auto of_another = bed.call(rpc("SendMessage", text_message("first")));
  const auto referred = at(of_another, "/result/task/id");
  const bool is_active = GENERATE(true, false);
  CAPTURE(is_active);
  std::string sent;
  std::string code = "-32005";
  SECTION("with a file") {
    sent = R"({"message":{"messageId":"m","role":"ROLE_USER","contextId":"o",)"
           R"("parts":[{"text":"read this"},{"raw":"aGk=","filename":"a.txt"}]}})";
  }
  SECTION("with a file only") {
    sent = R"({"message":{"messageId":"m","role":"ROLE_USER","contextId":"o",)"
           R"("parts":[{"url":"http://files.example/a.txt"}]}})";
  }
  SECTION("with data only") {
    sent = R"({"message":{"messageId":"m","role":"ROLE_USER","contextId":"o",)"
           R"("parts":[{"data":{"n":1}}]}})";
  }
  SECTION("without a text") {
    sent = text_message(" ", R"(,"contextId":"o")");
    code = "-32602";
  }
  SECTION("that refers to tasks") {
    sent = text_message("more", R"(,"contextId":"o","referenceTaskIds":[")" + referred + R"("])");
    code = "-32602";
  }
  const auto answer =
      bed.call(rpc("SendMessage", sent), is_active ? opt_1_0 : "A2A-Version: 1.0\r\n");
  CHECK(at(answer, "/error/code") == code);
  CHECK(at(bed.result_of("ListTasks", R"({"contextId":"o"})"), "/totalSize") == "0");
  CHECK(at(objective(bed, "o"), "/plans/0") == "(none)");
  CHECK(status(bed, "o") == "submitted");
}

TEST_CASE("D6_option_b: a message into the context of a running root answers with the root",
          "[net][opt]") {
  const net_bed bed({}, "puppet");
  const auto begin = bed.call(
      rpc("SendMessage",
          text_message(
              "go",
              R"(,"contextId":"o","metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a"}]}})",
              R"(,"configuration":{"returnImmediately":true})")));
  const auto root = at(begin, "/result/task/id");
  static_cast<void>(bed.puppet->port(0));
  const auto more =
      bed.call(rpc("SendMessage", text_message("and this", R"(,"contextId":"o")",
                                               R"(,"configuration":{"returnImmediately":true})")));
  CHECK(at(more, "/result/task/id") == root);
  CHECK(bed.puppet->asked(1)->description == "and this");
  CHECK(at(objective(bed, "o"), "/plans/1/tasks/0/description") == "and this");
  finish(bed, 0);
  finish(bed, 1);
  REQUIRE(comes_true([&] { return status(bed, "o") == "completed"; }));
}

TEST_CASE("an error before a stream's first event is an event whose text says it all",
          "[net][sse]") {
  const net_bed bed;
  const auto first_event = [&](std::string_view body, const char* headers) {
    auto client = bed.connect();
    client.send(http_client::request_text("POST", "/", body, headers));
    REQUIRE(client.receive_head().header("content-type") == "text/event-stream");
    const auto text = client.next_event();
    REQUIRE(text);
    return at(boost::json::parse(*text), "/error/message");
  };
  const auto check_text = [](const std::string& text) {
    for (const auto* part : {"TASK_NOT_FOUND", "-32001", "check the id of the task"})
      CHECK_THAT(text, Contains(part));
  };
  check_text(first_event(rpc("SubscribeToTask", R"({"id":"nope"})"), "A2A-Version: 1.0\r\n"));
  check_text(first_event(rpc("tasks/resubscribe", R"({"id":"nope"})"), ""));
  check_text(first_event(rpc("SendStreamingMessage", text_message("x", R"(,"taskId":"nope")")),
                         "A2A-Version: 1.0\r\n"));
  const auto rest =
      bed.connect().request("POST", "/tasks/nope:subscribe", "", "A2A-Version: 1.0\r\n");
  CHECK(rest.status == 404);
  check_text(at(boost::json::parse(rest.body), "/error/message"));
  const auto rest_0_3 = bed.connect().request("POST", "/v1/tasks/nope:subscribe", "", "");
  CHECK(rest_0_3.status == 404);
  check_text(at(boost::json::parse(rest_0_3.body), "/message"));
}

TEST_CASE("D2_planned: under 0.3 a message that makes an objective is answered at once",
          "[net][opt]") {
  const net_bed bed;
  constexpr const char* opt_0_3 = "A2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";
  const auto message = [](const std::string& id, const std::string& more = "") {
    return R"({"message":{"messageId":"m-)" + id
           + R"(","role":"user","parts":[{"type":"text","text":"go"}],"metadata":{"opt/v1/objective":{"id":")"
           + id
           + R"(","name":"n","plans":[{"name":"empty","tasks":[]},{"name":"p","tasks":[{"name":"w","agent":"puppet"}]}]}}})"
           + more + "}";
  };
  // The puppet never ends by itself: what waits for it is not answered.
  for (const auto& more : {std::string{}, std::string{R"(,"configuration":{"historyLength":0})"}}) {
    const auto id = "o" + std::to_string(more.size());
    const auto sent = bed.call(rpc("message/send", message(id, more)), opt_0_3).at("result");
    CHECK(at(sent, "/status/state") == "working");
    CHECK(at(sent, "/contextId") == id);
    for (const std::string where : {"/metadata", "/task/metadata"}) {
      CHECK(at(sent, where + "/opt~1v1~1root") == "true");
      CHECK(at(sent, where + "/opt~1v1~1objectiveId") == id);
      CHECK(at(sent, where + "/opt~1v1~1planId") == id + ".p1");
      CHECK(at(sent, where + "/opt~1v1~1taskIndex") == "0");
    }
  }
}

TEST_CASE("D2_planned: a client that asks to wait waits, and so does one without the extension",
          "[net][opt]") {
  const net_bed bed;
  const auto state = [&](const char* headers, const std::string& more) {
    const auto sent = bed.call(
        rpc("message/send",
            R"({"message":{"messageId":"m","role":"user","parts":[{"type":"text","text":"go"}],"metadata":{"opt/v1/plan":)"
            R"({"name":"p","tasks":[{"name":"w","agent":"sleep","input":{"seconds":0.05}}]}}})"
                + more + "}"),
        headers);
    return at(sent, "/result/status/state");
  };
  CHECK(state("A2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n",
              R"(,"configuration":{"blocking":true})")
        == "completed");
  CHECK(state("", "") == "completed");
}

TEST_CASE("M28_context: the root task is marked in the list of its context", "[net][opt]") {
  const net_bed bed;
  const auto sent = bed.result_of(
      "SendMessage",
      text_message(
          "go",
          R"(,"metadata":{"opt/v1/objective":{"id":"o","name":"o","tasks":[{"name":"w"}]}})"));
  const auto root = at(sent, "/task/id");
  std::size_t marked = 0;
  const auto page = bed.result_of("ListTasks", R"({"contextId":"o"})");
  for (const auto& task : page.at("tasks").as_array()) {
    const bool is_root = at(task, "/id") == root;
    CHECK(at(task, "/metadata/opt~1v1~1root") == (is_root ? "true" : "(none)"));
    marked += is_root ? 1 : 0;
  }
  CHECK(marked == 1);
}
