// What becomes of a text that a client sends with the extension active: the lines of the
// extension's documents about who decides, over the wire.
#include "tests/net/json_shape.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/answer_in_time.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <future>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* planned_line =
    "A2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";
constexpr const char* planned_line_1_0 =
    "A2A-Version: 1.0\r\nA2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";
constexpr const char* papers = "Research AI safety papers and write a summary";

/// Answers questions that it knows, and does everything else as a task that goes on.
class answering_agent final : public agent {
public:
  explicit answering_agent(std::shared_ptr<puppet_agent> others) : others_(std::move(others)) {}
  start_result start(const order_ptr& order, const agent_port_ptr& port) override {
    const auto text = order->text();
    if (text == "2 + 2") {
      report_reply out;
      out.message.parts.push_back(text_part("2 + 2 = 4"));
      return out;
    }
    if (text == "What is the capital of France?")
      return report_completed{{text_artifact("answer", "Paris")}, {}};
    if (text == "Why?")
      return report_failed{"no idea", false};
    if (text == "Who breaks?")
      throw std::runtime_error("broken");
    return others_->start(order, port);
  }
  [[nodiscard]] bool answers_directly() const override { return true; }

private:
  std::shared_ptr<puppet_agent> others_;
};

/// A planner that does what the text says.
class scripted_planner final : public text_planner {
public:
  planner_start plan(const planning_order_ptr& order, const planner_port_ptr& port) override {
    const auto has = [&](const char* word) { return order->text.find(word) != std::string::npos; };
    {
      const std::lock_guard lock(guard_);
      orders_.push_back(order);
      ports_.push_back(port);
    }
    if (has("throw"))
      throw std::runtime_error("it broke");
    if (has("decline"))
      return report_no_plan{"too hard"};
    if (has("answer"))
      return report_answer{"42"};
    if (has("forbidden"))
      return report_plan{two_tasks("command"), {}};
    if (has("plan"))
      return report_plan{two_tasks(""), {"both are needed"}};
    return std::make_unique<planner_run>(); // hangs
  }
  [[nodiscard]] static objective_spec two_tasks(const std::string& agent) {
    plan_spec plan;
    plan.name = "two";
    for (const auto* name : {"first", "second"}) {
      task_spec task;
      task.name = name;
      task.agent = agent;
      plan.tasks.push_back(std::move(task));
    }
    objective_spec out;
    out.name = "made by the planner";
    out.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
    return out;
  }
  [[nodiscard]] std::size_t asked() const {
    const std::lock_guard lock(guard_);
    return orders_.size();
  }
  [[nodiscard]] planner_port_ptr port(std::size_t index) const {
    const std::lock_guard lock(guard_);
    return ports_.at(index);
  }

private:
  mutable std::mutex guard_;
  std::vector<planning_order_ptr> orders_;
  std::vector<planner_port_ptr> ports_;
};

struct planned_bed : net_bed {
  explicit planned_bed(const std::string& agent = "puppet", planning_options planning = {},
                       std::unique_ptr<store> keeps = nullptr)
      : net_bed({}, agent, std::move(keeps), options_with(std::move(planning)), [](net_bed& bed) {
          bed.agents.add("answering", std::make_shared<answering_agent>(bed.puppet));
        }) {}

  static executor_options options_with(planning_options planning) {
    executor_options out;
    out.planning = std::move(planning);
    return out;
  }

  /// As the documents print it: 0.3, and nothing said about waiting.
  [[nodiscard]] boost::json::value say(const std::string& text, const std::string& metadata = "",
                                       const std::string& more = "",
                                       const std::string& headers = planned_line) const {
    return call(rpc("message/send",
                    R"({"message":{"messageId":"m","role":"user","parts":[{"type":"text","text":)"
                        + boost::json::serialize(boost::json::string(text)) + R"(}],"metadata":{)"
                        + metadata + "}" + more + "}}"),
                headers);
  }
  [[nodiscard]] boost::json::value objective(const std::string& id) const {
    return result_of("objectives/get", R"({"id":")" + id + "\"}").at("objective");
  }
  [[nodiscard]] std::string total(const char* method) const {
    return at(result_of(method, "{}"), "/totalSize");
  }
};

