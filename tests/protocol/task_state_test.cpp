#include "tests/support/catch.hpp"
#include <troupe/protocol/task_state.hpp>

#include <string>

using namespace troupe;

namespace {

constexpr char letter(std::optional<task_state> state) {
  constexpr std::string_view letters = "?SWCFXIRA";
  return state ? letters[static_cast<std::size_t>(*state)] : '.';
}

} // namespace

TEST_CASE("every state answers every event as the table says", "[protocol][task_state]") {
  // Rows: states; columns: start, ask, ask_auth, answer, complete, fail, cancel, reject.
  // Submitted Working Completed Failed canceled(X) Input-required Rejected Auth-required; '.':
  // refused.
  const std::string expected = "unknown        ........\n"
                               "submitted      W...CFXR\n"
                               "working        WIA.CFXR\n"
                               "completed      ........\n"
                               "failed         ........\n"
                               "canceled       ........\n"
                               "input-required W..WCFXR\n"
                               "rejected       ........\n"
                               "auth-required  W..WCFXR\n";
  std::string printed;
  for (std::size_t from = 0; from < task_state_count; ++from) {
    const auto state = static_cast<task_state>(from);
    std::string row{to_string(state)};
    row.resize(15, ' ');
    for (std::size_t on = 0; on < task_event_count; ++on)
      row.push_back(letter(next_state(state, static_cast<task_event>(on))));
    printed += row + "\n";
  }
  CHECK(printed == expected);
}

TEST_CASE("undefined states lead to no other state", "[protocol][task_state]") {
  for (std::size_t on = 0; on < task_event_count; ++on)
    CHECK_FALSE(next_state(static_cast<task_state>(200), static_cast<task_event>(on)).has_value());
  for (std::size_t from = 0; from < task_state_count; ++from)
    CHECK_FALSE(
        next_state(static_cast<task_state>(from), static_cast<task_event>(200)).has_value());
  CHECK(to_string(static_cast<task_state>(200)) == "unknown");
}

TEST_CASE("four states are terminal, two are interrupted, none is both", "[protocol][task_state]") {
  std::string kinds;
  for (std::size_t i = 0; i < task_state_count; ++i) {
    const auto state = static_cast<task_state>(i);
    kinds.push_back(is_terminal(state) ? 't' : is_interrupted(state) ? 'i' : '-');
    CHECK_FALSE((is_terminal(state) && is_interrupted(state)));
  }
  CHECK(kinds == "---tttiti");
}

TEST_CASE("every state's spelling is read back, and no other", "[protocol][task_state]") {
  for (std::size_t i = 0; i < task_state_count; ++i)
    CHECK(task_state_from(to_string(static_cast<task_state>(i))) == static_cast<task_state>(i));
  CHECK(to_string(task_state::input_required) == "input-required");
  CHECK(to_string(task_state::auth_required) == "auth-required");
  for (const auto* text :
       {"", "Working", "input_required", "TASK_STATE_WORKING", "cancelled", "working "})
    CHECK_FALSE(task_state_from(text).has_value());
}

TEST_CASE("events have names for logs", "[protocol][task_state]") {
  CHECK(to_string(task_event::start) == "start");
  CHECK(to_string(task_event::ask_auth) == "ask_auth");
  CHECK(to_string(task_event::reject) == "reject");
}
