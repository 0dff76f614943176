#include "protocol/fold/objective_life.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/fold/operation_errors.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

std::string states_text(std::string_view who, std::string_view from, std::string_view to) {
  return std::string{who} + " is " + std::string{from} + " and cannot become " + std::string{to};
}

/// `who`: whose revision it is.
std::optional<error> check_revision(std::string_view who, std::uint64_t now,
                                    std::optional<std::uint64_t> wanted) {
  if (!wanted || *wanted == now)
    return std::nullopt;
  auto out = make_error(errc::revision_mismatch,
                        std::string{who} + " is at revision " + std::to_string(now) + ", not "
                            + std::to_string(*wanted) + "; read it again and repeat the change",
                        "revision");
  out.details = "{\"current\":" + std::to_string(now) + "}";
  return out;
}

std::optional<error> check_revision(const objective_view& objective,
                                    std::optional<std::uint64_t> wanted) {
  return check_revision("the objective", objective.revision, wanted);
}

std::optional<error> check_revision(const plan_view& plan, std::optional<std::uint64_t> wanted) {
  return check_revision("the plan", plan.revision, wanted);
}

constexpr auto one_by_one = "plans are started one by one";

} // namespace

bool is_stuck(const objective_view& view, const plan_counts& plans) {
  const bool none_works =
      plans.blocked + plans.idle == plans.running && (plans.blocked > 0 || view.paused);
  const bool none_may_begin = view.parallel_max > 0 && plans.asking >= view.parallel_max;
  return none_works || none_may_begin;
}

/// Makes one decision: changes the view as it emits events.
struct objective_decider {
  objective_life& life;
  timestamp at;
  objective_decision out{};
  change where{};

  objective_decider(objective_life& of, timestamp now) : life(of), at(now) {
    where.context = of.view_.id.str();
    where.at = now;
  }

  [[nodiscard]] const objective_view& view() const { return life.view_; }
  [[nodiscard]] plan_state state_of(std::uint32_t plan) const { return view().plans[plan].state; }
  [[nodiscard]] std::uint32_t plans() const {
    return static_cast<std::uint32_t>(view().plans.size());
  }

  // -- events -------------------------------------------------------------------------------------

  template<class Event>
  void emit(Event fact) {
    const bool were_held = view().planning;
    const bool was_paused = view().paused;
    apply(life.view_, where, fact);
    if (view().planning != were_held || view().paused != was_paused)
      life.order_.look_at_all();
    out.events.emplace_back(std::move(fact));
  }

  void refuse(error why) { out.refused = std::move(why); }
  void refuse_move(std::string message, std::string field = "status") {
    refuse(make_error(errc::invalid_transition, std::move(message), std::move(field)));
  }

  void move(objective_event on, std::string reason) {
    emit(objective_moved{on, std::move(reason)});
  }

  void move_plan(std::uint32_t plan, plan_event on, std::string reason, bool requested = false) {
    const bool begins = on == plan_event::work && state_of(plan) == plan_state::pending;
    emit(plan_moved{plan, on, std::move(reason), requested});
    life.order_.set_state(plan, state_of(plan));
    if (on != plan_event::retry)
      life.shapes_.erase(plan); // it is pending no longer
    if (const auto primary = life.relations()[plan].alternative_of; begins && primary)
      count_in_place(plan, *primary);
  }

  /// The alternative counts for the progress from now on, and a failed plan no longer does, so that
  /// the progress may be less. Readers are promised that it falls only with a new revision.
  void count_in_place(std::uint32_t alternative, std::uint32_t primary) {
    const auto& plans_now = view().plans;
    objective_changed changed;
    const auto alternative_name = "plan " + quoted(plans_now[alternative].spec->name);
    const auto primary_name = "plan " + quoted(plans_now[primary].spec->name);
    changed.reason = state_of(primary) == plan_state::failed
                         ? alternative_name + " begins in place of " + primary_name
                         : alternative_name + " is ended, and " + primary_name + " has not failed";
    changed.revision = view().revision + 1;
    emit(std::move(changed));
  }

