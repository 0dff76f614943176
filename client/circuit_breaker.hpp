// A server that fails again and again is not asked for a while. A plain value; time is an argument.
#pragma once

#include <troupe/protocol/time_source.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace troupe::net {

struct breaker_terms {
  unsigned failures_max = 5; ///< In a row; then it is open.
  std::chrono::milliseconds open_for{30'000};
  /// Each probe that fails doubles the time, up to this.
  std::chrono::milliseconds open_for_max{30'000};
};

enum class breaker_state : std::uint8_t {
  closed,    ///< Requests are made.
  open,      ///< None is made.
  half_open, ///< One is made, or may be: what becomes of it decides.
};

[[nodiscard]] constexpr std::string_view to_string(breaker_state state) noexcept {
  switch (state) {
    case breaker_state::closed: return "closed";
    case breaker_state::open: return "open";
    case breaker_state::half_open: return "half-open";
  }
  return "?";
}

class circuit_breaker {
public:
  using point = time_source::steady_point;

  explicit circuit_breaker(breaker_terms terms = {}) : terms_(terms), wait_(terms.open_for) {}

  /// Whether a request may be made now. When the time is up one may, and the others wait for what
  /// becomes of it. What was admitted ends with `succeed`, `fail` or `forget`, or with `forget`
  /// when its answer begins, and `succeed` or `fail_begun` for what follows.
  [[nodiscard]] bool admit(point now) {
    if (!is_open())
      return true;
    if (now < open_until_ || is_probing_)
      return false;
    is_probing_ = true;
    return true;
  }
  void succeed() noexcept {
    failures_ = 0;
    is_probing_ = false;
    wait_ = terms_.open_for;
  }
  void fail(point now) noexcept {
    const bool was_open = is_open();
    if (was_open && !is_probing_)
      return; // it began before the breaker opened
    if (is_probing_)
      wait_ = std::min(wait_ * 2, terms_.open_for_max);
    is_probing_ = false;
    if (!was_open && ++failures_ == terms_.failures_max)
      opened_ = now;
    if (is_open())
      open_until_ = now + wait_;
  }
  /// An answer that began well at `began` cannot be used after all. One that began while the
  /// breaker was open counts as a probe that fails: there may be several.
  void fail_begun(point now, point began) noexcept {
    if (!is_open())
      return fail(now);
    if (began < opened_)
      return;
    wait_ = std::min(wait_ * 2, terms_.open_for_max);
    open_until_ = now + wait_;
  }
  /// The request that was admitted says nothing about the server (it was given up), or not yet.
  void forget() noexcept { is_probing_ = false; }

  [[nodiscard]] bool is_open() const noexcept { return failures_ >= terms_.failures_max; }
  [[nodiscard]] breaker_state state(point now) const noexcept {
    if (!is_open())
      return breaker_state::closed;
    return now < open_until_ ? breaker_state::open : breaker_state::half_open;
  }
  /// For how long it has not been closed, probes that failed included; zero if it is closed.
  [[nodiscard]] std::chrono::milliseconds open_since(point now) const {
    return is_open() ? std::chrono::floor<std::chrono::milliseconds>(now - opened_)
                     : std::chrono::milliseconds{0};
  }
  /// How long no request is made; zero if the next one is.
  [[nodiscard]] std::chrono::milliseconds open_for(point now) const {
    if (!is_open() || now >= open_until_)
      return {};
    return std::chrono::ceil<std::chrono::milliseconds>(open_until_ - now);
  }

private:
  breaker_terms terms_;
  std::chrono::milliseconds wait_;
  unsigned failures_ = 0; ///< In a row.
  bool is_probing_ = false;
  point opened_{};
  point open_until_{};
};

} // namespace troupe::net
