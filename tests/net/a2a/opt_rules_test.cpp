// What the documents of the Objective-Plan-Task extension say in words, each line by a test of its
// name: states, blocking, what plain clients get, what survives a restart, what agents can do.
#include "tests/net/json_shape.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <set>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

struct rules_bed : net_bed {
  explicit rules_bed(const std::string& default_agent = "puppet") : net_bed({}, default_agent) {}

  void create(const std::string& document) const {
    static_cast<void>(result_of("objectives/create", document));
  }
  [[nodiscard]] boost::json::value read(const std::string& id = "o") const {
    return result_of("objectives/get", R"({"id":")" + id + "\"}").at("objective");
  }
  [[nodiscard]] std::string shown(const std::string& path) const { return at(read(), path); }
  /// Waits until the objective `o` shows that.
  void wait_for(const std::string& path, const std::string& value) const {
    CAPTURE(path, value);
    REQUIRE(comes_true([&] { return shown(path) == value; }));
  }
  /// The port of the task of that name, which has begun or will.
  [[nodiscard]] agent_port_ptr port_of(const std::string& name) const {
    for (std::size_t i = 0;; ++i)
      if (puppet->asked(i)->name == name)
        return puppet->port(i);
  }
  [[nodiscard]] std::string root_state(const std::string& root) const {
    return at(result_of("GetTask", R"({"id":")" + root + "\"}"), "/status/state");
  }
};

} // namespace

TEST_CASE("M5_skipped: a plan is skipped when an alternative was chosen, or what it depends on has "
          "failed, and says why",
          "[net][opt][rules]") {
  const rules_bed bed;
  bed.create(R"({"id":"o","name":"o","start":true,"plans":[)"
             R"({"name":"Train","alternatives":["Bus"],"tasks":[{"name":"train"}]},)"
             R"({"name":"Bus","tasks":[{"name":"bus"}]},)"
             R"({"name":"Rain","tasks":[{"name":"rain"}]},)"
             R"({"name":"Umbrella","dependencies":["Rain"],"tasks":[{"name":"u"}]}]})");
  bed.port_of("train")->report(report_completed{});
  bed.wait_for("/plans/1/status", "skipped");
  CHECK(bed.shown("/plans/1/reason") == "not needed");
  bed.port_of("rain")->report(report_failed{"dry", false});
  bed.wait_for("/plans/3/status", "skipped");
  CHECK(bed.shown("/plans/3/reason") == "a plan it depends on did not complete");
  CHECK(bed.shown("/plans/3/tasks/0/status") == "canceled");
}

