// Two tables over the wire, every cell and every row: which state a client may give to an objective
// or a plan (docs/objectives.md, "Which state may follow"), and what the errors of the extension's
// methods are in JSON-RPC and over REST.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

using state_table = std::map<std::string, std::vector<std::string>>;

const std::vector<std::string> objective_states{"submitted", "planning", "working", "blocked",
                                                "completed", "failed",   "canceled"};
const std::vector<std::string> plan_states{"pending",   "working", "blocked",
                                           "completed", "failed",  "skipped"};

/// What may follow, beside the state itself.
const state_table objective_moves{{"submitted", {"planning", "working", "canceled"}},
                                  {"planning", {"working", "blocked", "failed", "canceled"}},
                                  {"working", {"blocked", "completed", "failed", "canceled"}},
                                  {"blocked", {"planning", "working", "failed", "canceled"}},
                                  {"completed", {}},
                                  {"failed", {"submitted", "planning"}},
                                  {"canceled", {"submitted"}}};
const state_table plan_moves{{"pending", {"working", "skipped", "completed", "failed"}},
                             {"working", {"blocked", "completed", "failed"}},
                             {"blocked", {"working", "failed", "skipped"}},
                             {"completed", {}},
                             {"failed", {"pending", "working"}},
                             {"skipped", {}}};

/// Objectives with two plans, whose tasks never end by themselves, put into a state.
struct moves_bed : net_bed {
  moves_bed() : net_bed({}, "puppet") {}

  void update(const char* method, const std::string& id, const std::string& to) const {
    static_cast<void>(result_of(method, R"({"id":")" + id + R"(","status":")" + to + "\"}"));
  }
  [[nodiscard]] std::string objective_state_of(const std::string& id) const {
    return at(result_of("objectives/get", R"({"id":")" + id + "\"}"), "/objective/status");
  }
  [[nodiscard]] std::string plan_state_of(const std::string& id) const {
    return at(result_of("plans/get", R"({"id":")" + id + "\"}"), "/plan/status");
  }
  void create(const std::string& id) const {
    static_cast<void>(result_of(
        "objectives/create", R"({"id":")" + id
                                 + R"(","name":"o","plans":[{"name":"p","tasks":[{"name":"t"}]},)"
                                   R"({"name":"other","tasks":[{"name":"t"}]}]})"));
  }

  /// Makes an objective in that state.
  void make_objective_in(const std::string& id, const std::string& state) const {
    create(id);
    if (state == "submitted")
      return;
    const bool begins = state != "planning" && state != "canceled";
    if (begins)
      update("objectives/update", id, "working");
    if (state != "working")
      update("objectives/update", id, state);
    REQUIRE(objective_state_of(id) == state);
  }
  /// Makes an objective whose first plan, `ID.p0`, is in that state.
  void make_plan_in(const std::string& id, const std::string& state) const {
    create(id);
    const auto plan = id + ".p0";
    if (state == "skipped")
      update("plans/update", plan, state);
    if (state != "pending")
      update("objectives/update", id, "working");
    if (state != "pending" && state != "working" && state != "skipped")
      update("plans/update", plan, state);
    REQUIRE(plan_state_of(plan) == state);
  }

  /// Asks over JSON-RPC or REST for the state. Empty if it was given, else what the refusal says:
  /// checks that it says it in full.
  [[nodiscard]] std::string refusal(const std::string& kind, const std::string& id,
                                    const std::string& to, bool over_rest) const {
    const std::string body = R"({"id":")" + id + R"(","status":")" + to + "\"}";
    if (!over_rest) {
      const auto answer = call(rpc(kind + "s/update", body));
      if (!answer.as_object().contains("error"))
        return {};
      CHECK(at(answer, "/error/code") == "-32001");
      CHECK(at(answer, "/error/data/0/reason") == "INVALID_TRANSITION");
      CHECK(at(answer, "/error/data/0/domain") == "troupe");
      return at(answer, "/error/message");
    }
    const auto answer = connect().request("PATCH", "/" + kind + "s/" + id, body);
    if (answer.status == 200)
      return {};
    CHECK(answer.status == 400);
    const auto parsed = boost::json::parse(answer.body);
    CHECK(at(parsed, "/error/details/0/reason") == "INVALID_TRANSITION");
    return at(parsed, "/error/message");
  }
};