  /// Ends all tasks of a plan that will never begin.
  void withdraw_all(std::uint32_t plan, const std::string& reason) {
    std::vector<std::uint32_t> rest;
    const auto& summaries = view().plans[plan].tasks;
    for (std::uint32_t t = 0; t < summaries.size(); ++t)
      if (summaries[t].state == task_state::unspecified)
        rest.push_back(t);
    if (!rest.empty())
      emit(tasks_withdrawn{plan, std::move(rest), task_state::canceled, reason});
  }

  // -- what follows by itself --------------------------------------------------------------------

  /// Ends the objective if all of it is over, starts plans that may start, sets or clears
  /// `blocked`.
  void go_on() {
    if (view().closing && life.running() == 0)
      return end(*view().closing, std::string{view().closing_reason});
    if (view().closing || view().state == objective_state::submitted || is_settled(view().state))
      return;
    step_plans();
    if (!out.look_again)
      show_whether_stuck();
  }

  /// If plans are started one by one (`planning`), only those with `start_requested` begin.
  void step_plans() {
    auto next = life.order_.next(
        [&](std::uint32_t plan) { return view().planning && !view().plans[plan].start_requested; });
    for (auto& skip : next.skipped) {
      withdraw_all(skip.plan, skip.reason);
      move_plan(skip.plan, plan_event::skip, std::move(skip.reason));
      out.look_again = true;
    }
    if (!view().paused)
      for (const auto plan : next.start)
        start(plan);
    if (!next.outcome)
      return;
    if (view().state != objective_state::working)
      move(objective_event::work, "");
    move(event_to(*next.outcome), *next.outcome == objective_state::failed ? first_failure() : "");
  }

  [[nodiscard]] std::string first_failure() const {
    for (const auto& plan : view().plans)
      if (plan.state == plan_state::failed)
        return "plan " + quoted(plan.spec->name) + " failed: " + plan.reason;
    return {};
  }

  [[nodiscard]] std::string why_stuck() const {
    if (view().paused)
      return view().planner_pause ? "waits for the planner" : "paused by request";
    const bool a_plan_is_paused = view().pending_inputs.empty()
                                  && std::any_of(view().plans.begin(), view().plans.end(),
                                                 [](const plan_view& plan) { return plan.paused; });
    return a_plan_is_paused ? "its plans are paused by request" : "waits for input";
  }

  void show_whether_stuck() {
    const bool stuck = is_stuck(view(), life.order_.counts());
    const auto awake = view().planning ? objective_state::planning : objective_state::working;
    const bool is_blocked = view().state == objective_state::blocked;
    if (!stuck && is_blocked)
      return move(event_to(awake), "");
    if (!stuck || (view().state != awake && !is_blocked))
      return;
    if (auto why = why_stuck(); !is_blocked || view().reason != why)
      move(objective_event::block, std::move(why));
  }

  void start(std::uint32_t plan) {
    if (!is_running(state_of(plan)))
      move_plan(plan, plan_event::work, "");
    life.order_.set_activity(plan, {});
    out.effects.emplace_back(start_plan{plan});
  }

  // -- the end -----------------------------------------------------------------------------------

  /// Ends the running plans first. The event comes before that, so that a restart continues to end
  /// them.
  void close(objective_state to, const std::string& reason) {
    if (life.running() == 0)
      return end(to, reason);
    emit(objective_closing{to, reason});
    for (std::uint32_t p = 0; p < plans(); ++p)
      if (is_running(state_of(p)))
        out.effects.emplace_back(end_running_plan{p, plan_end_with(to), reason});
  }

  /// Skips all pending plans, because they would never begin.
  void end(objective_state to, const std::string& reason) {
    for (std::uint32_t p = 0; p < plans(); ++p)
      if (state_of(p) == plan_state::pending) {
        withdraw_all(p, reason);
        move_plan(p, plan_event::skip, reason);
      }
    if (!next_state(view().state, event_to(to)))
      move(objective_event::work, "");
    move(event_to(to), reason);
  }

  // -- trying again ------------------------------------------------------------------------------

  /// Whether a retry of the objective retries this plan. Plans that were skipped by request, and
  /// alternatives that are not needed, stay skipped.
  [[nodiscard]] bool is_tried_again(std::uint32_t plan) const {
    if (state_of(plan) != plan_state::skipped)
      return state_of(plan) == plan_state::failed || state_of(plan) == plan_state::pending;
    const auto primary = life.relations()[plan].alternative_of;
    return !view().plans[plan].skip_requested
           && !(primary && state_of(*primary) == plan_state::completed);
  }

