// Decides what becomes of one message, and ends. It asks the text planner and the default agent
// where the verdict says so; if one of them fails or takes too long, the next row of the table in
// planner/verdict.hpp decides.
#pragma once

#include "actors/planning/planned_check.hpp"
#include "actors/planning/planning_desk.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe {

struct planning_start {
  planning_query query;
  template_list templates;
  reply_port<planned_message_ptr> done;
  std::function<void()> left; ///< Called when the actor is gone.
};

struct planning_actor {
  using handle = planning_handle;
  static inline const char* name = "troupe.planning";

  planning_actor(actor_pointer<handle> self, environment& env, planning_start&& start);
  planning_actor(const planning_actor&) = delete;
  planning_actor& operator=(const planning_actor&) = delete;
  ~planning_actor();

  void begin();
  void on(planner_reported& fact);
  void on(answer_reported& fact);
  void on(planning_timer& fact);
  void on(cancel_planning& fact);

private:
  enum class phase : std::uint8_t { deciding, planner, agent, over };

  void decide();
  void next_row();
  void ask_planner();
  void ask_agent();
  void take(planner_report report);
  void take(agent_report report);
  void take(report_plan& plan);
  void take(report_replan& change);
  void take(report_answer& answer);
  void take(report_planner_question& asked);
  void take(report_no_plan& none);
  [[nodiscard]] std::uint32_t questions_left() const;
  /// Why the change may not be made; empty if it may.
  [[nodiscard]] std::string fault_of(const report_replan& change) const;
  void add_artifact(artifact&& made, bool append);
  [[nodiscard]] std::vector<part> take_parts();
  void answer_with(message said);
  void finish();
  void stop_agent();
  void leave();

  actor_pointer<handle> self_;
  environment& env_;
  planning_start start_;
  timestamp begun_;
  planned_rules rules_{}; ///< Of the planner's plans, once it was asked.
  phase phase_ = phase::deciding;
  std::uint32_t step_ = 0;
  planner::verdict made_;
  message_ptr answer_;
  bool asks_person_ = false;
  std::vector<wanted_objective_operation> operations_;
  model_usage used_;
  std::string planner_problem_;
  std::string template_problem_; ///< Why the template that fits is not taken; empty: it may be.
  errc problem_code_ = errc::planner_failed;
  std::string problem_budget_; ///< As in report_no_plan.
  std::string agent_problem_;
  planner_run_ptr planning_;
  agent_run_ptr answering_;
  std::vector<artifact> made_so_far_; ///< Until the agent ends.
};

} // namespace troupe
