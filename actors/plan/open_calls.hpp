// Which tasks of a plan have called others (task_spec::caller) that have not ended. A plain value;
// the plan's actor has it.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace troupe {

class open_calls {
public:
  struct call {
    std::uint32_t caller;
    std::uint32_t called;

    friend bool operator==(const call&, const call&) = default;
  };

  /// Notes the called tasks among those from `first` on that have not ended.
  void add_from(const plan_view& plan, std::size_t first);
  /// Notes a call, also of a task that has ended.
  void add(call which);
  /// Takes those out whose called task has ended, in the order of their callers.
  [[nodiscard]] std::vector<call> take_ended(const plan_view& plan);
  /// Takes all out that `caller` has made, and returns the called tasks.
  [[nodiscard]] std::vector<std::uint32_t> take_of(std::uint32_t caller);
  [[nodiscard]] const std::map<std::uint32_t, std::vector<std::uint32_t>>&
  by_caller() const noexcept {
    return by_caller_;
  }

private:
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_caller_;
};

/// Whether `caller` may call `count` more tasks. Costs the plan. Error: limit_exceeded
/// (called_tasks_max, call_depth_max).
[[nodiscard]] result<void> check_calls(const plan_spec& plan, std::uint32_t caller,
                                       std::size_t count);

} // namespace troupe
