#include "client/remote_agent/outgoing.hpp"

#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <string_view>

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

json::object push_members_of(const push_wish& wish, wire::wire_format format) {
  json::object out;
  if (!wish.id.empty())
    out["id"] = wish.id;
  out["url"] = wish.url;
  if (!wish.token.empty())
    out["token"] = wish.token;
  if (wish.schemes.empty())
    return out;
  json::object proof;
  if (format.version == wire::a2a_version::v1_0)
    proof["scheme"] = wish.schemes.front(); // A2A 1.0 section 4.3.2: one
  else
    proof["schemes"] = json::array(wish.schemes.begin(), wish.schemes.end());
  if (!wish.credentials.empty())
    proof["credentials"] = wish.credentials;
  out["authentication"] = std::move(proof);
  return out;
}

std::string_view push_name(wire::wire_format format) {
  if (format.version == wire::a2a_version::v1_0)
    return "taskPushNotificationConfig"; // section 3.2.2
  return format.binding == wire::a2a_binding::rest ? "pushNotification" : "pushNotificationConfig";
}

} // namespace

const std::vector<std::string>& modes_of(const request& asked, const settings& known) {
  return asked.accepted_output_modes ? *asked.accepted_output_modes : known.accepted_output_modes;
}

json::object send_params(const request& asked, const route& way, const settings& known,
                         const std::string& fresh, wire::wire_format format) {
  wire::sending out;
  out.message.message_id = asked.message_id.empty() ? fresh : asked.message_id;
  out.message.from = role::user;
  out.message.parts = asked.parts;
  out.message.task_id = way.task_id;
  out.message.context_id = way.context_id;
  out.message.reference_task_ids = asked.reference_task_ids;
  out.accepted_output_modes = modes_of(asked, known);
  out.metadata = asked.metadata;
  // To get a task, whose state is asked for afterwards, nothing is waited for.
  out.waits = !asked.needs_task && asked.blocking.value_or(true);
  auto params = wire::write_send(out, format);
  auto& configuration = params["configuration"].as_object();
  if (!asked.needs_task && !asked.blocking) { // as the agent likes
    configuration.erase("blocking");
    configuration.erase("returnImmediately");
  }
  if (asked.history_length)
    configuration["historyLength"] = *asked.history_length;
  if (asked.push)
    configuration[push_name(format)] = push_members_of(*asked.push, format);
  if (configuration.empty())
    params.erase("configuration");
  return params;
}

json::object get_params(const request& asked, const std::string& task_id) {
  json::object out;
  out["id"] = task_id;
  if (asked.history_length)
    out["historyLength"] = *asked.history_length;
  return out;
}

std::vector<std::pair<std::string, std::string>> headers_of(const request& asked,
                                                            const settings& known) {
  auto out = known.service_parameters;
  for (const auto& its : asked.service_parameters) {
    const auto same = std::ranges::find_if(
        out, [&](const auto& each) { return ascii_lower(each.first) == ascii_lower(its.first); });
    if (same == out.end())
      out.push_back(its);
    else
      same->second = its.second;
  }
  return out;
}

} // namespace troupe::remote_agent
