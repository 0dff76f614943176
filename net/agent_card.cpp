#include "net/agent_card.hpp"

#include "protocol/codec_opt.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/progress.hpp"

#include <array>
#include <cstdint>

namespace troupe::net {

namespace {

void write_interfaces(json_writer& out, std::string_view url) {
  out.key("supportedInterfaces").begin_array();
  out.begin_object().member("url", url).member("protocolBinding", "JSONRPC").member("protocolVersion", "1.0").end_object();
  out.end_array();
}

void write_extensions(json_writer& out, const card_options& options) {
  out.key("extensions").begin_array();
  out.begin_object().member("uri", opt::uri);
  out.member("description", "Objectives, plans and tasks: objectives/* and plans/*, metadata opt/v1/...");
  out.key("params").begin_object();
  out.key("maxPlansPerObjective").number(options.plans_per_objective_max);
  out.key("maxTasksPerPlan").number(options.tasks_per_plan_max);
  out.key("persistenceEnabled").boolean(options.persistent);
  out.end_object().end_object();
  out.begin_object().member("uri", progress_uri);
  out.member("description", "Progress of running tasks, as trackers in the metadata of status updates.");
  out.key("params").begin_object();
  out.key("maxTrackers").number(std::uint64_t{progress_trackers_max});
  out.key("maxMessageChars").number(std::uint64_t{progress_message_chars_max});
  out.key("maxIdChars").number(std::uint64_t{progress_id_chars_max});
  out.key("recommendedMaxUpdatesPerSecond").number(std::uint32_t{2});
  out.end_object().end_object();
  out.end_array();
}

void write_modes(json_writer& out, std::string_view key) {
  out.key(key).begin_array().string("text/plain").string("application/json").end_array();
}

void write_skills(json_writer& out, const agent_registry& agents) {
  out.key("skills").begin_array();
  for (const auto& name : agents.names()) {
    const auto who = agents.find(name);
    const auto description = who ? who->description() : std::string{};
    out.begin_object().member("id", name).member("name", name);
    out.member("description", description.empty() ? "Does tasks as \"" + name + "\"." : description);
    out.key("tags").begin_array().string("agent");
    if (name == agents.default_agent)
      out.string("default");
    out.end_array().end_object();
  }
  out.end_array();
}

} // namespace

std::string write_agent_card(const card_options& options, std::string_view url, const agent_registry& agents) {
  std::string text;
  json_writer out(text);
  out.begin_object().member("name", options.name).member("description", options.description);
  write_interfaces(out, options.url.empty() ? url : std::string_view(options.url));
  out.member("version", options.version);
  out.key("capabilities").begin_object().key("streaming").boolean(true).key("pushNotifications").boolean(false);
  write_extensions(out, options);
  out.end_object();
  write_modes(out, "defaultInputModes");
  write_modes(out, "defaultOutputModes");
  write_skills(out, agents);
  out.end_object();
  return text;
}

std::string etag_of(std::string_view body) {
  // FNV-1a, 64 bits: the same bytes have the same tag, in every process.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : body) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3U;
  }
  std::string tag(1, '"');
  for (int shift = 60; shift >= 0; shift -= 4)
    tag += "0123456789abcdef"[(hash >> static_cast<unsigned>(shift)) & 0xfU];
  tag += '"';
  return tag;
}

} // namespace troupe::net
