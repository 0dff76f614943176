// A watcher that keeps the changes it was told of. Another thread may wait for one of them.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/store/store.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace troupe::testing {

/// Keeps all changes it saw.
class recorder final : public watcher {
public:
  void on_change(const change_ptr& change) override {
    const std::lock_guard lock{mutex_};
    seen_.push_back(change);
    changed_.notify_all();
  }

  /// Waits until `condition(changes)` holds. Throws if that takes longer than 20 seconds.
  void wait(const std::function<bool(const std::vector<change_ptr>&)>& condition) {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, std::chrono::seconds{20}, [&] { return condition(seen_); }))
      throw std::runtime_error("what the test waits for was not recorded");
  }

  /// Waits for the objective to reach `state`.
  void wait_for(objective_state state) {
    wait([&](const auto& all) {
      for (const auto& one : all)
        for (const auto& value : one->events)
          if (const auto* moved = std::get_if<objective_moved>(&value);
              moved && moved->to() == state)
            return true;
      return false;
    });
  }

  /// Waits until a task has reached `state`, and returns its id.
  task_id wait_for(task_state state) {
    task_id found;
    wait([&](const auto& all) {
      for (const auto& one : all)
        for (const auto& value : one->events)
          if (const auto* moved = std::get_if<task_moved>(&value); moved && moved->to == state) {
            found = one->task.id;
            return true;
          }
      return false;
    });
    return found;
  }

  [[nodiscard]] std::vector<change_ptr> seen() const {
    const std::lock_guard lock{mutex_};
    return seen_;
  }
  [[nodiscard]] std::vector<std::uint64_t> sequences() const {
    std::vector<std::uint64_t> out;
    for (const auto& each : seen())
      out.push_back(each->sequence);
    return out;
  }

  /// All task moves as "name:state", in commit order.
  [[nodiscard]] std::vector<std::string> moves(const objective_view& of) const {
    const std::lock_guard lock{mutex_};
    std::vector<std::string> out;
    for (const auto& one : seen_)
      for (const auto& variant : one->events)
        if (const auto* moved = std::get_if<task_moved>(&variant))
          out.push_back(of.plans[one->task.plan_index].spec->tasks[one->task.task_index].name + ":"
                        + std::string{to_string(moved->to)});
    return out;
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<change_ptr> seen_;
};

} // namespace troupe::testing
