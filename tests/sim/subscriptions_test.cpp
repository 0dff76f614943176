// The checker of streams of objectives: right streams pass, and each wrong one is refused.
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.hpp"

using namespace troupe::sim;

namespace {

bool says(const verdict& found, std::string_view text) {
  return found && found->find(text) != std::string::npos;
}

objective_fact fact(std::uint64_t change, fact_kind kind, std::string text,
                    std::uint32_t task = 0) {
  objective_fact out;
  out.change = change;
  out.kind = kind;
  out.text = std::move(text);
  out.task = task;
  return out;
}

shown_move of_objective(std::string state) {
  return {.state = std::move(state)};
}

shown_move of_plan(std::string state) {
  return {.plan = "o.p", .state = std::move(state)};
}

shown_move of_task(std::uint32_t task, std::string state) {
  return {.plan = "o.p", .task = task, .state = std::move(state)};
}

objective_event event(std::string cursor, std::vector<shown_move> moves, double fraction = 0) {
  objective_event out;
  out.cursor = std::move(cursor);
  out.fraction = fraction;
  out.moves = std::move(moves);
  return out;
}

objective_event whole(std::string cursor, std::string state, std::string plan,
                      double fraction = 0) {
  auto out = event(std::move(cursor), {}, fraction);
  out.whole.emplace();
  out.whole->id = "o";
  out.whole->state = std::move(state);
  out.whole->plans.emplace_back();
  out.whole->plans[0].id = "o.p";
  out.whole->plans[0].state = std::move(plan);
  return out;
}

/// Objective o has plan p with two tasks: the first asks once, and both complete.
history seen() {
  history out;
  out.rest.emplace();
  auto added = fact(1, fact_kind::plan_added, "p");
  added.id = "o.p";
  out.facts["o"] = {added,
                    fact(2, fact_kind::moved, "working"),
                    fact(2, fact_kind::plan_moved, "working"),
                    fact(3, fact_kind::task_begun, "working", 0),
                    fact(4, fact_kind::task_asks, "input-required", 0),
                    fact(5, fact_kind::task_asks, "working", 0),
                    fact(6, fact_kind::task_ended, "completed", 0),
                    fact(7, fact_kind::task_ended, "completed", 1),
                    fact(8, fact_kind::plan_moved, "completed"),
                    fact(8, fact_kind::moved, "completed")};
  return out;
}

history with(std::vector<objective_event> events, std::string after = "") {
  auto out = seen();
  objective_stream read;
  read.client = "s0";
  read.objective = "o";
  read.after = std::move(after);
  read.events = std::move(events);
  out.objective_streams.push_back(std::move(read));
  return out;
}

std::vector<objective_event> all_of_it() {
  return {whole("2-0", "working", "working"),
          event("3-0", {of_task(0, "working")}),
          event("4-0", {of_task(0, "input-required")}),
          event("5-0", {of_task(0, "working")}),
          event("6-0", {of_task(0, "completed")}, 0.5),
          event("7-0", {of_task(1, "completed")}, 0.9),
          event("8-0", {of_plan("completed"), of_objective("completed")}, 1)};
}

/// All of it, without one event.
history without(std::size_t event) {
  auto events = all_of_it();
  events.erase(events.begin() + static_cast<std::ptrdiff_t>(event));
  return with(std::move(events));
}

} // namespace

TEST_CASE("streams of an objective may begin anywhere, be cut and be complete", "[sim][checkers]") {
  auto right = with(all_of_it());
  right.objective_streams[0].is_complete = true;
  CHECK(check_subscriptions(right).value_or("") == "");
  for (std::size_t length = 0; length < all_of_it().size(); ++length) {
    auto events = all_of_it();
    events.resize(length, event("", {}));
    CHECK(check_subscriptions(with(events)).value_or("") == "");
  }
  CHECK(check_subscriptions(with({whole("8-0", "completed", "completed", 1)})).value_or("") == "");
  CHECK(check_subscriptions(with({event("5-0", {of_task(0, "working")})}, "4-0")).value_or("")
        == "");
  CHECK(check_subscriptions(with({whole("8-0", "completed", "completed", 1)}, "8-0")).value_or("")
        == ""); // nothing follows
  auto anew = whole("6-0", "working", "working", 0.5);
  anew.has_gap = true;
  CHECK(check_subscriptions(with({anew}, "3-0")).value_or("") == "");
}

