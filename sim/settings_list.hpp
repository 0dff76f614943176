// The one list of settings: their names, and which values they may have.
#pragma once

#include <chrono>
#include <cstdint>

#include "sim/settings.hpp"

namespace troupe::sim {

/// Which values a setting may have.
namespace allowed {

/// Both ends belong to it.
template<class Number>
struct range {
  Number least;
  Number most;
};

constexpr range<std::int64_t> whole(std::int64_t least, std::int64_t most) {
  return {least, most};
}

constexpr range<double> seconds(double least, double most) {
  return {least, most};
}

/// Of what is no number.
struct no_range {};

inline constexpr no_range any;
inline constexpr range<std::int64_t> any_seed{0, seed_max};
inline constexpr range<double> share{0, 1};
/// In a second.
inline constexpr range<double> often{0, 100};
inline constexpr std::int64_t count_most = 1'000'000;
inline constexpr std::int64_t bytes_most = std::int64_t{1} << 30U;
/// The simulated disk fills a segment with zeros when it begins.
inline constexpr std::int64_t segment_bytes_most = std::int64_t{16} << 20U;

} // namespace allowed

/// Calls `look` with each name, its value in `of`, the usual one, and those that are allowed.
template<class Settings, class Look>
void for_each_value(Settings& of, Look look) {
  using namespace allowed;
  static const settings usual;
  look("seed", of.seed, usual.seed, any_seed);
  look("span", of.span, usual.span, seconds(0, 300));
  look("clients", of.clients, usual.clients, whole(1, 100));
  look("think-max", of.think_max, usual.think_max, seconds(0.001, 60));
  look("patience", of.patience, usual.patience, seconds(0.001, 60));
  look("slow-readers", of.slow_readers, usual.slow_readers, share);
  look("stopped-readers", of.stopped_readers, usual.stopped_readers, share);
  look("other-bindings", of.other_bindings, usual.other_bindings, share);
  look("has-stranger", of.has_stranger, usual.has_stranger, any);
  look("subscribers", of.subscribers, usual.subscribers, whole(0, 100));
  look("changing", of.changing, usual.changing, share);
  look("deadlines", of.deadlines, usual.deadlines, share);
  look("deadline-max", of.deadline_max, usual.deadline_max, seconds(0.05, 3'600));
  look("plan-tasks-max", of.plan_tasks_max, usual.plan_tasks_max, whole(1, 1'000));
  look("alternatives", of.alternatives, usual.alternatives, share);
  look("retry-backoff", of.retry_backoff, usual.retry_backoff, seconds(0, 60));
  look("renaming", of.renaming, usual.renaming, share);
  look("together", of.together, usual.together, share);
  look("move-requests", of.move_requests, usual.move_requests, share);
  look("delegated", of.delegated, usual.delegated, share);
  look("notified", of.notified, usual.notified, share);
  look("only", of.only, usual.only, any);
  look("deduplicates", of.deduplicates, usual.deduplicates, any);
  look("latency-max", of.latency_max, usual.latency_max, seconds(0, 10));
  look("piece-bytes-max", of.piece_bytes_max, usual.piece_bytes_max, whole(0, bytes_most));
  look("window-bytes", of.window_bytes, usual.window_bytes, whole(1, bytes_most));
  look("stalls", of.stalls, usual.stalls, share);
  look("stall-max", of.stall_max, usual.stall_max, seconds(0, 60));
  look("resets", of.resets, usual.resets, share);
  look("refusals", of.refusals, usual.refusals, share);
  look("half-closes", of.half_closes, usual.half_closes, share);
  look("dead-names", of.dead_names, usual.dead_names, share);
  look("is-durable", of.is_durable, usual.is_durable, any);
  look("sync-max", of.sync_max, usual.sync_max, seconds(0, 10));
  look("slow-syncs", of.slow_syncs, usual.slow_syncs, share);
  look("slow-sync-max", of.slow_sync_max, usual.slow_sync_max, seconds(0, 60));
  look("disk-errors", of.disk_errors, usual.disk_errors, share);
  look("table-errors", of.table_errors, usual.table_errors, share);
  look("full-disks-per-second", of.full_disks_per_second, usual.full_disks_per_second, often);
  look("sector-bytes", of.sector_bytes, usual.sector_bytes, whole(1, bytes_most));
  look("crashes-per-second", of.crashes_per_second, usual.crashes_per_second, often);
  look("crash-at-step", of.crash_at_step, usual.crash_at_step, any_seed);
  look("crashes-at-start", of.crashes_at_start, usual.crashes_at_start, share);
  look("crashes-in-recovery", of.crashes_in_recovery, usual.crashes_in_recovery, share);
  look("crashes-in-close", of.crashes_in_close, usual.crashes_in_close, share);
  look("start-errors", of.start_errors, usual.start_errors, share);
  look("flipped-bits", of.flipped_bits, usual.flipped_bits, share);
  look("power-failures", of.power_failures, usual.power_failures, share);
  look("rivals-per-second", of.rivals_per_second, usual.rivals_per_second, often);
  look("drains-per-second", of.drains_per_second, usual.drains_per_second, often);
  look("clock-jumps-per-second", of.clock_jumps_per_second, usual.clock_jumps_per_second, often);
  look("failing", of.failing, usual.failing, share);
  look("asking", of.asking, usual.asking, share);
  look("silent", of.silent, usual.silent, share);
  look("careless", of.careless, usual.careless, share);
  look("impatient", of.impatient, usual.impatient, share);
  look("remote-faults", of.remote_faults, usual.remote_faults, share);
  look("receiver-faults", of.receiver_faults, usual.receiver_faults, share);
  look("step-max", of.step_max, usual.step_max, seconds(0, 60));
  look("agent-steps-max", of.agent_steps_max, usual.agent_steps_max, whole(0, 1'000));
  look("stream-events-max", of.stream_events_max, usual.stream_events_max, whole(1, count_most));
  look("stream-bytes-max", of.stream_bytes_max, usual.stream_bytes_max, whole(1, bytes_most));
  look("segment-bytes", of.segment_bytes, usual.segment_bytes, whole(1, segment_bytes_most));
  look("journal-behind-bytes", of.journal_behind_bytes, usual.journal_behind_bytes,
       whole(1, bytes_most));
  look("group-ahead-changes", of.group_ahead_changes, usual.group_ahead_changes,
       whole(1, count_most));
  look("group-bytes", of.group_bytes, usual.group_bytes,
       whole(4, bytes_most)); // A quarter of it is written in one turn.
  look("keeps-records", of.keeps_records, usual.keeps_records, any);
  look("history-page-changes", of.history_page_changes, usual.history_page_changes,
       whole(1, count_most));
  look("reads-max", of.reads_max, usual.reads_max, whole(1, count_most));
  look("reads-per-client-max", of.reads_per_client_max, usual.reads_per_client_max,
       whole(1, count_most));
  look("live-tasks-max", of.live_tasks_max, usual.live_tasks_max, whole(1, count_most));
  look("backlog-changes-max", of.backlog_changes_max, usual.backlog_changes_max,
       whole(1, count_most));
  look("requests-max", of.requests_max, usual.requests_max, whole(1, count_most));
  look("connections-max", of.connections_max, usual.connections_max, whole(1, count_most));
  look("streams-max", of.streams_max, usual.streams_max, whole(1, count_most));
  look("keep-alive", of.keep_alive, usual.keep_alive, seconds(0.001, 60));
  look("write-timeout", of.write_timeout, usual.write_timeout, seconds(0.001, 60));
  look("disk-wait", of.disk_wait, usual.disk_wait, seconds(0.001, 60));
  look("cancel-grace", of.cancel_grace, usual.cancel_grace, seconds(0.001, 60));
  look("settled-linger", of.settled_linger, usual.settled_linger, seconds(0, 60));
  look("has-real-tables", of.has_real_tables, usual.has_real_tables, any);
  look("bug", of.bug, usual.bug, any);
}

} // namespace troupe::sim
