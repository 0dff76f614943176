// What a run has to show at its end: what its tasks made, and what those that failed said. Read
// from the record once the run has ended, by `run` and by `show`.
#pragma once

#include "apps/options.hpp"
#include "apps/run/record_reader.hpp"
#include "apps/run/run_model.hpp"
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/objective.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// How much is read to be shown on a terminal, unless it is asked for; files have no such bounds.
inline constexpr std::size_t results_shown_max = 50;
inline constexpr std::size_t failures_shown_max = 10;
/// Tasks that are named because their results cannot be read.
inline constexpr std::size_t unread_shown_max = 10;
/// Of each stream of a failed program.
inline constexpr std::size_t failure_lines_max = 20;

/// A task of an objective.
struct task_place {
  std::uint32_t plan = 0;
  std::uint32_t task = 0;
  friend bool operator==(const task_place&, const task_place&) = default;
};

/// What one task made.
struct task_result {
  std::string plan; ///< As shown_name.
  std::string task;
  std::vector<artifact_ptr> artifacts;
};

/// Why one task failed.
struct task_failure {
  std::string place;  ///< `Plan / Task`
  std::string reason; ///< Of a program that ended by itself: only how, if it wrote `lines`.
  std::vector<std::string> lines;
};

/// A task whose record cannot be read.
struct unread_task {
  std::string place; ///< `Plan / Task`
  error why;
};

/// Tasks that are shown.
struct ending_limits {
  std::size_t results = results_shown_max;
  std::size_t failures = failures_shown_max;

  [[nodiscard]] static constexpr ending_limits none() noexcept {
    return {static_cast<std::size_t>(-1), static_cast<std::size_t>(-1)};
  }
};

struct run_ending {
  std::vector<task_result> results;
  std::size_t results_left_out = 0; ///< Tasks.
  std::vector<unread_task> unread;  ///< Those whose results were to be shown.
  std::vector<task_failure> failures;
  std::size_t failures_left_out = 0;
  std::string show_command; ///< What shows the rest: `troupe show ID`.
  std::string timing;       ///< timing_text
  model_usage usage{};
};

/// The tasks whose artifacts `choice` shows, in the order of the document.
[[nodiscard]] std::vector<task_place> chosen_results(const objective_view& view,
                                                     output_choice choice);

/// Reads what `choice` shows of the run.
[[nodiscard]] run_ending read_ending(const record_reader& records, const objective_view& view,
                                     output_choice choice, ending_limits limits = {});

/// Calls `take` with each of the results, one after the other. The tasks that cannot be read.
[[nodiscard]] std::vector<unread_task>
for_each_result(const record_reader& records, const objective_view& view,
                const std::vector<task_place>& places,
                const std::function<void(const task_result&)>& take);

/// A line for each of the first tasks that cannot be read, and one that counts the others.
[[nodiscard]] std::vector<std::string> unread_lines(const std::vector<unread_task>& unread);

/// Why the task of this record failed, and what its program wrote in its last attempt.
[[nodiscard]] task_failure failure_of(const task& record, std::string place);

/// Gives `model` the times of the tasks of `view` that ran and ended, from their records, and why
/// they did not complete; of an objective that was tried again also when that began.
void read_times(run_model& model, const record_reader& records, const objective_view& view);

/// How results are printed.
struct ending_options {
  bool colour = false;
  std::size_t lines_max = 0; ///< Of one artifact; 0: all.
  /// Wider lines are broken, but for what tasks made and programs wrote.
  std::size_t columns = static_cast<std::size_t>(-1);
  /// Not empty: this is the log of a GitHub workflow. What is of one task can be folded
  /// (`::group::`), and no line of it is a command to the runner: between `::stop-commands::` with
  /// this token and the token itself it obeys none. Nobody can guess it.
  std::string workflow_token{};
};

/// Appends the results, each below a line with its task.
void append_results(std::string& out, const run_ending& ending, const ending_options& options);
/// Appends why tasks failed, and the last lines of programs.
void append_failures(std::string& out, const run_ending& ending, const ending_options& options);

} // namespace troupe
