// The card of another agent, in the shape of 1.0, of 0.3, or of both.
#include "protocol/a2a/codec_agent_card.hpp"
#include "protocol/json/object_reader.hpp"

#include <boost/json/array.hpp>

#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace troupe {

namespace json = boost::json;
using wire::first_failure;
using wire::object_reader;
using wire::place;

namespace {

/// Calls `take` with each element of the array `name` and its place.
template<class Take>
void for_each_in(const object_reader& in, std::string_view name, const Take& take) {
  const auto* all = in.array(name);
  if (!all)
    return;
  const auto list = in.where() / name;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const auto where = list / i;
    take((*all)[i], where);
  }
}

std::vector<std::string> read_texts(const object_reader& in, std::string_view name) {
  return in.texts(name, std::numeric_limits<std::size_t>::max());
}

std::optional<bool> truth(const object_reader& in, std::string_view name) {
  return in.find(name) ? std::optional{in.boolean(name, false)} : std::nullopt;
}

/// One interface as 1.0 has it, or one of `additionalInterfaces` of a card of 0.3.
void add_interface(agent_card& to, const object_reader& in, std::string_view version_of_card) {
  agent_interface out;
  out.url = in.text("url");
  out.binding = in.text(in.find("protocolBinding") ? "protocolBinding" : "transport");
  out.protocol_version = in.text("protocolVersion");
  if (out.protocol_version.empty())
    out.protocol_version = version_of_card;
  out.tenant = in.text("tenant");
  for (const auto& known : to.interfaces)
    if (known.url == out.url && known.binding == out.binding
        && known.protocol_version == out.protocol_version)
      return;
  if (!out.url.empty())
    to.interfaces.push_back(std::move(out));
}

void read_interfaces(const object_reader& in, agent_card& out, first_failure& failure) {
  for_each_in(in, "supportedInterfaces", [&](const json::value& each, const place& where) {
    add_interface(out, object_reader{each, where, failure}, "1.0");
  });
  // A card of both shapes says the interfaces of 0.3 twice.
  for (const auto& each : out.interfaces)
    if (each.protocol_version.starts_with("0.3"))
      return;
  // 0.3 section 5.5: `url` with `preferredTransport`, and further ones; all of one version.
  auto version = in.text("protocolVersion");
  if (version.empty() && out.interfaces.empty())
    version = "0.3"; // 1.0 has no such `url`
  if (const auto url = in.text("url"); !url.empty() && !version.empty()) {
    auto transport = in.text("preferredTransport");
    if (transport.empty())
      transport = "JSONRPC"; // the default, says the same section
    out.interfaces.push_back({url, transport, version, {}});
  }
  if (!version.empty())
    for_each_in(in, "additionalInterfaces", [&](const json::value& each, const place& where) {
      add_interface(out, object_reader{each, where, failure}, version);
    });
}

void read_capabilities(const object_reader& card, agent_card& out, first_failure& failure) {
  const auto* found = card.find("capabilities");
  if (!found)
    return;
  const auto where = card.where() / "capabilities";
  const object_reader in{*found, where, failure};
  auto& to = out.capabilities;
  to.streaming = truth(in, "streaming");
  to.push_notifications = truth(in, "pushNotifications");
  to.extended_card = truth(in, "extendedAgentCard");
  to.state_transition_history = truth(in, "stateTransitionHistory");
  for_each_in(in, "extensions", [&](const json::value& each, const place& at) {
    const object_reader extension{each, at, failure};
    to.extensions.push_back({extension.text("uri"), extension.text("description"),
                             extension.boolean("required", false), extension.object("params")});
  });
}

/// What 1.0 names by a member of the scheme, and 0.3 by `type`.
std::string_view kind_of(const object_reader& in, const std::string& type) {
  constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"apiKeySecurityScheme", "apiKey"},  {"httpAuthSecurityScheme", "http"},
      {"oauth2SecurityScheme", "oauth2"},  {"openIdConnectSecurityScheme", "openIdConnect"},
      {"mtlsSecurityScheme", "mutualTLS"},
  };
  for (const auto& [member, kind] : kinds)
    if (in.find(member) || type == kind)
      return kind;
  return {};
}

