// `troupe tasks`, `task` and `cancel`: the tasks of an agent.
#include "apps/remote/answer_view.hpp"
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/run/run_report.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text_table.hpp"
#include "protocol/a2a/cancel_report.hpp"
#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/objective_reading.hpp"
#include <troupe/protocol/time_source.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::uint32_t listed_page_tasks_max = 100;
constexpr std::size_t table_text_columns = 200;

style style_of(task_state state) {
  switch (state) {
    case task_state::completed: return style::green;
    case task_state::failed:
    case task_state::rejected: return style::red;
    case task_state::input_required:
    case task_state::auth_required: return style::yellow;
    case task_state::working: return style::cyan;
    default: return style::plain;
  }
}

std::string task_json(const task& one) {
  std::string text;
  json_writer out(text);
  v1_0::write(out, one);
  return text;
}

/// What a line of the table says about a task: its last words, or what it made.
std::string words_of(const task& one) {
  std::string out;
  if (one.status.message)
    out = text_of(one.status.message->parts);
  if (out.empty() && !one.artifacts.empty())
    out = shown_parts(one.artifacts.back()->parts);
  if (out.empty() && !one.history.empty())
    out = text_of(one.history.front()->parts);
  return cut_to(first_line(out), table_text_columns, "...");
}

std::string draw_tasks(const std::vector<task>& tasks, const tasks_options& options) {
  std::string out;
  if (options.format == list_format::json || options.format == list_format::name) {
    for (const auto& each : tasks)
      out += (options.format == list_format::json ? task_json(each) : clean_line(each.id.str()))
             + "\n";
    return out;
  }
  const bool is_wide = options.format == list_format::wide;
  const auto now = system_time().now();
  text_table table{{"TASK", "STATE", "SINCE"}, {}};
  if (is_wide)
    table.heads.emplace_back("CONTEXT");
  table.heads.emplace_back("SAYS");
  for (const auto& each : tasks) {
    const auto at = each.status.at;
    std::vector<span> row{{each.id.str()},
                          {std::string(to_string(each.status.state)), style_of(each.status.state)},
                          {at == timestamp{} ? std::string{} : shown_age(at, now)}};
    if (is_wide)
      row.push_back({each.context});
    row.push_back({words_of(each)});
    table.rows.push_back(std::move(row));
  }
  const auto width = is_wide ? static_cast<std::size_t>(-1) : stdout_width();
  return draw_table(table, width, stdout_colour(options.colour));
}

std::string task_heading(const std::string& text, bool colour) {
  const auto line = "--- " + clean_line(text);
  return render_line({{line, style::bold}}, display_width(line), colour, "") + "\n";
}

std::string draw_task(const task& one, bool colour) {
  const auto state = std::string(to_string(one.status.state));
  std::string out =
      render_line({{clean_line(one.id.str()) + "  "}, {state, style_of(one.status.state)}},
                  static_cast<std::size_t>(-1), colour, "")
      + "\n";
  if (!one.context.empty())
    out += "context: " + clean_line(one.context) + "\n";
  if (one.status.at != timestamp{})
    out += "since:   " + shown_age(one.status.at, system_time().now()) + "\n";
  out += usage_text(opt::read_usage(one.metadata, "troupe/v1/modelUsage"));
  if (one.status.message)
    if (const auto text = clean_lines(shown_parts(one.status.message->parts)); !text.empty())
      out += "says:    " + text + "\n";
  for (const auto& each : one.history) {
    out += task_heading(each->from == role::user ? "user" : "agent", colour);
    out += clean_lines(shown_parts(each->parts)) + "\n";
  }
  for (const auto& each : one.artifacts) {
    out += task_heading("made: " + (each->name.empty() ? each->artifact_id : each->name), colour);
    out += clean_lines(shown_parts(each->parts)) + "\n";
  }
  return out;
}