  /// Makes new tasks for those that failed or were withdrawn; completed tasks stay.
  void renew(std::uint32_t plan) {
    std::vector<std::uint32_t> again;
    const auto& summaries = view().plans[plan].tasks;
    for (std::uint32_t t = 0; t < summaries.size(); ++t)
      if (summaries[t].state != task_state::completed
          && summaries[t].state != task_state::unspecified && !summaries[t].is_skipped
          && !view().plans[plan].spec->tasks[t].is_removed)
        again.push_back(t);
    if (again.empty() && state_of(plan) == plan_state::pending)
      return;
    emit(tasks_renewed{plan, std::move(again)});
    move_plan(plan, plan_event::retry, "tried again");
    renew_dependents(plan);
  }

  /// Retries plans that were skipped because this plan (or its primary) had not completed, and the
  /// alternatives of this plan. Alternatives that are not needed are skipped again.
  void renew_dependents(std::uint32_t plan) {
    const auto primary = life.relations()[plan].alternative_of.value_or(plan);
    for (std::uint32_t p = 0; p < plans(); ++p) {
      if (state_of(p) != plan_state::skipped || view().plans[p].skip_requested)
        continue;
      const auto& other = life.relations()[p];
      const auto needs = [&](std::uint32_t which) {
        return std::find(other.dependencies.begin(), other.dependencies.end(), which)
               != other.dependencies.end();
      };
      if (needs(plan) || needs(primary) || other.alternative_of == plan)
        renew(p);
    }
  }

  // -- commands ----------------------------------------------------------------------------------

  void operator()(const objective_begins& input) {
    emit(input.created);
    for (std::uint32_t p = 0; p < plans(); ++p)
      life.order_.set_state(p, state_of(p));
    if (input.start)
      move(objective_event::work, "");
  }

  void operator()(const objective_goes_on&) {
    forget_questions(life.view_);
    for (std::uint32_t p = 0; p < plans(); ++p)
      if (is_running(state_of(p)))
        start(p);
    go_on();
  }

  void operator()(const update_objective& command) {
    if (auto stale = check_revision(view(), command.if_revision))
      return refuse(std::move(*stale));
    if (command.state && !may_change_to(*command.state))
      return;
    if (auto wrong = check_edits(view(), command.edited))
      return refuse(std::move(*wrong));
    if (!command.edited.empty() || command.used.calls > 0)
      emit(objective_edited{command.edited, command.used});
    if (command.state && command.for_planner)
      change_for_planner(*command.state);
    else if (command.state)
      change_to(*command.state);
    if (view().closing)
      out.answer = answer_after::objective_end;
  }

  [[nodiscard]] bool may_change_to(objective_state to) {
    const auto closing = view().closing;
    if (!may_become(view().state, to))
      refuse_move(states_text("the objective", to_string(view().state), to_string(to)));
    else if (closing && to != *closing && to != objective_state::canceled)
      refuse_move("the objective is being ended as " + std::string{to_string(*closing)}
                  + " and cannot become " + std::string{to_string(to)});
    return !out.refused;
  }

  void change_to(objective_state to) {
    // A pause, and the end of a pause, go to the running plans too. A plan may still be carrying
    // out the opposite command.
    const bool has_begun =
        view().state == objective_state::planning || view().state == objective_state::blocked;
    if (to == objective_state::working || to == objective_state::blocked
        || (to == objective_state::planning && has_begun))
      return pause_or_go_on(to);
    if (to == view().state)
      return;
    switch (to) {
      case objective_state::canceled: return close(to, "canceled by request");
      case objective_state::failed: return close(to, "failed by request");
      case objective_state::completed: return close(to, "completed by request");
      case objective_state::submitted:
      case objective_state::planning:
        if (is_settled(view().state))
          for (std::uint32_t p = 0; p < plans(); ++p)
            if (is_tried_again(p))
              renew(p);
        return move(event_to(to), "");
      case objective_state::working:
      case objective_state::blocked: return; // above
    }
  }

