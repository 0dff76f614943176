// A refusal speaks of a state. Nobody hears of it before that state can be read.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/holding_store.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/specs.hpp"
#include <troupe/protocol/memory_budget.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

struct slow_disk {
  slow_disk() {
    auto owned = std::make_unique<holding_store>();
    store_of = owned.get();
    bed.emplace(std::move(owned), executor_options{}, std::nullopt);
  }

  template<class T>
  reply<T> to(std::optional<result<T>>& where) {
    return [&where](result<T> outcome) { where = std::move(outcome); };
  }
  void settle() { bed->pass({}); }
  void let_through() {
    store_of->release();
    settle();
  }

  holding_store* store_of;
  std::optional<clock_bed> bed;
};

} // namespace

TEST_CASE("a message that is refused because a lone task has ended is refused after that end is "
          "committed",
          "[actors][time]") {
  slow_disk disk;
  auto& bed = *disk.bed;
  bed.agents.default_agent = "hand";
  std::optional<result<sent>> begun;
  send_message first;
  first.message.message_id = "m1";
  first.message.parts.push_back(text_part("go"));
  bed.main_gateway().send(std::move(first), nullptr, disk.to(begun));
  disk.settle();
  REQUIRE((begun && begun->has_value()));
  const auto id = (*begun)->task;
  disk.store_of->hold();
  bed.hand->attempts.back()->port->report(report_completed{});
  disk.settle();
  REQUIRE(disk.store_of->waiting() > 0);

  std::optional<result<task_ptr>> canceled;
  bed.main_gateway().cancel(cancel_task{{}, id, {}}, disk.to(canceled));
  std::optional<result<sent>> told;
  send_message more;
  more.message.message_id = "m2";
  more.message.task_id = id.str();
  more.message.parts.push_back(text_part("more"));
  bed.main_gateway().send(std::move(more), nullptr, disk.to(told));
  disk.settle();
  CHECK_FALSE(canceled);
  CHECK_FALSE(told);
  CHECK(find_task(bed.records(), id)->status.state == task_state::working);

  disk.let_through();
  CHECK(find_task(bed.records(), id)->status.state == task_state::completed);
  REQUIRE((canceled && told));
  CHECK(canceled->error().code == errc::task_not_cancelable);
  CHECK(told->error().code == errc::unsupported_operation);
}

TEST_CASE("a command that is refused because of an objective's state is refused after that state "
          "is committed",
          "[actors][time]") {
  slow_disk disk;
  auto& bed = *disk.bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")})}));
  const auto a = bed.task("a")->id;
  const auto plan = bed.objective()->plans[0].spec->id;
  disk.store_of->hold();
  bed.report("a", report_completed{});
  bed.report("b", report_failed{"no", false});
  disk.settle();

  std::optional<result<task_ptr>> canceled;
  bed.main_gateway().cancel(cancel_task{{}, a, {}}, disk.to(canceled));
  std::optional<result<plan_id>> moved;
  update_plan again;
  again.id = plan;
  again.state = plan_state::blocked;
  again.if_revision = 1'000'000;
  bed.main_gateway().update(std::move(again), disk.to(moved));
  disk.settle();
  CHECK_FALSE(canceled);
  CHECK_FALSE(moved);
  disk.let_through();
  REQUIRE((canceled && moved));
  CHECK(canceled->error().code == errc::task_not_cancelable);
  CHECK(moved->error().code == errc::revision_mismatch);
  CHECK(find_task(bed.records(), a)->status.state == task_state::completed);
}

