// The params of `objectives/*` and `plans/*`: what is not known is ignored, what is known must be
// right.
#include "protocol/json/quoted.hpp"
#include "protocol/limits.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/document_reader.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/opt/plan_operations.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace troupe::opt {

namespace json = boost::json;

namespace {

/// A token has the name and the id of the row after which the next page begins, in hexadecimal.
constexpr text_rule token_rule{.bytes_max = 4 * name_bytes_max};

/// An error somewhere below a direct parameter says where in its message as well: not every client
/// shows `field`.
error located(error cause) {
  if (cause.field.find('/', 1) != std::string::npos)
    cause.message.insert(0, cause.field + ": ");
  return cause;
}

constexpr std::string_view objective_states =
    "one of submitted, planning, working, blocked, completed, failed, canceled";
constexpr std::string_view plan_states =
    "one of pending, working, blocked, completed, failed, skipped";

/// A status in OPT's spelling; `parse` turns it into the state.
template<class Parse>
auto read_status(const document_reader& in, std::string_view expected, Parse parse)
    -> decltype(parse(std::string_view{})) {
  const auto* found = in.find("status");
  if (found == nullptr)
    return std::nullopt;
  if (const auto* text = found->if_string())
    if (const auto state = parse(std::string_view(text->data(), text->size())))
      return state;
  in.fail_type("status", expected, *found);
  return std::nullopt;
}

std::optional<objective_state> read_objective_status(const document_reader& in) {
  return read_status(in, objective_states, objective_state_from);
}

std::optional<plan_state> read_plan_status(const document_reader& in) {
  return read_status(in, plan_states, plan_state_from);
}

/// One status, or several in an array; each state once.
template<class State, class Parse>
void read_statuses(const document_reader& in, std::string_view expected, Parse parse,
                   std::vector<State>& out) {
  const auto* found = in.find("status");
  if (found == nullptr)
    return;
  const auto add = [&](const json::value& one) {
    const auto* text = one.if_string();
    const auto state =
        text ? parse(std::string_view(text->data(), text->size())) : std::optional<State>{};
    if (!state)
      in.fail_type("status", std::string(expected) + ", or an array of them", one);
    else if (std::ranges::find(out, *state) == out.end())
      out.push_back(*state);
  };
  if (const auto* several = found->if_array())
    for (const auto& one : *several)
      add(one);
  else
    add(*found);
}

/// Newest or smallest first; there is no other way round.
std::optional<objective_order> read_order(const document_reader& in) {
  const auto* found = in.find("orderBy");
  if (found == nullptr)
    return std::nullopt;
  const auto* text = found->if_string();
  if (text && *text == "updatedAt")
    return objective_order::updated;
  if (text && *text == "createdAt")
    return objective_order::created;
  if (text && *text == "name")
    return objective_order::name;
  in.fail_type("orderBy", "one of updatedAt, createdAt, name", *found);
  return std::nullopt;
}

/// What narrows a list of objectives or plans, beside their states.
template<class Query>
void read_filter(const document_reader& in, Query& out) {
  out.text = in.text("text", name_rule);
  out.updated_after = in.time("updatedAfter");
}

/// The members that every list has.
template<class Query>
void read_page(const document_reader& in, Query& out) {
  if (const auto size = in.whole_number("pageSize", 1, list_page_size_max))
    out.page_size = *size;
  out.page_token = in.text("pageToken", token_rule);
}

/// Under both of its names; if they differ, it is not known which is meant.
std::optional<std::uint64_t> read_revision(const document_reader& in) {
  constexpr std::uint64_t most = 9'007'199'254'740'991;
  const auto revision = in.whole_number_64("revision", 0, most);
  const auto if_revision = in.whole_number_64("ifRevision", 0, most);
  if (revision && if_revision && *revision != *if_revision)
    in.fail("ifRevision", "\"ifRevision\" and \"revision\" are the same member; send one of them");
  return if_revision ? if_revision : revision;
}

/// A client's name for its request; the same one is not done twice.
constexpr text_rule request_id_rule{.bytes_max = id_bytes_max};

/// The id of a task and that of its question there.
constexpr text_rule question_id_rule{.bytes_max = 2 * id_bytes_max, .required = true};

/// What every command that changes something may have.
template<class Command>
void read_request(const document_reader& in, Command& out) {
  out.request_id = in.text("requestId", request_id_rule);
  // It would name no request, and the client would believe that it does.
  if (const auto* found = in.find("requestId");
      found != nullptr && found->is_string() && out.request_id.empty())
    in.fail("requestId", "\"requestId\" must not be empty; leave it out to send none");
}

edits read_edits(const document_reader& in) {
  return {in.edited_text("name", name_rule), in.edited_text("description", description_rule),
          in.free_object("metadata")};
}

/// Reads an object of params with `read(in, command)`. Absent params (null) are empty ones.
template<class Command, class Read>
result<Command> read_params(const json::value& params, Read read, bool texts_too = false) {
  static const json::value none = json::object{};
  document_reading reading(unknown_members::ignore, texts_too);
  const place root;
  Command command;
  if (const document_reader in(params.is_null() ? none : params, root, reading, "params"); in)
    read(in, command);
  if (reading.failed())
    return located(reading.failure.take());
  return command;
}

/// The same for what only reads, and may come as a query.
template<class Query, class Read>
result<Query> read_query(const json::value& params, Read read) {
  return read_params<Query>(params, read, true);
}

/// The same for a command about what `id_name` names: `read` fills in the rest, and what is wrong
/// with that is said in the command.
template<class Command, class Id, class Read>
result<Command> read_change(const json::value& params, std::string_view id_name, Id Command::*id,
                            Read read) {
  auto command = read_params<Command>(params, [&](const document_reader& in, Command& out) {
    if constexpr (std::is_same_v<Id, std::string>)
      out.*id = in.text(id_name, question_id_rule);
    else
      out.*id = Id{in.id(id_name, true)};
  });
  if (!command)
    return command;
  auto whole =
      read_params<Command>(params, [&](const document_reader& in, Command& out) { read(in, out); });
  if (!whole) {
    command->wrong = std::move(whole).error();
    return command;
  }
  (*whole).*id = std::move((*command).*id);
  return whole;
}

/// The tasks of a change: at least one.
void check_tasks(const document_reader& in) {
  const auto* tasks = in.array("tasks", "tasks", plan_operations_max, "plan_operations_max");
  if (tasks == nullptr || tasks->empty())
    in.fail("tasks", "missing parameter \"tasks\": an array of at least one task");
}

/// A task of a change as it stands in the params.
struct written_task {
  task_spec spec;
  bool is_completed; ///< Its `status` says so.
  bool is_skipped;   ///< The same.
};

/// Adds what `make` makes of each task that checked params have. What is wrong with one.
template<class Make>
other_fault add_operations(const json::value& params, std::vector<wanted_operation>& to,
                           Make make) {
  const auto* found = params.get_object().if_contains("tasks");
  if (found == nullptr || !found->is_array())
    return std::nullopt;
  const auto& tasks = found->get_array();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto where = "/tasks/" + std::to_string(i);
    auto task = read_task(tasks[i], unknown_members::ignore, where);
    if (!task)
      return located(std::move(task).error());
    const auto* status = tasks[i].get_object().if_contains("status");
    task->id = {}; // One that is added gets the generated id.
    auto operation = make(written_task{std::move(*task), status && *status == "completed",
                                       status && *status == "skipped"});
    if (!operation)
      return located(
          make_error(operation.error().code, operation.error().message, where + "/status"));
    to.push_back(std::move(*operation));
  }
  return std::nullopt;
}

