// A chart of how costs grow with a size, as SVG.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {

/// A line of a chart.
struct growth_line {
  std::string name;
  /// Size, and cost relative to the first; sizes are positive and ascending.
  std::vector<std::pair<double, double>> points;
};

/// The sizes on a logarithmic axis from left to right, the relative costs from 0 upwards, with the
/// band from 0.8 to 1.2 shaded. `axis`: what the sizes are. A line without points is left out.
[[nodiscard]] std::string draw_growth(const std::string& title, const std::string& axis,
                                      const std::vector<growth_line>& lines);

} // namespace troupe::bench
