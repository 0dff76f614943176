// Objectives and plans over JSON-RPC (docs/a2a.md, D16).
#include "tests/net/net_bed.hpp"
#include "tests/support/answer_in_time.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"

#include <boost/json/parse.hpp>

#include <future>
#include <initializer_list>
#include <memory>
#include <utility>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr const char* one_plan = R"("plans":[{"name":"p","tasks":[{"name":"a","agent":"echo"},)"
                                 R"({"name":"b","agent":"echo","dependencies":["a"]}]}])";
constexpr const char* opt_header =
    "A2A-Version: 1.0\r\nA2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";

std::string status_of(const net_bed& bed, const std::string& id) {
  return at(bed.result_of("objectives/get", R"({"id":")" + id + "\"}"), "/objective/status");
}

} // namespace

TEST_CASE("an objective is built, then started, then completes", "[net][opt]") {
  const net_bed bed;
  const auto made =
      bed.result_of("objectives/create", std::string(R"({"name":"trip",)") + one_plan + "}");
  const auto id = at(made, "/objective/id");
  CHECK(at(made, "/objective/name") == "trip");
  CHECK(at(made, "/objective/status") == "submitted");
  CHECK(at(made, "/objective/plans/0/tasks/1/status") == "pending");
  CHECK(status_of(bed, id) == "submitted");

  const auto started =
      bed.result_of("objectives/update", R"({"id":")" + id + R"(","status":"working"})");
  CHECK(at(started, "/objective/id") == id);
  REQUIRE(comes_true([&] { return status_of(bed, id) == "completed"; }));
}

TEST_CASE("plans and tasks are shown unless said otherwise", "[net][opt]") {
  const net_bed bed;
  const auto id =
      at(bed.result_of("objectives/create", std::string(R"({"name":"trip",)") + one_plan + "}"),
         "/objective/id");
  const auto shown = [&](const char* how) {
    return bed.result_of("objectives/get", R"({"id":")" + id + "\"" + how + "}");
  };
  CHECK(at(shown(""), "/objective/plans/0/tasks/1/name") == "b");
  const auto plans = shown(R"(,"includeTasks":false)");
  CHECK(at(plans, "/objective/plans/0/name") == "p");
  CHECK(at(plans, "/objective/plans/0/tasks") == "(none)");
  CHECK(at(shown(R"(,"includePlans":false)"), "/objective/plans") == "(none)");
  const auto plan = at(plans, "/objective/plans/0/id");
  CHECK(at(bed.result_of("plans/get", R"({"id":")" + plan + "\"}"), "/plan/tasks/1/name") == "b");
  CHECK(at(bed.result_of("plans/get", R"({"id":")" + plan + R"(","includeTasks":false})"),
           "/plan/tasks")
        == "(none)");
}

TEST_CASE("plans are added, read and started on their own", "[net][opt]") {
  const net_bed bed;
  const auto id = at(bed.result_of("objectives/create", R"({"name":"o"})"), "/objective/id");
  const auto plan =
      bed.result_of("plans/create", R"({"objectiveId":")" + id
                                        + R"(","name":"p","tasks":[{"name":"a","agent":"echo"}]})");
  const auto plan_id = at(plan, "/plan/id");
  CHECK(at(plan, "/plan/name") == "p");
  CHECK(at(plan, "/plan/tasks/0/name") == "a");
  CHECK(at(bed.result_of("plans/get", R"({"id":")" + plan_id + "\"}"), "/plan/id") == plan_id);
  CHECK(at(bed.result_of("plans/update", R"({"id":")" + plan_id + R"(","status":"working"})"),
           "/plan/id")
        == plan_id);
  REQUIRE(comes_true([&] {
    return at(bed.result_of("plans/get", R"({"id":")" + plan_id + "\"}"), "/plan/status")
           == "completed";
  }));
}