bool may_follow(const state_table& moves, const std::string& from, const std::string& to) {
  const auto& row = moves.at(from);
  return from == to || std::find(row.begin(), row.end(), to) != row.end();
}

} // namespace

TEST_CASE(
    "T_moves, M2_states: a client gives an objective each state that may follow, and no other",
    "[net][opt][tables]") {
  const moves_bed bed;
  int cells = 0;
  for (const bool over_rest : {false, true})
    for (const auto& from : objective_states)
      for (const auto& to : objective_states) {
        CAPTURE(from, to, over_rest);
        const auto id = "o" + std::to_string(cells++);
        bed.make_objective_in(id, from);
        const auto refused = bed.refusal("objective", id, to, over_rest);
        if (may_follow(objective_moves, from, to)) {
          CHECK(refused == "");
          CHECK(bed.objective_state_of(id) == to);
          continue;
        }
        CHECK_THAT(refused, Contains("the objective is " + from + " and cannot become " + to));
        CHECK(bed.objective_state_of(id) == from);
      }
  CHECK(cells == 2 * 7 * 7);
}

TEST_CASE("T_moves: a client gives a plan each state that may follow, and no other",
          "[net][opt][tables]") {
  const moves_bed bed;
  int cells = 0;
  for (const bool over_rest : {false, true})
    for (const auto& from : plan_states)
      for (const auto& to : plan_states) {
        CAPTURE(from, to, over_rest);
        const auto id = "o" + std::to_string(cells++);
        const auto plan = id + ".p0";
        bed.make_plan_in(id, from);
        const auto refused = bed.refusal("plan", plan, to, over_rest);
        const auto now = bed.plan_state_of(plan);
        if (may_follow(plan_moves, from, to)) {
          CHECK(refused == "");
          // A plan that is pending again begins by itself, because its objective works.
          const bool begins = from == "failed" && to == "pending";
          CHECK(now == (begins ? "working" : to));
          continue;
        }
        CHECK_THAT(refused, Contains("the plan is " + from + " and cannot become " + to));
        CHECK(now == from);
      }
  CHECK(cells == 2 * 6 * 6);
}

TEST_CASE("T_moves: a canceled objective leaves no plan pending, and says why",
          "[net][opt][tables]") {
  const moves_bed bed;
  bed.create("o");
  bed.update("plans/update", "o.p0", "working");
  bed.update("objectives/update", "o", "canceled");
  const auto ended = bed.result_of("objectives/get", R"({"id":"o"})").at("objective");
  CHECK(at(ended, "/plans/0/status") == "failed");
  CHECK_THAT(at(ended, "/plans/0/reason"), Contains("canceled"));
  CHECK(at(ended, "/plans/0/tasks/0/status") == "canceled");
  CHECK(at(ended, "/plans/1/status") == "skipped");
  CHECK_THAT(at(ended, "/plans/1/reason"), Contains("canceled"));
  // A retry makes both pending.
  bed.update("objectives/update", "o", "submitted");
  CHECK(bed.plan_state_of("o.p0") == "pending");
  CHECK(bed.plan_state_of("o.p1") == "pending");
}

