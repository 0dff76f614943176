// The agent `a2a` for `troupe run` and `troupe serve`: with the targets of a configuration file.
#pragma once

#include "agents/a2a/a2a_agent.hpp"
#include "apps/settings/config_file.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>

#include <string>
#include <vector>

namespace troupe {

/// The `[[targets]]` of a file. A target whose credentials cannot be read is
/// refused when a task names it. `proxy`: of targets without one. Errors: those of
/// read_target_rows and targets_from.
[[nodiscard]] result<std::vector<delegation_target>> delegation_targets(const config_text& config,
                                                                        const std::string& proxy);
/// Of a setting. Errors: invalid_params.
[[nodiscard]] result<net::proxy_rules> delegation_proxies(const std::string& proxy);

/// The id of the server whose records are in `directory`: made once, and kept there in the file
/// `server-id`. If it can be neither read nor written it is a new one. The directory is there.
[[nodiscard]] std::string server_id_in(const std::string& directory);

/// Adds it for the plans of the person who runs this process: they may name any URL, and the
/// targets of own_config_path. If that file cannot be read, no task can name a target.
void register_own_delegation(agent_registry& into);

} // namespace troupe