TEST_CASE("objectives are listed", "[net][opt]") {
  const net_bed bed;
  for (const auto* name : {"x", "y", "z"})
    static_cast<void>(
        bed.result_of("objectives/create", R"({"name":")" + std::string(name) + "\"}"));
  const auto page = bed.result_of("objectives/list", R"({"pageSize":2})");
  CHECK(page.at("objectives").as_array().size() == 2);
  CHECK(at(page, "/totalSize") == "3");
  CHECK_FALSE(at(page, "/nextPageToken").empty());
  CHECK(at(bed.result_of("objectives/list", R"({"status":"completed"})"), "/objectives") == "[]");
}

TEST_CASE("M13_params: the extension's methods need no version, and answer with its codes",
          "[net][opt]") {
  const net_bed bed;
  const auto call = [&](std::string_view method, std::string_view params) {
    return bed.call(rpc(method, params), "");
  };
  CHECK(at(call("objectives/get", R"({"id":"nope"})"), "/error/code") == "-32000");
  CHECK(at(call("objectives/get", R"({"id":"nope"})"), "/error/data")
        == "(none)"); // the shape of 0.3
  CHECK(at(bed.error_of("objectives/get", R"({"id":"nope"})"), "/data/0/reason")
        == "OBJECTIVE_NOT_FOUND");
  CHECK(at(call("plans/get", R"({"id":"nope"})"), "/error/code") == "-32000");
  CHECK(at(bed.error_of("plans/get", R"({"id":"nope"})"), "/data/0/reason") == "PLAN_NOT_FOUND");
  CHECK(at(call("plans/create", R"({"objectiveId":"nope","name":"p"})"), "/error/code")
        == "-32000");
  CHECK(at(call("plans/update", R"({"id":"nope","status":"working"})"), "/error/code") == "-32000");
  CHECK(at(call("objectives/create", R"({"name":7})"), "/error/code") == "-32602");
  for (const auto* method :
       {"objectives/create", "objectives/get", "objectives/update", "objectives/modify",
        "objectives/replan", "plans/create", "plans/get", "plans/list", "plans/update",
        "plans/addTasks", "plans/modify", "plans/history", "inputs/get", "inputs/answer"})
    for (const auto* wrong : {"{}", R"({"id":7,"objectiveId":7,"name":[]})", "[]", "\"x\"", "7"}) {
      CAPTURE(method, wrong);
      CHECK(at(call(method, wrong), "/error/code") == "-32602");
    }
  CHECK(at(call("objectives/list", R"({"status":"nonsense"})"), "/error/code") == "-32602");
  const auto made =
      call("objectives/create", std::string("{\"name\":\"o\",\"start\":true,") + one_plan + "}");
  const auto id = at(made, "/result/objective/id");
  REQUIRE(comes_true([&] { return status_of(bed, id) == "completed"; }));
  const auto refused = call("objectives/update", R"({"id":")" + id + R"(","status":"working"})");
  CHECK(at(refused, "/error/code") == "-32001");
  CHECK(at(bed.error_of("objectives/update", R"({"id":")" + id + R"(","status":"working"})"),
           "/data/0/reason")
        == "INVALID_TRANSITION");
}

TEST_CASE("M16_cycle: a cycle is refused with its path, and nothing was made", "[net][opt]") {
  const net_bed bed;
  const auto error =
      bed.error_of("objectives/create",
                   R"({"name":"o","plans":[{"name":"p","tasks":[)"
                   R"({"name":"a","dependencies":["b"]},{"name":"b","dependencies":["a"]}]}]})");
  CHECK(at(error, "/code") == "-32602");
  CHECK(at(error, "/data/0/reason") == "DEPENDENCY_CYCLE");
  CHECK_THAT(at(error, "/message"),
             ContainsSubstring("a -> b -> a") || ContainsSubstring("b -> a -> b"));
  const auto refused = [&](const char* plans) {
    return bed.error_of("objectives/create",
                        R"({"name":"o","plans":[)" + std::string(plans) + "]}");
  };
  const auto between = refused(R"({"name":"one","dependencies":["two"],"tasks":[{"name":"a"}]},)"
                               R"({"name":"two","tasks":[{"name":"b","dependencies":["a"]}]})");
  CHECK(at(between, "/data/0/reason") == "DEPENDENCY_CYCLE");
  CHECK_THAT(at(between, "/message"), ContainsSubstring("plan two -> plan one"));
  for (const auto* unknown : {R"({"name":"p","dependencies":["nix"]})",
                              R"({"name":"p","tasks":[{"name":"a","dependencies":["nix"]}]})"}) {
    const auto why = refused(unknown);
    CHECK(at(why, "/data/0/reason") == "UNKNOWN_DEPENDENCY");
    CHECK_THAT(at(why, "/message"), ContainsSubstring("nix"));
  }
  CHECK(at(bed.result_of("objectives/list", "{}"), "/totalSize") == "0");
}

