#include "actors/plan/live_bytes.hpp"

#include "protocol/spec_size.hpp"
#include <troupe/actors/limits.hpp>

#include <string>
#include <variant>

namespace troupe {

namespace {

std::size_t indexed_bytes_of(const std::string& name) noexcept {
  return name.empty() ? 0 : 2 * (indexed_name_bytes + name.size());
}

/// What one task takes beside its texts, and its share in the indexes of its objective and of its
/// plan.
std::size_t bytes_beside(const task_spec& spec) noexcept {
  return live_task_bytes + indexed_task_bytes + indexed_bytes_of(spec.key)
         + indexed_bytes_of(spec.name) + spec.dependencies.size() * indexed_dependency_bytes;
}

std::size_t bytes_beside(const plan_spec& spec) noexcept {
  std::size_t sum = 0;
  for (const auto& task : spec.tasks)
    sum += bytes_beside(task);
  return sum;
}

} // namespace

std::size_t live_bytes_of(const task_spec& spec) noexcept {
  return bytes_of(spec) + bytes_beside(spec);
}

std::size_t live_bytes_of(const plan_spec& spec) noexcept {
  return bytes_of(spec) + bytes_beside(spec);
}

std::size_t live_bytes_of(const objective_spec& spec) noexcept {
  auto sum = bytes_of(spec);
  for (const auto& plan : spec.plans)
    sum += bytes_beside(*plan);
  return sum;
}

std::size_t live_bytes_of(const edits& wanted) noexcept {
  auto sum = editable_bytes_of(wanted);
  for (const auto& member : wanted.metadata)
    if (member.value().is_null())
      sum -= sizeof(member) + member.key().size();
  return sum;
}

std::size_t live_bytes_of(const std::vector<wanted_operation>& operations) noexcept {
  auto sum = bytes_of(operations);
  for (const auto& each : operations)
    if (const auto* brought = spec_of(each))
      sum += bytes_beside(*brought);
  return sum;
}

} // namespace troupe