TEST_CASE("M11_other_uri: the URI that may follow is no name of the extension",
          "[net][opt][rules]") {
  const rules_bed bed("echo");
  const auto sent =
      bed.connect().post(rpc("SendMessage", text_message("1. a\\n2. b")),
                         "A2A-Version: 1.0\r\nA2A-Extensions: "
                         "https://a2a-protocol.org/extensions/objective-plan-task/v1\r\n");
  CHECK(sent.header("a2a-extensions").empty());
  const auto answer = boost::json::parse(sent.body);
  CHECK(at(answer, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(answer, "/result/objective") == "(none)");
  CHECK(at(answer, "/result/task/metadata") == "(none)");
}

TEST_CASE("M12_card: the limits of the card are enforced", "[net][opt][rules]") {
  const rules_bed bed;
  const auto card = boost::json::parse(bed.connect().get("/.well-known/agent-card.json").body);
  const auto& opt = card.at("capabilities").at("extensions").at(0);
  CHECK(at(opt, "/uri") == "https://github.com/zeroasterisk/a2a-opt/v1");
  CHECK(at(opt, "/required") == "(none)"); // false
  CHECK(at(opt, "/params/maxPlansPerObjective") == "10000");
  CHECK(at(opt, "/params/maxTasksPerPlan") == "1000000");
  CHECK(at(opt, "/params/persistenceEnabled") == "false"); // a store in memory
  std::string plans;
  for (int i = 0; i <= 10'000; ++i)
    plans += (i == 0 ? "" : ",") + std::string(R"({"name":"p"})");
  const auto refused = bed.error_of("objectives/create", R"({"name":"o","plans":[)" + plans + "]}");
  CHECK(at(refused, "/data/0/reason") == "LIMIT_EXCEEDED");
  CHECK_THAT(at(refused, "/message"), Contains("10000"));
}

TEST_CASE("M19_versions: an objective is the same under 0.3, 1.0 and no version",
          "[net][opt][rules]") {
  const rules_bed bed;
  bed.create(R"({"id":"o","name":"o","plans":[{"name":"p","tasks":[{"name":"a"}]}]})");
  std::set<std::string> answers;
  for (const std::string version : {"", "A2A-Version: 0.3\r\n", "A2A-Version: 1.0\r\n"})
    for (const auto* method : {"objectives/get", "objectives/list"}) {
      const auto answer = bed.call(rpc(method, R"({"id":"o"})"), version);
      CAPTURE(version, method);
      const auto* path = *method == 'o' && std::string(method).ends_with("get")
                             ? "/result/objective/id"
                             : "/result/objectives/0/id";
      CHECK(at(answer, path) == "o");
      if (std::string(method).ends_with("get"))
        answers.insert(boost::json::serialize(answer));
    }
  CHECK(answers.size() == 1);
}

TEST_CASE("M22_plain: without the header and its keys there are tasks as ever",
          "[net][opt][rules]") {
  const rules_bed bed("echo");
  const auto v1_0 = bed.call(rpc("SendMessage", text_message("Plan a birthday party")));
  CHECK(at(v1_0, "/result/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(v1_0, "/result/task/metadata") == "(none)");
  const auto v0_3 =
      bed.call(rpc("message/send", R"({"message":{"kind":"message","messageId":"m","role":"user",)"
                                   R"("parts":[{"kind":"text","text":"Plan a birthday party"}]}})"),
               "");
  CHECK(at(v0_3, "/result/kind") == "task");
  CHECK(at(v0_3, "/result/status/state") == "completed");
  CHECK(at(v0_3, "/result/metadata") == "(none)");
  CHECK(at(v0_3, "/result/task") == "(none)");
  CHECK(boost::json::serialize(v1_0).find("opt/v1") == std::string::npos);
  CHECK(boost::json::serialize(v0_3).find("opt/v1") == std::string::npos);
  CHECK(at(bed.result_of("objectives/list", "{}"), "/totalSize") == "0");
}

TEST_CASE("M24_parallel: tasks run side by side if none depends on the other",
          "[net][opt][rules]") {
  const rules_bed bed;
  bed.create(
      R"({"id":"o","name":"o","start":true,"plans":[)"
      R"({"name":"p","tasks":[{"name":"a"},{"name":"b"},{"name":"c","dependencies":["a","b"]}]},)"
      R"({"name":"q","tasks":[{"name":"d"}]}]})");
  // All three have begun, and none has ended.
  const auto a = bed.port_of("a");
  const auto b = bed.port_of("b");
  const auto d = bed.port_of("d");
  bed.wait_for("/plans/0/tasks/0/status", "working");
  bed.wait_for("/plans/0/tasks/1/status", "working");
  bed.wait_for("/plans/1/tasks/0/status", "working");
  a->report(report_completed{});
  bed.wait_for("/plans/0/tasks/0/status", "completed");
  CHECK(bed.shown("/plans/0/tasks/2/status") == "pending");
  b->report(report_completed{});
  bed.port_of("c")->report(report_completed{});
  d->report(report_completed{});
  bed.wait_for("/status", "completed");
}

TEST_CASE("M29_bookkeeping: states and times in a document that is created are ignored",
          "[net][opt][rules]") {
  const rules_bed bed;
  const std::string document =
      R"("name":"o","status":"completed","createdAt":"yesterday","updatedAt":7,"revision":"x",)"
      R"("rootTaskId":[],"reason":{},"progress":1,"plans":[{"name":"p","status":"no such state",)"
      R"("objectiveId":"another","createdAt":"1999-01-01T00:00:00Z","revision":9,"tasks":[)"
      R"({"name":"t","status":{"state":"completed"},"attempts":"many","planId":"x","taskIndex":5}]}])";
  const auto shape = boost::json::parse(R"({"status":"<submitted|working>","revision":0,
    "createdAt":"<time>","plans":[{"status":"<pending|working>","objectiveId":"<o|sent>","createdAt":"<time>",
      "tasks":[{"name":"t","status":"<pending|submitted|working>","taskIndex":0}]}]})");
  SECTION("with a method") {
    bed.create(R"({"id":"o",)" + document + "}");
    const auto made = bed.read();
    INFO(made);
    CHECK(misfit(made, shape) == "");
    CHECK_FALSE(at(made, "/plans/0/createdAt").starts_with("1999"));
  }
  SECTION("in the metadata of a message") {
    const auto sent = bed.call(
        rpc("SendMessage",
            text_message("go", R"(,"metadata":{"opt/v1/objective":{"id":"sent",)" + document + "}}",
                         R"(,"configuration":{"returnImmediately":true})")));
    CHECK(at(sent, "/error") == "(none)");
    const auto made = bed.read("sent");
    INFO(made);
    CHECK(misfit(made, shape) == "");
  }
}

TEST_CASE("Q3_blocked: a question is shown by its task and in the lists at once, and blocks when "
          "nothing else can run",
          "[net][opt][rules][question]") {
  const rules_bed bed;
  const auto begun = bed.call(
      rpc("SendMessage",
          text_message(
              "go",
              R"(,"contextId":"o","metadata":{"opt/v1/objective":{"id":"o","name":"Trip","plans":[)"
              R"({"name":"Flights","tasks":[{"name":"approve"},{"name":"search"}]},)"
              R"({"name":"Train","tasks":[{"name":"seat"}]}]}})",
              R"(,"configuration":{"returnImmediately":true})")));
  const auto root = at(begun, "/result/task/id");
  const auto search = bed.port_of("search");
  const auto seat = bed.port_of("seat");
  bed.port_of("approve")->report(report_question{"On Friday?"});

  bed.wait_for("/plans/0/tasks/0/status", "input-required");
  CHECK(at(bed.result_of("GetTask", R"({"id":"o.p0.t0"})"), "/status/state")
        == "TASK_STATE_INPUT_REQUIRED");
  bed.wait_for("/pendingInputs/0/taskId", "o.p0.t0");
  CHECK(bed.shown("/plans/0/pendingInputs/0/prompt") == "On Friday?");
  CHECK(at(bed.result_of("inputs/list", "{}"), "/totalSize") == "1");
  CHECK(bed.shown("/plans/0/status") == "working"); // `search` runs
  CHECK(bed.shown("/status") == "working");

  search->report(report_completed{});
  bed.wait_for("/plans/0/status", "blocked");
  CHECK(bed.shown("/status") == "working"); // `Train` runs
  CHECK(bed.root_state(root) == "TASK_STATE_WORKING");

  seat->report(report_completed{});
  bed.wait_for("/status", "blocked");
  REQUIRE(comes_true([&] { return bed.root_state(root) == "TASK_STATE_INPUT_REQUIRED"; }));

  static_cast<void>(
      bed.result_of("SendMessage", text_message("yes", R"(,"taskId":"o.p0.t0")",
                                                R"(,"configuration":{"returnImmediately":true})")));
  bed.wait_for("/status", "working");
  CHECK(bed.shown("/plans/0/status") == "working");
  CHECK(bed.shown("/pendingInputs") == "(none)");
  REQUIRE(comes_true([&] { return bed.root_state(root) == "TASK_STATE_WORKING"; }));
  bed.port_of("approve")->report(report_completed{});
  bed.wait_for("/status", "completed");
}

TEST_CASE("U4_states: a task keeps the A2A state in its summary, plans and objectives say blocked",
          "[net][opt][rules][question]") {
  const rules_bed bed;
  bed.create(
      R"({"id":"o","name":"o","start":true,"plans":[{"name":"p","onFailure":"continue","tasks":[)"
      R"({"name":"ask"},{"name":"sign in"},{"name":"reject"},{"name":"fail"},{"name":"cancel"},)"
      R"({"name":"later","dependencies":["ask"]}]}]})");
  bed.port_of("reject")->report(report_rejected{"never"});
  bed.port_of("fail")->report(report_failed{"no", false});
  static_cast<void>(bed.port_of("cancel"));
  bed.wait_for("/plans/0/tasks/4/status", "working");
  static_cast<void>(bed.result_of("CancelTask", R"({"id":"o.p0.t4"})"));
  bed.port_of("sign in")->report(report_question{"who?", true});
  bed.port_of("ask")->report(report_question{"which?"});
  bed.wait_for("/status", "blocked");
  CHECK(misfit(bed.read(),
               boost::json::parse(R"({"status":"blocked","plans":[{"status":"blocked","tasks":[
    {"status":"input-required"},{"status":"auth-required"},{"status":"rejected"},{"status":"failed"},
    {"status":"canceled"},{"status":"pending"}]}]})"))
        == "");
}