TEST_CASE("a message that brings a plan runs it and answers with its root task", "[net][opt]") {
  const net_bed bed;
  const std::string plan = R"({"name":"p","tasks":[{"name":"a","agent":"echo"}]})";
  const auto message =
      text_message("do this", R"(,"contextId":"obj-mine","metadata":{"opt/v1/plan":)" + plan + "}");
  const auto answer = bed.call(rpc("SendMessage", message), opt_header);
  CHECK(at(answer, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(answer, "/result/task/contextId") == "obj-mine");
  CHECK(at(answer, "/result/task/metadata/opt~1v1~1objectiveId") == "obj-mine");
  CHECK(at(answer, "/result/task/metadata/opt~1v1~1objective/status") == "completed");
  CHECK(at(answer, "/result/objective/id") == "obj-mine");
  CHECK(at(answer, "/result/objective/name") == "do this");
  CHECK(status_of(bed, "obj-mine") == "completed");
}

TEST_CASE("an objective without plans gets one task: what the message says", "[net][opt]") {
  const net_bed bed;
  const auto send = [&](const char* text, const char* metadata, const char* headers = opt_header) {
    return bed.call(
        rpc("SendMessage", text_message(text, std::string(R"(,"metadata":)") + metadata)), headers);
  };
  const auto given = send(
      "paint it", R"({"opt/v1/objective":{"id":"obj-shed","name":"Shed","status":"submitted"}})");
  CHECK(at(given, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(given, "/result/objective/name") == "Shed");
  CHECK(at(given, "/result/objective/plans/0/tasks/0/name") == "paint it");
  const auto wished =
      send("sort shells", R"({"opt/v1/preferObjective":true,"opt/v1/suggestedName":"Shells"})");
  CHECK(at(wished, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(wished, "/result/objective/name") == "Shells");
  CHECK(at(wished, "/result/objective/plans/0/tasks/0/status") == "completed");
  // A hint says that the message is to be planned, also without the activated extension. The answer
  // has nothing beside the task then.
  const auto unnamed = send("x", R"({"opt/v1/preferObjective":true})", "A2A-Version: 1.0\r\n");
  CHECK(at(unnamed, "/result/task/metadata/opt~1v1~1root") == "true");
  CHECK(at(unnamed, "/result/objective") == "(none)");
  CHECK(at(send("x", R"({"opt/v1/preferObjective":false})"), "/result/objective") == "(none)");
  // In the context of an objective the hint asks for nothing new.
  const auto again = bed.call(
      rpc("SendMessage",
          text_message("more",
                       R"(,"contextId":"obj-shed","metadata":{"opt/v1/preferObjective":true})")),
      opt_header);
  CHECK(at(again, "/result/task/contextId") == "obj-shed");
  CHECK(at(again, "/result/objective") == "(none)");
}

TEST_CASE("the hint of a message does not tell if somebody else has its context", "[net][opt]") {
  const net_bed bed;
  for (const bool starts : {false, true}) {
    create_objective command;
    command.who.id = "alice";
    command.spec.id = objective_id{starts ? "obj-working" : "obj-alice"};
    command.spec.name = "hers";
    command.start = starts;
    const auto made = std::make_shared<std::promise<bool>>();
    bed.main_gateway->create(std::move(command), nullptr, [made](const result<objective_ptr>& how) {
      made->set_value(how.has_value());
    });
    REQUIRE(answer_in_time(made->get_future()));
  }
  for (const std::string context : {"obj-nobody", "obj-alice", "obj-working"}) {
    CAPTURE(context);
    const auto answer =
        bed.call(rpc("SendMessage",
                     text_message("x", R"(,"contextId":")" + context
                                           + R"(","metadata":{"opt/v1/preferObjective":true})")),
                 opt_header);
    CHECK(at(answer, "/result/task/contextId") == context);
    CHECK(at(answer, "/result/task/status/state") == "TASK_STATE_COMPLETED");
    CHECK(at(answer, "/result/task/metadata/opt~1v1~1root") == "(none)");
    CHECK(at(answer, "/result/objective") == "(none)");
    CHECK(answer.at("result").as_object().size() == 1);
  }
}

TEST_CASE("a message that brings an objective keeps to the rules of messages",
          "[net][opt][rules]") {
  const net_bed bed;
  const auto ended = at(
      bed.result_of("SendMessage", text_message("x", R"(,"contextId":"ctx-ended")")), "/task/id");
  const auto before = at(bed.result_of("ListTasks", "{}"), "/totalSize");
  const std::string tasks = R"({"name":"p","tasks":[{"name":"a"}]})";
  const std::vector<std::string> all{R"("opt/v1/plan":)" + tasks,
                                     R"("opt/v1/objective":{"name":"o"})",
                                     R"("opt/v1/objective":{"name":"o","plans":[)" + tasks + "]}",
                                     R"("opt/v1/preferObjective":true)"};
  for (const auto& brings : all) {
    CAPTURE(brings);
    const auto refused = [&](const std::string& in_message, const std::string& in_params = "") {
      const auto params =
          text_message("x", R"(,"metadata":{)" + brings + "}" + in_message, in_params);
      const auto answer = bed.call(rpc("SendMessage", params), opt_header);
      auto client = bed.connect();
      client.send(
          http_client::request_text("POST", "/", rpc("SendStreamingMessage", params), opt_header));
      static_cast<void>(client.receive_head());
      CHECK(at(boost::json::parse(client.next_event().value_or("{}")), "/error/code")
            == at(answer, "/error/code"));
      return answer;
    };
    // A2A 1.0 section 3.4.2: who names a task means that task.
    CHECK(at(refused(R"(,"taskId":"nope")"), "/error/code") == "-32001");
    CHECK(at(refused(R"(,"taskId":"nope","referenceTaskIds":["ghost"])"), "/error/code")
          == "-32001");
    CHECK(at(refused(R"(,"taskId":")" + ended + "\""), "/error/code") == "-32004");
    CHECK(at(refused(R"(,"contextId":"other","taskId":")" + ended + "\""), "/error/code")
          == "-32602");
    CHECK(
        at(refused("", R"(,"configuration":{"acceptedOutputModes":["image/png"]})"), "/error/code")
        == "-32005");
  }
  CHECK(at(bed.result_of("ListTasks", "{}"), "/totalSize") == before);
  CHECK(at(bed.result_of("objectives/list", "{}"), "/totalSize") == "0");
  // Who names another agent is asked for nothing that the default agent makes.
  const auto params = text_message(
      "x",
      R"(,"metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a"},{"name":"b","agent":"noop"}]}})",
      R"(,"configuration":{"acceptedOutputModes":["image/png"]})");
  CHECK(at(bed.result_of("SendMessage", params), "/task/status/state") == "TASK_STATE_COMPLETED");
}

TEST_CASE("M18_two_ids: an objective in a message is of the message's context, or refused",
          "[net][opt][rules]") {
  const net_bed bed;
  const auto send = [&](const std::string& context, const std::string& id) {
    const auto named = id.empty() ? id : R"(,"id":")" + id + "\"";
    return bed.call(
        rpc("SendMessage", text_message("x", R"(,"contextId":")" + context
                                                 + R"(","metadata":{"opt/v1/objective":{"name":"o")"
                                                 + named + "}}")));
  };
  const auto refused = send("my-ctx", "obj-123");
  CHECK(at(refused, "/error/code") == "-32602");
  CHECK_THAT(at(refused, "/error/message"),
             ContainsSubstring("my-ctx") && ContainsSubstring("obj-123"));
  CHECK(at(bed.result_of("objectives/list", "{}"), "/totalSize") == "0");
  CHECK(at(send("same", "same"), "/result/task/contextId") == "same");
  CHECK(at(send("", "obj-alone"), "/result/task/contextId") == "obj-alone");
  CHECK(at(send("ctx-alone", ""), "/result/task/contextId") == "ctx-alone");
}

