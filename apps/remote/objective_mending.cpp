#include "apps/remote/objective_mending.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/opt/objective_reading.hpp"
#include "protocol/opt/plan_operations.hpp"

#include <boost/json/array.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::size_t changes_read_max = 1000;
/// Tells these changes from those of others.
constexpr const char* mended_file_reason = "the file of the plan was mended";

/// An operation of mend_run in the words of plans/modify.
struct mending_writer {
  json_writer& out;

  json_writer& begin(std::string_view op, const std::string& task) const {
    return out.begin_object().member("op", op).member("task", task);
  }
  void operator()(const add_task& added) const {
    out.begin_object().member("op", "addTask").member("as", added.as);
    opt::write_members(out, added.spec);
    out.end_object();
  }
  void operator()(const put_task<std::string>& put) const {
    begin("replaceTask", put.task).key("with").begin_object();
    opt::write_members(out, put.spec);
    if (put.spec.dependencies.empty()) // If they were missing, it would keep those that it has.
      out.key("dependencies").begin_array().end_array();
    out.end_object().end_object();
  }
  /// What still depends on it is removed as well.
  void operator()(const remove_task<std::string>& removed) const {
    begin("removeTask", removed.task).key("bridge").boolean(true).end_object();
  }
  void operator()(const remove_dependency<std::string>& removed) const {
    begin("removeDependency", removed.task).member("on", removed.on).end_object();
  }
  void operator()(const edit_plan& edited) const {
    out.begin_object().member("op", "setPlan");
    out.optional_member("name", edited.edited.name);
    out.optional_member("description", edited.edited.description);
    if (edited.parallel_max)
      out.key("maxParallel").number(*edited.parallel_max);
    if (edited.failure)
      out.member("onFailure", *edited.failure == on_failure::keep_going ? "continue" : "failFast");
    if (edited.priority)
      out.key("priority").number(std::int64_t{*edited.priority});
    out.end_object();
  }
  /// mend_run makes no others.
  template<class Other>
  void operator()(const Other&) const {}
};

/// Tasks as `plan.tasks` of an answer shows them, with their places in the view that was read of
/// it.
template<class Visit>
void for_each_shown_task(const json::value& shown, const Visit& visit) {
  const auto* members = shown.if_object();
  const auto* plans = members ? members->if_contains("plans") : nullptr;
  const auto* all = plans ? plans->if_array() : nullptr;
  for (std::uint32_t p = 0; all && p < all->size(); ++p) {
    const auto* plan = (*all)[p].if_object();
    const auto* tasks = plan ? plan->if_contains("tasks") : nullptr;
    if (const auto* list = tasks ? tasks->if_array() : nullptr)
      for (const auto& each : *list)
        if (const auto* task = each.if_object())
          if (const auto* index = task->if_contains("taskIndex"); index && index->is_int64())
            visit(task_position{p, static_cast<std::uint32_t>(index->get_int64())}, *task);
  }
}

/// The ids of the tasks that changes have added, those of a mended file apart.
result<std::set<std::string>> added_by_others(const server_link& on, const std::string& id) {
  const auto changes =
      on.list("changes", a2a::operation::objective_history, {{"id", id}}, changes_read_max);
  if (!changes)
    return changes.error();
  std::set<std::string> out;
  for (const auto& each : *changes) {
    const auto* members = each.if_object();
    const auto* operations = members ? members->if_contains("operations") : nullptr;
    if (!operations || !operations->is_array() || text_in(each, "reason") == mended_file_reason)
      continue;
    for (const auto& one : operations->get_array())
      if (text_in(one, "op") == "addTask")
        out.insert(text_in(one, "task"));
  }
  return out;
}

/// Tasks of the objective that are in no file.
result<std::set<task_position>> tasks_of_no_file(const server_link& on, const json::value& shown,
                                                 const objective_view& view) {
  const auto added = added_by_others(on, view.id.str());
  if (!added)
    return added.error();
  std::set<task_position> out;
  for_each_shown_task(shown, [&](task_position at, const json::object& task) {
    const bool is_of_view =
        at.plan < view.plans.size() && at.task < view.plans[at.plan].spec->tasks.size();
    if (is_of_view
        && (task.contains("calledBy")
            || added->contains(view.plans[at.plan].spec->tasks[at.task].id.str())))
      out.insert(at);
  });
  return out;
}

