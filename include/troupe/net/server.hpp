// The HTTP server: A2A and the OPT extension over JSON-RPC, the agent card, health. Used by `troupe
// serve` and by programs that embed Troupe. Runs its own threads; every member may be called from
// any other thread.
#pragma once

#include <troupe/actors/gateway.hpp>
#include <troupe/net/server_options.hpp>
#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace troupe {

/// What is open at present.
struct server_load {
  std::size_t connections = 0;
  std::size_t streams = 0;
  std::size_t requests_in_flight = 0;
  std::size_t body_bytes = 0;   ///< Of long request bodies that are being read (memory_budget).
  std::size_t answer_bytes = 0; ///< Of long answers that wait for their readers, the same.
  std::size_t stream_bytes = 0; ///< Of what waits for the readers of streams, the same.
};

class server {
public:
  /// `main_gateway` outlives the server.
  server(gateway& main_gateway, server_options options);
  /// Closes everything at once. Call `drain` before, so that requests can end.
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// Listens, and serves from now on. Returns the port. Errors: unavailable (port in use, address
  /// unknown or not of this machine; the message says what to do), and options or a card
  /// that cannot be used (invalid_params, unavailable: its key).
  [[nodiscard]] result<std::uint16_t> start();

  /// Makes the agent card anew, with the templates that the gateway has now. After `start`. Errors:
  /// those of a card that cannot be used; then the old one stays.
  [[nodiscard]] result<void> renew_card();

  /// Stops accepting; new work gets 503, streams end with an error event, blocking sends answer
  /// with the task as it is. Returns when every connection is closed. Connections that are still
  /// open after `bound` are cut off.
  void drain(std::chrono::milliseconds bound);

  [[nodiscard]] server_load load() const noexcept;
  /// Where the agent card says that clients reach it; empty before `start`.
  [[nodiscard]] std::string public_url() const;
  /// `http://<address>:<port>/` as it listens; empty before `start`.
  [[nodiscard]] std::string url() const;

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace troupe
