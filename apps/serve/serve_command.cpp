// `troupe serve`: configuration, store, gateway and HTTP server, until it is asked to end;
// then a polite one.
#include "agents/a2a/a2a_agent.hpp"
#include "apps/commands.hpp"
#include "apps/log.hpp"
#include "apps/memory_given.hpp"
#include "apps/open_store.hpp"
#include "apps/plan/template_files.hpp"
#include "apps/process_memory.hpp"
#include "apps/serve/life_log.hpp"
#include "apps/serve/reload.hpp"
#include "apps/serve/serve_setup.hpp"
#include "apps/serve/welcome.hpp"
#include "apps/settings/config_file.hpp"
#include "apps/settings/model_rows.hpp"
#include "apps/settings/settings.hpp"
#include "apps/signals.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"
#include "apps/version.hpp"
#include "net/card/agent_card.hpp"
#include "protocol/text/counted.hpp"
#include <troupe/net/server.hpp>
#include <troupe/protocol/time_source.hpp>
#include <troupe/store/session_status.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto program_look_interval = 50ms; ///< While the server waits for programs to end.
constexpr auto serve_look_interval = 5s; ///< Between two looks at what the store says of its disk.

/// Whether another program listens there already, asked before anything is set going. All else that
/// can go wrong with an address is left to `server::start`.
bool is_taken(const serve_settings& settings) {
  if (settings.server.port == 0)
    return false;
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(settings.server.address.c_str(), std::to_string(settings.server.port).c_str(),
                    &hints, &found)
      != 0)
    return false;
  bool taken = false;
  if (const int probe = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0); probe >= 0) {
    const int yes = 1; // as the server will: a port whose last owner has just gone is free
    ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    taken = ::bind(probe, found->ai_addr, found->ai_addrlen) != 0 && errno == EADDRINUSE;
    ::close(probe);
  }
  ::freeaddrinfo(found);
  return taken;
}

/// Tasks that ran when the last process ended.
std::size_t interrupted_tasks(const recovered& left) {
  const auto runs = [](const auto& task) { return task.state == task_state::working; };
  std::size_t out =
      static_cast<std::size_t>(std::ranges::count_if(left.lone_tasks, [](const task_ptr& each) {
        return each->status.state == task_state::working;
      }));
  for (const auto& objective : left.objectives)
    for (const auto& plan : objective->plans)
      out += static_cast<std::size_t>(std::count_if(plan.tasks.begin(), plan.tasks.end(), runs));
  return out;
}

std::string describe_recovery(const recovered& recovered) {
  std::size_t tasks = recovered.lone_tasks.size();
  for (const auto& objective : recovered.objectives)
    for (const auto& plan : objective->plans)
      tasks += static_cast<std::size_t>(
          std::count_if(plan.tasks.begin(), plan.tasks.end(),
                        [](const task_summary& slot) { return !is_terminal(slot.state); }));
  const auto interrupted = interrupted_tasks(recovered);
  return "recovered " + counted(recovered.objectives.size(), "objective") + " with "
         + counted(tasks, "open task") + " (" + counted(recovered.events_replayed, "event")
         + " replayed)"
         + (interrupted == 0
                ? ""
                : "; " + counted(interrupted, "task") + (interrupted == 1 ? " was" : " were")
                      + " interrupted, and another attempt begins, if the agent "
                        "allows it");
}

/// `models: fast, local`, of the tables whose names begin so; empty if there are none.
std::string named_tables(const other_tables& tables, std::string_view kind) {
  std::string out;
  for (const auto& [name, text] : tables)
    if (name.size() > kind.size() && name.starts_with(kind) && name[kind.size()] == '.')
      out += (out.empty() ? std::string(kind) + ": " : ", ") + name.substr(kind.size() + 1);
  return out;
}

void log_start(const serve_settings& settings, const other_tables& tables,
               const agent_registry& agents, const server& http, const recovered& left) {
  const auto changed = changed_settings(settings);
  std::string names;
  for (const auto& each : agents.names())
    names += (names.empty() ? "" : ", ") + each;
  log_info("troupe " + std::string(version_number()) + "; "
           + (changed.empty() ? std::string("all settings have their defaults")
                              : "settings: " + changed));
  log_info("listening on " + http.url());
  if (!is_loopback(settings.server.address))
    log_warn(exposure_warning(settings.server.address, settings.commands_allowed));
  if (net::is_every_address(settings.server.address) && settings.server.card.url.empty())
    log_warn("the agent card says " + http.public_url() + ", because " + settings.server.address
             + " is no address for clients; --public-url says where they reach this server");
  log_info(settings.store.kind == store_kind::memory
               ? std::string("records in memory: nothing survives this process")
               : "records in " + settings.store.directory + " ("
                     + (settings.store.durability == durability::sync ? "sync)" : "async)"));
  if (settings.store.kind == store_kind::session_jsonl)
    log_info("the records are session files in " + settings.store.directory + "/sessions");
  else if (!settings.store.sessions.empty())
    log_info("session files of objectives in " + settings.store.sessions);
  if (const auto max = settings.server.memory->bytes_max(); max != memory_budget::unlimited)
    log_info("memory: at most " + std::to_string(max >> 20) + " MiB (limits.memory)");
  log_info("agents: " + names + "; default: " + agents.default_agent);
  for (const auto kind : {models_table, targets_table})
    if (const auto line = named_tables(tables, kind); !line.empty())
      log_info(line);
  if (!left.repaired.empty())
    log_warn("the record was repaired: " + left.repaired);
  log_info(describe_recovery(left));
}

