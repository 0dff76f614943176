#include "protocol/fold/apply.hpp"
#include "protocol/fold/last_tasks.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/unshared.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Three plans of two tasks; all have completed and made something.
objective_view all_done() {
  objective_view out;
  apply(out, about("o", 1, objective_created{make_objective("o", {2, 2, 2}), {}}));
  for (std::uint32_t p = 0; p < out.plans.size(); ++p) {
    auto& plan = out.plans.edit(p);
    plan.state = plan_state::completed;
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      plan.tasks.edit(t).state = task_state::completed;
      plan.tasks.edit(t).has_artifacts = true;
    }
  }
  return out;
}

std::string ids(const found_last_tasks& found) {
  std::string out;
  for (const auto& id : found.first)
    out += (out.empty() ? "" : " ") + id.str();
  return out;
}

const std::vector<plan_relations> apart(3);

} // namespace

TEST_CASE("the last tasks are those on which no task and no completed plan depends",
          "[protocol][fold]") {
  auto view = all_done();
  CHECK(ids(last_tasks(view, apart, 10)) == "o.p0.t0 o.p0.t1 o.p1.t0 o.p1.t1 o.p2.t0 o.p2.t1");
  SECTION("a task of the same plan") {
    unshared(view.plans.edit(0).spec).tasks.edit(1).dependency_indexes = {0};
    CHECK(ids(last_tasks(view, apart, 10)) == "o.p0.t1 o.p1.t0 o.p1.t1 o.p2.t0 o.p2.t1");
  }
  SECTION("a task of another plan") {
    unshared(view.plans.edit(1).spec).outside.push_back({0, 0, 1, task_id{"o.p0.t1"}});
    CHECK(ids(last_tasks(view, apart, 10)) == "o.p0.t0 o.p1.t0 o.p1.t1 o.p2.t0 o.p2.t1");
  }
  SECTION("a task that was removed depends on nothing any more") {
    auto& second = unshared(view.plans.edit(1).spec);
    second.tasks.edit(1).dependency_indexes = {0};
    second.outside.push_back({1, 0, 1, task_id{"o.p0.t1"}});
    CHECK(ids(last_tasks(view, apart, 10)) == "o.p0.t0 o.p1.t1 o.p2.t0 o.p2.t1");
    second.tasks.edit(1).is_removed = true;
    view.plans.edit(1).tasks.edit(1).state = task_state::canceled;
    CHECK(ids(last_tasks(view, apart, 10)) == "o.p0.t0 o.p0.t1 o.p1.t0 o.p2.t0 o.p2.t1");
  }
  SECTION("no more than are asked for") {
    const auto found = last_tasks(view, apart, 4);
    CHECK(ids(found) == "o.p0.t0 o.p0.t1 o.p1.t0 o.p1.t1");
    CHECK(found.left_out == 2);
  }
  SECTION("a plan, if it was done") {
    auto relations = apart;
    relations[1].dependencies = {0};
    CHECK(ids(last_tasks(view, relations, 10)) == "o.p1.t0 o.p1.t1 o.p2.t0 o.p2.t1");
    view.plans.edit(1).state = plan_state::skipped;
    CHECK(ids(last_tasks(view, relations, 10))
          == "o.p0.t0 o.p0.t1 o.p1.t0 o.p1.t1 o.p2.t0 o.p2.t1");
  }
  SECTION("what failed or made nothing has no result") {
    view.plans.edit(0).tasks.edit(0).state = task_state::failed;
    view.plans.edit(0).tasks.edit(1).has_artifacts = false;
    view.plans.edit(1).tasks.edit(0).generation = 1;
    CHECK(ids(last_tasks(view, apart, 10)) == "o.p1.t0.r1 o.p1.t1 o.p2.t0 o.p2.t1");
  }
}

TEST_CASE("an artifact of a last task keeps its content, and says whose it is",
          "[protocol][fold]") {
  artifact made;
  made.artifact_id = "out";
  made.name = "report";
  made.metadata["k"] = 1;
  made.parts.push_back(text_part("text"));
  const auto shown = result_artifact(task_id{"o.p0.t0"}, made);
  CHECK(shown->artifact_id == "o.p0.t0.out");
  CHECK(shown->name == "report");
  CHECK(shown->parts == made.parts);
  CHECK(shown->metadata == boost::json::object{{"k", 1}, {"troupe/v1/taskId", "o.p0.t0"}});
}
