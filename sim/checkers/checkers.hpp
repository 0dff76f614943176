// What must hold of every history. One file for each checker; each is a function of the history
// alone, and has no code of the product.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sim/history.hpp"

namespace troupe::sim {

/// A sentence that says what is wrong, and of which task ("task <id>", if of one); nothing if all
/// is well.
using verdict = std::optional<std::string>;

/// What a client was shown is there after every later crash.
[[nodiscard]] verdict check_kept(const history& seen);
/// What was never sent or reported is never shown.
[[nodiscard]] verdict check_invented(const history& seen);
/// What was answered fits one order of the task's states, each at a moment between question and
/// answer.
[[nodiscard]] verdict check_linear(const history& seen);
/// A stream is a snapshot and then the journal's order; over resumes nothing is missing or twice.
[[nodiscard]] verdict check_streams(const history& seen);
/// States move by the table; what ended stays.
[[nodiscard]] verdict check_moves(const history& seen);
/// One message id leads to one task.
[[nodiscard]] verdict check_messages(const history& seen);
/// No task begins before its dependencies end; never more than `maxParallel` run.
[[nodiscard]] verdict check_plans(const history& seen);
/// At most one attempt of a task runs; attempts count without gaps.
[[nodiscard]] verdict check_attempts(const history& seen);
/// When faults and clients have ended, everything ends, and nothing is left that is counted.
[[nodiscard]] verdict check_rest(const history& seen);
/// Once faults have ended, an agent works for every task that is not ended and does not ask.
[[nodiscard]] verdict check_still(const history& seen);
/// What a task shows at the end is what its changes lead to.
[[nodiscard]] verdict check_fold(const history& seen);
/// Every binding and version, the lists and the objectives show the same.
[[nodiscard]] verdict check_same(const history& seen);
/// The pages of a list have each task once.
[[nodiscard]] verdict check_lists(const history& seen);
/// What a start finds, the next start finds, too; a damaged byte is repaired or refused.
[[nodiscard]] verdict check_recovery(const history& seen);
/// Nobody sees what belongs to somebody else.
[[nodiscard]] verdict check_owners(const history& seen);
/// No counter is above its limit at any step.
[[nodiscard]] verdict check_limits(const history& seen);
/// Without crashes, every task, plan and objective ends as a plain model of it says.
[[nodiscard]] verdict check_model(const history& seen);

/// Revisions have no gap; each acknowledged change is in the history once, on what it was for.
[[nodiscard]] verdict check_revisions(const history& seen);
/// A question is answered once, who comes later is told, and claims are kept to.
[[nodiscard]] verdict check_answers(const history& seen);
/// States of objectives and plans agree with their tasks.
[[nodiscard]] verdict check_parents(const history& seen);
/// Progress never goes back within a revision, and is what a fresh computation gives.
[[nodiscard]] verdict check_progress(const history& seen);
/// What has not ended by its deadline fails, and nothing fails for it before.
[[nodiscard]] verdict check_deadlines(const history& seen);
/// A delegation makes one remote task, and what is said of it is true there.
[[nodiscard]] verdict check_delegations(const history& seen);
/// Each change of a task is posted at least once, in order, and to nobody else.
[[nodiscard]] verdict check_notifications(const history& seen);
/// A stream of an objective is the objective and then each of its states in the journal's order.
[[nodiscard]] verdict check_subscriptions(const history& seen);

struct checker {
  std::string_view name;
  verdict (*check)(const history&);
};

inline constexpr auto checkers = std::to_array<checker>({
    {"kept", &check_kept},
    {"invented", &check_invented},
    {"linear", &check_linear},
    {"streams", &check_streams},
    {"moves", &check_moves},
    {"messages", &check_messages},
    {"plans", &check_plans},
    {"attempts", &check_attempts},
    {"rest", &check_rest},
    {"still", &check_still},
    {"fold", &check_fold},
    {"same", &check_same},
    {"lists", &check_lists},
    {"recovery", &check_recovery},
    {"owners", &check_owners},
    {"limits", &check_limits},
    {"model", &check_model},
    {"revisions", &check_revisions},
    {"answers", &check_answers},
    {"parents", &check_parents},
    {"progress", &check_progress},
    {"deadlines", &check_deadlines},
    {"delegations", &check_delegations},
    {"notifications", &check_notifications},
    {"subscriptions", &check_subscriptions},
});

} // namespace troupe::sim
