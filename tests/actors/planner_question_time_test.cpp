// A planner that asks a person before it makes its plan, on the manual clock. With a model and the
// whole program: tests/apps/models_binary_test.cpp.
#include "actors/planning/question_task.hpp"
#include "tests/actors/planning_bed.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

struct planner_asks_bed : planning_bed {
  explicit planner_asks_bed(const std::shared_ptr<hand_planner>& planner)
      : planning_bed(with_planner(planner)), own(planner) {}

  objective_id ask(const std::string& text) {
    const auto sent = say(text);
    REQUIRE((sent && *sent && (*sent)->objective));
    return (*sent)->objective->id;
  }
  /// The task that asks, by the plan that it is in.
  task_id asking(const objective_id& id, std::size_t plan = 0) {
    const auto now = whole(id);
    REQUIRE(now->plans.size() > plan);
    CHECK(now->plans[plan].spec->name == "Question");
    CHECK(now->plans[plan].spec->tasks[0].agent == question_agent_name);
    return now->plans[plan].task_at(0);
  }

  const std::shared_ptr<hand_planner> own;
};

} // namespace

TEST_CASE("a planner asks a person, and makes its plan with the answer", "[actors][planning]") {
  planner_asks_bed bed(std::make_shared<hand_planner>());
  const auto id = bed.ask("Please inquire and plan");
  const auto task = bed.asking(id);
  auto now = bed.whole(id);
  CHECK(now->state == objective_state::blocked);
  CHECK(bed.record(now->root_task)->status.state == task_state::input_required);
  REQUIRE(now->pending_inputs.size() == 1);
  CHECK(now->pending_inputs[0].prompt == "Which city?");
  CHECK_THAT(bed.note_of(now), Contains("the planner asks a person first"));
  CHECK_THAT(bed.answer(task, "Paris"), Contains("Oslo"));
  SECTION("at once") {}
  SECTION("after restarts") {
    for (int i = 0; i < 4; ++i)
      bed.begin_again(id);
    CHECK(bed.own->orders.size() == 1);
  }
  CHECK(bed.answer(task, "Oslo") == "");
  REQUIRE(bed.own->orders.size() == 2);
  const auto& again = *bed.own->orders[1];
  CHECK(again.text == "Please inquire and plan");
  CHECK(again.questions_left == planner_questions_max - 1);
  CHECK(again.attempt == 1);
  REQUIRE(again.said.size() == 1);
  CHECK(again.said[0].question == "Which city?");
  CHECK(again.said[0].answer == "Oslo");
  now = bed.whole(id);
  CHECK(now->state == objective_state::working);
  CHECK(now->name == "made by the planner");
  REQUIRE(now->plans.size() == 2);
  CHECK(now->plans[0].state == plan_state::completed);
  CHECK(now->plans[1].spec->tasks.size() == 2);
  CHECK(now->plans[1].state == plan_state::working);
  CHECK_THAT(boost::json::serialize(now->plans[1].spec->metadata),
             Contains(R"("who":"model")") && Contains("both are needed"));
  CHECK(now->usage == model_usage{2, 30, 15, 300, 0, false});
}

TEST_CASE("the end of the process while the planner thinks about an answer loses nothing",
          "[actors][planning]") {
  planner_asks_bed bed(std::make_shared<hand_planner>());
  const auto id = bed.ask("Please inquire");
  CHECK(bed.answer(bed.asking(id), "Rome") == "");
  REQUIRE(bed.own->orders.size() == 2); // and it says nothing
  bed.begin_again(id);
  REQUIRE(bed.own->orders.size() == 3);
  CHECK(bed.own->orders[2]->attempt == 2);
  CHECK(bed.own->orders[2]->said[0].answer == "Rome");
  bed.own->ports[2]->report(report_plan{hand_planner::steps(""), {}});
  bed.clock.settle();
  CHECK(bed.whole(id)->plans.size() == 2);
  SECTION("its plans are added once") {
    bed.own->ports[1]->report(report_plan{hand_planner::steps(""), {}});
    bed.begin_again(id);
    CHECK(bed.whole(id)->plans.size() == 2);
  }
}