/// All pages up to `options.most` tasks.
result<std::vector<task>> read_tasks(const server_link& on, const wire::task_filter& asked,
                                     std::uint32_t most) {
  auto filter = asked;
  std::vector<task> out;
  while (out.size() < most) {
    const auto left = most - static_cast<std::uint32_t>(out.size());
    filter.page_size = std::min(left, listed_page_tasks_max);
    auto page = on.client->list_tasks(filter);
    if (!page)
      return page.error();
    const bool is_last = page->next_page_token.empty() || page->tasks.empty();
    for (auto& each : page->tasks)
      out.push_back(std::move(each));
    if (is_last)
      break;
    filter.page_token = page->next_page_token;
  }
  if (out.size() > most) // A server may send longer pages than it was asked for.
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(most), out.end());
  return out;
}

std::string lines_of_leaves(const json::object& metadata) {
  std::string out;
  for (const auto& line : leaf_lines(metadata))
    out += "  " + line.text + "\n";
  return out;
}

/// Of a server with objectives, an id may be that of an objective.
result<std::string> cancel_objective(const server_link& on, const std::string& id) {
  if (const auto knows = on.need_objectives(); !knows)
    return unknown_task(id);
  const auto found = find_objective_id(on, id);
  if (!found)
    return found.error().code == errc::objective_not_found
               ? make_error(errc::task_not_found, "there is no task or objective " + id + "; "
                                                      + on.command("tasks") + " and "
                                                      + on.command("ls") + " list them")
               : found.error();
  json::object params;
  params["id"] = *found;
  params["status"] = "canceled";
  const auto done = on.ask_for("objective", a2a::operation::update_objective, std::move(params));
  if (!done)
    return done.error();
  const auto* shown = done->if_object();
  const auto* metadata = shown != nullptr ? shown->if_contains("metadata") : nullptr;
  return clean_line("objective " + *found + " " + text_in(*done, "status")) + "\n"
         + (metadata != nullptr && metadata->is_object() ? lines_of_leaves(metadata->get_object())
                                                         : std::string{});
}

} // namespace

int tasks_command(const tasks_options& options) {
  wire::task_filter filter;
  filter.context = options.context;
  filter.history_length = 1;
  filter.include_artifacts = true;
  if (!options.state.empty()) {
    filter.state = task_state_from(options.state);
    if (!filter.state) {
      complain("--state: " + troupe::quoted(options.state)
               + " is not one of submitted, working, completed, failed, canceled, input-required, "
                 "rejected, auth-required");
      return exit_usage;
    }
  }
  const auto on = link_to(options.server);
  if (!on)
    return refuse_usage(on.error());
  const auto tasks = read_tasks(*on, filter, options.most);
  if (!tasks && tasks.error().code == errc::method_not_found)
    if (const auto card = on->client->card(); card) // A2A 0.3 has no such method.
      return on->refuse(make_error(errc::unsupported_operation,
                                   "the agent does not list its tasks; troupe task ID shows one"));
  if (!tasks)
    return on->refuse(tasks.error());
  if (tasks->empty() && options.format != list_format::json
      && options.format != list_format::name) {
    complain(on->name + ": there are no such tasks; " + on->command("send TEXT") + " makes one");
    return exit_ok;
  }
  return say(draw_tasks(*tasks, options)) ? exit_ok : exit_failed;
}

int task_command(const task_options& options) {
  const auto on = link_to(options.server);
  if (!on)
    return refuse_usage(on.error());
  const auto found = on->client->get_task(options.id);
  if (!found)
    return on->refuse(found.error());
  return say(options.json ? task_json(*found) + "\n"
                          : draw_task(*found, stdout_colour(options.colour)))
             ? exit_ok
             : exit_failed;
}

int cancel_command(const cancel_options& options) {
  const auto on =
      link_to(options.server, "a run of this computer is stopped with Ctrl-C where it runs");
  if (!on)
    return refuse_usage(on.error());
  const auto done = on->client->cancel_task(options.id);
  if (done)
    return say("task " + clean_line(done->id.str()) + " "
               + std::string(to_string(done->status.state)) + "\n"
               + lines_of_leaves(done->metadata))
               ? exit_ok
               : exit_failed;
  if (done.error().code != errc::task_not_found)
    return on->refuse(done.error());
  const auto whole = cancel_objective(*on, options.id);
  if (!whole)
    return on->refuse(whole.error());
  return say(*whole) ? exit_ok : exit_failed;
}

} // namespace troupe
