#include "sim/simpler.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "sim/settings_list.hpp"

namespace troupe::sim {

namespace {

/// Each takes one kind of fault out.
constexpr auto without_fault = std::to_array<void (*)(settings&)>({
    [](settings& one) {
      one.crashes_per_second = one.crashes_at_start = one.crashes_in_recovery = 0;
      one.crash_at_step = 0;
    },
    [](settings& one) { one.flipped_bits = 0; },
    [](settings& one) { one.full_disks_per_second = 0; },
    [](settings& one) { one.disk_errors = 0; },
    [](settings& one) { one.table_errors = 0; },
    [](settings& one) { one.slow_syncs = 0; },
    [](settings& one) { one.clock_jumps_per_second = 0; },
    [](settings& one) { one.resets = 0; },
    [](settings& one) { one.refusals = 0; },
    [](settings& one) { one.stalls = 0; },
    [](settings& one) { one.piece_bytes_max = 0; },
    [](settings& one) { one.window_bytes = settings{}.window_bytes; },
    [](settings& one) { one.slow_readers = one.stopped_readers = 0; },
    [](settings& one) { one.failing = 0; },
    [](settings& one) { one.silent = 0; },
    [](settings& one) { one.careless = 0; },
    [](settings& one) { one.remote_faults = 0; },
    [](settings& one) { one.impatient = 0; },
    [](settings& one) { one.deadlines = 0; },
    [](settings& one) { one.drains_per_second = one.crashes_in_close = 0; },
    [](settings& one) { one.start_errors = 0; },
    [](settings& one) { one.rivals_per_second = 0; },
    [](settings& one) { one.dead_names = 0; },
    [](settings& one) { one.half_closes = 0; },
    [](settings& one) { one.receiver_faults = 0; },
});

} // namespace

std::size_t kinds_of_faults(const settings& in) {
  return static_cast<std::size_t>(std::ranges::count_if(without_fault, [&](const auto& take_out) {
    auto without = in;
    take_out(without);
    return without != in;
  }));
}

std::vector<settings> simpler(const settings& than) {
  std::vector<settings> out;
  const auto with = [&](auto change) {
    auto one = than;
    change(one);
    if (one != than && std::ranges::find(out, one) == out.end())
      out.push_back(one);
  };
  // First whole kinds of faults, then users, then time.
  with([](settings& one) { one.has_real_tables = false; });
  for (const auto& take_out : without_fault)
    with(take_out);
  with([](settings& one) { one.crash_at_step = 0; });
  with([](settings& one) { one.crashes_at_start = 0; });
  with([](settings& one) { one.crashes_in_recovery = 0; });
  with([](settings& one) { one.crashes_in_close = 0; });
  with([](settings& one) { one.power_failures = 0; });
  with([](settings& one) {
    one.is_durable = false;
    one.crash_at_step = 0; // Nothing dies without a disk.
  });
  with([](settings& one) { one.asking = 0; });
  with([](settings& one) { one.other_bindings = 0; });
  with([](settings& one) { one.has_stranger = false; });
  with([](settings& one) { one.subscribers = 0; });
  with([](settings& one) { one.subscribers = std::min<std::size_t>(1, one.subscribers); });
  with([](settings& one) { one.agent_steps_max = 0; });
  with([](settings& one) { one.agent_steps_max /= 2; });
  with([](settings& one) { one.agent_steps_max -= std::min<std::size_t>(1, one.agent_steps_max); });
  with([](settings& one) { one.plan_tasks_max = settings{}.plan_tasks_max; });
  with([](settings& one) { one.changing = 0; });
  with([](settings& one) { one.delegated = 0; });
  with([](settings& one) { one.notified = 0; });
  with([](settings& one) {
    one.alternatives = one.renaming = one.together = one.move_requests = 0;
  });
  for (const std::string_view squeezed :
       {"stream-events-max",    "stream-bytes-max",     "segment-bytes",
        "journal-behind-bytes", "group-ahead-changes",  "group-bytes",
        "keeps-records",        "history-page-changes", "reads-max",
        "reads-per-client-max", "live-tasks-max",       "backlog-changes-max",
        "requests-max",         "connections-max",      "streams-max",
        "keep-alive",           "write-timeout",        "disk-wait",
        "cancel-grace",         "settled-linger",       "retry-backoff"})
    with([&](settings& one) {
      for_each_value(one, [&](std::string_view name, auto& value, const auto& usual, const auto&) {
        if (name == squeezed)
          value = usual;
      });
    });
  with([](settings& one) { one.clients = 1; });
  with([](settings& one) { one.clients = std::max<std::size_t>(1, one.clients / 2); });
  with([](settings& one) { one.clients = std::max<std::size_t>(1, one.clients - 1); });
  constexpr auto span_least = std::chrono::milliseconds{100};
  if (than.span > span_least) {
    with([](settings& one) { one.span /= 2; });
    with([](settings& one) { one.span -= one.span / 8; });
  }
  return out;
}

} // namespace troupe::sim
