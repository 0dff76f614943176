// `troupe push`: where an agent posts what happens to a task.
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text_table.hpp"
#include "protocol/a2a/codec_v1_0.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace troupe {

namespace {

constexpr std::size_t listed_configs_max = 1'000;

std::string config_json(const push_config& one) {
  std::string text;
  json_writer out(text);
  v1_0::write(out, one);
  return text + "\n";
}

/// The value of the variable `name`; empty if none is named. Errors: invalid_params.
result<std::string> secret_in(const std::string& name) {
  if (name.empty())
    return std::string{};
  const auto* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0')
    return make_error(errc::invalid_params, "the variable " + name + " is not set");
  return std::string(value);
}

/// Errors: invalid_params.
result<push_config> config_of(const push_add_options& options) {
  push_config out;
  out.task = task_id(options.task);
  out.url = options.url;
  // Some servers of A2A 0.3 keep one configuration without an id.
  out.id = options.id.empty() ? thread_id_source().next("push") : options.id;
  auto token = secret_in(options.token_env);
  if (!token)
    return token.error();
  out.token = std::move(*token);
  auto bearer = secret_in(options.bearer_env);
  if (!bearer)
    return bearer.error();
  if (!bearer->empty())
    out.authentication = push_authentication{"Bearer", std::move(*bearer)};
  if (const auto right = check_push_config(out); !right)
    return make_error(right.error().code, right.error().field + ": " + right.error().message);
  return out;
}

/// All pages. Errors: the server's.
result<std::vector<push_config>> all_configs(const server_link& on, const std::string& task) {
  std::vector<push_config> out;
  std::string page_token;
  for (;;) {
    auto page = on.client->list_push(task, page_token);
    if (!page)
      return page.error();
    const bool is_last = page->next_page_token.empty() || page->configs.empty();
    for (auto& each : page->configs)
      out.push_back(std::move(each));
    if (is_last)
      return out;
    if (out.size() >= listed_configs_max) {
      complain(on.name + ": only the first " + std::to_string(out.size()) + " are listed");
      return out;
    }
    page_token = std::move(page->next_page_token);
  }
}

std::string draw_configs(const std::vector<push_config>& all, const push_list_options& options) {
  std::string out;
  if (options.format == list_format::json || options.format == list_format::name) {
    for (const auto& each : all)
      out += options.format == list_format::json ? config_json(each) : clean_line(each.id) + "\n";
    return out;
  }
  const bool is_wide = options.format == list_format::wide;
  text_table table{{"CONFIGURATION"}, {}};
  if (is_wide)
    table.heads.insert(table.heads.end(), {"AUTHENTICATION", "TOKEN"});
  table.heads.emplace_back("URL");
  for (const auto& each : all) {
    std::vector<span> row{{each.id}};
    if (is_wide) {
      row.push_back({each.authentication ? each.authentication->scheme : std::string{}});
      row.push_back({each.token.empty() ? "no" : "yes"});
    }
    row.push_back({each.url});
    table.rows.push_back(std::move(row));
  }
  return draw_table(table, is_wide ? static_cast<std::size_t>(-1) : stdout_width(),
                    stdout_colour(options.colour));
}

} // namespace

int push_add_command(const push_add_options& options) {
  const auto config = config_of(options);
  if (!config)
    return refuse_usage(config.error());
  const auto on = link_to(options.server);
  if (!on)
    return refuse_usage(on.error());
  const auto kept = on->client->create_push(*config);
  if (!kept)
    return on->refuse(kept.error());
  return say(options.json ? config_json(*kept) : clean_line(kept->id) + "\n") ? exit_ok
                                                                              : exit_failed;
}

int push_list_command(const push_list_options& options) {
  const auto on = link_to(options.server);
  if (!on)
    return refuse_usage(on.error());
  const auto all = all_configs(*on, options.task);
  if (!all)
    return on->refuse(all.error());
  const bool is_for_people =
      options.format == list_format::table || options.format == list_format::wide;
  if (all->empty() && is_for_people) {
    complain(on->name + ": nothing is posted of this task; " + on->command("push add TASK URL")
             + " begins it");
    return exit_ok;
  }
  return say(draw_configs(*all, options)) ? exit_ok : exit_failed;
}

int push_remove_command(const push_remove_options& options) {
  const auto on = link_to(options.server);
  if (!on)
    return refuse_usage(on.error());
  // An agent may say nothing of what it does not have.
  const auto all = all_configs(*on, options.task);
  if (all && std::ranges::none_of(*all, [&](const auto& each) { // Some agents give them no ids.
        return each.id == options.id || each.id.empty();
      }))
    return on->refuse(make_error(
        errc::invalid_params, "the task " + options.task + " has no configuration " + options.id
                                  + "; " + on->command("push ls " + options.task) + " lists them"));
  const auto done = on->client->delete_push(options.task, options.id);
  if (!done)
    return on->refuse(done.error());
  return say("configuration " + clean_line(options.id) + " removed\n") ? exit_ok : exit_failed;
}

} // namespace troupe
