#include "apps/serve/serve_setup.hpp"

#include "actors/planning/template_check.hpp"
#include "apps/delegation_setup.hpp"
#include "apps/log.hpp"
#include "apps/plan/template_files.hpp"
#include "net/card/card_documents.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include <troupe/agents/register_builtin.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace troupe {

namespace {

/// Session files are in a directory that was named, and not among the files of the journal.
result<void> check_sessions_place(const serve_settings& settings, const serve_options& options) {
  namespace fs = std::filesystem;
  for (const auto& [key, value] : options.flags)
    if (key == "sessions.dir" && value.empty())
      return make_error(errc::invalid_params, "--sessions-dir is empty: name a directory, or leave "
                                              "it out");
  if (settings.store.sessions.empty() || settings.store.kind == store_kind::memory)
    return {};
  std::error_code failed;
  const auto journal = fs::weakly_canonical(journal_path(settings.store.directory), failed);
  const auto place = fs::weakly_canonical(settings.store.sessions, failed);
  const auto end = std::ranges::mismatch(journal, place).in1;
  if (failed || end != journal.end())
    return {};
  return make_error(errc::invalid_params, "\"sessions.dir\" is in " + journal.string()
                                              + ", where the journal of the records is; choose "
                                                "another directory");
}

} // namespace

result<serve_settings> effective_settings(const serve_options& options, const config_text& config) {
  serve_settings out;
  if (options.is_dev) {
    out.store.kind = store_kind::memory;
    out.commands_allowed = true;
  }
  if (auto done = read_config(out, config.text, config.name); !done)
    return done.error();
  for (const auto& [key, value] : options.flags)
    if (auto done = set_from_text(out, key, value); !done)
      return done.error();
  if (out.store.kind != store_kind::memory && out.store.directory.empty())
    return make_error(errc::invalid_params, "\"data\" is empty: a store on disk needs a directory");
  if (out.store.kind == store_kind::session_jsonl && !out.store.sessions.empty())
    return make_error(errc::invalid_params,
                      "\"sessions.dir\" is for other stores: the files of the store session-jsonl "
                      "are in sessions/ of its directory");
  if (const auto good = check_sessions_place(out, options); !good)
    return good.error();
  if (auto good = net::check_card(out.server.card); !good)
    return good.error();
  out.server.card.persistent = out.store.kind != store_kind::memory;
  return out;
}

result<void> set_templates(serve_settings& to, const agent_registry& agents) {
  auto texts = read_template_files(to.templates_directory);
  if (!texts)
    return texts.error();
  to.executor.planning.templates = std::move(*texts);
  const auto all = read_templates(to.executor.planning);
  return all ? check_templates(*all, agents) : all.error();
}

result<void> check_default_target(const std::string& named,
                                  const std::vector<delegation_target>& targets) {
  std::vector<std::string_view> known;
  for (const auto& each : targets)
    known.emplace_back(each.alias);
  if (named.empty() || std::ranges::find(known, named) != known.end())
    return {};
  return make_error(errc::invalid_params,
                    "\"agents.a2a-target\" names no target: " + troupe::quoted(named)
                        + (known.empty() ? "; there is none, see [[targets]] in docs/cli.md"
                                         : did_you_mean(named, known)));
}

result<agent_registry> make_agents(const serve_settings& settings, const config_text& config,
                                   const model_client_ptr& models) {
  agent_registry out;
  builtin_agent_options options;
  if (settings.commands_allowed) {
    options.command->parallel_max = settings.command_parallel_max;
    options.command->variables_passed = settings.variables_passed;
    options.command->adopts_orphans = true;
    options.command->memory = settings.executor.memory;
    options.command->gate = settings.programs;
  } else {
    options.command.reset();
  }
  options.conformance = settings.agent == "conformance"; // known only if it was asked for
  register_builtin_agents(out, options);
  auto targets = delegation_targets(config, settings.a2a_proxy);
  if (!targets)
    return targets.error();
  auto proxies = delegation_proxies(settings.a2a_proxy);
  if (!proxies)
    return proxies.error();
  if (const auto named = check_default_target(settings.a2a_target, *targets); !named)
    return named.error();
  delegation_options delegated;
  delegated.default_target = settings.a2a_target;
  delegated.proxies = std::move(*proxies);
  delegated.targets = std::move(*targets);
  delegated.allow_private = settings.private_urls_allowed;
  delegated.hops_max = settings.hops_max;
  delegated.terms.lost_after = settings.lost_after;
  delegated.terms.cancel_wait = settings.cancel_wait;
  delegated.memory = settings.executor.memory;
  delegated.warn = [](const std::string& line) { log_warn(line); };
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
    register_llm(out, models, settings.llm_model, settings.llm_answers_directly,
                 settings.executor.memory);
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
