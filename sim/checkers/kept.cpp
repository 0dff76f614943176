#include <algorithm>

#include "sim/checkers/checkers.hpp"
#include "sim/checkers/journal_fold.hpp"

namespace troupe::sim {

namespace {

bool has_status(const std::vector<stream_event>& journal, const task_view& shown) {
  return shown.state == "TASK_STATE_SUBMITTED"
         || std::ranges::any_of(journal, [&](const stream_event& event) {
              return event.kind == event_kind::status && event.task.state == shown.state;
            });
}

/// Whether the artifact ever had this text.
bool had_text(const std::vector<stream_event>& journal, const std::string& artifact,
              const std::string& text) {
  folded_task now;
  return std::ranges::any_of(journal, [&](const stream_event& event) {
    now.apply(event);
    const auto at = now.artifacts.find(artifact);
    return at != now.artifacts.end() && at->second == text;
  });
}

verdict check_view(const history& seen, const task_view& shown, const std::string& where) {
  const auto rest = seen.rest->find(shown.id);
  const auto begin = "task " + shown.id + ", which " + where;
  if (rest == seen.rest->end())
    return begin + ", is gone";
  if (is_terminal(shown.state) && rest->second.state != shown.state)
    return begin + " as " + shown.state + ", is " + rest->second.state + " at the end";
  const auto& journal = journal_of(seen, shown.id);
  if (!has_status(journal, shown))
    return begin + " as " + shown.state + ", never was in that state as far as is kept";
  if (shown.artifacts)
    for (const auto& [id, text] : *shown.artifacts)
      if (!had_text(journal, id, text))
        return begin + " with an artifact \"" + id + "\" of text \"" + text
               + "\", never had it as far as is kept";
  return std::nullopt;
}

/// A message that was taken stands in the history of its task.
verdict check_message(const history& seen, const call& made) {
  if (made.message_id.empty() || made.tasks.empty())
    return std::nullopt;
  const auto rest = seen.rest->find(made.tasks.front().id);
  if (rest == seen.rest->end()
      || std::ranges::find(rest->second.messages, made.message_id) != rest->second.messages.end())
    return std::nullopt;
  return "message " + made.message_id + " of " + made.client
         + ", which was acknowledged, is not in " + "task " + rest->first;
}

const shown_objective* end_of(const history& seen, const std::string& objective) {
  const auto found = std::ranges::find(seen.ends, objective, &shown_objective::id);
  return found == seen.ends.end() ? nullptr : &*found;
}

/// Whether a client has ever asked for that, and may have got it.
bool may_be_removed(const history& seen, const std::string& plan) {
  return std::ranges::any_of(seen.calls, [&](const call& made) {
    return made.change && made.change->names.contains(plan)
           && std::ranges::find(made.change->operations, "removePlan")
                  != made.change->operations.end();
  });
}

/// The plans that a request was acknowledged to add are among those of the objective.
verdict check_plans_of(const history& seen, const call& made,
                       const std::vector<std::string>& plans) {
  const auto* const shown = end_of(seen, made.objective);
  if (shown == nullptr)
    return "objective " + made.objective + ", which was acknowledged to " + made.client
           + ", is gone";
  for (const auto& plan : plans)
    if (std::ranges::find(shown->plans, plan, &shown_plan::name) == shown->plans.end()
        && !may_be_removed(seen, plan))
      return "plan " + plan + ", which was acknowledged to " + made.client
             + ", is not in objective " + made.objective;
  return std::nullopt;
}

verdict check_created(const history& seen, const call& made) {
  const auto ordered = std::ranges::find(seen.objectives, made.objective, &ordered_objective::id);
  std::vector<std::string> plans;
  // Others have joined it later.
  if (ordered != seen.objectives.end())
    for (const auto& plan : ordered->plans)
      if (plan.is_first)
        plans.push_back(plan.name);
  return check_plans_of(seen, made, plans);
}

/// A state that was asked for is among those that the objective or the plan had.
verdict check_move(const history& seen, const call& made) {
  const auto facts = seen.facts.find(made.objective);
  const bool is_of_plan = !made.plan.empty();
  bool was_so = made.to == (is_of_plan ? "pending" : "submitted"); // As it begins.
  std::optional<std::uint32_t> place;
  if (facts != seen.facts.end())
    for (const auto& each : facts->second) {
      if (each.kind == fact_kind::plan_added && each.text == made.plan)
        place = each.plan;
      const bool is_it = is_of_plan ? each.plan == place
                                          && (each.kind == fact_kind::plan_moved
                                              || each.kind == fact_kind::plan_told)
                                    : each.kind == fact_kind::moved || each.kind == fact_kind::told;
      was_so = was_so || (is_it && each.text == made.to);
    }
  if (was_so)
    return std::nullopt;
  return (is_of_plan ? "plan " + made.plan : "objective " + made.objective) + " was never "
         + made.to + ", although that was acknowledged to " + made.client;
}

bool is_claim(const question_fact& fact, const std::string& by) {
  return fact.kind == question_turn::claimed && fact.by == by;
}

const std::vector<question_fact>& facts_of(const history& seen, const std::string& question) {
  static const std::vector<question_fact> none;
  const auto found = seen.questions.find(question);
  return found == seen.questions.end() ? none : found->second;
}

verdict check_claim(const history& seen, const call& made) {
  const auto& facts = facts_of(seen, made.input->question);
  if (std::ranges::any_of(
          facts, [&](const question_fact& each) { return is_claim(each, made.input->by); }))
    return std::nullopt;
  return "question " + made.input->question + " was never claimed by " + made.input->by
         + ", although that was acknowledged";
}

/// Whether a claim has ended before its question did: it was given up, somebody else has claimed,
/// or the question was asked anew.
bool has_ended_before(const std::vector<question_fact>& facts, std::size_t claim) {
  bool was_closed = false;
  for (std::size_t i = claim + 1; i < facts.size(); ++i) {
    const auto kind = facts[i].kind;
    if (kind == question_turn::released || kind == question_turn::claimed
        || (kind == question_turn::opened && was_closed))
      return true;
    was_closed = kind == question_turn::expired || kind == question_turn::withdrawn;
  }
  return false;
}

/// What somebody has claimed and released is not claimed by them any more. There may have been no
/// claim.
verdict check_release(const history& seen, const call& made) {
  const auto& by = made.input->by;
  const bool claims_later = std::ranges::any_of(seen.calls, [&](const call& other) {
    return other.kind == call_kind::claim && other.input->question == made.input->question
           && other.input->by == by && (other.ended == 0 || other.ended > made.began);
  });
  const auto& facts = facts_of(seen, made.input->question);
  auto last = facts.size();
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (is_claim(facts[i], by))
      last = i;
  if (claims_later || last == facts.size() || has_ended_before(facts, last))
    return std::nullopt;
  return "question " + made.input->question + " stays claimed by " + by
         + ", although the release was acknowledged";
}

verdict check_done(const history& seen, const call& made) {
  switch (made.kind) {
    case call_kind::create: return check_created(seen, made);
    case call_kind::add_plan: return check_plans_of(seen, made, {made.plan});
    case call_kind::change:
      if (made.change->is_dry_run || made.change->added_plans.empty())
        return std::nullopt;
      return check_plans_of(seen, made, made.change->added_plans);
    case call_kind::move: return check_move(seen, made);
    case call_kind::claim: return check_claim(seen, made);
    case call_kind::release: return check_release(seen, made);
    default: return std::nullopt;
  }
}

} // namespace

verdict check_kept(const history& seen) {
  if (!seen.rest)
    return std::nullopt;
  for (const auto& made : seen.calls) {
    if (made.ended == 0 || made.error != 0)
      continue;
    for (const auto& shown : made.tasks)
      if (auto wrong = check_view(seen, shown, "was shown to " + made.client))
        return wrong;
    if (auto wrong = check_message(seen, made))
      return wrong;
    if (auto wrong = check_done(seen, made))
      return wrong;
  }
  for (const auto& read : seen.streams)
    for (const auto& event : read.events) {
      auto shown = event.task;
      shown.id = read.task;
      if (event.kind == event_kind::artifact)
        continue; // check_streams has them.
      if (auto wrong = check_view(seen, shown, "was streamed to " + read.client))
        return wrong;
    }
  return std::nullopt;
}

} // namespace troupe::sim
