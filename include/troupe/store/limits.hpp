// The named limits of the store: what they bound, why, and what happens at the limit.
#pragma once

#include <chrono>
#include <cstddef>

namespace troupe {

/// Parts of the ledger with a lock each, so that requests on different tasks rarely need the same
/// lock. A power of two.
inline constexpr std::size_t ledger_shards = 64;

/// Tasks or objectives on one page of a list, also if the query asks for more (A2A 1.0 section
/// 3.1.4).
inline constexpr std::size_t page_size_max = 100;

/// Bytes that such a page shows (bytes_shown): the row that passes them is its last one. An answer
/// is written as a whole and waits in memory for its reader.
inline constexpr std::size_t page_bytes_max = std::size_t{8} << 20;

/// Ended objectives that the durable store reads for one list that is narrowed by a text, or has
/// another order than its index: some seconds of a reader. Above: errc::limit_exceeded.
inline constexpr std::size_t listed_records_max = 20'000;

/// What a change that waits for the disk counts for beside its row (memory_account::backlog), with
/// what is done once it is durable. A change without content has nothing else.
inline constexpr std::size_t waiting_change_bytes = 1024;

/// Changes written as one batch. Further changes wait for the next batch, so that the first need
/// not wait for the last.
inline constexpr std::size_t group_changes_max = 4096;

/// Bytes of history rows in one batch. A single change may be larger; then it is the only one.
inline constexpr std::size_t group_bytes_max = std::size_t{16} << 20;

/// While a group is on its way to the disk, the next one is begun once so many changes wait: then
/// there is enough to do meanwhile. Of a smaller group, changes that are about to come would have
/// to wait for the one after it.
inline constexpr std::size_t group_ahead_changes_min = 64;

/// Bytes of groups whose rows are not yet flushed to the tables. Above, a flush starts in the
/// background. A start after a kill applies about so much again, in less than a second. With a
/// quarter of it, a server writes lattices measurably slower, because it flushes more often.
inline constexpr std::size_t journal_behind_bytes_max = std::size_t{32} << 20;

/// After so many bytes the journal drops groups whose rows have been flushed.
inline constexpr std::size_t journal_forget_bytes = std::size_t{4} << 20;

/// Newly ended tasks that the durable store still answers from memory.
inline constexpr std::size_t recent_tasks_max = 8192;

/// The largest row of such a task, in bytes; larger ones are read from disk.
inline constexpr std::size_t recent_task_bytes_max = 8192;

// Ended tasks and objectives that the memory store keeps (memory_bounds); the durable store keeps
// everything.
/// Ended tasks, and tasks of settled objectives: about 1 kB each with their specification.
inline constexpr std::size_t ended_tasks_max = 1'000'000;
/// Bytes of ended tasks, and the same of settled objectives: their messages, artifacts and inputs
/// may be large.
inline constexpr std::size_t ended_bytes_max = std::size_t{1} << 30;
/// Settled objectives: about 3 kB each with a few tasks.
inline constexpr std::size_t settled_objectives_max = 100'000;

// Reads of the disk (store/archive_reader.hpp).
/// Threads that read the disk. Two: one that decodes a large record leaves the other to the small
/// ones.
inline constexpr std::size_t archive_readers = 2;
/// Reads that wait for a reader, about 300 bytes each. Above: errc::overloaded.
inline constexpr std::size_t archive_reads_max = 65'536;
/// The same for one client. Above: errc::overloaded.
inline constexpr std::size_t archive_reads_per_client_max = 1024;
/// Clients whose number of reads is remembered, about 200 bytes each; the one that read least is
/// forgotten first.
inline constexpr std::size_t archive_clients_max = 4096;
/// Bytes of records that were read and are still in use, without the cache: answers that are not
/// written yet. Above, reads of clients are refused (errc::overloaded). The number of live tasks
/// bounds the reads of the program itself.
inline constexpr std::size_t archive_bytes_handed_out_max = std::size_t{512} << 20;
/// Bytes that count as much as one read when clients take turns.
inline constexpr std::size_t archive_turn_bytes = 4096;
/// Bytes of ended tasks, and of settled objectives, that are kept decoded; those that were not
/// read for the longest time are dropped first.
inline constexpr std::size_t cached_tasks_bytes_max = std::size_t{128} << 20;
inline constexpr std::size_t cached_objectives_bytes_max = std::size_t{64} << 20;
/// Calls of store::evict, which the executor makes every two seconds, after which a decoded record
/// is dropped if nobody has asked for it: memory that was needed once goes back.
inline constexpr std::size_t cached_looks_max = 15;
/// A decoded record in memory, in bytes of its row: text becomes strings and pointers.
inline constexpr std::size_t decoded_bytes_per_row_byte = 2;
/// Ids that are claimed and checked at once, on the caller's thread, if memory shows that they are
/// free; more are checked by a reader.
inline constexpr std::size_t claimed_at_once_max = 16;

/// Settled objectives written per batch, so that a batch with changes does not wait long for them.
inline constexpr std::size_t group_seals_max = 32;

/// Changes on one page of a stream's past: they are in memory for a reader that catches up.
inline constexpr std::size_t history_page_changes_max = 256;

/// History rows that are read for one page. The past of a task is selected from that of its
/// objective, so a page may be short. The reader asks again, and a loop that must not block long is
/// free in between.
inline constexpr std::size_t history_page_rows_max = 4096;

/// Bytes of such a page (bytes_of a change, or of its row). One change may be larger.
inline constexpr std::size_t history_page_bytes_max = std::size_t{1} << 20;

// The tail: the latest changes of a watched stream, which the memory store keeps for a reader that
// falls behind. The oldest are dropped first; a reader that needs them gets `history_page::gone`.
/// Changes of one task or objective.
inline constexpr std::size_t tail_changes_max = 4096;
/// Their bytes. Less than the queue of a live reader: a reader that needs more does not read.
inline constexpr std::size_t tail_bytes_max = std::size_t{2} << 20;
/// Bytes of all tails. Above it a tail keeps no new change until others are dropped.
inline constexpr std::size_t tails_bytes_max = std::size_t{256} << 20;

/// Push configurations of one task (docs/push.md). Each gets every event of the task.
inline constexpr std::size_t push_configs_per_task_max = 16;

/// Push configurations in all; they are held in memory, about 500 bytes each. Above:
/// errc::limit_exceeded.
inline constexpr std::size_t push_configs_max = 100'000;

// Changes of push configurations that wait for a disk that refuses; what is refused is
// errc::overloaded. Progress of notifications does not count: of each configuration only the latest
// waits.
/// Changes that clients wait for: about 500 bytes each.
inline constexpr std::size_t push_writes_max = 16'384;
/// Those of one client.
inline constexpr std::size_t push_writes_per_client_max = 1024;
/// Their bytes: texts may be long.
inline constexpr std::size_t push_writes_bytes_max = std::size_t{16} << 20;
/// So long the progress of notifications waits for a change with which it can be written. Then it
/// is written alone.
inline constexpr std::chrono::milliseconds push_progress_wait{200};

// What may come once (store/once_table.hpp) is held in memory. At a bound the owner that holds most
// loses its oldest, which may come again: an owner is safe from all others while it holds less than
// an equal part. The bounds are for each kind: messages, requests and idempotency keys.
/// About 300 bytes each.
inline constexpr std::size_t once_max = 100'000;
inline constexpr std::size_t once_bytes_max = std::size_t{64} << 20;
/// Forgotten at once, of those whose time is over: a group does not wait long for them.
inline constexpr std::size_t once_expired_at_once_max = 1000;

static_assert(push_configs_per_task_max <= push_configs_max);
static_assert(push_writes_per_client_max < push_writes_max);
static_assert(history_page_changes_max <= history_page_rows_max);
static_assert(tail_bytes_max <= tails_bytes_max);
static_assert((ledger_shards & (ledger_shards - 1)) == 0);

} // namespace troupe
