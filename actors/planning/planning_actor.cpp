#include "actors/planning/planning_actor.hpp"

#include "actors/commands/message_rules.hpp"
#include "actors/objective/acceptance.hpp"
#include "actors/planning/question_task.hpp"
#include "actors/task/task_decision.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <exception>
#include <type_traits>
#include <utility>

namespace troupe {

namespace {

class report_to_planning final : public planner_port {
public:
  explicit report_to_planning(planning_handle to) : to_(std::move(to)) {}
  void report(planner_report reported) override {
    tell(to_, planner_reported{std::move(reported)});
  }

private:
  planning_handle to_;
};

class answer_to_planning final : public agent_port {
public:
  answer_to_planning(planning_handle to, std::uint32_t step) : to_(std::move(to)), step_(step) {}
  void report(agent_report reported) override { tell(to_, answer_reported{std::move(reported)}); }
  void wake_after(std::chrono::nanoseconds delay) override {
    tell_after(delay, to_, planning_timer{true, step_});
  }

private:
  planning_handle to_;
  std::uint32_t step_;
};

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an unknown exception";
  }
}

} // namespace

planning_actor::planning_actor(actor_pointer<handle> self, environment& env, planning_start&& start)
    : self_(self), env_(env), start_(std::move(start)), begun_(env.now()) {
  // CAF would say it on standard error. The desk hears of the end, and goes on without the planner.
  self_->set_exception_handler([&env](std::exception_ptr& thrown) {
    if (env.options.warn)
      env.options.warn("the planning of a text has died and goes on without the planner: "
                       + text_of(thrown));
    return end_by_exception();
  });
}

planning_actor::~planning_actor() {
  if (start_.left)
    start_.left();
}

void planning_actor::begin() {
  planner_problem_ = start_.query.planner_problem;
  decide();
}

void planning_actor::decide() {
  const auto agent = env_.agents.find(env_.agents.default_name());
  planner::planning_settings settings;
  settings.templates = *start_.templates;
  settings.has_model = env_.options.planning.planner != nullptr;
  settings.model_problem = planner_problem_;
  settings.template_problem = template_problem_;
  settings.answers_directly = agent && agent->answers_directly() && start_.query.message;
  settings.answer_problem = agent_problem_;
  auto made = planner::decide(start_.query.request, settings);
  if (!made) {
    start_.done(made.error());
    return leave();
  }
  made_ = std::move(*made);
  // A file of the operator is no reason to refuse a message that happens to fit it.
  if (made_.who == planner::decider::plan_template && start_.query.request.template_name.empty()
      && made_.objective)
    if (const auto ok = check_new_objective(*made_.objective, env_.agents); !ok) {
      template_problem_ = "the template " + troupe::quoted(made_.template_name)
                          + " fits, and makes a plan that cannot run: " + ok.error().message;
      return next_row();
    }
  if (made_.outcome == planner::decision::ask_model && start_.query.asks_planner)
    return ask_planner();
  if (made_.outcome == planner::decision::direct_answer)
    return ask_agent();
  finish();
}

void planning_actor::next_row() {
  phase_ = phase::deciding;
  ++step_;
  decide();
}

// -- the text planner -----------------------------------------------------------------------------

void planning_actor::ask_planner() {
  const auto& options = env_.options.planning;
  auto order = std::make_shared<planning_order>();
  order->text = start_.query.request.text;
  order->suggested_name = start_.query.request.suggested_name;
  order->objective = start_.query.objective;
  order->agents = options.agents;
  order->attempt = start_.query.attempt;
  order->deadline = env_.now() + options.budget;
  order->so_far = start_.query.so_far;
  order->replans = start_.query.replans;
  order->said = start_.query.said;
  order->questions_left = questions_left();
  rules_ = planned_rules::of(env_.agents, options.agents);
  order->check_plan = [rules = rules_](const objective_spec& plan) { return rules.check(plan); };
  order->check_change = [rules = rules_](const std::vector<wanted_objective_operation>& change) {
    return rules.check(change);
  };
  phase_ = phase::planner;
  const auto step = ++step_;
  tell_after(options.budget, handle_of(self_), planning_timer{false, step});
  planner_start begun = report_no_plan{};
  try {
    begun = options.planner->plan(std::move(order),
                                  std::make_shared<report_to_planning>(handle_of(self_)));
  } catch (...) {
    return take(
        planner_report{report_no_plan{"the planner failed: " + text_of(std::current_exception())}});
  }
  if (auto* run = std::get_if<planner_run_ptr>(&begun)) {
    planning_ = std::move(*run);
    if (!planning_)
      take(planner_report{report_no_plan{"the planner failed"}});
    return;
  }
  std::visit(
      [this](auto& report) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(report)>, planner_run_ptr>)
          take(planner_report{std::move(report)});
      },
      begun);
}

