#include "apps/settings/settings.hpp"

#include "apps/settings/push_settings.hpp"
#include "apps/settings/setting_kinds.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"
#include <troupe/protocol/trace.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace troupe {

namespace {

using namespace setting_kinds;

result<void> set_listen(serve_settings& to, const setting_value& value) {
  const auto* given = std::get_if<std::string>(&value);
  const auto problem = [] {
    return refusal("must be HOST:PORT, e.g. 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:0");
  };
  if (given == nullptr)
    return problem();
  const auto colon = given->rfind(':');
  if (colon == std::string::npos || colon == 0)
    return problem();
  std::string host = given->substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos)
    return problem();
  const std::string port = given->substr(colon + 1);
  std::uint16_t parsed = 0;
  const auto [end, ec] = std::from_chars(port.data(), port.data() + port.size(), parsed);
  if (ec != std::errc{} || end != port.data() + port.size())
    return problem();
  to.server.address = std::move(host);
  to.server.port = parsed;
  return {};
}

setting_value get_listen(const serve_settings& from) {
  const auto& host = from.server.address;
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(from.server.port);
}

result<void> set_time_scale(serve_settings& to, const setting_value& value) {
  const double given = real_number(value);
  if (!(given >= 0) || given > 1e6)
    return refusal("must be a number between 0 and 1000000");
  to.executor.time_scale = given;
  return {};
}

// A setting a line or two; clang-format 14 dies of these tables.
// clang-format off
using log_names = std::array<std::pair<std::string_view, log_level>, 5>;

std::vector<setting> general() {
  return {
    {"listen", "address and port; port 0 takes a free one", set_listen, get_listen},
    text("data", "directory of the records", [](auto& s) -> auto& { return s.store.directory; }),
    choice<store_kind, 3>("store", "memory (nothing survives the process), rocksdb, or session-jsonl (session files)",
                          [](auto& s) -> auto& { return s.store.kind; },
                          {{{"memory", store_kind::memory},
                            {"rocksdb", store_kind::rocksdb},
                            {"session-jsonl", store_kind::session_jsonl}}}),
    choice<durability, 2>("durability", "sync survives power loss, async survives kill -9",
                          [](auto& s) -> auto& { return s.store.durability; },
                          {{{"sync", durability::sync}, {"async", durability::async}}}),
    text("agent", "does plain messages and tasks that name no agent; conformance: for conformance kits", [](auto& s) -> auto& { return s.agent; }),
    number<std::uint32_t>("max-parallel", "tasks of a new objective at once, whatever it asks for; 0 = no limit",
                          [](auto& s) -> auto& { return s.executor.parallel_max; }, 0),
    {"time-scale", "multiplies the times of agents that only wait", set_time_scale,
     [](const serve_settings& s) -> setting_value { return s.executor.time_scale; }},
    number<std::uint32_t>("deduplicate-seconds", "how long a message sent again leads to the same task; 0 = off",
                          [](auto& s) -> auto& { return s.executor.deduplicate_seconds; }, 0),
    reloadable(seconds<std::chrono::milliseconds>("drain-seconds", "how long running programs and open connections may take at the end",
                                                  [](auto& s) -> auto& { return s.drain_bound; })),
    seconds<std::chrono::seconds>("evict-seconds", "how long an ended objective is kept in memory",
                                  [](auto& s) -> auto& { return s.executor.settled_linger; }),
    reloadable(choice<log_level, 5>("log-level", "debug, info, warn, error or off", [](auto& s) -> auto& { return s.log.level; },
                         log_names{{{"debug", log_level::debug},
                                    {"info", log_level::info},
                                    {"warn", log_level::warn},
                                    {"error", log_level::error},
                                    {"off", log_level::off}}})),
    choice<log_format, 2>("log-format", "text or json", [](auto& s) -> auto& { return s.log.format; },
                          {{{"text", log_format::text}, {"json", log_format::json}}}),
    truth("lenient-version", "take requests without an A2A-Version header as 1.0",
          [](auto& s) -> auto& { return s.server.lenient_version; }),
    texts("allowed-hosts", "hosts under which clients ask, besides localhost, IP addresses, the listen address and card.url; *.example.org = all below it, * = any",
          [](auto& s) -> auto& { return s.server.allowed_hosts; }),
    text("cors-origins", "whose pages may call this server from a browser: origins separated by commas, or *",
         [](auto& s) -> auto& { return s.server.cors_origins; }),
    number<std::size_t>("http-threads", "threads that serve HTTP; 0 = one per core",
                        [](auto& s) -> auto& { return s.server.threads; }, 0),
    number<std::size_t>("actor-threads", "threads that run actors; 0 = one per core",
                        [](auto& s) -> auto& { return s.executor.threads; }, 0),
  };
}

