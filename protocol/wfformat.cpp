#include "protocol/wfformat.hpp"

#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/document_reader.hpp"
#include "protocol/limits_opt.hpp"

namespace troupe::wfformat {

namespace json = boost::json;
using opt::document_reader;
using opt::place;

namespace {

constexpr std::string_view supported_version = "1.5";
constexpr document_reader::text_rule name_rule{.bytes_max = opt::name_bytes_max};
constexpr document_reader::text_rule id_rule{.bytes_max = opt::name_bytes_max, .required = true};
constexpr document_reader::text_rule description_rule{.bytes_max = opt::description_bytes_max, .single_line = false};

/// The task names point into the document, which outlives the reader.
class instance_reader {
public:
  explicit instance_reader(const json::value& document) : document_(document) {}

  result<objective_spec> read() {
    objective_spec objective;
    if (const auto* root = in_.object(document_, root_, "a WfFormat instance")) {
      check_version(*root);
      objective.name = in_.text(*root, root_, "name", name_rule);
      objective.description = in_.text(*root, root_, "description", description_rule);
      if (objective.name.empty())
        objective.name = "workflow";
      if (const auto* workflow = child(*root, root_, "workflow"))
        read_workflow(*workflow, root_ / "workflow");
    }
    if (in_.failed())
      return in_.take_failure();
    plan_spec plan;
    plan.name = objective.name;
    plan.tasks = std::move(tasks_);
    objective.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
    return objective;
  }

private:
  static constexpr std::uint32_t nobody = 0xffffffff;

  void check_version(const json::object& root) {
    const auto& version = root.at("schemaVersion");
    if (!version.is_string() || version.get_string() != supported_version)
      in_.fail(root_ / "schemaVersion",
               "WfFormat " + std::string(supported_version) + " is supported, found " + opt::describe(version));
  }

  const json::object* child(const json::object& from, const place& where, std::string_view name) {
    const auto* found = in_.member(from, name);
    if (found == nullptr)
      in_.fail(where, "\"" + std::string(name) + "\" is missing");
    return found == nullptr ? nullptr : in_.object(*found, where / name, "\"" + std::string(name) + "\"");
  }

  const json::array* tasks_of(const json::object& from, const place& where) {
    if (in_.member(from, "tasks") == nullptr)
      in_.fail(where, "\"tasks\" is missing");
    return in_.array(from, where, "tasks", "tasks", opt::tasks_per_plan_max, "maxTasksPerPlan");
  }

  void read_workflow(const json::object& workflow, const place& where) {
    const auto* specification = child(workflow, where, "specification");
    const auto* execution = child(workflow, where, "execution");
    if (specification == nullptr || execution == nullptr)
      return;
    const auto specification_place = where / "specification";
    const auto execution_place = where / "execution";
    const auto* specified = tasks_of(*specification, specification_place);
    const auto* executed = tasks_of(*execution, execution_place);
    if (specified == nullptr || executed == nullptr)
      return;
    const auto here = specification_place / "tasks";
    if (specified->empty())
      in_.fail(here, "the workflow has no tasks");
    read_tasks(*specified, here);
    read_runtimes(*executed, execution_place / "tasks", here);
    read_edges(*specified, here);
  }

  void read_tasks(const json::array& list, const place& where) {
    tasks_.reserve(list.size());
    for (std::size_t i = 0; i < list.size() && !in_.failed(); ++i) {
      const auto here = where / i;
      const auto* object = in_.object(list[i], here, "a task");
      if (object == nullptr)
        return;
      auto& task = tasks_.emplace_back();
      task.key = in_.text(*object, here, "id", id_rule);
      task.name = in_.text(*object, here, "name", name_rule);
      if (task.name.empty())
        task.name = task.key;
      task.agent = "sleep";
      if (in_.failed())
        return;
      if (!index_.try_emplace(object->at("id").get_string(), static_cast<std::uint32_t>(i)).second)
        in_.fail(errc::duplicate_id, here / "id", "two tasks have the id \"" + task.key + "\"");
    }
  }

  void read_runtimes(const json::array& list, const place& where, const place& tasks_place) {
    std::vector<bool> measured(tasks_.size());
    for (std::size_t i = 0; i < list.size() && !in_.failed(); ++i) {
      const auto here = where / i;
      const auto* object = in_.object(list[i], here, "a task");
      if (object == nullptr)
        return;
      const auto id = in_.text(*object, here, "id", id_rule);
      const auto found = index_.find(id);
      if (in_.failed() || found == index_.end())
        continue; // executed, but not part of the workflow: Nextflow's own housekeeping, for example
      const auto runtime = in_.number(*object, here, "runtimeInSeconds", opt::seconds_max,
                                      "a number of seconds from 0 to 315360000");
      if (!runtime)
        return in_.fail(here, "task \"" + id + "\" has no \"runtimeInSeconds\"");
      if (measured[found->second])
        return in_.fail(errc::duplicate_id, here / "id", "task \"" + id + "\" has two executions");
      measured[found->second] = true;
      tasks_[found->second].input.emplace("seconds", *runtime);
    }
    for (std::size_t i = 0; i < tasks_.size() && !in_.failed(); ++i)
      if (!measured[i])
        in_.fail(tasks_place / i, "task \"" + tasks_[i].key + "\" has no runtime: it is missing in /workflow/execution/tasks");
  }

  void read_edges(const json::array& list, const place& where) {
    std::vector<std::vector<std::uint32_t>> parents(tasks_.size());
    for (std::uint32_t i = 0; i < tasks_.size() && !in_.failed(); ++i) {
      const auto here = where / i;
      const auto& object = list[i].get_object();
      each_name(object, here, "parents", [&](std::uint32_t parent) { parents[i].push_back(parent); });
      each_name(object, here, "children", [&](std::uint32_t child) { parents[child].push_back(i); });
    }
    std::vector<std::uint32_t> last_child(tasks_.size(), nobody); // of each parent: whose list it was last put on
    for (std::uint32_t i = 0; i < tasks_.size() && !in_.failed(); ++i)
      for (const auto parent : parents[i])
        if (std::exchange(last_child[parent], i) != i) {
          tasks_[i].dependencies.push_back(tasks_[parent].key);
          tasks_[i].dependency_indexes.push_back(parent);
        }
  }

  template<class Use>
  void each_name(const json::object& task, const place& where, std::string_view member, Use use) {
    std::vector<std::string> names;
    in_.names(names, task, where, member, "");
    for (std::size_t i = 0; i < names.size() && !in_.failed(); ++i) {
      const auto found = index_.find(names[i]);
      if (found == index_.end())
        in_.fail(errc::unknown_dependency, where / member / i, "no task has the id \"" + names[i] + "\"");
      else
        use(found->second);
    }
  }

  const json::value& document_;
  document_reader in_{opt::unknown_members::refuse};
  place root_{};
  std::vector<task_spec> tasks_;
  std::unordered_map<std::string_view, std::uint32_t> index_;
};

} // namespace

bool is_instance(const json::value& document) noexcept {
  const auto* root = document.if_object();
  return root != nullptr && root->contains("schemaVersion") && root->contains("workflow");
}

result<objective_spec> read_instance(const json::value& document) {
  return instance_reader(document).read();
}

} // namespace troupe::wfformat
