// The checker of delegations: right histories pass, and each wrong one is refused.
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.hpp"

using namespace troupe::sim;

namespace {

constexpr auto works = "TASK_STATE_WORKING";
constexpr auto completed = "TASK_STATE_COMPLETED";
constexpr auto canceled = "TASK_STATE_CANCELED";

using states = std::vector<std::pair<moment, std::string>>;

remote_record remote_task(std::string id, std::string context, states had) {
  remote_record out;
  out.id = std::move(id);
  out.context = std::move(context);
  out.text = "a";
  out.made = had.front().first;
  out.states = std::move(had);
  return out;
}

attempt delegated(std::string report, moment reported) {
  attempt out;
  out.task = "o.p.t0";
  out.name = out.delegated = "a";
  out.number = 1;
  out.began = 1;
  out.report = std::move(report);
  out.reported = reported;
  return out;
}

history seen(std::vector<attempt> attempts, std::vector<remote_record> theirs) {
  history out;
  out.attempts = std::move(attempts);
  out.remote_tasks = std::move(theirs);
  return out;
}

bool says(const verdict& found, std::string_view text) {
  return found && found->find(text) != std::string::npos;
}

} // namespace

TEST_CASE("a delegation makes one remote task", "[sim][checkers]") {
  const auto one = remote_task("r-1", "ctx-1", {{2, works}, {4, completed}});
  const auto other = remote_task("r-2", "ctx-1", {{3, works}});
  const auto next = remote_task("r-2", "ctx-2", {{3, works}});
  CHECK_FALSE(check_delegations(seen({}, {one})));
  CHECK_FALSE(check_delegations(seen({}, {one, next})));
  const auto lost = remote_task("r-1", "ctx-1", {{2, works}, {2, "forgotten"}});
  CHECK_FALSE(check_delegations(seen({}, {lost, other})));
  CHECK(check_delegations(seen({}, {lost, other, other})));
  CHECK(says(check_delegations(seen({}, {one, other})), "two remote tasks, r-1 and r-2"));
  auto allowed = other;
  allowed.may_come_twice = true;
  CHECK_FALSE(check_delegations(seen({}, {one, allowed})));
  // The first request was still on its way when it was looked for.
  auto searched = seen({}, {one, other});
  searched.remote_searches = {{"ctx-1", 1}};
  CHECK_FALSE(check_delegations(searched));
  searched.remote_searches = {{"ctx-1", 3}};
  CHECK(check_delegations(searched));
  searched.remote_searches = {{"ctx-2", 1}};
  CHECK(check_delegations(searched));
}

TEST_CASE("a task that another agent does completes when that one has", "[sim][checkers]") {
  const auto theirs = remote_task("r-1", "ctx-1", {{2, works}, {4, completed}});
  CHECK_FALSE(check_delegations(seen({delegated("completed", 5)}, {theirs})));
  CHECK_FALSE(check_delegations(seen({delegated("failed", 3)}, {theirs})));
  CHECK(says(check_delegations(seen({delegated("completed", 3)}, {theirs})),
             "no remote task of it has"));
  CHECK(check_delegations(seen({delegated("completed", 5)}, {})));
  auto other = theirs;
  other.text = "b";
  CHECK(check_delegations(seen({delegated("completed", 5)}, {other})));
}

TEST_CASE("a cancel that was acknowledged was carried out", "[sim][checkers]") {
  auto attempt = delegated("", 0);
  attempt.cancel = "acknowledged";
  attempt.canceled = 6;
  const auto stopped = remote_task("r-1", "ctx-1", {{2, works}, {4, canceled}});
  const auto runs = remote_task("r-1", "ctx-1", {{2, works}});
  const auto late = remote_task("r-1", "ctx-1", {{2, works}, {7, canceled}});
  CHECK_FALSE(check_delegations(seen({attempt}, {stopped})));
  CHECK_FALSE(check_delegations(seen({attempt}, {}))); // Nothing was sent.
  CHECK(says(check_delegations(seen({attempt}, {runs})), "acknowledged"));
  CHECK(says(check_delegations(seen({attempt}, {late})), works));
  auto doubled = runs; // May come twice; the server knows one of them.
  doubled.may_come_twice = true;
  auto other = stopped;
  other.id = "r-2";
  other.may_come_twice = true;
  other.made = 3;
  CHECK_FALSE(check_delegations(seen({attempt}, {doubled, other})));
  other.states = {{3, works}};
  CHECK(says(check_delegations(seen({attempt}, {doubled, other})), "acknowledged"));
  auto next = delegated("", 0); // The task is tried again before the cancel has ended.
  next.began = 3;
  auto of_next = runs;
  of_next.id = "r-2";
  of_next.context = "ctx-2";
  of_next.made = 4;
  of_next.states = {{4, works}};
  CHECK_FALSE(check_delegations(seen({attempt, next}, {stopped, of_next})));
  attempt.cancel = "no answer";
  CHECK_FALSE(check_delegations(seen({attempt}, {runs})));
  auto shown = seen({attempt}, {runs});
  shown.shown_cancels = {{"o.p.t0", "no answer"}};
  CHECK_FALSE(check_delegations(shown));
  shown.shown_cancels = {{"o.p.t0", "acknowledged"}};
  CHECK(says(check_delegations(shown), "which its agent never said"));
}

TEST_CASE("nothing waits for a remote task that has ended", "[sim][checkers]") {
  const auto waiting = [](states had) {
    auto out = seen({delegated("", 0)}, {remote_task("r-1", "ctx-1", std::move(had))});
    out.heard_until = 8;
    out.waiting_at = 10;
    out.waiting["o.p.t0"].state = works;
    return out;
  };
  CHECK_FALSE(check_delegations(waiting({{2, works}})));
  CHECK(says(check_delegations(waiting({{2, works}, {4, completed}})), "no remote agent works"));
  CHECK(check_delegations(waiting({{2, works}, {4, "forgotten"}})));
  CHECK_FALSE(check_delegations(waiting({{2, works}, {9, completed}}))); // It was not heard of yet.
  auto asks = waiting({{2, "TASK_STATE_INPUT_REQUIRED"}});
  CHECK(check_delegations(asks));
  asks.waiting["o.p.t0"].state = "TASK_STATE_INPUT_REQUIRED";
  CHECK_FALSE(check_delegations(asks));
}
