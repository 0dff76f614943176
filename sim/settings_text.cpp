#include "sim/settings_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <set>
#include <sstream>
#include <type_traits>

namespace troupe::sim {

namespace {

/// The one list of what can be written and read: calls `look` with each name, its value in `of`,
/// and the usual one.
template<class Settings, class Look>
void for_each_value(Settings& of, Look look) {
  static const settings usual;
  look("seed", of.seed, usual.seed);
  look("span", of.span, usual.span);
  look("clients", of.clients, usual.clients);
  look("think-max", of.think_max, usual.think_max);
  look("patience", of.patience, usual.patience);
  look("slow-readers", of.slow_readers, usual.slow_readers);
  look("stopped-readers", of.stopped_readers, usual.stopped_readers);
  look("other-bindings", of.other_bindings, usual.other_bindings);
  look("has-stranger", of.has_stranger, usual.has_stranger);
  look("subscribers", of.subscribers, usual.subscribers);
  look("changing", of.changing, usual.changing);
  look("deadlines", of.deadlines, usual.deadlines);
  look("deadline-max", of.deadline_max, usual.deadline_max);
  look("plan-tasks-max", of.plan_tasks_max, usual.plan_tasks_max);
  look("alternatives", of.alternatives, usual.alternatives);
  look("retry-backoff", of.retry_backoff, usual.retry_backoff);
  look("renaming", of.renaming, usual.renaming);
  look("together", of.together, usual.together);
  look("delegated", of.delegated, usual.delegated);
  look("notified", of.notified, usual.notified);
  look("only", of.only, usual.only);
  look("deduplicates", of.deduplicates, usual.deduplicates);
  look("latency-max", of.latency_max, usual.latency_max);
  look("piece-bytes-max", of.piece_bytes_max, usual.piece_bytes_max);
  look("window-bytes", of.window_bytes, usual.window_bytes);
  look("stalls", of.stalls, usual.stalls);
  look("stall-max", of.stall_max, usual.stall_max);
  look("resets", of.resets, usual.resets);
  look("refusals", of.refusals, usual.refusals);
  look("half-closes", of.half_closes, usual.half_closes);
  look("dead-names", of.dead_names, usual.dead_names);
  look("is-durable", of.is_durable, usual.is_durable);
  look("sync-max", of.sync_max, usual.sync_max);
  look("slow-syncs", of.slow_syncs, usual.slow_syncs);
  look("slow-sync-max", of.slow_sync_max, usual.slow_sync_max);
  look("disk-errors", of.disk_errors, usual.disk_errors);
  look("table-errors", of.table_errors, usual.table_errors);
  look("full-disks-per-second", of.full_disks_per_second, usual.full_disks_per_second);
  look("sector-bytes", of.sector_bytes, usual.sector_bytes);
  look("crashes-per-second", of.crashes_per_second, usual.crashes_per_second);
  look("crash-at-step", of.crash_at_step, usual.crash_at_step);
  look("crashes-at-start", of.crashes_at_start, usual.crashes_at_start);
  look("crashes-in-recovery", of.crashes_in_recovery, usual.crashes_in_recovery);
  look("crashes-in-close", of.crashes_in_close, usual.crashes_in_close);
  look("start-errors", of.start_errors, usual.start_errors);
  look("flipped-bits", of.flipped_bits, usual.flipped_bits);
  look("power-failures", of.power_failures, usual.power_failures);
  look("rivals-per-second", of.rivals_per_second, usual.rivals_per_second);
  look("drains-per-second", of.drains_per_second, usual.drains_per_second);
  look("clock-jumps-per-second", of.clock_jumps_per_second, usual.clock_jumps_per_second);
  look("failing", of.failing, usual.failing);
  look("asking", of.asking, usual.asking);
  look("silent", of.silent, usual.silent);
  look("careless", of.careless, usual.careless);
  look("impatient", of.impatient, usual.impatient);
  look("remote-faults", of.remote_faults, usual.remote_faults);
  look("receiver-faults", of.receiver_faults, usual.receiver_faults);
  look("step-max", of.step_max, usual.step_max);
  look("agent-steps-max", of.agent_steps_max, usual.agent_steps_max);
  look("stream-events-max", of.stream_events_max, usual.stream_events_max);
  look("stream-bytes-max", of.stream_bytes_max, usual.stream_bytes_max);
  look("segment-bytes", of.segment_bytes, usual.segment_bytes);
  look("journal-behind-bytes", of.journal_behind_bytes, usual.journal_behind_bytes);
  look("group-ahead-changes", of.group_ahead_changes, usual.group_ahead_changes);
  look("group-bytes", of.group_bytes, usual.group_bytes);
  look("keeps-records", of.keeps_records, usual.keeps_records);
  look("history-page-changes", of.history_page_changes, usual.history_page_changes);
  look("reads-max", of.reads_max, usual.reads_max);
  look("reads-per-client-max", of.reads_per_client_max, usual.reads_per_client_max);
  look("live-tasks-max", of.live_tasks_max, usual.live_tasks_max);
  look("backlog-changes-max", of.backlog_changes_max, usual.backlog_changes_max);
  look("requests-max", of.requests_max, usual.requests_max);
  look("connections-max", of.connections_max, usual.connections_max);
  look("streams-max", of.streams_max, usual.streams_max);
  look("keep-alive", of.keep_alive, usual.keep_alive);
  look("write-timeout", of.write_timeout, usual.write_timeout);
  look("disk-wait", of.disk_wait, usual.disk_wait);
  look("cancel-grace", of.cancel_grace, usual.cancel_grace);
  look("settled-linger", of.settled_linger, usual.settled_linger);
  look("has-real-tables", of.has_real_tables, usual.has_real_tables);
  look("bug", of.bug, usual.bug);
}

std::string quoted_name(mutant bug) {
  const auto found = std::ranges::find(mutants, bug, &planted::bug);
  return '"' + std::string(found == mutants.end() ? "none" : found->name) + '"';
}

template<class T>
std::string text_of(const T& value) {
  std::ostringstream out;
  if constexpr (std::is_same_v<T, bool>)
    out << (value ? "true" : "false");
  else if constexpr (std::is_same_v<T, mutant>)
    out << quoted_name(value);
  else if constexpr (std::is_same_v<T, std::set<std::string>>)
    for (const auto& each : value)
      out << (out.tellp() == 0 ? "\"" : " ") << each << (each == *value.rbegin() ? "\"" : "");
  else if constexpr (std::is_arithmetic_v<T>)
    out << std::setprecision(17) << value;
  else
    out << std::setprecision(17) << std::chrono::duration<double>(value).count();
  return out.str();
}

template<class T>
bool read_value(const std::string& text, T& into) {
  std::istringstream in(text);
  if constexpr (std::is_same_v<T, bool>) {
    into = text == "true";
    return into || text == "false";
  } else if constexpr (std::is_same_v<T, mutant>) {
    const auto found = std::ranges::find_if(
        mutants, [&](const planted& each) { return quoted_name(each.bug) == text; });
    into = found == mutants.end() ? mutant::none : found->bug;
    return found != mutants.end();
  } else if constexpr (std::is_same_v<T, std::set<std::string>>) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"')
      return false;
    std::istringstream words(text.substr(1, text.size() - 2));
    for (std::string word; words >> word;)
      into.insert(word);
    return true;
  } else if constexpr (std::is_arithmetic_v<T>) {
    in >> into;
  } else {
    double seconds = 0;
    in >> seconds;
    into = T{static_cast<typename T::rep>(
        std::llround(seconds * static_cast<double>(T::period::den) / T::period::num))};
  }
  return !in.fail() && in.peek() == std::istringstream::traits_type::eof();
}

} // namespace