void planning_actor::on(planner_reported& fact) {
  if (phase_ == phase::planner)
    take(std::move(fact.report));
}

/// What the operations do to the objective is looked at when they are done.
std::string planning_actor::fault_of(const report_replan& change) const {
  if (!start_.query.replans)
    return "it changes an objective, and a plan was asked for";
  if (change.operations.empty())
    return "it has no operation";
  const auto ok = rules_.check(change.operations);
  return ok ? std::string{} : ok.error().message;
}

void planning_actor::take(planner_report report) {
  planning_.reset();
  std::visit(
      [this](auto& reported) {
        used_ += reported.used;
        take(reported);
      },
      report);
}

void planning_actor::take(report_plan& plan) {
  if (const auto ok = rules_.check(plan.objective); !ok) {
    planner_problem_ = "the planner made a plan that cannot run: " + ok.error().message;
    return next_row();
  }
  made_.outcome = planner::decision::objective;
  made_.assumptions = std::move(plan.assumptions);
  if (!start_.query.request.suggested_name.empty())
    plan.objective.name = start_.query.request.suggested_name;
  made_.objective = std::move(plan.objective);
  finish();
}

void planning_actor::take(report_replan& change) {
  if (auto fault = fault_of(change); !fault.empty()) {
    planner_problem_ = "the planner made a change that cannot be made: " + std::move(fault);
    return next_row();
  }
  made_.outcome = planner::decision::objective;
  made_.assumptions = std::move(change.assumptions);
  operations_ = std::move(change.operations);
  finish();
}

void planning_actor::take(report_answer& answer) {
  if (start_.query.replans) { // An answer changes nothing.
    planner_problem_ = "the planner answers, and makes no change: " + shown(answer.text);
    return next_row();
  }
  message said;
  said.parts.push_back(text_part(std::move(answer.text)));
  made_.outcome = planner::decision::direct_answer;
  answer_with(std::move(said));
}

std::uint32_t planning_actor::questions_left() const {
  const auto asked = start_.query.said.size();
  return asked >= planner_questions_max ? 0
                                        : planner_questions_max - static_cast<std::uint32_t>(asked);
}

/// A task of the objective asks it.
void planning_actor::take(report_planner_question& asked) {
  const auto& query = start_.query;
  auto fault = question_fault(asked);
  if (!fault.empty())
    planner_problem_ = "the planner asks what cannot be asked: " + std::move(fault);
  else if (!query.may_ask)
    planner_problem_ = "the planner asks: " + shown(asked.prompt) + " (say it in the text)";
  else if (questions_left() == 0)
    planner_problem_ = "the planner has asked " + std::to_string(planner_questions_max)
                       + " questions (planner_questions_max) and asks on";
  if (!planner_problem_.empty())
    return next_row();
  made_.outcome = planner::decision::objective;
  asks_person_ = true;
  made_.reasons.emplace_back("the planner asks a person first");
  made_.objective = objective_that_asks(
      {query.request.text, query.request.suggested_name, query.request.prefers_objective,
       !query.request.is_within_objective && query.request.suggested_name.empty(), query.replans,
       query.said, std::move(asked.prompt), std::move(asked.form)});
  finish();
}

