#include "actors/service/plan_history.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

change_ptr shared(change of) {
  return std::make_shared<const change>(std::move(of));
}

/// Two plans; the second is edited, changed with a task that comes back, and edited again.
std::vector<change_ptr> a_life() {
  auto spec = make_objective("o", {});
  spec->plans = {make_plan(spec->id, 0, 1), make_plan(spec->id, 1, 2)};
  auto both = about("o", 400, tasks_renewed{1, {0}});
  both.events.emplace_back(plan_changed{1, {retry_task<std::uint32_t>{0}}, "ann", "again", 4});
  return {shared(about("o", 100, objective_created{spec, {}})),
          shared(about("o", 200, objective_edited{})), // changes nothing
          shared(about("o", 200, objective_edited{{.name = "n"}})),
          shared(about("o", 300, plan_edited{1, {.name = "first"}})),
          shared(about("o", 310, plan_edited{0, {.name = "other"}})),
          shared(both),
          shared(about("o", 500, plan_added{make_plan(spec->id, 2, 1), false})),
          shared(about("o", 600, plan_edited{1, {.name = "last"}}))};
}

std::vector<std::uint64_t> revisions(plan_history_reader reader) {
  for (const auto& each : a_life())
    reader.take(each);
  std::vector<std::uint64_t> out;
  for (const auto& each : reader.take_revisions())
    out.push_back(each.revision);
  return out;
}

using numbers = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("Q2_change: the history of a plan has its own changes, the last one first",
          "[actors][service][modify]") {
  CHECK(revisions({1, 0, 0, 10}) == numbers{6, 4, 2});
  CHECK(revisions({0, 0, 0, 10}) == numbers{3});
  CHECK(revisions({2, 0, 0, 10}) == numbers{5});
  CHECK(revisions({1, 2, 0, 10}) == numbers{6, 4});
  CHECK(revisions({1, 0, 6, 10}) == numbers{4, 2});
  CHECK(revisions({1, 0, 0, 2}) == numbers{6, 4});
}

TEST_CASE("Q2_change: a change that brings a task back is one revision, with its reason",
          "[actors][service][modify]") {
  plan_history_reader reader{1, 2, 6, 10};
  for (const auto& each : a_life())
    reader.take(each);
  CHECK_FALSE(reader.has_more());
  const auto found = reader.take_revisions();
  REQUIRE(found.size() == 1);
  const auto* changed = std::get_if<plan_changed>(&found[0].change->events[found[0].event]);
  REQUIRE(changed);
  CHECK(changed->reason == "again");
}

TEST_CASE("Q2_change: the history of an objective has each revision once",
          "[actors][service][modify]") {
  objective_history_reader reader{0, 0, 10};
  for (const auto& each : a_life()) {
    reader.take(each);
    reader.take(shared(about("o", 700, objective_edited{}))); // changes nothing
  }
  std::vector<std::uint64_t> found;
  for (const auto& each : reader.take_revisions())
    found.push_back(each.revision);
  CHECK(found == numbers{6, 5, 4, 3, 2, 1});
}