/// Where an answer of 0.3 has the note of the planner.
constexpr const char* who_decided = "/metadata/opt~1v1~1planner/who";

} // namespace

TEST_CASE("D1_plain, S2_two_steps: a plain message becomes the objective that the design prints",
          "[net][opt][planned]") {
  const planned_bed bed;
  const auto answer = bed.connect().request("POST", "/", R"({
  "jsonrpc": "2.0",
  "method": "message/send",
  "id": 1,
  "params": {
    "message": {
      "messageId": "msg-123",
      "role": "user",
      "parts": [{"type": "text", "text": "Research AI safety papers and write a summary"}]
    }
  }
})",
                                            planned_line);
  INFO(answer.body);
  const auto sent = boost::json::parse(answer.body);
  CHECK(misfit(sent.at("result").at("task"), boost::json::parse(R"({"id": "<string>",
    "contextId": "<string>", "status": {"state": "working", "timestamp": "<time>"},
    "metadata": {"opt/v1/objectiveId": "<string>", "opt/v1/planId": "<string>", "opt/v1/taskIndex": 0}})"))
        == "");
  const auto id = at(sent, "/result/task/contextId");
  CHECK(at(sent, "/result/objective/id") == id);
  REQUIRE(
      comes_true([&] { return at(bed.objective(id), "/plans/0/tasks/0/status") == "working"; }));
  const auto whole = bed.objective(id);
  CHECK(misfit(whole, boost::json::parse(R"({
    "name": "Research AI safety papers and write a summary", "status": "working",
    "plans": [
      {"name": "Research", "status": "working", "tasks": [
        {"name": "Search papers", "status": "working"},
        {"name": "Summarize findings", "status": "pending"}]},
      {"name": "Writing", "status": "pending", "tasks": [{"name": "Write summary", "status": "pending"}]}
    ]})"))
        == "");
  CHECK(at(whole, who_decided) == "template");
  CHECK(at(whole, "/metadata/opt~1v1~1planner/template") == "research-and-write");
  CHECK(at(whole, "/metadata/opt~1v1~1planner/seconds") != "(none)");
}

TEST_CASE("C1_blog, C2_migration, C3_travel, C4_party: the use cases of the extension's document",
          "[net][opt][planned]") {
  const planned_bed bed;
  struct use_case {
    const char* text;
    const char* name;
    const char* plans;
  };
  for (
      const auto& each : std::vector<use_case>{
          {"Research and write a blog post about AI safety", "Write AI safety blog post",
           R"([{"name":"Research","tasks":[{"name":"Search for recent papers"},{"name":"Summarize key findings"},{"name":"Identify expert quotes"}]},
                {"name":"Writing","tasks":[{"name":"Create outline"},{"name":"Write draft"},{"name":"Add citations"}]},
                {"name":"Review","tasks":[{"name":"Self-review"},{"name":"Request feedback"}]}])"},
          {"Migrate database to new schema", "Migrate database to new schema",
           R"([{"name":"Analysis","tasks":[{"name":"Analyze schema"}]},
                {"name":"Implementation","tasks":[{"name":"Create migration script"},{"name":"Test on staging"},{"name":"Deploy to production"}]},
                {"name":"Validation","tasks":[{"name":"Validate data"}]}])"},
          {"Book travel for conference", "Book travel for conference",
           R"([{"name":"Flights","tasks":[{"name":"Search options"},{"name":"Get approval"}]},
                {"name":"Hotel"},{"name":"Ground transport"}])"},
          {"Plan a birthday party for 20 people", "Plan birthday party",
           R"([{"name":"Venue and catering","tasks":[{"name":"Research venues","description":"Find 3 options"},{"name":"Get catering quotes","description":"Budget: $500"}]}])"},
      }) {
    CAPTURE(each.text);
    const auto sent = bed.say(each.text);
    INFO(sent);
    CHECK(at(sent, "/result/objective/name") == each.name);
    const auto whole = bed.objective(at(sent, "/result/contextId"));
    CHECK(misfit(whole.at("plans"), boost::json::parse(each.plans)) == "");
  }
}

