#include "protocol/a2a/codec_agent_card.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

void put(json::object& to, std::string_view name, std::string_view text) {
  to[name] = text;
}

void put_if_any(json::object& to, std::string_view name, std::string_view text) {
  if (!text.empty())
    to[name] = text;
}

void put_if_any(json::object& to, std::string_view name, const std::optional<bool>& truth) {
  if (truth)
    to[name] = *truth;
}

void put_if_true(json::object& to, std::string_view name, bool truth) {
  if (truth)
    to[name] = true;
}

json::array to_array(const std::vector<std::string>& texts) {
  return json::array(texts.begin(), texts.end());
}

void put_if_any(json::object& to, std::string_view name, const std::vector<std::string>& texts) {
  if (!texts.empty())
    to[name] = to_array(texts);
}

/// The array of `make(item)`.
template<class Items, class Make>
json::array each(const Items& items, Make make) {
  json::array out;
  for (const auto& item : items)
    out.emplace_back(make(item));
  return out;
}

template<class Items, class Make>
void put_each_if_any(json::object& to, std::string_view name, const Items& items, Make make) {
  if (!items.empty())
    to[name] = each(items, make);
}

// -- what both versions write alike ---------------------------------------------------------------

json::object write_extension(const agent_extension& from) {
  json::object out;
  put(out, "uri", from.uri);
  put_if_any(out, "description", from.description);
  put_if_true(out, "required", from.required);
  if (!from.params.empty())
    out["params"] = from.params;
  return out;
}

/// All that precedes what differs.
void put_identity(json::object& out, const agent_card& card) {
  put(out, "name", card.name);
  put(out, "description", card.description);
  if (card.provider)
    out["provider"] = {{"organization", card.provider->organization}, {"url", card.provider->url}};
  put(out, "version", card.version);
  put_if_any(out, "documentationUrl", card.documentation_url);
  put_if_any(out, "iconUrl", card.icon_url);
}

json::object write_skill(const agent_skill& from) {
  json::object out;
  put(out, "id", from.id);
  put(out, "name", from.name);
  put(out, "description", from.description);
  out["tags"] = to_array(from.tags);
  put_if_any(out, "examples", from.examples);
  put_if_any(out, "inputModes", from.input_modes);
  put_if_any(out, "outputModes", from.output_modes);
  return out;
}

json::object write_capabilities(const agent_capabilities& from) {
  json::object out;
  put_if_any(out, "streaming", from.streaming);
  put_if_any(out, "pushNotifications", from.push_notifications);
  put_each_if_any(out, "extensions", from.extensions, write_extension);
  return out;
}

json::object write_scopes(const std::map<std::string, std::string>& scopes) {
  json::object out;
  for (const auto& [name, meaning] : scopes)
    out[name] = meaning;
  return out;
}

// -- 1.0 ------------------------------------------------------------------------------------------

