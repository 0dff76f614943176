// What an operator may set about the HTTP side. Plain values; defaults and reasons stand in net/limits.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "net/limits.hpp"
#include "protocol/time.hpp"

namespace troupe {

/// What the Agent Card says about this server (a2a-wire 1.6). Skills come from the agents.
struct card_options {
  std::string name = "Troupe";
  std::string description = "Runs plans: objectives, plans and tasks with their dependencies, done by agents.";
  std::string url;               ///< Where clients reach JSON-RPC; empty: `http://<address>:<port>/`.
  std::string version = "0.1.0"; ///< Of the agent, not of the protocol.
  bool persistent = false;       ///< `persistenceEnabled` of the OPT extension: the store outlives the process.
  std::uint32_t plans_per_objective_max = 10'000; ///< `maxPlansPerObjective`.
  std::uint32_t tasks_per_plan_max = 1'000'000;   ///< `maxTasksPerPlan`.
};

struct server_options {
  std::string address = "127.0.0.1"; ///< An IP address or a name that resolves to one.
  std::uint16_t port = 8080;         ///< 0: any free one; `server::start` returns it.
  std::size_t threads = 0;           ///< Each with its own connections; 0 = one per core.
  card_options card;
  /// Serves PascalCase methods without an `A2A-Version` header as 1.0 instead of refusing them (a2a-wire D1).
  bool lenient_version = false;

  /// Whose pages may call this server from a browser (CORS): origins separated by commas, or `*`. Empty: nobody's.
  std::string cors_origins;

  std::uint64_t body_bytes_max = net::body_bytes_max;
  std::uint32_t header_bytes_max = net::header_bytes_max;
  std::size_t json_depth_max = net::json_depth_max;
  std::size_t connections_max = net::connections_max;
  std::size_t streams_max = net::streams_max;
  std::size_t requests_in_flight_max = net::requests_in_flight_max;
  std::size_t stream_events_max = net::stream_events_max;
  std::size_t stream_bytes_max = net::stream_bytes_max;

  std::chrono::milliseconds header_timeout = net::header_timeout;
  std::chrono::milliseconds body_timeout = net::body_timeout;
  std::chrono::milliseconds idle_timeout = net::idle_timeout;
  std::chrono::milliseconds write_timeout = net::write_timeout;
  std::chrono::milliseconds blocking_wait_max = net::blocking_wait_max;
  std::chrono::milliseconds keep_alive_interval = net::keep_alive_interval;
  std::chrono::milliseconds drain_idle_grace = net::drain_idle_grace;

  clock_fn now = &system_now; ///< For `Date` headers and the times in errors.
};

} // namespace troupe
