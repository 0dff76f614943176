// The Agent Card as a plain value: the name of an agent, where it listens, what it can do and what
// it requires of its clients (A2A 1.0 section 4.4, A2A 0.3 section 5.5). The server fills it from
// its options; protocol/a2a/codec_agent_card.hpp writes it in the format of each version.
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
  std::string tenant;           ///< Clients repeat it in each request; empty: none.
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

/// Each has three values: true, false, absent.
struct agent_capabilities {
  std::optional<bool> streaming;
  std::optional<bool> push_notifications;
  std::optional<bool> extended_card;
  std::optional<bool> state_transition_history; ///< 0.3 only.
  std::vector<agent_extension> extensions;
};

// -- how clients prove who they are ---------------------------------------------------------------

struct api_key_scheme {
  std::string location; ///< `query`, `header` or `cookie`.
  std::string name;     ///< Of the parameter, header or cookie.
};

struct http_auth_scheme {
  std::string scheme;        ///< As in `Authorization`: `Bearer`, `Basic`, ...
  std::string bearer_format; ///< A hint for people: `JWT`.
};

/// The flows of OAuth 2.0 in A2A. 0.3 has no `device_code`; in 1.0 the last two are deprecated.
enum class oauth_flow_kind : std::uint8_t {
  authorization_code,
  client_credentials,
  device_code,
  implicit,
  password
};

struct oauth2_scheme {
  /// 1.0 has exactly one for each scheme.
  oauth_flow_kind kind = oauth_flow_kind::client_credentials;
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
  std::string name; ///< The name by which requirements refer to it.
  std::string description;
  std::variant<api_key_scheme, http_auth_scheme, oauth2_scheme, open_id_connect_scheme,
               mutual_tls_scheme>
      kind;
};

/// Names of schemes with the scopes needed; all of them are required together. Of a list of
/// requirements, one is enough.
using security_requirement = std::map<std::string, std::vector<std::string>>;

// -- what it can do -------------------------------------------------------------------------------

/// Of skills that are templates of plans (docs/planner.md).
inline constexpr std::string_view template_tag = "template";

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

/// One JSON Web Signature over the card (RFC 7515, A2A 1.0 section 8.4), as in `signatures`.
struct card_signature {
  std::string protected_header; ///< base64url.
  std::string signature;        ///< base64url.
};

struct agent_card {
  std::string name;
  std::string description;
  std::string version; ///< Of the agent, not of the protocol.
  /// Of every version, best first; those of 1.0 before those of 0.3.
  std::vector<agent_interface> interfaces;
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

/// The format of a card for clients of one version, or of both.
enum class card_shape : std::uint8_t {
  pure_1_0, ///< Only members of 1.0, so that strict readers accept it.
  pure_0_3, ///< Only members of 0.3. Without signatures: they are over the 1.0 format.
  /// The 0.3 format, and each security scheme also has the 1.0 member: JavaScript clients read this
  /// binding as ProtoJSON.
  rest_0_3,
  superset, ///< The 1.0 format and every key of 0.3.
};

/// How the bytes under a signature are made.
enum class card_form : std::uint8_t {
  standard, ///< As A2A 1.0 section 8.4.1 says: the projection in RFC 8785.
  /// As in the JavaScript SDK: without empty texts, arrays and objects, then RFC 8785. Differs for
  /// cards that have some.
  stripped,
  /// As in the Python SDK: stripped, then written as Python does. Differs for cards with numbers or
  /// non-ASCII text.
  python,
};

} // namespace troupe
