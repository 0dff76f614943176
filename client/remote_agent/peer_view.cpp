#include "client/remote_agent/peer_view.hpp"

#include <boost/json/array.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

/// The names of the members in one of the two shapes.
struct member_names {
  std::string_view preferred;
  std::string_view interfaces;
  std::string_view push;
  std::string_view history;
  std::string_view default_inputs;
  std::string_view default_outputs;
  std::string_view inputs;
  std::string_view outputs;
};
constexpr member_names snake{"preferred_transport", "additional_interfaces",
                             "push_notifications",  "state_transition_history",
                             "default_input_modes", "default_output_modes",
                             "input_modes",         "output_modes"};
constexpr member_names camel{
    "preferredTransport", "additionalInterfaces", "pushNotifications", "stateTransitionHistory",
    "defaultInputModes",  "defaultOutputModes",   "inputModes",        "outputModes"};

json::array listed_texts(const std::vector<std::string>& all) {
  return json::array(all.begin(), all.end());
}

void add_text_member(json::object& to, std::string_view name, const std::string& text) {
  if (!text.empty())
    to[name] = text;
}

json::array interfaces_of(const agent_card& card) {
  json::array out;
  std::set<std::pair<std::string, std::string>> seen; // a card of both versions names them twice
  for (const auto& each : card.interfaces) {
    if (!seen.emplace(each.binding, each.url).second)
      continue;
    json::object one;
    one["transport"] = each.binding;
    one["url"] = each.url;
    out.push_back(std::move(one));
  }
  return out;
}

json::object capabilities_of(const agent_card& card, const member_names& names) {
  json::object out;
  const auto add = [&](std::string_view name, const std::optional<bool>& value) {
    if (value)
      out[name] = *value;
  };
  const auto& can = card.capabilities;
  add("streaming", can.streaming);
  add(names.push, can.push_notifications);
  add(names.history, can.state_transition_history);
  if (can.extensions.empty())
    return out;
  json::array all;
  for (const auto& each : can.extensions) {
    json::object one;
    one["uri"] = each.uri;
    add_text_member(one, "description", each.description);
    if (each.required)
      one["required"] = true;
    if (!each.params.empty())
      one["params"] = each.params;
    all.push_back(std::move(one));
  }
  out["extensions"] = std::move(all);
  return out;
}

json::array skills_of(const agent_card& card, const member_names& names) {
  json::array out;
  for (const auto& each : card.skills) {
    json::object one;
    one["id"] = each.id;
    one["name"] = each.name;
    one["description"] = each.description;
    one["tags"] = listed_texts(each.tags);
    one["examples"] = listed_texts(each.examples);
    one[names.inputs] = listed_texts(each.input_modes);
    one[names.outputs] = listed_texts(each.output_modes);
    out.push_back(std::move(one));
  }
  return out;
}

/// Empty lists without a card.
void add_card(json::object& to, const std::optional<agent_card>& card, const member_names& names) {
  static const agent_card none;
  const auto& from = card ? *card : none;
  if (!from.interfaces.empty())
    to[names.preferred] = from.interfaces.front().binding;
  to[names.interfaces] = interfaces_of(from);
  to["capabilities"] = capabilities_of(from, names);
  to[names.default_inputs] = listed_texts(from.input_modes);
  to[names.default_outputs] = listed_texts(from.output_modes);
  to["skills"] = skills_of(from, names);
}

std::string description_of(const peer& one, const card_view& seen) {
  if (!one.description.empty() || !seen.card)
    return one.description;
  return seen.card->description;
}

json::object shown_failure(const error& why) {
  json::object out;
  out["code"] = to_string(why.code);
  out["message"] = why.message;
  return out;
}

} // namespace

json::object shown_peer(const peer& one, const card_view& seen) {
  json::object out;
  out["target_alias"] = one.alias;
  out["target_url"] = one.base_url;
  out["default"] = one.is_default;
  out["tags"] = listed_texts(one.tags);
  out["examples"] = listed_texts(one.examples);
  if (seen.card)
    add_text_member(out, "target_name", seen.card->name);
  add_text_member(out, "description", description_of(one, seen));
  if (seen.card && seen.card->capabilities.streaming)
    out["streaming_supported"] = *seen.card->capabilities.streaming;
  json::object card;
  add_card(card, seen.card, snake);
  out["peer_card"] = std::move(card);
  if (seen.card)
    out["last_refreshed_at"] = to_rfc3339(seen.read_at);
  if (seen.failed.code != errc::none)
    out["last_refresh_error"] = shown_failure(seen.failed);
  return out;
}

json::object raw_peer(const peer& one, const card_view& seen) {
  json::object target;
  target["baseUrl"] = one.base_url;
  target["cardPath"] = one.card_path;
  target["preferredTransports"] = listed_texts(one.preferred_transports);
  target["alias"] = one.alias;
  if (seen.card)
    add_text_member(target, "displayName", seen.card->name);
  add_text_member(target, "description", description_of(one, seen));
  if (seen.card && seen.card->capabilities.streaming)
    target["streamingSupported"] = *seen.card->capabilities.streaming;
  json::object card;
  if (seen.card) {
    add_text_member(card, "displayName", seen.card->name);
    add_text_member(card, "description", seen.card->description);
  }
  add_card(card, seen.card, camel);
  if (seen.card)
    card["lastRefreshedAt"] = to_rfc3339(seen.read_at);
  if (seen.failed.code != errc::none)
    card["lastRefreshError"] = shown_failure(seen.failed);
  json::object out;
  out["target"] = std::move(target);
  add_text_member(out, "configuredDescription", one.description);
  out["default"] = one.is_default;
  out["tags"] = listed_texts(one.tags);
  out["examples"] = listed_texts(one.examples);
  out["card"] = std::move(card);
  return out;
}

} // namespace troupe::remote_agent