/// How often each name stands among the tasks of a plan, and where it does first.
std::map<std::string, std::pair<std::size_t, std::uint32_t>> names_in(const plan_spec& plan) {
  std::map<std::string, std::pair<std::size_t, std::uint32_t>> out;
  for (std::uint32_t t = 0; t < plan.tasks.size(); ++t)
    if (!plan.tasks[t].is_removed)
      ++out.try_emplace(plan.tasks[t].name, 0, t).first->second.first;
  return out;
}

/// What the server does not show counts as unchanged: the metadata of tasks.
result<void> take_metadata(objective_view& view, const objective_spec& file) {
  const bool is_only = file.plans.size() == 1 && view.plans.size() == 1;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p) {
    auto own = std::make_shared<plan_spec>(*view.plans[p].spec);
    const auto names = names_in(*own);
    for (const auto& plan : file.plans) {
      if (!is_only && plan->name != own->name)
        continue;
      for (const auto& task : plan->tasks) {
        const auto found = names.find(task.name);
        if (found == names.end())
          continue;
        const auto [count, at] = found->second;
        if (count > 1)
          return make_error(errc::invalid_params,
                            "the plan " + troupe::quoted(own->name) + " has "
                                + std::to_string(count) + " tasks with the name "
                                + troupe::quoted(task.name)
                                + "; a server does not show the ids of the file, so they cannot be "
                                  "told apart");
        own->tasks.edit(at).metadata = task.metadata;
      }
    }
    view.plans.edit(p).spec = std::move(own);
  }
  return {};
}

/// What `write` writes, as a value that a request takes.
template<class Write>
result<json::value> tree_of(const Write& write) {
  std::string text;
  json_writer out(text);
  write(out);
  boost::system::error_code failed;
  json::parse_options how;
  how.max_depth = opt::document_depth_max;
  auto tree = parse_json(text, failed, {}, how);
  if (failed)
    return make_error(errc::invalid_document, "cannot be sent: " + json_fault(failed));
  return tree;
}

result<void> modify(const server_link& on, a2a::operation which, const std::string& id,
                    const json::value& operations, bool is_dry) {
  json::object params;
  params["id"] = id;
  params["operations"] = operations;
  params["reason"] = mended_file_reason;
  if (is_dry)
    params["dryRun"] = true;
  const auto done = on.client->ask(which, std::move(params));
  return done ? result<void>{} : result<void>{done.error()};
}

} // namespace

result<checked_file> read_for_server(const std::string& path, const param_values& params) {
  auto file = read_plan_file(path, params);
  if (!file)
    return file.error();
  make_ids_local(file->objective);
  pass_variables(*file);
  auto edges = resolve_dependencies(file->objective.plans);
  if (!edges)
    return locate(*file, edges.error());
  return checked_file{std::move(*file), std::move(*edges)};
}

result<mended_run> mend_objective(const server_link& on, const std::string& id,
                                  const checked_file& file) {
  json::object params;
  params["id"] = id;
  const auto shown = on.ask_for("objective", a2a::operation::get_objective, std::move(params));
  if (!shown)
    return shown.error();
  auto view = opt::read_objective_view(*shown);
  if (!view)
    return view.error();
  const auto stay = tasks_of_no_file(on, *shown, *view);
  if (!stay)
    return stay.error();
  auto wanted = file.file.objective;
  if (const auto taken = take_metadata(*view, wanted); !taken)
    return taken.error();
  if (wanted.parallel_max == 0) // The server may have a limit of its own.
    wanted.parallel_max = view->parallel_max;
  return mend_run(*view, wanted, file.edges, *stay);
}

result<void> send_mended(const server_link& on, const std::string& id, const mended_run& mended) {
  std::vector<std::pair<std::string, json::value>> plans;
  for (const auto& each : mended.plans) {
    auto operations = tree_of([&](json_writer& out) {
      out.begin_array();
      for (const auto& one : each.operations)
        std::visit(mending_writer{out}, one);
      out.end_array();
    });
    if (!operations)
      return operations.error();
    plans.emplace_back(each.plan.str(), std::move(*operations));
  }
  const auto whole =
      tree_of([&](json_writer& out) { opt::write_operations(out, mended.objective); });
  if (!whole)
    return whole.error();
  for (const bool is_dry : {true, false}) {
    for (const auto& [plan, operations] : plans)
      if (auto done = modify(on, a2a::operation::modify_plan, plan, operations, is_dry); !done)
        return done;
    if (!mended.objective.empty())
      if (auto done = modify(on, a2a::operation::modify_objective, id, *whole, is_dry); !done)
        return done;
  }
  return {};
}

} // namespace troupe