TEST_CASE("a stream of an objective misses no state and has none twice", "[sim][checkers]") {
  CHECK(says(check_subscriptions(without(0)), "does not begin with the objective"));
  for (const std::size_t missing : {1U, 2U, 3U, 4U, 5U})
    CHECK(says(check_subscriptions(without(missing)), "misses that task"));
  auto twice = all_of_it();
  twice.insert(twice.begin() + 1, twice[1]);
  CHECK(says(check_subscriptions(with(twice)), "behind a later one"));
  auto swapped = all_of_it();
  std::swap(swapped[2], swapped[3]);
  CHECK(check_subscriptions(with(swapped)));
  CHECK(says(check_subscriptions(with({event("5-0", {of_task(0, "working")})}, "3-0")),
             "misses that task 0 of plan 0 is input-required"));
  CHECK(says(check_subscriptions(with({whole("6-0", "working", "working")}, "3-0")),
             "without saying that something is missing"));
  CHECK(says(check_subscriptions(with({whole("8-0", "completed", "completed", 1)}, "7-0")),
             "without saying that something is missing"));
}

TEST_CASE("a stream of an objective shows the states that the journal has", "[sim][checkers]") {
  CHECK(
      says(check_subscriptions(with({whole("2-0", "working", "pending")})), "plan o.p as pending"));
  CHECK(
      says(check_subscriptions(with({whole("2-0", "completed", "working", 1)})), "its objective"));
  auto other = all_of_it();
  other[4].moves[0].state = "failed";
  CHECK(says(check_subscriptions(with(other)), "task 0 of plan 0 is failed, and the journal"));
  auto more = all_of_it();
  more[1].moves.push_back(of_task(1, "working"));
  CHECK(says(check_subscriptions(with(more)), "does not have that there"));
  auto strange = all_of_it();
  strange[1].moves[0].plan = "o.x";
  CHECK(says(check_subscriptions(with(strange)), "plan o.x, which the journal does not have"));
  auto early = with({all_of_it()[0]});
  early.objective_streams[0].is_complete = true;
  CHECK(says(check_subscriptions(early), "ends, and its objective has not"));
}

TEST_CASE("a stream without tasks shows those that ask", "[sim][checkers]") {
  auto asking = with({all_of_it()[0], all_of_it()[2], all_of_it()[6]});
  asking.objective_streams[0].shows_tasks = false;
  CHECK(check_subscriptions(asking).value_or("") == "");
  auto silent = with({all_of_it()[0], all_of_it()[6]});
  silent.objective_streams[0].shows_tasks = false;
  CHECK(says(check_subscriptions(silent), "input-required"));
}

TEST_CASE("a folded stream of an objective shows the last state of each", "[sim][checkers]") {
  const auto folded = [](std::vector<objective_event> events) {
    auto out = with(std::move(events));
    out.objective_streams[0].is_folded = true;
    return out;
  };
  const auto first = all_of_it()[0];
  CHECK(check_subscriptions(
            folded({first, event("6-0", {of_task(0, "working"), of_task(0, "completed")}, 0.5)}))
            .value_or("")
        == "");
  CHECK(says(check_subscriptions(folded({first, event("7-0", {of_task(0, "completed")}, 0.5)})),
             "of task 1 of plan 0"));
  CHECK(says(check_subscriptions(folded({first, event("5-0", {of_task(0, "completed")})})),
             "of task 0 of plan 0"));
}

TEST_CASE("revision and progress of a stream do not go back", "[sim][checkers]") {
  auto back = all_of_it();
  back[5].fraction = 0.4;
  CHECK(says(check_subscriptions(with(back)), "goes back from 0.5"));
  auto whole_too_soon = all_of_it();
  whole_too_soon[5].fraction = 1;
  CHECK(says(check_subscriptions(with(whole_too_soon)), "has not completed"));
  auto revised = all_of_it();
  revised[3].cursor = "5-2";
  CHECK(says(check_subscriptions(with(revised)), "has revision 0 at 5-2"));
  revised[3].revision = 2;
  CHECK(says(check_subscriptions(with(revised)), "has revision 0 at 6-0, after 2"));
}