TEST_CASE("D3_simple, S1_question: a short question is answered directly, and nothing is left",
          "[net][opt][planned]") {
  const planned_bed bed("answering");
  const auto sum = bed.say("2 + 2");
  INFO(sum);
  CHECK(misfit(sum.at("result").at("message"), boost::json::parse(R"({"role": "agent",
    "parts": [{"text": "2 + 2 = 4"}]})"))
        == "");
  CHECK(at(sum, "/result/kind") == "message");
  CHECK(at(sum, "/result/parts/0/text") == "2 + 2 = 4");
  const auto capital = bed.call(rpc("SendMessage", text_message("What is the capital of France?")),
                                planned_line_1_0);
  CHECK(at(capital, "/result/message/parts/0/text") == "Paris");
  auto client = bed.connect();
  client.send(http_client::request_text("POST", "/", rpc("message/stream", R"({"message":
    {"messageId":"m","role":"user","parts":[{"kind":"text","text":"2 + 2"}]}})"),
                                        planned_line));
  static_cast<void>(client.receive_head());
  CHECK(at(boost::json::parse(client.next_event().value_or("{}")), "/result/parts/0/text")
        == "2 + 2 = 4");
  CHECK(bed.total("ListTasks") == "0");
  CHECK(bed.total("objectives/list") == "0");
  // Without the extension it is a task: the agent answers as it would answer one.
  const auto plain = bed.call(rpc("SendMessage", text_message("What is the capital of France?")));
  CHECK(at(plain, "/result/task/status/state") == "TASK_STATE_COMPLETED");
}

TEST_CASE("S1_question: the answer of the same message again is the same", "[net][opt][planned]") {
  const planned_bed bed("answering");
  const std::string headers = std::string(planned_line) + "Idempotency-Key: \"once\"\r\n";
  const auto first = bed.say("2 + 2", "", "", headers);
  const auto again = bed.say("2 + 2", "", "", headers);
  INFO(first << again);
  CHECK(at(first, "/result/messageId") == at(again, "/result/messageId"));
  CHECK(at(again, "/result/parts/0/text") == "2 + 2 = 4");
}

TEST_CASE("S7_fallback: a question that the agent does not answer becomes a task",
          "[net][opt][planned]") {
  planning_options quick;
  quick.answer_budget = std::chrono::milliseconds{1};
  const planned_bed bed("answering", quick);
  const auto failed = bed.say("Why?");
  CHECK(at(failed, "/result/status/state") == "failed"); // as a task it fails, too
  const auto broken = bed.say("Who breaks?", R"("opt/v1/preferObjective":true)");
  INFO(broken);
  CHECK(at(bed.objective(at(broken, "/result/contextId")), who_decided) == "preference");
  CHECK_THAT(
      at(bed.objective(at(broken, "/result/contextId")), "/metadata/opt~1v1~1planner/reasons"),
      Contains("the default agent failed: broken"));
  // The puppet says nothing: the time runs out.
  const auto late = bed.say("What now?", R"("opt/v1/preferObjective":true)");
  CHECK_THAT(at(bed.objective(at(late, "/result/contextId")), "/metadata/opt~1v1~1planner/reasons"),
             Contains("has not answered within 0.001 s"));
}

TEST_CASE("D7_hints: a hint leads to an objective of the suggested name, beside the task",
          "[net][opt][planned]") {
  const planned_bed bed;
  const auto sent =
      bed.say("Research AI safety...", R"("opt/v1/preferObjective":true,)"
                                       R"("opt/v1/suggestedName":"AI Safety Research")");
  INFO(sent);
  CHECK(misfit(sent.at("result"), boost::json::parse(R"({"task": {"id": "<string>"},
    "objective": {"id": "<string>", "name": "AI Safety Research", "status": "working",
      "plans": [{"tasks": [{"name": "Research AI safety..."}]}]}})"))
        == "");
  for (const auto* wrong : {"\"yes\"", "1", "null", "{}"}) {
    CAPTURE(wrong);
    const auto refused = bed.say("x", std::string(R"("opt/v1/preferObjective":)") + wrong);
    CHECK(at(refused, "/error/code") == "-32602");
    CHECK_THAT(at(refused, "/error/message"), Contains("opt/v1/preferObjective"));
  }
  CHECK(at(bed.say("x", R"("opt/v1/suggestedName":"  ")"), "/error/code") == "-32602");
}

