#include "protocol/fold/apply.hpp"
#include "protocol/fold/objective_life.hpp"
#include "protocol/fold/objective_shape.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

#include <functional>

using namespace troupe;
using namespace troupe::testing;

namespace {

using operations = std::vector<wanted_objective_operation>;

/// Three plans named p0 to p2; the second one comes after the first.
struct shape_bed {
  shape_bed() {
    objective_view view;
    auto spec = make_objective("o", {1, 1, 1});
    for (std::size_t p = 0; p < 3; ++p) {
      auto plan = std::make_shared<plan_spec>(*spec->plans[p]);
      plan->name = "p" + std::to_string(p);
      plan->dependencies.clear();
      spec->plans[p] = plan;
    }
    apply(view, about("o", 1, objective_created{spec, {}}));
    life.emplace(std::move(view), std::vector<plan_relations>{{}, {{0}, {}, {}}, {}});
  }

  objective_decision modify(operations wanted,
                            const std::function<void(modify_objective&)>& more = {}) {
    modify_objective command;
    command.operations = std::move(wanted);
    if (more)
      more(command);
    return life->decide(objective_reshape{command, relate}, at(++now));
  }
  std::string refused(operations wanted) {
    const auto before = life->view().revision;
    const auto decided = modify(std::move(wanted));
    REQUIRE(decided.refused);
    CHECK(decided.events.empty());
    CHECK(life->view().revision == before);
    return decided.refused->field + " " + decided.refused->message;
  }
  void work() {
    update_objective start;
    start.state = objective_state::working;
    REQUIRE_FALSE(life->decide(start, at(++now)).refused);
  }
  static timestamp at(std::int64_t ms) { return timestamp{milliseconds{ms}}; }
  [[nodiscard]] const plan_view& plan(std::size_t index) const { return life->view().plans[index]; }

  relate_plans relate = [](const std::vector<plan_spec_ptr>& plans) {
    std::vector<plan_relations> out(plans.size());
    for (std::size_t p = 0; p < plans.size(); ++p)
      for (const auto& on : plans[p]->dependencies)
        for (std::uint32_t other = 0; other < plans.size(); ++other)
          if (plans[other]->id.str() == on)
            out[p].dependencies.push_back(other);
    return result<std::vector<plan_relations>>{out};
  };
  std::optional<objective_life> life;
  std::int64_t now = 1000;
};

edit_objective renamed(std::string name) {
  return {{.name = std::move(name)}, {}, {}};
}
edit_plan_of<std::string> due(std::string plan, std::optional<timestamp> at) {
  return {std::move(plan), {{}, {}, {}, deadline_edit{at}, {}}};
}

template<class Effect>
std::size_t count(const objective_decision& decided) {
  std::size_t out = 0;
  for (const auto& effect : decided.effects)
    out += std::holds_alternative<Effect>(effect) ? 1 : 0;
  return out;
}

} // namespace

TEST_CASE("Q2_change: fields of an objective and its plans change by one event, of one revision",
          "[fold][objective_shape]") {
  shape_bed bed;
  auto fields = renamed("N");
  fields.deadline = deadline_edit{shape_bed::at(9000)};
  fields.priority = -7;
  edit_plan_of<std::string> plan{"p2", {{.name = "last"}, 3, on_failure::keep_going, {}, 5}};
  const auto decided = bed.modify({fields, plan}, [](modify_objective& command) {
    command.who.id = "ann";
    command.reason = "it rains";
  });
  REQUIRE_FALSE(decided.refused);
  REQUIRE(decided.events.size() == 1);
  const auto& changed = std::get<objective_changed>(decided.events.front());
  CHECK(changed.operations.size() == 2);
  CHECK(changed.revision == 1);
  CHECK(changed.reason == "it rains");
  CHECK(changed.author == owner_of(principal{.id = "ann"}));
  const auto& view = bed.life->view();
  CHECK(view.name == "N");
  CHECK(view.deadline == shape_bed::at(9000));
  CHECK(view.priority == -7);
  CHECK(view.revision == 1);
  CHECK(bed.plan(2).spec->name == "last");
  CHECK(bed.plan(2).spec->parallel_max == 3);
  CHECK(bed.plan(2).spec->failure == on_failure::keep_going);
  CHECK(bed.plan(2).spec->priority == 5);
  CHECK(bed.plan(2).revision == 1);
  CHECK(bed.plan(0).revision == 0);
  REQUIRE_FALSE(bed.modify({edit_objective{{}, deadline_edit{}, 0}}).refused);
  CHECK_FALSE(view.deadline);
  CHECK(view.priority == 0);
}

