// What a call of a model has cost, and has cost so far: who gives a call up counts it, too.
#pragma once

#include "client/models/budget.hpp"
#include "client/models/chat.hpp"
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace troupe::models {

/// What a call has cost, in all its tries.
struct call_cost {
  chat_usage usage;
  spending spent;
  unsigned tries = 0; ///< Requests that were made.

  void add(const chat_usage& more, const price_list& prices, std::chrono::milliseconds took);
};

/// The call that is under way, as the loop counts it. Its owner clears it once it has noted the
/// outcome. Thread-safe.
class call_meter {
public:
  /// A request is made, of about so many tokens. `time` outlives the meter.
  void begin_try(std::uint64_t prompt_tokens, const price_list& prices, const time_source& time);
  /// So many bytes of the answer have come.
  void note_answer(std::size_t bytes);
  /// The try has ended. `all`: what the call has cost until now.
  void end_try(const call_cost& all);
  void clear();
  /// With an estimate of the try that is under way. Without tries: there is no call.
  [[nodiscard]] call_cost so_far() const;

private:
  mutable std::mutex mutex_; // guards the rest
  call_cost ended_;
  chat_usage usage_; ///< Of the try that is under way.
  price_list prices_;
  const time_source* time_ = nullptr; ///< Null: no try is under way.
  time_source::steady_point begun_{};
};

} // namespace troupe::models
