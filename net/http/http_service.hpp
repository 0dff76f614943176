// What all connections of one server share, as far as HTTP is concerned: the options, the counters
// behind the process-wide limits, and the function that answers a request.
#pragma once

#include "net/http/counted.hpp"
#include "net/http/exchange.hpp"
#include "net/http/stream_budget.hpp"
#include <troupe/net/server_options.hpp>

#include <atomic>
#include <cstddef>
#include <utility>

namespace troupe::net {

class http_service {
public:
  explicit http_service(server_options how)
      : options(std::move(how)), stream_bytes(options.stream_bytes_total_max) {}
  http_service(const http_service&) = delete;
  http_service& operator=(const http_service&) = delete;
  virtual ~http_service() = default;

  /// Answers at once and returns an invalid awaitable, or returns what has to be awaited.
  [[nodiscard]] virtual awaitable<void> serve(http_exchange& exchange) = 0;

  const server_options options;
  stream_budget stream_bytes; ///< Of what waits for the readers of streams.
  std::atomic<bool> draining{false};
  alignas(64) std::atomic<std::size_t> connections{0};
  alignas(64) std::atomic<std::size_t> refusals{0};
  alignas(64) std::atomic<std::size_t> streams{0};
  alignas(64) std::atomic<std::size_t> in_flight{0};
  alignas(64) std::atomic<std::size_t> body_bytes{0};   ///< Of long bodies.
  alignas(64) std::atomic<std::size_t> answer_bytes{0}; ///< Of long answers.
};

} // namespace troupe::net
