#include "apps/serve/serve_command_line.hpp"

#include "apps/flag_choices.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace troupe {

namespace {

constexpr const char* serve_footer = R"(Examples:
  troupe serve --dev                       to try it: in memory, with all agents
  troupe serve --listen 127.0.0.1:8080 --data ./state
  troupe serve --config troupe.toml --log-format json
  troupe serve --print-config > troupe.toml

Flags win over the configuration file. SIGTERM and Ctrl-C drain: no new work, streams end, running programs get
--drain-seconds, the journal is closed; a second signal, more than a second later, exits at once. SIGHUP reads
the configuration file again, and says what needs a restart.)";

constexpr const char* card_footer = R"(Examples:
  troupe card --config troupe.toml         what troupe serve --config troupe.toml would serve
  troupe card --pure10                     the card of A2A 1.0, without the keys of 0.3
  curl -s URL/.well-known/agent-card.json | troupe card --verify - --key public.pem

A key to sign with (card.signing.key):
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
  openssl pkey -in key.pem -pubout -out public.pem

Exit codes: 0 printed, or the signature holds; 1 no signature holds; 2 wrong usage or an invalid file.)";

void add_serve(CLI::App& app, serve_options& options) {
  auto& serve = *app.add_subcommand("serve", "Serve A2A clients over HTTP");
  const auto setting = [&](const std::string& flag, const std::string& key, const std::string& type,
                           const std::string& help) {
    serve
        .add_option_function<std::string>(
            flag,
            [&options, key](const std::string& value) { options.flags.emplace_back(key, value); },
            help)
        ->type_name(type);
  };
  const auto repeated = [&](const std::string& flag, const std::string& key,
                            const std::string& help) {
    serve
        .add_option_function<std::vector<std::string>>(
            flag,
            [&options, key](const std::vector<std::string>& all) {
              std::string list;
              for (const auto& each : all)
                list += (list.empty() ? "" : ",") + each;
              options.flags.emplace_back(key, list);
            },
            help)
        ->type_name("NAME")
        ->expected(1)
        ->take_all();
  };
  setting("--listen", "listen", "HOST:PORT",
          "Where to listen; port 0 takes a free one (default 127.0.0.1:8080)");
  setting("--public-url", "card.url", "URL",
          "Where clients reach the server, for its agent card (default: as it listens)");
  repeated("--allowed-host", "allowed-hosts",
           "A further host under which clients ask; others are refused (421). May be repeated");
  setting("--data", "data", "DIR", "Where the records are kept (default ./troupe-data)");
  serve.add_option("--config", options.config_file, "A TOML file; see --print-config")
      ->type_name("FILE");
  setting(
      "--store", "store", "memory|rocksdb|session-jsonl",
      "What keeps the records (default rocksdb); memory keeps the newest\nmillion tasks and "
      "100,000 objectives of those that have ended;\nsession-jsonl keeps them as session files");
  setting("--sessions-dir", "sessions.dir", "DIR",
          "Where session files of objectives are kept beside the store (default: nowhere)");
  setting("--durability", "durability", "async|sync",
          "sync: survives power loss; async: survives kill -9 (default sync)");
  setting("--agent", "agent", "NAME",
          "Does plain messages and tasks that name no agent (default echo)");
  setting("--max-parallel", "max-parallel", "N",
          "At most so many tasks of a new objective at once, whatever it asks for");
  setting("--time-scale", "time-scale", "X", "Multiplies the times of agents that only wait");
  setting("--drain-seconds", "drain-seconds", "S",
          "How long running programs and open connections get at the end (default 10)");
  setting("--log-level", "log-level", "LEVEL", "debug|info|warn|error|off (default info)");
  setting("--log-format", "log-format", "text|json", "How log lines look (default text)");
  serve.add_flag_callback(
      "--allow-commands", [&options] { options.flags.emplace_back("agents.command", "true"); },
      "Offer the command agent: any client of the server may run programs");
  repeated("--pass-env", "agents.pass-env",
           "A variable of the server that programs get if they ask for it. May be repeated");
  serve.add_flag("--dev", options.is_dev,
                 "To try it: records in memory, the command agent, and a welcome with\n"
                 "commands to try; other flags and --config go before it");
  serve.add_flag("--print-config", options.print_config,
                 "Print the effective configuration and exit");
  serve.footer(serve_footer);
}

void add_card(CLI::App& app, card_command_options& options) {
  auto& card = *app.add_subcommand("card", "Print the agent card, or verify one");
  auto* config =
      card.add_option("--config", options.config_file, "The server's TOML file")->type_name("FILE");
  auto* pure = card.add_flag_callback(
      "--pure10", [&options] { options.shape = card_shape::pure_1_0; }, "In the shape of A2A 1.0");
  auto* superset = card.add_flag_callback(
      "--superset", [&options] { options.shape = card_shape::superset; },
      "With the keys of A2A 0.3 besides");
  pure->excludes(superset);
  auto* verify = card.add_option("--verify", options.verify_file,
                                 "Verify this card instead; - reads standard input")
                     ->type_name("FILE");
  auto* key =
      card.add_option("--key", options.key_file, "The public key that must have signed it, in PEM")
          ->type_name("FILE");
  auto* kid = card.add_option("--kid", options.kid, "Only signatures that name their key so")
                  ->type_name("NAME");
  key->needs(verify);
  verify->needs(key);
  kid->needs(verify);
  verify->excludes(config)->excludes(pure)->excludes(superset);
  card.footer(card_footer);
}

} // namespace

void add_serve_commands(CLI::App& app, serve_commands& to) {
  add_serve(app, to.serve);
  add_card(app, to.card);
}

} // namespace troupe