std::vector<setting> card() {
  return {
    text("card.name", "the agent card's name", [](auto& s) -> auto& { return s.server.card.name; }),
    text("card.description", "the agent card's description", [](auto& s) -> auto& { return s.server.card.description; }),
    text("card.url", "where clients reach this server; empty = as it listens", [](auto& s) -> auto& { return s.server.card.url; }),
    text("card.version", "the agent card's version", [](auto& s) -> auto& { return s.server.card.version; }),
    text("card.documentation-url", "where to read more", [](auto& s) -> auto& { return s.server.card.documentation_url; }),
    text("card.icon-url", "a picture", [](auto& s) -> auto& { return s.server.card.icon_url; }),
    choice<card_shape, 2>("card.default", "for clients that name no version: superset (1.0 and 0.3) or pure10",
                          [](auto& s) -> auto& { return s.server.card.unasked; },
                          {{{"superset", card_shape::superset}, {"pure10", card_shape::pure_1_0}}}),
    whole_seconds("card.max-age", "how long caches may keep the card", [](auto& s) -> auto& { return s.server.card.max_age; },
                  net::card_max_age_min, net::card_max_age_max),
    text("card.provider.organization", "who runs this server", [](auto& s) -> auto& { return s.server.card.provider.organization; }),
    text("card.provider.url", "and where to find them", [](auto& s) -> auto& { return s.server.card.provider.url; }),
    text("card.signing.key", "file of a private key (PEM: P-256, RSA or Ed25519) that signs the card; empty = it is not signed",
         [](auto& s) -> auto& { return s.server.card.signing.key_file; }),
    text("card.signing.kid", "what verifiers know the key by", [](auto& s) -> auto& { return s.server.card.signing.kid; }),
    text("card.signing.jku", "where the public key is published", [](auto& s) -> auto& { return s.server.card.signing.jku; }),
    truth("card.signing.python-compatible", "a second signature, as the Python SDK verifies it",
          [](auto& s) -> auto& { return s.server.card.signing.python_compatible; }),
    texts("card.extended.tokens", "bearer tokens of those who may read the extended card; none = there is none",
          [](auto& s) -> auto& { return s.server.card.extended.tokens; }, true),
    text("card.extended.description", "the extended card's description; empty = the card's",
         [](auto& s) -> auto& { return s.server.card.extended.description; }),
    skills("card.skill", "what the card says this server can do; none = a skill for each agent",
           [](auto& s) -> auto& { return s.server.card.skills; }),
    skills("card.extended.skill", "what the extended card says besides", [](auto& s) -> auto& { return s.server.card.extended.skills; }),
  };
}