/// plans/update: the task is replaced or added or, if its `status` says so, completed or skipped.
result<wanted_operation> put_operation(written_task task) {
  auto key = task.spec.key;
  const auto& name = key.empty() ? task.spec.name : key;
  if (task.is_completed)
    return complete_task<std::string>{name};
  if (task.is_skipped)
    return skip_task<std::string>{name};
  return put_task<std::string>{std::move(key), std::move(task.spec)};
}

/// plans/addTasks.
result<wanted_operation> add_operation(written_task task) {
  if (task.is_completed || task.is_skipped)
    return make_error(errc::invalid_params,
                      "a task that is added is not completed or skipped by its \"status\"; "
                      "\"tasks\" says what tasks are to do");
  return add_task{std::move(task.spec)};
}

} // namespace

result<create_objective> read_create_objective(const json::value& params) {
  auto head =
      read_params<create_objective>(params, [](const document_reader& in, create_objective& out) {
        out.start = in.boolean("start", false);
        read_request(in, out);
      });
  if (!head)
    return head;
  auto spec = read_objective(params.is_null() ? json::value(json::object{}) : params,
                             unknown_members::ignore);
  if (!spec)
    return located(std::move(spec).error());
  head->spec = std::move(*spec);
  return head;
}

result<update_objective> read_update_objective(const json::value& params) {
  return read_change(params, "id", &update_objective::id,
                     [](const document_reader& in, update_objective& out) {
                       read_request(in, out);
                       out.state = read_objective_status(in);
                       out.edited = read_edits(in);
                       out.if_revision = read_revision(in);
                     });
}

