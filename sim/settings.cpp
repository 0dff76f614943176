#include "sim/settings.hpp"

#include "sim/dice.hpp"

#include <array>
#include <sstream>

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
  out.piece_bytes_max = network.one_of(std::to_array<std::size_t>({0, 0, 1'400, 100, 1}));
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
  squeeze(out.keep_alive, 50ms);
  squeeze(out.write_timeout, 500ms);
  squeeze(out.cancel_grace, 10ms);
  squeeze(out.settled_linger, 0s);
  return out;
}

std::string describe(const settings& of) {
  const settings usual;
  std::ostringstream out;
  const auto line = [&](const char* name, const auto& value, const auto& common) {
    if (value != common)
      out << name << " = " << value << "\n";
  };
  const auto time = [&](const char* name, nanoseconds value, nanoseconds common) {
    if (value != common)
      out << name << " = \"" << std::chrono::duration<double, std::milli>(value).count() << " ms\"\n";
  };
  out << "seed = " << of.seed << "\n";
  time("span", of.span, usual.span);
  line("clients", of.clients, usual.clients);
  time("think-max", of.think_max, usual.think_max);
  time("patience", of.patience, usual.patience);
  line("slow-readers", of.slow_readers, usual.slow_readers);
  line("stopped-readers", of.stopped_readers, usual.stopped_readers);
  line("deduplicates", of.deduplicates, usual.deduplicates);
  time("latency-max", of.latency_max, usual.latency_max);
  line("piece-bytes-max", of.piece_bytes_max, usual.piece_bytes_max);
  line("window-bytes", of.window_bytes, usual.window_bytes);
  line("stalls", of.stalls, usual.stalls);
  time("stall-max", of.stall_max, usual.stall_max);
  line("resets", of.resets, usual.resets);
  line("refusals", of.refusals, usual.refusals);
  line("is-durable", of.is_durable, usual.is_durable);
  time("sync-max", of.sync_max, usual.sync_max);
  line("slow-syncs", of.slow_syncs, usual.slow_syncs);
  time("slow-sync-max", of.slow_sync_max, usual.slow_sync_max);
  line("disk-errors", of.disk_errors, usual.disk_errors);
  line("sector-bytes", of.sector_bytes, usual.sector_bytes);
  line("crashes-per-second", of.crashes_per_second, usual.crashes_per_second);
  line("power-failures", of.power_failures, usual.power_failures);
  line("clock-jumps-per-second", of.clock_jumps_per_second, usual.clock_jumps_per_second);
  line("failing", of.failing, usual.failing);
  line("asking", of.asking, usual.asking);
  line("silent", of.silent, usual.silent);
  line("careless", of.careless, usual.careless);
  time("step-max", of.step_max, usual.step_max);
  line("stream-events-max", of.stream_events_max, usual.stream_events_max);
  line("stream-bytes-max", of.stream_bytes_max, usual.stream_bytes_max);
  line("segment-bytes", of.segment_bytes, usual.segment_bytes);
  line("group-ahead-changes", of.group_ahead_changes, usual.group_ahead_changes);
  line("reads-max", of.reads_max, usual.reads_max);
  line("reads-per-client-max", of.reads_per_client_max, usual.reads_per_client_max);
  line("live-tasks-max", of.live_tasks_max, usual.live_tasks_max);
  line("backlog-changes-max", of.backlog_changes_max, usual.backlog_changes_max);
  line("requests-max", of.requests_max, usual.requests_max);
  line("connections-max", of.connections_max, usual.connections_max);
  time("keep-alive", of.keep_alive, usual.keep_alive);
  time("write-timeout", of.write_timeout, usual.write_timeout);
  time("cancel-grace", of.cancel_grace, usual.cancel_grace);
  time("settled-linger", of.settled_linger, usual.settled_linger);
  return out.str();
}

} // namespace troupe::sim
