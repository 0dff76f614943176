#include "store/session/session_faults.hpp"

#include "protocol/fold/apply.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

namespace troupe::sessions {

namespace {

/// Looks at the events of one change in their order. What they add and move is kept beside the
/// state before, so that a change costs what is in it.
class fault_finder {
public:
  fault_finder(const session_state& before, const change& news)
      : before_(before), news_(news), plans_(before.view() ? before.view()->plans.size() : 0) {
    if (before.view() != nullptr) {
      state_ = before.view()->state;
      revision_ = before.view()->revision;
    }
    const auto found = before.tasks().find(news.task.id.str());
    if (found != before.tasks().end())
      task_ = found->second->status.state;
  }

  std::string find() {
    for (const auto& each : news_.events) {
      std::visit([this](const auto& one) { look_at(one); }, each);
      look_at_revision(each);
      if (!fault_.empty())
        break;
    }
    if (fault_.empty() && is_of_plan())
      look_at_place();
    return std::move(fault_);
  }

private:
  void add_plan(const plan_spec_ptr& spec) {
    added_tasks_[static_cast<std::uint32_t>(plans_++)] = spec ? spec->tasks.size() : 0;
  }

  [[nodiscard]] bool is_of_plan() const { return !news_.task.id.empty() && !news_.task.lone; }

  void fail(std::string fault) {
    if (fault_.empty())
      fault_ = std::move(fault);
  }

  bool has_plan(std::uint32_t plan) {
    if (plan >= plans_)
      fail("there is no plan " + std::to_string(plan) + ", only " + std::to_string(plans_));
    return plan < plans_;
  }

  /// How many tasks the plan has, which is there.
  [[nodiscard]] std::size_t size_of(std::uint32_t plan) const {
    const auto added = added_tasks_.find(plan);
    const auto* view = before_.view();
    const auto old =
        view != nullptr && plan < view->plans.size() ? view->plans[plan].spec->tasks.size() : 0;
    return old + (added == added_tasks_.end() ? 0 : added->second);
  }

  void look_at_tasks(std::uint32_t plan, const std::vector<std::uint32_t>& tasks) {
    if (!has_plan(plan))
      return;
    for (const auto task : tasks)
      has_task(plan, task);
  }

  void has_task(std::uint32_t plan, std::uint32_t task) {
    if (task >= size_of(plan))
      fail("plan " + std::to_string(plan) + " has no task " + std::to_string(task) + ", only "
           + std::to_string(size_of(plan)));
  }

  void look_at_place() {
    if (!has_plan(news_.task.plan_index))
      return;
    has_task(news_.task.plan_index, news_.task.task_index);
    if (!task_)
      fail("task " + shown(news_.task.id.str()) + " was not created");
  }

  void look_at_revision(const event& one) {
    const auto next = revision_after(revision_, one);
    if (next < revision_ || next > revision_ + 1)
      fail("revision " + std::to_string(next) + " follows revision " + std::to_string(revision_));
    revision_ = next;
  }

  // -- events -------------------------------------------------------------------------------------

  void look_at(const objective_created& created) {
    if (created.spec)
      for (const auto& plan : created.spec->plans)
        add_plan(plan);
  }
  void look_at(const plan_added& added) { add_plan(added.spec); }
  void look_at(const objective_moved& moved) {
    const auto to = next_state(state_, moved.on);
    if (!to)
      fail("an objective that is " + std::string{to_string(state_)} + " cannot become "
           + std::string{to_string(moved.to())});
    state_ = moved.to();
  }
  void look_at(const plan_moved& moved) {
    if (!has_plan(moved.plan))
      return;
    const auto* view = before_.view();
    const bool is_old = view != nullptr && moved.plan < view->plans.size();
    auto& now =
        moved_.try_emplace(moved.plan, is_old ? view->plans[moved.plan].state : plan_state::pending)
            .first->second;
    if (!next_state(now, moved.on))
      fail("plan " + std::to_string(moved.plan) + " is " + std::string{to_string(now)}
           + " and cannot become " + std::string{to_string(moved.to())});
    now = moved.to();
  }
  void look_at(const plan_edited& edited) { has_plan(edited.plan); }
  void look_at(const pause_changed& changed) {
    if (changed.plan)
      has_plan(*changed.plan);
  }
  void look_at(const tasks_withdrawn& withdrawn) { look_at_tasks(withdrawn.plan, withdrawn.tasks); }
  void look_at(const tasks_renewed& renewed) { look_at_tasks(renewed.plan, renewed.tasks); }
  void look_at(const plan_changed& changed) {
    if (!has_plan(changed.plan))
      return;
    for (const auto& each : changed.operations)
      std::visit(
          [&](const auto& operation) {
            if constexpr (requires { operation.task; })
              has_task(changed.plan, operation.task);
            else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(operation)>, add_task>)
              ++added_tasks_[changed.plan];
          },
          each);
  }
  void look_at(const objective_changed& changed) {
    for (const auto& each : changed.operations)
      if (const auto plan = plan_of(each))
        has_plan(*plan);
  }
  void look_at(const task_created& created) {
    if (created.record)
      task_ = created.record->status.state;
  }
  void look_at(const task_moved& moved) {
    const auto leads_there = [&](const task_transition& row) {
      return row.from == task_ && row.to == moved.to;
    };
    // A question that an earlier process left open stays open in the next attempt.
    const bool stays = task_ == moved.to && is_interrupted(moved.to);
    if (is_of_plan() && task_ && !stays && std::ranges::none_of(task_transitions, leads_there))
      fail("task " + shown(news_.task.id.str()) + " is " + std::string{to_string(*task_)}
           + " and cannot become " + std::string{to_string(moved.to)});
    if (task_)
      task_ = moved.to;
  }
  template<class Event>
  void look_at(const Event&) {}

  const session_state& before_;
  const change& news_;
  std::size_t plans_;
  std::map<std::uint32_t, std::size_t> added_tasks_; ///< By plan: those of this change.
  std::map<std::uint32_t, plan_state> moved_;        ///< By plan: after the moves of this change.
  objective_state state_ = objective_state::submitted;
  std::uint64_t revision_ = 0;
  std::optional<task_state> task_; ///< Nothing: it was not created.
  std::string fault_;
};

} // namespace

std::string fault_in(const session_state& before, const change& news) {
  return fault_finder{before, news}.find();
}

} // namespace troupe::sessions