namespace {

/// One request that is refused, in both bindings.
struct refused_request {
  const char* reason;
  const char* code;
  int status;
  const char* method;
  const char* params; ///< Also the body over REST, if the verb takes one.
  const char* verb;
  const char* path;
};

constexpr auto refused_requests = std::to_array<refused_request>({
    {"OBJECTIVE_NOT_FOUND", "-32000", 404, "objectives/get", R"({"id":"nix"})", "GET",
     "/objectives/nix"},
    {"PLAN_NOT_FOUND", "-32000", 404, "plans/get", R"({"id":"nix"})", "GET", "/plans/nix"},
    {"INPUT_NOT_FOUND", "-32000", 404, "inputs/get", R"({"id":"nix"})", "GET", "/inputs/nix"},
    {"REVISION_NOT_FOUND", "-32000", 404, "plans/history", R"({"id":"o.p0","atRevision":99})",
     "GET", "/plans/o.p0:history?atRevision=99"},
    {"INVALID_TRANSITION", "-32001", 400, "objectives/update",
     R"({"id":"ended","status":"working"})", "PATCH", "/objectives/ended"},
    {"REVISION_MISMATCH", "-32602", 409, "plans/update",
     R"({"id":"o.p0","name":"n","ifRevision":77})", "PATCH", "/plans/o.p0"},
    {"DUPLICATE_REQUEST", "-32602", 409, "objectives/update",
     R"({"id":"o","description":"other","requestId":"first"})", "PATCH", "/objectives/o"},
    {"DUPLICATE_ID", "-32602", 409, "objectives/create", R"({"id":"o","name":"o"})", "POST",
     "/objectives"},
    {"ALREADY_STARTED", "-32602", 409, "plans/modify",
     R"({"id":"o.p0","operations":[{"op":"removeTask","task":"runs"}]})", "POST",
     "/plans/o.p0:modify"},
    {"ALREADY_ENDED", "-32602", 409, "plans/modify",
     R"({"id":"o.p0","operations":[{"op":"removeTask","task":"done"}]})", "POST",
     "/plans/o.p0:modify"},
    {"STILL_NEEDED", "-32602", 409, "plans/modify",
     R"({"id":"o.p0","operations":[{"op":"removeTask","task":"needed"}]})", "POST",
     "/plans/o.p0:modify"},
    {"STILL_READ", "-32602", 409, "plans/modify",
     R"({"id":"o.p0","operations":[{"op":"skipTask","task":"next"}]})", "POST",
     "/plans/o.p0:modify"},
    {"DEPENDENCY_FAILED", "-32602", 409, "plans/modify",
     R"({"id":"o.p0","operations":[{"op":"addDependency","task":"free","on":"lost"}]})", "POST",
     "/plans/o.p0:modify"},
    {"NOTHING_TO_RETRY", "-32602", 409, "plans/modify",
     R"({"id":"o.p0","operations":[{"op":"retryTask","task":"next"}]})", "POST",
     "/plans/o.p0:modify"},
    {"PLAN_FAILED", "-32602", 409, "plans/modify",
     R"({"id":"o.p1","operations":[{"op":"addTask","name":"x"}]})", "POST", "/plans/o.p1:modify"},
    {"DEPENDENCY_CYCLE", "-32602", 400, "plans/modify",
     R"({"id":"o.p0","operations":[{"op":"addDependency","task":"next","on":"last"}]})", "POST",
     "/plans/o.p0:modify"},
    {"UNKNOWN_DEPENDENCY", "-32602", 400, "plans/create",
     R"({"objectiveId":"o","name":"p","dependencies":["nix"]})", "POST", "/objectives/o/plans"},
    {"LIMIT_EXCEEDED", "-32602", 400, "plans/create", R"({"objectiveId":"o","name":"LONG"})",
     "POST", "/objectives/o/plans"},
    {"INVALID_PARAMS", "-32602", 400, "objectives/create", R"({"name":7})", "POST", "/objectives"},
    {"ALREADY_ANSWERED", "-32602", 409, "inputs/answer",
     R"({"id":"q.p0.t0.question-1","value":"again"})", "POST", "/inputs/q.p0.t0.question-1:answer"},
    {"INPUT_EXPIRED", "-32602", 409, "inputs/answer",
     R"({"id":"q.p0.t1.question-1","value":"late"})", "POST", "/inputs/q.p0.t1.question-1:answer"},
    {"INPUT_WITHDRAWN", "-32602", 409, "inputs/answer",
     R"({"id":"q.p0.t2.question-1","value":"late"})", "POST", "/inputs/q.p0.t2.question-1:answer"},
    {"INPUT_CLAIMED", "-32602", 409, "inputs/answer",
     R"({"id":"q.p0.t3.question-1","value":"x","by":"bob"})", "POST",
     "/inputs/q.p0.t3.question-1:answer"},
    {"INVALID_ANSWER", "-32602", 400, "inputs/answer",
     R"({"id":"q.p0.t4.question-1","value":"no number"})", "POST",
     "/inputs/q.p0.t4.question-1:answer"},
    {"PLANNER_FAILED", "-32603", 500, "objectives/replan", R"({"id":"o","text":"make tea"})",
     "POST", "/objectives/o:replan"},
    {"NO_QUESTION", "-32602", 400, "SendMessage",
     R"({"message":{"messageId":"m","role":"ROLE_USER","taskId":"runs","parts":[{"text":"x"}],)"
     R"("metadata":{"opt/v1/inputId":"runs.question-1"}}})",
     "POST", "/message:send"},
    {"AMBIGUOUS_INPUT", "-32602", 400, "SendMessage",
     R"({"message":{"messageId":"m","role":"ROLE_USER","taskId":"ROOT","parts":[{"text":"x"}]}})",
     "POST", "/message:send"},
    {"UNSUPPORTED_OPERATION", "-32004", 400, "SendMessage",
     R"({"message":{"messageId":"m","role":"ROLE_USER","taskId":"ended.p0.t0","parts":[{"text":"x"}]}})",
     "POST", "/message:send"},
});

/// Makes no plan, of most texts because they are too hard.
class refusing_planner final : public text_planner {
public:
  planner_start plan(const planning_order_ptr& order, const planner_port_ptr&) override {
    if (order->text == "spend more")
      return report_no_plan{"the budget day-tokens is 10", {}, errc::budget_exceeded};
    return report_no_plan{"too hard", {}};
  }
};

executor_options with_refusing_planner() {
  executor_options out;
  out.planning.planner = std::make_shared<refusing_planner>();
  return out;
}

/// The objectives that the requests are about: `o`, `ended`, and `q`, which asks.
struct errors_bed : net_bed {
  std::string root; ///< Of `q`.

