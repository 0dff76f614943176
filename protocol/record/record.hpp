// The form in which records and facts are stored: JSON text, one object per change in the history,
// one per ended task or objective. Version-tolerant: readers ignore members they do not know.
// Only the store sees it.
//
// Members have short names, states their names, times are milliseconds since 1970. What the row's
// key says, what has its default and what can be derived is left out: moving a plan's task is a row
// of some 60 bytes.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::record {

/// A journal row. `stream()` and `sequence` are in the key, not in the row. A plan's task_created
/// row holds only its address, and agent and attempt if they are set; the task's spec is in the
/// objective's rows.
void write(std::string& out, const change& change);
/// `stream` and `sequence` come from the key. After a plan's task_created, `record->origin` has
/// indexes and a null plan; the ledger fills it in from the objective. errc::store_failed for a row
/// that is damaged or of a newer kind.
[[nodiscard]] result<change> read_change(std::string_view row, std::string_view stream,
                                         std::uint64_t sequence);

/// Whether a row that begins so is of a lone task.
[[nodiscard]] bool is_row_of_lone_task(std::string_view begin);

/// An ended task; everything derived from its origin written out (name, agent, OPT metadata), so
/// it needs no objective to read.
void write(std::string& out, const task& task);
[[nodiscard]] result<task> read_task(std::string_view row);

/// A settled objective with its plans' specs and the summaries of its tasks.
void write(std::string& out, const objective_view& objective_view);
[[nodiscard]] result<objective_view> read_objective(std::string_view row);

} // namespace troupe::record
