// Commands for an object that another server has, or that is on its way there.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

#include <memory>
#include <optional>
#include <string>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* other_server = "10.0.0.2:8080";

/// The answer to a command, once it is there.
template<class T>
using later = std::shared_ptr<std::optional<result<T>>>;

later<objective_ptr> change_name(clock_bed& bed, const std::string& name) {
  update_objective command;
  command.id = bed.objective()->id;
  command.edited.name = name;
  auto out = std::make_shared<std::optional<result<objective_ptr>>>();
  bed.main_gateway().update(command, [out](result<objective_ptr> got) { *out = std::move(got); });
  bed.clock.settle();
  return out;
}

later<task_ptr> cancel(clock_bed& bed, const task_id& id) {
  auto out = std::make_shared<std::optional<result<task_ptr>>>();
  bed.main_gateway().cancel(cancel_task{{}, id, {}},
                            [out](result<task_ptr> got) { *out = std::move(got); });
  bed.clock.settle();
  return out;
}

/// A task of no plan.
task_id begin_lone_task(clock_bed& bed) {
  send_message command;
  command.message.message_id = "m";
  command.message.from = role::user;
  command.message.parts.push_back(text_part("go"));
  const auto out = std::make_shared<std::optional<result<sent>>>();
  bed.main_gateway().send(command, nullptr, [out](result<sent> got) { *out = std::move(got); });
  bed.clock.settle();
  REQUIRE(out->has_value());
  return (*out)->value().task;
}

template<class T>
void check_not_here(const later<T>& answer) {
  REQUIRE(answer->has_value());
  REQUIRE((*answer)->has_error());
  CHECK((*answer)->error().code == errc::not_here);
  CHECK_THAT((*answer)->error().message, Contains(other_server));
}

template<class T>
void check_moves_for_long(const later<T>& answer) {
  REQUIRE(answer->has_value());
  REQUIRE((*answer)->has_error());
  CHECK((*answer)->error().code == errc::unavailable);
  CHECK_THAT((*answer)->error().message, Contains("is being moved"));
}

} // namespace

TEST_CASE("a command for an object of another server is refused, and told that server",
          "[actors][owner][time]") {
  clock_bed bed;
  bed.agents.default_agent = "hand";
  const auto id = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  const auto lone = begin_lone_task(bed);
  auto& here = bed.main_gateway();
  here.begin_move(id);
  here.end_move(id, other_server);
  here.begin_move(lone);
  here.end_move(lone, other_server);
  check_not_here(change_name(bed, "new"));
  check_not_here(cancel(bed, bed.task("a")->id));
  check_not_here(cancel(bed, lone));
  CHECK(bed.objective()->name != "new");
  CHECK(bed.task("a")->status.state == task_state::working);

  here.begin_move(id);
  here.end_move(id, "");
  CHECK((*change_name(bed, "new"))->has_value());
  CHECK(bed.objective()->name == "new");
}

TEST_CASE("a command for an object that is being moved waits for the end of the move",
          "[actors][owner][time]") {
  clock_bed bed;
  bed.agents.default_agent = "hand";
  const auto id = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  const auto lone = begin_lone_task(bed);
  auto& here = bed.main_gateway();
  here.begin_move(id);
  here.begin_move(lone);
  const auto renamed = change_name(bed, "new");
  const auto canceled = cancel(bed, lone);
  CHECK_FALSE(renamed->has_value());
  CHECK_FALSE(canceled->has_value());
  SECTION("it is here: the command is done") {
    here.end_move(id, "");
    here.end_move(lone, "");
    bed.clock.settle();
    REQUIRE(renamed->has_value());
    CHECK((*renamed)->has_value());
    CHECK(bed.objective()->name == "new");
    REQUIRE(canceled->has_value());
    CHECK((*canceled)->has_value());
  }
  SECTION("it is there: the command is refused, and told where") {
    here.end_move(id, other_server);
    here.end_move(lone, other_server);
    bed.clock.settle();
    check_not_here(renamed);
    check_not_here(canceled);
  }
  SECTION("the move takes too long: the command is refused") {
    bed.pass(move_wait_max);
    bed.clock.settle();
    check_moves_for_long(renamed);
    check_moves_for_long(canceled);
    CHECK(bed.objective()->name != "new");
  }
}
