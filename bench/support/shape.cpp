#include "bench/support/shape.hpp"

#include <cmath>

namespace troupe::bench {

namespace {

/// `before(i)` says what task i depends on; all of it smaller than i.
template<class Before>
shape_ptr make_shape(std::string name, std::size_t tasks, Before before) {
  auto made = std::make_shared<shape>();
  made->name = std::move(name);
  made->dependents.resize(tasks);
  for (std::uint32_t i = 0; i < tasks; ++i) {
    made->dependencies.push_back(before(i));
    for (const auto from : made->dependencies.back())
      made->dependents[from].push_back(i);
  }
  return made;
}

using positions = std::vector<std::uint32_t>;

} // namespace

shape_ptr make_chain(std::size_t tasks) {
  return make_shape("chain", tasks,
                    [](std::uint32_t i) { return i == 0 ? positions{} : positions{i - 1}; });
}

shape_ptr make_fan_out(std::size_t tasks) {
  return make_shape("fan-out", tasks,
                    [](std::uint32_t i) { return i == 0 ? positions{} : positions{0}; });
}

shape_ptr make_fan_in(std::size_t tasks) {
  return make_shape("fan-in", tasks, [tasks](std::uint32_t i) {
    positions all;
    if (i + 1 == tasks)
      for (std::uint32_t from = 0; from < i; ++from)
        all.push_back(from);
    return all;
  });
}

shape_ptr make_lattice(std::size_t tasks) {
  const auto width = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(tasks))));
  return make_shape("lattice", tasks, [width](std::uint32_t i) {
    positions before;
    if (i >= width)
      before.push_back(i - width);
    if (i % width != 0)
      before.push_back(i - 1);
    return before;
  });
}

objective_spec spec_of(const shape& shape, const std::string& agent) {
  auto plan = std::make_shared<plan_spec>();
  plan->name = shape.name;
  plan->tasks.resize(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    auto& task = plan->tasks.edit(i);
    task.name = "step " + std::to_string(i);
    task.agent = agent;
    for (const auto from : shape.dependencies[i])
      task.dependencies.push_back("task-" + std::to_string(from));
  }
  objective_spec made;
  made.name = shape.name;
  made.plans.push_back(std::move(plan));
  return made;
}

} // namespace troupe::bench