TEST_CASE("a planner that ends the process again and again is not asked a third time",
          "[actors][planning]") {
  planner_asks_bed bed(std::make_shared<hand_planner>());
  const auto id = bed.ask("Please inquire");
  CHECK(bed.answer(bed.asking(id), "Rome") == "");
  bed.begin_again(id);
  bed.begin_again(id);
  CHECK(bed.own->orders.size() == 3);
  const auto now = bed.whole(id);
  REQUIRE(now->plans.size() == 2);
  CHECK(now->plans[1].spec->tasks[0].description == "Please inquire\n\nWhich city?\nRome");
}

TEST_CASE("a planner asks so often, and no more; then a task has the text and all answers",
          "[actors][planning]") {
  planner_asks_bed bed(std::make_shared<hand_planner>());
  bed.own->questions = 100;
  const auto id = bed.ask("Please inquire");
  for (std::size_t i = 0; i < planner_questions_max; ++i)
    CHECK(bed.answer(bed.asking(id, i), "Oslo") == "");
  const auto now = bed.whole(id);
  REQUIRE(now->plans.size() == planner_questions_max + 1);
  CHECK_THAT(now->plans[planner_questions_max].spec->tasks[0].description,
             Contains("Please inquire\n\nWhich city?\nOslo\n\nWhich city?\nOslo"));
  CHECK_THAT(boost::json::serialize(now->plans[planner_questions_max].spec->metadata),
             Contains("the planner has asked 3 questions"));
  CHECK(now->state == objective_state::working);
}

TEST_CASE("a planner may answer, once it was answered", "[actors][planning]") {
  planner_asks_bed bed(std::make_shared<hand_planner>());
  const auto id = bed.ask("Please inquire and answer");
  const auto task = bed.asking(id);
  CHECK(bed.answer(task, "Oslo") == "");
  CHECK(bed.whole(id)->state == objective_state::completed);
  CHECK(text_of(bed.record(task)->artifacts.at(0)->parts) == "42");
}

TEST_CASE("without an answer the question fails; a canceled one makes no plans",
          "[actors][planning]") {
  planner_asks_bed bed(std::make_shared<hand_planner>());
  const auto id = bed.ask("Please inquire");
  SECTION("declined") {
    CHECK(bed.answer(bed.asking(id), "", answer_action::decline) == "");
    CHECK(bed.whole(id)->state == objective_state::failed);
  }
  SECTION("canceled while the planner thinks") {
    CHECK(bed.answer(bed.asking(id), "Rome") == "");
    update_objective end;
    end.id = id;
    end.state = objective_state::canceled;
    bed.main_gateway().update(std::move(end), [](const result<objective_ptr>&) {});
    bed.clock.settle();
    bed.own->ports[1]->report(report_plan{hand_planner::steps(""), {}});
    bed.clock.settle();
    CHECK(bed.whole(id)->plans.size() == 1);
    CHECK(bed.whole(id)->state == objective_state::canceled);
  }
}

TEST_CASE("a question that cannot be asked is none: the next row decides", "[actors][planning]") {
  planner_asks_bed bed(std::make_shared<hand_planner>());
  bed.own->form = {{"type", "no such type"}};
  const auto id = bed.ask("Please inquire");
  const auto now = bed.whole(id);
  CHECK(now->state == objective_state::working);
  CHECK_THAT(bed.note_of(now), Contains("the planner asks what cannot be asked: its form/type"));
  CHECK(now->plans[0].spec->tasks[0].description == "Please inquire");
}

