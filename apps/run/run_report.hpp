// What a run says in plain lines: one per change of state when no tree is shown, and the
// summary at the end. Pure functions.
#pragma once

#include "apps/run/run_model.hpp"
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/model_usage.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Why a plan or the objective ended, without the words of the task that it quotes: these stand
/// with the task. `task "compile" failed: exited with 1` becomes `task "compile" failed`.
[[nodiscard]] std::string_view own_reason(std::string_view reason) noexcept;

/// Appends a line for each change of a plan's or a task's state in `change`; `model` has seen
/// `change` already. `   1.24s  Research / Read: completed`
void append_state_lines(std::string& out, const change& change, const run_model& model);

/// The last words for people: the outcome and the numbers, `completed: 12 of 12 tasks in 3.21s
/// (critical path 3.10s, at most 4 at once, 13 attempts)`, `failed: 3 of 4 tasks completed, 1
/// failed in 3.21s (...)`; and the reason of the end, if no failed task says it.
[[nodiscard]] std::string summary_text(const run_model& model, timestamp now,
                                       std::chrono::milliseconds critical_path);

/// A task elsewhere that may go on after a cancel.
struct leaf_line {
  std::string text;        ///< `trip.p0.t0: support: refused, too late`, cleaned.
  bool is_refused = false; ///< Else its agent has not answered, and the cancel is kept.
};
/// By the metadata of the cancel's answer (`troupe/v1/cancel`).
[[nodiscard]] std::vector<leaf_line> leaf_lines(const boost::json::object& metadata);

/// `models: 2 calls, 310 + 45 tokens, 1.2s, cost 0.0001`; without a cost if none is known, and
/// nothing if no model was called.
[[nodiscard]] std::string usage_text(const model_usage& used);

/// `Travel / Choose a flight`, cleaned.
[[nodiscard]] std::string place_of(const plan_spec& plan, std::uint32_t index, std::uint32_t task);
[[nodiscard]] std::string place_of(const run_model& model, std::uint32_t plan, std::uint32_t task);

} // namespace troupe