TEST_CASE("S2_guess: two steps that no template has are planned only if an objective is preferred",
          "[net][opt][planned]") {
  const planned_bed bed;
  const std::string text = "Fetch the data and plot it";
  const auto plain = bed.call(
      rpc("SendMessage", text_message(text, "", R"(,"configuration":{"returnImmediately":true})")),
      planned_line_1_0);
  CHECK(at(plain, "/result/objective") == "(none)");
  CHECK(at(plain, "/result/task/metadata/opt~1v1~1root") == "(none)");
  const auto wished = bed.say(text, R"("opt/v1/preferObjective":true)");
  const auto whole = bed.objective(at(wished, "/result/contextId"));
  INFO(whole);
  CHECK(at(whole, "/metadata/opt~1v1~1planner/guess") == "true");
  CHECK(at(whole, "/plans/0/tasks/0/name") == "Fetch the data");
  CHECK(at(whole, "/plans/0/tasks/1/name") == "plot it");
  CHECK(at(whole, "/plans/0/tasks/1/dependencies/0") == at(whole, "/plans/0/tasks/0/id"));
}

TEST_CASE("S3_list: a numbered list is an objective; what is not understood is named",
          "[net][opt][planned]") {
  const planned_bed bed("echo");
  const auto sent = bed.say("Rice:\n1. Buy rice (5 min)\n2. Boil water\n3. Cook rice\n"
                            "Step 3 needs steps 1 and 2.");
  const auto whole = bed.objective(at(sent, "/result/contextId"));
  INFO(whole);
  CHECK(at(whole, "/name") == "Rice");
  CHECK(at(whole, who_decided) == "grammar");
  CHECK(at(whole, "/plans/0/tasks/0/name") == "Buy rice");
  CHECK(at(whole, "/plans/0/tasks/1/dependencies") == "[]");
  CHECK(whole.at("plans").at(0).at("tasks").at(2).at("dependencies").as_array().size() == 2);
  const auto odd = bed.say("1. Buy rice\n2. Cook rice\nServe it warm.");
  INFO(odd);
  CHECK(at(odd, "/result/metadata/opt~1v1~1root") == "(none)");
  CHECK(at(odd, "/result/metadata/opt~1v1~1planner/notUnderstood/0/text") == "Serve it warm.");
  CHECK(at(odd, "/result/status/state") == "completed");
}

TEST_CASE("S4_minimal: one plan with one task, only for a client that prefers an objective",
          "[net][opt][planned]") {
  const planned_bed bed("echo");
  const auto sent = bed.say("Make tea", R"("opt/v1/preferObjective":true)");
  const auto whole = bed.objective(at(sent, "/result/contextId"));
  CHECK(whole.at("plans").as_array().size() == 1);
  CHECK(at(whole, "/plans/0/tasks/0/name") == "Make tea");
  CHECK(at(whole, who_decided) == "preference");
  CHECK(at(bed.say("Make tea"), "/result/metadata/opt~1v1~1root") == "(none)");
}

TEST_CASE("S5_prefer_none, S6_name_only: no objective against the hint, and none because of a name",
          "[net][opt][planned]") {
  const planned_bed bed("echo");
  for (const auto* text : {"1. Buy rice\n2. Cook rice", papers, "Make tea"}) {
    const auto sent = bed.say(text, R"("opt/v1/preferObjective":false)");
    CHECK(at(sent, "/result/status/state") == "completed");
    CHECK(at(sent, "/result/metadata/opt~1v1~1root") == "(none)");
  }
  CHECK(at(bed.say("Make tea", R"("opt/v1/suggestedName":"Tea")"), "/result/metadata/opt~1v1~1root")
        == "(none)");
  CHECK(bed.total("objectives/list") == "0");
  CHECK(at(bed.say(papers, R"("opt/v1/suggestedName":"Safety")"), "/result/objective/name")
        == "Safety");
}

