#include "bench/support/latency.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

namespace troupe::bench {

namespace {

struct latency_column {
  const char* name;
  const char* key;
  double latencies::*value;
};

constexpr std::array percentiles{latency_column{" p50", "p50_us", &latencies::p50},
                                 latency_column{" p90", "p90_us", &latencies::p90},
                                 latency_column{" p99", "p99_us", &latencies::p99},
                                 latency_column{" p99.9", "p999_us", &latencies::p999}};
constexpr latency_column maximum{" max", "max_us", &latencies::max};

std::vector<double> values_of(const std::vector<latencies>& rounds, double latencies::*value) {
  std::vector<double> out;
  for (const auto& one : rounds)
    out.push_back(one.*value);
  return out;
}

double greatest(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

} // namespace

latencies latencies_of(const histogram& nanoseconds) {
  const auto at = [&](double share) {
    return static_cast<double>(nanoseconds.at_share(share)) / 1000.0;
  };
  return {at(0.5), at(0.9), at(0.99), at(0.999), static_cast<double>(nanoseconds.max()) / 1000.0};
}

boost::json::object json_of(const latencies& all) {
  boost::json::object out;
  for (const auto& one : percentiles)
    out[one.key] = all.*one.value;
  out[maximum.key] = all.*maximum.value;
  return out;
}

latencies read_latencies(const boost::json::object& from) {
  latencies out;
  for (const auto& one : percentiles)
    out.*one.value = from.at(one.key).to_number<double>();
  out.*maximum.value = from.at(maximum.key).to_number<double>();
  return out;
}

void add_latencies(report& results, const std::string& name, const std::vector<latencies>& rounds,
                   const std::vector<latencies>& baseline) {
  for (const auto& one : percentiles) {
    const auto values = values_of(rounds, one.value);
    const auto base = values_of(baseline, one.value);
    if (base.empty())
      results.add(name + one.name, median(values), "us");
    else
      results.add(name + one.name, median(values), "us", median(base), ratio_of(values, base));
  }
  const auto worst = greatest(values_of(rounds, maximum.value));
  if (baseline.empty())
    results.add(name + maximum.name, worst, "us");
  else
    results.add(name + maximum.name, worst, "us", greatest(values_of(baseline, maximum.value)));
}

} // namespace troupe::bench
