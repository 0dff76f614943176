#include "apps/remote/objective_mending.hpp"

#include "protocol/json/json_writer.hpp"
#include "protocol/json/object_reader.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/json/written_tree.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/opt/objective_reading.hpp"
#include "protocol/opt/plan_operations.hpp"

#include <boost/json/array.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

namespace json = boost::json;

namespace {

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

/// What changes have added, those of a mended file apart.
struct added_parts {
  std::set<std::string> plans; ///< Their ids.
  std::set<std::string> tasks;
};

result<added_parts> added_by_others(const server_link& on, const std::string& id) {
  // All of them: what an old change has added must not be taken for a part of the file.
  const auto changes = on.list("changes", a2a::operation::objective_history, {{"id", id}},
                               std::numeric_limits<std::size_t>::max());
  if (!changes)
    return changes.error();
  added_parts out;
  for (const auto& each : *changes) {
    const auto* members = each.if_object();
    const auto* operations = members ? members->if_contains("operations") : nullptr;
    if (!operations || !operations->is_array() || text_in(each, "reason") == mended_file_reason)
      continue;
    for (const auto& one : operations->get_array()) {
      if (text_in(one, "op") == "addTask")
        out.tasks.insert(text_in(one, "task"));
      else if (text_in(one, "op") == "addPlan")
        out.plans.insert(text_in(one, "plan"));
    }
  }
  return out;
}

/// Finds what is in no file.
void note_made(const json::value& shown, const added_parts& added, mendable_objective& of) {
  const auto& plans = of.view.plans;
  for (std::uint32_t p = 0; p < plans.size(); ++p)
    if (added.plans.contains(plans[p].spec->id.str()))
      of.made_plans.insert(p);
  for_each_shown_task(shown, [&](task_position at, const json::object& task) {
    const bool is_of_view = at.plan < plans.size() && at.task < plans[at.plan].spec->tasks.size();
    if (is_of_view
        && (task.contains("calledBy")
            || added.tasks.contains(plans[at.plan].spec->tasks[at.task].id.str())))
      of.made_by_tasks.insert(at);
  });
}

error not_told_apart(const std::string& of, std::size_t count, const std::string& parts,
                     const std::string& name) {
  return make_error(errc::invalid_params,
                    of + " has " + std::to_string(count) + " " + parts + " with the name "
                        + troupe::quoted(name)
                        + "; a server does not show the ids of the file, so they cannot be told "
                          "apart");
}

/// No plan of the file may have a name that stands twice.
result<void> check_plan_names(const objective_view& view, const objective_spec& file) {
  std::map<std::string, std::size_t> in_view;
  std::map<std::string, std::size_t> in_file;
  for (const auto& plan : view.plans)
    ++in_view[plan.spec->name];
  for (const auto& plan : file.plans)
    ++in_file[plan->name];
  for (const auto& [name, count] : in_file) {
    if (count > 1)
      return not_told_apart("the file", count, "plans", name);
    if (in_view[name] > 1)
      return not_told_apart("the objective", in_view[name], "plans", name);
  }
  return {};
}

/// How often each name stands among the tasks of a plan, and where it does first.
std::map<std::string, std::pair<std::size_t, std::uint32_t>> names_in(const plan_spec& plan) {
  std::map<std::string, std::pair<std::size_t, std::uint32_t>> out;
  for (std::uint32_t t = 0; t < plan.tasks.size(); ++t)
    if (!plan.tasks[t].is_removed)
      ++out.try_emplace(plan.tasks[t].name, 0, t).first->second.first;
  return out;
}

/// What the server does not show counts as unchanged: the metadata of tasks. Errors:
/// invalid_params, if two plans, or two tasks of a plan, have the same name.
result<void> take_metadata(objective_view& view, const objective_spec& file,
                           const std::optional<std::uint32_t>& only) {
  const bool is_only = file.plans.size() == 1 && only;
  if (!is_only)
    if (auto ok = check_plan_names(view, file); !ok)
      return ok;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p) {
    auto own = std::make_shared<plan_spec>(*view.plans[p].spec);
    const auto names = names_in(*own);
    for (const auto& plan : file.plans) {
      if (is_only ? p != *only : plan->name != own->name)
        continue;
      for (const auto& [name, found] : names_in(*plan))
        if (found.first > 1)
          return not_told_apart("the plan " + troupe::quoted(plan->name) + " of the file",
                                found.first, "tasks", name);
      for (const auto& task : plan->tasks) {
        const auto found = names.find(task.name);
        if (found == names.end())
          continue;
        const auto [count, at] = found->second;
        if (count > 1)
          return not_told_apart("the plan " + troupe::quoted(own->name), count, "tasks", task.name);
        own->tasks.edit(at).metadata = task.metadata;
      }
    }
    view.plans.edit(p).spec = std::move(own);
  }
  return {};
}

