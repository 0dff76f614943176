#include "sim/situations.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/at_once.hpp"
#include "sim/checkers/deadline_time.hpp"
#include "sim/history.hpp"
#include "sim/trace.hpp"

namespace troupe::sim {

namespace {

/// When one of them ends before the other begins they are not at once. An end of 0: never.
bool are_at_once(moment began, moment ended, moment other_began, moment other_ended) {
  return (other_ended == 0 || began < other_ended) && (ended == 0 || other_began < ended);
}

void note_calls(const history& seen, trace& story) {
  std::map<std::string, std::vector<const call*>> cancels;
  std::map<std::string, std::vector<const call*>> answers;
  for (const auto& made : seen.calls) {
    if (made.kind == call_kind::cancel)
      cancels[made.task].push_back(&made);
    if (made.kind == call_kind::answer)
      answers[made.task].push_back(&made);
    if (made.kind == call_kind::send && made.ended == 0 && seen.rest
        && std::ranges::any_of(*seen.rest, [&](const auto& each) {
             return std::ranges::find(each.second.messages, made.message_id)
                    != each.second.messages.end();
           }))
      story.reached("an answer is lost after its commit");
  }
  for (const auto& [task, all] : cancels) {
    if (all.size() > 1)
      story.reached("a task is canceled twice");
    for (const auto& each : seen.attempts)
      if (each.task == task && each.reported != 0
          && std::ranges::any_of(all, [&](const call* made) {
               return are_at_once(made->began, made->ended, each.reported, each.reported + 1);
             }))
        story.reached("a cancel meets the result of its task");
  }
  for (const auto& [task, all] : answers) {
    if (all.size() > 1)
      story.reached("a task is sent two answers");
    for (std::size_t i = 1; i < all.size(); ++i)
      if (are_at_once(all[i - 1]->began, all[i - 1]->ended, all[i]->began, all[i]->ended))
        story.reached("two messages for one question are under way at once");
  }
}

void note_streams(const history& seen, trace& story) {
  for (const auto& read : seen.streams) {
    for (const auto& event : read.events) {
      if (event.kind == event_kind::artifact && std::ranges::count(event.text, ';') > 1)
        story.reached("a stream shows chunks as one");
      if (event.has_gap)
        story.reached("a resumed stream has a gap");
    }
    if (read.after.empty() || read.events.empty())
      continue;
    if (read.events.back().kind == event_kind::status && is_terminal(read.events.back().task.state))
      story.reached("a resumed stream shows the end of its task");
    // The stream before it, of the same client and task, began before the crash.
    const auto before = std::ranges::find_if(seen.streams, [&](const stream_read& other) {
      return other.client == read.client && other.task == read.task && !other.events.empty()
             && other.events.back().cursor == read.after;
    });
    if (before != seen.streams.end() && std::ranges::any_of(seen.crashes, [&](moment at) {
          return before->events.back().at < at && at < read.events.front().at;
        }))
      story.reached("a stream goes on over a crash");
  }
}

void note_plans(const history& seen, trace& story) {
  std::map<std::string, std::vector<const attempt*>> by_name;
  for (const auto& each : seen.attempts)
    by_name[each.name].push_back(&each);
  for (const auto& objective : seen.objectives) {
    std::vector<const attempt*> all;
    for (const auto& plan : objective.plans) {
      std::vector<const attempt*> own;
      for (const auto& task : plan.tasks) {
        const auto& tries = by_name[task.name];
        own.insert(own.end(), tries.begin(), tries.end());
        for (const auto& on : task.dependencies)
          if (tries.empty() && !by_name[on].empty()
              && by_name[on].back()->report.starts_with("failed"))
            story.reached("a dependent task never begins because another one failed");
      }
      if (plan.parallel_max != 0 && most_at_once(own) == plan.parallel_max)
        story.reached("a plan runs as many tasks as it may");
      all.insert(all.end(), own.begin(), own.end());
    }
    if (objective.parallel_max != 0 && most_at_once(all) == objective.parallel_max
        && objective.plans.size() > 1)
      story.reached("an objective limits its plans");
  }
}

void note_attempts(const history& seen, trace& story) {
  std::map<std::string, const attempt*> last;
  for (const auto& each : seen.attempts) {
    const auto*& before = last[each.task];
    if (before != nullptr && std::ranges::any_of(seen.crashes, [&](moment at) {
          return before->began < at && at < each.began;
        }))
      story.reached("an attempt is repeated after a crash");
    before = &each;
  }
}

bool has_died_between(const history& seen, moment from, moment to) {
  return std::ranges::any_of(seen.crashes, [&](moment at) { return from < at && at < to; });
}

void note_changes(const history& seen, trace& story) {
  std::map<std::string, std::vector<const call*>> by_target;
  std::map<std::string, std::vector<const call*>> by_request;
  std::map<std::string, std::vector<const call*>> by_name;
  for (const auto& made : seen.calls)
    if (made.change) {
      by_target[made.change->target].push_back(&made);
      for (const auto& each : made.change->names)
        by_name[each].push_back(&made);
      if (!made.change->request_id.empty())
        by_request[made.change->request_id].push_back(&made);
    }
  const auto is_beaten = [](const call* one, const call* other) {
    return one != other && one->refusal == "REVISION_MISMATCH" && other->ended != 0
           && other->error == 0 && are_at_once(one->began, one->ended, other->began, other->ended);
  };
  for (const auto& [target, all] : by_target)
    for (const auto* one : all)
      if (std::ranges::any_of(all, [&](const call* other) { return is_beaten(one, other); }))
        story.reached("of two editors at once one loses");
  for (const auto& [id, all] : by_request)
    for (const auto* one : all)
      if (one->ended != 0 && one->error == 0
          && (has_died_between(seen, all.front()->ended, one->began)
              || (one->tries > 1 && has_died_between(seen, one->began, one->ended))))
        story.reached("a request id comes again after a restart");
  for (const auto& each : seen.attempts)
    if (const auto all = by_name.find(each.name); each.reported != 0 && all != by_name.end())
      for (const auto* made : all->second)
        if (are_at_once(made->began, made->ended, each.reported, each.reported + 1))
          story.reached("a change meets the end of a task that it names");
}

std::set<std::string> alternatives_in(const history& seen, const std::string& objective) {
  std::set<std::string> out;
  for (const auto& each : seen.objectives)
    if (each.id == objective)
      for (const auto& plan : each.plans)
        out.insert(plan.alternatives.begin(), plan.alternatives.end());
  return out;
}

void note_facts(const history& seen, trace& story) {
  for (const auto& [objective, facts] : seen.facts) {
    bool has_ended = false;
    const auto alternatives = alternatives_in(seen, objective);
    std::map<std::uint32_t, std::string> names;
    for (const auto& each : facts) {
      if (each.kind == fact_kind::plan_added)
        names[each.plan] = each.text;
      if (each.kind == fact_kind::plan_moved && alternatives.contains(names[each.plan])) {
        if (each.text == "working")
          story.reached("an alternative of a plan begins");
        if (each.text == "completed")
          story.reached("an alternative of a plan completes");
        if (each.text == "skipped" && each.reason == "not needed")
          story.reached("an alternative is not needed");
      }
      if (each.kind == fact_kind::plan_after && !each.others.empty())
        story.reached("a plan waits for another one");
      if (each.kind == fact_kind::moved) {
        if (has_ended)
          story.reached("an objective is tried again");
        has_ended = each.text == "failed" || each.text == "canceled";
      }
      const auto deadline = deadline_in(each.reason);
      if (deadline.empty())
        continue;
      if (each.kind == fact_kind::moved)
        story.reached("a deadline ends an objective");
      if (each.kind == fact_kind::plan_moved && each.reason.starts_with("the plan"))
        story.reached("a deadline ends a plan");
      if (each.kind == fact_kind::task_ended && each.reason.starts_with("the task"))
        story.reached("a deadline ends a task");
      const auto at = milliseconds_of(deadline);
      if (std::ranges::any_of(seen.downtimes,
                              [&](const downtime& down) { return down.from < at && at < down.to; }))
        story.reached("a deadline passes while no process lives");
    }
  }
}

void note_questions(const history& seen, trace& story) {
  for (const auto& made : seen.calls) {
    if (!made.input)
      continue;
    for (const auto& each : seen.expiries)
      if (made.kind == call_kind::answer_input && made.task == each.task
          && are_at_once(made.began, made.ended, each.at, each.at + 1))
        story.reached("an answer meets the expiry of its question");
    if (made.kind != call_kind::claim || made.ended == 0 || made.error != 0)
      continue;
    if (std::ranges::any_of(seen.calls, [&](const call& later) {
          return later.input && later.input->question == made.input->question
                 && later.refusal == "INPUT_CLAIMED"
                 && has_died_between(seen, made.ended, later.began);
        }))
      story.reached("a claim holds over a restart");
  }
  if (seen.rest)
    for (const auto& [id, shown] : *seen.rest)
      if (shown.artifacts && shown.artifacts->contains("by-hand"))
        story.reached("somebody does the work of a task");
}

} // namespace

void note_situations(const history& seen, trace& story) {
  note_calls(seen, story);
  note_streams(seen, story);
  note_plans(seen, story);
  note_attempts(seen, story);
  note_changes(seen, story);
  note_facts(seen, story);
  note_questions(seen, story);
}

} // namespace troupe::sim
