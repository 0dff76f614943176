// The extension point of planning: makes plans of texts from which templates and the grammar make
// none (docs/planner.md). Values in, a report out.
//
// Everything here is called by an actor, one call at a time for each text, and no call may block. A
// planner that uses a socket or a thread reports through its `planner_port`, which is thread-safe.
// A planner that fails, throws or takes too long loses no message: it is as if it made no plan.
#pragma once

#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/time.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// A text to plan. Shared and immutable.
struct planning_order {
  std::string text;
  std::string suggested_name;      ///< Of the objective; may be empty.
  std::string objective;           ///< In whose context the text was said: its id. Empty: in none.
  std::vector<std::string> agents; ///< Those that tasks may name. A task without one is for the
                                   ///< default agent.
  std::uint32_t attempt = 1;       ///< 2: it is asked once more, after a restart.
  timestamp deadline{};            ///< A later report is ignored.
};

using planning_order_ptr = std::shared_ptr<const planning_order>;

/// What is to be done. The name may be missing. Ids are left out.
struct report_plan {
  objective_spec objective;
  std::vector<std::string> assumptions; ///< For people.
};

/// The text needs no plan: this is its answer.
struct report_answer {
  std::string text;
};

struct report_no_plan {
  std::string reason;
};

using planner_report = std::variant<report_plan, report_answer, report_no_plan>;

/// Thread-safe; may outlive the planning. The first report counts.
class planner_port {
public:
  virtual ~planner_port() = default;
  virtual void report(planner_report reported) = 0;
};

using planner_port_ptr = std::shared_ptr<planner_port>;

/// A planning that goes on after `text_planner::plan` has returned. It is destroyed when nobody
/// waits for it any more: after its report, at its deadline, or because of a cancel.
class planner_run {
public:
  virtual ~planner_run() = default;
};

using planner_run_ptr = std::unique_ptr<planner_run>;

/// What `plan` may return: done at once, or still running.
using planner_start = std::variant<report_plan, report_answer, report_no_plan, planner_run_ptr>;

class text_planner {
public:
  virtual ~text_planner() = default;
  /// An exception counts as report_no_plan with its text.
  [[nodiscard]] virtual planner_start plan(const planning_order_ptr& order,
                                           const planner_port_ptr& port) = 0;
};

using text_planner_ptr = std::shared_ptr<text_planner>;

/// Who decides what becomes of a message (docs/planner.md).
struct planning_options {
  /// Without it each text is one task. Only a client that has activated the extension is planned
  /// for.
  bool is_on = true;
  /// Asked about texts from which templates and the grammar make no plan. Null: nobody is.
  text_planner_ptr planner{};
  /// The longest time that it may take.
  std::chrono::milliseconds budget{60'000};
  /// Agents that its tasks may name.
  std::vector<std::string> agents{};
  /// How long the default agent may take for a direct answer (agent::answers_directly).
  std::chrono::milliseconds answer_budget{2'000};
  /// Templates besides those of the program, as JSON.
  std::vector<std::string> templates{};
};

} // namespace troupe
