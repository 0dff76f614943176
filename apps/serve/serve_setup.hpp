// What `troupe serve` and `troupe card` make of their configuration before anything runs.
#pragma once

#include "apps/model_setup.hpp"
#include "apps/options.hpp"
#include "apps/settings/config_file.hpp"
#include "apps/settings/settings.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>

#include <string>

namespace troupe {

/// Defaults, then the file, then the flags. Errors: invalid_document, invalid_params; the message
/// names file and setting.
[[nodiscard]] result<serve_settings> effective_settings(const serve_options& options,
                                                        const config_text& config);

/// Reads the templates of the directory that the settings name. Errors: those of a directory, a
/// file or a template that cannot be used.
[[nodiscard]] result<void> set_templates(serve_settings& to, const agent_registry& agents);

/// The agents that these settings offer; `a2a` knows the targets of `config`, `llm` asks the
/// `models` (null: there is no such agent). Errors: agent_not_found, if the default one is not
/// among them; those of delegation_targets.
[[nodiscard]] result<agent_registry> make_agents(const serve_settings& settings,
                                                 const config_text& config,
                                                 const model_client_ptr& models);

} // namespace troupe
