#include "apps/model_setup.hpp"

#include "agents/llm/llm_agent.hpp"
#include "agents/llm/model_planner.hpp"
#include "apps/remote/targets.hpp"
#include "apps/settings/model_rows.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/quoted.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace troupe {

result<model_client_ptr> open_models(const config_text& config) {
  const auto rows = read_model_rows(config.text, config.name);
  if (!rows)
    return rows.error();
  auto all = models_from(
      *rows, config.name, [](const char* variable) -> const char* { return std::getenv(variable); },
      [](const std::string& path) { return read_text(path); });
  if (!all)
    return all.error();
  if (all->empty())
    return model_client_ptr{};
  return std::make_shared<models::model_client>(std::move(*all));
}

void register_llm(agent_registry& into, model_client_ptr client, std::string default_model,
                  bool answers_directly, memory_budget_ptr memory) {
  llm_options options;
  options.models = std::move(client);
  options.default_model = std::move(default_model);
  options.answers_directly = answers_directly;
  options.memory = std::move(memory);
  into.add("llm", std::make_shared<llm_agent>(std::move(options)));
}

result<void> set_model_planner(serve_settings& to, const model_client_ptr& client,
                               const agent_registry& agents) {
  for (const auto& each : to.executor.planning.agents)
    if (each == "command")
      return make_error(errc::invalid_params,
                        "planner.agents: a text can never lead to the agent \"command\"");
    else if (agents.find(each) == nullptr)
      return make_error(errc::invalid_params,
                        "planner.agents: there is no agent " + troupe::quoted(each));
  for (const auto* name : {&to.planner_model, &to.llm_model})
    if (!name->empty() && (client == nullptr || client->find(*name) == nullptr))
      return make_error(errc::invalid_params,
                        (name == &to.planner_model ? "planner.model: " : "agents.llm-model: ")
                            + std::string("there is no [models.") + *name + "]");
  if (!to.planner_model.empty())
    to.executor.planning.planner = std::make_shared<model_planner>(client, to.planner_model);
  return {};
}

std::vector<model_health> health_of(const models::model_client& client) {
  std::vector<model_health> out;
  for (const auto& each : client.states()) {
    model_health one{each.name, std::string(to_string(each.breaker)), {}, {}};
    if (each.breaker != net::breaker_state::closed) {
      one.since = each.since;
      one.next_probe = each.next_probe;
    }
    out.push_back(std::move(one));
  }
  return out;
}

void register_own_llm(agent_registry& into) {
  llm_options options;
  const auto path = own_config_path();
  std::error_code failed;
  const bool is_given = std::getenv("TROUPE_CONFIG") != nullptr;
  if (!path.empty() && (is_given || std::filesystem::exists(path, failed))) {
    const auto config = read_config_file(path);
    auto client = config ? open_models(*config) : result<model_client_ptr>(config.error());
    if (client)
      options.models = std::move(*client);
    else
      options.no_models = client.error();
  }
  into.add("llm", std::make_shared<llm_agent>(std::move(options)));
}

} // namespace troupe
