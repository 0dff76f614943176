// Tasks that other agents do: each is begun there once, its end is theirs, a cancel that they are
// said to have acknowledged was carried out, and nothing waits for what has ended there.
#include <algorithm>
#include <limits>
#include <utility>

#include "sim/checkers/checkers.hpp"

namespace troupe::sim {

namespace {

using records = std::map<std::string, std::vector<const remote_record*>>;

/// The state at that moment; empty: it was not made yet.
std::string state_at(const remote_record& of, moment at) {
  std::string out;
  for (const auto& [when, state] : of.states)
    if (when < at)
      out = state;
  return out;
}

bool has_ended_there(const std::string& state) {
  return state == "forgotten" || is_terminal(state);
}

/// One that looked for a task before it was there may have made another: its request was still on
/// its way.
bool was_searched_before(const history& seen, const remote_record& first) {
  return std::ranges::any_of(seen.remote_searches, [&](const remote_search& each) {
    return each.context == first.context && each.at < first.made;
  });
}

verdict check_once(const history& seen) {
  std::map<std::string, const remote_record*> last;
  for (const auto& each : seen.remote_tasks) {
    const auto* const before = std::exchange(last[each.context], &each);
    if (before == nullptr || each.may_come_twice || was_searched_before(seen, *before)
        || state_at(*before, each.made) == "forgotten") // It answers as if it was never asked.
      continue;
    return "one delegation has made two remote tasks, " + before->id + " and " + each.id;
  }
  return std::nullopt;
}

/// Of several tasks of one delegation, which a plan may allow, the server knows one.
bool has_another_ended(const std::vector<const remote_record*>& theirs, const remote_record& than,
                       moment at) {
  return std::ranges::any_of(theirs, [&](const remote_record* each) {
    return each->context == than.context && each != &than && has_ended_there(state_at(*each, at));
  });
}

/// When the next attempt of the same task began, or of the one that takes its place; the last
/// moment if there is none.
moment next_of(const history& seen, const attempt& of) {
  auto out = std::numeric_limits<moment>::max();
  for (const auto& each : seen.attempts)
    if (each.delegated == of.delegated && each.began > of.began)
      out = std::min(out, each.began);
  return out;
}

verdict check_attempt(const history& seen, const attempt& of,
                      const std::vector<const remote_record*>& theirs) {
  const auto begin = "task " + of.task + " (" + of.name + ") ";
  if (of.report == "completed" && std::ranges::none_of(theirs, [&](const remote_record* each) {
        return std::ranges::any_of(each->states, [&](const auto& state) {
          return state.second == "TASK_STATE_COMPLETED" && state.first < of.reported;
        });
      }))
    return begin + "has completed, and no remote task of it has";
  for (const auto* each : theirs) {
    const bool is_of_it = each->made > of.began && each->made < next_of(seen, of) // Not given up.
                          && !has_another_ended(theirs, *each, of.canceled);
    const auto state = state_at(*each, of.canceled);
    if (of.cancel == "acknowledged" && is_of_it && !state.empty() && !has_ended_there(state))
      return begin + "says that its cancel was acknowledged, and the remote task " + each->id
             + " is " + state;
  }
  return std::nullopt;
}

/// When faults had ended for a while.
verdict check_wait(const history& seen, const attempt& of,
                   const std::vector<const remote_record*>& theirs) {
  const auto at = seen.waiting_at;
  // An agent that was busy is asked again within the same time.
  const bool is_running = at != 0 && of.began < seen.heard_until && (of.ended == 0 || of.ended > at)
                          && (of.reported == 0 || of.reported > at);
  const auto shown = seen.waiting.find(of.task);
  if (!is_running || shown == seen.waiting.end() || shown->second.state != "TASK_STATE_WORKING")
    return std::nullopt;
  const bool has_work = std::ranges::any_of(theirs, [&](const remote_record* each) {
    const bool has_just_moved = each->states.back().first >= seen.heard_until;
    return has_just_moved || state_at(*each, at) == "TASK_STATE_WORKING";
  });
  if (has_work)
    return std::nullopt;
  return "task " + of.task + " (" + of.name + ") waits, and no remote agent works for it";
}

/// What clients were told about cancels is what the agent said.
verdict check_shown(const history& seen) {
  for (const auto& shown : seen.shown_cancels)
    if (std::ranges::none_of(seen.attempts, [&](const attempt& each) {
          return each.task == shown.task && each.cancel == shown.outcome;
        }))
      return "the cancel of task " + shown.task + " was shown as " + shown.outcome
             + ", which its agent never said";
  return std::nullopt;
}

} // namespace

verdict check_delegations(const history& seen) {
  if (auto wrong = check_once(seen))
    return wrong;
  records theirs;
  for (const auto& each : seen.remote_tasks)
    theirs[each.text].push_back(&each);
  for (const auto& each : seen.attempts) {
    if (each.delegated.empty())
      continue;
    if (auto wrong = check_attempt(seen, each, theirs[each.delegated]))
      return wrong;
    if (auto wrong = check_wait(seen, each, theirs[each.delegated]))
      return wrong;
  }
  return check_shown(seen);
}

} // namespace troupe::sim
