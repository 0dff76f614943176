#include "actors/planning/replanning.hpp"

#include "actors/commands/placing.hpp"
#include "actors/planning/asking.hpp"
#include "actors/planning/planned_objective.hpp"
#include "actors/planning/replacement.hpp"
#include "actors/planning/so_far.hpp"
#include "protocol/owner_parts.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/protocol/once.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/verdict.hpp"

namespace troupe {

namespace {

using so_far_ptr = std::shared_ptr<const objective_so_far>;

error why_not_planned(const objective_view& now) {
  return make_error(errc::invalid_transition,
                    is_settled(now.state)
                        ? "the objective is " + std::string{to_string(now.state)}
                              + " and cannot be planned anew"
                        : "the objective is still being planned; wait until it works",
                    "id");
}

update_objective planner_pause(const principal& who, const objective_id& id, objective_state to) {
  update_objective out;
  out.who = who;
  out.id = id;
  out.state = to;
  out.for_planner = true;
  return out;
}

/// How an objective goes on that was paused for the planner.
objective_state awake(const objective_view& paused) {
  return paused.planning ? objective_state::planning : objective_state::working;
}

/// The reasons for which a change is refused although the plan of the planner is valid.
constexpr auto other_refusals = std::to_array<errc>(
    {errc::invalid_transition, errc::revision_mismatch, errc::duplicate_request,
     errc::objective_not_found, errc::unavailable, errc::overloaded, errc::store_unreadable,
     errc::store_failed, errc::not_here, errc::internal});

std::string joined(const std::vector<std::string>& reasons) {
  std::string out;
  for (const auto& each : reasons)
    out += (out.empty() ? "" : "; ") + each;
  return out;
}

/// For how long the change that follows from an answer is known: its task ends at once behind it.
constexpr std::chrono::hours answered_change_kept{24};

/// That the change was made which follows from the answer.
once made_once(const replan_answer& answered, const principal& who, timestamp at) {
  return {.kind = once_kind::request,
          .owner = owner_of(who),
          .key = "replanned by " + answered.asking.str(),
          .content = 0,
          .until = at + answered_change_kept,
          .answer = {}};
}

class replanning : public std::enable_shared_from_this<replanning> {
public:
  replanning(gateway& to, replan_objective command, std::optional<replan_answer> answered,
             replan_ticket ticket, reply<replan_report> done)
      : to_(to), command_(std::move(command)), answered_(std::move(answered)),
        ticket_(std::move(ticket)), done_(std::move(done)) {}

  void begin() {
    to_.records().read_objective(
        command_.id,
        [self = shared_from_this()](const result<objective_ptr>& now) {
          if (!now)
            return self->done_(now.error());
          self->pause(**now);
        },
        client_of(command_.who));
  }

private:
  /// An objective that is submitted runs nothing, so it is not paused, and only its revision is
  /// compared.
  void pause(const objective_view& now) {
    if (is_settled(now.state) || is_being_planned(now))
      return done_(why_not_planned(now));
    const bool has_begun = now.state != objective_state::submitted;
    auto pause = planner_pause(command_.who, command_.id,
                               has_begun ? objective_state::blocked : objective_state::submitted);
    pause.if_revision = command_.if_revision;
    to_.update(std::move(pause), [self = shared_from_this()](const result<objective_ptr>& paused) {
      if (!paused)
        return self->done_(paused.error());
      self->hand_over(*paused);
    });
  }

  void hand_over(const objective_ptr& paused) {
    awake_ = awake(*paused);
    read_so_far(to_.records(), paused, client_of(command_.who),
                [self = shared_from_this()](const result<so_far_ptr>& now) {
                  if (!now)
                    return self->end(now.error());
                  self->ask(*now);
                });
  }

  void ask(const so_far_ptr& now) {
    planning_query query;
    query.request.text = command_.text;
    query.request.is_active = true;
    query.request.is_within_objective = true;
    query.request.template_name = command_.template_name;
    for (const auto& [name, value] : command_.params)
      query.request.params.emplace(name, value);
    query.so_far = now;
    query.replans = true;
    query.may_ask = !command_.dry_run;
    if (answered_) {
      query.said = answered_->said;
      limit_attempts(query, answered_->attempt);
    }
    ask_about(to_, command_.id, std::move(query),
              [self = shared_from_this(), now](const result<planned_message_ptr>& planned) {
                self->on_planned(planned, *now->view);
              });
  }

