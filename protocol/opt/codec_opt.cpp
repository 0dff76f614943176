#include "protocol/opt/codec_opt.hpp"

#include "protocol/opt/document_reader.hpp"
#include "protocol/opt/limits_opt.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

namespace troupe::opt {

namespace json = boost::json;

namespace {

constexpr auto objective_members = std::to_array<std::string_view>(
    {"$schema",    "id",          "name",          "description",
     "plans",      "maxParallel", "deadline",      "priority",
     "metadata",   "status",      "reason",        "closing",
     "progress",   "modelUsage",  "pendingInputs", "pendingInputCount",
     "rootTaskId", "revision",    "createdAt",     "updatedAt"});

constexpr auto plan_members = std::to_array<std::string_view>(
    {"$schema",           "id",        "name",        "description", "tasks",    "dependencies",
     "alternatives",      "onFailure", "maxParallel", "deadline",    "priority", "metadata",
     "objectiveId",       "status",    "reason",      "waitingFor",  "progress", "pendingInputs",
     "pendingInputCount", "revision",  "startedAt",   "createdAt",   "updatedAt"});

constexpr auto task_members =
    std::to_array<std::string_view>({"id",        "name",         "description",     "agent",
                                     "input",     "dependencies", "expectedSeconds", "retry",
                                     "timeout",   "deadline",     "priority",        "metadata",
                                     "kind",      "contextId",    "status",          "artifacts",
                                     "history",   "objectiveId",  "planId",          "taskIndex",
                                     "attempts",  "readyAt",      "waitingFor",      "createdAt",
                                     "updatedAt", "calledBy"});

constexpr auto retry_members =
    std::to_array<std::string_view>({"maxAttempts", "backoff", "maxBackoff", "jitter"});

/// What write_task_metadata derives from the spec. It is read back into the spec and not kept as
/// metadata, or it would stand there twice.
constexpr auto derived_keys = std::to_array<std::string_view>(
    {"opt/v1/objectiveId", "opt/v1/planId", "opt/v1/taskIndex", "opt/v1/dependencies",
     "troupe/v1/key", "troupe/v1/name", "troupe/v1/description", "troupe/v1/agent",
     "troupe/v1/attempts", "troupe/v1/readyAt", "troupe/v1/waitingFor", "troupe/v1/spans",
     "troupe/v1/input", "troupe/v1/retry", "troupe/v1/timeout", "troupe/v1/calledBy",
     "troupe/v1/modelUsage"});

constexpr std::string_view key_key = "troupe/v1/key";
constexpr std::uint32_t any_number = 0xffffffff;

constexpr text_rule required_name{.bytes_max = name_bytes_max, .required = true};

struct task_in_order {
  task_spec spec;
  std::optional<std::uint64_t> index; ///< `opt/v1/taskIndex`
};

/// The id as the document wrote it, if a writer of ours had to keep it apart from the id proper;
/// taken out of `metadata`.
std::string read_key(const document_reader& written, json::object& metadata,
                     const std::string& id) {
  const auto* kept = written.find_even_null(key_key);
  if (kept == nullptr)
    return id;
  auto key = kept->is_string() && kept->get_string().empty() ? std::string{} : written.id(key_key);
  metadata.erase(key_key);
  return key;
}

/// The metadata of an object, as it stands in the document.
const json::value& metadata_of(const document_reader& owner) {
  static const json::value none = json::object{};
  const auto* written = owner.find("metadata");
  return written != nullptr && written->is_object() ? *written : none;
}

retry_policy read_retry(document_reading& reading, const json::value& from, const place& where) {
  retry_policy policy;
  const document_reader in(from, where, reading, "\"retry\"");
  in.refuse_unknown(member_of::retry);
  if (const auto attempts = in.whole_number("maxAttempts", 1, attempts_limit))
    policy.attempts_max = *attempts;
  const auto backoff = in.seconds("backoff");
  const auto backoff_max = in.seconds("maxBackoff");
  policy.backoff = backoff.value_or(policy.backoff);
  policy.backoff_max = backoff_max.value_or(std::max(policy.backoff_max, policy.backoff));
  policy.jitter = in.number("jitter", 1.0, "a number from 0 to 1").value_or(policy.jitter);
  return policy;
}

/// A time, or a number of seconds that count from the start.
template<class Of>
void read_deadline(const document_reader& in, Of& out) {
  const auto* found = in.find("deadline");
  if (found == nullptr)
    return;
  if (found->is_string())
    out.deadline = in.time("deadline");
  else if (found->is_number() && found->to_number<double>() > 0)
    out.deadline_after = in.seconds("deadline").value_or(milliseconds{0});
  else
    in.fail_type("deadline", "a time (RFC 3339), or a number of seconds above 0", *found);
}

/// A member of a task and where it stands: in the task itself, or in the metadata of an extended
/// A2A task.
struct task_field {
  const document_reader& in;
  std::string_view name;