  errors_bed() : net_bed({}, "puppet", nullptr, with_refusing_planner()) {
    create(R"({"id":"ended","name":"e","start":true,"tasks":[{"name":"t","agent":"noop"}]})");
    create(
        R"({"id":"o","name":"o","start":true,"plans":[{"name":"p","onFailure":"continue","tasks":[)"
        R"({"id":"runs","name":"runs"},{"id":"done","name":"done","agent":"noop"},)"
        R"({"id":"next","name":"next","dependencies":["runs"]},)"
        R"({"id":"last","name":"last","dependencies":["next"],"agent":"echo","input":{"text":"${tasks.next.artifacts[0].text}"}},)"
        R"({"id":"lost","name":"lost"},{"id":"free","name":"free","dependencies":["runs"]},)"
        R"({"id":"needed","name":"needed","dependencies":["runs"]},{"id":"needs","name":"needs","dependencies":["needed"]}]},)"
        R"({"name":"lost too","tasks":[{"name":"fails"}]}]})");
    for (const char* name : {"lost", "fails"})
      port_of(name)->report(report_failed{"no", false});
    static_cast<void>(
        result_of("objectives/update", R"({"id":"o","description":"first","requestId":"first"})"));
    const auto begun = call(rpc(
        "SendMessage",
        text_message("go",
                     R"(,"metadata":{"opt/v1/objective":{"id":"q","name":"q","plans":[{"name":"p",)"
                     R"("onFailure":"continue","tasks":[{"name":"answered"},{"name":"expires"},)"
                     R"({"name":"withdrawn"},{"name":"claimed"},{"name":"number"}]}]}})",
                     R"(,"configuration":{"returnImmediately":true})")));
    root = at(begun, "/result/task/id");
    port_of("answered")->report(report_question{"which?"});
    report_question soon{"soon?"};
    soon.open_for = std::chrono::milliseconds{1};
    port_of("expires")->report(soon);
    port_of("withdrawn")->report(report_question{"still?", false, "key"});
    port_of("claimed")->report(report_question{"whose?"});
    port_of("number")->report(report_question{"how many?", false, {}, {{"type", "integer"}}});
    wait_for("q.p0.t0.question-1", "open");
    wait_for("q.p0.t2.question-1", "open");
    wait_for("q.p0.t3.question-1", "open");
    wait_for("q.p0.t4.question-1", "open");
    port_of("withdrawn")->report(report_withdrawal{"key", "found"});
    static_cast<void>(
        result_of("inputs/answer", R"({"id":"q.p0.t0.question-1","value":"this","by":"anna"})"));
    static_cast<void>(result_of("inputs/claim", R"({"id":"q.p0.t3.question-1","by":"anna"})"));
    wait_for("q.p0.t1.question-1", "expired");
    wait_for("q.p0.t2.question-1", "withdrawn");
    comes("ended", "/status", "completed");
    comes("o", "/plans/0/tasks/1/status", "completed");
    comes("o", "/plans/0/tasks/4/status", "failed");
    comes("o", "/plans/1/status", "failed");
  }

private:
  void create(const std::string& document) const {
    static_cast<void>(result_of("objectives/create", document));
  }
  [[nodiscard]] agent_port_ptr port_of(const std::string& name) const {
    for (std::size_t i = 0;; ++i)
      if (puppet->asked(i)->name == name)
        return puppet->port(i);
  }
  void wait_for(const std::string& question, const std::string& state) const {
    CAPTURE(question, state);
    REQUIRE(comes_true([&] {
      return at(call(rpc("inputs/get", R"({"id":")" + question + "\"}")), "/result/input/state")
             == state;
    }));
  }
  void comes(const std::string& id, const std::string& path, const std::string& value) const {
    CAPTURE(id, path, value);
    REQUIRE(comes_true([&] {
      return at(result_of("objectives/get", R"({"id":")" + id + "\"}"), "/objective" + path)
             == value;
    }));
  }
};

