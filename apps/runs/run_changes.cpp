// `troupe modify` without a server: changes a run that no process runs, as a server changes its
// objectives.
#include "apps/commands.hpp"
#include "apps/run/change_request.hpp"
#include "apps/run/service_error.hpp"
#include "apps/runs/held_run.hpp"
#include "apps/runs/run_folder.hpp"
#include "apps/runs/run_record.hpp"
#include "apps/terminal/console.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/written_tree.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/limits_opt.hpp"
#include <troupe/store/await.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

namespace json = boost::json;

namespace {

/// The plan or the run that the change is about.
result<changed_object> changed_of(const objective_view& view, const std::string& plan,
                                  const json::object& change) {
  if (const auto has_plan = check_plan_of(view, plan); !has_plan)
    return has_plan.error();
  if (!plan.empty())
    return changed_object{plan, true};
  if (!is_change_of_plan(change))
    return changed_object{view.id.str(), false};
  std::vector<std::string> ids;
  for (const auto& each : view.plans)
    if (!each.spec->is_removed)
      ids.push_back(each.spec->id.str());
  auto only = the_only_plan(view.id.str(), ids);
  if (!only)
    return only.error();
  return changed_object{std::move(*only), true};
}

template<class Command>
result<change_report> change_by(const service& operations, result<Command> command) {
  if (!command)
    return command.error();
  return await_read<change_report>(
      [&](auto done) { operations.modify(std::move(*command), std::move(done)); });
}

/// plans/modify or objectives/modify.
result<change_report> change_as_server(const service& operations, const changed_object& of,
                                       const json::value& params) {
  if (!of.is_plan)
    return change_by(operations, opt::read_modify_objective(params));
  auto command = opt::read_modify_plan(params);
  const auto wanted = command ? command->operations : std::vector<wanted_operation>{};
  auto report = change_by(operations, std::move(command));
  if (!report)
    return opt::said_of_operations(report.error(), wanted);
  return report;
}

/// Tries it first: what is refused leaves no trace in the record.
result<change_report> change_held(held_run& run, const changed_object& of, json::object params,
                                  bool is_dry) {
  auto wet = params;
  params["dryRun"] = true;
  const auto looked = run.start(held_for::looking);
  if (!looked)
    return looked.error();
  auto report = change_as_server(*looked, of, params);
  if (!report || is_dry)
    return report;
  const auto changing = run.start(held_for::changing);
  if (!changing)
    return changing.error();
  return change_as_server(*changing, of, wet);
}

/// As a server answers it.
json::object shown_report(const change_report& report) {
  auto tree =
      written_tree([&](json_writer& out) { opt::write(out, report); }, opt::document_depth_max);
  return tree && tree->is_object() ? std::move(tree->get_object()) : json::object{};
}

void tell_what_follows(const run_entry& entry) {
  complain(is_settled(entry.state)
               ? "with that the run " + entry.id + " has " + std::string(to_string(entry.state))
               : "`" + run_command_for("--resume", entry) + "` goes on with the run");
}

} // namespace

int modify_run_command(const modify_options& options) {
  auto params = modification_of(options);
  if (!params)
    return refuse_usage(params.error());
  const auto meant = run_or_plan_named(options.id);
  if (!meant)
    return refuse_usage(meant.error());
  const auto* dry = params->if_contains("dryRun");
  const bool is_dry = dry != nullptr && *dry == true;
  auto run = held_run::open(meant->run);
  if (!run)
    return refuse_usage(run.error());
  const auto of = changed_of((*run)->view(), meant->plan, *params);
  if (!of)
    return refuse_usage(of.error());
  (*params)["id"] = of->id;
  const auto report = change_held(**run, *of, *params, is_dry);
  const auto left = (*run)->close();
  if (!report) {
    complain(explained_here(report.error()));
    return exit_failed;
  }
  const auto told = shown_report(*report);
  const bool written = say(options.json ? json::serialize(told) + "\n" : draw_report(told, *of));
  if (!left) { // It is done, whatever could not be read or kept of it.
    complain(left.error().message);
    return exit_failed;
  }
  if (!is_dry && !options.json)
    tell_what_follows(*left);
  return written ? exit_ok : exit_failed;
}

} // namespace troupe