/// Says what has changed with the session files.
class session_watch {
public:
  explicit session_watch(const store& records) : of_(sessions_beside(records)) {}

  void look() {
    if (of_ == nullptr)
      return;
    auto now = of_->sessions();
    if (now.problem != seen_.problem) {
      if (now.problem.empty())
        log_info("the session files in " + now.directory + " can be written again");
      else
        log_error("the session files cannot be written, " + counted(now.lag_groups, "group")
                  + " behind: " + now.problem);
    }
    if (now.loss != seen_.loss && !now.loss.empty())
      log_warn(now.loss);
    if (now.lost > seen_.lost)
      log_warn(counted(now.lost, "session") + " in " + now.directory + " not kept any more");
    seen_ = std::move(now);
  }

private:
  const keeps_sessions* const of_;
  session_status seen_;
};

/// Takes what can be taken of settings that have changed. `tables`: as they were at the start.
void reload(const serve_options& options, serve_settings& settings, const other_tables& tables) {
  std::error_code ignored;
  const auto file = std::filesystem::status(options.config_file, ignored);
  if (options.config_file == "-"
      || (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file)))
    return log_error("the configuration stays as it was: " + name_of_file(options.config_file)
                     + " is no file that can be read twice");
  const auto config = read_config_file(options.config_file);
  if (!config)
    return log_error("the configuration stays as it was: " + config.error().message);
  const auto fresh = effective_settings(options, *config);
  if (!fresh)
    return log_error("the configuration stays as it was: " + fresh.error().message);
  const auto fresh_tables = read_other_tables(config->text, config->name);
  if (!fresh_tables)
    return log_error("the configuration stays as it was: " + fresh_tables.error().message);
  const auto before = settings.log.level;
  const auto done = take_changes(settings, *fresh, tables, *fresh_tables);
  set_log_level(std::min(before, settings.log.level)); // The line is for who had, or has, it.
  log_info(done);
  set_log_level(settings.log.level);
}

/// What cannot be used changes nothing.
void renew_templates(const std::string& directory, gateway& to, server& http) {
  const auto texts = read_template_files(directory);
  auto done = texts ? to.set_templates(*texts) : result<void>(texts.error());
  if (done)
    done = http.renew_card();
  if (done)
    log_info("templates: " + std::to_string(to.templates().size()) + ", " + directory
             + " was read again");
  else
    log_error("the templates stay as they were: " + done.error().message);
}

/// Until it is asked to end; `renew` is called when it is asked to read its files again. Says when
/// the store stops to write, and when it goes on; and keeps a reserve of memory.
void serve_until_stopped(stop_signals& signals, store& records,
                         const std::function<void()>& renew) {
  bool writable = true;
  session_watch sessions{records};
  while (!signals.stop_requested()) {
    keep_memory_reserve();
    pollfd wake{signals.descriptor(), POLLIN, 0};
    ::poll(&wake, 1, static_cast<int>(std::chrono::milliseconds(serve_look_interval).count()));
    signals.clear();
    if (signals.take_reload())
      renew();
    const auto status = records.status();
    if (status.writable != writable) {
      writable = status.writable;
      if (writable)
        log_info("the store can write again");
      else
        log_error("the store cannot write: " + status.problem);
    }
    sessions.look();
  }
}

/// Lets running programs end until `until`, and says how many are interrupted.
void let_programs_end(const serve_settings& settings, time_source::steady_point until) {
  const auto running = [&] { return settings.programs->running.load(); };
  while (running() > 0 && system_time().steady() < until)
    ::poll(nullptr, 0, static_cast<int>(std::chrono::milliseconds(program_look_interval).count()));
  if (const auto left = running(); left > 0)
    log_warn(counted(left, "running program") + (left == 1 ? " is" : " are")
             + " interrupted; the next start goes on with another attempt of their tasks");
}