TEST_CASE("a blocking send does not wait for an objective without tasks", "[net][opt]") {
  const net_bed bed;
  const auto message =
      R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"no":"text"}}],)"
      R"("metadata":{"opt/v1/objective":{"name":"empty"}}}})";
  const auto answer = bed.call(rpc("SendMessage", message), opt_header);
  CHECK(at(answer, "/result/task/status/state") == "TASK_STATE_WORKING");
  CHECK(at(answer, "/result/objective/plans") == "[]");
}

TEST_CASE("a client that did not activate the extension gets no further member", "[net][opt]") {
  const net_bed bed;
  const auto message = text_message("do this", "",
                                    R"(,"metadata":{"opt/v1/objective":{"name":"o",)"
                                        + std::string(one_plan) + "}}");
  const auto answer = bed.call(rpc("SendMessage", message));
  CHECK(at(answer, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(answer, "/result/objective") == "(none)");
  CHECK(at(answer, "/result/task/metadata/opt~1v1~1objective/name") == "o");
}

TEST_CASE("a stream of a plan shows its root task until the end", "[net][opt]") {
  const net_bed bed;
  const auto message = text_message("do this", "",
                                    R"(,"metadata":{"opt/v1/objective":{"name":"o",)"
                                        + std::string(one_plan) + "}}");
  auto client = bed.connect();
  client.send(http_client::post_text(rpc("SendStreamingMessage", message)));
  CHECK(client.receive_head().status == 200);
  const auto first = client.next_event();
  REQUIRE(first);
  const auto snapshot = boost::json::parse(*first);
  CHECK(at(snapshot, "/result/task/metadata/opt~1v1~1objective/name") == "o");
  auto state = at(snapshot, "/result/task/status/state");
  while (const auto event = client.next_event()) {
    const auto update = boost::json::parse(*event);
    const bool is_result = at(update, "/result/artifactUpdate") != "(none)";
    CHECK(at(update, is_result ? "/result/artifactUpdate/taskId" : "/result/statusUpdate/taskId")
          == at(snapshot, "/result/task/id"));
    state = at(update, "/result/statusUpdate/status/state");
  }
  CHECK(state == "TASK_STATE_COMPLETED");
}

TEST_CASE("D5_lifecycle: an objective ends with its last plan once it is started, and not before",
          "[net][opt]") {
  const net_bed bed({}, "puppet");
  static_cast<void>(
      bed.result_of("objectives/create",
                    R"({"id":"o","name":"O","plans":[{"name":"a","tasks":[{"name":"one"}]}]})"));
  const auto status = [&] {
    return at(bed.result_of("objectives/get", R"({"id":"o"})"), "/objective/status");
  };
  static_cast<void>(bed.result_of("plans/update", R"({"id":"o.p0","status":"completed"})"));
  CHECK(status() == "submitted");
  static_cast<void>(
      bed.result_of("plans/create", R"({"objectiveId":"o","name":"b","tasks":[{"name":"two"}]})"));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"o","status":"working"})"));
  static_cast<void>(bed.puppet->port(0));
  CHECK(status() == "working");
  static_cast<void>(bed.result_of("plans/update", R"({"id":"o.p1","status":"completed"})"));
  REQUIRE(comes_true([&] { return status() == "completed"; }));
}