std::vector<setting> tables() {
  return {
    text("sessions.dir", "where the session files of objectives are kept beside the store; empty = nowhere",
         [](auto& s) -> auto& { return s.store.sessions; }),
    truth("agents.command", "the command agent: any client of the server may then run any program as its user",
          [](auto& s) -> auto& { return s.commands_allowed; }),
    number<std::uint32_t>("agents.command-parallel", "commands at once; 0 = one per core",
                          [](auto& s) -> auto& { return s.command_parallel_max; }, 0),
    text("agents.a2a-target", "the a2a agent: the alias of the target of plain messages, and of tasks that name none; empty = they are rejected",
         [](auto& s) -> auto& { return s.a2a_target; }),
    truth("agents.a2a-allow-private", "the a2a agent: URLs in plans may lead to private and loopback addresses; targets always may",
          [](auto& s) -> auto& { return s.private_urls_allowed; }),
    text("agents.a2a-proxy", "for targets without a proxy of their own, and for URLs in plans: as push.proxy",
         [](auto& s) -> auto& { return s.a2a_proxy; }, true),
    number<std::size_t>("agents.a2a-max-hops", "the a2a agent: servers through which a task may go, this one included; at most 16",
                        [](auto& s) -> auto& { return s.hops_max; }, 1, trace_path_max),
    seconds<std::chrono::milliseconds>("agents.a2a-lost-after", "the a2a agent: without any answer of a remote agent for so long its task fails, and may be tried again",
                                       [](auto& s) -> auto& { return s.lost_after; }),
    texts("agents.pass-env", "variables of the server that commands get if they ask for them (envAllow); * = all",
          [](auto& s) -> auto& { return s.variables_passed; }),
    text("agents.llm-model", "the llm agent: the model of tasks that name none; empty = the only one",
         [](auto& s) -> auto& { return s.llm_model; }),
    truth("agents.llm-direct", "the llm agent, if it is the default: answers a short question with a message, without a task, if it takes no longer than planner.answer-seconds",
          [](auto& s) -> auto& { return s.llm_answers_directly; }),
    truth("planner.enabled", "texts of clients that activate the extension for objectives may become plans (docs/planner.md)",
          [](auto& s) -> auto& { return s.executor.planning.is_on; }),
    seconds<std::chrono::milliseconds>("planner.answer-seconds", "how long an agent may take for a direct answer",
                                       [](auto& s) -> auto& { return s.executor.planning.answer_budget; }),
    text("planner.templates", "a directory of templates beside those of the program; read again on SIGHUP; empty = none",
         [](auto& s) -> auto& { return s.templates_directory; }),
    text("planner.model", "the model (docs/models.md) that plans what templates and the grammar do not; empty = none",
         [](auto& s) -> auto& { return s.planner_model; }),
    texts("planner.agents", "the agents that tasks of a model's plan may name, or let work; never command",
          [](auto& s) -> auto& { return s.executor.planning.agents; }),
    seconds<std::chrono::milliseconds>("planner.model-seconds", "how long the model may take for a plan",
                                       [](auto& s) -> auto& { return s.executor.planning.budget; }),
    number<std::uint64_t>("limits.body-bytes", "above: 413", [](auto& s) -> auto& { return s.server.body_bytes_max; }, 1024),
    number<std::size_t>("limits.body-bytes-total", "of all long bodies being read; above: 429",
                        [](auto& s) -> auto& { return s.server.body_bytes_total_max; }, 1024),
    number<std::size_t>("limits.answer-bytes-total", "of all long answers that wait for their readers; above: 429",
                        [](auto& s) -> auto& { return s.server.answer_bytes_total_max; }, 1024),
    number<std::uint32_t>("limits.header-bytes", "above: 431", [](auto& s) -> auto& { return s.server.header_bytes_max; }, 1024),
    number<std::size_t>("limits.json-depth", "nesting of a body", [](auto& s) -> auto& { return s.server.json_depth_max; }, 8),
    number<std::size_t>("limits.connections", "above: 503", [](auto& s) -> auto& { return s.server.connections_max; }, 1),
    number<std::size_t>("limits.streams", "above: 429", [](auto& s) -> auto& { return s.server.streams_max; }, 1),
    number<std::size_t>("limits.requests-in-flight", "above: 429",
                        [](auto& s) -> auto& { return s.server.requests_in_flight_max; }, 1),
    number<std::uint32_t>("limits.client-share", "percent of limits.connections, limits.streams and limits.requests-in-flight that one client address may have (of IPv6 its /64); above: the same answer as above that limit; 0: one address may have all, for a server behind a proxy",
                          [](auto& s) -> auto& { return s.server.client_share_percent; }, 0, 100),
    number<std::size_t>("limits.stream-events", "waiting for a slow reader; above: read from the history",
                        [](auto& s) -> auto& { return s.server.stream_events_max; }, 1),
    number<std::size_t>("limits.stream-bytes", "the same in bytes", [](auto& s) -> auto& { return s.server.stream_bytes_max; }, 1024),
    number<std::size_t>("limits.stream-bytes-total", "of all that waits for the readers of streams; above: the slowest reader is cut, new streams get 429",
                        [](auto& s) -> auto& { return s.server.stream_bytes_total_max; }, 1024),
    number<std::size_t>("limits.live-tasks", "above: new work is refused",
                        [](auto& s) -> auto& { return s.executor.live_tasks_max; }, 1),
    number<std::size_t>("limits.live-bytes", "what live work was given: plans with their indexes, messages, artifacts that orders refer to, 2,000 bytes for each task; above: new work is refused",
                        [](auto& s) -> auto& { return s.executor.live_bytes_max; }, 1),
    number<std::size_t>("limits.backlog-changes", "waiting for the disk; above: new work is refused",
                        [](auto& s) -> auto& { return s.executor.backlog_changes_max; }, 1),
    number<std::size_t>("limits.backlog-bytes", "the same in bytes",
                        [](auto& s) -> auto& { return s.executor.backlog_bytes_max; }, 1),
    number<std::size_t>("limits.objective-bytes", "what the tasks of one objective may make; above: the task fails; 0 = a quarter of limits.memory, at most 1 GiB",
                        [](auto& s) -> auto& { return s.executor.objective_bytes_max; }, 0),
    number<std::size_t>("limits.memory", "bytes that the process may hold in all (docs/a2a.md, Memory); 0 = 60 % of what the machine or its control group gives",
                        [](auto& s) -> auto& { return s.memory_bytes_max; }, 0),
    seconds<std::chrono::milliseconds>("timeouts.header", "for a request's headers; then 408",
                                       [](auto& s) -> auto& { return s.server.header_timeout; }),
    seconds<std::chrono::milliseconds>("timeouts.body", "for a request's body; then 408",
                                       [](auto& s) -> auto& { return s.server.body_timeout; }),
    seconds<std::chrono::milliseconds>("timeouts.idle", "of a silent connection",
                                       [](auto& s) -> auto& { return s.server.idle_timeout; }),
    seconds<std::chrono::milliseconds>("timeouts.write", "for a reader that does not read",
                                       [](auto& s) -> auto& { return s.server.write_timeout; }),
    seconds<std::chrono::milliseconds>("timeouts.blocking-wait", "of a blocking SendMessage",
                                       [](auto& s) -> auto& { return s.server.blocking_wait_max; }),
    seconds<std::chrono::milliseconds>("timeouts.disk-wait", "of a command for a disk that takes nothing; then 503",
                                       [](auto& s) -> auto& { return s.server.disk_wait_max; }),
    seconds<std::chrono::milliseconds>("timeouts.keep-alive", "between two comments on a silent stream",
                                       [](auto& s) -> auto& { return s.server.keep_alive_interval; }),
    seconds<std::chrono::milliseconds>("timeouts.cancel-grace", "for a canceled agent to stop",
                                       [](auto& s) -> auto& { return s.executor.cancel_grace; }),
    seconds<std::chrono::milliseconds>("timeouts.cancel-wait", "of the answer to a cancel for the agents elsewhere that do the work",
                                       [](auto& s) -> auto& { return s.cancel_wait; }),
  };
}