  void on_planned(const result<planned_message_ptr>& planned, const objective_view& now) {
    if (!planned)
      return end(planned.error());
    const auto& made = **planned;
    count_used(to_, command_.id, made.used);
    out_.note = made.note();
    at_ = made.at;
    if (made.asks_person)
      out_.operations = operations_that_ask(*made.made.objective);
    else if (!made.operations.empty())
      out_.operations = made.operations;
    else if (made.made.objective)
      out_.operations = replacing_operations(now, plans_as_operations(*made.made.objective));
    if (out_.operations.empty())
      return end(no_change(made));
    change();
  }

  static error no_change(const planned_message& planned) {
    auto out = make_error(planned.planner_problem,
                          "nobody makes a change of the text: " + joined(planned.made.reasons),
                          planned.budget.empty() ? "text" : planned.budget);
    // Only the budget of a day begins anew, with the next day.
    if (planned.budget.starts_with("day-"))
      out.details =
          R"({"until":")"
          + to_rfc3339(std::chrono::floor<std::chrono::days>(planned.at) + std::chrono::days{1})
          + "\"}";
    return out;
  }

  /// The plan that asks is added to the others. The change that the text asks for is made after the
  /// answer.
  static std::vector<wanted_objective_operation> operations_that_ask(const objective_spec& asking) {
    std::vector<wanted_objective_operation> out;
    for (auto& plan : plans_as_operations(asking)) {
      plan.start = true; // Also if the plans of the objective are started one by one.
      out.emplace_back(std::move(plan));
    }
    return out;
  }

  void change() {
    modify_objective command;
    command.who = command_.who;
    command.id = command_.id;
    command.reason =
        command_.reason.empty() ? planner::name_of_text(command_.text) : command_.reason;
    command.if_revision = command_.if_revision;
    command.conditions = command_.conditions;
    if (answered_)
      command.conditions = std::make_shared<const std::vector<once>>(
          std::vector{made_once(*answered_, command_.who, at_)});
    command.dry_run = command_.dry_run;
    command.author = planner_author;
    command.operations = with_note(out_.operations, out_.note);
    to_.change(std::move(command), [self = shared_from_this()](const result<change_report>& made) {
      if (made) {
        self->out_.change = *made;
        return self->end(self->out_);
      }
      auto why = made.error();
      if (std::ranges::find(other_refusals, why.code) == other_refusals.end()) {
        why.code = errc::planner_failed;
        why.message.insert(0, "the planner made a change that cannot be made: ");
      }
      self->end(why);
    });
  }

  /// Answers when the objective goes on, or has ended.
  void end(result<replan_report> outcome) {
    to_.update(planner_pause(command_.who, command_.id, awake_),
               [self = shared_from_this(), outcome = std::move(outcome)](
                   const result<objective_ptr>& now) { self->answer(outcome, now); });
  }

  void answer(const result<replan_report>& outcome, const result<objective_ptr>& now) const {
    const bool has_ended = !now && now.error().code == errc::invalid_transition;
    if (!outcome && outcome.error().code == errc::unavailable && has_ended)
      return done_(make_error(errc::invalid_transition,
                              "the objective has ended while it was planned anew", "id"));
    done_(outcome);
  }

  gateway& to_;
  const replan_objective command_;
  const std::optional<replan_answer> answered_;
  const replan_ticket ticket_;
  const reply<replan_report> done_;
  objective_state awake_ = objective_state::working;
  timestamp at_{};
  replan_report out_;
};

void begin_replanning(gateway& to, replan_objective command, std::optional<replan_answer> answered,
                      reply<replan_report> done) {
  if (!to.planning().is_on())
    return done(make_error(errc::planner_failed, "this server plans no texts (planner.enabled)"));
  auto ticket = to.planning().enter_replan();
  if (!ticket)
    return done(make_error(errc::overloaded,
                           std::to_string(replans_under_way_max)
                               + " objectives are being planned anew (replans_under_way_max); try "
                                 "again later"));
  std::make_shared<replanning>(to, std::move(command), std::move(answered), std::move(ticket),
                               std::move(done))
      ->begin();
}

} // namespace

void replan(gateway& to, replan_objective command, reply<replan_report> done) {
  begin_replanning(to, std::move(command), std::nullopt, std::move(done));
}

void replan_answered(gateway& to, replan_objective command, replan_answer answered,
                     reply<replan_report> done) {
  const auto wanted = made_once(answered, command.who, {});
  to.records().read_once(wanted, {},
                         [&to, command = std::move(command), answered = std::move(answered),
                          done = std::move(done)](const result<once_ptr>& made) {
                           if (made && *made)
                             return done(replan_report{});
                           begin_replanning(to, command, answered, done);
                         });
}

void end_planner_pause(gateway& to, const objective_view& left) {
  to.update(planner_pause(principal_of(left.owner), left.id, awake(left)),
            [](const result<objective_ptr>&) {});
}

} // namespace troupe