TEST_CASE("E_errors: a change of an objective is refused as a whole, and the operation is named",
          "[fold][objective_shape]") {
  shape_bed bed;
  const auto after = [&](wanted_objective_operation last) {
    return bed.refused({renamed("N"), std::move(last)});
  };
  CHECK(bed.refused({}) == "/operations the change has no operations");
  CHECK(bed.refused(std::vector<wanted_objective_operation>(plan_operations_max + 1, renamed("N")))
        == "/operations the change has 10001 operations; the limit is 10000 (plan_operations_max), "
           "so make it in several");
  CHECK(after(skip_plan<std::string>{"nix"})
        == "/operations/1/plan operation 1: the objective has no plan \"nix\"");
  CHECK(after(skip_plan<std::string>{"plan-3"}).starts_with("/operations/1/plan "));
  CHECK(after(due("p0", shape_bed::at(5)))
        == "/operations/1/deadline operation 1: the deadline 1970-01-01T00:00:00.005Z has passed "
           "already; it is 1970-01-01T00:00:01.005Z");
  CHECK(after(set_plan_dependencies<std::string>{"p2", {"p0", "plan-0"}})
        == "/operations/1/dependencies operation 1: it depends on plan \"p0\" twice");
  CHECK(bed.refused({skip_plan<std::string>{"p0"}, skip_plan<std::string>{"p0"}})
        == "/operations/1/plan operation 1: plan \"p0\" is skipped");
  CHECK(
      bed.refused({skip_plan<std::string>{"p0"}, set_plan_dependencies<std::string>{"p2", {"p0"}}})
      == "/operations/1/dependencies operation 1: plan \"p0\" is skipped, so that what depends "
         "on it would never begin");
  bed.relate = [](const std::vector<plan_spec_ptr>&) {
    return result<std::vector<plan_relations>>{
        make_error(errc::dependency_cycle, "\"p0\" -> \"p1\" -> \"p0\"", "/plans/0")};
  };
  CHECK(bed.refused({set_plan_dependencies<std::string>{"p0", {"p1"}}, renamed("N")})
        == "/operations/0/dependencies operation 0: \"p0\" -> \"p1\" -> \"p0\"");
  CHECK(bed.life->view().name != "N");
  bed.work();
  CHECK(after(skip_plan<std::string>{"p0"})
        == "/operations/1/plan operation 1: plan \"p0\" has begun; send \"cancel\": true to stop "
           "it");
  CHECK(after(set_plan_dependencies<std::string>{"p2", {}})
        == "/operations/1/plan operation 1: plan \"p2\" has begun and waits for no other");
  update_objective end;
  end.state = objective_state::canceled;
  static_cast<void>(bed.life->decide(end, shape_bed::at(5000)));
  CHECK(bed.refused({renamed("N")}) == "id the objective is being ended and stays as it is");
}

TEST_CASE("M_cells: plans are skipped, before they begin and while they work",
          "[fold][objective_shape]") {
  shape_bed bed;
  bed.work();
  const auto decided =
      bed.modify({skip_plan<std::string>{"p1"}, skip_plan<std::string>{"p2", true}});
  REQUIRE_FALSE(decided.refused);
  CHECK(bed.plan(1).state == plan_state::skipped);
  CHECK(bed.plan(1).skip_requested);
  CHECK(bed.plan(2).state == plan_state::working); // until its actor has ended it
  CHECK(bed.plan(2).skip_requested);
  CHECK(count<end_running_plan>(decided) == 1);
  CHECK(decided.answer == answer_after::plan_end);
  REQUIRE(decided.report);
  CHECK(decided.report->plans_skipped == std::vector<plan_id>{plan_id{"o.p1"}, plan_id{"o.p2"}});
  CHECK(decided.report->plans_canceled == std::vector<plan_id>{plan_id{"o.p2"}});
}

