// The Agent Card as a plain value: who an agent is, where it listens, what it can do and what it asks of its clients
// (A2A 1.0 section 4.4, A2A 0.3 section 5.5). The server fills it from its options; how it looks in each version stands
// in protocol/codec_agent_card.hpp.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// One way to reach the agent. Their order is the agent's preference.
struct agent_interface {
  std::string url;
  std::string binding;          ///< `JSONRPC`, `GRPC`, `HTTP+JSON`, or the URI of a custom one.
  std::string protocol_version; ///< `1.0` or `0.3`.
  std::string tenant;           ///< What clients repeat in each request; empty: none.
};

struct agent_provider {
  std::string organization;
  std::string url;
};

/// A protocol extension that is offered.
struct agent_extension {
  std::string uri;
  std::string description;
  bool required = false; ///< Requests that do not name it are refused.
  boost::json::object params;
};

/// Three states each: true, false, not said.
struct agent_capabilities {
  std::optional<bool> streaming;
  std::optional<bool> push_notifications;
  std::optional<bool> extended_card;
  std::optional<bool> state_transition_history; ///< 0.3 only.
  std::vector<agent_extension> extensions;
};

// -- how clients prove who they are ------------------------------------------------------------------------------------

struct api_key_scheme {
  std::string location; ///< `query`, `header` or `cookie`.
  std::string name;     ///< Of the parameter, header or cookie.
};

struct http_auth_scheme {
  std::string scheme;        ///< As in `Authorization`: `Bearer`, `Basic`, ...
  std::string bearer_format; ///< A hint for people: `JWT`.
};

/// The flows of OAuth 2.0 that A2A knows. 0.3 does not know `device_code`; 1.0 calls the last two deprecated.
enum class oauth_flow_kind : std::uint8_t { authorization_code, client_credentials, device_code, implicit, password };

struct oauth2_scheme {
  oauth_flow_kind kind = oauth_flow_kind::client_credentials; ///< 1.0 has exactly one for each scheme.
  std::string authorization_url; ///< authorization_code and implicit; for device_code the device's.
  std::string token_url;         ///< All but implicit.
  std::string refresh_url;
  std::map<std::string, std::string> scopes; ///< Name and what it allows.
  bool pkce_required = false;                ///< authorization_code in 1.0.
  std::string metadata_url;                  ///< RFC 8414; of the scheme, not of the flow.
};

struct open_id_connect_scheme {
  std::string url; ///< Of the discovery document.
};

struct mutual_tls_scheme {};

struct security_scheme {
  std::string name; ///< What requirements call it.
  std::string description;
  std::variant<api_key_scheme, http_auth_scheme, oauth2_scheme, open_id_connect_scheme, mutual_tls_scheme> kind;
};

/// Names of schemes with the scopes needed, all of them together. A list of requirements: any one of them will do.
using security_requirement = std::map<std::string, std::vector<std::string>>;

// -- what it can do ----------------------------------------------------------------------------------------------------

struct agent_skill {
  std::string id;
  std::string name;
  std::string description;
  std::vector<std::string> tags;
  std::vector<std::string> examples;
  std::vector<std::string> input_modes; ///< Media types; empty: the card's.
  std::vector<std::string> output_modes;
  std::vector<security_requirement> security;
};

/// One JSON Web Signature over the card (RFC 7515, A2A 1.0 section 8.4), as it stands in `signatures`.
struct card_signature {
  std::string protected_header; ///< base64url.
  std::string signature;        ///< base64url.
};

struct agent_card {
  std::string name;
  std::string description;
  std::string version;                     ///< Of the agent, not of the protocol.
  std::vector<agent_interface> interfaces; ///< Of every version, best first; those of 1.0 before those of 0.3.
  std::optional<agent_provider> provider;
  std::string documentation_url;
  std::string icon_url;
  agent_capabilities capabilities;
  std::vector<security_scheme> security_schemes;
  std::vector<security_requirement> security;
  std::vector<std::string> input_modes; ///< Media types.
  std::vector<std::string> output_modes;
  std::vector<agent_skill> skills;
  std::vector<card_signature> signatures;
};

} // namespace troupe
