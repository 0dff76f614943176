#include "tests/support/catch.hpp"
#include <troupe/protocol/plan_state.hpp>

#include <string>

using namespace troupe;

namespace {

template<class State>
std::string matrix(std::size_t count) {
  std::string printed;
  for (std::size_t from = 0; from < count; ++from) {
    std::string row{to_string(static_cast<State>(from))};
    row.resize(10, ' ');
    for (std::size_t to = 0; to < count; ++to)
      row.push_back(may_become(static_cast<State>(from), static_cast<State>(to)) ? 'x' : '.');
    printed += row + "\n";
  }
  return printed;
}

/// In each state, by event: the first letter of the state that follows, or "-".
template<class State, class Event>
std::string moves(std::size_t states, std::size_t events) {
  std::string printed;
  for (std::size_t from = 0; from < states; ++from) {
    std::string row{to_string(static_cast<State>(from))};
    row.resize(10, ' ');
    for (std::size_t on = 0; on < events; ++on) {
      const auto to = next_state(static_cast<State>(from), static_cast<Event>(on));
      row += " " + (to ? std::string{to_string(*to)}.substr(0, 1) : std::string{"-"});
    }
    printed += row + "\n";
  }
  return printed;
}

template<class State>
std::string settled(std::size_t count) {
  std::string marks;
  for (std::size_t i = 0; i < count; ++i)
    marks.push_back(is_settled(static_cast<State>(i)) ? 'x' : '.');
  return marks;
}

} // namespace

TEST_CASE(
    "a plan may become by a command what the table says, be ended before it began, and nothing "
    "else",
    "[protocol][plan_state]") {
  //                                         pending, working, blocked, completed, failed, skipped
  CHECK(matrix<plan_state>(plan_state_count)
        == "pending   xx.xxx\n"
           "working   .xxxx.\n"
           "blocked   .xx.xx\n"
           "completed ...x..\n"
           "failed    xx..x.\n"
           "skipped   .....x\n");
}

TEST_CASE("an objective may become what the table says, and nothing else",
          "[protocol][plan_state]") {
  //                                     submitted, planning, working, blocked, completed, failed,
  //                                     canceled
  CHECK(matrix<objective_state>(objective_state_count)
        == "submitted xxx...x\n"
           "planning  .xxx.xx\n"
           "working   ..xxxxx\n"
           "blocked   .xxx.xx\n"
           "completed ....x..\n"
           "failed    xx...x.\n"
           "canceled  x.....x\n");
}

TEST_CASE("in every state, each event of a plan leads where the table says, or is invalid",
          "[protocol][plan_state]") {
  //                  retry, work, block, complete, fail, skip
  CHECK(moves<plan_state, plan_event>(plan_state_count, plan_event_count)
        == "pending    p w - - - s\n"
           "working    - - b c f -\n"
           "blocked    - w b - f s\n"
           "completed  - - - - - -\n"
           "failed     p w - - - -\n"
           "skipped    p - - - - -\n");
}

TEST_CASE("in every state, each event of an objective leads where the table says, or is invalid",
          "[protocol][plan_state]") {
  //                  reopen, start_planning, work, block, complete, fail, cancel
  CHECK(moves<objective_state, objective_event>(objective_state_count, objective_event_count)
        == "submitted  - p w - - - c\n"
           "planning   - - w b - f c\n"
           "working    - - - b c f c\n"
           "blocked    - p w b - f c\n"
           "completed  - - - - - - -\n"
           "failed     s p - - - - -\n"
           "canceled   s - - - - - -\n");
}

TEST_CASE("ended states are settled", "[protocol][plan_state]") {
  CHECK(settled<plan_state>(plan_state_count) == "...xxx");
  CHECK(settled<objective_state>(objective_state_count) == "....xxx");
}

TEST_CASE("every spelling of a plan's and an objective's state is read back, and no other",
          "[protocol][plan_state]") {
  for (std::size_t i = 0; i < plan_state_count; ++i)
    CHECK(plan_state_from(to_string(static_cast<plan_state>(i))) == static_cast<plan_state>(i));
  for (std::size_t i = 0; i < objective_state_count; ++i)
    CHECK(objective_state_from(to_string(static_cast<objective_state>(i)))
          == static_cast<objective_state>(i));
  CHECK_FALSE(plan_state_from("submitted").has_value());
  CHECK_FALSE(plan_state_from("Working").has_value());
  CHECK_FALSE(objective_state_from("pending").has_value());
  CHECK_FALSE(objective_state_from("cancelled").has_value());
  CHECK_FALSE(objective_state_from("").has_value());
}
