// Changes of the plan that its own tasks want, and the tasks that they call (report_change).
#include "actors/plan/live_bytes.hpp"
#include "actors/plan/plan_actor.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace troupe {

namespace {

constexpr const char* caller_has_ended = "the task that called it has ended";

/// The key of a task that a task adds: the same again after a restart.
std::string key_of_added(const task_id& by, const change_wanted& wanted, std::size_t number) {
  return by.str() + ":" + std::to_string(wanted.attempt) + ":" + wanted.asked.key + ":"
         + std::to_string(number);
}

} // namespace

// The objective and this actor decide, as about any other change. An earlier process may have made
// this one already.
void plan_actor::on_change_wanted(change_wanted& wanted) {
  const auto& to = running_[wanted.task];
  if (!to)
    return;
  auto command = command_of(wanted);
  if (auto made = made_before(command)) {
    if (wanted.asked.waits)
      for (const auto called : made->tasks)
        calls_.add({wanted.task, called});
    tell(to, change_answered{wanted.attempt, wanted.asked.key, std::move(made->report)});
    return check();
  }
  const reply_port<change_report> answer{
      [to, attempt = wanted.attempt, key = wanted.asked.key](result<change_report> outcome) {
        tell(to, change_answered{attempt, key, std::move(outcome)});
      },
      make_error(errc::unavailable, "the plan has ended")};
  auto fine = env_.has_room(live_bytes_of(command.operations));
  if (fine && wanted.asked.waits)
    fine = check_calls(*view_.spec, wanted.task, command.operations.size());
  if (!fine)
    return answer(fine.error());
  tell(start_.objective, reshape_plan{std::move(command), answer});
}

change_plan plan_actor::command_of(change_wanted& wanted) const {
  change_plan out;
  out.id = view_.spec->id;
  out.by_task = view_.task_at(wanted.task);
  out.operations = std::move(wanted.asked.operations);
  out.reason = std::move(wanted.asked.reason);
  std::size_t number = 0;
  for (auto& each : out.operations)
    if (auto* added = std::get_if<add_task>(&each)) {
      added->spec.key = key_of_added(out.by_task, wanted, number++);
      added->spec.caller = wanted.asked.waits ? wanted.task : no_caller;
    }
  return out;
}

// A change is made whole: if its first task is there, all are.
std::optional<plan_actor::change_before> plan_actor::made_before(const change_plan& command) {
  change_before out;
  for (const auto& each : command.operations) {
    const auto* added = std::get_if<add_task>(&each);
    if (!added)
      continue;
    if (!shape_)
      shape_.emplace(*view_.spec);
    const auto found = shape_->find(added->spec.key);
    if (!found)
      return std::nullopt;
    out.tasks.push_back(*found);
    out.report.added.push_back(view_.spec->tasks[*found].id);
  }
  if (out.tasks.empty())
    return std::nullopt;
  out.report.plan = command.id;
  out.report.revision = view_.revision;
  return out;
}

void plan_actor::tell_callers() {
  for (const auto& each : calls_.take_ended(view_))
    if (running_[each.caller])
      tell(running_[each.caller],
           called_task_ended{view_.task_at(each.called), view_.tasks[each.called].state});
}

// Ends the tasks that `caller` has called: nobody waits for them any more.
void plan_actor::end_calls(std::uint32_t caller) {
  for (const auto called : calls_.take_of(caller)) {
    if (running_[called]) {
      tell(running_[called], cancel_run{caller_has_ended, {}, {}});
    } else if (!is_terminal(view_.tasks[called].state)) {
      std::erase_if(ready_, [&](const ready_task& other) { return other.task == called; });
      withdraw({called}, {caller_has_ended});
      follow_withdrawal(called, caller_has_ended);
    }
  }
}

/// Tasks that wait for called ones, and for nothing else.
std::uint32_t plan_actor::count_calling() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(calls_.by_caller(), [this](const auto& each) {
        return running_[each.first] && !is_interrupted(view_.tasks[each.first].state);
      }));
}

} // namespace troupe