TEST_CASE("M_cells: a plan that need not wait any more begins, and one that waits is as told",
          "[fold][objective_shape]") {
  shape_bed bed;
  bed.work();
  CHECK(bed.plan(1).state == plan_state::pending);
  const auto decided = bed.modify({set_plan_dependencies<std::string>{"p1", {}}});
  REQUIRE_FALSE(decided.refused);
  CHECK(bed.plan(1).state == plan_state::working);
  CHECK(decided.report->plans_released == std::vector<plan_id>{plan_id{"o.p1"}});
  CHECK(bed.life->relations()[1].dependencies.empty());
}

TEST_CASE("C14: a dry run of a change of an objective answers the same and changes nothing",
          "[fold][objective_shape]") {
  shape_bed bed;
  bed.work();
  const operations wanted{renamed("N"), set_plan_dependencies<std::string>{"p1", {}}};
  auto dry = bed.modify(wanted, [](modify_objective& command) { command.dry_run = true; });
  REQUIRE(dry.report);
  CHECK(dry.report->dry_run);
  CHECK(dry.events.empty());
  CHECK(dry.effects.empty());
  CHECK(bed.life->view().revision == 0);
  auto wet = bed.modify(wanted);
  dry.report->dry_run = false;
  CHECK(wet.report == dry.report);
}

TEST_CASE("M27_deadline: what has not ended by its deadline fails, and the reason names it",
          "[fold][objective_shape]") {
  shape_bed bed;
  REQUIRE_FALSE(bed.modify({due("p1", shape_bed::at(5000)), due("p2", shape_bed::at(6000)),
                            edit_objective{{}, deadline_edit{shape_bed::at(7000)}, {}}})
                    .refused);
  CHECK(next_deadline(bed.life->view(), {}) == shape_bed::at(5000));
  CHECK(next_deadline(bed.life->view(), shape_bed::at(5000)) == shape_bed::at(6000));
  CHECK_FALSE(next_deadline(bed.life->view(), shape_bed::at(7000)));
  bed.work();
  const auto first = bed.life->decide(deadline_passed{}, shape_bed::at(5000));
  CHECK(bed.plan(1).state == plan_state::failed);
  CHECK(bed.plan(1).reason
        == "the plan has not ended before its deadline, 1970-01-01T00:00:05.000Z");
  CHECK(count<end_running_plan>(first) == 0);
  const auto second = bed.life->decide(deadline_passed{}, shape_bed::at(6000));
  CHECK(count<end_running_plan>(second) == 1);
  CHECK_FALSE(bed.life->view().closing);
  const auto third = bed.life->decide(deadline_passed{}, shape_bed::at(7000));
  CHECK(bed.life->view().closing == objective_state::failed);
  CHECK(count<end_running_plan>(third) == 2);
}

TEST_CASE(
    "M27_deadline: seconds count from the start of objective, plan and task, and again after a "
    "retry that comes too late for them",
    "[fold][objective_shape]") {
  auto spec = make_objective("o", {1});
  auto plan = std::make_shared<plan_spec>(*spec->plans[0]);
  plan->deadline_after = milliseconds{20};
  plan->tasks.edit(0).deadline_after = milliseconds{10};
  spec->plans[0] = plan;
  spec->deadline_after = milliseconds{30};
  objective_view view;
  apply(view, about("o", 1, objective_created{spec, {}}));
  CHECK_FALSE(view.deadline);
  apply(view, about("o", 100, objective_moved{objective_event::work, ""}));
  CHECK(view.deadline == at_ms(130));
  apply(view, about("o", 200, plan_moved{0, plan_event::work, ""}));
  CHECK(view.plans[0].spec->deadline == at_ms(220));
  const auto move_task = [&](std::int64_t when, task_state to, std::uint32_t attempt) {
    apply(view, about_task(*spec, 0, 0, when, task_moved{to, attempt, nullptr}));
  };
  move_task(300, task_state::working, 1);
  CHECK(view.plans[0].spec->tasks[0].deadline == at_ms(310));
  move_task(305, task_state::working, 2); // The next attempt is not its start.
  CHECK(view.plans[0].spec->tasks[0].deadline == at_ms(310));
  move_task(310, task_state::failed, 2);
  apply(view, about("o", 320, plan_moved{0, plan_event::fail, "late"}));
  apply(view, about("o", 330, objective_moved{objective_event::fail, "late"}));
  // Again.
  apply(view, about("o", 400, objective_moved{objective_event::reopen, ""}));
  apply(view, about("o", 400, plan_moved{0, plan_event::retry, ""}));
  apply(view, about("o", 400, tasks_renewed{0, {0}}));
  CHECK_FALSE(view.deadline);
  CHECK_FALSE(view.plans[0].spec->deadline);
  CHECK_FALSE(view.plans[0].spec->tasks[0].deadline);
  apply(view, about("o", 500, objective_moved{objective_event::work, ""}));
  apply(view, about("o", 500, plan_moved{0, plan_event::work, ""}));
  move_task(500, task_state::working, 1);
  CHECK(view.deadline == at_ms(530));
  CHECK(view.plans[0].spec->deadline == at_ms(520));
  CHECK(view.plans[0].spec->tasks[0].deadline == at_ms(510));
}