  [[nodiscard]] const json::value* value() const { return in.find(name); }
  [[nodiscard]] std::string text(text_rule rule) const { return in.text(name, rule); }
};

std::int32_t read_priority(const document_reader& task) {
  const auto* found = task.find("priority");
  if (found == nullptr)
    return 0;
  if (const auto value = priority_from(*found))
    return *value;
  task.fail_type("priority", priority_range, *found);
  return 0;
}

/// Both lists, each name once.
void read_dependencies(const document_reader& task, const document_reader& metadata,
                       std::vector<std::string>& out) {
  task.names(out, "dependencies", "task-");
  std::vector<std::string> more;
  metadata.names(more, "opt/v1/dependencies", "task-");
  if (more.empty())
    return;
  const std::unordered_set<std::string_view> seen(out.begin(), out.end());
  std::vector<std::string> fresh;
  for (auto& name : more)
    if (!seen.contains(name))
      fresh.push_back(std::move(name));
  out.insert(out.end(), std::make_move_iterator(fresh.begin()),
             std::make_move_iterator(fresh.end()));
}

task_in_order read_ordered_task(document_reading& reading, const json::value& from,
                                const place& where) {
  task_in_order result;
  auto& task = result.spec;
  const document_reader in(from, where, reading, "a task");
  if (!in)
    return result;
  in.refuse_unknown(member_of::task);
  task.metadata = in.free_object("metadata");
  const auto metadata_place = where / "metadata";
  const document_reader metadata(metadata_of(in), metadata_place, reading, "\"metadata\"");
  const auto field = [&](std::string_view name, std::string_view metadata_name) -> task_field {
    if (in.find(name) == nullptr && metadata.find_even_null(metadata_name) != nullptr)
      return {metadata, metadata_name};
    return {in, name};
  };
  task.id = task_id{in.id("id")};
  task.name = field("name", "troupe/v1/name").text(name_rule);
  task.description = field("description", "troupe/v1/description").text(description_rule);
  task.agent = field("agent", "troupe/v1/agent").text(name_rule);
  if (task.name.empty()) {
    if (task.id.empty())
      reading.failure.set(where, "a task needs a \"name\" or an \"id\"");
    task.name = task.id.str();
  }
  const auto input = field("input", "troupe/v1/input");
  task.input = input.in.free_object(input.name);
  const auto retry = field("retry", "troupe/v1/retry");
  if (const auto* value = retry.value())
    task.retry = read_retry(reading, *value, retry.in.where() / retry.name);
  const auto timeout = field("timeout", "troupe/v1/timeout");
  task.timeout = timeout.in.seconds(timeout.name).value_or(milliseconds{0});
  read_deadline(in, task);
  task.priority = read_priority(in);
  task.expected = in.seconds("expectedSeconds").value_or(milliseconds{0});
  read_dependencies(in, metadata, task.dependencies);
  if (task.metadata.empty()) {
    task.key = task.id.str();
    return result;
  }
  result.index = metadata.whole_number_64("opt/v1/taskIndex", 0, tasks_per_plan_max - 1);
  task.key = read_key(metadata, task.metadata, task.id.str());
  for (const auto name : derived_keys)
    task.metadata.erase(name);
  return result;
}

/// `opt/v1/taskIndex` orders the tasks if all of them have one and no two the same; else the order
/// as written stands.
void sort_by_index(std::vector<task_in_order>& tasks) {
  std::unordered_set<std::uint64_t> seen;
  for (const auto& task : tasks)
    if (!task.index || !seen.insert(*task.index).second)
      return;
  std::sort(tasks.begin(), tasks.end(),
            [](const auto& a, const auto& b) { return *a.index < *b.index; });
}

std::vector<task_spec> read_tasks(document_reading& reading, const document_reader& plan) {
  std::vector<task_spec> specs;
  const auto* list = plan.array("tasks", "tasks", tasks_per_plan_max, "maxTasksPerPlan");
  if (list == nullptr)
    return specs;
  const auto here = plan.where() / "tasks";
  std::vector<task_in_order> tasks;
  tasks.reserve(list->size());
  for (std::size_t i = 0; i < list->size() && !reading.failed(); ++i)
    tasks.push_back(read_ordered_task(reading, (*list)[i], here / i));
  if (reading.failed())
    return specs;
  sort_by_index(tasks);
  specs.reserve(tasks.size());
  for (auto& task : tasks)
    specs.push_back(std::move(task.spec));
  return specs;
}

plan_spec read_plan_at(document_reading& reading, const json::value& from, const place& where) {
  plan_spec plan;
  const document_reader in(from, where, reading, "a plan");
  if (!in)
    return plan;
  in.refuse_unknown(member_of::plan);
  plan.id = plan_id{in.id("id")};
  plan.name = in.text("name", required_name);
  plan.description = in.text("description", description_rule);
  in.names(plan.dependencies, "dependencies", "plan-");
  in.names(plan.alternatives, "alternatives", "plan-");
  if (const auto* failure = in.find("onFailure")) {
    if (failure->is_string() && failure->get_string() == "continue")
      plan.failure = on_failure::keep_going;
    else if (!failure->is_string() || failure->get_string() != "failFast")
      in.fail_type("onFailure", "\"failFast\" or \"continue\"", *failure);
  }
  plan.parallel_max = in.whole_number("maxParallel", 0, any_number).value_or(0);
  read_deadline(in, plan);
  plan.priority = in.shared_priority().value_or(0);
  plan.metadata = in.free_object("metadata");
  const auto metadata_place = where / "metadata";
  plan.key = read_key(document_reader(metadata_of(in), metadata_place, reading, "\"metadata\""),
                      plan.metadata, plan.id.str());
  plan.tasks = read_tasks(reading, in);
  return plan;
}

/// On the wire: tasks without plans around them are one plan, with the name and rules of the whole.
objective_spec read_bare_plan(document_reading& reading, const json::value& from,
                              const place& where, std::string id) {
  auto plan = read_plan_at(reading, from, where);
  plan.id = {};
  plan.key.clear();
  auto out = objective_of(std::move(plan));
  out.id = objective_id{std::move(id)};
  return out;
}

objective_spec read_objective_at(document_reading& reading, const json::value& from,
                                 const place& where) {
  objective_spec objective;
  const document_reader in(from, where, reading, "an objective");
  if (!in)
    return objective;
  if (reading.rule == unknown_members::ignore && in.find("tasks") != nullptr) {
    if (in.find("plans") == nullptr)
      return read_bare_plan(reading, from, where, in.id("id"));
    in.fail("tasks", "an objective has \"plans\", or \"tasks\" of a single plan, not both");
    return objective;
  }
  in.refuse_unknown(member_of::objective);
  objective.id = objective_id{in.id("id")};
  objective.name = in.text("name", required_name);
  objective.description = in.text("description", description_rule);
  objective.parallel_max = in.whole_number("maxParallel", 0, any_number).value_or(0);
  read_deadline(in, objective);
  objective.priority = in.shared_priority().value_or(0);
  objective.metadata = in.free_object("metadata");
  const auto* plans = in.array("plans", "plans", plans_per_objective_max, "maxPlansPerObjective");
  const auto here = where / "plans";
  for (std::size_t i = 0; plans != nullptr && i < plans->size() && !reading.failed(); ++i)
    objective.plans.push_back(
        std::make_shared<const plan_spec>(read_plan_at(reading, (*plans)[i], here / i)));
  return objective;
}

/// One object at `pointer`, with `read` for its kind.
template<class Read>
auto read_at(const json::value& from, unknown_members rule, const std::string& pointer, Read read)
    -> result<decltype(read(std::declval<document_reading&>(), from, place{}))> {
  document_reading reading(rule);
  auto value = read(reading, from, place{nullptr, pointer, std::nullopt});
  if (reading.failed())
    return reading.failure.take();
  return value;
}

} // namespace

std::span<const std::string_view> known_members(member_of member) noexcept {
  switch (member) {
    case member_of::objective: return objective_members;
    case member_of::plan: return plan_members;
    case member_of::task: return task_members;
    case member_of::retry: return retry_members;
  }
  return {};
}

objective_spec objective_of(plan_spec plan) {
  objective_spec around;
  around.name = plan.name;
  around.description = plan.description;
  around.metadata = plan.metadata;
  around.deadline = std::exchange(plan.deadline, std::nullopt);
  around.deadline_after = std::exchange(plan.deadline_after, milliseconds{0});
  around.priority = std::exchange(plan.priority, 0);
  around.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  return around;
}

result<objective_spec> read_objective(const json::value& from, unknown_members rule,
                                      const std::string& pointer) {
  return read_at(from, rule, pointer,
                 [](document_reading& reading, const json::value& objective, const place& where) {
                   return read_objective_at(reading, objective, where);
                 });
}

result<plan_spec> read_plan(const json::value& from, unknown_members rule,
                            const std::string& pointer) {
  return read_at(from, rule, pointer,
                 [](document_reading& reading, const json::value& plan, const place& where) {
                   return read_plan_at(reading, plan, where);
                 });
}

result<task_spec> read_task(const json::value& from, unknown_members rule,
                            const std::string& pointer) {
  return read_at(from, rule, pointer,
                 [](document_reading& reading, const json::value& task, const place& where) {
                   return read_ordered_task(reading, task, where).spec;
                 });
}

} // namespace troupe::opt
