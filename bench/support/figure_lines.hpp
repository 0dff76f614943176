// The JSON lines that benchmarks append, read again.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe::bench {

/// One line. Lines of older versions have no machine and no date.
struct figure_line {
  std::string bench;
  std::string name; ///< Of the case.
  std::string unit;
  double value = 0.0;
  std::optional<double> ratio; ///< To the baseline of the same run.
  std::string commit;
  std::string machine;
  std::string date;
  bool is_quick = false;
};

/// In the order of the file. Throws if it cannot be read, if a line is not one of a benchmark, and
/// if there is none; the message names file and line.
[[nodiscard]] std::vector<figure_line> read_figure_lines(const std::string& path);

} // namespace troupe::bench