void planning_actor::take(report_no_plan& none) {
  problem_code_ = none.code;
  problem_budget_ = std::move(none.budget);
  planner_problem_ = none.reason.empty() ? "the planner makes no plan" : std::move(none.reason);
  next_row();
}

// -- the agent that answers directly --------------------------------------------------------------

void planning_actor::ask_agent() {
  const auto& query = start_.query;
  const auto agent = env_.agents.find(env_.agents.default_name());
  if (auto ok = check_media_types(*query.message, query.accepted_output_modes, *agent); !ok) {
    agent_problem_ = ok.error().message;
    return next_row();
  }
  auto asked = std::make_shared<message>(*query.message);
  if (asked->context_id.empty())
    asked->context_id = thread_id_source().next("ctx");
  auto order = std::make_shared<troupe::order>();
  order->id = task_id{thread_id_source().next("task")};
  order->context = asked->context_id;
  order->accepted_output_modes = query.accepted_output_modes;
  order->time_scale = env_.options.time_scale;
  order->deadline = env_.now() + env_.options.planning.answer_budget;
  order->messages.push_back(std::move(asked));
  phase_ = phase::agent;
  const auto step = ++step_;
  tell_after(env_.options.planning.answer_budget, handle_of(self_), planning_timer{false, step});
  start_result begun;
  try {
    begun = agent->start(order, std::make_shared<answer_to_planning>(handle_of(self_), step));
  } catch (...) {
    begun = report_failed{text_of(std::current_exception())};
  }
  if (auto* run = std::get_if<agent_run_ptr>(&begun))
    answering_ = std::move(*run);
  else if (auto* reply = std::get_if<report_reply>(&begun))
    answer_with(std::move(reply->message));
  else
    std::visit(
        [this](auto& report) {
          if constexpr (std::is_constructible_v<agent_report, decltype(std::move(report))>)
            take(agent_report{std::move(report)});
        },
        begun);
}

void planning_actor::on(answer_reported& fact) {
  if (phase_ == phase::agent)
    return take(std::move(fact.report));
  // It was told to stop, and has.
  const bool has_ended = std::holds_alternative<report_completed>(fact.report)
                         || std::holds_alternative<report_failed>(fact.report)
                         || std::holds_alternative<report_rejected>(fact.report)
                         || std::holds_alternative<report_canceled>(fact.report);
  if (!has_ended || !answering_)
    return;
  answering_.reset();
  if (phase_ == phase::over)
    leave();
}

/// A chunk goes on with its artifact; an artifact that is there already is made anew.
void planning_actor::add_artifact(artifact&& made, bool append) {
  auto found = std::ranges::find(made_so_far_, made.artifact_id, &artifact::artifact_id);
  if (found == made_so_far_.end() || made.artifact_id.empty())
    return made_so_far_.push_back(std::move(made));
  if (!append)
    found->parts.clear();
  for (auto& each : made.parts) {
    auto* text = std::get_if<text_content>(&each.content);
    auto* last =
        found->parts.empty() ? nullptr : std::get_if<text_content>(&found->parts.back().content);
    if (text != nullptr && last != nullptr)
      last->text += text->text; // a message is read as a whole
    else
      found->parts.push_back(std::move(each));
  }
}

std::vector<part> planning_actor::take_parts() {
  std::vector<part> out;
  for (auto& each : made_so_far_)
    out.insert(out.end(), std::make_move_iterator(each.parts.begin()),
               std::make_move_iterator(each.parts.end()));
  made_so_far_.clear();
  return out;
}

