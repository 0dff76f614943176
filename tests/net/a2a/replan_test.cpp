// objectives/replan over all bindings (docs/planner.md, "Planning an objective anew"). What happens
// while the planner thinks: tests/actors/replan_time_test.cpp.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

/// The first plan runs by hand; the others come after it, one after the other.
constexpr const char* three_plans =
    R"({"id":"o","name":"o","start":true,"plans":[)"
    R"({"id":"p","name":"first","tasks":[{"id":"a","name":"a","agent":"puppet"}]},)"
    R"({"id":"q","name":"second","dependencies":["p"],"tasks":[{"id":"b","name":"b","agent":"puppet"}]},)"
    R"({"id":"r","name":"third","dependencies":["q"],"tasks":[{"id":"c","name":"c","agent":"puppet"}]}]})";

constexpr const char* tent = "First buy a tent, then pack the tent.";

/// Changes what the text says, if it is a text of its own.
class changing_planner final : public text_planner {
public:
  planner_start plan(const planning_order_ptr& order, const planner_port_ptr&) override {
    const auto has = [&](const char* word) { return order->text.find(word) != std::string::npos; };
    if (has("throw"))
      throw std::runtime_error("it broke");
    if (has("decline"))
      return report_no_plan{"too hard", {1, 3, 2}};
    if (has("spend"))
      return report_no_plan{"the budget day-tokens is 10", {}, errc::budget_exceeded, "day-tokens"};
    if (has("nonsense"))
      return report_replan{{remove_plan<std::string>{"no such plan"}}};
    if (has("nothing"))
      return report_replan{};
    if (has("forbidden"))
      return report_replan{{added("command")}};
    return report_replan{
        {skip_plan<std::string>{"third"}, added("")}, {"a tent is enough"}, {1, 40, 2}};
  }
  static new_plan added(const std::string& agent) {
    auto plan = std::make_shared<plan_spec>();
    plan->name = "Tent";
    task_spec task;
    task.name = "Buy a tent";
    task.agent = agent;
    plan->tasks.push_back(std::move(task));
    return {std::move(plan)};
  }
};

executor_options with_changes() {
  executor_options out;
  out.planning.planner = std::make_shared<changing_planner>();
  return out;
}

struct data_directory {
  temporary_directory directory;
};

/// Its store keeps the history. The first task works from the beginning, and stays so.
struct replan_bed : data_directory, net_bed {
  explicit replan_bed(executor_options how = {})
      : net_bed({}, "puppet",
                open_rocksdb_store(
                    {.directory = directory.path().string(), .durability = durability::async})
                    .value(),
                std::move(how)) {
    static_cast<void>(result_of("objectives/create", three_plans));
    if (!comes_true([&] { return at(objective(), "/plans/0/tasks/0/status") == "working"; }))
      throw std::runtime_error("the first task did not begin");
  }
  static std::string params(const std::string& text, const std::string& more = "") {
    return R"({"id":"o","text":)" + boost::json::serialize(boost::json::string(text)) + more + "}";
  }
  [[nodiscard]] boost::json::value replan(const std::string& text,
                                          const std::string& more = "") const {
    return result_of("objectives/replan", params(text, more));
  }
  /// REASON and message.
  [[nodiscard]] std::string refused(const std::string& text, const std::string& more = "") const {
    const auto why = error_of("objectives/replan", params(text, more));
    return at(why, "/data/0/reason") + " " + at(why, "/message");
  }
  [[nodiscard]] boost::json::value objective() const {
    return result_of("objectives/get", R"({"id":"o"})").at("objective");
  }
  /// Its plans, without when they last moved.
  [[nodiscard]] std::string shape() const {
    auto plans = objective().at("plans");
    for (auto& each : plans.as_array())
      each.as_object().erase("updatedAt");
    return boost::json::serialize(plans);
  }
  [[nodiscard]] std::string last_change() const {
    return boost::json::serialize(
        result_of("objectives/history", R"({"id":"o"})").at("changes").at(0));
  }
};

} // namespace

