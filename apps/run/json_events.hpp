// `troupe run --json`: one JSON object per event, one per line, and a summary as the last line.
// Written straight into text; no state.
#pragma once

#include "apps/run/run_model.hpp"
#include <troupe/protocol/event.hpp>

#include <chrono>
#include <string>

namespace troupe {

/// Appends a line for each event of `change`, in order. `model` has seen `change` already; it gives
/// the names. Members of every line: `event`, `at` (RFC 3339), `objective`; of a plan's: `plan`
/// {index, key, name}; of a task's: `task` {id, index, key, name} besides.
void append_json_events(std::string& out, const change& change, const run_model& model);

/// Appends the summary line:
/// `{"objective","status","tasks":{"completed",...},"elapsedSeconds","criticalPathSeconds","maxParallel",
/// "attempts"}`. States without tasks are left out of `tasks`, except `completed`.
void append_json_summary(std::string& out, const run_model& model, timestamp now,
                         std::chrono::milliseconds critical_path);

} // namespace troupe
