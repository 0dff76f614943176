// The options of an operator for push notifications. Plain values; docs/push.md describes them
// together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// To which addresses notifications may go, beside public addresses over https
/// (net/push/push_address.hpp).
struct push_address_rules {
  bool allow_http = false;    ///< Plain http.
  bool allow_private = false; ///< Addresses of every class but multicast and broadcast.
  /// If not empty: only these hosts, and these also if their addresses are private. A name, or
  /// `*.example.org` for all names below it; an IP address as in the URL, without brackets.
  std::vector<std::string> allow_hosts;
};

/// A further header with which receivers verify the sender and the body (docs/push.md).
struct push_signing {
  std::string key_file = {}; ///< Of a private key (keys.hpp), PEM.
  std::string key_pem = {};  ///< The key itself, instead of a file. Both empty: nothing is signed.
  std::string key_id = {};   ///< `kid` of the JWT's header; may be empty.
  std::string issuer = {};   ///< `iss`; empty: "troupe".
};

struct push_options {
  /// Off: every method answers errc::push_not_supported, and the card says so.
  bool enabled = true;
  push_address_rules address;
  push_signing signing;
  /// Of 1.0 notifications; 0.3 has application/json (docs/a2a.md, D13).
  std::string content_type = "application/a2a+json";
  std::string user_agent = "troupe";
  /// Over which notifications go: empty for none, `env`, or a URL (client/proxy.hpp). Behind one
  /// the addresses of receivers are not checked.
  std::string proxy = {};

  /// Of one attempt, name resolution and connecting included.
  std::chrono::milliseconds timeout{15'000};
  /// Before the second attempt; doubles with each further one.
  std::chrono::milliseconds retry_first{1'000};
  /// The longest wait; a longer Retry-After is cut to it.
  std::chrono::milliseconds retry_max{300'000};
  /// Consecutive; then the configuration is stopped.
  std::uint32_t failures_max = 10;
  std::size_t parallel_max = 64; ///< Attempts at once, over all configurations.
  /// The same to one host, whatever the port, so that a slow host does not delay others. A host
  /// that did not answer the last time within a quarter of `timeout`, or was never asked, takes a
  /// quarter of it, and all of these hosts together half of `parallel_max`.
  std::size_t parallel_per_host_max = 8;
  /// Changes that wait in memory, per configuration; further ones are read from the history.
  std::size_t queue_changes_max = 256;
  /// After this time a configuration that is stopped is deleted.
  std::chrono::seconds keep_stopped{86'400};

  /// Takes a line for the log; never with a token or credentials. May be empty.
  std::function<void(std::string_view)> warn;
  /// The same for each attempt. If it is empty, no line is made.
  std::function<void(std::string_view)> debug;
};

} // namespace troupe