TEST_CASE("U2_replan: a list takes the place of the plans that have not begun, as one revision",
          "[net][opt][replan]") {
  const replan_bed bed;
  const auto done = bed.replan(tent);
  INFO(boost::json::serialize(done));
  CHECK(at(done, "/objectiveId") == "o");
  CHECK(at(done, "/revision") == "1");
  CHECK(boost::json::serialize(done.at("removed")) == R"(["r","q"])");
  CHECK(boost::json::serialize(done.at("added")) == R"(["o.p3"])");
  CHECK(at(done, "/planner/who") == "grammar");
  CHECK(at(done, "/planner/seconds") != "(none)");
  CHECK(at(done, "/planner/tokens") == "(none)");
  const auto now = bed.objective();
  CHECK(at(now, "/status") == "working");
  REQUIRE(now.at("plans").as_array().size() == 2);
  CHECK(at(now, "/plans/0/status") == "working");
  CHECK(at(now, "/plans/1/id") == "o.p3");
  CHECK(at(now, "/plans/1/status") == "pending"); // It waits for what the old ones waited for.
  CHECK(boost::json::serialize(now.at("plans").at(1).at("dependencies")) == R"(["p"])");
  CHECK(at(now, "/plans/1/metadata/opt~1v1~1planner/who") == "grammar");
  const auto change = bed.last_change();
  CHECK_THAT(change, Contains(R"("author":"planner")")
                         && Contains(R"("reason":"First buy a tent, then pack the tent.")")
                         && Contains(R"("op":"removePlan","plan":"r")")
                         && Contains(R"("op":"addPlan","plan":"o.p3")"));
}

TEST_CASE("U2_replan: a dry run shows the operations, and nothing changes", "[net][opt][replan]") {
  const replan_bed bed;
  const auto before = bed.shape();
  const auto shown = bed.replan(tent, R"(,"dryRun":true,"requestId":"x")");
  INFO(boost::json::serialize(shown));
  CHECK(at(shown, "/dryRun") == "true");
  CHECK(at(shown, "/revision") == "1");
  CHECK(at(shown, "/operations/0/op") == "removePlan");
  CHECK(at(shown, "/operations/0/plan") == "r");
  CHECK(at(shown, "/operations/2/op") == "addPlan");
  CHECK(at(shown, "/operations/2/tasks/1/name") == "pack the tent");
  CHECK(bed.shape() == before);
  CHECK(at(bed.objective(), "/revision") == "0");
  CHECK(at(bed.objective(), "/status") == "working");
  // The operations are those of objectives/modify.
  const auto same = bed.result_of("objectives/modify",
                                  R"({"id":"o","operations":)"
                                      + boost::json::serialize(shown.at("operations")) + "}");
  CHECK(at(same, "/revision") == "1");
  CHECK(bed.objective().at("plans").as_array().size() == 2);
}

TEST_CASE("U2_replan: the same under every version and over REST", "[net][opt][replan]") {
  const replan_bed bed;
  auto client = bed.connect();
  const auto rpc_body = R"({"jsonrpc":"2.0","id":1,"method":"objectives/replan","params":)"
                        + replan_bed::params(tent) + "}";
  int revision = 0;
  for (const std::string version : {"A2A-Version: 1.0\r\n", "A2A-Version: 0.3\r\n", ""}) {
    const auto answer = boost::json::parse(client.request("POST", "/", rpc_body, version).body);
    INFO(boost::json::serialize(answer));
    CHECK(at(answer, "/result/revision") == std::to_string(++revision));
  }
  for (const auto& [path, version] : {std::pair{"/objectives/o:replan", "A2A-Version: 1.0\r\n"},
                                      std::pair{"/v1/objectives/o:replan", ""}}) {
    const std::string body = R"({"text":"First buy a tent, then pack the tent."})";
    const auto done = client.request("POST", path, body, version);
    CHECK(done.status == 200);
    CHECK(at(boost::json::parse(done.body), "/revision") == std::to_string(++revision));
    CHECK(client.request("POST", path, body, std::string{version} + "If-Match: \"0\"\r\n").status
          == 412);
    CHECK(client.request("POST", path, R"({"text":"Make tea"})", version).status == 500);
    CHECK(client.request("POST", path, "{}", version).status == 400);
  }
}

TEST_CASE("U2_replan: a planner of one's own changes the objective", "[net][opt][replan]") {
  const replan_bed bed(with_changes());
  const auto done = bed.replan("Rather camp somewhere");
  INFO(boost::json::serialize(done));
  CHECK(boost::json::serialize(done.at("skipped")) == R"(["r"])");
  CHECK(boost::json::serialize(done.at("added")) == R"(["o.p3"])");
  CHECK(at(done, "/planner/who") == "model");
  CHECK(at(done, "/planner/tokens") == "42");
  CHECK(at(done, "/planner/assumed/0") == "a tent is enough");
  CHECK(at(bed.objective(), "/plans/3/metadata/opt~1v1~1planner/tokens") == "42");
  CHECK(at(bed.objective(), "/plans/3/status") == "working");
  CHECK_THAT(bed.last_change(), Contains(R"("author":"planner")"));
}

TEST_CASE("U2_replan: the same request is done once", "[net][opt][replan]") {
  const replan_bed bed;
  const auto first = bed.replan(tent, R"(,"requestId":"r")");
  const auto again = bed.replan(tent, R"(,"requestId":"r")");
  CHECK(at(again, "/revision") == "1");
  CHECK(boost::json::serialize(again.at("added")) == boost::json::serialize(first.at("added")));
  CHECK(at(again, "/operations") == "(none)");
  CHECK(at(bed.objective(), "/revision") == "1");
  CHECK_THAT(bed.refused("First sleep, then eat.", R"(,"requestId":"r")"),
             Contains("DUPLICATE_REQUEST"));
}