TEST_CASE("Q2_change: an objective gets another maxParallel, and a first one while nothing runs",
          "[fold][objective_shape]") {
  const auto most = [](std::uint32_t slots) {
    edit_objective out;
    out.parallel_max = slots;
    return out;
  };
  shape_bed bed;
  REQUIRE_FALSE(bed.modify({most(3)}).refused);
  bed.work();
  REQUIRE_FALSE(bed.modify({most(1)}).refused);
  CHECK(bed.life->view().parallel_max == 1);
  REQUIRE_FALSE(bed.modify({most(0)}).refused);
  CHECK(bed.refused({most(2)})
        == "/operations/0/maxParallel operation 0: an objective without \"maxParallel\" gets one "
           "only while none of its plans runs");
}

TEST_CASE("M_cells: a plan that failed before it began still waits for its dependencies",
          "[fold][objective_shape]") {
  shape_bed bed;
  REQUIRE_FALSE(bed.modify({due("p1", shape_bed::at(5000))}).refused);
  bed.work();
  static_cast<void>(bed.life->decide(deadline_passed{}, shape_bed::at(5000)));
  REQUIRE(bed.plan(1).state == plan_state::failed);
  shape_change retried{1, {}, {}};
  retried.command.operations = {retry_task<std::string>{"task-0"}};
  retried.terms.tasks_max = 10;
  const auto decided = bed.life->decide(std::move(retried), shape_bed::at(6000));
  REQUIRE_FALSE(decided.refused);
  CHECK(count<start_plan>(decided) == 0);
  CHECK(bed.plan(0).state == plan_state::working);
  CHECK(bed.plan(1).state == plan_state::pending);
}

