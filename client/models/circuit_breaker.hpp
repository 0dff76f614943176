// A server that fails again and again is not asked for a while. A plain value; time is an argument.
#pragma once

#include "client/models/limits.hpp"
#include "client/models/model_failure.hpp"
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstdint>

namespace troupe::models {

class circuit_breaker {
public:
  using point = time_source::steady_point;

  /// Whether a request may be made now. When the time is up one may, and the others wait for what
  /// becomes of it.
  [[nodiscard]] bool admit(point now) {
    if (failures_ < breaker_failures_max)
      return true;
    if (now < open_until_ || is_probing_)
      return false;
    is_probing_ = true;
    return true;
  }
  void succeed() noexcept {
    failures_ = 0;
    is_probing_ = false;
  }
  void fail(point now) noexcept {
    is_probing_ = false;
    if (failures_ < breaker_failures_max)
      ++failures_;
    if (failures_ == breaker_failures_max)
      open_until_ = now + breaker_open_for;
  }
  /// The request that was admitted says nothing about the server (it was given up).
  void forget() noexcept { is_probing_ = false; }

  [[nodiscard]] bool is_open() const noexcept { return failures_ == breaker_failures_max; }
  /// How long no request is made; zero if the next one is.
  [[nodiscard]] std::chrono::milliseconds open_for(point now) const {
    if (!is_open() || now >= open_until_)
      return {};
    return std::chrono::ceil<std::chrono::milliseconds>(open_until_ - now);
  }

private:
  unsigned failures_ = 0; ///< In a row.
  bool is_probing_ = false;
  point open_until_{};
};

/// Whether a failure is one of the server, and not of what was asked.
[[nodiscard]] inline bool counts_for_breaker(failure_kind kind) noexcept {
  return may_pass(kind) && kind != failure_kind::too_many && kind != failure_kind::conflict;
}

} // namespace troupe::models
