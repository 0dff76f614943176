// What a run looks like from outside: an objective with its plans and tasks, kept up to date by the
// committed changes of the store (protocol/fold/apply.hpp). Beside the folded view it keeps what a
// screen shows of it: counts, times, what is active. The screen, the summary and the questions at
// the prompt read it. A plain value owned by one thread; every change costs the same however large
// the plan is, and nothing here looks at the clock.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/progress.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

/// How many tasks are in which state, without those that a change has removed. `rejected` tasks
/// count as failed; tasks that wait for an answer as waiting.
struct state_counts {
  std::size_t pending = 0; ///< Not begun.
  std::size_t working = 0;
  std::size_t waiting = 0;
  std::size_t completed = 0;
  std::size_t failed = 0;
  std::size_t canceled = 0; ///< With those that were withdrawn before they began.
  std::size_t skipped = 0;  ///< Not begun, in a plan that is not needed.

  [[nodiscard]] std::size_t done() const { return completed + failed + canceled + skipped; }
  [[nodiscard]] std::size_t total() const { return pending + working + waiting + done(); }

  friend bool operator==(const state_counts&, const state_counts&) = default;
};

/// The count that a task in `state` belongs to.
[[nodiscard]] std::size_t& counter_of(state_counts& counts, task_state state);

/// One task as the screen shows it.
struct task_row {
  task_state state = task_state::unspecified; ///< unspecified: pending.
  std::uint32_t generation = 0;
  std::uint32_t attempt = 0;
  timestamp began{}; ///< Of the last attempt; epoch if it has not begun.
  timestamp ended{}; ///< Epoch while it has not ended.

  /// How long the last attempt took or has taken; zero if it has not begun.
  [[nodiscard]] std::chrono::milliseconds elapsed(timestamp now) const;
};

struct plan_row {
  plan_spec_ptr spec;
  plan_state state = plan_state::pending;
  std::string reason;
  timestamp began{};
  timestamp ended{};
  state_counts counts;
  std::vector<task_row> tasks;    ///< In the order of `spec`.
  std::set<std::uint32_t> active; ///< Working or waiting for an answer.
  std::set<std::uint32_t> failed;
  std::unordered_map<std::uint32_t, progress_ptr> progress; ///< Of active tasks.
  std::unordered_map<std::uint32_t, std::string>
      reasons; ///< Why a task failed, or its latest status message.

  [[nodiscard]] std::chrono::milliseconds elapsed(timestamp now) const;
};

/// The same, of a task in its plan: what never began is skipped in a plan that is.
[[nodiscard]] std::size_t& counter_of(state_counts& counts, const plan_row& plan,
                                      const task_row& task);

/// A task that waits for an answer.
struct open_question {
  std::uint64_t number = 0; ///< Counts the questions of this model from 1.
  task_id task;
  std::uint32_t plan = 0;
  std::uint32_t index = 0;
  std::string prompt;
  bool auth = false; ///< Asks for credentials.
  timestamp since{};
  std::string question{}; ///< Its id within the task; empty: not known.
};

class run_model {
public:
  /// Everything as it stands, e.g. before a run goes on. Times of what happened before stay unknown
  /// until `measured`.
  void reset(const objective_view& from);
  /// The next change of the objective or one of its tasks, in commit order.
  void apply(const change& change);
  /// When a task of an earlier process began and ended.
  void measured(std::uint32_t plan, std::uint32_t task, timestamp began, timestamp ended);
  /// What the last status message of such a task says, if it has not completed.
  void explained(std::uint32_t plan, std::uint32_t task, std::string reason);
  /// When the objective began to be tried again, for the last time.
  void tried_again(timestamp began);
  /// Nothing runs it: its process died, or nobody answered. `state` says so to people.
  void leave(std::string state) { left_ = std::move(state); }

  [[nodiscard]] const objective_id& id() const { return view_.id; }
  [[nodiscard]] const std::string& name() const { return view_.name; }
  [[nodiscard]] objective_state state() const { return view_.state; }
  /// For people: that of `leave`, else the state.
  [[nodiscard]] std::string_view state_word() const {
    return left_.empty() ? to_string(view_.state) : std::string_view(left_);
  }
  [[nodiscard]] bool is_left() const { return !left_.empty(); }
  [[nodiscard]] const std::string& reason() const { return view_.reason; }
  /// How often its structure was changed.
  [[nodiscard]] std::uint64_t revision() const { return view_.revision; }
  [[nodiscard]] const std::vector<plan_row>& plans() const { return plans_; }
  [[nodiscard]] const state_counts& counts() const { return counts_; }
  /// The plan, which has failed, has only because the objective was canceled.
  [[nodiscard]] bool is_canceled(const plan_row& plan) const;
  [[nodiscard]] std::size_t parallel_seen_max() const { return parallel_seen_max_; }
  /// Attempts begun, of all tasks.
  [[nodiscard]] std::uint64_t attempts() const { return attempts_; }
  /// The objective as its changes have made it.
  [[nodiscard]] const objective_view& view() const { return view_; }
  /// Oldest first.
  [[nodiscard]] const std::vector<open_question>& questions() const { return questions_; }
  /// When the objective began to work, the last time if it was tried again; the epoch: not yet.
  [[nodiscard]] timestamp began() const { return began_; }
  /// Since then, until it settled.
  [[nodiscard]] std::chrono::milliseconds elapsed(timestamp now) const;
  /// How far the work is, 0 to 1, as a server shows it (protocol/fold/rollup.hpp).
  [[nodiscard]] double progress() const;

private:
  // Each brings the rows up to date with `view_`.
  void show(const change& where, const event& one);
  void show_objective(timestamp at);
  void show_new_plans();
  void show_shape(std::uint32_t index);
  void show_plan(std::uint32_t index, timestamp at);
  void show_tasks(std::uint32_t plan, const std::vector<std::uint32_t>& tasks, timestamp at);
  void show_task(plan_row& plan, std::uint32_t index, timestamp at);
  void show_move(const change& where, const task_moved& moved);
  void count_again(plan_row& plan);
  /// Adds `sign`, which is 1 or the largest value for -1, where the row counts.
  void count(plan_row& plan, std::uint32_t index, std::size_t sign);
  void end_question(const plan_row& plan, std::uint32_t index);
  [[nodiscard]] plan_row* row_of(const task_address& task);

  objective_view view_;
  std::string left_;
  timestamp began_{};
  timestamp ended_{};
  std::vector<plan_row> plans_;
  state_counts counts_;
  std::size_t parallel_seen_max_ = 0;
  std::uint64_t attempts_ = 0;
  std::vector<open_question> questions_;
  std::uint64_t questions_seen_ = 0;
};

} // namespace troupe
