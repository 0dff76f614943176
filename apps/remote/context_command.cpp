// `troupe context`: the servers with an alias, and which of them commands mean.
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text_table.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <cstdlib>

namespace troupe {

namespace {

int use_context(const std::string& alias) {
  if (alias != "local") {
    const auto targets = own_targets();
    if (!targets) {
      complain(targets.error().message);
      return exit_usage;
    }
    if (std::ranges::find(*targets, alias, &known_target::alias) == targets->end()) {
      std::string names;
      for (const auto& each : *targets)
        names += ", " + each.alias;
      complain("there is no target " + troupe::quoted(alias) + " in " + own_config_path()
               + "; there are local" + names);
      return exit_usage;
    }
  }
  if (const auto kept = keep_context(alias == "local" ? "" : alias); !kept) {
    complain(kept.error().message);
    return exit_failed;
  }
  return say(alias == "local" ? std::string("commands mean the runs of this computer\n")
                              : "commands mean the server " + clean_line(alias) + "\n")
             ? exit_ok
             : exit_failed;
}

} // namespace

int context_command(const context_options& options) {
  if (options.use)
    return use_context(*options.use);
  const auto targets = own_targets();
  if (!targets)
    return refuse_usage(targets.error());
  const auto chosen = own_context();
  std::string out;
  text_table table{{"", "ALIAS", "URL"}, {}};
  const auto add = [&](const std::string& alias, const std::string& url) {
    const bool is_chosen = alias == (chosen.empty() ? "local" : chosen);
    if (options.json) {
      json_writer json(out);
      json.begin_object().member("alias", alias).optional_member("url", url);
      json.key("current").boolean(is_chosen).end_object();
      out += "\n";
    } else {
      table.rows.push_back({{is_chosen ? "*" : ""}, {alias}, {url}});
    }
  };
  add("local", "");
  for (const auto& each : *targets)
    add(each.alias, each.to.url);
  if (!options.json) {
    table.rows.front().back().text = "the runs of this computer";
    out = draw_table(table, stdout_width(), stdout_colour(options.colour));
    if (const auto* named = std::getenv("TROUPE_SERVER"); named != nullptr && *named != '\0')
      complain("TROUPE_SERVER is " + std::string(named) + ", and goes before the context");
  }
  return say(out) ? exit_ok : exit_failed;
}

} // namespace troupe
