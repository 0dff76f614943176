// What becomes of a message, and who is asked about it, on the manual clock. Over the wire:
// tests/net/a2a/planned_messages_test.cpp.
#include "tests/actors/planning_bed.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

constexpr const char* two_papers = "Research AI safety papers and write a summary";

} // namespace

TEST_CASE("S2_two_steps: a text that a template fits becomes its objective, and begins",
          "[actors][planning]") {
  planning_bed bed;
  const auto sent = bed.say(two_papers);
  REQUIRE((sent && *sent));
  REQUIRE((*sent)->objective);
  const auto& made = *(*sent)->objective;
  CHECK(made.name == two_papers);
  REQUIRE(made.plans.size() == 2);
  CHECK(made.plans[0].spec->tasks[0].name == "Search papers");
  CHECK((*sent)->task->id == made.root_task);
  CHECK_THAT(bed.note_of((*sent)->objective), Contains(R"("who":"template")"));
  CHECK(bed.hand->of("Search papers").number == 1);
}

TEST_CASE("S1_question: a direct answer leaves nothing; without one the next row decides",
          "[actors][planning]") {
  planning_bed bed;
  const auto sum = bed.say("2 + 2");
  REQUIRE((sum && *sum));
  REQUIRE((*sum)->answer);
  CHECK(text_of((*sum)->answer->parts) == "4");
  const auto streamed = bed.say("Who speaks?");
  REQUIRE((streamed && *streamed && (*streamed)->answer));
  REQUIRE((*streamed)->answer->parts.size() == 1);
  CHECK(text_of((*streamed)->answer->parts) == "Paris");
  const auto& used = (*streamed)->answer->metadata.at("troupe/v1/modelUsage").as_object();
  CHECK(used.at("calls") == 1);
  CHECK(used.at("promptTokens") == 7);
  CHECK(used.at("answerTokens") == 3);
  const auto failed = bed.say("Who fails?", true);
  REQUIRE((failed && *failed && (*failed)->objective));
  CHECK_THAT(bed.note_of((*failed)->objective), Contains(R"("modelUsage":{"calls":1)"));
  const auto broken = bed.say("Who breaks?", true);
  REQUIRE((broken && *broken && (*broken)->objective));
  CHECK_THAT(bed.note_of((*broken)->objective), Contains("the default agent failed: broken"));
  // It goes on: the time runs out, and the agent is told to stop.
  CHECK_FALSE(bed.say("What now?", true));
  bed.clock.advance(3s);
  const auto late = bed.sending->poll(true);
  REQUIRE((late && *late && (*late)->objective));
  CHECK_THAT(bed.note_of((*late)->objective), Contains("has not answered within 2 s"));
  CHECK(bed.hand->canceled.size() == 1);
}

TEST_CASE(
    "S7_fallback: an objective is `planning` while its planner is asked, and works with what it "
    "makes",
    "[actors][planning]") {
  const auto own = std::make_shared<hand_planner>();
  planning_bed bed(with_planner(own));
  const auto sent = bed.say("Please wait for it");
  REQUIRE((sent && *sent && (*sent)->objective));
  const auto id = (*sent)->objective->id;
  CHECK((*sent)->task->status.state == task_state::working);
  CHECK(bed.whole(id)->state == objective_state::planning);
  REQUIRE(own->ports.size() == 1);
  CHECK(own->orders[0]->text == "Please wait for it");
  SECTION("a plan") {
    own->ports[0]->report(report_plan{hand_planner::steps(""), {"both are needed"}});
    bed.clock.settle();
    const auto now = bed.whole(id);
    CHECK(now->state == objective_state::working);
    CHECK(now->name == "made by the planner");
    REQUIRE(now->plans.size() == 1);
    CHECK(now->plans[0].spec->tasks.size() == 2);
    CHECK_THAT(bed.note_of(now),
               Contains(R"("who":"model")") && Contains("both are needed") && !Contains("attempt"));
  }
  SECTION("nothing in time") {
    bed.clock.advance(61s);
    const auto now = bed.whole(id);
    CHECK(now->state == objective_state::working);
    REQUIRE(now->plans.size() == 1);
    CHECK(now->plans[0].spec->tasks[0].description == "Please wait for it");
    CHECK_THAT(bed.note_of(now), Contains("the planner has not answered within 60 s"));
    CHECK(now->usage == model_usage{1, 30, 0, 0, 0, true});
    own->ports[0]->report(report_plan{hand_planner::steps(""), {}});
    bed.clock.settle();
    CHECK(bed.whole(id)->plans.size() == 1);
  }
  SECTION("a cancel before") {
    update_objective end;
    end.id = id;
    end.state = objective_state::canceled;
    bed.main_gateway().update(std::move(end), [](const result<objective_ptr>&) {});
    bed.clock.settle();
    own->ports[0]->report(report_plan{hand_planner::steps(""), {}});
    bed.clock.settle();
    CHECK(bed.whole(id)->state == objective_state::canceled);
    CHECK(bed.whole(id)->plans.size() == 0);
  }
  SECTION("the end of the process, twice") {
    const auto again = [&] {
      recovered left;
      left.objectives.push_back(bed.whole(id));
      bed.all.reset();
      bed.stop();
      bed.main_gateway().resume(left);
      bed.clock.settle();
    };
    again();
    CHECK(own->orders.size() == 2);
    CHECK(own->orders[1]->attempt == 2);
    CHECK(bed.whole(id)->state == objective_state::planning);
    again();
    CHECK(own->orders.size() == 2);
    CHECK(bed.whole(id)->state == objective_state::working);
    REQUIRE(bed.whole(id)->plans.size() == 1);
    CHECK(bed.whole(id)->plans[0].spec->tasks[0].description == "Please wait for it");
    CHECK_THAT(bed.note_of(bed.whole(id)), Contains("each time that the planner was asked"));
  }
}