result<get_objective> read_get_objective(const json::value& params) {
  return read_query<get_objective>(params, [](const document_reader& in, get_objective& out) {
    out.id = objective_id{in.id("id", true)};
    out.include_plans = in.boolean("includePlans", out.include_plans);
    out.include_tasks = in.boolean("includeTasks", out.include_tasks);
  });
}

result<list_objectives> read_list_objectives(const json::value& params) {
  return read_query<list_objectives>(params, [](const document_reader& in, list_objectives& out) {
    read_statuses(in, objective_states, objective_state_from, out.states);
    read_filter(in, out);
    out.order = read_order(in).value_or(out.order);
    read_page(in, out);
    out.include_plans = in.boolean("includePlans", out.include_plans);
    out.include_tasks = in.boolean("includeTasks", out.include_tasks);
  });
}

result<create_plan> read_create_plan(const json::value& params) {
  auto command = read_change(params, "objectiveId", &create_plan::objective,
                             [](const document_reader& in, create_plan& out) {
                               read_request(in, out);
                               out.start = in.boolean("start", false);
                               out.if_revision = read_revision(in);
                             });
  if (!command || command->wrong)
    return command;
  auto spec = read_plan(params, unknown_members::ignore);
  if (spec)
    command->spec = std::move(*spec);
  else
    command->wrong = located(std::move(spec).error());
  return command;
}

result<update_plan> read_update_plan(const json::value& params) {
  auto command =
      read_change(params, "id", &update_plan::id, [](const document_reader& in, update_plan& out) {
        read_request(in, out);
        out.state = read_plan_status(in);
        out.edited = read_edits(in);
        out.if_revision = read_revision(in);
        for (const std::string_view fixed : {"dependencies", "alternatives"})
          if (in.find(fixed) != nullptr)
            in.fail(fixed, "plans/update changes \"status\", \"name\", \"description\", "
                           "\"metadata\" and \"tasks\" of a plan, not its "
                               + quoted(fixed) + "; plans/create adds a plan");
        if (in.find("tasks") == nullptr)
          return;
        check_tasks(in);
        for (const std::string_view other : {"status", "name", "description", "metadata"})
          if (in.find(other) != nullptr)
            in.fail(other, "\"tasks\" are changed alone; send " + quoted(other)
                               + " in a request of its own");
      });
  if (command && !command->wrong)
    command->wrong = add_operations(params, command->operations, put_operation);
  return command;
}

result<get_plan> read_get_plan(const json::value& params) {
  return read_query<get_plan>(params, [](const document_reader& in, get_plan& out) {
    out.id = plan_id{in.id("id", true)};
    out.include_tasks = in.boolean("includeTasks", out.include_tasks);
  });
}

result<list_plans> read_list_plans(const json::value& params) {
  return read_query<list_plans>(params, [](const document_reader& in, list_plans& out) {
    out.objective = objective_id{in.id("objectiveId", true)};
    read_statuses(in, plan_states, plan_state_from, out.states);
    read_filter(in, out);
    out.order = read_order(in);
    read_page(in, out);
    out.include_tasks = in.boolean("includeTasks", out.include_tasks);
  });
}

namespace {

template<class Query, class Id>
result<Query> read_history(const json::value& params, std::string_view subject) {
  return read_query<Query>(params, [subject](const document_reader& in, Query& out) {
    out.id = Id{in.id("id", true)};
    constexpr std::uint64_t most = 9'007'199'254'740'991;
    out.after = in.whole_number_64("afterRevision", 0, most);
    out.at = in.whole_number_64("atRevision", 0, most);
    read_page(in, out);
    for (const std::string_view other : {"afterRevision", "pageSize", "pageToken"})
      if (out.at && in.find(other) != nullptr)
        in.fail(other, "\"atRevision\" asks for the " + std::string(subject)
                           + " as it was then, without changes; leave \"" + std::string(other)
                           + "\" out");
  });
}

} // namespace

result<get_plan_history> read_get_plan_history(const json::value& params) {
  return read_history<get_plan_history, plan_id>(params, "plan");
}

result<get_objective_history> read_get_objective_history(const json::value& params) {
  return read_history<get_objective_history, objective_id>(params, "objective");
}

result<change_plan> read_add_tasks(const json::value& params) {
  auto command =
      read_change(params, "id", &change_plan::id, [](const document_reader& in, change_plan& out) {
        read_request(in, out);
        out.reason = in.text("reason", description_rule);
        out.if_revision = read_revision(in);
        check_tasks(in);
      });
  if (command && !command->wrong)
    command->wrong = add_operations(params, command->operations, add_operation);
  return command;
}