TEST_CASE("M9_wrong_type: a plan or objective in a message that cannot be read is refused with its "
          "place",
          "[net][opt]") {
  const net_bed bed;
  const auto error = bed.error_of(
      "SendMessage", text_message("x", R"(,"metadata":{"opt/v1/plan":{"name":"p","tasks":[7]}})"));
  CHECK(at(error, "/code") == "-32602");
  CHECK_THAT(at(error, "/message") + at(error, "/data/0/metadata/field"),
             ContainsSubstring("tasks/0"));
  for (
      const auto& [brought, place] : std::initializer_list<std::pair<const char*, const char*>>{
          {R"("opt/v1/plan":7)", "opt~1v1~1plan"},
          {R"("opt/v1/plan":{"name":[]})", "name"},
          {R"("opt/v1/objective":"a party")", "opt~1v1~1objective"},
          {R"("opt/v1/objective":{"name":7})", "name"},
          {R"("opt/v1/objective":{"name":"o","plans":{}})", "plans"},
          {R"("opt/v1/objective":{"name":"o","plans":[{"name":"p","tasks":[{"name":"t"},{"name":"t","dependencies":7}]}]})",
           "plans/0/tasks/1/dependencies"}}) {
    CAPTURE(brought);
    const auto metadata = R"(,"metadata":{)" + std::string(brought) + "}";
    for (const bool in_message : {true, false}) {
      const auto refused =
          bed.error_of("SendMessage",
                       in_message ? text_message("x", metadata) : text_message("x", "", metadata));
      CHECK(at(refused, "/code") == "-32602");
      CHECK_THAT(at(refused, "/data/0/metadata/field"), ContainsSubstring(place));
    }
  }
  CHECK(at(bed.result_of("objectives/list", "{}"), "/totalSize") == "0");
  CHECK(at(bed.result_of("ListTasks", "{}"), "/totalSize") == "0");
}

