// What `remote_agent` was told by its operator: targets, defaults, policy. One JSON document, in
// the spelling of the tool's own documents (`baseUrl`) or in that of our configuration files
// (`base-url`). Plain values; credentials are names of variables and files here, and are read by
// the program that starts the tool.
#pragma once

#include "client/a2a/target.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::remote_agent {

/// Where the card is if nobody says otherwise (A2A 1.0 section 8.2).
inline constexpr std::string_view usual_card_path = "/.well-known/agent-card.json";

/// Where the credentials for a target are: names of variables and files, never they themselves.
struct credential_names {
  std::string bearer_env;
  std::string bearer_file;
  std::string api_key_env;
  std::string api_key_file;
  std::string api_key_header;
  std::string certificate_file; ///< The client's own, in PEM.
  std::string key_file;
  std::string ca_file; ///< Certificates believed beside the system's.
};

/// An agent that a request may name.
struct peer {
  std::string alias;
  std::string base_url; ///< As it is shown and compared.
  std::string card_path{usual_card_path};
  std::vector<std::string> preferred_transports; ///< Empty: the defaults'.
  std::string description;
  std::vector<std::string> tags;
  std::vector<std::string> examples;
  bool is_default = false;
  credential_names names; ///< Of a document; `how` has what they hold.
  /// How it is asked: version, binding, credentials. Its URL and card path are filled in by
  /// `complete`.
  a2a::target how;
  error unusable; ///< Why it cannot be asked (a key that cannot be read); no code: it can.
};

struct settings {
  bool enabled = true;
  std::chrono::milliseconds timeout{120'000};
  std::string card_path{usual_card_path};
  std::vector<std::string> preferred_transports{"JSONRPC", "HTTP+JSON"};
  std::vector<std::pair<std::string, std::string>> service_parameters;
  std::vector<peer> targets;
  std::chrono::milliseconds handle_ttl{86'400'000};
  std::size_t handles_max = 1'000;
  std::vector<std::string> accepted_output_modes;
  bool normalizes_urls = true;
  bool enforces_transports = true; ///< One that this build cannot speak is refused at the start.
  bool allows_any_url = false;
  /// A continuation may lead to any URL, as `target_url` may only if `allows_any_url` says so.
  bool trusts_continuations = false;
};

/// How the members of a document are spelled.
enum class spelling : std::uint8_t {
  camel, ///< `baseUrl`
  kebab, ///< `base-url`
};

/// Unknown members are refused with their path. `complete` is still needed. Errors:
/// invalid_document, whose field is the path.
[[nodiscard]] result<settings> read_settings(const boost::json::object& from, spelling how);

/// Trims, fills in and checks what was read: aliases, URLs, the default, transports, headers.
/// Errors: invalid_document.
[[nodiscard]] result<void> complete(settings& all);

/// The bindings among `names` that this build speaks, in their order.
[[nodiscard]] std::vector<wire::a2a_binding> bindings_of(const std::vector<std::string>& names);

/// Whether a header of this name may be set by a request: a token (RFC 9110 section 5.6.2), and
/// none that the connection or the credentials depend on.
[[nodiscard]] bool may_be_parameter(std::string_view name) noexcept;
/// Whether `value` may be that of a header: no control characters (RFC 9110 section 5.5).
[[nodiscard]] bool may_be_parameter_value(std::string_view value) noexcept;

} // namespace troupe::remote_agent
