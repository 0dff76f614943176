// Models for `troupe run` and `troupe serve`: those of a configuration file, the agent `llm` and
// the planner that ask them.
#pragma once

#include "apps/settings/config_file.hpp"
#include "apps/settings/settings.hpp"
#include "client/models/model_client.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/net/server_options.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/memory_budget.hpp>

#include <memory>
#include <string>
#include <vector>

namespace troupe {

using model_client_ptr = std::shared_ptr<models::model_client>;

/// A client of the models of a file; null if it names none. It has no thread before it is used.
/// Errors: those of read_model_rows and models_from.
[[nodiscard]] result<model_client_ptr> open_models(const config_text& config);

/// Adds the agent `llm`. `default_model`: may be empty; `answers_directly`, `memory`: as of
/// llm_options.
void register_llm(agent_registry& into, model_client_ptr client, std::string default_model,
                  bool answers_directly, memory_budget_ptr memory);

/// The planner that the settings name. Errors: invalid_params (it is no model, or an agent of its
/// plans is none).
[[nodiscard]] result<void> set_model_planner(serve_settings& to, const model_client_ptr& client,
                                             const agent_registry& agents);

/// How the models do, as `/readyz` shows it.
[[nodiscard]] std::vector<model_health> health_of(const models::model_client& client);

/// Adds the agent for the plans of the person who runs this process, with the models of
/// own_config_path. If that file cannot be read, no task can have a model.
void register_own_llm(agent_registry& into);

} // namespace troupe