  /// A pause that a client asked for is not changed by the planner, and neither is its end.
  void change_for_planner(objective_state to) {
    const bool pauses = to == objective_state::blocked;
    if (pauses && view().planner_pause)
      return refuse_move("the objective is being planned anew already; wait until that is done",
                         "id");
    if (pauses ? !view().paused : view().planner_pause.has_value())
      pause_or_go_on(to, pauses, !pauses);
  }

  /// Pauses or resumes the running plans. Each plan reports its state afterwards, and the state of
  /// the objective follows from these reports. After a pause for the planner, the plans that were
  /// paused beside it stay paused, unless somebody else ends the pause.
  void pause_or_go_on(objective_state to, bool for_planner = false, bool after_planner = false) {
    const bool paused = to == objective_state::blocked;
    const auto stay = after_planner ? *view().planner_pause : std::vector<std::uint32_t>{};
    emit(pause_changed{paused, std::nullopt, for_planner});
    for (const auto p : stay)
      if (!is_settled(state_of(p)))
        emit(pause_changed{true, p});
    for (std::uint32_t p = 0; p < plans(); ++p)
      if (is_running(state_of(p)) && view().plans[p].paused == paused)
        tell_pause(p, paused);
    const bool follows = view().state == objective_state::blocked
                         && view().planning == (to == objective_state::planning);
    if (!paused && to != view().state && !follows)
      move(event_to(to), "");
    go_on();
  }

  void tell_pause(std::uint32_t plan, bool paused) {
    out.effects.emplace_back(pause_running_plan{plan, paused});
    out.answer = answer_after::plans_heard;
  }

  void operator()(const objective_cancellation& command) {
    if (next_state(view().state, objective_event::cancel))
      close(objective_state::canceled, command.reason);
    out.answer = answer_after::objective_end;
  }

  // -- commands for one plan ---------------------------------------------------------------------

  void operator()(const plan_addition& command) {
    if (auto stale = check_revision(view(), command.revision))
      return refuse(std::move(*stale));
    if (is_settled(view().state))
      return refuse_move("the objective is " + std::string{to_string(view().state)}
                             + " and takes no more plans",
                         "objectiveId");
    if (view().closing)
      return refuse_move("the objective is being ended and takes no more plans", "objectiveId");
    if (view().state == objective_state::submitted) {
      if (command.starts_objective)
        move(objective_event::work, "");
      else if (command.start)
        move(objective_event::start_planning, one_by_one);
    }
    life.order_.add(command.relations);
    emit(plan_added{command.spec, command.start});
    go_on();
  }

  void operator()(const plan_update& command) {
    if (auto stale = check_revision(view().plans[command.plan], command.revision))
      return refuse(std::move(*stale));
    if (auto wrong = check_edits(view(), command.plan, command.edited))
      return refuse(std::move(*wrong));
    if (command.to)
      change_plan(command.plan, *command.to);
    if (out.refused)
      return;
    if (!command.edited.empty())
      emit(plan_edited{command.plan, command.edited});
    go_on();
  }

  void change_plan(std::uint32_t plan, plan_state to) {
    const auto from = state_of(plan);
    const bool runs = is_running(from);
    if (view().state == objective_state::completed && from != to)
      return refuse_move("the objective is completed, and its plans stay as they are");
    if (!may_become(from, to))
      return refuse(wrong_move(from, to));
    if (runs && is_running(to)) {
      emit(pause_changed{to == plan_state::blocked, plan});
      return tell_pause(plan, to == plan_state::blocked);
    }
    if (from == to)
      return;
    switch (to) {
      case plan_state::working: return start_by_request(plan);
      case plan_state::blocked: // only of a plan that runs
        return;
      case plan_state::completed:
      case plan_state::failed:
        return runs ? end_by_request(plan, to)
                    : end_unbegun(plan, to, std::string{to_string(to)} + " by request");
      case plan_state::skipped: return runs ? end_by_request(plan, to) : skip_unbegun(plan);
      case plan_state::pending: return retry_by_request(plan);
    }
  }

