// Pausing, ending and resuming: what may still begin, and who can still be reached.
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include <troupe/actors/gateway.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::testing;

namespace {

result<plan_id> move_plan(actor_bed& bed, const plan_id& id, plan_state to) {
  awaited<plan_id> done;
  update_plan command;
  command.id = id;
  command.state = to;
  bed.main_gateway().update(command, done.to());
  return done.get();
}

void wait_for_plan(recorder& seen, std::uint32_t plan, plan_state state) {
  seen.wait([&](const auto& all) {
    return std::any_of(all.begin(), all.end(), [&](const change_ptr& one) {
      return std::any_of(one->events.begin(), one->events.end(), [&](const event& happened) {
        const auto* moved = std::get_if<plan_moved>(&happened);
        return moved && moved->plan == plan && moved->to() == state;
      });
    });
  });
}

plan_spec after(plan_spec plan, std::string other) {
  plan.dependencies = {std::move(other)};
  return plan;
}

} // namespace

TEST_CASE("a refused change of an objective changes nothing", "[actors][gateway]") {
  actor_bed bed;
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})}));
  REQUIRE(made);
  const auto port = bed.held->port("a");
  awaited<objective_ptr> done;
  update_objective command;
  command.id = (*made)->id;
  command.edited.name = "renamed";
  command.state = objective_state::submitted; // it works
  bed.main_gateway().update(command, done.to());
  CHECK(done.get().error().code == errc::invalid_transition);
  port->report(report_completed{});
  bed.seen->wait_for(objective_state::completed);
  const auto end = find_objective(bed.records(), (*made)->id);
  CHECK(end->name == "test");
  CHECK(end->revision == (*made)->revision);
}

TEST_CASE("a change of an objective that changes nothing leaves its revision",
          "[actors][gateway]") {
  actor_bed bed;
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})}));
  REQUIRE(made);
  const auto update = [&](std::uint64_t revision, std::string name) {
    awaited<objective_ptr> done;
    update_objective command;
    command.id = (*made)->id;
    command.edited.name = std::move(name);
    command.if_revision = revision;
    bed.main_gateway().update(command, done.to());
    return done.get();
  };
  const auto first = (*made)->revision;
  CHECK(update(first, "").value()->revision == first);
  const auto renamed = update(first, "renamed");
  REQUIRE(renamed);
  CHECK((*renamed)->revision == first + 1);
  CHECK(update(first, "again").error().code == errc::revision_mismatch);
  CHECK(update(first + 1, "again"));
}

TEST_CASE("a paused objective starts no plan until it goes on", "[actors][gateway]") {
  actor_bed bed;
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")}),
                                            after(a_plan("q", {a_task("b", {}, "held")}), "p")}));
  REQUIRE(made);
  const auto id = (*made)->id;
  const auto port = bed.held->port("a");
  REQUIRE(bed.move(id, objective_state::blocked));
  bed.seen->wait_for(objective_state::blocked);
  port->report(report_completed{});
  wait_for_plan(*bed.seen, 0, plan_state::completed);
  // Blocked cannot become completed: accepted once the objective has heard that the plan is.
  REQUIRE(comes_true([&] {
    return move_plan(bed, (*made)->plans[0].spec->id, plan_state::completed).has_value();
  }));
  const auto now = find_objective(bed.records(), id);
  CHECK(now->state == objective_state::blocked);
  CHECK(now->reason == "paused by request");
  CHECK(bed.held->starts() == 1);
  REQUIRE(bed.move(id, objective_state::working));
  bed.held->port("b")->report(report_completed{});
  bed.seen->wait_for(objective_state::completed);
}

TEST_CASE("an objective that is paused and resumed at once continues", "[actors][gateway]") {
  actor_bed bed;
  const auto made =
      bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held"), a_task("b", {"a"})})}));
  REQUIRE(made);
  const auto port = bed.held->port("a");
  REQUIRE(bed.move((*made)->id, objective_state::blocked));
  REQUIRE(bed.move((*made)->id, objective_state::working));
  port->report(report_completed{});
  bed.seen->wait_for(objective_state::completed);
}

TEST_CASE("an objective that is being ended takes and starts no more plans", "[actors][gateway]") {
  actor_bed bed;
  bed.held->stops_at_once = false;
  auto second = a_plan("q", {a_task("b", {}, "held")});
  const auto made = bed.begin(
      an_objective({a_plan("p", {a_task("a", {}, "asking")}), after(std::move(second), "p")}));
  REQUIRE(made);
  bed.seen->wait_for(objective_state::blocked);
  awaited<objective_ptr> ended;
  update_objective end;
  end.id = (*made)->id;
  end.state = objective_state::canceled;
  awaited<plan_id> added;
  bed.main_gateway().update(end, ended.to());
  bed.main_gateway().create(
      create_plan{{}, (*made)->id, a_plan("r", {a_task("c", {}, "held")}), true}, added.to());
  REQUIRE(ended.get());
  CHECK(added.get().error().code == errc::invalid_transition);
  bed.seen->wait_for(objective_state::canceled);
  CHECK(bed.held->starts() == 0);
}

