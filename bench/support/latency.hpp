// The latencies of one load, as a load generator prints them and a benchmark reports them.
#pragma once

#include "bench/support/harness.hpp"
#include "bench/support/histogram.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace troupe::bench {

/// Microseconds.
struct latencies {
  double p50 = 0.0;
  double p90 = 0.0;
  double p99 = 0.0;
  double p999 = 0.0; ///< 99.9 %.
  double max = 0.0;

  friend bool operator==(const latencies&, const latencies&) = default;
};

/// Of nanoseconds.
[[nodiscard]] latencies latencies_of(const histogram& nanoseconds);

/// {"p50_us", "p90_us", "p99_us", "p999_us", "max_us"}, and back. Reading throws if one is missing.
[[nodiscard]] boost::json::object json_of(const latencies& all);
[[nodiscard]] latencies read_latencies(const boost::json::object& from);

/// Five rows, `NAME p50` to `NAME max`. `rounds`: one for each round. A percentile is the median
/// over the rounds, its ratio that to the baseline of the same round; the maximum is the greatest
/// of all rounds. Without a baseline if `baseline` is empty.
void add_latencies(report& results, const std::string& name, const std::vector<latencies>& rounds,
                   const std::vector<latencies>& baseline = {});

} // namespace troupe::bench