TEST_CASE("an objective with deeply nested metadata is answered like any other", "[net][opt]") {
  const net_bed bed;
  std::string deep = "1";
  for (int level = 0; level < 40; ++level)
    deep = "[" + deep + "]";
  const auto params = text_message(
      "x", R"(,"metadata":{"opt/v1/plan":{"name":"p","metadata":{"deep":)" + deep
               + R"(},"tasks":[{"name":"a","agent":"echo","metadata":{"deep":)" + deep + "}}]}}");
  const auto answer = bed.connect().post(rpc("SendMessage", params));
  CHECK(answer.status == 200);
  CHECK_THAT(answer.body, ContainsSubstring("TASK_STATE_COMPLETED"));
  CHECK_THAT(answer.body, ContainsSubstring("opt/v1/objective"));
}

TEST_CASE("tasks of a request belong to the trace in its headers", "[net][opt][trace]") {
  const net_bed bed{{}, "puppet"};
  const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const std::string version = "A2A-Version: 1.0\r\n";
  const std::string state = "tracestate: vendor=1\r\ntracestate: other=2\r\n";
  const auto create = rpc("objectives/create", std::string(R"({"name":"o",)") + one_plan + "}");
  const auto trace_of = [&](const std::string& headers) {
    const auto answer = bed.call(create, version + headers);
    return find_objective(*bed.records, objective_id{at(answer, "/result/objective/id")})->trace;
  };
  const auto both = trace_of("traceparent: " + parent + "\r\n" + state);
  REQUIRE(both);
  CHECK(both->traceparent == parent);
  CHECK(both->tracestate == "vendor=1,other=2");
  CHECK_FALSE(trace_of(state)); // says nothing without the other
  const auto alone =
      trace_of("traceparent: " + parent + "\r\ntracestate: " + std::string(600, 'a') + "\r\n");
  REQUIRE(alone);
  CHECK(alone->tracestate.empty());

  const auto send = rpc(
      "SendMessage", text_message("hello", "", R"(,"configuration":{"returnImmediately":true})"));
  static_cast<void>(bed.call(send, version + "traceparent: " + parent + "\r\n" + state));
  const auto order = bed.puppet->asked(0);
  CHECK(order->traceparent == parent);
  CHECK(order->tracestate == "vendor=1,other=2");
}