TEST_CASE("a lone task that waits for its turn after a restart can be canceled",
          "[actors][gateway]") {
  actor_bed bed;
  bed.agents.default_agent = "held";
  recovered left;
  for (const auto* text : {"one", "two"}) {
    send_message command;
    command.message.message_id = text;
    command.message.from = role::user;
    command.message.parts.push_back(text_part(text));
    awaited<sent> done;
    bed.main_gateway().send(std::move(command), nullptr, done.to());
    const auto made = done.get();
    REQUIRE(made);
    left.lone_tasks.push_back(find_task(bed.records(), made->task));
  }
  bed.held->wait_starts(2);
  bed.stop();
  bed.held->limit = 1;
  bed.main_gateway().resume(left);
  bed.held->wait_starts(3); // one of them; the other waits
  for (const auto& each : left.lone_tasks) {
    awaited<task_ptr> done;
    bed.main_gateway().cancel(cancel_task{{}, each->id, {}}, done.to());
    const auto canceled = done.get();
    REQUIRE(canceled);
    CHECK((*canceled)->status.state == task_state::canceled);
  }
}

TEST_CASE("a message that has to wait for its turn is a task at once, and can be canceled",
          "[actors][gateway]") {
  actor_bed bed;
  bed.agents.default_agent = "held";
  bed.held->limit = 1;
  std::vector<task_id> made;
  for (const auto* text : {"one", "two"}) {
    send_message command;
    command.message.message_id = text;
    command.message.from = role::user;
    command.message.parts.push_back(text_part(text));
    awaited<sent> done;
    bed.main_gateway().send(std::move(command), nullptr, done.to());
    const auto sent_one = done.get();
    REQUIRE(sent_one);
    made.push_back(sent_one->task);
    bed.held->wait_starts(1);
  }
  CHECK(find_task(bed.records(), made[1])->status.state == task_state::submitted);
  awaited<task_ptr> done;
  bed.main_gateway().cancel(cancel_task{{}, made[1], {}}, done.to());
  REQUIRE(done.get());
  CHECK(bed.held->starts() == 1);
}

TEST_CASE("after a restart a plan knows of a task that was withdrawn before it",
          "[actors][gateway]") {
  actor_bed bed;
  auto first = a_plan("p", {a_task("a", {}, "held"), a_task("x", {"a"})});
  first.failure = on_failure::keep_going;
  const auto made = bed.begin(an_objective({first, a_plan("q", {a_task("y", {"x"})})}), false);
  REQUIRE(made);
  bed.stop();
  change change;
  change.context = (*made)->id.str();
  change.at = (*made)->created;
  change.events = {objective_moved{objective_event::work, ""}, plan_moved{0, plan_event::work, ""},
                   plan_moved{1, plan_event::work, ""},
                   tasks_withdrawn{0, {1}, task_state::canceled, "by request"}};
  bed.records().commit(std::move(change), nullptr, nullptr);
  recovered left;
  left.objectives.push_back(find_objective(bed.records(), (*made)->id));
  bed.main_gateway().resume(left);
  wait_for_plan(*bed.seen, 1, plan_state::failed); // while the first one still runs
  CHECK(find_objective(bed.records(), (*made)->id)->plans[0].state == plan_state::working);
}

TEST_CASE("a task of a plan that has not begun can be canceled, and takes no messages",
          "[actors][gateway]") {
  actor_bed bed;
  const auto made = bed.begin(
      an_objective({going_on(a_plan("p", {a_task("a"), a_task("b", {"a"}), a_task("c")}))}), false);
  REQUIRE(made);
  const auto a = (*made)->plans[0].task_at(0);
  send_message command;
  command.message.message_id = "m";
  command.message.from = role::user;
  command.message.task_id = a.str();
  command.message.parts.push_back(text_part("hello"));
  awaited<sent> told;
  bed.main_gateway().send(std::move(command), nullptr, told.to());
  CHECK(told.get().error().code == errc::unsupported_operation);

  awaited<task_ptr> done;
  bed.main_gateway().cancel(cancel_task{{}, a, {{"why", "changed my mind"}}}, done.to());
  const auto canceled = done.get();
  REQUIRE(canceled);
  CHECK((*canceled)->status.state == task_state::canceled);
  awaited<task_ptr> again;
  bed.main_gateway().cancel(cancel_task{{}, a, {}}, again.to());
  CHECK((*again.get())->status.state == task_state::canceled);

  REQUIRE(bed.move((*made)->id, objective_state::working));
  bed.seen->wait_for(objective_state::failed);
  CHECK(bed.states(*find_objective(bed.records(), (*made)->id)) == "canceled canceled completed");
}

TEST_CASE("a command can end a plan that has not begun", "[actors][gateway]") {
  actor_bed bed;
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a"), a_task("b")}),
                                            after(a_plan("q", {a_task("c")}), "p")}),
                              false);
  REQUIRE(made);
  REQUIRE(move_plan(bed, (*made)->plans[0].spec->id, plan_state::completed));
  auto now = find_objective(bed.records(), (*made)->id);
  CHECK(now->state == objective_state::submitted);
  CHECK(now->plans[0].state == plan_state::completed);
  CHECK(now->plans[0].reason == "completed by request");
  CHECK(bed.states(*now) == "canceled canceled");
  CHECK(move_plan(bed, (*made)->plans[0].spec->id, plan_state::working).error().code
        == errc::invalid_transition);
  REQUIRE(bed.move((*made)->id, objective_state::working));
  bed.seen->wait_for(objective_state::completed);
}