TEST_CASE("Q4_executor: a task shows the agent that does it, in its plan and by itself",
          "[net][opt][rules]") {
  const rules_bed bed;
  bed.create(R"({"id":"o","name":"o","start":true,"plans":[{"name":"p","tasks":[)"
             R"({"name":"named","agent":"noop"},{"name":"by default"}]}]})");
  static_cast<void>(bed.port_of("by default"));
  bed.wait_for("/plans/0/tasks/0/status", "completed");
  CHECK(bed.shown("/plans/0/tasks/0/agent") == "noop");
  constexpr const char* where = "/metadata/troupe~1v1~1agent";
  CHECK(at(bed.result_of("GetTask", R"({"id":"o.p0.t0"})"), where) == "noop");
  CHECK(at(bed.result_of("GetTask", R"({"id":"o.p0.t1"})"), where) == "puppet");
}

TEST_CASE("C5_tools: the tools of an agent can add to its plan, and make other objectives",
          "[net][opt][rules]") {
  const rules_bed bed;
  bed.create(
      R"({"id":"o","name":"o","start":true,"plans":[{"name":"p","tasks":[{"name":"think"}]}]})");
  // What its order says is enough for a tool to find where it is.
  const auto order = bed.puppet->asked(0);
  CHECK(order->context == "o");
  const auto own = bed.result_of("GetTask", R"({"id":")" + order->id.str() + "\"}");
  const auto plan = at(own, "/metadata/opt~1v1~1planId");
  static_cast<void>(bed.result_of(
      "plans/addTasks", R"({"id":")" + plan
                            + R"(","reason":"more to do","tasks":[{"id":"do","name":"do it",)"
                              R"("dependencies":[")"
                            + order->id.str() + R"("]}]})"));
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"other","name":"Other","start":true,"tasks":[{"name":"elsewhere"}]})"));
  static_cast<void>(
      bed.result_of("objectives/update", R"({"id":"o","description":"thought over"})"));
  CHECK(bed.shown("/plans/0/tasks/1/status") == "pending");
  bed.port_of("think")->report(report_completed{});
  bed.port_of("do it")->report(report_completed{});
  bed.wait_for("/status", "completed");
  CHECK(bed.shown("/description") == "thought over");
  bed.port_of("elsewhere")->report(report_completed{});
  REQUIRE(comes_true([&] { return at(bed.read("other"), "/status") == "completed"; }));
}