  /// An objective that has failed is open again, so that the plan can be started.
  void retry_by_request(std::uint32_t plan) {
    if (view().state == objective_state::canceled)
      return refuse_canceled();
    if (view().state == objective_state::failed)
      move(objective_event::start_planning, one_by_one);
    renew(plan);
  }

  void refuse_canceled() {
    refuse_move("the objective is canceled; set its status to submitted first: its plans become "
                "pending then");
  }

  void start_by_request(std::uint32_t plan) {
    if (view().closing)
      return refuse_move("the objective is being ended and starts no more plans");
    if (view().state == objective_state::canceled)
      return refuse_canceled();
    for (const auto other : life.relations()[plan].dependencies)
      if (!life.order_.is_met(other))
        return refuse_move("the plan depends on plan " + quoted(view().plans[other].spec->name)
                           + ", which is " + std::string{to_string(state_of(other))});
    if (view().state == objective_state::failed) {
      move(objective_event::start_planning, "");
      move(objective_event::work, "");
    }
    if (state_of(plan) == plan_state::failed)
      renew(plan);
    if (view().state == objective_state::submitted)
      move(objective_event::start_planning, one_by_one);
    if (view().plans[plan].paused)
      emit(pause_changed{false, plan});
    start(plan);
  }

  void end_by_request(std::uint32_t plan, plan_state to) {
    out.effects.emplace_back(
        end_running_plan{plan, to, std::string{to_string(to)} + " by request"});
    // A restart before the plan ends would lose this command.
    out.answer = answer_after::plan_end;
  }

  void skip_unbegun(std::uint32_t plan) {
    withdraw_all(plan, "skipped by request");
    move_plan(plan, plan_event::skip, "skipped by request", true);
  }

  /// Ends a pending plan. Its tasks are withdrawn.
  void end_unbegun(std::uint32_t plan, plan_state to, const std::string& reason) {
    if (state_of(plan) != plan_state::pending)
      return;
    move_plan(plan, plan_event::work, "");
    withdraw_all(plan, reason);
    move_plan(plan, event_to(to), reason);
  }

  void operator()(shape_change& input) {
    const auto plan = input.plan;
    if (auto stale = check_revision(view().plans[plan], input.command.if_revision))
      return refuse(std::move(*stale));
    if (auto fixed = why_fixed(plan))
      return refuse_move(std::move(*fixed), "id");
    if (auto wrong = check_plan_edits(plan, input.command.operations))
      return refuse(std::move(*wrong));
    const auto& now = view().plans[plan];
    auto& terms = input.terms;
    terms.plan = plan;
    terms.revision = view().revision + 1;
    terms.now = at;
    if (is_running(state_of(plan))) {
      out.effects.emplace_back(change_running_plan{plan, std::move(terms)});
      out.answer = answer_after::plan_answers;
      return;
    }
    auto& shape = life.shapes_.try_emplace(plan, *now.spec).first->second;
    auto decided = troupe::decide(now, shape, input.command, terms);
    if (!decided)
      return refuse(decided.error());
    out.report = std::move(decided->report);
    if (input.command.dry_run)
      return;
    const auto nothing_runs = [](std::uint32_t) { return false; };
    for (auto& each : events_of(now, decided->changed, nothing_runs))
      std::visit([&](auto& fact) { emit_shape(std::move(fact)); }, each);
    if (state_of(plan) == plan_state::failed)
      go_on_after_failure(plan);
  }

  /// Why the shape of a plan cannot be changed any more. A failed plan can still be changed.
  [[nodiscard]] std::optional<std::string> why_fixed(std::uint32_t plan) const {
    if (view().closing)
      return "the objective is being ended and its plans stay as they are";
    const bool has_failed = state_of(plan) == plan_state::failed;
    if (is_settled(view().state) && !(has_failed && view().state == objective_state::failed))
      return "the objective is " + std::string{to_string(view().state)}
             + " and its plans stay as they are";
    if (is_settled(state_of(plan)) && !has_failed)
      return "the plan is " + std::string{to_string(state_of(plan))} + " and stays as it is";
    return std::nullopt;
  }