TEST_CASE("names that come from a text are one line, and a suggested name is checked",
          "[net][opt][planned]") {
  const planned_bed bed("echo");
  const auto odd = bed.say("1. a\x1b[31m\n2. c");
  INFO(odd);
  CHECK(at(odd, "/result/metadata/opt~1v1~1root") == "(none)");
  CHECK_THAT(at(odd, "/result/metadata/opt~1v1~1planner/notUnderstood/0/reason"),
             Contains("control characters"));
  const auto wished = bed.say("Make\x01 tea\nnow", R"("opt/v1/preferObjective":true)");
  CHECK(at(bed.objective(at(wished, "/result/contextId")), "/plans/0/tasks/0/name")
        == "Make tea now");
  const auto short_text = bed.say("Make\x01 tea", R"("opt/v1/preferObjective":true)");
  CHECK(at(short_text, "/result/objective/name") == "Make tea");
  for (const auto& name :
       {std::string{"7"}, std::string{R"("a\u0001")"}, "\"" + std::string(2'000, 'x') + "\""})
    CHECK_THAT(
        at(bed.say("Make tea", R"("opt/v1/preferObjective":true,"opt/v1/suggestedName":)" + name),
           "/error/message"),
        Contains("opt/v1/suggestedName must be one line of at most 1024 bytes"));
}

TEST_CASE("a client without the extension gets a plain task, except for a template that it names",
          "[net][opt][planned]") {
  const planned_bed bed("echo");
  CHECK(at(bed.say(papers, "", "", ""), "/result/metadata/opt~1v1~1root") == "(none)");
  const auto party =
      bed.say("x", R"("opt/v1/template":"birthday-party","opt/v1/params":{"guests":7})", "", "");
  INFO(party);
  const auto whole = bed.objective(at(party, "/result/contextId"));
  CHECK(at(whole, "/plans/0/description") == "For 7 guests");
  const auto refused = bed.say("x", R"("opt/v1/template":"birthday-part")");
  CHECK(at(refused, "/error/code") == "-32602");
  CHECK_THAT(at(refused, "/error/message"), Contains("did you mean \\\"birthday-party\\\"")
                                                || Contains("did you mean \"birthday-party\""));
  for (const auto* wrong :
       {R"("opt/v1/template":7)", R"("opt/v1/template":"blog-post","opt/v1/params":[])",
        R"("opt/v1/template":"blog-post","opt/v1/params":{"topic":7})"})
    CHECK(at(bed.say("x", wrong), "/error/code") == "-32602");
}

TEST_CASE("a planner that is switched off plans nothing", "[net][opt][planned]") {
  planning_options off;
  off.is_on = false;
  const planned_bed bed("echo", off);
  CHECK(at(bed.say(papers), "/result/metadata/opt~1v1~1root") == "(none)");
  CHECK(at(bed.say("x", R"("opt/v1/preferObjective":true)"), "/result/objective/name") == "x");
}

TEST_CASE(
    "D6_option_b, S8_question_inside: in the context of an objective the plans join it, and a "
    "question is answered",
    "[net][opt][planned]") {
  const planned_bed bed("answering");
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"o","start":true,"plans":[{"name":"Research","tasks":[{"name":"go"}]}]})"));
  const std::string here = R"(,"contextId":"o")";
  const auto before = bed.objective("o");
  const auto answered = bed.say("2 + 2", "", here);
  CHECK(at(answered, "/result/parts/0/text") == "2 + 2 = 4");
  CHECK(at(answered, "/result/contextId") == "o");
  CHECK(bed.objective("o").at("plans").as_array().size() == 1);
  CHECK(at(bed.objective("o"), "/revision") == at(before, "/revision"));
  SECTION("one plan") {
    const auto sent = bed.say("1. Buy rice\n2. Cook rice", "", here);
    INFO(sent);
    const auto now = bed.objective("o");
    CHECK(at(now, "/plans/1/tasks/1/name") == "Cook rice");
    CHECK(at(now, "/plans/1/metadata/opt~1v1~1planner/who") == "grammar");
    CHECK(at(sent, "/result/id") == at(now, "/plans/1/tasks/0/id"));
  }
  SECTION("several plans, of which one has the name of a plan that is there") {
    const auto sent = bed.say(papers, "", here);
    INFO(sent);
    const auto now = bed.objective("o");
    CHECK(now.at("plans").as_array().size() == 3);
    CHECK(at(now, "/plans/2/name") == "Writing");
    CHECK(at(now, "/plans/2/dependencies/0") == at(now, "/plans/1/id"));
  }
  SECTION("anything else is a plan with one task") {
    static_cast<void>(
        bed.call(rpc("SendMessage", text_message("Make tea", here,
                                                 R"(,"configuration":{"returnImmediately":true})")),
                 planned_line_1_0));
    CHECK(at(bed.objective("o"), "/plans/1/tasks/0/name") == "Make tea");
  }
  SECTION("after its end it is a plain task") {
    static_cast<void>(bed.result_of("objectives/update", R"({"id":"o","status":"canceled"})"));
    static_cast<void>(
        bed.call(rpc("SendMessage",
                     text_message(papers, here, R"(,"configuration":{"returnImmediately":true})")),
                 planned_line_1_0));
    CHECK(bed.objective("o").at("plans").as_array().size() == 1);
    CHECK(bed.total("objectives/list") == "1");
  }
}

TEST_CASE("a text of 64 KiB is planned, and a longer one is a task", "[net][opt][planned]") {
  const planned_bed bed("noop");
  std::string list;
  for (int i = 1; i <= 1000; ++i)
    list += std::to_string(i) + ". Step number " + std::to_string(i) + " of many\n";
  const auto sent = bed.say(list);
  const auto whole = bed.objective(at(sent, "/result/contextId"));
  CHECK(whole.at("plans").at(0).at("tasks").as_array().size() == 1000);
  const auto long_one = bed.say("1. a\n2. " + std::string(70'000, 'b'));
  CHECK(at(long_one, "/result/metadata/opt~1v1~1root") == "(none)");
  CHECK(at(long_one, "/result/metadata/opt~1v1~1planner/notUnderstood/0/reason") != "(none)");
}

TEST_CASE("a planner of one's own makes the plan of what templates and grammar do not plan",
          "[net][opt][planned]") {
  const auto own = std::make_shared<scripted_planner>();
  planning_options options;
  options.planner = own;
  const planned_bed bed("puppet", options);
  const auto sent = bed.say("Please plan this");
  INFO(sent);
  const auto id = at(sent, "/result/contextId");
  CHECK(at(sent, "/result/status/state") == "working");
  REQUIRE(comes_true([&] { return at(bed.objective(id), "/status") == "working"; }));
  const auto whole = bed.objective(id);
  CHECK(at(whole, "/name") == "made by the planner");
  CHECK(at(whole, "/plans/0/tasks/1/name") == "second");
  CHECK(at(whole, who_decided) == "model");
  CHECK(at(whole, "/metadata/opt~1v1~1planner/assumed/0") == "both are needed");
  CHECK(at(whole, "/metadata/opt~1v1~1planner/attempt") == "(none)");
}

TEST_CASE("S7_fallback: a planner that fails, declines, makes what may not run or hangs loses no "
          "message",
          "[net][opt][planned]") {
  const auto own = std::make_shared<scripted_planner>();
  planning_options options;
  options.planner = own;
  options.budget = std::chrono::milliseconds{50};
  const planned_bed bed("puppet", options);
  struct fault {
    const char* text;
    const char* reason;
  };
  for (const auto& each :
       std::vector<fault>{{"Please throw", "the planner failed: it broke"},
                          {"Please decline", "too hard"},
                          {"Please use forbidden agents", "which planned tasks may not name"},
                          {"Please hang", "the planner has not answered within 0.05 s"}}) {
    CAPTURE(each.text);
    const auto id = at(bed.say(each.text), "/result/contextId");
    REQUIRE(comes_true([&] { return at(bed.objective(id), "/status") == "working"; }));
    const auto whole = bed.objective(id);
    CHECK_THAT(at(whole, "/metadata/opt~1v1~1planner/reasons"), Contains(each.reason));
    CHECK(at(whole, "/plans/0/tasks/0/name") == each.text);
    CHECK(at(whole, who_decided) == "nobody");
  }
  // Too late.
  own->port(3)->report(report_plan{scripted_planner::two_tasks(""), {}});
  const auto answered = at(bed.say("Please answer"), "/result/contextId");
  REQUIRE(comes_true([&] { return at(bed.objective(answered), "/status") == "completed"; }));
  CHECK_THAT(
      boost::json::serialize(bed.result_of(
          "GetTask", R"({"id":")" + at(bed.objective(answered), "/plans/0/tasks/0/id") + "\"}")),
      Contains("\"42\""));
}

TEST_CASE("a planner is asked about a message in the context of an objective before it is taken",
          "[net][opt][planned]") {
  const auto own = std::make_shared<scripted_planner>();
  planning_options options;
  options.planner = own;
  const planned_bed bed("puppet", options);
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"o","start":true,"plans":[{"name":"p","tasks":[{"name":"go"}]}]})"));
  static_cast<void>(bed.say("Please plan this", "", R"(,"contextId":"o")"));
  CHECK(at(bed.objective("o"), "/plans/1/name") == "two");
  CHECK(at(bed.objective("o"), "/plans/1/metadata/opt~1v1~1planner/who") == "model");
}

