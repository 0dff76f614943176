// A clock that stands still until the test moves it.
#pragma once

#include <troupe/protocol/time_source.hpp>

namespace troupe::testing {

struct hand_time final : time_source {
  explicit hand_time(timestamp begin = {}) : wall(begin) {}

  timestamp now() const override { return wall; }
  steady_point steady() const override { return steadily; }
  /// Moves both clocks.
  void pass(std::chrono::milliseconds span) {
    wall += span;
    steadily += span;
  }

  timestamp wall;
  steady_point steadily{};
};

} // namespace troupe::testing