TEST_CASE("M27_deadline: what is tried again has only a deadline that it can keep",
          "[fold][objective_shape]") {
  shape_bed bed;
  REQUIRE_FALSE(bed.modify({due("p0", shape_bed::at(5000)), due("p1", shape_bed::at(50'000)),
                            edit_objective{{}, deadline_edit{shape_bed::at(6000)}, {}}})
                    .refused);
  static_cast<void>(bed.life->decide(deadline_passed{}, shape_bed::at(6000)));
  CHECK(bed.life->view().state == objective_state::failed);
  update_objective again;
  again.state = objective_state::planning;
  REQUIRE_FALSE(bed.life->decide(again, shape_bed::at(7000)).refused);
  CHECK_FALSE(bed.life->view().deadline);
}

namespace {

/// A plan of one task, named as it would be at that position.
wanted_objective_operation new_plan_at(std::size_t position, std::string name, bool start = false) {
  auto spec = std::make_shared<plan_spec>();
  spec->id = make_plan_id(objective_id{"o"}, position);
  spec->name = std::move(name);
  task_spec task;
  task.id = make_task_id(spec->id, 0);
  task.name = "t";
  spec->tasks.push_back(std::move(task));
  return new_plan{std::move(spec), start, {}};
}

objective_decision add_plans(shape_bed& bed, operations wanted, std::vector<plan_relations> added,
                             bool starts = false) {
  modify_objective command;
  command.operations = std::move(wanted);
  command.starts = starts;
  return bed.life->decide(objective_reshape{command, bed.relate, std::move(added)},
                          shape_bed::at(++bed.now));
}

} // namespace

TEST_CASE("M_cells: several plans are added by one revision, and begin when they may",
          "[fold][objective_shape]") {
  shape_bed bed;
  bed.work();
  const auto decided = add_plans(bed, {new_plan_at(3, "p3"), renamed("N"), new_plan_at(4, "p4")},
                                 {{}, {{3}, {}, {}}});
  REQUIRE_FALSE(decided.refused);
  CHECK(bed.life->view().revision == 1);
  CHECK(bed.life->view().name == "N");
  REQUIRE(bed.life->view().plans.size() == 5);
  CHECK(bed.plan(3).revision == 1);
  CHECK(bed.plan(4).revision == 1);
  CHECK(bed.plan(3).state == plan_state::working);
  CHECK(bed.plan(4).state == plan_state::pending);
  REQUIRE(decided.report);
  CHECK(decided.report->plans_added == std::vector<plan_id>{plan_id{"o.p3"}, plan_id{"o.p4"}});
  CHECK(decided.report->plans_released == std::vector<plan_id>{plan_id{"o.p3"}});
  // The same events give the same view elsewhere.
  auto spec = make_objective("o", {1, 1, 1});
  objective_view other;
  apply(other, about("o", 1, objective_created{spec, {}}));
  change news;
  news.context = "o";
  news.events = decided.events;
  apply(other, news);
  CHECK(other.revision == 1);
  CHECK(other.plans.size() == 5);
  CHECK(other.plans[4].spec->name == "p4");
}

TEST_CASE("M_cells: of plans that are added to an objective that is submitted, those begin that "
          "are to, or all",
          "[fold][objective_shape]") {
  shape_bed bed;
  SECTION("one") {
    REQUIRE_FALSE(add_plans(bed, {new_plan_at(3, "p3", true)}, {{}}).refused);
    CHECK(bed.life->view().state == objective_state::planning);
    CHECK(bed.plan(3).state == plan_state::working);
    CHECK(bed.plan(0).state == plan_state::pending);
  }
  SECTION("all") {
    REQUIRE_FALSE(add_plans(bed, {new_plan_at(3, "p3")}, {{}}, true).refused);
    CHECK(bed.life->view().state == objective_state::working);
    CHECK(bed.plan(3).state == plan_state::working);
    CHECK(bed.plan(0).state == plan_state::working);
  }
  SECTION("none") {
    REQUIRE_FALSE(add_plans(bed, {new_plan_at(3, "p3")}, {{}}).refused);
    CHECK(bed.life->view().state == objective_state::submitted);
  }
}

TEST_CASE("M_cells: if one operation is refused, no plan is added", "[fold][objective_shape]") {
  shape_bed bed;
  const auto decided = add_plans(bed, {new_plan_at(3, "p3"), skip_plan<std::string>{"nix"}}, {{}});
  REQUIRE(decided.refused);
  CHECK(decided.events.empty());
  CHECK(bed.life->view().plans.size() == 3);
  CHECK(bed.life->relations().size() == 3);
}

TEST_CASE("M_cells: a plan that has not begun is removed, and its name is free again",
          "[fold][objective_shape]") {
  shape_bed bed;
  const auto decided = bed.modify({remove_plan<std::string>{"p1"}});
  REQUIRE_FALSE(decided.refused);
  CHECK(bed.plan(1).spec->is_removed);
  CHECK(bed.plan(1).state == plan_state::skipped);
  CHECK(bed.plan(1).spec->tasks[0].is_removed);
  CHECK(bed.plan(1).tasks[0].state == task_state::canceled);
  CHECK(decided.report->plans_removed == std::vector<plan_id>{plan_id{"o.p1"}});
  CHECK(bed.refused({skip_plan<std::string>{"p1"}})
        == "/operations/0/plan operation 0: the objective has no plan \"p1\"");
  CHECK(bed.refused({skip_plan<std::string>{"plan-1"}})
        == "/operations/0/plan operation 0: the objective has no plan \"plan-1\"");
  CHECK_FALSE(add_plans(bed, {new_plan_at(3, "p1")}, {{}}).refused);
  CHECK_FALSE(bed.modify({skip_plan<std::string>{"p1"}}).refused);
}

TEST_CASE("M_cells: a plan is removed only if nothing of it has begun and no other needs it",
          "[fold][objective_shape]") {
  shape_bed bed;
  const operations wanted{remove_plan<std::string>{"p0"}};
  SECTION("one depends on it") {
    CHECK(bed.refused(wanted)
          == "/operations/0/plan operation 0: plan \"p0\" is needed: plan \"p1\" depends on it");
  }
  SECTION("unless the same change takes the dependency away") {
    CHECK_FALSE(
        bed.modify({set_plan_dependencies<std::string>{"p1", {}}, remove_plan<std::string>{"p0"}})
            .refused);
  }
  SECTION("a dependency that the same change sets counts") {
    CHECK(bed.refused(
              {set_plan_dependencies<std::string>{"p1", {"p2"}}, remove_plan<std::string>{"p2"}})
          == "/operations/1/plan operation 1: plan \"p2\" is needed: plan \"p1\" depends on it");
  }
  SECTION("it has begun") {
    bed.work();
    CHECK(bed.refused({remove_plan<std::string>{"p2"}})
          == "/operations/0/plan operation 0: plan \"p2\" has begun; skipPlan with \"cancel\": "
             "true stops it");
  }
  SECTION("it has ended") {
    REQUIRE_FALSE(bed.modify({skip_plan<std::string>{"p2"}}).refused);
    CHECK(bed.refused({remove_plan<std::string>{"p2"}})
          == "/operations/0/plan operation 0: plan \"p2\" is skipped");
  }
}

TEST_CASE("M_cells: an alternative, and what has one, is not removed", "[fold][objective_shape]") {
  shape_bed bed;
  auto view = bed.life->view();
  bed.life.emplace(std::move(view), std::vector<plan_relations>{{{}, {2}, {}}, {}, {{}, {}, 0}});
  CHECK(bed.refused({remove_plan<std::string>{"p2"}})
        == "/operations/0/plan operation 0: plan \"p2\" is needed: it is an alternative of plan "
           "\"p0\"");
  CHECK(bed.refused({remove_plan<std::string>{"p0"}})
        == "/operations/0/plan operation 0: plan \"p0\" is needed: plan \"p2\" is an alternative "
           "of it");
}

TEST_CASE("M_cells: a plan that was removed decides nothing about the end of its objective",
          "[fold][objective_shape]") {
  shape_bed bed;
  REQUIRE_FALSE(bed.modify({set_plan_dependencies<std::string>{"p1", {}},
                            remove_plan<std::string>{"p1"}, remove_plan<std::string>{"p2"}})
                    .refused);
  SECTION("in one process") {}
  SECTION("after a restart") {
    auto view = bed.life->view();
    bed.life.emplace(std::move(view), std::vector<plan_relations>(3));
  }
  bed.work();
  CHECK(bed.plan(1).state == plan_state::skipped);
  chunked<task_summary> summaries;
  task_summary done;
  done.state = task_state::completed;
  summaries.push_back(done);
  static_cast<void>(bed.life->lend(0));
  bed.life->take_back(0, std::move(summaries));
  static_cast<void>(
      bed.life->decide(plan_ended{0, {{0, plan_event::complete, ""}}, {}}, shape_bed::at(9000)));
  CHECK(bed.life->view().state == objective_state::completed);
}

TEST_CASE("M_cells: an objective whose plans were all removed does not complete by itself",
          "[fold][objective_shape]") {
  shape_bed bed;
  REQUIRE_FALSE(
      bed.modify({set_plan_dependencies<std::string>{"p1", {}}, remove_plan<std::string>{"p0"},
                  remove_plan<std::string>{"p1"}, remove_plan<std::string>{"p2"}})
          .refused);
  bed.work();
  CHECK(bed.life->view().state == objective_state::working);
}
