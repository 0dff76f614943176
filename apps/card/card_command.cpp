// `troupe card`: the agent card as `troupe serve` would serve it, or whether another card is
// signed with a key.
#include "actors/planning/planning_desk.hpp"
#include "apps/commands.hpp"
#include "apps/model_setup.hpp"
#include "apps/serve/serve_setup.hpp"
#include "apps/terminal/console.hpp"
#include "apps/text_file.hpp"
#include "net/card/agent_card.hpp"
#include "net/card/card_documents.hpp"
#include <troupe/net/card_signature.hpp>

#include <string>
#include <vector>

namespace troupe {

namespace {

int refuse(const error& why, int code) {
  complain(why.message);
  return code;
}

int verify(const card_command_options& options) {
  const auto card = read_text(options.verify_file);
  if (!card)
    return refuse(card.error(), exit_usage);
  const auto pem = read_text(options.key_file);
  if (!pem)
    return refuse(pem.error(), exit_usage);
  const auto key = net::verifying_key::from_pem(*pem);
  if (!key)
    return refuse(make_error(key.error().code, options.key_file + ": " + key.error().message),
                  exit_usage);
  if (const auto done = net::verify_card(*card, *key, options.kid); !done)
    return refuse(done.error(), exit_failed);
  return say("valid: the card is signed with this key\n") ? exit_ok : exit_failed;
}

int show(const card_command_options& options) {
  const auto config = read_config_file(options.config_file);
  if (!config)
    return refuse(config.error(), exit_usage);
  auto settings = effective_settings({}, *config);
  if (!settings)
    return refuse(settings.error(), exit_usage);
  const auto models = open_models(*config);
  if (!models)
    return refuse(models.error(), exit_usage);
  const auto agents = make_agents(*settings, *config, *models);
  if (!agents)
    return refuse(agents.error(), exit_usage);
  if (const auto taken = set_templates(*settings, *agents); !taken)
    return refuse(taken.error(), exit_usage);
  const auto& server = settings->server;
  const auto& planning = settings->executor.planning;
  const auto templates = planning.is_on ? summaries_of(read_templates(planning).value())
                                        : std::vector<template_summary>{};
  const auto cards =
      net::make_card_documents(server, net::default_url(server, server.port), *agents, templates);
  if (!cards)
    return refuse(cards.error(), exit_usage);
  const auto shape = options.shape.value_or(cards->unasked);
  return say((shape == card_shape::pure_1_0 ? cards->pure_1_0 : cards->superset).body + '\n')
             ? exit_ok
             : exit_failed;
}

} // namespace

int card_command(const card_command_options& options) {
  return options.verify_file.empty() ? show(options) : verify(options);
}

} // namespace troupe
