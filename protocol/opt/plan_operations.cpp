#include "protocol/opt/plan_operations.hpp"

#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/document_reader.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/text/near_name.hpp"

#include <boost/json/serializer.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::opt {

namespace json = boost::json;

namespace {

constexpr text_rule task_name_rule{.bytes_max = name_bytes_max, .required = true};

/// One operation as it stands in the params.
struct operation_place {
  const json::value& from;
  const document_reader& in;
  std::string pointer;
};

using read_result = result<wanted_operation>;

// What is wrong with a member is kept by the reader.

read_result read_add(const operation_place& at) {
  auto task = read_task(at.from, unknown_members::ignore, at.pointer);
  if (!task)
    return task.error();
  task->id = {}; // It gets the generated one.
  return add_task{std::move(*task), at.in.text("as", name_rule)};
}

read_result read_remove(const operation_place& at) {
  return remove_task<std::string>{at.in.text("task", task_name_rule),
                                  at.in.boolean("bridge", false) ? dependents_rule::bridge
                                                                 : dependents_rule::refuse};
}

read_result read_depend(const operation_place& at) {
  return add_dependency<std::string>{at.in.text("task", task_name_rule),
                                     at.in.text("on", task_name_rule)};
}

read_result read_free(const operation_place& at) {
  return remove_dependency<std::string>{at.in.text("task", task_name_rule),
                                        at.in.text("on", task_name_rule)};
}

read_result read_rename(const operation_place& at) {
  return rename_task<std::string>{
      at.in.text("task", task_name_rule),
      at.in.text("name", {.bytes_max = name_bytes_max, .required = true})};
}

read_result read_deadline(const operation_place& at) {
  return set_deadline<std::string>{at.in.text("task", task_name_rule), at.in.time("deadline")};
}

read_result read_priority(const operation_place& at) {
  const auto* found = at.in.find("priority");
  const auto priority = found != nullptr ? priority_from(*found) : std::nullopt;
  if (!priority)
    return make_error(errc::invalid_params, "\"priority\" must be " + std::string(priority_range),
                      at.pointer + "/priority");
  return set_priority<std::string>{at.in.text("task", task_name_rule), *priority};
}

read_result read_replace(const operation_place& at) {
  const auto* with = at.in.find("with");
  if (with == nullptr || !with->is_object())
    return make_error(errc::invalid_params,
                      "missing parameter \"with\": an object, what the task is to do",
                      at.pointer + "/with");
  auto task = read_task(*with, unknown_members::ignore, at.pointer + "/with");
  if (!task)
    return task.error();
  task->id = {};
  task->key.clear();
  return replace_task{at.in.text("task", task_name_rule), std::move(*task),
                      !with->get_object().contains("dependencies")};
}

read_result read_skip(const operation_place& at) {
  const auto then = at.in.text("then", name_rule);
  if (!then.empty() && then != "skip")
    at.in.fail("then", "\"then\" may only be \"skip\"");
  return skip_task<std::string>{at.in.text("task", task_name_rule), at.in.boolean("cancel", false),
                                then == "skip"};
}

read_result read_complete(const operation_place& at) {
  complete_task<std::string> out{at.in.text("task", task_name_rule),
                                 at.in.boolean("cancel", false)};
  const auto* artifacts =
      at.in.array("artifacts", "artifacts", completed_artifacts_max, "completed_artifacts_max");
  if (artifacts == nullptr)
    return out;
  for (std::size_t i = 0; i < artifacts->size(); ++i) {
    auto written = (*artifacts)[i];
    if (auto* members = written.if_object(); members && !members->contains("artifactId"))
      (*members)["artifactId"] = "artifact-" + std::to_string(i + 1);
    auto made = v1_0::read_artifact(written, "artifact");
    if (!made) {
      auto why = std::move(made).error();
      why.field = at.pointer + "/artifacts/" + std::to_string(i);
      return why;
    }
    out.artifacts.push_back(std::make_shared<const artifact>(std::move(*made)));
  }
  return out;
}

/// What a task that is tried again is to do otherwise: only what stands there.
result<task_patch> read_patch(const json::value& with, const std::string& pointer) {
  auto whole = with.get_object();
  whole["name"] = "task"; // It keeps its own.
  auto task = read_task(whole, unknown_members::ignore, pointer);
  if (!task)
    return task.error();
  task_patch out;
  const auto& written = with.get_object();
  if (written.contains("agent"))
    out.agent = std::move(task->agent);
  if (written.contains("input"))
    out.input = std::move(task->input);
  if (written.contains("retry"))
    out.retry = task->retry;
  if (written.contains("timeout"))
    out.timeout = task->timeout;
  return out;
}

read_result read_retry(const operation_place& at) {
  retry_task<std::string> out{at.in.text("task", task_name_rule), std::nullopt,
                              at.in.boolean("dependents", true)};
  const auto* with = at.in.find("with");
  if (with == nullptr)
    return out;
  if (!with->is_object()) {
    at.in.fail_type("with", "an object, what the task is to do otherwise", *with);
    return out;
  }
  auto patch = read_patch(*with, at.pointer + "/with");
  if (!patch)
    return patch.error();
  out.with = std::move(*patch);
  return out;
}

/// What an objective and a plan have alike.
template<class Edit>
void read_shared_fields(const operation_place& at, Edit& out) {
  out.edited = {at.in.edited_text("name", name_rule),
                at.in.edited_text("description", description_rule), at.in.free_object("metadata")};
  const auto* deadline = at.in.find_even_null("deadline");
  if (deadline != nullptr)
    out.deadline = deadline_edit{deadline->is_null() ? std::nullopt : at.in.time("deadline")};
  out.priority = at.in.shared_priority();
  out.parallel_max =
      at.in.whole_number("maxParallel", 0, std::numeric_limits<std::uint32_t>::max());
}

result<edit_plan> read_plan_fields(const operation_place& at) {
  edit_plan out;
  read_shared_fields(at, out);
  const auto failure = at.in.text("onFailure", name_rule);
  if (failure == "continue")
    out.failure = on_failure::keep_going;
  else if (failure == "failFast")
    out.failure = on_failure::fail_fast;
  else if (!failure.empty())
    at.in.fail("onFailure", "\"onFailure\" must be \"failFast\" or \"continue\"");
  if (out.edited.empty() && !out.parallel_max && !out.failure && !out.deadline && !out.priority)
    return make_error(errc::invalid_params,
                      "setPlan needs one of name, description, metadata, maxParallel, onFailure, "
                      "deadline, priority",
                      at.pointer);
  return out;
}

read_result read_edit_plan(const operation_place& at) {
  auto out = read_plan_fields(at);
  if (!out)
    return out.error();
  return std::move(*out);
}

// Those of objectives/modify.

using objective_read_result = result<wanted_objective_operation>;

objective_read_result read_edit_objective(const operation_place& at) {
  edit_objective out;
  read_shared_fields(at, out);
  if (at.in.find("onFailure") != nullptr)
    at.in.fail("onFailure",
               "an objective has no \"onFailure\"; setPlan sets it for one of its plans");
  if (out.edited.empty() && !out.parallel_max && !out.deadline && !out.priority)
    return make_error(errc::invalid_params,
                      "setObjective needs one of name, description, metadata, maxParallel, "
                      "deadline, priority",
                      at.pointer);
  return out;
}

objective_read_result read_edit_plan_of(const operation_place& at) {
  auto out = read_plan_fields(at);
  if (!out)
    return out.error();
  return edit_plan_of<std::string>{at.in.text("plan", task_name_rule), std::move(*out)};
}

objective_read_result read_skip_plan(const operation_place& at) {
  return skip_plan<std::string>{at.in.text("plan", task_name_rule), at.in.boolean("cancel", false)};
}

objective_read_result read_plan_dependencies(const operation_place& at) {
  set_plan_dependencies<std::string> out{at.in.text("plan", task_name_rule), {}};
  if (at.in.find("dependencies") == nullptr)
    at.in.fail("dependencies", "missing parameter \"dependencies\": an array of plans");
  at.in.names(out.on, "dependencies", "plan-");
  return out;
}

objective_read_result read_new_plan(const operation_place& at) {
  auto spec = read_plan(at.from, unknown_members::ignore, at.pointer);
  if (!spec)
    return spec.error();
  return new_plan{std::make_shared<plan_spec>(std::move(*spec)), at.in.boolean("start", false),
                  at.in.text("as", name_rule)};
}

objective_read_result read_remove_plan(const operation_place& at) {
  return remove_plan<std::string>{at.in.text("plan", task_name_rule)};
}

template<class Operation>
struct operation_reader {
  std::string_view op;
  result<Operation> (*read)(const operation_place&);
};

constexpr auto operation_readers = std::to_array<operation_reader<wanted_operation>>({
    {"addTask", &read_add},
    {"removeTask", &read_remove},
    {"replaceTask", &read_replace},
    {"skipTask", &read_skip},
    {"completeTask", &read_complete},
    {"retryTask", &read_retry},
    {"addDependency", &read_depend},
    {"removeDependency", &read_free},
    {"renameTask", &read_rename},
    {"setDeadline", &read_deadline},
    {"setPriority", &read_priority},
    {"setPlan", &read_edit_plan},
});

constexpr auto objective_operation_readers =
    std::to_array<operation_reader<wanted_objective_operation>>({
        {"setObjective", &read_edit_objective},
        {"setPlan", &read_edit_plan_of},
        {"skipPlan", &read_skip_plan},
        {"setPlanDependencies", &read_plan_dependencies},
        {"addPlan", &read_new_plan},
        {"removePlan", &read_remove_plan},
    });

template<class Readers>
std::string known_operations(const Readers& readers) {
  std::string out;
  for (const auto& each : readers)
    out.append(out.empty() ? "" : ", ").append(each.op);
  return out;
}

template<class Operation, std::size_t Size>
bool has_operation(const std::array<operation_reader<Operation>, Size>& readers,
                   std::string_view op) noexcept {
  return std::ranges::find(readers, op, &operation_reader<Operation>::op) != readers.end();
}

/// `; did you mean "addTask"?`, if one is near.
template<class Readers>
std::string near_operation(const std::string& written, const Readers& readers) {
  std::vector<std::string_view> names;
  for (const auto& each : readers)
    names.push_back(each.op);
  return did_you_mean(written, names);
}

/// Bytes of `from` as text; it stops counting above `most`.
std::size_t text_bytes(const json::array& from, std::size_t most) {
  json::serializer text;
  text.reset(&from);
  std::array<char, 4096> piece{};
  std::size_t out = 0;
  while (!text.done() && out <= most)
    out += text.read(piece.data(), piece.size()).size();
  return out;
}

template<class Operation, std::size_t Size>
result<Operation> read_one(const json::value& from, const wire::place& where,
                           const std::array<operation_reader<Operation>, Size>& readers) {
  document_reading reading(unknown_members::ignore);
  const document_reader in(from, where, reading, "an operation");
  result<Operation> out = make_error(errc::invalid_params, "");
  if (in) {
    const auto op = in.text("op", {.bytes_max = name_bytes_max, .required = true});
    const auto known = std::ranges::find(readers, op, &operation_reader<Operation>::op);
    if (known != readers.end())
      out = known->read({from, in, where.pointer()});
    else
      in.fail("op",
              "\"op\" must be one of " + known_operations(readers) + near_operation(op, readers));
  }
  if (reading.failed())
    return reading.failure.take();
  return out;
}

template<class Operation, std::size_t Size>
result<std::vector<Operation>>
read_all(const json::array& from, const std::string& pointer,
         const std::array<operation_reader<Operation>, Size>& readers) {
  if (text_bytes(from, plan_operations_bytes_max) > plan_operations_bytes_max)
    return make_error(errc::limit_exceeded,
                      "the operations have more than " + std::to_string(plan_operations_bytes_max)
                          + " bytes (plan_operations_bytes_max); send them in several changes",
                      pointer);
  std::vector<Operation> out;
  out.reserve(from.size());
  const wire::place root;
  const auto base = root / std::string_view(pointer).substr(1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto where = base / i;
    auto one = read_one(from[i], where, readers);
    if (!one)
      return std::move(one).error();
    out.push_back(std::move(*one));
  }
  return out;
}

} // namespace

