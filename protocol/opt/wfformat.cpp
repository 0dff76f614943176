#include "protocol/opt/wfformat.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/opt/document_reader.hpp"
#include "protocol/opt/limits_opt.hpp"

#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe::wfformat {

namespace json = boost::json;
using opt::description_rule;
using opt::document_reader;
using opt::name_rule;
using opt::place;

namespace {

constexpr std::string_view supported_version = "1.5";
constexpr opt::text_rule id_rule{.bytes_max = opt::name_bytes_max, .required = true};

/// The task names point into the document, which outlives the reader.
class instance_reader {
public:
  explicit instance_reader(const json::value& document) : document_(document) {}

  result<objective_spec> read() {
    objective_spec objective;
    if (const document_reader root(document_, root_, reading_, "a WfFormat instance"); root) {
      check_version(document_.get_object());
      objective.name = root.text("name", name_rule);
      objective.description = root.text("description", description_rule);
      if (objective.name.empty())
        objective.name = "workflow";
      if (const auto* workflow = child(root, "workflow"))
        read_workflow(*workflow, root_ / "workflow");
    }
    if (failed())
      return reading_.failure.take();
    plan_spec plan;
    plan.name = objective.name;
    plan.tasks = std::move(tasks_);
    objective.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
    return objective;
  }

private:
  static constexpr std::uint32_t none = 0xffffffff;

  void check_version(const json::object& root) {
    const auto& version = root.at("schemaVersion");
    if (!version.is_string() || version.get_string() != supported_version)
      fail(root_ / "schemaVersion", "WfFormat " + std::string(supported_version)
                                        + " is supported, found " + opt::describe(version));
  }

  [[nodiscard]] bool failed() const noexcept { return reading_.failed(); }
  void fail(const place& where, std::string_view text) { reading_.failure.set(where, text); }
  void fail(errc code, const place& where, std::string_view text) {
    reading_.failure.set(code, where, text);
  }

  /// A member that must be there.
  const json::value* child(const document_reader& in, std::string_view name) {
    const auto* found = in.find(name);
    if (found == nullptr)
      fail(in.where(), quoted(name) + " is missing");
    return found;
  }

  const json::array* tasks_of(const json::value& from, const place& where,
                              std::string_view called) {
    const document_reader in(from, where, reading_, called);
    return in && child(in, "tasks") != nullptr
               ? in.array("tasks", "tasks", opt::tasks_per_plan_max, "maxTasksPerPlan")
               : nullptr;
  }

  void read_workflow(const json::value& from, const place& where) {
    const document_reader workflow(from, where, reading_, "\"workflow\"");
    if (!workflow)
      return;
    const auto* specification = child(workflow, "specification");
    const auto* execution = child(workflow, "execution");
    if (specification == nullptr || execution == nullptr)
      return;
    const auto specification_place = where / "specification";
    const auto execution_place = where / "execution";
    const auto* specified = tasks_of(*specification, specification_place, "\"specification\"");
    const auto* executed = tasks_of(*execution, execution_place, "\"execution\"");
    if (specified == nullptr || executed == nullptr)
      return;
    const auto here = specification_place / "tasks";
    if (specified->empty())
      fail(here, "the workflow has no tasks");
    read_tasks(*specified, here);
    read_runtimes(*executed, execution_place / "tasks", here);
    read_edges(*specified, here);
  }

  void read_tasks(const json::array& list, const place& where) {
    tasks_.reserve(list.size());
    for (std::size_t i = 0; i < list.size() && !failed(); ++i) {
      const auto here = where / i;
      const document_reader in(list[i], here, reading_, "a task");
      if (!in)
        return;
      auto& task = tasks_.emplace_back();
      task.key = in.text("id", id_rule);
      task.name = in.text("name", name_rule);
      if (task.name.empty())
        task.name = task.key;
      task.agent = "sleep";
      if (failed())
        return;
      if (!index_
               .try_emplace(list[i].get_object().at("id").get_string(),
                            static_cast<std::uint32_t>(i))
               .second)
        fail(errc::duplicate_id, here / "id", "two tasks have the id " + quoted(task.key));
    }
  }

  void read_runtimes(const json::array& list, const place& where, const place& tasks_place) {
    std::vector<bool> measured(tasks_.size());
    for (std::size_t i = 0; i < list.size() && !failed(); ++i) {
      const auto here = where / i;
      const document_reader in(list[i], here, reading_, "a task");
      if (!in)
        return;
      const auto id = in.text("id", id_rule);
      const auto found = index_.find(id);
      if (failed() || found == index_.end())
        continue; // executed, but not part of the workflow: Nextflow's own housekeeping, for
                  // example
      const auto runtime = in.number("runtimeInSeconds", opt::seconds_max,
                                     "a number of seconds from 0 to 315360000");
      if (!runtime)
        return fail(here, "task " + quoted(id) + " has no \"runtimeInSeconds\"");
      if (measured[found->second])
        return fail(errc::duplicate_id, here / "id", "task " + quoted(id) + " has two executions");
      measured[found->second] = true;
      tasks_[found->second].input.emplace("seconds", *runtime);
    }
    for (std::size_t i = 0; i < tasks_.size() && !failed(); ++i)
      if (!measured[i])
        fail(tasks_place / i, "task " + quoted(tasks_[i].key)
                                  + " has no runtime: it is missing in /workflow/execution/tasks");
  }

  void read_edges(const json::array& list, const place& where) {
    std::vector<std::vector<std::uint32_t>> parents(tasks_.size());
    for (std::uint32_t i = 0; i < tasks_.size() && !failed(); ++i) {
      const auto here = where / i;
      const document_reader in(list[i], here, reading_, "a task");
      each_name(in, "parents", [&](std::uint32_t parent) { parents[i].push_back(parent); });
      each_name(in, "children", [&](std::uint32_t child) { parents[child].push_back(i); });
    }
    std::vector<std::uint32_t> last_child(tasks_.size(),
                                          none); // of each parent: whose list it was last put on
    for (std::uint32_t i = 0; i < tasks_.size() && !failed(); ++i)
      for (const auto parent : parents[i])
        if (std::exchange(last_child[parent], i) != i) {
          tasks_[i].dependencies.push_back(tasks_[parent].key);
          tasks_[i].dependency_indexes.push_back(parent);
        }
  }

  template<class Use>
  void each_name(const document_reader& task, std::string_view member, Use use) {
    std::vector<std::string> names;
    task.names(names, member, "");
    for (std::size_t i = 0; i < names.size() && !failed(); ++i) {
      const auto found = index_.find(names[i]);
      if (found == index_.end())
        fail(errc::unknown_dependency, task.where() / member / i,
             "no task has the id " + quoted(names[i]));
      else
        use(found->second);
    }
  }

  const json::value& document_;
  opt::document_reading reading_{opt::unknown_members::refuse};
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
