#include "bench/support/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace troupe::bench {

namespace {

constexpr std::uint64_t parts = histogram::parts;
constexpr int parts_bits = static_cast<int>(std::bit_width(parts)) - 1;
static_assert(std::has_single_bit(parts));

// Values below 2 * parts have a bucket each. Above, each power of two has `parts` buckets.
constexpr std::size_t buckets = (64 - parts_bits + 1) * parts;

/// By how many bits the values of a bucket differ.
constexpr int shift_of(std::uint64_t value) {
  return std::max(0, static_cast<int>(std::bit_width(value)) - parts_bits - 1);
}

constexpr std::size_t bucket_of(std::uint64_t value) {
  const int shift = shift_of(value);
  return static_cast<std::size_t>(shift) * parts + (value >> shift);
}

/// The greatest value of a bucket.
constexpr std::uint64_t end_of(std::size_t bucket) {
  if (bucket < 2 * parts)
    return bucket;
  const auto shift = bucket / parts - 1;
  return ((bucket - shift * parts) << shift) + ((std::uint64_t{1} << shift) - 1);
}

static_assert(bucket_of(UINT64_MAX) + 1 == buckets && end_of(buckets - 1) == UINT64_MAX);

} // namespace

histogram::histogram() : counts_(buckets) {}

void histogram::add(std::uint64_t value) {
  ++counts_[bucket_of(value)];
  ++count_;
  max_ = std::max(max_, value);
}

void histogram::add(const histogram& other) {
  for (std::size_t i = 0; i < buckets; ++i)
    counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

std::uint64_t histogram::at_share(double share) const {
  if (count_ == 0)
    return 0;
  const auto rank = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))), 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets; ++i)
    if ((seen += counts_[i]) >= rank)
      return std::min(end_of(i), max_);
  return max_;
}

} // namespace troupe::bench
