// When the tasks of a run waited and ran, from their records: for the summary, a drawing, and
// viewers of traces.
#pragma once

#include "apps/run/record_reader.hpp"
#include "apps/run/run_model.hpp"
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task_life.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Of tasks; of a larger run the first ones count.
inline constexpr std::size_t timed_tasks_max = 20'000;

/// A time in which no process ran the run: from its last change until it was resumed.
struct stopped_time {
  timestamp begin{};
  timestamp end{};

  friend bool operator==(const stopped_time&, const stopped_time&) = default;
};

/// Of all of them, as far as they are in the time from `begin` to `end`.
[[nodiscard]] std::chrono::milliseconds
stopped_in(const std::vector<stopped_time>& all, timestamp begin, timestamp end = timestamp::max());

/// A task that has begun.
struct timed_task {
  std::uint32_t plan = 0;  ///< Index.
  std::uint32_t index = 0; ///< Of the task in its plan.
  std::string plan_name;   ///< As shown_name.
  std::string name;        ///< As shown_name.
  task_state state = task_state::unspecified;
  std::vector<task_span> spans; ///< All that are over, oldest first.
  /// From the start of the run until all was completed on which it depends.
  std::chrono::milliseconds for_others{0};
  std::string last_of_them; ///< What completed last of these; empty: it depends on nothing.

  /// In the phase `of`. An attempt that a restart has interrupted is not counted: how long it ran
  /// is not known.
  [[nodiscard]] std::chrono::milliseconds time_in(task_phase of) const;
};

/// The phases that the record of a task has, with the wait for its first slot; of an ended task
/// with the last one.
[[nodiscard]] std::vector<task_span> spans_of(const task& record);

/// Of a task that has ended: from the beginning of its last attempt to its end, with the questions
/// that were asked meanwhile.
[[nodiscard]] task_span last_attempt_of(const task& record);

/// In the order of the document. Records that cannot be read are left out. `since`: what began
/// before is not of this run. Times in `stopped`, which are in order, are in no span and no wait.
[[nodiscard]] std::vector<timed_task> read_timing(const record_reader& records,
                                                  const objective_view& view, timestamp since = {},
                                                  const std::vector<stopped_time>& stopped = {});

/// The critical path of what was done in this run: the measured time of each task's last attempt,
/// if it completed. Zero if the dependencies of `model` cannot be resolved.
[[nodiscard]] std::chrono::milliseconds measured_critical_path(const run_model& model);

/// For people, at the end of a run: what was waited for besides other tasks, the three longest
/// waits with what they were for, and the slowest three. `waited 4.0s for a slot, 1.2s for
/// answers`, `longest waits: Build / link 3.1s for Build / compile, ...`, `slowest: ...`, a line
/// each; empty for less than three tasks, or if none took a second. Before them, if no process ran
/// the run for at least a second: `not running 2h 3m`.
[[nodiscard]] std::string timing_text(const std::vector<timed_task>& tasks,
                                      std::chrono::milliseconds stopped = {});

/// In the trace event format of Chrome, which Perfetto and chrome://tracing open: a process for
/// each plan, rows so that nothing overlaps, an event for each phase.
[[nodiscard]] std::string draw_trace(const std::vector<timed_task>& tasks);

/// As SVG: a row for each task, by when it began. Of a larger run the first rows.
[[nodiscard]] std::string draw_timeline(const std::vector<timed_task>& tasks,
                                        const std::string& title);

/// A page with the same drawing, what its colours mean, and a table of the times. It needs nothing
/// from elsewhere.
[[nodiscard]] std::string draw_timeline_page(const std::vector<timed_task>& tasks,
                                             const std::string& title);

} // namespace troupe
