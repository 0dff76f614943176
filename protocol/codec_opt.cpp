#include "protocol/codec_opt.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "protocol/document_reader.hpp"
#include "protocol/limits_opt.hpp"

namespace troupe::opt {

namespace json = boost::json;

namespace {

constexpr auto objective_members = std::to_array<std::string_view>(
    {"$schema", "id", "name", "description", "plans", "maxParallel", "metadata", "status", "createdAt", "updatedAt"});

constexpr auto plan_members = std::to_array<std::string_view>(
    {"$schema", "id", "name", "description", "tasks", "dependencies", "alternatives", "onFailure", "maxParallel", "metadata",
     "objectiveId", "status", "createdAt", "updatedAt"});

constexpr auto task_members = std::to_array<std::string_view>(
    {"id", "name", "description", "agent", "input", "dependencies", "retry", "timeout", "metadata",
     "kind", "contextId", "status", "artifacts", "history", "createdAt", "updatedAt"});

constexpr auto retry_members = std::to_array<std::string_view>({"maxAttempts", "backoff", "maxBackoff", "jitter"});

/// What write_task_metadata derives from the spec. It is read back into the spec and not kept as metadata, or it would stand there twice.
constexpr auto derived_keys = std::to_array<std::string_view>(
    {"opt/v1/objectiveId", "opt/v1/planId", "opt/v1/taskIndex", "opt/v1/dependencies", "troupe/v1/key", "troupe/v1/name",
     "troupe/v1/description", "troupe/v1/agent", "troupe/v1/attempts", "troupe/v1/input", "troupe/v1/retry",
     "troupe/v1/timeout"});

constexpr std::string_view key_key = "troupe/v1/key";
constexpr std::uint32_t any_number = 0xffffffff;

constexpr document_reader::text_rule name_rule{.bytes_max = name_bytes_max};
constexpr document_reader::text_rule required_name{.bytes_max = name_bytes_max, .required = true};
constexpr document_reader::text_rule description_rule{.bytes_max = description_bytes_max, .single_line = false};

struct task_in_order {
  task_spec spec;
  std::optional<std::uint64_t> index; ///< `opt/v1/taskIndex`
};

/// The id as the document wrote it, if a writer of ours had to keep it apart from the id proper.
std::string read_key(document_reader& in, json::object& metadata, const place& where, const std::string& id) {
  const auto* kept = metadata.empty() ? nullptr : metadata.if_contains(key_key);
  if (kept == nullptr)
    return id;
  auto key = kept->is_string() && kept->get_string().empty() ? std::string{}
                                                             : in.named_id(metadata, where / "metadata", key_key, false);
  metadata.erase(key_key);
  return key;
}

retry_policy read_retry(document_reader& in, const json::value& from, const place& where) {
  retry_policy policy;
  const auto* object = in.object(from, where, "\"retry\"");
  if (object == nullptr)
    return policy;
  in.refuse_unknown(*object, where, member_of::retry);
  if (const auto attempts = in.whole_number(*object, where, "maxAttempts", 1, attempts_limit))
    policy.attempts_max = static_cast<std::uint32_t>(*attempts);
  const auto backoff = in.seconds(*object, where, "backoff");
  const auto backoff_max = in.seconds(*object, where, "maxBackoff");
  policy.backoff = backoff.value_or(policy.backoff);
  policy.backoff_max = backoff_max.value_or(std::max(policy.backoff_max, policy.backoff));
  policy.jitter = in.number(*object, where, "jitter", 1.0, "a number from 0 to 1").value_or(policy.jitter);
  return policy;
}

/// A member of a task and where it stands: in the task itself, or in the metadata of an extended A2A task.
class task_fields {
public:
  task_fields(document_reader& in, const json::object& task, const json::object& metadata, const place& where)
      : in_(in), task_(task), metadata_(metadata), where_(where), metadata_where_(where / "metadata") {}

