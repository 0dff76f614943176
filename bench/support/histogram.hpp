// How often which value came, such as the nanoseconds of an answer, in a fixed memory. As
// HdrHistogram has it: buckets of equal width within each power of two, so that the error is
// relative to the value and a p99.9 of seconds is as exact as a p50 of microseconds. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::bench {

class histogram {
public:
  /// `at_share` is above the true value by at most one part in so many.
  static constexpr std::uint64_t parts = 128;

  histogram();

  void add(std::uint64_t value);
  /// As if each value of `other` were added.
  void add(const histogram& other);

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Exact; 0 for none.
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
  /// Nearest rank, `share` in 0..1; 0 for none. Never below the true value: the end of its bucket,
  /// or the maximum.
  [[nodiscard]] std::uint64_t at_share(double share) const;

private:
  std::vector<std::uint64_t> counts_; ///< By bucket.
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

} // namespace troupe::bench
