// How fast is read what may be of no use: so that a server that floods us delays itself only. Plain
// values; time is an argument.
#pragma once

#include <troupe/protocol/time_source.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace troupe::net {

/// So much at once, and then so much in a second.
class read_pace {
public:
  using point = time_source::steady_point;

  read_pace(std::uint32_t per_second, std::uint32_t at_once)
      : interval_(std::chrono::nanoseconds{std::chrono::seconds{1}} / per_second),
        saved_max_(at_once * interval_) {}

  /// `count` were read at `now`: when the next may be.
  [[nodiscard]] point take(point now, std::uint32_t count) noexcept {
    free_at_ = std::max(free_at_, now - saved_max_) + count * interval_;
    return std::max(free_at_, now);
  }
  /// They were of use, and count no more.
  void give_back(std::uint32_t count) noexcept { free_at_ -= count * interval_; }

private:
  std::chrono::nanoseconds interval_;
  std::chrono::nanoseconds saved_max_;
  point free_at_ = point::min();
};

/// What counts as one for a pace of bytes.
inline constexpr std::size_t paced_block_bytes = std::size_t{64} << 10;

/// What one answer, or one event, has taken of a pace of bytes, or what one connection has brought
/// that is of no use.
class paced_answer {
public:
  /// `pace`: null: none.
  explicit paced_answer(std::shared_ptr<read_pace> pace) : pace_(std::move(pace)) {}

  /// So many bytes of it have come by `now`: when more may be read. The first block is free.
  [[nodiscard]] read_pace::point grow(read_pace::point now, std::size_t bytes) noexcept {
    const auto blocks = static_cast<std::uint32_t>(bytes / paced_block_bytes);
    if (!pace_ || blocks <= taken_)
      return now;
    return pace_->take(now, blocks - std::exchange(taken_, blocks));
  }
  /// It has ended, and another one follows. So many bytes of it were of use, and are given back.
  void end(std::size_t bytes_of_use) noexcept {
    const auto taken = std::exchange(taken_, 0);
    const auto blocks = (bytes_of_use + paced_block_bytes - 1) / paced_block_bytes;
    if (pace_)
      pace_->give_back(static_cast<std::uint32_t>(std::min<std::size_t>(taken, blocks)));
  }

private:
  std::shared_ptr<read_pace> pace_;
  std::uint32_t taken_ = 0;
};

} // namespace troupe::net