  /// Checks the operations of a change that are about the plan itself.
  [[nodiscard]] std::optional<error>
  check_plan_edits(std::uint32_t plan, const std::vector<wanted_operation>& operations) const {
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const auto* edit = std::get_if<edit_plan>(&operations[i]);
      if (!edit)
        continue;
      auto wrong = check_edits(view(), plan, edit->edited);
      if (!wrong)
        wrong = check_deadline(edit->deadline, at);
      if (!wrong)
        continue;
      return operation_error(i, wrong->code, wrong->message, "/" + wrong->field);
    }
    return std::nullopt;
  }

  /// One of events_of.
  template<class Event>
  void emit_shape(Event fact) {
    if constexpr (requires { apply(life.view_, where, fact); })
      emit(std::move(fact));
  }

  /// A plan that has failed works again: a change has left no failed task in it.
  void go_on_after_failure(std::uint32_t plan) {
    if (view().state == objective_state::failed) {
      move(objective_event::start_planning, "");
      move(objective_event::work, "");
    }
    move_plan(plan, plan_event::retry, "changed by request");
    renew_dependents(plan);
    if (life.order_.may_begin(plan)) // One that failed before it began may still have to wait.
      start(plan);
    go_on();
  }

  // -- changes of the objective ------------------------------------------------------------------

  void operator()(const objective_reshape& input) {
    const auto& command = input.command;
    if (auto stale = check_revision(view(), command.if_revision))
      return refuse(std::move(*stale));
    if (command.dry_run)
      return try_out(input);
    if (view().closing)
      return refuse_move("the objective is being ended and stays as it is", "id");
    if (is_settled(view().state))
      return refuse_move(
          "the objective is " + std::string{to_string(view().state)} + " and stays as it is", "id");
    auto decided = troupe::decide(view(), life.order_, command, input.added, input.relate, at);
    if (!decided)
      return refuse(decided.error());
    change_report report;
    report.objective = view().id;
    begin_with(command, decided->added);
    for (std::size_t i = 0; i < decided->added.size(); ++i) {
      life.order_.add(input.added[i]);
      report.plans_added.push_back(decided->added[i].spec->id);
      emit(std::move(decided->added[i]));
    }
    if (decided->relations)
      life.order_.replace_relations(std::move(*decided->relations));
    const auto changed = std::make_shared<const objective_changed>(std::move(decided->changed));
    emit(*changed);
    out.effects.emplace_back(tell_running_plans{changed});
    for (const auto& each : changed->operations)
      if (const auto* skipped = std::get_if<skip_plan<std::uint32_t>>(&each))
        skip(skipped->plan, report);
      else if (const auto* removed = std::get_if<remove_plan<std::uint32_t>>(&each))
        remove(removed->plan, report);
    const auto told = out.effects.size();
    go_on();
    for (auto effect = told; effect < out.effects.size(); ++effect)
      if (const auto* begun = std::get_if<start_plan>(&out.effects[effect]))
        report.plans_released.push_back(view().plans[begun->plan].spec->id);
    report.revision = view().revision; // An alternative that begins makes one more.
    out.report = std::move(report);
  }

  /// On a copy, which is dropped.
  void try_out(const objective_reshape& input) {
    auto copy = life;
    auto wet = input;
    wet.command.dry_run = false;
    auto decided = copy.decide(std::move(wet), at);
    out.refused = std::move(decided.refused);
    out.report = std::move(decided.report);
    if (out.report)
      out.report->dry_run = true;
  }

  /// An objective that is submitted begins if the command says so, or if a plan is to.
  void begin_with(const modify_objective& command, const std::vector<plan_added>& added) {
    if (view().state != objective_state::submitted)
      return;
    if (command.starts)
      move(objective_event::work, "");
    else if (std::ranges::any_of(added, &plan_added::start))
      move(objective_event::start_planning, one_by_one);
  }

  void remove(std::uint32_t plan, change_report& report) {
    report.plans_removed.push_back(view().plans[plan].spec->id);
    withdraw_all(plan, "removed by request");
    move_plan(plan, plan_event::skip, "removed by request", true);
    life.order_.remove(plan);
  }

  void skip(std::uint32_t plan, change_report& report) {
    const auto& id = view().plans[plan].spec->id;
    report.plans_skipped.push_back(id);
    if (!is_running(state_of(plan)))
      return skip_unbegun(plan);
    report.plans_canceled.push_back(id);
    end_by_request(plan, plan_state::skipped);
  }

  void operator()(const task_withdrawal& command) {
    const auto plan = command.plan;
    if (plan >= plans() || state_of(plan) != plan_state::pending
        || command.task >= view().plans[plan].tasks.size()
        || view().plans[plan].tasks[command.task].state != task_state::unspecified)
      return refuse(make_error(errc::task_not_cancelable, "the task has ended already"));
    emit(tasks_withdrawn{
        plan, {command.task}, task_state::canceled, command.reason, command.metadata});
  }

  // -- facts -------------------------------------------------------------------------------------

  /// Applies the moves of a plan: a blocked plan works again before it ends.
  void follow(const std::vector<plan_moved>& moves) {
    for (const auto& moved : moves) {
      apply(life.view_, where, moved);
      life.order_.set_state(moved.plan, state_of(moved.plan));
    }
  }

  void operator()(const plan_progressed& fact) {
    if (!is_running(state_of(fact.plan)))
      return;
    follow(fact.moves);
    go_on();
  }

  void operator()(const plan_activity_changed& fact) {
    if (!is_running(state_of(fact.plan)))
      return;
    life.order_.set_activity(fact.plan, fact.activity);
    go_on();
  }

  void operator()(const plan_ended& fact) {
    life.order_.set_activity(fact.plan, {});
    follow(fact.moves);
    go_on();
  }

  void operator()(const plan_reshaped& fact) { apply(life.view_, where, fact.changed); }

  void operator()(const deadline_passed&) {
    if (view().closing || is_settled(view().state))
      return;
    if (is_due(view().deadline))
      return close(objective_state::failed, "the objective " + missed(*view().deadline));
    for (std::uint32_t p = 0; p < plans(); ++p) {
      const auto& deadline = view().plans[p].spec->deadline;
      if (!is_due(deadline))
        continue;
      auto reason = "the plan " + missed(*deadline);
      if (is_running(state_of(p)))
        out.effects.emplace_back(end_running_plan{p, plan_state::failed, std::move(reason)});
      else
        end_unbegun(p, plan_state::failed, reason);
    }
    go_on();
  }
  [[nodiscard]] bool is_due(const std::optional<timestamp>& deadline) const {
    return deadline && *deadline <= at;
  }
  [[nodiscard]] static std::string missed(timestamp deadline) {
    return "has not ended before its deadline, " + to_rfc3339(deadline);
  }

  void operator()(const plans_told&) {
    if (!view().closing && view().state != objective_state::submitted && !is_settled(view().state))
      show_whether_stuck();
  }

  void operator()(const question_changed& fact) {
    change of = where;
    of.task = fact.task;
    of.at = fact.at;
    apply(life.view_, of, fact.moved);
  }
};

