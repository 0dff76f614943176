#include "sim/settings.hpp"

#include <array>

#include "sim/dice.hpp"

namespace troupe::sim {

namespace {

using namespace std::chrono_literals;

} // namespace

settings draw_settings(std::uint64_t seed) {
  settings out;
  out.seed = seed;
  dice users(seed, "settings of users");
  out.clients = users.between(1, 12);
  out.think_max = users.one_of(std::to_array<nanoseconds>({5ms, 100ms, 500ms, 2s}));
  out.patience = users.one_of(std::to_array<nanoseconds>({200ms, 2s, 5s, 30s}));
  out.deduplicates = users.chance(0.8);
  if (users.chance(0.3)) {
    out.slow_readers = 0.1;
    out.stopped_readers = 0.02;
  }

  dice network(seed, "settings of the network");
  out.latency_max = network.one_of(std::to_array<nanoseconds>({0ns, 100us, 5ms, 100ms}));
  out.piece_bytes_max = network.one_of(std::to_array<std::size_t>({0, 0, 1'400, 100, 3}));
  out.window_bytes = network.one_of(std::to_array<std::size_t>({64 * 1024, 64 * 1024, 4096, 64}));
  if (network.chance(0.25))
    out.stalls = network.one_of(std::to_array<double>({0.001, 0.02}));
  if (network.chance(0.4))
    out.resets = network.one_of(std::to_array<double>({0.001, 0.01, 0.05}));
  if (network.chance(0.2))
    out.refusals = 0.1;

  dice disk(seed, "settings of the disk");
  out.is_durable = disk.chance(0.7);
  out.sync_max = disk.one_of(std::to_array<nanoseconds>({0ns, 1ms, 20ms}));
  if (disk.chance(0.3)) {
    out.slow_syncs = disk.one_of(std::to_array<double>({0.01, 0.1}));
    out.slow_sync_max = disk.one_of(std::to_array<nanoseconds>({100ms, 10s, 40s}));
  }
  if (disk.chance(0.2))
    out.disk_errors = disk.one_of(std::to_array<double>({0.001, 0.02}));
  out.sector_bytes = disk.one_of(std::to_array<std::size_t>({512, 4096, 40, 521}));
  if (disk.chance(0.6))
    out.crashes_per_second = disk.one_of(std::to_array<double>({0.1, 0.5, 2}));
  out.power_failures = disk.one_of(std::to_array<double>({0, 0.5, 1}));
  if (disk.chance(0.1))
    out.clock_jumps_per_second = 0.2;

  dice agents(seed, "settings of agents");
  out.failing = agents.one_of(std::to_array<double>({0, 0.1, 0.5}));
  out.asking = agents.one_of(std::to_array<double>({0, 0.1, 0.4}));
  out.silent = agents.one_of(std::to_array<double>({0, 0.02, 0.1}));
  out.careless = agents.one_of(std::to_array<double>({0, 0.1, 0.5}));
  out.step_max = agents.one_of(std::to_array<nanoseconds>({0ns, 10ms, 500ms, 3s}));

  dice more(seed, "settings of others");
  out.other_bindings = more.one_of(std::to_array<double>({0, 0.3, 0.7}));
  out.has_stranger = more.chance(0.3);
  out.crashes_at_start = more.one_of(std::to_array<double>({0, 0.1, 0.5}));

  dice changes(seed, "settings of changes");
  out.changing = changes.one_of(std::to_array<double>({0, 0.2, 0.4, 0.7}));
  if (changes.chance(0.4))
    out.deadlines = changes.one_of(std::to_array<double>({0.05, 0.3}));
  out.deadline_max = changes.one_of(std::to_array<nanoseconds>({500ms, 5s, 20s}));
  out.impatient = changes.one_of(std::to_array<double>({0, 0.3, 0.8}));
  if (changes.chance(0.02))
    out.plan_tasks_max = 300;

  dice further(seed, "settings of further changes");
  out.alternatives = further.one_of(std::to_array<double>({0, 0.2, 0.6}));
  out.renaming = further.one_of(std::to_array<double>({0, 0.05, 0.1}));
  out.together = further.one_of(std::to_array<double>({0, 0.2, 0.5}));

  dice requests(seed, "settings of requests");
  out.move_requests = requests.one_of(std::to_array<double>({0, 0.5, 1}));

  dice remotes(seed, "settings of remote agents");
  if (remotes.chance(0.3)) {
    out.delegated = remotes.one_of(std::to_array<double>({0.1, 0.4, 0.8}));
    out.remote_faults = remotes.one_of(std::to_array<double>({0, 0.05, 0.2}));
  }

  dice receivers(seed, "settings of receivers");
  if (receivers.chance(0.4)) {
    out.notified = receivers.one_of(std::to_array<double>({0.05, 0.2, 0.5}));
    out.receiver_faults = receivers.one_of(std::to_array<double>({0, 0.05, 0.3}));
  }

  dice squeezes(seed, "settings of squeezes");
  const auto squeeze = [&](auto& limit, auto small) {
    if (squeezes.chance(0.1))
      limit = small;
  };
  squeeze(out.stream_events_max, std::size_t{2});
  squeeze(out.stream_bytes_max, std::size_t{512});
  squeeze(out.segment_bytes, std::size_t{4096});
  squeeze(out.group_ahead_changes, std::size_t{1});
  squeeze(out.reads_max, std::size_t{2});
  squeeze(out.reads_per_client_max, std::size_t{1});
  squeeze(out.live_tasks_max, std::size_t{5});
  squeeze(out.backlog_changes_max, std::size_t{4});
  squeeze(out.requests_max, std::size_t{2});
  squeeze(out.connections_max, std::size_t{3});
  squeeze(out.streams_max, std::size_t{2});
  squeeze(out.keep_alive, 50ms);
  squeeze(out.write_timeout, 500ms);
  squeeze(out.cancel_grace, 10ms);
  squeeze(out.settled_linger, 0s);
  squeeze(out.disk_wait, 100ms);

  dice records(seed, "settings of records");
  out.keeps_records = !records.chance(0.1);
  if (records.chance(0.1))
    out.history_page_changes = 1;

  dice groups(seed, "settings of groups");
  if (groups.chance(0.1))
    out.group_bytes = groups.one_of(std::to_array<std::size_t>({256, 1024}));

  dice tables(seed, "settings of tables");
  if (tables.chance(0.5))
    out.journal_behind_bytes = tables.one_of(std::to_array<std::size_t>({512, 4096, 32 * 1024}));
  if (tables.chance(0.2))
    out.table_errors = tables.one_of(std::to_array<double>({0.001, 0.02}));

  dice deaths(seed, "settings of deaths");
  out.crashes_in_recovery = deaths.one_of(std::to_array<double>({0, 0.1, 0.5}));
  if (deaths.chance(0.2))
    out.flipped_bits = 0.3;
  if (deaths.chance(0.1))
    out.full_disks_per_second = 0.2;

  dice starts(seed, "settings of starts");
  if (starts.chance(0.2))
    out.start_errors = starts.one_of(std::to_array<double>({0.01, 0.1}));
  out.crashes_in_close = starts.one_of(std::to_array<double>({0, 0.1, 0.5}));
  out.retry_backoff =
      starts.one_of(std::to_array<std::chrono::milliseconds>({0ms, 1ms, 50ms, 50ms}));

  dice ends(seed, "settings of ends");
  if (ends.chance(0.3))
    out.drains_per_second = ends.one_of(std::to_array<double>({0.1, 0.5}));

  dice rivals(seed, "settings of rivals");
  if (rivals.chance(0.1))
    out.rivals_per_second = 0.3;

  dice names(seed, "settings of names");
  if (names.chance(0.2))
    out.dead_names = names.one_of(std::to_array<double>({0.05, 0.3}));

  dice halves(seed, "settings of half-closed connections");
  if (halves.chance(0.2))
    out.half_closes = halves.one_of(std::to_array<double>({0.02, 0.2}));

  dice subscribers(seed, "settings of subscribers");
  out.subscribers = subscribers.one_of(std::to_array<std::size_t>({0, 0, 1, 3}));
  return out;
}

} // namespace troupe::sim
