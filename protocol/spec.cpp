#include "protocol/spec_size.hpp"
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/spec.hpp>

namespace troupe {

namespace {

std::size_t bytes_of(const std::vector<std::string>& names) noexcept {
  std::size_t sum = 0;
  for (const auto& name : names)
    sum += sizeof(std::string) + name.size();
  return sum;
}

template<class Task>
std::size_t bytes_of_all(const std::vector<plan_operation<Task>>& operations) noexcept {
  std::size_t sum = operations.size() * sizeof(plan_operation<Task>);
  for (const auto& each : operations)
    if (const auto* added = std::get_if<add_task>(&each))
      sum += troupe::bytes_of(added->spec);
    else if (const auto* renamed = std::get_if<rename_task<Task>>(&each))
      sum += renamed->name.size();
    else if (const auto* put = std::get_if<put_task<Task>>(&each))
      sum += troupe::bytes_of(put->spec);
  return sum;
}

} // namespace

std::size_t bytes_of(const task_spec& spec) noexcept {
  return sizeof(spec) + spec.id.str().size() + spec.key.size() + spec.name.size()
         + spec.description.size() + spec.agent.size() + troupe::bytes_of(spec.input)
         + troupe::bytes_of(spec.metadata) + bytes_of(spec.dependencies);
}

std::size_t bytes_of(const std::vector<wanted_operation>& operations) noexcept {
  return bytes_of_all<std::string>(operations);
}

std::size_t bytes_of(const std::vector<applied_operation>& operations) noexcept {
  return bytes_of_all<std::uint32_t>(operations);
}

std::size_t bytes_of(const plan_spec& spec) noexcept {
  std::size_t sum = sizeof(spec) + spec.name.size() + spec.description.size()
                    + troupe::bytes_of(spec.metadata) + bytes_of(spec.dependencies)
                    + bytes_of(spec.alternatives);
  for (const auto& task : spec.tasks)
    sum += troupe::bytes_of(task);
  return sum;
}

std::size_t bytes_of(const objective_spec& spec) noexcept {
  std::size_t sum =
      sizeof(spec) + spec.name.size() + spec.description.size() + troupe::bytes_of(spec.metadata);
  if (spec.references)
    sum += troupe::bytes_of(*spec.references);
  for (const auto& plan : spec.plans)
    sum += troupe::bytes_of(*plan);
  return sum;
}

} // namespace troupe