// clang-format on

text_list split_at_commas(std::string_view text) {
  text_list out;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

std::string shown(const text_cell& cell) {
  return std::visit([](const auto& inner) { return toml_of(setting_value(inner)); }, cell);
}

/// `[[key]]` for each row; without rows a comment that says what could stand there.
std::string shown_rows(const setting& each, const text_rows& rows) {
  std::string out = "\n# [[" + std::string(each.key) + "]]: " + std::string(each.help) + "\n";
  for (const auto& row : rows) {
    out += "[[" + std::string(each.key) + "]]\n";
    for (const auto& [key, cell] : row)
      out += key + " = " + shown(cell) + "\n";
  }
  return out;
}

} // namespace

const std::vector<setting>& all_settings() {
  static const std::vector<setting> all = [] {
    auto out = general();
    for (auto& more : {card(), tables(), push_settings()})
      out.insert(out.end(), more.begin(), more.end());
    return out;
  }();
  return all;
}

const setting* find_setting(std::string_view key) {
  const auto& all = all_settings();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const setting& each) { return each.key == key; });
  return found == all.end() ? nullptr : &*found;
}

std::string_view similar_setting(std::string_view key) {
  constexpr std::size_t key_bytes_max = 100; // a longer one is like nothing
  if (key.size() > key_bytes_max)
    return {};
  std::string_view best;
  std::size_t least = 4; // more edits than this are another word
  for (const auto& each : all_settings()) {
    // The last word alone counts too: "streams" at the top level means "limits.streams".
    const auto dot = each.key.rfind('.');
    const auto word = dot == std::string_view::npos ? each.key : each.key.substr(dot + 1);
    const std::size_t distance =
        std::min(edit_distance(key, each.key), edit_distance(key, word) + 1);
    if (distance < least && distance < key.size()) {
      least = distance;
      best = each.key;
    }
  }
  return best;
}