result<std::vector<wanted_operation>> read_operations(const json::array& from,
                                                      const std::string& pointer) {
  return read_all(from, pointer, operation_readers);
}

result<std::vector<wanted_objective_operation>>
read_objective_operations(const json::array& from, const std::string& pointer) {
  return read_all(from, pointer, objective_operation_readers);
}

error said_of_operations(error of_operations, const std::vector<wanted_operation>& operations) {
  constexpr std::string_view begins = "/operations/";
  auto& field = of_operations.field;
  if (!field.starts_with(begins))
    return of_operations;
  const auto number_end = field.find('/', begins.size());
  const auto number = field.substr(begins.size(), number_end - begins.size());
  std::size_t at = 0;
  for (const char c : number)
    at = at * 10 + static_cast<std::size_t>(c - '0');
  constexpr std::string_view of_task = "/task";
  if (number_end == std::string::npos || at >= operations.size()
      || !std::string_view(field).substr(number_end).starts_with(of_task))
    return of_operations;
  if (std::holds_alternative<add_task>(operations[at]))
    field.erase(number_end, of_task.size());
  else if (field.size() > number_end + of_task.size()
           && std::holds_alternative<replace_task>(operations[at]))
    field.replace(number_end, of_task.size(), "/with");
  return of_operations;
}

bool is_plan_operation(std::string_view op) noexcept {
  return has_operation(operation_readers, op);
}

bool is_objective_operation(std::string_view op) noexcept {
  return has_operation(objective_operation_readers, op);
}

} // namespace troupe::opt
