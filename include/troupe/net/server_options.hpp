// The options of an operator for the HTTP side. Plain values; defaults and reasons are in
// include/troupe/net/limits.hpp.
#pragma once

#include <troupe/net/limits.hpp>
#include <troupe/net/push_options.hpp>
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The extended card: only clients with one of `tokens` read it (A2A 1.0 section 13.3).
struct extended_card_options {
  /// Bearer tokens, one for each client; empty: there is no extended card. Never logged.
  std::vector<std::string> tokens;
  std::string description;         ///< Instead of the public card's; empty: the same.
  std::vector<agent_skill> skills; ///< Added to those of the public card.
};

/// JWS over the card (A2A 1.0 section 8.4).
struct card_signing_options {
  std::string key_file; ///< A private key (keys.hpp) in PEM; empty: the card is not signed.
  std::string kid;      ///< The name of the key for verifiers. Required with a key.
  std::string jku;      ///< Where the public key is published; may be empty.
  bool python_compatible = false; ///< A second signature, as the Python SDK verifies it.
};

/// What the Agent Card says about this server (A2A 1.0 section 4.4.1).
struct card_options {
  std::string name = "Troupe";
  std::string description =
      "Runs plans: objectives, plans and tasks with their dependencies, done by agents.";
  /// Where clients reach this server; empty: `http://<address>:<port>/`.
  std::string url;
  std::string version = "0.1.0"; ///< Of the agent, not of the protocol.
  agent_provider provider;       ///< Both or neither.
  std::string documentation_url;
  std::string icon_url;
  std::vector<agent_skill> skills; ///< Empty: one for each agent.
  /// `persistenceEnabled` of the OPT extension: the store outlives the process.
  bool persistent = false;
  /// For requests that name no version: superset or pure_1_0 (docs/a2a.md, D2).
  card_shape unasked = card_shape::superset;
  std::chrono::seconds max_age = net::card_max_age;
  extended_card_options extended;
  card_signing_options signing;
};

/// How a language model does, for `/readyz`.
struct model_health {
  std::string name;
  std::string breaker;                 ///< `closed`, `open` or `half-open`.
  std::optional<timestamp> since;      ///< When it left `closed`.
  std::optional<timestamp> next_probe; ///< From when on its server is asked again.
};

struct server_options {
  std::string address = "127.0.0.1"; ///< An IP address or a name that resolves to one.
  std::uint16_t port = 8080;         ///< 0: any free one; `server::start` returns it.
  std::size_t threads = 0;           ///< Each with its own connections; 0 = one per core.
  card_options card;
  /// Serves PascalCase methods without an `A2A-Version` header as 1.0 instead of refusing them
  /// (docs/a2a.md, D1).
  bool lenient_version = false;

  /// Hosts, besides those of docs/a2a.md ("Who may ask"), under which clients ask this server:
  /// names and addresses without port; `*.example.org` is all below it, `*` every host.
  std::vector<std::string> allowed_hosts;
  /// The web pages that may call this server from a browser (CORS): origins separated by commas, or
  /// `*`. Empty: none.
  std::string cors_origins;

  // An error that one of these caused names it as the settings do: `limits.body-bytes`,
  // `timeouts.header`.
  std::uint64_t body_bytes_max = net::body_bytes_max;
  std::size_t body_bytes_total_max = net::body_bytes_total_max;
  std::size_t answer_bytes_total_max = net::answer_bytes_total_max;
  std::uint32_t header_bytes_max = net::header_bytes_max;
  std::size_t json_depth_max = net::json_depth_max;
  std::size_t connections_max = net::connections_max;
  std::size_t streams_max = net::streams_max;
  std::size_t requests_in_flight_max = net::requests_in_flight_max;
  /// Percent of these three that one address may have, up to 100; 0: all (limits.client-share).
  std::uint32_t client_share_percent = net::client_share_percent;
  std::size_t stream_events_max = net::stream_events_max;
  std::size_t stream_bytes_max = net::stream_bytes_max;
  std::size_t stream_bytes_total_max = net::stream_bytes_total_max;

  /// What the process may hold in memory. Null: the budget of the gateway.
  memory_budget_ptr memory{};

  std::chrono::milliseconds header_timeout = net::header_timeout;
  std::chrono::milliseconds body_timeout = net::body_timeout;
  std::chrono::milliseconds idle_timeout = net::idle_timeout;
  std::chrono::milliseconds write_timeout = net::write_timeout;
  std::chrono::milliseconds answer_grace = net::answer_grace;
  std::chrono::milliseconds blocking_wait_max = net::blocking_wait_max;
  std::chrono::milliseconds disk_wait_max = net::disk_wait_max;
  std::chrono::milliseconds keep_alive_interval = net::keep_alive_interval;
  std::chrono::milliseconds drain_idle_grace = net::drain_idle_grace;

  push_options push; ///< Notifications.

  /// The language models of this server, for `/readyz`. Called on any thread; must not block. May
  /// be empty.
  std::function<std::vector<model_health>()> models;

  /// Takes a line for the log: a request that ended because of a fault of the server, connections
  /// that cannot be accepted. Called on any thread. May be empty.
  std::function<void(std::string_view)> warn;
  /// The same for each request that was answered. If it is empty, no line is made.
  std::function<void(std::string_view)> debug;

  /// For `Date` headers, times in errors, deadlines and timers. It outlives the server.
  const time_source* time = &system_time();
};

} // namespace troupe