TEST_CASE("a question about an objective that is there joins it; the planner knows how it stands",
          "[actors][planning]") {
  planner_asks_bed bed(std::make_shared<hand_planner>());
  objective_spec first;
  first.id = objective_id{"o"};
  first.name = "o";
  first.plans = hand_planner::steps("hand").plans;
  const auto id = bed.begin(std::move(first));
  bed.report("first", report_completed{{text_artifact("sum", "4")}, {}});
  const auto joined = bed.say("Please inquire and plan", std::nullopt, "o");
  REQUIRE((joined && *joined));
  REQUIRE(bed.own->orders.size() == 1);
  REQUIRE(bed.own->orders[0]->so_far);
  CHECK_FALSE(bed.own->orders[0]->replans);
  REQUIRE(bed.own->orders[0]->so_far->outcomes.size() == 1);
  CHECK(text_of(bed.own->orders[0]->so_far->outcomes[0].artifacts.at(0)->parts) == "4");
  CHECK(bed.answer(bed.asking(id, 1), "Oslo") == "");
  const auto now = bed.whole(id);
  REQUIRE(now->plans.size() == 3);
  CHECK(now->name == "o");
  CHECK(bed.own->orders[1]->so_far);
  CHECK(now->usage.calls == 2);
}

TEST_CASE(
    "a planner asks a person when an objective is planned anew, and changes it with the answer",
    "[actors][planning]") {
  planner_asks_bed bed(std::make_shared<hand_planner>());
  auto later = a_plan("q", {a_task("c", {}, "hand")});
  later.dependencies = {"p"};
  const auto id =
      bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")}), std::move(later)}));
  replan_objective command;
  command.id = id;
  command.text = "Please inquire and skip";
  std::optional<result<replan_report>> done;
  const auto replan = [&] {
    bed.main_gateway().replan(command, [&](result<replan_report> how) { done = std::move(how); });
    bed.clock.settle();
    REQUIRE(done);
  };
  SECTION("a dry run asks nobody") {
    command.dry_run = true;
    replan();
    REQUIRE(done->has_error());
    CHECK_THAT(done->error().message, Contains("Which city?"));
    CHECK(bed.whole(id)->plans.size() == 2);
    return;
  }
  replan();
  REQUIRE(done->has_value());
  CHECK((*done)->operations.size() == 1);
  auto now = bed.whole(id);
  CHECK_FALSE(now->paused);
  CHECK(now->plans[1].state == plan_state::pending);
  const auto task = bed.asking(id, 2);
  SECTION("at once") {
    CHECK(bed.answer(task, "Oslo") == "");
  }
  SECTION("after a restart") {
    bed.begin_again(id);
    CHECK(bed.answer(task, "Oslo") == "");
  }
  REQUIRE(bed.own->orders.size() == 2);
  CHECK(bed.own->orders[1]->replans);
  CHECK(bed.own->orders[1]->said.at(0).answer == "Oslo");
  CHECK(bed.own->orders[1]->questions_left == planner_questions_max - 1);
  now = bed.whole(id);
  CHECK_FALSE(now->paused);
  CHECK(now->plans[1].state == plan_state::skipped);
  CHECK(now->plans[2].state == plan_state::completed);
}

TEST_CASE("a question of the planner is read as it was written, whatever it contains",
          "[actors][planning]") {
  planning_question from;
  from.text = "Use ${tasks.a.artifacts[0].text}";
  from.suggested_name = "Trip";
  from.prefers_objective = true;
  from.renames = true;
  from.said = {{"Where ${x}?", "Oslo"}, {"When?", "${y}"}};
  from.prompt = "How?";
  from.form = {{"type", "string"}, {"enum", {"train"}}};
  const auto written = write_planning_question(from);
  CHECK_THAT(boost::json::serialize(written), !Contains("\"${") && !Contains(" ${"));
  CHECK_FALSE(read_planning_question({{"text", "x"}}).has_value());
  CHECK(read_planning_question({{"question", "x"}}).error().field == "/text");
}
