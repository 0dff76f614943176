// Changes of the shape of a plan, while it runs or before: its tasks, their dependencies, names,
// deadlines and priorities. As the command wants them, and as the event applies them.
#pragma once

#include <troupe/protocol/edits.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// Operations of one command; more need a second command.
inline constexpr std::size_t plan_operations_max = 10'000;

/// Bytes of the operations of one command, as JSON; more need a second command.
inline constexpr std::size_t plan_operations_bytes_max = 1'048'576;

/// Its dependencies are tasks of the same plan. It has no id: it gets the generated one. Later
/// operations may name it by its key.
struct add_task {
  task_spec spec;
  /// In a command: what later operations of the same command may call it, too. May be empty.
  std::string as{};
};

/// What becomes of the tasks that depend on one that is removed.
enum class dependents_rule : std::uint8_t {
  free,   ///< They no longer depend on it.
  refuse, ///< The change is refused if there are any.
  bridge, ///< They depend on what it depended on.
};

// `Task` names a task. In a command it is a text: an id, a key, a position as `task-3`, or a name
// that one task of the plan has. In an event it is the position.

/// In an event, operations on the dependencies of it and of its dependents come before it.
template<class Task>
struct remove_task {
  Task task;
  dependents_rule dependents = dependents_rule::free; ///< Of a command.
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

/// The same for a task that the plan has. One that has failed gets a new task in its place. In an
/// event it is put_task, after retry_task if there is a new task.
struct replace_task {
  std::string task;
  task_spec spec;
  bool keeps_dependencies = false; ///< Those of `spec` do not count.
};

/// The task is not needed: what depends on it goes on without it.
template<class Task>
struct skip_task {
  Task task;
  bool cancel = false;      ///< Of a command: also if its agent works.
  bool skips_after = false; ///< Of a command: also what depends on it, through others too.
};

/// Somebody else has done it.
template<class Task>
struct complete_task {
  Task task;
  bool cancel = false; ///< Of a command: also if its agent works.
  /// What was made. The record of an event does not have it: it is with the task.
  std::vector<artifact_ptr> artifacts{};
};

/// What a task that is tried again is to do otherwise. Absent: as before.
struct task_patch {
  std::optional<std::string> agent{};
  std::optional<boost::json::object> input{};
  std::optional<retry_policy> retry{};
  std::optional<milliseconds> timeout{};
};

/// `task` with what `patch` says.
[[nodiscard]] task_spec patched(task_spec task, const task_patch& patch);

/// A new task stands in its place (its generation grows). One that waits for its next attempt
/// begins it.
template<class Task>
struct retry_task {
  Task task;
  std::optional<task_patch> with{}; ///< Of a command; in an event it is put_task.
  /// Of a command: tasks that were canceled because of it come back, too. In an event each of them
  /// is an operation of its own.
  bool dependents = true;
};

/// A deadline as an edit sets it.
struct deadline_edit {
  std::optional<timestamp> at{}; ///< No value: there is none any more.

  friend bool operator==(const deadline_edit&, const deadline_edit&) = default;
};

/// Fields of the plan itself. What is absent stays.
struct edit_plan {
  edits edited{};
  std::optional<std::uint32_t> parallel_max{}; ///< 0: no limit.
  std::optional<on_failure> failure{};
  std::optional<deadline_edit> deadline{};
  std::optional<std::int32_t> priority{};
};

/// What a command may want, and what an event has applied.
using wanted_operation =
    std::variant<add_task, remove_task<std::string>, add_dependency<std::string>,
                 remove_dependency<std::string>, rename_task<std::string>,
                 set_deadline<std::string>, set_priority<std::string>, put_task<std::string>,
                 replace_task, skip_task<std::string>, complete_task<std::string>,
                 retry_task<std::string>, edit_plan>;
using applied_operation =
    std::variant<add_task, remove_task<std::uint32_t>, add_dependency<std::uint32_t>,
                 remove_dependency<std::uint32_t>, rename_task<std::uint32_t>,
                 set_deadline<std::uint32_t>, set_priority<std::uint32_t>, put_task<std::uint32_t>,
                 skip_task<std::uint32_t>, complete_task<std::uint32_t>, retry_task<std::uint32_t>,
                 edit_plan>;

/// The task that an operation brings; null if it brings none.
[[nodiscard]] inline const task_spec* spec_of(const wanted_operation& operation) noexcept {
  if (const auto* added = std::get_if<add_task>(&operation))
    return &added->spec;
  if (const auto* next = std::get_if<replace_task>(&operation))
    return &next->spec;
  const auto* put = std::get_if<put_task<std::string>>(&operation);
  return put ? &put->spec : nullptr;
}

/// What a change of a plan or an objective did, or would do. It is as large as the change.
struct change_report {
  plan_id plan;                    ///< Empty: it is about `objective`.
  std::uint64_t revision = 0;      ///< Of the plan or objective, after the change.
  bool dry_run = false;            ///< Nothing was done.
  std::vector<task_id> added{};    ///< In the order of the operations.
  std::vector<task_id> removed{};  ///< In that order, too, as the rest.
  std::vector<task_id> replaced{}; ///< They are to do something else.
  std::vector<task_id> skipped{};
  std::vector<task_id> completed{};
  std::vector<task_id> retried{};  ///< The new tasks.
  std::vector<task_id> canceled{}; ///< Their agents were told to stop.
  std::vector<task_id> released{}; ///< Wait for nothing more because of it. By position.
  objective_id objective{};        ///< Empty: it is about `plan`.
  std::vector<plan_id> plans_skipped{};
  std::vector<plan_id> plans_canceled{}; ///< Of those, the ones that had begun.
  std::vector<plan_id> plans_released{}; ///< Began because of it.
  std::vector<plan_id> plans_added{};    ///< In the order of the operations.
  std::vector<plan_id> plans_removed{};

  friend bool operator==(const change_report&, const change_report&) = default;
};

/// About their size in memory, in bytes, for limits.
[[nodiscard]] std::size_t bytes_of(const std::vector<wanted_operation>& operations) noexcept;
[[nodiscard]] std::size_t bytes_of(const std::vector<applied_operation>& operations) noexcept;

} // namespace troupe