int start_and_serve(serve_settings& settings, const serve_options& options,
                    const other_tables& tables, const agent_registry& agents, store& records) {
  stop_signals signals({.one_within = 1s, .is_server = true});
  const auto life = make_life_log();
  if (is_taken(settings)) {
    const std::string where(std::get<std::string>(find_setting("listen")->get(settings)));
    complain(where
             + " is in use by another process; stop it, or choose another --listen HOST:PORT");
    return exit_failed;
  }
  auto left = records.recover();
  if (!left) {
    complain(left.error().message);
    return exit_failed;
  }
  auto how = settings.executor;
  how.warn = [](const std::string& line) { log_warn(line); };
  gateway main_gateway(records, agents, how);
  main_gateway.start();
  server http(main_gateway, settings.server);
  // Before anything else asks other agents.
  if (const auto delegating = std::dynamic_pointer_cast<a2a_agent>(agents.find("a2a")))
    delegating->deliver_cancels();
  records.watch_all(life);
  // Before listening: a client's first command must find what is live.
  main_gateway.resume(*left);
  if (auto port = http.start(); !port) {
    complain(port.error().message);
    return exit_failed;
  }
  log_start(settings, tables, agents, http, *left);
  left->objectives.clear();
  left->lone_tasks.clear();
  if (options.is_dev)
    say(welcome_text(version_number(), http.url()));
  serve_until_stopped(signals, records, [&] {
    reload(options, settings, tables);
    if (!settings.templates_directory.empty())
      renew_templates(settings.templates_directory, main_gateway, http);
  });
  settings.programs->is_closed = true;
  const auto running = settings.programs->running.load();
  log_info("draining: no new work is taken"
           + (running == 0 ? std::string{}
                           : "; " + counted(running, "program")
                                 + (running == 1 ? " runs and has " : " run and have ")
                                 + format_duration(settings.drain_bound) + " to end")
           + " (a second signal ends at once)");
  const auto until = system_time().steady() + settings.drain_bound;
  end_within(settings.drain_bound + close_bound, exit_failed,
             "the records could not be closed in time; what was acknowledged is safe, the rest is "
             "not recorded");
  main_gateway.drain();
  http.drain(settings.drain_bound);
  let_programs_end(settings, until);
  records.flush();
  log_info("stopped");
  return exit_ok;
}

} // namespace

int serve_command(const serve_options& options) {
  const auto config = read_config_file(options.config_file);
  if (!config) {
    complain(config.error().message);
    return exit_usage;
  }
  auto settings = effective_settings(options, *config);
  if (!settings) {
    complain(settings.error().message);
    return exit_usage;
  }
  const auto models = open_models(*config);
  if (!models) {
    complain(models.error().message);
    return exit_usage;
  }
  if (options.print_config) {
    const auto rows = read_model_rows(config->text, config->name);
    if (!rows) {
      complain(rows.error().message);
      return exit_usage;
    }
    return say(print_settings(*settings) + print_models(*rows)) ? exit_ok : exit_failed;
  }
  settings->programs = std::make_shared<program_gate>();
  const auto memory =
      std::make_shared<memory_budget>(memory_limit(settings->memory_bytes_max, memory_given()));
  settings->store.memory = settings->executor.memory = settings->server.memory = memory;
  const auto tables = read_other_tables(config->text, config->name);
  if (!tables) {
    complain(tables.error().message);
    return exit_usage;
  }
  auto agents = make_agents(*settings, *config, *models);
  if (!agents) {
    complain(agents.error().message);
    return exit_usage;
  }
  if (const auto planned = set_model_planner(*settings, *models, *agents); !planned) {
    complain(planned.error().message);
    return exit_usage;
  }
  if (auto taken = set_templates(*settings, *agents); !taken) {
    complain(taken.error().message);
    return exit_usage;
  }
  if (*models) {
    (*models)->log = [](const std::string& line) { log_info(line); };
    settings->server.models = [all = *models] { return health_of(*all); };
  }
  auto records = open_store(settings->store);
  if (!records) {
    const auto& why = records.error(); // It names the directory.
    complain(why.message
             + (why.code == errc::store_locked ? " See --data and --sessions-dir." : ""));
    return exit_failed;
  }
  if (*models && settings->store.kind != store_kind::memory)
    if (const auto kept = (*models)->keep_days(settings->store.directory + "/model-days.json");
        !kept) {
      complain(kept.error().message);
      return exit_usage;
    }
  set_up_log(settings->log);
  settings->server.warn = [](std::string_view line) { log_warn(line); };
  if (settings->agent == "a2a" && settings->a2a_target.empty())
    log_warn("agents.a2a-target is not set: messages without a plan are rejected");
  if (!settings->a2a_proxy.empty() && !settings->private_urls_allowed)
    log_warn("agents.a2a-proxy: URLs in plans are reached over a proxy, so that their addresses "
             "cannot be checked");
  settings->server.push.warn = settings->server.warn;
  if (settings->log.level == log_level::debug) {
    settings->server.debug = [](std::string_view line) { log_debug(line); };
    settings->server.push.debug = settings->server.debug;
  }
  settings->server.push.user_agent = "troupe/" + std::string(version_number());
  const int code = start_and_serve(*settings, options, *tables, *agents, **records);
  shut_down_log();
  return code;
}

} // namespace troupe