/// `text` with the root task's id, and a long name, in the places of their marks.
std::string filled_in(std::string text, const std::string& root) {
  if (const auto mark = text.find("ROOT"); mark != std::string::npos)
    text.replace(mark, 4, root);
  if (const auto mark = text.find("LONG"); mark != std::string::npos)
    text.replace(mark, 4, std::string(2'000, 'n'));
  return text;
}

} // namespace

TEST_CASE(
    "E_errors: every error of the extension's methods has its code, its status and its reason",
    "[net][opt][tables]") {
  const errors_bed bed;
  std::set<std::string> reasons;
  for (const auto& row : refused_requests) {
    CAPTURE(row.reason, row.method, row.params);
    reasons.insert(row.reason);
    const auto params = filled_in(row.params, bed.root);
    const bool is_ours = std::string(row.reason) != "UNSUPPORTED_OPERATION"
                         && std::string(row.reason) != "INVALID_PARAMS";
    const std::string domain = is_ours ? "troupe" : "a2a-protocol.org";
    const auto answer = bed.call(rpc(row.method, params));
    INFO(answer);
    CHECK(at(answer, "/error/code") == row.code);
    CHECK(at(answer, "/error/data/0/reason") == row.reason);
    CHECK(at(answer, "/error/data/0/domain") == domain);
    CHECK_THAT(at(answer, "/error/message"), Contains(row.reason) && Contains(row.code));
    const bool has_body = std::string(row.verb) != "GET";
    const auto rest = bed.connect().request(row.verb, row.path, has_body ? params : std::string{});
    INFO(rest.body);
    CHECK(rest.status == row.status);
    const auto said = boost::json::parse(rest.body);
    CHECK(at(said, "/error/code") == std::to_string(row.status));
    CHECK(at(said, "/error/details/0/reason") == row.reason);
    CHECK(at(said, "/error/details/0/domain") == domain);
    // 0.3, or no version: the extension's own methods are there as well.
    if (std::string(row.method) == "SendMessage")
      continue;
    CHECK(at(bed.call(rpc(row.method, params), ""), "/error/code") == row.code);
    const auto rest_0_3 = bed.connect().request(row.verb, "/v1" + std::string(row.path),
                                                has_body ? params : std::string{}, "");
    INFO(rest_0_3.body);
    CHECK(rest_0_3.status == row.status);
    CHECK(at(boost::json::parse(rest_0_3.body), "/code") == row.code);
  }
  CHECK(reasons.size() == refused_requests.size());
}
