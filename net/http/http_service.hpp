// What all connections of one server share, as far as HTTP is concerned: the options, the counters
// behind the process-wide limits, and the function that answers a request.
#pragma once

#include "net/http/counted.hpp"
#include "net/http/exchange.hpp"
#include "net/http/long_answers.hpp"
#include "net/stream_budget.hpp"
#include <troupe/net/server_options.hpp>

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::net {

class http_service {
public:
  explicit http_service(server_options how)
      : options(std::move(how)), memory(budget_or_own(options.memory)),
        stream_bytes(options.stream_bytes_total_max, memory) {}
  http_service(const http_service&) = delete;
  http_service& operator=(const http_service&) = delete;
  virtual ~http_service() = default;

  /// Answers at once and returns an invalid awaitable, or returns what has to be awaited.
  [[nodiscard]] virtual awaitable<void> serve(http_exchange& exchange) = 0;

  /// A place for a connection, a request or a stream of a client. `of`: its counter in the share of
  /// `client`, which may be null.
  [[nodiscard]] client_place take_place(std::atomic<std::size_t>& all, std::size_t max,
                                        const client_share_ptr& client,
                                        std::atomic<std::size_t> client_share::*of) const {
    return net::take_place(all, max, client ? &((*client).*of) : nullptr,
                           options.client_share_percent);
  }
  /// Why there is none; names the limit.
  [[nodiscard]] std::string why_above_share(std::string_view things) const {
    return "this address has " + std::to_string(options.client_share_percent) + " % of all "
           + std::string(things) + " (limits.client-share)";
  }

  /// Why a long answer of that size has no room; names the limit.
  [[nodiscard]] std::string why_no_answer(std::size_t bytes) const {
    if (!memory->has_room(memory_account::answers, bytes))
      return memory->refusal(memory_account::answers, bytes).message;
    return "the answers that wait for their readers are longer than limits.answer-bytes-total "
           "together ("
           + std::to_string(options.answer_bytes_total_max) + " bytes)";
  }

  const server_options options;
  const memory_budget_ptr memory; ///< Long bodies and long answers are counted here.
  stream_budget stream_bytes;     ///< Of what waits for the readers of streams.
  long_answers slow_answers{options.answer_grace}; ///< Those that wait for their readers.
  client_shares clients;
  std::atomic<bool> draining{false};
  alignas(64) std::atomic<std::size_t> connections{0};
  alignas(64) std::atomic<std::size_t> refusals{0};
  alignas(64) std::atomic<std::size_t> streams{0};
  alignas(64) std::atomic<std::size_t> in_flight{0};
};

} // namespace troupe::net
