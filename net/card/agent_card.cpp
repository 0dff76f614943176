#include "net/card/agent_card.hpp"

#include "net/version.hpp"
#include "protocol/a2a/stream_mark.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/hitl.hpp"
#include "protocol/opt/limits_opt.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/net/limits.hpp>
#include <troupe/protocol/progress.hpp>

#include <boost/asio/ip/address.hpp>

#include <array>
#include <chrono>
#include <climits>
#include <string>

#include <unistd.h>

namespace troupe::net {

namespace {

/// Every binding and version is served at one place. Clients append to the address of a REST
/// interface, so it ends without a slash.
std::vector<agent_interface> make_interfaces(std::string_view url) {
  const std::string base(url);
  const std::string rest(url.ends_with('/') ? url.substr(0, url.size() - 1) : url);
  return {
      {base, "JSONRPC", "1.0", {}},
      {rest, "HTTP+JSON", "1.0", {}},
      {base, "JSONRPC", "0.3", {}},
      {rest, "HTTP+JSON", "0.3", {}},
  };
}

std::vector<agent_extension> make_extensions(const card_options& options) {
  agent_extension plans;
  plans.uri = opt::uri;
  plans.description = "Objectives, plans and tasks: objectives/* and plans/*, metadata opt/v1/...";
  plans.params = {{"maxPlansPerObjective", opt::plans_per_objective_max},
                  {"maxTasksPerPlan", opt::tasks_per_plan_max},
                  {"persistenceEnabled", options.persistent}};
  agent_extension progress;
  progress.uri = progress_uri;
  progress.description =
      "Progress of running tasks, as trackers in the metadata of status updates.";
  progress.params = {{"maxTrackers", progress_trackers_max},
                     {"maxMessageChars", progress_message_chars_max},
                     {"maxIdChars", progress_id_chars_max},
                     {"recommendedMaxUpdatesPerSecond", progress_updates_per_second_max}};
  agent_extension cursors; // docs/streams.md
  cursors.uri = stream_cursor_uri;
  cursors.description =
      "Streams that go on where they broke: cursors in the metadata of events, replay behind one.";
  agent_extension hitl_words; // docs/questions.md
  hitl_words.uri = hitl::uri;
  hitl_words.description = "Questions of tasks as kagent asks and answers them.";
  agent_extension sends; // docs/a2a.md, "The same message again"
  sends.uri = idempotent_send_uri;
  sends.description = "Sends that may be repeated: header Idempotency-Key.";
  sends.params = {{"maxKeyBytes", idempotency_key_bytes_max},
                  {"keptSeconds", std::chrono::seconds{idempotency_key_window}.count()},
                  {"survivesRestart", options.persistent}};
  return {std::move(plans), std::move(progress), std::move(cursors), std::move(sends),
          std::move(hitl_words)};
}

std::vector<agent_skill> skills_of(const agent_registry& agents,
                                   std::span<const template_summary> templates) {
  std::vector<agent_skill> out;
  for (const auto& name : agents.names()) {
    const auto who = agents.find(name);
    agent_skill skill;
    skill.id = name;
    skill.name = name;
    skill.description = who ? who->description() : std::string{};
    if (skill.description.empty())
      skill.description = "Does tasks as \"" + name + "\".";
    skill.tags = {"agent"};
    if (name == agents.default_name())
      skill.tags.emplace_back("default");
    out.push_back(std::move(skill));
  }
  for (const auto& each : templates) {
    agent_skill skill;
    skill.id = std::string(template_tag) + ":" + each.name; // An agent may have the name, too.
    skill.name = each.name;
    skill.description = each.description.empty() ? "Makes a plan." : each.description;
    skill.tags = {std::string(template_tag)};
    skill.examples = each.examples;
    out.push_back(std::move(skill));
  }
  return out;
}

std::string name_of_machine() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  // A name that does not fit may not be ended.
  if (::gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0')
    return "localhost";
  return name.data();
}

} // namespace

std::string url_of(const std::string& address, std::uint16_t port) {
  const bool is_v6 = address.find(':') != std::string::npos;
  return "http://" + (is_v6 ? "[" + address + "]" : address) + ":" + std::to_string(port) + "/";
}

bool is_every_address(const std::string& address) {
  boost::system::error_code ec;
  const auto number = boost::asio::ip::make_address(address, ec);
  return !ec && number.is_unspecified();
}

std::string default_host(const server_options& options) {
  return is_every_address(options.address) ? name_of_machine() : options.address;
}

std::string default_url(const server_options& options, std::uint16_t port) {
  return url_of(default_host(options), port);
}

agent_card make_agent_card(const server_options& options, std::string_view url,
                           const agent_registry& agents,
                           std::span<const template_summary> templates) {
  const auto& from = options.card;
  agent_card out;
  out.name = from.name;
  out.description = from.description;
  out.version = from.version;
  out.interfaces = make_interfaces(from.url.empty() ? url : std::string_view(from.url));
  if (!from.provider.organization.empty() || !from.provider.url.empty())
    out.provider = from.provider;
  out.documentation_url = from.documentation_url;
  out.icon_url = from.icon_url;
  out.capabilities.streaming = true;
  out.capabilities.push_notifications = options.push.enabled;
  out.capabilities.state_transition_history = false; // no method of 0.3 would show it
  out.capabilities.extensions = make_extensions(from);
  out.input_modes = {"text/plain", "application/json"};
  out.output_modes = out.input_modes;
  out.skills = from.skills.empty() ? skills_of(agents, templates) : from.skills;
  out.capabilities.extended_card = !from.extended.tokens.empty();
  if (!from.extended.tokens.empty())
    out.security_schemes.push_back({"extendedCard",
                                    "For the extended card; nothing else asks for it.",
                                    http_auth_scheme{.scheme = "Bearer", .bearer_format = {}}});
  return out;
}

agent_card make_extended_card(agent_card open, const extended_card_options& options) {
  if (!options.description.empty())
    open.description = options.description;
  open.skills.insert(open.skills.end(), options.skills.begin(), options.skills.end());
  return open;
}

} // namespace troupe::net