namespace shape_1_0 {

json::object write_interface(const agent_interface& from) {
  json::object out;
  put(out, "url", from.url);
  put(out, "protocolBinding", from.binding);
  put_if_any(out, "tenant", from.tenant);
  put(out, "protocolVersion", from.protocol_version);
  return out;
}

json::object write_requirement(const security_requirement& from) {
  json::object schemes;
  for (const auto& [name, scopes] : from)
    schemes[name] = scopes.empty() ? json::object{} : json::object{{"list", to_array(scopes)}};
  return {{"schemes", std::move(schemes)}};
}

json::object write_flow(const oauth2_scheme& from) {
  json::object flow;
  put_if_any(flow,
             from.kind == oauth_flow_kind::device_code ? "deviceAuthorizationUrl"
                                                       : "authorizationUrl",
             from.authorization_url);
  put_if_any(flow, "tokenUrl", from.token_url);
  put_if_any(flow, "refreshUrl", from.refresh_url);
  flow["scopes"] = write_scopes(from.scopes);
  put_if_true(flow, "pkceRequired",
              from.pkce_required && from.kind == oauth_flow_kind::authorization_code);
  return flow;
}

std::string_view name_of(oauth_flow_kind kind) {
  switch (kind) {
    case oauth_flow_kind::authorization_code: return "authorizationCode";
    case oauth_flow_kind::client_credentials: return "clientCredentials";
    case oauth_flow_kind::device_code: return "deviceCode";
    case oauth_flow_kind::implicit: return "implicit";
    case oauth_flow_kind::password: return "password";
  }
  return {};
}

/// The one key of a scheme and its object.
struct scheme_writer {
  std::pair<std::string_view, json::object> operator()(const api_key_scheme& from) const {
    return {"apiKeySecurityScheme", {{"location", from.location}, {"name", from.name}}};
  }
  std::pair<std::string_view, json::object> operator()(const http_auth_scheme& from) const {
    json::object out{{"scheme", from.scheme}};
    put_if_any(out, "bearerFormat", from.bearer_format);
    return {"httpAuthSecurityScheme", std::move(out)};
  }
  std::pair<std::string_view, json::object> operator()(const oauth2_scheme& from) const {
    json::object flows;
    flows[name_of(from.kind)] = write_flow(from);
    json::object out;
    out["flows"] = std::move(flows);
    put_if_any(out, "oauth2MetadataUrl", from.metadata_url);
    return {"oauth2SecurityScheme", std::move(out)};
  }
  std::pair<std::string_view, json::object> operator()(const open_id_connect_scheme& from) const {
    return {"openIdConnectSecurityScheme", {{"openIdConnectUrl", from.url}}};
  }
  std::pair<std::string_view, json::object> operator()(const mutual_tls_scheme&) const {
    return {"mtlsSecurityScheme", json::object{}};
  }
};

json::object write_scheme(const security_scheme& from) {
  auto [key, inner] = std::visit(scheme_writer{}, from.kind);
  put_if_any(inner, "description", from.description);
  json::object out;
  out[key] = std::move(inner);
  return out;
}

json::object write_signature(const card_signature& from) {
  return {{"protected", from.protected_header}, {"signature", from.signature}};
}

json::object write(const agent_card& card) {
  json::object out;
  put_identity(out, card);
  out["supportedInterfaces"] = each(card.interfaces, write_interface);
  auto capabilities = write_capabilities(card.capabilities);
  put_if_any(capabilities, "extendedAgentCard", card.capabilities.extended_card);
  out["capabilities"] = std::move(capabilities);
  if (!card.security_schemes.empty()) {
    json::object schemes;
    for (const auto& scheme : card.security_schemes)
      schemes[scheme.name] = write_scheme(scheme);
    out["securitySchemes"] = std::move(schemes);
  }
  put_each_if_any(out, "securityRequirements", card.security, write_requirement);
  out["defaultInputModes"] = to_array(card.input_modes);
  out["defaultOutputModes"] = to_array(card.output_modes);
  out["skills"] = each(card.skills, [](const agent_skill& skill) {
    auto written = write_skill(skill);
    put_each_if_any(written, "securityRequirements", skill.security, write_requirement);
    return written;
  });
  put_each_if_any(out, "signatures", card.signatures, write_signature);
  return out;
}

} // namespace shape_1_0

// -- 0.3 ------------------------------------------------------------------------------------------

