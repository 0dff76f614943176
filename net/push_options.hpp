// What an operator may set about push notifications. Plain values; what they mean together stands in docs/push.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/time.hpp"

namespace troupe {

/// Where notifications may go, beside public addresses over https (net/push_address.hpp).
struct push_address_rules {
  bool allow_http = false;    ///< Plain http.
  bool allow_private = false; ///< Addresses of every class but multicast and broadcast.
  /// If not empty: only these hosts, and these also if their addresses are private. A name, or `*.example.org` for all below it;
  /// an IP address as it stands in the URL, without brackets.
  std::vector<std::string> allow_hosts;
};

/// A further header that lets receivers verify who sent what (docs/push.md).
struct push_signing {
  std::string key_file = {}; ///< Of an EC private key on P-256, PEM.
  std::string key_pem = {};  ///< The key itself, instead. Both empty: nothing is signed.
  std::string key_id = {};   ///< `kid` of the JWT's header; may be empty.
  std::string issuer = {};   ///< `iss`; empty: "troupe".
};

struct push_options {
  bool enabled = true; ///< Off: every method answers errc::push_not_supported, and the card says so.
  push_address_rules address;
  push_signing signing;
  std::string content_type = "application/a2a+json"; ///< Of 1.0 notifications; 0.3 has application/json (docs/a2a.md, D13).
  std::string user_agent = "troupe";

  std::chrono::milliseconds timeout{15'000};        ///< Of one attempt, name resolution and connecting included.
  std::chrono::milliseconds retry_first{1'000};     ///< Before the second attempt; doubles with each further one.
  std::chrono::milliseconds retry_max{300'000};     ///< Above it waiting grows no more; also the most that Retry-After is believed.
  std::uint32_t failures_max = 10;                  ///< Consecutive; then the configuration is stopped.
  std::size_t parallel_max = 64;                    ///< Attempts at once, over all configurations.
  std::size_t parallel_per_host_max = 8;            ///< The same to one host and port, so that a slow one holds up nobody else.
  std::size_t queue_changes_max = 256;              ///< Waiting in memory, per configuration; beyond, they are read from the journal.
  std::chrono::seconds keep_stopped{86'400};        ///< Then a configuration that sends nothing any more is forgotten.

  clock_fn now = &system_now;
  /// What people should know, one line each; never a token or credentials. May be empty.
  std::function<void(std::string_view)> warn;
};

} // namespace troupe