namespace {

/// plans/modify and objectives/modify: `read_list` reads the operations.
template<class Command, class Id, class ReadList>
result<Command> read_modify(const json::value& params, Id Command::*id, ReadList read_list) {
  auto command = read_change(params, "id", id, [](const document_reader& in, Command& out) {
    read_request(in, out);
    out.reason = in.text("reason", description_rule);
    out.if_revision = read_revision(in);
    out.dry_run = in.boolean("dryRun", false);
    const auto* operations =
        in.array("operations", "operations", plan_operations_max, "plan_operations_max");
    if (operations == nullptr || operations->empty())
      in.fail("operations", "missing parameter \"operations\": an array of at least one operation");
  });
  if (!command || command->wrong)
    return command;
  auto operations = read_list(params.get_object().at("operations").get_array(), "/operations");
  if (operations)
    command->operations = std::move(*operations);
  else
    command->wrong = located(std::move(operations).error());
  return command;
}

} // namespace

result<change_plan> read_modify_plan(const json::value& params) {
  return read_modify(params, &change_plan::id, read_operations);
}

result<modify_objective> read_modify_objective(const json::value& params) {
  return read_modify(params, &modify_objective::id, read_objective_operations);
}

result<replan_objective> read_replan_objective(const json::value& params) {
  return read_change(
      params, "id", &replan_objective::id, [](const document_reader& in, replan_objective& out) {
        read_request(in, out);
        out.text = in.text("text", description_rule);
        out.template_name = in.text("template", name_rule);
        out.params = in.free_object("params");
        out.reason = in.text("reason", description_rule);
        out.if_revision = read_revision(in);
        out.dry_run = in.boolean("dryRun", false);
        if (out.text.empty() && out.template_name.empty())
          in.fail("text", "missing parameter \"text\": how the objective is to go on");
      });
}

result<list_inputs> read_list_inputs(const json::value& params) {
  return read_query<list_inputs>(params, [](const document_reader& in, list_inputs& out) {
    // The context of an objective has its id.
    const auto* by_context = in.find("objectiveId") == nullptr ? "contextId" : "objectiveId";
    out.objective = objective_id{in.id(by_context)};
    out.plan = plan_id{in.id("planId")};
    out.task = task_id{in.id("taskId")};
    for (const std::string_view none : {"state", "status", "kind"})
      if (in.find(none) != nullptr)
        in.fail(none, quoted(none)
                          + " does not narrow this list: it has all open questions; inputs/get "
                            "shows a question that has ended");
    read_page(in, out);
  });
}

result<get_input> read_get_input(const json::value& params) {
  return read_query<get_input>(params, [](const document_reader& in, get_input& out) {
    out.id = in.text("id", question_id_rule);
  });
}

result<answer_input> read_answer_input(const json::value& params) {
  return read_change(
      params, "id", &answer_input::id, [](const document_reader& in, answer_input& out) {
        read_request(in, out);
        out.by = in.text("by", name_rule);
        out.overrides = in.boolean("override", false);
        const auto* action = in.find("action");
        const auto known =
            action && action->is_string() ? answer_action_from(action->get_string()) : std::nullopt;
        if (action && !known)
          in.fail_type("action", "one of accept, decline, cancel", *action);
        out.action = known.value_or(answer_action::accept);
        if (const auto* value = in.find("value"))
          out.value = json::value(*value, json::storage_ptr{});
        else if (out.action == answer_action::accept)
          in.fail("value", "missing parameter \"value\": the answer");
      });
}

result<claim_input> read_claim_input(const json::value& params) {
  return read_change(params, "id", &claim_input::id,
                     [](const document_reader& in, claim_input& out) {
                       out.by = in.text("by", name_rule);
                       out.overrides = in.boolean("override", false);
                     });
}

error said_of_tasks(error of_operations) {
  constexpr std::string_view operations = "/operations";
  auto& [code, message, field, details] = of_operations;
  if (!field.starts_with(operations))
    return of_operations;
  field.replace(0, operations.size(), "/tasks");
  const auto number_end = field.find('/', std::string_view("/tasks/").size());
  constexpr std::string_view of_task = "/task";
  if (number_end != std::string::npos
      && std::string_view(field).substr(number_end).starts_with(of_task))
    field.erase(number_end, of_task.size());
  constexpr std::string_view begins = "operation ";
  if (message.starts_with(begins))
    message.replace(0, begins.size(), "task ");
  return of_operations;
}

} // namespace troupe::opt
