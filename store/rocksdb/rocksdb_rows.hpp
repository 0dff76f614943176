// The rows of the durable store: their keys, and the values that are not
// protocol/record/record.hpp's. One key space; the first bytes say the kind. Numbers in keys are
// big-endian, so that the order of keys is the order of numbers; times are inverted, so that the
// latest comes first.
//
// clang-format off
//   f                                format: the version of this layout, in digits
//   j                                mark: the position of the last group in the tables
//   n                                counts: the anonymous caller's ended tasks and sealed
//                                    objectives by state, for a list's total
//   e/<o|t><stream>/<sequence>       one change (record::write); these rows are the history
//   l/<o|t><stream>                  live: this stream is replayed at start
//   t/<task>                         an ended task (record::write)
//   o/<objective>                    a settled objective (write_objective_row)
//   i/t<task>, i/p<plan>             the place of an id that does not say it itself
//   w/t<task>, w/o<objective>        the owner and the place of a large record (write_placement)
//   p/<task>/<config>                a push configuration (record::write, push_row.hpp)
//   u/<once_key>                     what may come once, and came (write_once_row)
//   xc<length><context><time><task>  ended tasks by context; the value is the state
//   xs<state><time><task>            ended tasks by state
//   xo<state><time><objective>       sealed objectives by state
//   y<length><owner>                 before each of the last three: the same, for all but the
//                                    anonymous owner
// clang-format on
#pragma once

#include "store/archive.hpp"
#include "store/journal/journal.hpp"
#include "store/page.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/store/store.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::rows {

/// Grows when an older program could misread what this one writes. 1: the rows are the truth, and
/// RocksDB's own log has the latest of them. 2: they are derived from the journal.
inline constexpr std::uint32_t format_version = 2;

/// An ended task or settled objective whose row is larger has a row `w/` beside it: whose it is
/// is asked more often than what it is. Of a smaller one the row itself is read.
inline constexpr std::size_t placed_row_bytes_min = 8192;

inline constexpr std::string_view format_key = "f";
inline constexpr std::string_view mark_key = "j";
inline constexpr std::string_view counts_key = "n";

/// Objective and lone task streams have names of their own kind; the same id may stand for one of
/// each.
enum class stream_kind : char { objective = 'o', lone_task = 't' };

// -- keys -----------------------------------------------------------------------------------------
// The writers replace `out`; its memory is reused from row to row.

void history_prefix(std::string& out, stream_kind kind, std::string_view stream);
void history_key(std::string& out, stream_kind kind, std::string_view stream,
                 std::uint64_t sequence);
/// Of a whole history key that which all keys of its stream begin with; empty: it is another key.
[[nodiscard]] std::string_view stream_prefix_of(std::string_view key) noexcept;
/// The sequence of a history key that begins with `prefix`; nothing if it belongs to another
/// stream.
[[nodiscard]] std::optional<std::uint64_t> history_sequence(std::string_view key,
                                                            std::string_view prefix) noexcept;

void live_prefix(std::string& out, stream_kind kind);
void live_key(std::string& out, stream_kind kind, std::string_view stream);
void task_key(std::string& out, std::string_view task);
void objective_key(std::string& out, std::string_view objective);
void task_place_key(std::string& out, std::string_view task);
void plan_place_key(std::string& out, std::string_view plan);
void task_placement_key(std::string& out, std::string_view task);
void objective_placement_key(std::string& out, std::string_view objective);

/// Ids have no slash in them (include/troupe/protocol/ids.hpp).
void push_key(std::string& out, std::string_view task, std::string_view config);
inline constexpr std::string_view push_prefix = "p/";
/// `key`: once_key (store/once_table.hpp).
void once_row_key(std::string& out, std::string_view key);
inline constexpr std::string_view once_prefix = "u/";
/// Task and configuration of a key that begins with `push_prefix`; nothing if it is malformed.
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>>
push_key_parts(std::string_view key) noexcept;

void context_index_prefix(std::string& out, std::string_view owner, std::string_view context);
void task_state_index_prefix(std::string& out, std::string_view owner, task_state state);
void objective_state_index_prefix(std::string& out, std::string_view owner, objective_state state);
/// Completes one of the three prefixes above to the key of a row, or to where a scan after a
/// position begins.
void append_position(std::string& key, timestamp at, std::string_view id);
/// The position in an index key that begins with `prefix`.
[[nodiscard]] std::optional<position> position_of(std::string_view key, std::size_t prefix_bytes);

/// The beginning of a key that it has in common with those that mostly come right before and after
/// it: its stream's in the history, its plan's or objective's of ended tasks, else its kind's.
[[nodiscard]] std::string_view group_of(std::string_view key) noexcept;

// -- values ---------------------------------------------------------------------------------------

/// How many rows each state's index has.
struct counts {
  std::array<std::uint64_t, task_state_count> tasks{};
  std::array<std::uint64_t, objective_state_count> objectives{};

  friend bool operator==(const counts&, const counts&) = default;
};

/// These wrap around, so that a difference can be added.
[[nodiscard]] counts operator+(counts to, const counts& added) noexcept;
[[nodiscard]] counts operator-(counts from, const counts& removed) noexcept;

void write_mark(std::string& out, const journal::follower_mark& mark);
[[nodiscard]] std::optional<journal::follower_mark> read_mark(std::string_view row) noexcept;

void write_counts(std::string& out, const counts& counts);
[[nodiscard]] std::optional<counts> read_counts(std::string_view row) noexcept;

void write_place(std::string& out, const task_place& task_place);
void write_place(std::string& out, const plan_place& plan_place);
[[nodiscard]] std::optional<task_place> read_task_place(std::string_view row);
[[nodiscard]] std::optional<plan_place> read_plan_place(std::string_view row);

/// Kind, plan, task, length of the objective's id, objective, owner.
void write_placement(std::string& out, const placement& placement);
[[nodiscard]] std::optional<placement> read_placement(std::string_view row);

/// Lines: the sequence of its last change, the objective (record::write), a change for each
/// withdrawal.
void write_objective_row(std::string& out, const objective_state_of_record& record);
[[nodiscard]] result<objective_state_of_record> read_objective_row(std::string_view row,
                                                                   const objective_id& id);

} // namespace troupe::rows
