// Whether a failed call is tried again, and when. A plain function.
#pragma once

#include "client/models/limits.hpp"
#include "client/models/model_failure.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace troupe::models {

/// How long to wait after the n-th try (from 1) has failed so; nothing: it is given up. What the
/// server says counts, up to `retry_after_max`; else half a second, twice as long each time.
/// `chance`: from 0 to 1, at random. It makes a wait longer, by half of it at most (a tenth if the
/// server has said it), so that not all who wait come back at once.
[[nodiscard]] inline std::optional<std::chrono::milliseconds>
wait_before_retry(const model_failure& why, unsigned tries, double chance) {
  using std::chrono::milliseconds;
  constexpr milliseconds first{500};
  if (!may_pass(why.kind) || tries >= tries_max)
    return std::nullopt;
  if (why.retry_after && *why.retry_after > retry_after_max)
    return std::nullopt;
  const auto base = why.retry_after.value_or(first * (1U << std::min(tries - 1, 10U)));
  const double share = why.retry_after ? 0.1 : 0.5;
  return base
         + milliseconds{
             static_cast<milliseconds::rep>(static_cast<double>(base.count()) * share * chance)};
}

} // namespace troupe::models