void planning_actor::take(agent_report report) {
  if (auto* made = std::get_if<report_artifact>(&report))
    return add_artifact(std::move(made->artifact), made->append);
  if (const auto* said = std::get_if<report_message>(&report)) {
    auto from_agent = said->message;
    from_agent.from = role::agent;
    used_ += usage_in(from_agent);
    return;
  }
  if (std::holds_alternative<report_progress>(report) || std::holds_alternative<report_note>(report)
      || std::holds_alternative<report_withdrawal>(report))
    return;
  if (auto* done = std::get_if<report_completed>(&report)) {
    for (auto& made : done->artifacts)
      add_artifact(std::move(made), false);
    message said;
    said.parts = take_parts();
    if (said.parts.empty() && !done->message.empty())
      said.parts.push_back(text_part(std::move(done->message)));
    if (!said.parts.empty()) {
      answering_.reset();
      return answer_with(std::move(said));
    }
    agent_problem_ = "the default agent has made nothing that could be the answer";
  } else if (const auto* failed = std::get_if<report_failed>(&report)) {
    agent_problem_ = "the default agent failed: " + failed->reason;
  } else if (const auto* rejected = std::get_if<report_rejected>(&report)) {
    agent_problem_ = "the default agent rejects it: " + rejected->reason;
  } else if (std::holds_alternative<report_question>(report)) {
    agent_problem_ = "the default agent asks something";
    stop_agent();
    return next_row();
  } else {
    agent_problem_ = "the default agent has stopped";
  }
  answering_.reset();
  next_row();
}

void planning_actor::stop_agent() {
  if (!answering_)
    return;
  bool is_over = true;
  try {
    if (auto said = answering_->unreported()) {
      said->from = role::agent;
      used_ += usage_in(*said);
    }
    is_over = answering_->on_cancel();
  } catch (...) {
    is_over = true;
  }
  if (is_over)
    answering_.reset();
}

void planning_actor::answer_with(message said) {
  if (said.message_id.empty())
    said.message_id = thread_id_source().next("msg");
  said.from = role::agent;
  said.task_id.clear();
  const auto* asked = start_.query.message.get();
  said.context_id = asked ? asked->context_id : std::string{};
  if (!made_.problems.empty() || !made_.ambiguous.empty())
    said.metadata[planner::planner_key] = planner::note_of(made_);
  if (used_.calls > 0)
    said.metadata[planning_usage_key] = usage_as_json(used_);
  answer_ = std::make_shared<const message>(std::move(said));
  finish();
}

// -- time and the end -----------------------------------------------------------------------------

void planning_actor::on(planning_timer& fact) {
  if (phase_ == phase::over && !fact.wakes_agent) { // The agent had time to stop.
    answering_.reset();
    return leave();
  }
  if (fact.step != step_)
    return;
  const auto& options = env_.options.planning;
  if (fact.wakes_agent) {
    if (phase_ != phase::agent || !answering_)
      return;
    try {
      answering_->on_wake();
    } catch (...) {
      take(agent_report{report_failed{text_of(std::current_exception())}});
    }
    return;
  }
  if (phase_ == phase::planner) {
    if (planning_)
      used_ += planning_->used();
    planning_.reset();
    planner_problem_ = "the planner has not answered within " + seconds_text(options.budget);
    next_row();
  } else if (phase_ == phase::agent) {
    stop_agent();
    agent_problem_ =
        "the default agent has not answered within " + seconds_text(options.answer_budget);
    next_row();
  }
}

void planning_actor::on(cancel_planning&) {
  start_.done(make_error(errc::unavailable, "the planning was canceled"));
  planning_.reset();
  stop_agent();
  if (!answering_)
    return leave();
  phase_ = phase::over;
  tell_after(env_.options.cancel_grace, handle_of(self_), planning_timer{});
}

void planning_actor::finish() {
  auto out = std::make_shared<planned_message>();
  out->made = std::move(made_);
  out->answer = std::move(answer_);
  out->asks_person = asks_person_;
  out->operations = std::move(operations_);
  out->used = used_;
  out->planner_problem = problem_code_;
  out->has_failed_row =
      !planner_problem_.empty() || !agent_problem_.empty() || !template_problem_.empty();
  out->budget = std::move(problem_budget_);
  out->at = env_.now();
  out->took = std::chrono::duration_cast<std::chrono::milliseconds>(env_.now() - begun_);
  start_.done(planned_message_ptr{std::move(out)});
  if (!answering_)
    return leave();
  phase_ = phase::over;
  tell_after(env_.options.cancel_grace, handle_of(self_), planning_timer{});
}

void planning_actor::leave() {
  self_->quit();
}

} // namespace troupe
