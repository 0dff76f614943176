// Changes of the shape of a plan, while it runs or before: its tasks, their dependencies, names,
// deadlines and priorities. As the command wants them, and as the event applies them.
#pragma once

#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// Operations of one command; more need a second command.
inline constexpr std::size_t plan_operations_max = 10'000;

/// Its dependencies are tasks of the same plan. It has no id: it gets the generated one. Later
/// operations may name it by its key.
struct add_task {
  task_spec spec;
};

// `Task` names a task. In a command it is a text: an id, a key, a position as `task-3`, or a name
// that one task of the plan has. In an event it is the position.

/// Its dependents no longer depend on it. In an event, remove_dependency operations come before it.
template<class Task>
struct remove_task {
  Task task;
};

/// `task` begins only after `on` has completed.
template<class Task>
struct add_dependency {
  Task task;
  Task on;
};

template<class Task>
struct remove_dependency {
  Task task;
  Task on;
};

template<class Task>
struct rename_task {
  Task task;
  std::string name;
};

/// No value: the task then has no deadline.
template<class Task>
struct set_deadline {
  Task task;
  std::optional<timestamp> deadline;
};

template<class Task>
struct set_priority {
  Task task;
  std::int32_t priority = 0;
};

/// What a task is to do, in place of what it was: all of `spec` but its id, key and dependencies.
/// In a command `spec` has the dependencies as well, and `task` is the id or key of the task, or
/// else empty: then it is the task that has the name of `spec`. If there is none, `spec` is added.
/// In an event, operations on its dependencies come before it.
template<class Task>
struct put_task {
  Task task;
  task_spec spec;
};

template<class Task>
using plan_operation =
    std::variant<add_task, remove_task<Task>, add_dependency<Task>, remove_dependency<Task>,
                 rename_task<Task>, set_deadline<Task>, set_priority<Task>, put_task<Task>>;

using wanted_operation = plan_operation<std::string>;
using applied_operation = plan_operation<std::uint32_t>;

/// The task that an operation brings; null if it brings none.
[[nodiscard]] inline const task_spec* spec_of(const wanted_operation& operation) noexcept {
  if (const auto* added = std::get_if<add_task>(&operation))
    return &added->spec;
  const auto* put = std::get_if<put_task<std::string>>(&operation);
  return put ? &put->spec : nullptr;
}

/// About their size in memory, in bytes, for limits.
[[nodiscard]] std::size_t bytes_of(const std::vector<wanted_operation>& operations) noexcept;
[[nodiscard]] std::size_t bytes_of(const std::vector<applied_operation>& operations) noexcept;

} // namespace troupe
