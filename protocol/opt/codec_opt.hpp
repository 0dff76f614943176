// The Objective-Plan-Task extension's JSON: what `objectives/*` and `plans/*` take and give
// (https://github.com/zeroasterisk/a2a-opt), the same under every A2A version, and the plan
// document a file holds, which has the same fields.
#pragma once

#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/rollup.hpp>
#include <troupe/protocol/task.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::opt {

inline constexpr std::string_view uri = "https://github.com/zeroasterisk/a2a-opt/v1";

/// How to treat unknown members: the wire ignores them, a file refuses them with a hint ("did
/// you mean ...").
enum class unknown_members : std::uint8_t { ignore, refuse };

/// The parts of a document that have members of their own.
enum class member_of : std::uint8_t { objective, plan, task, retry };

/// Every member a reader knows, also those it accepts and ignores (OPT's own bookkeeping: `status`,
/// `createdAt`, ...). docs/plan.schema.json lists the same.
[[nodiscard]] std::span<const std::string_view> known_members(member_of member) noexcept;

/// The objective of a document that is a single plan: it has the plan's name, description,
/// metadata, deadline and priority; the plan keeps the first three.
[[nodiscard]] objective_spec objective_of(plan_spec plan);

/// Objective, plan and task as written. On the wire an objective may have `tasks` in place of
/// `plans`: those of a single plan. The error's `field` is a JSON pointer (RFC 6901) into
/// `from`, prefixed by `pointer`. Ids may be missing; `id` goes to `key` and, for objective, plan
/// and task, to `id` as well. A task may also come as the extended A2A task of OPT: what its
/// metadata says under `opt/v1/dependencies`, `opt/v1/taskIndex` and `troupe/v1/...` counts as
/// written. Limits: protocol/opt/limits_opt.hpp. Linear in the size of `from`.
[[nodiscard]] result<objective_spec> read_objective(const boost::json::value& from,
                                                    unknown_members rule,
                                                    const std::string& pointer = {});
[[nodiscard]] result<plan_spec> read_plan(const boost::json::value& from, unknown_members rule,
                                          const std::string& pointer = {});
[[nodiscard]] result<task_spec> read_task(const boost::json::value& from, unknown_members rule,
                                          const std::string& pointer = {});

// -- params of the extension's methods ------------------------------------------------------------
// Errors are errc::invalid_params; `field` is a JSON pointer into `params`. Those that only read
// may come as the query of a REST path: in them numbers and flags may be texts. Where a command has
// `wrong`, only an id that is missing or no id is an error; anything else is put there.
[[nodiscard]] result<create_objective> read_create_objective(const boost::json::value& params);
[[nodiscard]] result<update_objective> read_update_objective(const boost::json::value& params);
[[nodiscard]] result<get_objective> read_get_objective(const boost::json::value& params);
[[nodiscard]] result<list_objectives> read_list_objectives(const boost::json::value& params);
[[nodiscard]] result<create_plan> read_create_plan(const boost::json::value& params);
/// plans/update: `tasks` become operations, one for each (put_task), and come alone.
[[nodiscard]] result<update_plan> read_update_plan(const boost::json::value& params);
[[nodiscard]] result<get_plan> read_get_plan(const boost::json::value& params);
[[nodiscard]] result<list_plans> read_list_plans(const boost::json::value& params);
/// plans/addTasks: one operation for each of `tasks`, in their order. The `id` of a task becomes
/// its key: a task that is added gets the generated id.
[[nodiscard]] result<change_plan> read_add_tasks(const boost::json::value& params);
/// plans/modify: one operation for each of `operations`, in their order
/// (protocol/opt/plan_operations.hpp).
[[nodiscard]] result<change_plan> read_modify_plan(const boost::json::value& params);
/// objectives/modify: the same.
[[nodiscard]] result<modify_objective> read_modify_objective(const boost::json::value& params);
/// objectives/replan: `text`, or `template` with `params`.
[[nodiscard]] result<replan_objective> read_replan_objective(const boost::json::value& params);
[[nodiscard]] result<get_plan_history> read_get_plan_history(const boost::json::value& params);
[[nodiscard]] result<get_objective_history>
read_get_objective_history(const boost::json::value& params);
[[nodiscard]] result<list_inputs> read_list_inputs(const boost::json::value& params);
[[nodiscard]] result<get_input> read_get_input(const boost::json::value& params);
/// inputs/answer: `action` (accept if absent), `value` (needed to accept), `by`.
[[nodiscard]] result<answer_input> read_answer_input(const boost::json::value& params);
/// inputs/claim and inputs/release: `by`, `override`.
[[nodiscard]] result<claim_input> read_claim_input(const boost::json::value& params);
/// What is wrong with one of `operations` (`/operations/n/task/input`), said of the member of
/// the params in which a task is described (`/operations/n/input`, `/operations/n/with/input`).
[[nodiscard]] error said_of_operations(error of_operations,
                                       const std::vector<wanted_operation>& operations);
