#include "sim/situations.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/checkers/at_once.hpp"
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
      story.reached("a question is answered twice");
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

} // namespace

void note_situations(const history& seen, trace& story) {
  note_calls(seen, story);
  note_streams(seen, story);
  note_plans(seen, story);
  note_attempts(seen, story);
}

} // namespace troupe::sim
