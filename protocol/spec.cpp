#include "protocol/spec_size.hpp"
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/objective_operation.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/spec.hpp>

namespace troupe {

namespace {

std::size_t bytes_of_names(const std::vector<std::string>& names) noexcept {
  std::size_t sum = 0;
  for (const auto& name : names)
    sum += sizeof(std::string) + name.size();
  return sum;
}

/// What an operation holds outside itself.
struct operation_bytes {
  template<class Task>
  std::size_t operator()(const complete_task<Task>& each) const noexcept {
    std::size_t sum = 0;
    for (const auto& made : each.artifacts)
      sum += bytes_of(*made);
    return sum;
  }
  template<class Task>
  std::size_t operator()(const retry_task<Task>& each) const noexcept {
    return each.with && each.with->input ? bytes_of(*each.with->input) : 0;
  }
  std::size_t operator()(const edits& each) const noexcept {
    return each.name.size() + each.description.size() + bytes_of(each.metadata);
  }
  std::size_t operator()(const edit_plan& each) const noexcept { return (*this)(each.edited); }
  std::size_t operator()(const edit_objective& each) const noexcept { return (*this)(each.edited); }
  template<class Plan>
  std::size_t operator()(const edit_plan_of<Plan>& each) const noexcept {
    return (*this)(each.edit.edited);
  }
  std::size_t operator()(const set_plan_dependencies<std::string>& each) const noexcept {
    return bytes_of_names(each.on);
  }
  std::size_t operator()(const set_plan_dependencies<std::uint32_t>& each) const noexcept {
    return each.on.size() * sizeof(std::uint32_t);
  }
  std::size_t operator()(const new_plan& each) const noexcept {
    return each.spec ? bytes_of(*each.spec) : 0;
  }
  template<class Operation>
  std::size_t operator()(const Operation& each) const noexcept {
    if constexpr (requires { each.spec; })
      return bytes_of(each.spec);
    else if constexpr (requires { each.name; })
      return each.name.size();
    else
      return 0;
  }
};

template<class Operation>
std::size_t bytes_of_all(const std::vector<Operation>& operations) noexcept {
  std::size_t sum = operations.size() * sizeof(Operation);
  for (const auto& each : operations)
    sum += std::visit(operation_bytes{}, each);
  return sum;
}

} // namespace

std::size_t bytes_of(const task_spec& spec) noexcept {
  return sizeof(spec) + spec.id.str().size() + spec.key.size() + spec.name.size()
         + spec.description.size() + spec.agent.size() + bytes_of(spec.input)
         + bytes_of(spec.metadata) + bytes_of_names(spec.dependencies);
}

task_spec patched(task_spec task, const task_patch& patch) {
  task.agent = patch.agent.value_or(std::move(task.agent));
  if (patch.input)
    task.input = *patch.input;
  task.retry = patch.retry.value_or(task.retry);
  task.timeout = patch.timeout.value_or(task.timeout);
  return task;
}

std::size_t bytes_of(const std::vector<wanted_operation>& operations) noexcept {
  return bytes_of_all(operations);
}

std::size_t bytes_of(const std::vector<applied_operation>& operations) noexcept {
  return bytes_of_all(operations);
}

std::size_t bytes_of(const std::vector<wanted_objective_operation>& operations) noexcept {
  return bytes_of_all(operations);
}

std::size_t bytes_of(const std::vector<applied_objective_operation>& operations) noexcept {
  return bytes_of_all(operations);
}

std::optional<std::uint32_t> plan_of(const applied_objective_operation& operation) noexcept {
  return std::visit(
      [](const auto& one) -> std::optional<std::uint32_t> {
        if constexpr (requires { one.plan; })
          return one.plan;
        else
          return std::nullopt;
      },
      operation);
}

std::size_t bytes_of(const plan_spec& spec) noexcept {
  std::size_t sum = sizeof(spec) + spec.name.size() + spec.description.size()
                    + bytes_of(spec.metadata) + bytes_of_names(spec.dependencies)
                    + bytes_of_names(spec.alternatives);
  for (const auto& task : spec.tasks)
    sum += bytes_of(task);
  return sum;
}

std::size_t bytes_of(const objective_spec& spec) noexcept {
  std::size_t sum =
      sizeof(spec) + spec.name.size() + spec.description.size() + bytes_of(spec.metadata);
  if (spec.references)
    sum += bytes_of(*spec.references);
  for (const auto& plan : spec.plans)
    sum += bytes_of(*plan);
  return sum;
}

} // namespace troupe
