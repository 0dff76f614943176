#include "protocol/a2a/request_writing.hpp"

#include "protocol/a2a/codec_v0_3.hpp"
#include "protocol/a2a/codec_v0_3_rest.hpp"
#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/json/written_tree.hpp"
#include "protocol/limits.hpp"

#include <boost/json/array.hpp>

namespace troupe::wire {

namespace json = boost::json;

namespace {

/// The text that the codec of the server's side writes, as a tree.
json::value tree_of(const message& said, wire_format format) {
  const auto tree = written_tree(
      [&](json_writer& out) {
        if (format.version == a2a_version::v1_0)
          v1_0::write(out, said);
        else if (format.binding == a2a_binding::json_rpc)
          v0_3::write(out, said);
        else
          v0_3_rest::write(out, said);
      },
      2 * metadata_depth_max); // a message around its metadata
  return tree ? *tree : json::value{};
}

std::string_view state_name(task_state state, wire_format format) {
  if (format.version == a2a_version::v1_0)
    return v1_0::state_name(state);
  return format.binding == a2a_binding::json_rpc ? v0_3::state_name(state)
                                                 : v0_3_rest::state_name(state);
}

bool is_json_rpc_0_3(wire_format format) {
  return format == wire_format{a2a_version::v0_3, a2a_binding::json_rpc};
}

/// What both versions have of a push configuration.
json::object push_members(const push_config& config, a2a_version version) {
  json::object out;
  if (!config.id.empty())
    out["id"] = config.id;
  out["url"] = config.url;
  if (!config.token.empty())
    out["token"] = config.token;
  if (!config.authentication)
    return out;
  const auto& proof = *config.authentication;
  json::object authentication;
  if (version == a2a_version::v1_0)
    authentication["scheme"] = proof.scheme; // A2A 1.0 section 4.3.2
  else
    authentication["schemes"] = json::array{json::string(proof.scheme)}; // 0.3 section 6.9
  if (!proof.credentials.empty())
    authentication["credentials"] = proof.credentials;
  out["authentication"] = std::move(authentication);
  return out;
}

} // namespace

std::string_view to_string(a2a_version version) noexcept {
  return version == a2a_version::v1_0 ? "1.0" : "0.3";
}

std::string_view to_string(a2a_binding binding) noexcept {
  return binding == a2a_binding::json_rpc ? "JSONRPC" : "HTTP+JSON";
}

json::object write_send(const sending& request, wire_format format) {
  json::object out;
  out["message"] = tree_of(request.message, format);
  json::object configuration;
  if (format.version == a2a_version::v1_0)
    configuration["returnImmediately"] = !request.waits; // A2A 1.0 section 3.2.2
  else
    configuration["blocking"] = request.waits; // 0.3 section 7.1.1
  if (!request.accepted_output_modes.empty())
    configuration["acceptedOutputModes"] =
        json::array(request.accepted_output_modes.begin(), request.accepted_output_modes.end());
  out["configuration"] = std::move(configuration);
  if (!request.metadata.empty())
    out["metadata"] = request.metadata;
  return out;
}

json::object write_task_filter(const task_filter& filter, wire_format format) {
  json::object out;
  if (!filter.context.empty())
    out["contextId"] = filter.context;
  if (filter.state)
    out["status"] = state_name(*filter.state, format);
  out["pageSize"] = filter.page_size;
  if (!filter.page_token.empty())
    out["pageToken"] = filter.page_token;
  if (filter.history_length)
    out["historyLength"] = *filter.history_length;
  if (filter.include_artifacts)
    out["includeArtifacts"] = true;
  return out;
}

json::object write_create_push(const push_config& config, wire_format format) {
  auto members = push_members(config, format.version);
  json::object out;
  if (format.version == a2a_version::v1_0) {
    out = std::move(members);
  } else if (format.binding == a2a_binding::json_rpc) {
    out["pushNotificationConfig"] = std::move(members);
  } else { // The request of the .proto of 0.3.
    const auto parent = "tasks/" + config.task.str();
    json::object inner;
    inner["name"] = parent + "/pushNotificationConfigs/" + config.id;
    inner["pushNotificationConfig"] = std::move(members);
    out["parent"] = parent;
    out["configId"] = config.id;
    out["config"] = std::move(inner);
  }
  out["taskId"] = config.task.str();
  return out;
}

json::object write_list_push(const std::string& task, const std::string& page_token,
                             wire_format format) {
  json::object out;
  out[is_json_rpc_0_3(format) ? "id" : "taskId"] = task;
  if (!page_token.empty())
    out["pageToken"] = page_token;
  return out;
}

json::object write_named_push(const std::string& task, const std::string& id, wire_format format) {
  json::object out;
  const bool is_crossed = is_json_rpc_0_3(format); // `id` is the task
  out[is_crossed ? "id" : "taskId"] = task;
  out[is_crossed ? "pushNotificationConfigId" : "id"] = id;
  return out;
}

} // namespace troupe::wire