TEST_CASE("S7_fallback: a planner that makes no plan that may run loses no message",
          "[actors][planning]") {
  const auto own = std::make_shared<hand_planner>();
  std::vector<std::string> warned;
  auto options = with_planner(own);
  options.warn = [&](const std::string& line) { warned.push_back(line); };
  planning_bed bed(options);
  const std::vector<std::pair<std::string, std::string>> faults{
      {"Please throw", "the planner failed: it broke"},
      {"Please decline", "too hard"},
      {"Please die", "the planning of the text has died"},
      {"Please use forbidden agents", "which planned tasks may not name"}};
  for (const auto& [text, reason] : faults) {
    CAPTURE(text);
    const auto sent = bed.say(text);
    REQUIRE((sent && *sent && (*sent)->objective));
    const auto now = bed.whole((*sent)->objective->id);
    CHECK(now->state == objective_state::working);
    REQUIRE(now->plans.size() == 1);
    CHECK(now->plans[0].spec->tasks[0].description == text);
    CHECK_THAT(bed.note_of(now), Contains(reason));
  }
  CHECK(warned
        == std::vector<std::string>{"the planning of a text has died and goes on without the "
                                    "planner: the check of the agent breaks"});
  const auto answered = bed.say("Please answer");
  REQUIRE((answered && *answered && (*answered)->objective));
  CHECK(bed.whole((*answered)->objective->id)->state == objective_state::completed);
}

TEST_CASE("D6_option_b: what is planned in the context of an objective joins it",
          "[actors][planning]") {
  const auto own = std::make_shared<hand_planner>();
  planning_bed bed(with_planner(own));
  objective_spec first;
  first.id = objective_id{"o"};
  first.name = "o";
  first.plans = hand_planner::steps("").plans;
  bed.begin(std::move(first));
  const auto joined = bed.say("Please plan this", std::nullopt, "o");
  REQUIRE((joined && *joined));
  CHECK(bed.whole(objective_id{"o"})->plans.size() == 2);
  const auto both = bed.say(two_papers, std::nullopt, "o");
  REQUIRE((both && *both));
  const auto now = bed.whole(objective_id{"o"});
  REQUIRE(now->plans.size() == 4);
  CHECK(now->plans[3].spec->dependencies.at(0) == now->plans[2].spec->id.str());
  // The planner says nothing; then the agent answers, and the objective stays as it is.
  CHECK_FALSE(bed.say("2 + 2", std::nullopt, "o"));
  bed.clock.advance(61s);
  const auto sum = bed.sending->poll(true);
  REQUIRE((sum && *sum && (*sum)->answer));
  CHECK(text_of((*sum)->answer->parts) == "4");
  CHECK(bed.whole(objective_id{"o"})->revision == now->revision);
}