TEST_CASE("an id is refused as taken after the objective that has it is committed",
          "[actors][time]") {
  slow_disk disk;
  auto& bed = *disk.bed;
  static_cast<void>(bed.main_gateway());
  const auto create = [&](std::optional<result<objective_ptr>>& where) {
    create_objective command;
    command.spec = an_objective({a_plan("p", {a_task("a", {}, "hand")})});
    command.spec.id = objective_id{"trip"};
    bed.main_gateway().create(std::move(command), nullptr, disk.to(where));
  };
  disk.store_of->hold();
  std::optional<result<objective_ptr>> first;
  std::optional<result<objective_ptr>> second;
  create(first);
  const bool is_written_before = GENERATE(true, false);
  if (is_written_before)
    disk.settle();
  create(second);
  disk.settle();
  CHECK_FALSE(second);
  disk.let_through();
  REQUIRE((first && second));
  CHECK(first->has_value());
  CHECK(second->error().code == errc::duplicate_id);
  CHECK(find_objective(bed.records(), objective_id{"trip"}));
}

TEST_CASE("a command that waits for an id counts as memory, and has room there or is refused",
          "[actors][time][memory]") {
  executor_options options;
  options.memory = std::make_shared<memory_budget>(1'000'000);
  auto owned = std::make_unique<holding_store>();
  auto& store = *owned;
  clock_bed bed(std::move(owned), options, std::nullopt);
  const auto held = [&] { return options.memory->held(memory_account::live_work); };
  const auto create = [&](std::optional<result<objective_ptr>>& where) {
    create_objective command;
    command.spec = an_objective({a_plan("p", {a_task("a", {}, "hand")})});
    command.spec.id = objective_id{"trip"};
    command.spec.description = std::string(300'000, 'x');
    bed.main_gateway().create(std::move(command), nullptr,
                              [&where](result<objective_ptr> got) { where = std::move(got); });
    bed.pass({});
  };
  static_cast<void>(bed.main_gateway());
  store.hold();
  std::optional<result<objective_ptr>> first;
  std::optional<result<objective_ptr>> second;
  std::optional<result<objective_ptr>> third;
  create(first);
  const auto of_first = held();
  create(second);
  CHECK_FALSE(second);
  CHECK(held() > of_first + 300'000);
  create(third);
  REQUIRE((third && third->has_error()));
  CHECK(third->error().code == errc::overloaded);
  CHECK(third->error().message.find("live-work") != std::string::npos);
  store.release();
  bed.pass({});
  REQUIRE((first && second));
  CHECK(first->has_value());
  CHECK(second->error().code == errc::duplicate_id);
  CHECK(held() <= of_first);
}

TEST_CASE("every command that is refused because of a change is refused after that change is "
          "committed",
          "[actors][time]") {
  slow_disk disk;
  auto& bed = *disk.bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")})}));
  bed.report("a", report_question{"which?"});
  const auto objective = bed.objective();
  const auto plan = objective->plans[0].spec->id;
  const auto revision = objective->revision;
  std::optional<error> refused;
  const auto note = [&](const auto& outcome) {
    REQUIRE(outcome.has_error());
    refused = outcome.error();
  };
  auto expected = errc::revision_mismatch;
  disk.store_of->hold();
  update_plan first;
  first.id = plan;
  first.edited.name = "another";
  bed.main_gateway().update(std::move(first), [](const result<plan_id>&) {});
  SECTION("objectives/update") {
    update_objective command;
    command.id = objective->id;
    command.edited.name = "mine";
    command.if_revision = revision;
    bed.main_gateway().update(std::move(command), note);
  }
  SECTION("plans/create") {
    create_plan command;
    command.objective = objective->id;
    command.spec = a_plan("q", {a_task("c", {}, "hand")});
    command.if_revision = revision;
    bed.main_gateway().create(std::move(command), note);
  }
  SECTION("plans/modify") {
    change_plan command;
    command.id = plan;
    command.operations = {skip_task<std::string>{"b"}};
    command.if_revision = revision;
    bed.main_gateway().change(std::move(command), note);
  }
  SECTION("a second answer") {
    expected = errc::already_answered;
    const auto answer = [&](const std::string& text) {
      send_message command;
      command.message.message_id = text;
      command.message.task_id = bed.task("a")->id.str();
      command.message.parts.push_back(text_part(text));
      return command;
    };
    bed.main_gateway().send(answer("this"), nullptr, [](const result<sent>&) {});
    bed.main_gateway().send(answer("that"), nullptr, note);
  }
  disk.settle();
  CHECK_FALSE(refused);
  disk.let_through();
  REQUIRE(refused);
  CHECK(refused->code == expected);
}

TEST_CASE("a claim that changes nothing is confirmed after what it confirms is committed",
          "[actors][time][question]") {
  slow_disk disk;
  auto& bed = *disk.bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  bed.report("a", report_question{"which?"});
  const auto claim = [&](bool releases) {
    const auto confirmed = std::make_shared<bool>(false);
    claim_input command;
    command.by = "anna";
    command.releases = releases;
    bed.main_gateway().claim(bed.task("a"), "question-1", std::move(command),
                             [confirmed](const result<task_id>& got) { *confirmed = !!got; });
    disk.settle();
    return confirmed;
  };
  REQUIRE(*claim(false));
  disk.store_of->hold();
  const auto released = claim(true);
  const auto again = claim(true);
  CHECK_FALSE(*released);
  CHECK_FALSE(*again);
  disk.let_through();
  CHECK(*released);
  CHECK(*again);
}

TEST_CASE("a move to another end is refused if the plan is being ended already", "[actors][time]") {
  clock_bed bed;
  bed.begin(an_objective(
      {a_plan("p", {a_task("a", {}, "hand")}), a_plan("q", {a_task("b", {}, "hand")})}));
  const auto move_to = [&](plan_state to, std::optional<result<plan_id>>& answer) {
    update_plan command;
    command.id = bed.objective()->plans[0].spec->id;
    command.state = to;
    bed.main_gateway().update(std::move(command),
                              [&answer](result<plan_id> outcome) { answer = std::move(outcome); });
  };
  std::optional<result<plan_id>> first;
  std::optional<result<plan_id>> same;
  std::optional<result<plan_id>> other;
  move_to(plan_state::completed, first);
  move_to(plan_state::completed, same);
  move_to(plan_state::failed, other);
  bed.clock.settle();
  REQUIRE((first && same && other));
  CHECK(first->has_value());
  CHECK(same->has_value());
  REQUIRE(other->has_error());
  CHECK(other->error().code == errc::invalid_transition);
  CHECK(other->error().field == "status");
  CHECK(other->error().message == "the plan is completed and cannot become failed");
  CHECK(bed.objective()->plans[0].state == plan_state::completed);
}

TEST_CASE("a move of a plan to an end is answered after that end is committed", "[actors][time]") {
  slow_disk disk;
  auto& bed = *disk.bed;
  bed.begin(an_objective(
      {a_plan("p", {a_task("a", {}, "hand")}), a_plan("q", {a_task("b", {}, "hand")})}));
  std::optional<result<plan_id>> ended;
  std::optional<result<plan_id>> otherwise;
  update_plan command;
  command.id = bed.objective()->plans[0].spec->id;
  command.state = plan_state::completed;
  disk.store_of->hold();
  bed.main_gateway().update(command, disk.to(ended));
  disk.settle();
  command.state = plan_state::failed;
  command.request_id = "r";
  bed.main_gateway().update(command, disk.to(otherwise));
  disk.settle();
  // The end of the task is committed first, then the end of the plan.
  while (bed.objective()->plans[0].state != plan_state::completed) {
    CHECK_FALSE(ended);
    CHECK_FALSE(otherwise);
    REQUIRE(disk.store_of->waiting() > 0);
    disk.store_of->release_one();
    disk.settle();
  }
  disk.let_through();
  REQUIRE((ended && otherwise));
  CHECK(ended->has_value());
  CHECK(otherwise->error().code == errc::invalid_transition);
  // Its request was never carried out: it is not answered as if it had been.
  std::optional<result<plan_id>> again;
  bed.main_gateway().update(command, disk.to(again));
  disk.settle();
  REQUIRE(again);
  REQUIRE(again->has_error());
  CHECK(again->error().code == errc::invalid_transition);
}
