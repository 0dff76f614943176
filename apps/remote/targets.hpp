// Which server a command means: `--server`, `TROUPE_SERVER`, the context that was chosen, or none,
// which means the runs of this computer. Servers with an alias and credentials are `[[targets]]` of
// the configuration file.
#pragma once

#include "apps/settings/config_file.hpp"
#include "client/a2a/target.hpp"
#include <troupe/protocol/errc.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What one of `[[targets]]` says.
struct known_target {
  std::string alias;
  a2a::target to; ///< Without credentials and certificates, which are read when they are needed.
  std::string bearer_file;
  std::string bearer_env; ///< The name of a variable.
  std::string api_key_file;
  std::string api_key_env;
  std::string basic_password_file{};
  std::string basic_password_env{};
  a2a::oauth_client oauth{}; ///< Without its secret.
  std::string oauth_secret_file{};
  std::string oauth_secret_env{};
  std::string proxy{}; ///< net::proxy_rules::read; may have a password.
  std::string ca_file;
  std::string certificate_file{}; ///< The client's own, in PEM.
  std::string key_file{};
  /// A public key in PEM: the card must be signed with it. Empty: no signature is asked for.
  std::string card_key_file{};
  std::string card_key_id{}; ///< Only signatures whose key has this name count; empty: any.
  // For the tool `remote_agent` (docs/remote-agent.md).
  std::string description{};
  std::vector<std::string> tags{};
  std::vector<std::string> examples{};
  std::vector<std::string> preferred_transports{};
  bool is_default = false;
  // For the agent `a2a` (docs/delegation.md); 0: not said.
  std::size_t open_max = 0;
  double rate_max = 0;
};

/// `name`: the file's, for messages. Errors: invalid_document, with the line.
[[nodiscard]] result<std::vector<known_target>> targets_from(const std::vector<target_row>& rows,
                                                             const std::string& name);

/// The value of a variable; null if it is unset.
using variable_reader = std::function<const char*(const char* name)>;

/// With what its files and variables hold, and target::read_again. Errors: unavailable (a file
/// cannot be read, a variable is not set), invalid_params (no text for a header, no proxy).
[[nodiscard]] result<a2a::target> with_credentials(const known_target& known,
                                                   const variable_reader& variables);

/// A server that was chosen.
struct chosen_server {
  std::string name; ///< As it was named: an alias or a URL.
  a2a::target to;
  /// What a command line needs so that it means this server, too: ` --server NAME`; empty, if
  /// TROUPE_SERVER or the context says it.
  std::string flag{};
};

/// The one that `named` means: an alias, or a URL, which has the credentials of the target with
/// that URL. Errors: invalid_params (neither), and those of with_credentials.
[[nodiscard]] result<chosen_server> find_server(const std::string& named,
                                                const std::vector<known_target>& targets,
                                                const variable_reader& variables);

/// All members that a target may have.
[[nodiscard]] std::span<const std::string_view> target_member_names() noexcept;

// -- of this process ------------------------------------------------------------------------------

/// The file that `TROUPE_CONFIG` names, or
/// `${XDG_CONFIG_HOME:-~/.config}/troupe/config.toml`; empty if there is no such place.
[[nodiscard]] std::string own_config_path();
/// What stands in it; nothing if the second one does not exist. Errors: those of reading it.
[[nodiscard]] result<std::optional<std::string>> own_config_text();
/// Its targets; none if the second one does not exist. Errors: those of reading it.
[[nodiscard]] result<std::vector<known_target>> own_targets();

/// What `troupe context use` chose; empty: nothing.
[[nodiscard]] std::string own_context();
/// Empty: the runs of this computer. Errors: unavailable.
[[nodiscard]] result<void> keep_context(const std::string& alias);

/// What was chosen, in this order: `flag`, `TROUPE_SERVER`, the context; nothing: the runs of this
/// computer. Errors: those of find_server and own_targets.
[[nodiscard]] result<std::optional<chosen_server>> choose_server(const std::string& flag);
/// The same for a command that needs one. Errors: also invalid_params (there is none). `here`: what
/// the message says then of the runs of this computer.
[[nodiscard]] result<chosen_server> require_server(const std::string& flag,
                                                   const std::string& here = {});

} // namespace troupe