result<void> set_from_text(serve_settings& to, std::string_view key,
                           const std::string& text_given) {
  const auto* known = find_setting(key);
  if (known == nullptr)
    return refusal("there is no setting " + std::string(key));
  setting_value value = text_given;
  const auto current = known->get(to);
  if (std::holds_alternative<text_list>(current)) {
    value = split_at_commas(text_given);
  } else if (!std::holds_alternative<std::string>(current)) {
    const char* const end = text_given.data() + text_given.size();
    std::int64_t whole = 0;
    double real = 0;
    if (text_given == "true" || text_given == "false")
      value = text_given == "true";
    else if (const auto r = std::from_chars(text_given.data(), end, whole);
             r.ec == std::errc{} && r.ptr == end)
      value = whole;
    else if (const auto f = std::from_chars(text_given.data(), end, real);
             f.ec == std::errc{} && f.ptr == end)
      value = real;
  }
  if (auto done = known->set(to, value); !done)
    return refusal("--" + std::string(key) + " " + done.error().message + ", not "
                   + troupe::quoted(text_given));
  return {};
}

std::vector<std::string_view> differences(const serve_settings& a, const serve_settings& b) {
  std::vector<std::string_view> out;
  for (const auto& each : all_settings())
    if (each.get(a) != each.get(b))
      out.push_back(each.key);
  return out;
}

/// Texts are quoted as in JSON: a TOML basic string escapes alike (TOML 1.0, "String").
std::string toml_of(const setting_value& value) {
  if (const auto* truth = std::get_if<bool>(&value))
    return *truth ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) {
    std::array<char, 40> buffer{};
    const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *real);
    std::string out(buffer.data(), end);
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
  }
  if (const auto* list = std::get_if<text_list>(&value)) {
    std::string out;
    for (const auto& each : *list)
      out += (out.empty() ? "" : ", ") + troupe::quoted(each);
    return "[" + out + "]";
  }
  return troupe::quoted(std::get<std::string>(value));
}

std::string shown_value(const setting& which, const serve_settings& serve_settings) {
  const auto value = which.get(serve_settings);
  if (const auto* rows = std::get_if<text_rows>(&value))
    return std::to_string(rows->size());
  return toml_of(value);
}

std::string changed_settings(const serve_settings& serve_settings) {
  std::string out;
  for (const auto key : differences(serve_settings, troupe::serve_settings{})) {
    const auto& which = *find_setting(key);
    out += (out.empty() ? "" : ", ") + std::string(key)
           + (which.is_secret ? " is set" : " = " + shown_value(which, serve_settings));
  }
  return out;
}

std::string print_settings(const serve_settings& serve_settings) {
  std::string out;
  std::string table;
  for (const auto& each : all_settings()) {
    std::string_view key = each.key;
    const auto value = each.get(serve_settings);
    if (const auto* rows = std::get_if<text_rows>(&value)) {
      out += shown_rows(each, *rows);
      table = each.key;
      continue;
    }
    if (const auto dot = key.rfind('.'); dot != std::string_view::npos) {
      if (table != key.substr(0, dot)) {
        table = key.substr(0, dot);
        out += "\n[" + table + "]\n";
      }
      key.remove_prefix(dot + 1);
    }
    const auto text = toml_of(value);
    const bool is_hidden = each.is_secret && text != "[]" && text != "\"\"";
    const std::string name(key);
    out += "# " + std::string(each.help) + "\n"
           + (is_hidden ? "# set, and not shown: " + name : name + " = " + text) + "\n";
  }
  return out;
}

} // namespace troupe
