// The baseline: the same streams of the model server, each read by a thread that does nothing else.
#pragma once

#include "bench/support/histogram.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::bench {

/// Takes the tokens of the model `steady` (tests/models/behaviour.hpp): each is the time at which
/// it was sent. Holds them to account: in order, and none lost.
class token_reader {
public:
  /// `text` goes on with that. Whole tokens are counted: from when they were sent until now.
  void take(std::string_view text);

  [[nodiscard]] const histogram& delays() const noexcept { return delays_; }
  [[nodiscard]] bool is_in_order() const noexcept { return is_in_order_; }

private:
  histogram delays_;
  std::string begun_; ///< Of a token that has begun.
  std::int64_t last_ = 0;
  bool is_in_order_ = true;
};

/// The delays of `streams` streams of `tokens` tokens each. Throws wrong_result.
[[nodiscard]] histogram read_streams(std::uint16_t port, std::size_t streams, std::size_t tokens);

} // namespace troupe::bench
