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
});

} // namespace troupe::sim
