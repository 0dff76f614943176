// `troupe modify`, `replan` and `history`: changes of objectives and plans of a server.
#include "apps/local_flag.hpp"
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/run/change_request.hpp"
#include "apps/run/history_table.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"
#include "protocol/opt/limits_opt.hpp"
#include <troupe/protocol/ids.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <string>
#include <utility>
#include <vector>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::size_t listed_changes_max = 1000;

/// What a person means: the id of a plan, else an objective as find_objective_id finds it.
result<changed_object> find_changed(const server_link& on, const std::string& name) {
  if (const auto knows = on.need_objectives(); !knows)
    return knows.error();
  if (name != "@last") {
    json::object params;
    params["id"] = name;
    params["includeTasks"] = false;
    const auto plan = on.ask_for("plan", a2a::operation::get_plan, std::move(params));
    if (plan)
      return changed_object{text_in(*plan, "id"), true};
    if (plan.error().code != errc::plan_not_found)
      return plan.error();
  }
  auto objective = find_objective_id(on, name);
  if (!objective)
    return objective.error();
  return changed_object{std::move(*objective), false};
}

/// The only plan of the objective.
result<std::string> find_only_plan(const server_link& on, const std::string& objective) {
  json::object params;
  params["id"] = objective;
  params["includeTasks"] = false;
  const auto found = on.ask_for("objective", a2a::operation::get_objective, std::move(params));
  if (!found)
    return found.error();
  std::vector<std::string> ids;
  const auto* members = found->if_object();
  const auto* plans = members ? members->if_contains("plans") : nullptr;
  if (const auto* all = plans ? plans->if_array() : nullptr)
    for (const auto& plan : *all)
      ids.push_back(text_in(plan, "id"));
  return the_only_plan(objective, ids);
}

json::object replan_of(const replan_options& options, const std::string& id, std::string text) {
  json::object out;
  out["id"] = id;
  if (!text.empty())
    out["text"] = std::move(text);
  if (!options.template_name.empty())
    out["template"] = options.template_name;
  json::object params;
  for (const auto& [name, value] : options.params)
    params[name] = value;
  if (!params.empty())
    out["params"] = std::move(params);
  if (!options.reason.empty())
    out["reason"] = options.reason;
  if (options.if_revision)
    out["ifRevision"] = *options.if_revision;
  if (options.is_dry)
    out["dryRun"] = true;
  else
    out["requestId"] = thread_id_source().next("req");
  return out;
}

/// `  addPlan Tent: Buy a tent, Pack it`, a line for each operation of the planner, and who it was.
std::string draw_planned(const json::object& report) {
  std::string out;
  if (const auto* operations = report.if_contains("operations");
      operations && operations->is_array())
    for (const auto& each : operations->get_array()) {
      auto line = operation_words(each);
      std::string tasks;
      if (const auto* all = each.is_object() ? each.get_object().if_contains("tasks") : nullptr;
          all && all->is_array())
        for (const auto& task : all->get_array())
          tasks += (tasks.empty() ? ": " : ", ") + text_in(task, "name");
      out += "  " + clean_line(line + tasks) + "\n";
    }
  const auto* note = report.if_contains("planner");
  const auto* members = note ? note->if_object() : nullptr;
  const auto* reasons = members ? members->if_contains("reasons") : nullptr;
  if (reasons && reasons->is_array() && !reasons->get_array().empty())
    if (const auto* last = reasons->get_array().back().if_string())
      out +=
          clean_line("planned by the " + text_in(*note, "who") + ": " + std::string(*last)) + "\n";
  return out;
}

/// The document of the plan or objective as it was.
int show_past(const server_link& on, const changed_object& of, std::uint64_t revision) {
  json::object params;
  params["id"] = of.id;
  params["atRevision"] = revision;
  const auto which = of.is_plan ? a2a::operation::plan_history : a2a::operation::objective_history;
  const auto past = on.ask_for(of.is_plan ? "plan" : "objective", which, std::move(params));
  if (!past)
    return on.refuse(past.error());
  return say(json::serialize(*past) + "\n") ? exit_ok : exit_failed;
}

} // namespace

int modify_command(const modify_options& options, chosen_server server) {
  auto params = modification_of(options);
  if (!params)
    return refuse_usage(params.error());
  const auto on = link_to(std::move(server));
  if (!on)
    return refuse_usage(on.error());
  auto of = find_changed(*on, options.id);
  if (!of)
    return on->refuse(of.error());
  if (!of->is_plan && is_change_of_plan(*params)) {
    auto plan = find_only_plan(*on, of->id);
    if (!plan)
      return on->refuse(plan.error());
    *of = {std::move(*plan), true};
  }
  (*params)["id"] = of->id;
  const auto which = of->is_plan ? a2a::operation::modify_plan : a2a::operation::modify_objective;
  const auto done = on->client->ask(which, std::move(*params));
  if (!done)
    return on->refuse(done.error());
  if (!done->is_object())
    return on->refuse(make_error(errc::invalid_agent_response, "the answer is no object"));
  const auto text =
      options.json ? json::serialize(*done) + "\n" : draw_report(done->get_object(), *of);
  return say(text) ? exit_ok : exit_failed;
}

int replan_command(const replan_options& options) {
  if (options.text.empty() && options.template_name.empty()) {
    complain("how is it to go on? A text (- reads standard input), or --template NAME");
    return exit_usage;
  }
  auto text = options.text == "-" ? read_text(options.text, opt::description_bytes_max)
                                  : result<std::string>(options.text);
  if (!text)
    return refuse_usage(text.error());
  const auto on =
      link_to(options.server, "a run of this computer is changed with `troupe modify "
                                  + shell_word(options.id) + local_flag()
                                  + "`, or with its plan, mended: `troupe run --retry FILE`");
  if (!on)
    return refuse_usage(on.error());
  auto id = find_objective_id(*on, options.id);
  if (!id)
    return on->refuse(id.error());
  const auto done =
      on->client->ask(a2a::operation::replan_objective, replan_of(options, *id, std::move(*text)));
  if (!done)
    return on->refuse(done.error());
  if (!done->is_object())
    return on->refuse(make_error(errc::invalid_agent_response, "the answer is no object"));
  const auto& report = done->get_object();
  const auto words = options.json ? json::serialize(report) + "\n"
                                  : draw_report(report, {*id, false}) + draw_planned(report);
  return say(words) ? exit_ok : exit_failed;
}

int history_command(const history_options& options, chosen_server server) {
  const auto on = link_to(std::move(server));
  if (!on)
    return refuse_usage(on.error());
  const auto of = find_changed(*on, options.id);
  if (!of)
    return on->refuse(of.error());
  if (options.at)
    return show_past(*on, *of, *options.at);
  json::object filter;
  filter["id"] = of->id;
  if (options.after)
    filter["afterRevision"] = *options.after;
  const auto which = of->is_plan ? a2a::operation::plan_history : a2a::operation::objective_history;
  const auto all = on->list("changes", which, filter, listed_changes_max);
  if (!all)
    return on->refuse(all.error());
  if (all->empty() && !options.json) {
    complain(on->name + ": " + clean_line(of->id)
             + " has no changes, or the server keeps none (a store in memory)");
    return exit_ok;
  }
  return say(draw_changes(*all, options)) ? exit_ok : exit_failed;
}

} // namespace troupe
