#include "protocol/fold/apply.hpp"
#include "protocol/fold/shape_decider.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace troupe {

result<void> shape_decider::check_once(std::uint32_t task) {
  if (decided_.insert(task).second)
    return {};
  return refuse(errc::invalid_params,
                "an earlier operation of this change ends or retries " + named(task) + " already",
                "/task");
}

result<void> shape_decider::renew(std::uint32_t task, bool with_dependents) {
  if (auto ok = check_once(task); !ok)
    return ok;
  come_back(task);
  if (with_dependents)
    revived_.push_back(task);
  return {};
}

void shape_decider::come_back(std::uint32_t task) {
  renewed_.insert(task);
  done(retry_task<std::uint32_t>{task});
  apply(plan_, where_, tasks_renewed{out_.plan, {task}});
  report_.retried.push_back(plan_.task_at(task));
}

result<void> shape_decider::bring_back() {
  if (plan_.state == plan_state::failed && !revived_.empty())
    for (std::uint32_t task = 0; task < first_added(); ++task)
      bring_back(task);
  std::deque<std::uint32_t> next(revived_.begin(), revived_.end());
  while (!next.empty()) {
    const auto from = next.front();
    next.pop_front();
    for (const auto dependent : std::vector(shape_.dependents(from)))
      if (bring_back(dependent))
        next.push_back(dependent);
  }
  return {};
}

bool shape_decider::bring_back(std::uint32_t task) {
  const auto& now = summary(task);
  const bool was_canceled =
      now.state == task_state::canceled && (now.attempt == 0 || plan_.state == plan_state::failed);
  if (!was_canceled || now.is_skipped || spec(task).is_removed || decided_.contains(task))
    return false;
  const auto& on = spec(task).dependency_indexes;
  const bool waits = std::ranges::all_of(on, [&](std::uint32_t each) {
    return each == elsewhere ? plan_.state == plan_state::failed : !is_lost(summary(each));
  });
  if (!waits)
    return false;
  come_back(task);
  if (plan_.state == plan_state::failed)
    revived_.push_back(task);
  return true;
}

result<void> shape_decider::apply_one(const skip_task<std::string>& wanted) {
  const auto task = find(wanted.task);
  if (!task)
    return task.error();
  if (auto ok = skip(*task, wanted); !ok || !wanted.skips_after)
    return ok;
  std::deque<std::uint32_t> next{*task};
  while (!next.empty()) {
    const auto from = next.front();
    next.pop_front();
    for (const auto dependent : std::vector(shape_.dependents(from))) {
      if (summary(dependent).is_skipped)
        continue;
      if (auto ok = skip(dependent, wanted); !ok)
        return ok;
      next.push_back(dependent);
    }
  }
  return {};
}

result<void> shape_decider::skip(std::uint32_t task, const skip_task<std::string>& wanted) {
  const auto effect = effect_of(change_kind::skip, task);
  if (!effect)
    return effect.error();
  if (*effect == change_effect::nothing)
    return {};
  if (auto ok = check_stop(*effect, task, wanted.cancel); !ok)
    return ok;
  if (auto ok = check_once(task); !ok)
    return ok;
  if (is_lost(summary(task)))
    revived_.push_back(task);
  for (const auto dependent : shape_.dependents(task))
    skipped_for_.insert_or_assign(dependent, std::pair{task, at_});
  done(skip_task<std::uint32_t>{task});
  note_end(*effect, task, task_state::canceled);
  report_.skipped.push_back(plan_.task_at(task));
  return {};
}

result<void> shape_decider::apply_one(const complete_task<std::string>& wanted) {
  const auto task = find(wanted.task);
  if (!task)
    return task.error();
  const auto effect = effect_of(change_kind::complete, *task);
  if (!effect)
    return effect.error();
  if (auto ok = check_stop(*effect, *task, wanted.cancel); !ok)
    return ok;
  if (*effect == change_effect::renew) {
    if (auto ok = renew(*task, true); !ok)
      return ok;
  } else if (auto ok = check_once(*task); !ok) {
    return ok;
  }
  done(complete_task<std::uint32_t>{*task, false, wanted.artifacts});
  note_end(*effect, *task, task_state::completed);
  report_.completed.push_back(plan_.task_at(*task));
  return {};
}

result<void> shape_decider::check_stop(change_effect effect, std::uint32_t task,
                                       bool may_cancel) const {
  if (effect != change_effect::stop_if_told || may_cancel)
    return {};
  return refuse(errc::already_started,
                named(task) + " has begun; send \"cancel\": true to stop its agent", "/task");
}

void shape_decider::note_end(change_effect effect, std::uint32_t task, task_state to) {
  if (effect == change_effect::stop || effect == change_effect::stop_if_told)
    if (stage_of(before_.tasks[task], run_of(task)) != task_stage::queued)
      report_.canceled.push_back(plan_.task_at(task));
  if (!is_terminal(summary(task).state))
    apply(plan_, where_, tasks_withdrawn{out_.plan, {task}, to, {}});
}

result<void> shape_decider::apply_one(const retry_task<std::string>& wanted) {
  const auto task = find(wanted.task);
  if (!task)
    return task.error();
  const auto effect = effect_of(change_kind::retry, *task);
  if (!effect)
    return effect.error();
  if (*effect == change_effect::hurry) {
    if (wanted.with)
      return refuse(errc::already_started, named(*task) + " has begun and keeps what it is to do",
                    "/with");
    if (auto ok = check_once(*task); !ok)
      return ok;
    done(retry_task<std::uint32_t>{*task});
    report_.retried.push_back(plan_.task_at(*task));
    return {};
  }
  if (auto ok = renew(*task, wanted.dependents); !ok)
    return ok;
  return wanted.with ? put_keeping(*task, patched(spec(*task), *wanted.with)) : result<void>{};
}

} // namespace troupe
