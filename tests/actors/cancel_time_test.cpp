// Cancel: down the whole tree, and for good.
#include "protocol/fold/limits.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"
#include <troupe/protocol/model_usage.hpp>

using namespace troupe;
using namespace troupe::testing;

using lines = std::vector<std::string>;

TEST_CASE("cancel goes down the tree and a late result does not overwrite it", "[actors][time]") {
  clock_bed bed;
  bed.hand->stops_at_once = false;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"})}),
                          a_plan("q", {a_task("c", {}, "hand")})}));
  bed.move(objective_state::canceled);
  CHECK(bed.objective()->state == objective_state::canceled);
  CHECK(bed.hand->canceled == lines{"a", "c"});
  CHECK(bed.hand->running() == 2); // they have not stopped yet
  const auto told = bed.seen->lines;
  bed.report("a", report_artifact{text_artifact("out", "late"), false, true});
  bed.report("a", report_completed{});
  bed.report("c", report_failed{"late", true});
  CHECK(bed.hand->running() == 0);
  bed.pass(std::chrono::minutes{5});
  CHECK(bed.seen->lines == told); // not even a fact that the store would have dropped
  CHECK(bed.states(0) == "canceled canceled");
  CHECK(bed.states(1) == "canceled");
  CHECK(bed.task("a")->artifacts.empty());
  CHECK(bed.objective()->plans[0].state == plan_state::failed);
}

TEST_CASE("what a model has used counts also if the attempt is cut off", "[actors][time]") {
  clock_bed bed;
  bed.hand->unsaid.emplace();
  bed.hand->unsaid->metadata[model_usage_key] =
      boost::json::object{{"promptTokens", 7}, {"answerTokens", 3}, {"estimated", true}};
  auto slow = a_task("slow", {}, "hand");
  slow.timeout = std::chrono::seconds{5};
  bed.begin(an_objective(
      {a_plan("p", {a_task("canceled", {}, "hand")}), a_plan("q", {std::move(slow)})}));
  bed.pass(std::chrono::seconds{6});
  CHECK(bed.states(1) == "failed");
  const model_usage once{1, 7, 3, 0, 0, true};
  CHECK(bed.task("slow")->details->usage == once);
  static_cast<void>(bed.cancel("canceled"));
  CHECK(bed.states(0) == "canceled");
  CHECK(bed.task("canceled")->details->usage == once);
  auto both = once;
  both += once;
  CHECK(bed.objective()->usage == both);
}

TEST_CASE("a cancel with too much metadata is refused by the name of its limit", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  cancel_task command;
  command.id = bed.task("a")->id;
  command.metadata["why"] = std::string(cancel_metadata_bytes_max, 'x');
  std::vector<result<task_ptr>> answers;
  bed.main_gateway().cancel(std::move(command),
                            [&](result<task_ptr> got) { answers.push_back(got); });
  bed.clock.settle();
  REQUIRE(answers.size() == 1);
  REQUIRE(answers[0].has_error());
  CHECK(answers[0].error().code == errc::limit_exceeded);
  CHECK(answers[0].error().message.find("cancel_metadata_bytes_max") != std::string::npos);
  CHECK(bed.states() == "working");
}