/// Operations as `write` writes them, for a request.
result<json::value> sendable(const std::function<void(json_writer& out)>& write) {
  auto tree = written_tree(write, opt::document_depth_max);
  if (!tree)
    return make_error(tree.error().code, "cannot be sent: " + tree.error().message);
  return tree;
}

/// The revision of the objective or plan is then `revision`, unless it was only tried.
result<void> modify(const server_link& on, a2a::operation which, const std::string& id,
                    const json::value& operations, bool is_dry, std::uint64_t& revision) {
  json::object params;
  params["id"] = id;
  params["operations"] = operations;
  params["reason"] = mended_file_reason;
  if (is_dry)
    params["dryRun"] = true;
  const auto done = on.client->ask(which, std::move(params));
  if (!done)
    return done.error();
  if (!is_dry)
    revision = revision_in(*done).value_or(revision);
  return {};
}

} // namespace

std::optional<std::uint64_t> revision_in(const json::value& answer) {
  const auto* members = answer.if_object();
  const auto* found = members ? members->if_contains("revision") : nullptr;
  const auto number = found ? wire::whole_number_from(*found) : std::nullopt;
  return number && *number >= 0 ? std::optional<std::uint64_t>(*number) : std::nullopt;
}

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

result<mendable_objective> read_mendable(const server_link& on, const std::string& id) {
  const auto shown = on.ask_for("objective", a2a::operation::get_objective, {{"id", id}});
  if (!shown)
    return shown.error();
  auto view = opt::read_objective_view(*shown);
  if (!view)
    return view.error();
  const auto added = added_by_others(on, view->id.str());
  if (!added)
    return added.error();
  mendable_objective out{std::move(*view), {}, {}};
  note_made(*shown, *added, out);
  return out;
}

result<void> note_skipped_plans(const server_link& on, mendable_objective& of) {
  const auto shown =
      on.ask_for("objective", a2a::operation::get_objective, {{"id", of.view.id.str()}});
  if (!shown)
    return shown.error();
  const auto now = opt::read_objective_view(*shown);
  if (!now)
    return now.error();
  std::set<plan_id> skipped;
  for (const auto& plan : now->plans)
    if (plan.state == plan_state::skipped)
      skipped.insert(plan.spec->id);
  for (std::uint32_t p = 0; p < of.view.plans.size(); ++p)
    of.view.plans.edit(p).skip_requested = skipped.contains(of.view.plans[p].spec->id);
  return {};
}

result<mended_run> mend_objective(const mendable_objective& of, const checked_file& file) {
  auto view = of.view;
  auto wanted = file.file.objective;
  if (const auto taken = take_metadata(view, wanted, only_plan_of(view, of.made_plans)); !taken)
    return taken.error();
  if (wanted.parallel_max == 0) // The server may have a limit of its own.
    wanted.parallel_max = view.parallel_max;
  return mend_run(view, wanted, file.edges, of.made_by_tasks, of.made_plans);
}

result<void> send_mended(const server_link& on, const std::string& id, const mended_run& mended,
                         std::uint64_t& revision) {
  std::vector<std::pair<std::string, json::value>> plans;
  for (const auto& each : mended.plans) {
    auto operations = sendable([&](json_writer& out) {
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
      sendable([&](json_writer& out) { opt::write_operations(out, mended.objective); });
  if (!whole)
    return whole.error();
  for (const bool is_dry : {true, false}) {
    for (const auto& [plan, operations] : plans)
      if (auto done = modify(on, a2a::operation::modify_plan, plan, operations, is_dry, revision);
          !done)
        return done;
    if (!mended.objective.empty())
      if (auto done = modify(on, a2a::operation::modify_objective, id, *whole, is_dry, revision);
          !done)
        return done;
  }
  return {};
}

bool is_refusal(errc code) noexcept {
  switch (code) {
    case errc::unavailable:
    case errc::timed_out:
    case errc::overloaded:
    case errc::internal:
    case errc::store_failed:
    case errc::store_unreadable:
    case errc::too_large:
    case errc::invalid_agent_response: return false;
    default: return true;
  }
}

} // namespace troupe