void add_scheme(agent_card& to, std::string name, const object_reader& in, const place& where,
                first_failure& failure) {
  const auto kind = kind_of(in, in.text("type"));
  const json::value* inner = nullptr;
  for (const auto* member : {"apiKeySecurityScheme", "httpAuthSecurityScheme",
                             "oauth2SecurityScheme", "openIdConnectSecurityScheme"})
    if (!inner)
      inner = in.find(member);
  static const json::value none = json::object{};
  const object_reader detail{inner ? *inner : none, where, failure};
  const auto text = [&](std::string_view member, std::string_view of_0_3) {
    return inner ? detail.text(member) : in.text(of_0_3);
  };
  security_scheme out{std::move(name), text("description", "description"), {}};
  if (kind == "apiKey")
    out.kind = api_key_scheme{text("location", "in"), text("name", "name")};
  else if (kind == "http")
    out.kind = http_auth_scheme{text("scheme", "scheme"), text("bearerFormat", "bearerFormat")};
  else if (kind == "openIdConnect")
    out.kind = open_id_connect_scheme{text("openIdConnectUrl", "openIdConnectUrl")};
  else if (kind == "oauth2")
    out.kind = oauth2_scheme{};
  else if (kind == "mutualTLS")
    out.kind = mutual_tls_scheme{};
  else
    return;
  to.security_schemes.push_back(std::move(out));
}

void read_schemes(const object_reader& card, agent_card& out, first_failure& failure) {
  const auto* found = card.find("securitySchemes");
  const auto* all = found ? found->if_object() : nullptr;
  if (!all)
    return;
  const auto list = card.where() / "securitySchemes";
  for (const auto& [key, scheme] : *all) {
    const std::string_view name{key.data(), key.size()};
    const auto where = list / name;
    add_scheme(out, std::string(name), object_reader{scheme, where, failure}, where, failure);
  }
}

} // namespace

result<agent_card> read_agent_card(const json::value& from) {
  first_failure failure(wire::where_style::path, errc::invalid_agent_response);
  const place root{nullptr, "card", std::nullopt};
  const object_reader in{from, root, failure};
  agent_card out;
  out.name = in.text("name");
  out.description = in.text("description");
  out.version = in.text("version");
  out.documentation_url = in.text("documentationUrl");
  out.icon_url = in.text("iconUrl");
  if (const auto* found = in.find("provider")) {
    const auto where = root / "provider";
    const object_reader provider{*found, where, failure};
    out.provider = agent_provider{provider.text("organization"), provider.text("url")};
  }
  read_interfaces(in, out, failure);
  read_capabilities(in, out, failure);
  if (in.boolean("supportsAuthenticatedExtendedCard", false))
    out.capabilities.extended_card = true;
  read_schemes(in, out, failure);
  out.input_modes = read_texts(in, "defaultInputModes");
  out.output_modes = read_texts(in, "defaultOutputModes");
  for_each_in(in, "skills", [&](const json::value& each, const place& where) {
    const object_reader skill{each, where, failure};
    agent_skill one;
    one.id = skill.text("id");
    one.name = skill.text("name");
    one.description = skill.text("description");
    one.tags = read_texts(skill, "tags");
    one.examples = read_texts(skill, "examples");
    one.input_modes = read_texts(skill, "inputModes");
    one.output_modes = read_texts(skill, "outputModes");
    out.skills.push_back(std::move(one));
  });
  for_each_in(in, "signatures", [&](const json::value& each, const place& where) {
    const object_reader signature{each, where, failure};
    out.signatures.push_back({signature.text("protected"), signature.text("signature")});
  });
  if (!failure && out.name.empty())
    failure.set(root / "name", "missing");
  if (!failure && out.interfaces.empty())
    failure.set(root / "supportedInterfaces", "missing or empty");
  if (failure)
    return failure.take();
  return out;
}

} // namespace troupe
