// About how many bytes an answer is as text: whether it is a long one. Looks no further once it is,
// so that the question costs little. A plain value.
#pragma once

#include "protocol/opt/limits_opt.hpp"
#include <troupe/net/limits.hpp>
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace troupe::net {

class answer_size {
public:
  answer_size& add(const task& shown, const task_view_options& view) {
    bytes_ += task_bytes + bytes_of(shown.metadata);
    if (shown.origin)
      bytes_ += bytes_of(shown.origin.spec().input) + bytes_of(shown.origin.spec().metadata);
    if (shown.status.message)
      bytes_ += bytes_of(*shown.status.message);
    const auto messages =
        std::min<std::size_t>(shown.history.size(), view.history_length.value_or(UINT32_MAX));
    for (auto i = shown.history.size() - messages; i < shown.history.size() && !is_long(); ++i)
      bytes_ += bytes_of(*shown.history[i]);
    for (std::size_t i = 0; view.include_artifacts && i < shown.artifacts.size() && !is_long(); ++i)
      bytes_ += bytes_of(*shown.artifacts[i]);
    return *this;
  }
  answer_size& add(const plan_view& shown, bool tasks) {
    const auto& spec = *shown.spec;
    bytes_ += plan_bytes + spec.description.size() + shown.reason.size() + bytes_of(spec.metadata);
    for (std::size_t i = 0; tasks && i < spec.tasks.size() && !is_long(); ++i)
      bytes_ += summary_bytes + spec.tasks[i].description.size() + bytes_of(spec.tasks[i].input)
                + spec.tasks[i].dependencies.size() * dependency_bytes;
    return *this;
  }
  answer_size& add(const objective_view& shown, bool plans, bool tasks) {
    bytes_ +=
        plan_bytes + shown.description.size() + shown.reason.size() + bytes_of(shown.metadata);
    const auto inputs = std::min(shown.pending_inputs.size(), opt::inputs_shown_max);
    for (std::size_t i = 0; i < inputs && !is_long(); ++i)
      bytes_ += task_bytes + shown.pending_inputs[i].prompt.size();
    for (std::size_t i = 0; plans && i < shown.plans.size() && !is_long(); ++i)
      add(shown.plans[i], tasks);
    return plans ? add_lookups(shown) : *this;
  }
  /// Some plans of `owner`.
  answer_size& add_plans(const objective_view& owner, const std::vector<std::uint32_t>& plans,
                         bool tasks) {
    for (std::size_t i = 0; i < plans.size() && !is_long(); ++i)
      add(owner.plans[plans[i]], tasks);
    return add_lookups(owner);
  }
  /// One plan of `owner`.
  answer_size& add_plan(const objective_view& owner, std::size_t plan, bool tasks) {
    return add(owner.plans[plan], tasks).add_lookups(owner);
  }

  /// A question of a list.
  answer_size& add(const question& shown) {
    bytes_ += bytes_of(shown);
    return *this;
  }

  [[nodiscard]] bool is_long() const noexcept { return bytes_ > long_answer_bytes; }

private:
  // To write a plan, the plans on which it depends are read, possibly all. This adds the equivalent
  // in bytes.
  answer_size& add_lookups(const objective_view& owner) {
    for (std::size_t i = 0; i < owner.plans.size() && !is_long(); ++i) {
      const auto& spec = *owner.plans[i].spec;
      bytes_ +=
          (1 + spec.dependencies.size() + spec.tasks.size()) * lookup_bytes + spec.outside.size();
    }
    return *this;
  }

  // Ids, names, times and the names of members, without what is added apart.
  static constexpr std::size_t plan_bytes = 300;
  static constexpr std::size_t task_bytes = 150;
  static constexpr std::size_t summary_bytes = 220;
  static constexpr std::size_t dependency_bytes = 30;
  static constexpr std::size_t lookup_bytes = 5;

  std::size_t bytes_ = 0;
};

} // namespace troupe::net