TEST_CASE("S7_fallback: an objective whose planning the end of the process interrupts is planned "
          "once more, then not again",
          "[net][opt][planned]") {
  temporary_directory directory;
  planning_options options;
  options.planner = std::make_shared<scripted_planner>();
  const auto open = [&] {
    return open_rocksdb_store(
               {.directory = directory.path().string(), .durability = durability::async})
        .value();
  };
  std::string id;
  {
    const planned_bed bed("noop", options, open());
    id = at(bed.say("Please hang"), "/result/contextId");
    CHECK(at(bed.objective(id), "/status") == "planning");
  }
  const auto second = std::make_shared<scripted_planner>();
  options.planner = second;
  {
    const planned_bed bed("noop", options, open());
    REQUIRE(comes_true([&] { return second->asked() == 1; }));
    CHECK(at(bed.objective(id), "/status") == "planning");
    CHECK(at(bed.objective(id), "/metadata/opt~1v1~1planner/attempt") == "2");
  }
  {
    const planned_bed bed("noop", options, open());
    REQUIRE(comes_true([&] { return at(bed.objective(id), "/status") == "completed"; }));
    CHECK(second->asked() == 1);
    CHECK(at(bed.objective(id), "/plans/0/tasks/0/name") == "Please hang");
    CHECK_THAT(at(bed.objective(id), "/metadata/opt~1v1~1planner/reasons"),
               Contains("each time that the planner was asked"));
  }
}

TEST_CASE("an objective that is canceled while it is planned stays canceled",
          "[net][opt][planned]") {
  const auto own = std::make_shared<scripted_planner>();
  planning_options options;
  options.planner = own;
  const planned_bed bed("puppet", options);
  const auto id = at(bed.say("Please hang"), "/result/contextId");
  REQUIRE(comes_true([&] { return own->asked() == 1; }));
  static_cast<void>(
      bed.result_of("objectives/update", R"({"id":")" + id + R"(","status":"canceled"})"));
  own->port(0)->report(report_plan{scripted_planner::two_tasks(""), {}});
  CHECK(at(bed.objective(id), "/status") == "canceled");
  CHECK(at(bed.objective(id), "/plans") == "[]");
}
