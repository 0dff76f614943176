// What a seed has drawn for its world: how many clients there are, which faults happen and how
// often. Many seeds have few faults, so that one kind does not hide what another one would show.
#pragma once

#include <troupe/store/limits.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include "sim/mutants.hpp"

namespace troupe::sim {

using std::chrono::nanoseconds;

/// So that a file of settings, which is TOML, can have every seed, and every step of a world.
inline constexpr std::int64_t seed_max = std::numeric_limits<std::int64_t>::max();

/// Rates are 0 to 1.
struct settings {
  std::uint64_t seed = 1;
  nanoseconds span{std::chrono::seconds{20}}; ///< Then faults and new requests end.

  // users
  std::size_t clients = 4;
  nanoseconds think_max{
      std::chrono::milliseconds{500}};           ///< Between an answer and the next request.
  nanoseconds patience{std::chrono::seconds{5}}; ///< For an answer, before it is asked again.
  double slow_readers = 0;     ///< Of connections: they read a few bytes at a time.
  double stopped_readers = 0;  ///< Of connections: they stop reading.
  double other_bindings = 0;   ///< Of single reads: 0.3 and REST.
  bool has_stranger = false;   ///< Somebody else uses the server, too.
  std::size_t subscribers = 0; ///< Clients that read streams of objectives.
  double changing = 0;         ///< Of operations: changes of plans and objectives, answers by id.
  double deadlines = 0;        ///< Of objectives, of plans and of tasks: they have one.
  nanoseconds deadline_max{std::chrono::seconds{10}};
  std::size_t plan_tasks_max = 8;
  double alternatives = 0; ///< Of plans: they are tried only if the first one fails.
  std::chrono::milliseconds retry_backoff{50}; ///< Of tasks of plans.
  double renaming = 0;                         ///< Of operations on tasks.
  double together = 0;      ///< Of answers by id: one message answers all that is asked.
  double move_requests = 0; ///< Of moves of objectives and plans: they have a `requestId`.
  double delegated = 0;     ///< Of tasks of plans: a remote agent does them.
  double notified = 0;      ///< Of operations: a receiver gets notifications of a task.
  /// The operations of clients that are done ("c0.17"), to make a failure small; empty: all.
  std::set<std::string> only{};
  bool deduplicates = true; ///< The server's setting; clients then send the same message again.

  // network
  nanoseconds latency_max{std::chrono::milliseconds{1}};
  std::size_t piece_bytes_max =
      0; ///< Bytes arrive in pieces of at most that; 0: as they were sent.
  std::size_t window_bytes = 64 * 1024; ///< What a connection takes before it is read.
  double stalls = 0;                    ///< Of pieces: they take up to `stall_max`.
  nanoseconds stall_max{std::chrono::seconds{8}};
  double resets = 0;      ///< Of pieces: the connection breaks instead.
  double refusals = 0;    ///< Of connections that are asked for.
  double half_closes = 0; ///< Of requests: the client sends nothing more, and waits for the answer.
  double dead_names = 0;  ///< Of look-ups of the server.

  // disk and process
  bool is_durable = true; ///< With a journal; else the store is in memory, and nothing dies.
  nanoseconds sync_max{std::chrono::milliseconds{1}};
  double slow_syncs = 0; ///< Also other calls of the disk: they take up to `slow_sync_max`.
  nanoseconds slow_sync_max{std::chrono::seconds{10}};
  double disk_errors = 0; ///< Of calls.
  double full_disks_per_second = 0;
  double table_errors = 0; ///< Of reads of the tables.
  std::size_t sector_bytes = 512;
  double crashes_per_second = 0;
  std::uint64_t crash_at_step = 0; ///< The process dies there, once; 0: nowhere. No seed draws it.
  double crashes_at_start = 0;     ///< Of starts after a crash: it happens right after them.
  double crashes_in_recovery = 0;  ///< Of starts after a crash: it happens in the middle of them.
  double crashes_in_close = 0;     ///< Of ends of drained processes: it happens in the last flush.
  double start_errors = 0;         ///< Of calls of the disk while a server starts after a crash.
  double power_failures = 0.5;     ///< Of crashes: what was not synced may be lost.
  double flipped_bits = 0;         ///< Of crashes: the journal has another bit when it is read.
  double rivals_per_second = 0;    ///< Another server is started on the same directory.
  double drains_per_second = 0;    ///< The process ends as it does at SIGTERM.
  double clock_jumps_per_second = 0; ///< The time of day is set forward or back.

  // agents
  double failing = 0.1; ///< Of attempts.
  double asking = 0.1;
  double silent = 0.02;
  double careless = 0.1;      ///< They report twice, or after their end.
  double impatient = 0;       ///< Of questions: they expire.
  double remote_faults = 0;   ///< Of requests to remote agents, and of their events.
  double receiver_faults = 0; ///< Of notifications that are posted.
  std::size_t agent_steps_max = 5;
  nanoseconds step_max{std::chrono::milliseconds{500}};

  // squeezed: limits of the product, so small that they are met
  std::size_t stream_events_max = 1'000;
  std::size_t stream_bytes_max = std::size_t{16} << 20;
  std::size_t segment_bytes = 64 * 1024;
  /// Of the journal, before the tables are flushed. If they are not they have nothing at a start.
  std::size_t journal_behind_bytes = journal_behind_bytes_max;
  std::size_t group_ahead_changes = 64;
  /// Of a group of the journal; a change that is longer comes in parts.
  std::size_t group_bytes = std::size_t{1} << 20;
  bool keeps_records = true; ///< Ended tasks and settled objectives stay in memory.
  std::size_t history_page_changes = history_page_changes_max;
  std::size_t reads_max = 1'000;
  std::size_t reads_per_client_max = 1'000;
  std::size_t live_tasks_max = 100'000;
  std::size_t backlog_changes_max = 100'000;
  std::size_t requests_max = 10'000; ///< In flight.
  std::size_t connections_max = 20'000;
  std::size_t streams_max = 20'000;
  std::chrono::milliseconds keep_alive{3'000};
  std::chrono::milliseconds write_timeout{30'000};
  std::chrono::milliseconds disk_wait{5'000};
  std::chrono::milliseconds cancel_grace{5'000};
  std::chrono::seconds settled_linger{60};

  /// RocksDB writes its tables while the world goes on, by threads of its own; they may be lost,
  /// too. The same seed is not the same history then. No seed draws it.
  bool has_real_tables = false;

  mutant bug = mutant::none; ///< Planted; no seed draws one.

  bool operator==(const settings&) const = default;
};

/// The settings that the seed draws.
[[nodiscard]] settings draw_settings(std::uint64_t seed);

} // namespace troupe::sim
