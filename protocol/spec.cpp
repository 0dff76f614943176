#include "protocol/spec.hpp"

#include "protocol/message.hpp"

namespace troupe {

namespace {

std::size_t bytes_of(const std::vector<std::string>& names) noexcept {
  std::size_t sum = 0;
  for (const auto& name : names)
    sum += sizeof(std::string) + name.size();
  return sum;
}

std::size_t bytes_of(const task_spec& what) noexcept {
  return sizeof(what) + what.id.str().size() + what.key.size() + what.name.size() + what.description.size() + what.agent.size()
         + troupe::bytes_of(what.input) + troupe::bytes_of(what.metadata) + bytes_of(what.dependencies);
}

} // namespace

std::size_t bytes_of(const plan_spec& what) noexcept {
  std::size_t sum = sizeof(what) + what.name.size() + what.description.size() + troupe::bytes_of(what.metadata)
                    + bytes_of(what.dependencies) + bytes_of(what.alternatives);
  for (const auto& task : what.tasks)
    sum += bytes_of(task);
  return sum;
}

std::size_t bytes_of(const objective_spec& what) noexcept {
  std::size_t sum = sizeof(what) + what.name.size() + what.description.size() + troupe::bytes_of(what.metadata);
  for (const auto& plan : what.plans)
    sum += troupe::bytes_of(*plan);
  return sum;
}

} // namespace troupe