error wrong_move(plan_state from, plan_state to) {
  return make_error(errc::invalid_transition,
                    states_text("the plan", to_string(from), to_string(to)), "status");
}

objective_life::objective_life(objective_view view, std::vector<plan_relations> relations)
    : view_(std::move(view)), order_(std::move(relations)) {
  view_.rollup.is_kept = false;
  for (std::uint32_t p = 0; p < view_.plans.size(); ++p) {
    order_.set_state(p, view_.plans[p].state);
    if (view_.plans[p].spec && view_.plans[p].spec->is_removed)
      order_.remove(p);
  }
}

objective_decision objective_life::decide(objective_input input, timestamp at) {
  objective_decider decider{*this, at};
  std::visit(decider, input);
  decider.out.at = at;
  return std::move(decider.out);
}

plan_view objective_life::lend(std::uint32_t plan) {
  auto out = view_.plans[plan];
  auto& lent = view_.plans.edit(plan);
  lent.is_lent = true;
  lent.tasks = {};
  return out;
}

void objective_life::take_back(std::uint32_t plan, chunked<task_summary> summaries) {
  auto& back = view_.plans.edit(plan);
  back.is_lent = false;
  back.tasks = std::move(summaries);
}

void objective_life::expect_progress(std::uint32_t plan) {
  auto activity = order_.activity_of(plan);
  activity.idle = false;
  order_.set_activity(plan, activity);
}

} // namespace troupe
