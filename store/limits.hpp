// The store's named limits: what they bound, why, and what happens there.
#pragma once

#include <cstddef>

namespace troupe {

/// Messages a task's record keeps; at the limit the oldest go. Bounds a record that is read and written whole.
inline constexpr std::size_t history_messages_max = 1000;

/// Bytes of them (bytes_of), the same; the newest stays whatever its size.
inline constexpr std::size_t history_bytes_max = std::size_t{64} << 20;

/// Parts of the ledger with a lock each; requests on different tasks rarely meet. A power of two.
inline constexpr std::size_t ledger_shards = 64;

/// Tasks or objectives on one page of a list, whatever the query says (A2A 1.0 section 3.1.4).
inline constexpr std::size_t page_size_max = 100;

/// Bytes that such a page shows (bytes_shown): the row that passes them is its last, however many were asked for. An answer is written
/// in one go and waits in memory for its reader.
inline constexpr std::size_t page_bytes_max = std::size_t{8} << 20;

/// Changes written as one batch. Above it the rest waits for the next batch, so that the first need not wait for the last.
inline constexpr std::size_t group_changes_max = 4096;

/// Bytes of journal rows in one batch: the same, for large changes. A single change may be larger and is then alone.
inline constexpr std::size_t group_bytes_max = std::size_t{16} << 20;

/// Tasks that have ended lately and are still answered from memory by the durable store.
inline constexpr std::size_t recent_tasks_max = 8192;

/// Bytes of a finished task's row up to which it is among those; larger ones are read from disk.
inline constexpr std::size_t recent_task_bytes_max = 8192;

// What the memory store keeps of what has ended (memory_bounds); the durable store keeps everything.
/// Finished tasks, and tasks of settled objectives: about 1 kB each with their specification.
inline constexpr std::size_t finished_tasks_max = 1'000'000;
/// Bytes of finished tasks: their messages and artifacts may be large.
inline constexpr std::size_t finished_bytes_max = std::size_t{1} << 30;
/// Settled objectives: about 3 kB each with a handful of tasks.
inline constexpr std::size_t settled_objectives_max = 100'000;

/// Settled objectives written per batch, so that a batch with changes does not wait long for them.
inline constexpr std::size_t group_seals_max = 32;

/// Changes on one page of a stream's past: what is held in memory for somebody who catches up.
inline constexpr std::size_t journal_page_changes_max = 256;

/// Journal rows looked at for one page. One task's past is picked out of its objective's, so a page may be short: the reader
/// goes on, and a loop that must not block long is free in between.
inline constexpr std::size_t journal_page_rows_max = 4096;

/// Push configurations of one task (docs/push.md). Each gets every event of the task.
inline constexpr std::size_t push_configs_per_task_max = 16;

/// Push configurations in all; they are held in memory, about 500 bytes each. Above: errc::limit_exceeded.
inline constexpr std::size_t push_configs_max = 100'000;

static_assert(push_configs_per_task_max <= push_configs_max);
static_assert(journal_page_changes_max <= journal_page_rows_max);
static_assert((ledger_shards & (ledger_shards - 1)) == 0);

} // namespace troupe