namespace shape_0_3 {

json::object write_interface(const agent_interface& from) {
  return {{"url", from.url}, {"transport", from.binding}};
}

json::object write_requirement(const security_requirement& from) {
  json::object out;
  for (const auto& [name, scopes] : from)
    out[name] = to_array(scopes);
  return out;
}

json::object write_flow(const oauth2_scheme& from) {
  json::object flow;
  put_if_any(flow, "authorizationUrl", from.authorization_url);
  put_if_any(flow, "tokenUrl", from.token_url);
  put_if_any(flow, "refreshUrl", from.refresh_url);
  flow["scopes"] = write_scopes(from.scopes);
  return flow;
}

struct scheme_writer {
  json::object operator()(const api_key_scheme& from) const {
    return {{"type", "apiKey"}, {"in", from.location}, {"name", from.name}};
  }
  json::object operator()(const http_auth_scheme& from) const {
    json::object out{{"type", "http"}, {"scheme", from.scheme}};
    put_if_any(out, "bearerFormat", from.bearer_format);
    return out;
  }
  json::object operator()(const oauth2_scheme& from) const {
    json::object flows;
    if (from.kind != oauth_flow_kind::device_code)
      flows[shape_1_0::name_of(from.kind)] = write_flow(from);
    json::object out{{"type", "oauth2"}};
    out["flows"] = std::move(flows);
    put_if_any(out, "oauth2MetadataUrl", from.metadata_url);
    return out;
  }
  json::object operator()(const open_id_connect_scheme& from) const {
    return {{"type", "openIdConnect"}, {"openIdConnectUrl", from.url}};
  }
  json::object operator()(const mutual_tls_scheme&) const { return {{"type", "mutualTLS"}}; }
};

/// Where 0.3 is served. `url` and `preferredTransport` repeat the first entry: one 0.3 client lets
/// an entry of the same transport override `url`.
void put_interfaces(json::object& out, const agent_card& card) {
  std::vector<agent_interface> ours;
  std::copy_if(card.interfaces.begin(), card.interfaces.end(), std::back_inserter(ours),
               [](const agent_interface& one) { return one.protocol_version == "0.3"; });
  if (ours.empty())
    ours = card.interfaces; // the key is required: better an address that speaks 1.0 than none
  if (!ours.empty()) {
    put(out, "url", ours.front().url);
    put(out, "preferredTransport", ours.front().binding);
  }
  out["additionalInterfaces"] = each(ours, write_interface);
}

json::object write(const agent_card& card) {
  json::object out;
  put(out, "protocolVersion", "0.3.0");
  put_identity(out, card);
  put_interfaces(out, card);
  auto capabilities = write_capabilities(card.capabilities);
  put_if_any(capabilities, "stateTransitionHistory", card.capabilities.state_transition_history);
  out["capabilities"] = std::move(capabilities);
  if (!card.security_schemes.empty()) {
    json::object schemes;
    for (const auto& scheme : card.security_schemes) {
      auto written = std::visit(scheme_writer{}, scheme.kind);
      put_if_any(written, "description", scheme.description);
      schemes[scheme.name] = std::move(written);
    }
    out["securitySchemes"] = std::move(schemes);
  }
  put_each_if_any(out, "security", card.security, write_requirement);
  out["defaultInputModes"] = to_array(card.input_modes);
  out["defaultOutputModes"] = to_array(card.output_modes);
  out["skills"] = each(card.skills, [](const agent_skill& skill) {
    auto written = write_skill(skill);
    put_each_if_any(written, "security", skill.security, write_requirement);
    return written;
  });
  put_if_any(out, "supportsAuthenticatedExtendedCard", card.capabilities.extended_card);
  return out;
}

} // namespace shape_0_3

// -- both -----------------------------------------------------------------------------------------

/// Adds what `more` has and `to` has not, in nested objects and in the elements of equally long
/// arrays too.
void merge(json::value& to, const json::value& more) {
  if (to.is_object() && more.is_object()) {
    for (const auto& member : more.get_object()) {
      if (auto* there = to.get_object().if_contains(member.key()))
        merge(*there, member.value());
      else
        to.get_object().emplace(member.key(), member.value());
    }
  } else if (to.is_array() && more.is_array() && to.get_array().size() == more.get_array().size()) {
    for (std::size_t i = 0; i < more.get_array().size(); ++i)
      merge(to.get_array()[i], more.get_array()[i]);
  }
}

} // namespace

json::object card_to_json(const agent_card& card, card_shape shape) {
  if (shape == card_shape::pure_0_3)
    return shape_0_3::write(card);
  auto out = shape_1_0::write(card);
  if (shape == card_shape::rest_0_3) {
    auto old = shape_0_3::write(card);
    if (auto* schemes = old.if_contains("securitySchemes"))
      merge(*schemes, out.at("securitySchemes"));
    return old;
  }
  if (shape == card_shape::pure_1_0)
    return out;
  json::value both = std::move(out);
  merge(both, shape_0_3::write(card));
  return std::move(both.get_object());
}

} // namespace troupe
