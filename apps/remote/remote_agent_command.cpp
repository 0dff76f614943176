// `troupe remote-agent`: one call of the tool remote_agent (docs/remote-agent.md).
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/remote/tool_setup.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/text_file.hpp"
#include "client/remote_agent/limits.hpp"
#include "client/remote_agent/tool.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/limits.hpp"

#include <boost/json/serialize.hpp>

#include <string>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace json = boost::json;

namespace {

/// Errors: those of reading; parse_error.
result<json::value> request_of(const remote_agent_options& options) {
  auto text = options.request.value_or("-");
  if (text == "-") {
    if (::isatty(STDIN_FILENO) == 1)
      return make_error(errc::invalid_params,
                        "which request? Give it as an argument, or on standard input");
    auto read = read_text("-", remote_agent::request_bytes_max);
    if (!read)
      return read.error();
    text = std::move(*read);
  }
  boost::system::error_code failed;
  json::parse_options how;
  how.max_depth = 2 * metadata_depth_max; // a message around its metadata
  auto tree = parse_json(text, failed, {}, how);
  if (failed)
    return make_error(errc::parse_error, "the request is no JSON: " + json_fault(failed));
  return tree;
}

} // namespace

int remote_agent_command(const remote_agent_options& options) {
  auto request = request_of(options);
  if (!request)
    return refuse_usage(request.error());
  auto known = own_tool_settings();
  if (!known)
    return refuse_usage(known.error());
  if (!known->enabled)
    return refuse_usage(
        make_error(errc::forbidden, "remote_agent is not enabled; write [remote-agent], with "
                                    "enabled = true if it says otherwise, into "
                                        + own_config_path()));
  const auto path = own_handles_path();
  remote_agent::blocking_tool tool(std::move(*known));
  if (path)
    read_handles(*path, tool.known_handles());
  output out(STDOUT_FILENO);
  remote_agent::update_handler on_update;
  if (options.updates)
    on_update = [&](const json::object& news) {
      out.write(json::serialize(news) + "\n");
      out.flush();
    };
  const auto answer = tool.call(std::move(*request), std::move(on_update));
  if (path && tool.known_handles().size() > 0)
    if (const auto kept = keep_handles(*path, tool.known_handles()); !kept)
      complain(kept.error().message);
  out.write(json::serialize(answer) + "\n");
  const bool is_fine = answer.at("ok").as_bool();
  return exit_code_of(is_fine ? exit_ok : exit_failed, all_written(out));
}

} // namespace troupe
