#include "bench/support/histogram.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using troupe::bench::histogram;

namespace {

/// Nearest rank.
std::uint64_t exact_at(std::vector<std::uint64_t> values, double share) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

} // namespace

TEST_CASE("An empty histogram says zero", "[histogram]") {
  const histogram none;
  CHECK(none.count() == 0);
  CHECK(none.max() == 0);
  CHECK(none.at_share(0.5) == 0);
}

TEST_CASE("Small values and the greatest are exact", "[histogram]") {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127},
                                    2 * histogram::parts - 1, UINT64_MAX - 1, UINT64_MAX}) {
    CAPTURE(value);
    histogram one;
    one.add(value);
    CHECK(one.at_share(0.0) == value);
    CHECK(one.at_share(1.0) == value);
    CHECK(one.max() == value);
  }
  histogram three;
  for (const std::uint64_t value : {10, 20, 30})
    three.add(value);
  CHECK(three.at_share(0.33) == 10);
  CHECK(three.at_share(0.34) == 20);
  CHECK(three.at_share(0.67) == 30);
}

TEST_CASE("A share is never below the true value, and above it by one part in 128 at most",
          "[histogram]") {
  std::mt19937_64 random{7};
  for (int bits = 1; bits < 64; bits += 3) {
    CAPTURE(bits);
    histogram all;
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 2000; ++i) {
      // Values of all sizes up to so many bits.
      values.push_back(random() >> (64 - 1 - random() % static_cast<std::uint64_t>(bits)));
      all.add(values.back());
    }
    for (const double share : {0.001, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      CAPTURE(share);
      const auto exact = exact_at(values, share);
      CHECK(all.at_share(share) >= exact);
      CHECK(all.at_share(share) - exact <= exact / histogram::parts);
    }
    CHECK(all.max() == exact_at(values, 1.0));
  }
}

TEST_CASE("Two histograms add up to that of all values", "[histogram]") {
  histogram low;
  histogram high;
  histogram both;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    (i % 3 == 0 ? low : high).add(i * i);
    both.add(i * i);
  }
  low.add(high);
  CHECK(low.count() == both.count());
  CHECK(low.max() == both.max());
  for (const double share : {0.1, 0.5, 0.9, 0.999})
    CHECK(low.at_share(share) == both.at_share(share));
}
