#include "apps/serve/serve_setup.hpp"

#include "apps/delegation_setup.hpp"
#include "apps/plan/text_file.hpp"
#include "apps/settings/config_file.hpp"
#include "net/card/card_documents.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/agents/register_builtin.hpp>

#include <memory>
#include <string>
#include <utility>

namespace troupe {

result<serve_settings> effective_settings(const serve_options& options) {
  serve_settings out;
  if (!options.config_file.empty()) {
    const auto text = read_text(options.config_file);
    if (!text)
      return text.error();
    if (auto done = read_config(out, *text, name_of_file(options.config_file)); !done)
      return done.error();
  }
  for (const auto& [key, value] : options.flags)
    if (auto done = set_from_text(out, key, value); !done)
      return done.error();
  if (out.store.kind != store_kind::memory && out.store.directory.empty())
    return make_error(errc::invalid_params, "\"data\" is empty: a store on disk needs a directory");
  if (out.store.kind == store_kind::session_jsonl && !out.store.sessions.empty())
    return make_error(errc::invalid_params,
                      "\"sessions.dir\" is for other stores: the files of the store session-jsonl "
                      "are in sessions/ of its directory");
  if (auto good = net::check_card(out.server.card); !good)
    return good.error();
  out.server.card.persistent = out.store.kind != store_kind::memory;
  return out;
}

result<agent_registry> make_agents(const serve_settings& settings, const std::string& config_file,
                                   const model_client_ptr& models) {
  agent_registry out;
  builtin_agent_options options;
  if (settings.commands_allowed) {
    options.command->parallel_max = settings.command_parallel_max;
    options.command->variables_passed = settings.variables_passed;
    options.command->adopts_orphans = true;
    options.command->memory = settings.executor.memory;
  } else {
    options.command.reset();
  }
  options.conformance = settings.agent == "conformance"; // known only if it was asked for
  register_builtin_agents(out, options);
  auto targets = delegation_targets(config_file);
  if (!targets)
    return targets.error();
  delegation_options delegated;
  delegated.targets = std::move(*targets);
  delegated.allow_private = settings.private_urls_allowed;
  if (settings.store.kind != store_kind::memory) { // its directory is there when a task begins
    delegated.server_id = [directory = settings.store.directory] {
      return server_id_in(directory);
    };
    delegated.cancels_file = [directory = settings.store.directory] {
      return directory + "/cancels.jsonl";
    };
  }
  out.add("a2a", std::make_shared<a2a_agent>(std::move(delegated)));
  if (models) // a server offers what it can do
    register_llm(out, models, settings.llm_model);
  if (!settings.agent.empty())
    out.default_agent = settings.agent;
  if (out.find(out.default_agent) == nullptr)
    return make_error(
        errc::agent_not_found,
        "agent " + troupe::quoted(out.default_agent) + ": there is no such agent (see troupe agents"
            + (out.default_agent == "command" ? "; command needs --allow-commands)" : ")"));
  return out;
}

} // namespace troupe
