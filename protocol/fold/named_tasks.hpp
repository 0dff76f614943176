// Which task of a plan has a name. A plain value.
#pragma once

#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace troupe {

/// The tasks of a plan by their names. To make it is linear in the plan.
class named_tasks {
public:
  explicit named_tasks(const plan_spec& plan) {
    for (std::uint32_t task = 0; task < plan.tasks.size(); ++task)
      if (const auto& spec = plan.tasks[task]; !spec.is_removed)
        add(spec.name, task);
  }

  void add(const std::string& name, std::uint32_t task) {
    auto& known = by_name_[name];
    ++known.count;
    known.sum += task;
  }
  void remove(const std::string& name, std::uint32_t task) {
    auto& known = by_name_[name];
    --known.count;
    known.sum -= task;
  }
  [[nodiscard]] std::size_t count(const std::string& name) const {
    const auto known = by_name_.find(name);
    return known == by_name_.end() ? 0 : known->second.count;
  }
  /// Of a name that one task has.
  [[nodiscard]] std::uint32_t only(const std::string& name) const {
    return static_cast<std::uint32_t>(by_name_.at(name).sum);
  }

private:
  /// The sum of the positions: of one task it is its position.
  struct entry {
    std::size_t count = 0;
    std::uint64_t sum = 0;
  };
  std::unordered_map<std::string, entry> by_name_;
};

} // namespace troupe
