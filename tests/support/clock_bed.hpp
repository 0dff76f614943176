// A gateway whose actors and time a test turns by hand (actors/manual_clock.hpp): one thread,
// nothing waits, and the same test runs the same way each time. What happened is a list of lines
// with its times, so that a test compares the whole of it. For tests of time and order; those of
// threads use actor_bed.hpp.
#pragma once

#include "actors/manual_clock.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/store/store.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::testing {

/// Writes down what becomes of tasks: "<seconds> <task> <state>", from the second attempt on with "
/// #<attempt>"; progress as
/// "<seconds> <task> <value>%". Holds every move against the tables of protocol/: one that they do
/// not have fails the test.
class story final : public watcher {
public:
  explicit story(timestamp from) : from_(from) {}
  void on_change(const change_ptr& change) override;

  std::vector<std::string> lines;
  std::vector<std::string>
      plan_lines; ///< "<seconds> <plan> <state>", and "<seconds> objective <state>".

private:
  [[nodiscard]] std::string task_name(const task_address& of) const;
  void hold_to_table(const task_id& id, task_state to);

  timestamp from_;
  std::map<task_id, task_state> task_states_;
  std::vector<plan_state> plan_states_;
  objective_state objective_state_ = objective_state::submitted;
  std::vector<plan_spec_ptr> plans_;
};

/// Its tasks go on until the test says how they end.
class hand_agent final : public agent {
public:
  struct attempt {
    std::string name; ///< Of the task.
    std::uint32_t number;
    std::chrono::nanoseconds at;
    agent_port_ptr port;
    order_ptr order;
    bool over = false; ///< Its agent_run was destroyed.
  };

  explicit hand_agent(const manual_clock& clock) : clock_(clock) {}
  start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] std::uint32_t parallel_max() const override { return limit; }
  [[nodiscard]] restart_rule on_restart() const override { return rule; }
  [[nodiscard]] bool begins_nothing() const override { return is_closed; }

  /// The last attempt of the task of that name; throws if there was none.
  [[nodiscard]] attempt& of(const std::string& name);
  /// Attempts that are not over.
  [[nodiscard]] std::size_t running() const;

  std::vector<std::shared_ptr<attempt>> attempts;
  std::vector<std::string> canceled; ///< Names, in the order in which they were told.
  std::vector<std::string> heard; ///< What the tasks were told, as "name:text"; an answer as "name
                                  ///< answer:text"; that there is room as "name room".
  bool stops_at_once = true;      ///< What on_cancel returns.
  std::chrono::nanoseconds grace_min{}; ///< What cancel_grace_min returns.
  std::uint32_t limit = 0;
  restart_rule rule = restart_rule::next_attempt;
  bool is_closed = false;        ///< What begins_nothing returns.
  std::optional<message> unsaid; ///< What agent_run::unreported returns.

private:
  struct run;
  const manual_clock& clock_;
};

class clock_bed {
public:
  explicit clock_bed(executor_options options = {},
                     std::optional<std::uint64_t> seed = std::nullopt);
  clock_bed(std::unique_ptr<store> with, executor_options options,
            std::optional<std::uint64_t> seed);

  /// Made on first use, so that a test can set up its agents before.
  gateway& main_gateway();
  [[nodiscard]] store& records() { return *records_; }

  /// Creates and starts an objective and lets the actors do what they can without time passing;
  /// throws if it is refused.
  objective_id begin(objective_spec spec, bool start = true);
  /// The last objective begun, as committed.
  [[nodiscard]] objective_ptr objective() const;
  /// The record of its task of that name; null if it has not begun.
  [[nodiscard]] task_ptr task(const std::string& name) const;
  /// The text of a task's status message; empty if it has none.
  [[nodiscard]] std::string text(const std::string& name) const;
  /// How the tasks of a plan stand, in order, separated by blanks.
  [[nodiscard]] std::string states(std::size_t plan = 0) const;

  void report(const std::string& name, agent_report reported);
  /// Progress of `value` of 100.
  void progress(const std::string& name, double value);
  /// Nothing before the answer has come.
  [[nodiscard]] std::shared_ptr<std::optional<result<task_ptr>>> cancel(const std::string& name);
  void move(objective_state to);
  void move_plan(std::size_t plan, plan_state to);
  /// A message to the task of that name; throws if it is refused.
  void say(const std::string& name, const std::string& text);
  void pass(std::chrono::nanoseconds span);
  /// Ends all actors where they stand, as the end of the process would.
  void stop() { gateway_.reset(); }
  /// The same, and another process that goes on with the last objective.
  void restart();

  manual_clock clock;
  agent_registry agents; ///< `noop`, `boom` (fails) and `hand`.
  std::shared_ptr<hand_agent> hand;
  std::shared_ptr<story> seen;

private:
  std::unique_ptr<store> records_;
  executor_options options_;
  objective_id last_;
  std::unique_ptr<gateway> gateway_;
};

} // namespace troupe::testing