std::string write_settings(const settings& of) {
  std::string out;
  for_each_value(of, [&](std::string_view name, const auto& value, const auto& usual) {
    if (value != usual || name == "seed")
      out += std::string(name) + " = " + text_of(value) + "\n";
  });
  return out;
}

result<settings> read_settings(const std::string& text) {
  settings out;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto refuse = [&](const std::string& why) {
      return make_error(errc::invalid_params, "line " + std::to_string(number) + ": " + why, "");
    };
    if (line.empty() || line.front() == '#')
      continue;
    const auto equals = line.find(" = ");
    if (equals == std::string::npos)
      return refuse("expected NAME = VALUE, found \"" + line + '"');
    const auto wanted = line.substr(0, equals);
    bool is_known = false;
    bool is_good = false;
    for_each_value(out, [&](std::string_view name, auto& value, const auto&) {
      if (wanted != name)
        return;
      is_known = true;
      is_good = read_value(line.substr(equals + 3), value);
    });
    if (!is_known)
      return refuse("there is no value \"" + wanted + '"');
    if (!is_good)
      return refuse("the value of " + wanted + " cannot be read");
  }
  return out;
}

namespace {

/// Each takes one kind of fault out.
constexpr auto without_fault = std::to_array<void (*)(settings&)>({
    [](settings& one) {
      one.crashes_per_second = one.crashes_at_start = one.crashes_in_recovery = 0;
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
    [](settings& one) { one.drains_per_second = 0; },
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
    if (one != than)
      out.push_back(one);
  };
  // First whole kinds of faults, then users, then time.
  for (const auto& take_out : without_fault)
    with(take_out);
  with([](settings& one) { one.crashes_at_start = 0; });
  with([](settings& one) { one.crashes_in_recovery = 0; });
  with([](settings& one) { one.power_failures = 0; });
  with([](settings& one) { one.is_durable = false; });
  with([](settings& one) { one.asking = 0; });
  with([](settings& one) { one.other_bindings = 0; });
  with([](settings& one) { one.has_stranger = false; });
  with([](settings& one) { one.subscribers = 0; });
  with([](settings& one) { one.subscribers = std::min<std::size_t>(1, one.subscribers); });
  with([](settings& one) { one.agent_steps_max = 0; });
  with([](settings& one) { one.plan_tasks_max = settings{}.plan_tasks_max; });
  with([](settings& one) { one.changing = 0; });
  with([](settings& one) { one.delegated = 0; });
  with([](settings& one) { one.notified = 0; });
  with([](settings& one) { one.alternatives = one.renaming = one.together = 0; });
  for (const std::string_view squeezed :
       {"stream-events-max",    "stream-bytes-max",     "segment-bytes",
        "journal-behind-bytes", "group-ahead-changes",  "group-bytes",
        "keeps-records",        "history-page-changes", "reads-max",
        "reads-per-client-max", "live-tasks-max",       "backlog-changes-max",
        "requests-max",         "connections-max",      "streams-max",
        "keep-alive",           "write-timeout",        "disk-wait",
        "cancel-grace",         "settled-linger"})
    with([&](settings& one) {
      for_each_value(one, [&](std::string_view name, auto& value, const auto& common) {
        if (name == squeezed)
          value = common;
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
