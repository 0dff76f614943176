// Rows of the planner's table (docs/planner.md) whose work is under way: the process ends, it is
// canceled, it fails. The row `model` has tests of its own (planning_time_test.cpp,
// planner_question_time_test.cpp), and so have templates that ask (parameters_time_test.cpp).
#include "tests/actors/planning_bed.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

struct planned_row {
  std::string who;
  std::string text;
  std::optional<bool> prefers;
  std::vector<std::string> tasks; ///< In the order in which they run.
};

/// Rows that make an objective without asking anybody.
const std::vector<planned_row>& planned_rows() {
  static const std::vector<planned_row> out{
      {"template",
       "Research AI safety papers and write a summary",
       std::nullopt,
       {"Search papers", "Summarize findings", "Write summary"}},
      {"grammar", "1. Buy flour\n2. Bake bread", std::nullopt, {"Buy flour", "Bake bread"}},
      {"preference", "Tidy the garden", true, {"Tidy the garden"}},
  };
  return out;
}

/// The names of all its tasks.
std::vector<std::string> tasks_of(const objective_ptr& all) {
  std::vector<std::string> out;
  for (const auto& plan : all->plans)
    for (const auto& task : plan.spec->tasks)
      out.push_back(task.name);
  return out;
}

} // namespace

TEST_CASE("what a row has planned goes on after the end of the process, and is not planned again",
          "[actors][planning]") {
  for (const auto& row : planned_rows()) {
    CAPTURE(row.who);
    planning_bed bed;
    const auto sent = bed.say(row.text, row.prefers);
    REQUIRE((sent && *sent && (*sent)->objective));
    const auto id = (*sent)->objective->id;
    const auto before = bed.whole(id);
    CHECK_THAT(bed.note_of(before), Contains("\"who\":\"" + row.who + "\""));
    CHECK(tasks_of(before) == row.tasks);
    bed.begin_again(id);
    CHECK(tasks_of(bed.whole(id)) == row.tasks);
    CHECK(bed.note_of(bed.whole(id)) == bed.note_of(before));
    for (const auto& task : row.tasks)
      bed.report(task, report_completed{});
    CHECK(bed.whole(id)->state == objective_state::completed);
  }
}

TEST_CASE("a cancel ends what a row has planned, and a failed task fails it",
          "[actors][planning]") {
  for (const auto& row : planned_rows()) {
    CAPTURE(row.who);
    {
      planning_bed bed;
      const auto sent = bed.say(row.text, row.prefers);
      REQUIRE((sent && *sent && (*sent)->objective));
      const auto id = (*sent)->objective->id;
      update_objective end;
      end.id = id;
      end.state = objective_state::canceled;
      bed.main_gateway().update(std::move(end), [](const result<objective_ptr>&) {});
      bed.clock.settle();
      CHECK(bed.whole(id)->state == objective_state::canceled);
      CHECK(bed.hand->canceled == std::vector<std::string>{row.tasks.front()});
    }
    planning_bed bed;
    const auto sent = bed.say(row.text, row.prefers);
    REQUIRE((sent && *sent && (*sent)->objective));
    const auto id = (*sent)->objective->id;
    bed.report(row.tasks.front(), report_failed{"no luck", false});
    CHECK(bed.whole(id)->state == objective_state::failed);
    CHECK_THAT(bed.note_of(bed.whole(id)), Contains("\"who\":\"" + row.who + "\""));
  }
}

TEST_CASE("a direct answer whose client departs, or whose process ends, leaves nothing",
          "[actors][planning]") {
  planning_bed bed;
  const auto tasks_there = [&] {
    std::size_t out = 0;
    bed.records().list(list_tasks{},
                       [&](const result<task_page>& page) { out = page->total_size; });
    return out;
  };
  CHECK_FALSE(bed.say("What now?"));
  REQUIRE(bed.hand->running() == 1);
  SECTION("the client departs before the answer") {
    bed.sending->end();
    bed.sending.reset();
    bed.hand->attempts.back()->port->report(report_completed{{text_artifact("a", "42")}, {}});
    bed.clock.settle();
    CHECK(tasks_there() == 0);
  }
  SECTION("the client departs, and no answer comes: the message is not lost") {
    bed.sending->end();
    bed.sending.reset();
    bed.clock.advance(3s);
    CHECK(bed.hand->canceled.size() == 1);
    CHECK(tasks_there() == 1);
  }
  SECTION("the process ends") {
    bed.all.reset();
    bed.stop();
    bed.main_gateway().resume({});
    bed.clock.advance(3s);
    CHECK(tasks_there() == 0);
    CHECK(bed.hand->running() == 0);
    CHECK_FALSE(bed.say("What now?")); // It is asked as if for the first time.
    CHECK(bed.hand->running() == 1);
  }
}

TEST_CASE("a direct answer that fails becomes a plain task, if no objective is preferred",
          "[actors][planning]") {
  planning_bed bed;
  for (const auto* text : {"Who fails?", "Who breaks?"}) {
    CAPTURE(text);
    const auto sent = bed.say(text);
    REQUIRE((sent && *sent));
    CHECK_FALSE((*sent)->objective);
    REQUIRE((*sent)->task);
    CHECK((*sent)->task->status.state == task_state::failed);
  }
}