/// What is wrong with operation n (`/operations/n/task...`) of a command of plans/addTasks or
/// plans/update, said of the n-th task of the params (`/tasks/n...`).
[[nodiscard]] error said_of_tasks(error of_operations);

/// As the extension's design prints it: id, name, status, plans[{id, name, status, tasks[{id, name,
/// status}]}], plus createdAt, updatedAt, revision and pendingInputs.
void write(json_writer& out, const objective_view& value, bool include_plans, bool include_tasks);
void write(json_writer& out, const objective_view& owner, std::size_t plan_index,
           bool include_tasks);

/// In the metadata of the message that asks: the question, for a client that activated OPT.
inline constexpr std::string_view input_key = "opt/v1/input";

/// The question of a task as the message that asks has it: `id`, `taskId`, and what it says.
void write_asked(json_writer& out, const question& asked, const task_id& of);

/// The question of that id of `owner`, open or closed: `id`, the ids of its task, plan and
/// objective (or `contextId`, if the task has none), `attempt`, `kind`, `prompt`, `choices`,
/// `multiple`, `schema`, `default` and `data` if there are any, `since`, `deadline`, `onDeadline`,
/// `state`; of an open one `claim`; of a closed one
/// `endedAt`, and `answer` or `reason`. An empty object if the task does not know it.
void write_input(json_writer& out, const task& owner, std::string_view question,
                 const std::optional<input_claim>& claim = std::nullopt);

/// `fraction` from 0 to 1, and `done` of `total`.
void write(json_writer& out, const rolled_up& progress);
/// {"calls", "promptTokens", "answerTokens", "seconds", "cost", "estimated"}.
void write(json_writer& out, const model_usage& used);

/// What a change of a plan did: `planId`, `revision`, and the ids of the tasks that it was about;
/// or of an objective: `objectiveId`, `revision`, and the ids of the plans. Lists that are empty
/// are left out.
void write(json_writer& out, const change_report& report);
/// The same, and the `operations` as objectives/modify takes them, and the `planner`'s note.
void write(json_writer& out, const replan_report& report);

/// One change of `plan`: `revision`, `at`, `author` and `reason` if there are any, and `operations`
/// as they were applied. `happened` is plan_added, plan_edited, plan_changed or tasks_renewed.
void write_revision(json_writer& out, const plan_spec& plan, std::uint64_t revision,
                    const change& where, const event& happened);

/// One change of an objective whose plans are `plans`, in the same way. With `only`: the operations
/// about that plan.
void write_revision(json_writer& out, const std::vector<plan_spec_ptr>& plans, const change& where,
                    const objective_changed& changed,
                    std::optional<std::uint32_t> only = std::nullopt);

/// One change of an objective whose plans are `plans`: the events of `where` from `first` to
/// `last`. An operation on a task names its plan, too.
void write_objective_revision(json_writer& out, const std::vector<plan_spec_ptr>& plans,
                              std::uint64_t revision, const change& where, std::size_t first,
                              std::size_t last);

/// The plans of `owner` at `positions`, as an array.
void write_plans(json_writer& out, const objective_view& owner,
                 const std::vector<std::uint32_t>& positions, bool include_tasks);

/// The members a task of a plan has in `Task.metadata`: `opt/v1/objectiveId`, `planId`,
/// `taskIndex`, `dependencies` (task ids) and ours
/// (`troupe/v1/name`, `agent`, `attempts`, `retry`, `timeout`, `input`). Writes members only, no
/// braces.
void write_task_metadata(json_writer& out, const task& value);

/// Members of the metadata of a task: when nothing it depends on held it back any more, what
/// it waits for now, and what its attempts, questions and waits took (`troupe/v1/readyAt`,
/// `waitingFor`, `spans`).
void write_task_times(json_writer& out, const task& value);

/// A spec in full, as a plan document (what read_objective reads).
void write_spec(json_writer& out, const objective_spec& value);
/// The spec of an objective as it stands, without plans that were removed.
[[nodiscard]] objective_spec spec_of(const objective_view& view);
void write_spec(json_writer& out, const plan_spec& value);
/// Its members only, no braces.
void write_members(json_writer& out, const plan_spec& value);
void write_spec(json_writer& out, const task_spec& value);
/// Its members only, no braces.
void write_members(json_writer& out, const task_spec& value);

} // namespace troupe::opt