TEST_CASE("D6_option_b: what a message adds to an objective is a change of the author `planner`",
          "[net][opt][planned]") {
  const replan_bed bed;
  for (const std::string text :
       {"1. Buy rice\\n2. Cook rice", "Research tea and write a summary", "Make tea"}) {
    CAPTURE(text);
    static_cast<void>(
        bed.call(rpc("SendMessage", text_message(text, R"(,"contextId":"o")",
                                                 R"(,"configuration":{"returnImmediately":true})")),
                 "A2A-Version: 1.0\r\n"
                 "A2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n"));
    CHECK_THAT(bed.last_change(),
               Contains(R"("author":"planner")") && Contains(R"("op":"addPlan")"));
  }
}

TEST_CASE("E_errors: what cannot be planned anew is refused by table, and the objective goes on",
          "[net][opt][replan]") {
  const replan_bed bed(with_changes());
  const auto goes_on = [&] {
    CHECK(at(bed.objective(), "/status") == "working");
    CHECK(at(bed.objective(), "/plans/0/status") == "working");
    CHECK(at(bed.objective(), "/revision") == "0");
  };
  for (const auto& [text, reason] :
       {std::pair{"Please throw", "the planner failed: it broke"},
        std::pair{"Please decline", "too hard"},
        std::pair{"Please do nonsense", "the planner made a change that cannot be made"},
        std::pair{"Please do nothing", "it has no operation"},
        std::pair{"Please do what is forbidden", "which planned tasks may not name"}}) {
    CAPTURE(text);
    CHECK_THAT(bed.refused(text), Contains("PLANNER_FAILED") && Contains(reason));
    goes_on();
  }
  CHECK_THROWS_WITH(bed.refused("Please spend more"),
                    Contains("status 429") && Contains("BUDGET_EXCEEDED")
                        && Contains("the budget day-tokens is 10")
                        && Contains(R"("budget":"day-tokens")") && Contains(R"("until":")"));
  goes_on();
  CHECK_THAT(bed.refused(tent, R"(,"ifRevision":7)"), Contains("REVISION_MISMATCH"));
  goes_on();
  CHECK_THAT(bed.refused("x", R"(,"template":"no-such")"), Contains("INVALID_PARAMS"));
  goes_on();
  const auto reason = [&](const std::string& params) {
    return at(bed.error_of("objectives/replan", params), "/data/0/reason");
  };
  CHECK(reason(R"({"id":"nope","text":"x"})") == "OBJECTIVE_NOT_FOUND");
  CHECK(reason(R"({"id":"nope","text":7})") == "OBJECTIVE_NOT_FOUND");
  CHECK(reason(R"({"id":"o"})") == "INVALID_PARAMS");
  CHECK(reason(R"({"id":"o","text":7})") == "INVALID_PARAMS");
  CHECK(reason(R"({"id":"o","text":"x","params":[]})") == "INVALID_PARAMS");
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"o","status":"canceled"})"));
  CHECK_THAT(bed.refused(tent),
             Contains("INVALID_TRANSITION") && Contains("the objective is canceled"));
}

TEST_CASE("E_errors: without a model a text that is no plan names the reasons",
          "[net][opt][replan]") {
  const replan_bed bed;
  CHECK_THAT(bed.refused("Make tea"), Contains("PLANNER_FAILED") && Contains("no template fits")
                                          && Contains("the grammar finds one task")
                                          && Contains("no model is configured"));
  executor_options off;
  off.planning.is_on = false;
  const replan_bed none(off);
  CHECK_THAT(none.refused(tent), Contains("PLANNER_FAILED") && Contains("planner.enabled"));
}

TEST_CASE("U2_replan: an objective that has not begun is changed, and does not begin",
          "[net][opt][replan]") {
  const net_bed bed;
  static_cast<void>(
      bed.result_of("objectives/create",
                    R"({"id":"n","name":"n","plans":[{"name":"p","tasks":[{"name":"t"}]}]})"));
  const auto done = bed.result_of(
      "objectives/replan", R"({"id":"n","template":"birthday-party","params":{"guests":8}})");
  CHECK(boost::json::serialize(done.at("removed")) == R"(["n.p0"])");
  const auto now = bed.result_of("objectives/get", R"({"id":"n"})").at("objective");
  CHECK(at(now, "/status") == "submitted");
  CHECK(at(now, "/plans/0/name") == "Venue and catering");
  CHECK(at(now, "/plans/0/description") == "For 8 guests");
  CHECK(at(now, "/plans/0/status") == "pending");
}