  struct field {
    const json::object& from;
    const place& where;
    std::string_view name;
  };

  [[nodiscard]] field find(std::string_view name, std::string_view metadata_name) const {
    if (!metadata_.empty() && in_.member(task_, name) == nullptr && metadata_.contains(metadata_name))
      return {metadata_, metadata_where_, metadata_name};
    return {task_, where_, name};
  }

  [[nodiscard]] std::string text(std::string_view name, std::string_view metadata_name,
                                 document_reader::text_rule rule) const {
    const auto at = find(name, metadata_name);
    return in_.text(at.from, at.where, at.name, rule);
  }

private:
  document_reader& in_;
  const json::object& task_;
  const json::object& metadata_;
  const place& where_;
  place metadata_where_;
};

/// Both lists, each name once.
void read_dependencies(document_reader& in, const json::object& task, const json::object& metadata, const place& where,
                       std::vector<std::string>& out) {
  in.names(out, task, where, "dependencies", "task-");
  if (metadata.empty() || !metadata.contains("opt/v1/dependencies"))
    return;
  std::vector<std::string> more;
  in.names(more, metadata, where / "metadata", "opt/v1/dependencies", "task-");
  const std::unordered_set<std::string_view> seen(out.begin(), out.end());
  std::vector<std::string> fresh;
  for (auto& name : more)
    if (!seen.contains(name))
      fresh.push_back(std::move(name));
  out.insert(out.end(), std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
}

task_in_order read_task(document_reader& in, const json::value& from, const place& where) {
  task_in_order result;
  auto& task = result.spec;
  const auto* object = in.object(from, where, "a task");
  if (object == nullptr)
    return result;
  in.refuse_unknown(*object, where, member_of::task);
  task.metadata = in.free_object(*object, where, "metadata");
  const task_fields fields(in, *object, task.metadata, where);
  task.id = task_id{in.id(*object, where)};
  task.name = fields.text("name", "troupe/v1/name", name_rule);
  task.description = fields.text("description", "troupe/v1/description", description_rule);
  task.agent = fields.text("agent", "troupe/v1/agent", name_rule);
  if (task.name.empty()) {
    if (task.id.empty())
      in.fail(where, "a task needs a \"name\" or an \"id\"");
    task.name = task.id.str();
  }
  const auto input = fields.find("input", "troupe/v1/input");
  task.input = in.free_object(input.from, input.where, input.name);
  const auto retry = fields.find("retry", "troupe/v1/retry");
  if (const auto* value = in.member(retry.from, retry.name))
    task.retry = read_retry(in, *value, retry.where / retry.name);
  const auto timeout = fields.find("timeout", "troupe/v1/timeout");
  task.timeout = in.seconds(timeout.from, timeout.where, timeout.name).value_or(milliseconds{0});
  read_dependencies(in, *object, task.metadata, where, task.dependencies);
  if (task.metadata.empty()) {
    task.key = task.id.str();
    return result;
  }
  result.index = in.whole_number(task.metadata, where / "metadata", "opt/v1/taskIndex", 0, tasks_per_plan_max - 1);
  task.key = read_key(in, task.metadata, where, task.id.str());
  for (const auto name : derived_keys)
    task.metadata.erase(name);
  return result;
}

/// `opt/v1/taskIndex` orders the tasks if all of them have one and no two the same; else the order as written stands.
void sort_by_index(std::vector<task_in_order>& tasks) {
  std::unordered_set<std::uint64_t> seen;
  for (const auto& task : tasks)
    if (!task.index || !seen.insert(*task.index).second)
      return;
  std::sort(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return *a.index < *b.index; });
}

std::vector<task_spec> read_tasks(document_reader& in, const json::object& plan, const place& where) {
  std::vector<task_spec> specs;
  const auto* list = in.array(plan, where, "tasks", "tasks", tasks_per_plan_max, "maxTasksPerPlan");
  if (list == nullptr)
    return specs;
  const auto here = where / "tasks";
  std::vector<task_in_order> tasks;
  tasks.reserve(list->size());
  for (std::size_t i = 0; i < list->size() && !in.failed(); ++i)
    tasks.push_back(read_task(in, (*list)[i], here / i));
  if (in.failed())
    return specs;
  sort_by_index(tasks);
  specs.reserve(tasks.size());
  for (auto& task : tasks)
    specs.push_back(std::move(task.spec));
  return specs;
}

plan_spec read_plan(document_reader& in, const json::value& from, const place& where) {
  plan_spec plan;
  const auto* object = in.object(from, where, "a plan");
  if (object == nullptr)
    return plan;
  in.refuse_unknown(*object, where, member_of::plan);
  plan.id = plan_id{in.id(*object, where)};
  plan.name = in.text(*object, where, "name", required_name);
  plan.description = in.text(*object, where, "description", description_rule);
  in.names(plan.dependencies, *object, where, "dependencies", "plan-");
  in.names(plan.alternatives, *object, where, "alternatives", "plan-");
  if (const auto* failure = in.member(*object, "onFailure")) {
    if (failure->is_string() && failure->get_string() == "continue")
      plan.failure = on_failure::keep_going;
    else if (!failure->is_string() || failure->get_string() != "failFast")
      in.fail_type(where / "onFailure", "onFailure", "\"failFast\" or \"continue\"", *failure);
  }
  plan.parallel_max
      = static_cast<std::uint32_t>(in.whole_number(*object, where, "maxParallel", 0, any_number).value_or(0));
  plan.metadata = in.free_object(*object, where, "metadata");
  plan.key = read_key(in, plan.metadata, where, plan.id.str());
  plan.tasks = read_tasks(in, *object, where);
  return plan;
}

objective_spec read_objective(document_reader& in, const json::value& from, const place& where) {
  objective_spec objective;
  const auto* object = in.object(from, where, "an objective");
  if (object == nullptr)
    return objective;
  in.refuse_unknown(*object, where, member_of::objective);
  objective.id = objective_id{in.id(*object, where)};
  objective.name = in.text(*object, where, "name", required_name);
  objective.description = in.text(*object, where, "description", description_rule);
  objective.parallel_max
      = static_cast<std::uint32_t>(in.whole_number(*object, where, "maxParallel", 0, any_number).value_or(0));
  objective.metadata = in.free_object(*object, where, "metadata");
  const auto* plans = in.array(*object, where, "plans", "plans", plans_per_objective_max, "maxPlansPerObjective");
  const auto here = where / "plans";
  for (std::size_t i = 0; plans != nullptr && i < plans->size() && !in.failed(); ++i)
    objective.plans.push_back(std::make_shared<const plan_spec>(read_plan(in, (*plans)[i], here / i)));
  return objective;
}

} // namespace

std::span<const std::string_view> known_members(member_of what) noexcept {
  switch (what) {
    case member_of::objective: return objective_members;
    case member_of::plan: return plan_members;
    case member_of::task: return task_members;
    case member_of::retry: return retry_members;
  }
  return {};
}

result<objective_spec> read_objective(const json::value& from, unknown_members rule, const std::string& pointer) {
  document_reader in(rule);
  auto value = read_objective(in, from, place{nullptr, pointer, std::nullopt});
  if (in.failed())
    return in.take_failure();
  return value;
}

result<plan_spec> read_plan(const json::value& from, unknown_members rule, const std::string& pointer) {
  document_reader in(rule);
  auto value = read_plan(in, from, place{nullptr, pointer, std::nullopt});
  if (in.failed())
    return in.take_failure();
  return value;
}

result<task_spec> read_task(const json::value& from, unknown_members rule, const std::string& pointer) {
  document_reader in(rule);
  auto value = read_task(in, from, place{nullptr, pointer, std::nullopt});
  if (in.failed())
    return in.take_failure();
  return std::move(value.spec);
}

} // namespace troupe::opt
