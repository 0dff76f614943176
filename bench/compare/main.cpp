// Compares the JSON lines of two builds: for each case the figures of the same round, new / old.
#include "bench/support/figure_lines.hpp"
#include "bench/support/harness.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace troupe::bench;

/// Of one case; one line for each round.
using rounds = std::vector<figure_line>;

struct figure_file {
  std::vector<std::string> cases; ///< In the order of the file.
  std::map<std::string, rounds> figures;
};

figure_file read(const std::string& path) {
  figure_file out;
  for (auto& line : read_figure_lines(path)) {
    const auto name = line.bench + ": " + line.name;
    auto& all = out.figures[name];
    if (all.empty())
      out.cases.push_back(name);
    all.push_back(std::move(line));
  }
  return out;
}

/// "1.02 (0.97 to 1.10)": the median of the quotients and their spread.
std::string describe(std::vector<double> quotients) {
  if (quotients.empty())
    return "-";
  const auto [least, most] = std::minmax_element(quotients.begin(), quotients.end());
  const double low = *least;
  const double high = *most;
  char text[64];
  std::snprintf(text, sizeof text, "%.2f (%.2f to %.2f)", median(std::move(quotients)), low, high);
  return text;
}

void compare(const std::string& name, const rounds& before, const rounds& after) {
  std::vector<double> values;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i].value != 0)
      values.push_back(after[i].value / before[i].value);
    if (before[i].ratio && after[i].ratio && *before[i].ratio != 0)
      ratios.push_back(*after[i].ratio / *before[i].ratio);
  }
  const auto middle = [](const rounds& all) {
    std::vector<double> out;
    for (const auto& each : all)
      out.push_back(each.value);
    return median(std::move(out));
  };
  std::printf("%-52s %12.5g %12.5g %-12s %-22s %s\n", name.c_str(), middle(before), middle(after),
              before.front().unit.c_str(), describe(std::move(values)).c_str(),
              describe(std::move(ratios)).c_str());
}

} // namespace

int main(int argc, char** argv) {
  std::string old_path;
  std::string new_path;
  CLI::App app{"Compares the JSON lines that two builds of a benchmark have written in turn.",
               "bench_compare"};
  app.add_option("OLD", old_path, "JSON lines of the old build")->required();
  app.add_option("NEW", new_path, "JSON lines of the new build")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    const auto before = read(old_path);
    const auto after = read(new_path);
    std::printf("%-52s %12s %12s %-12s %-22s %s\n", "case", "old", "new", "unit", "new / old",
                "of the ratios to the baseline");
    for (const auto& name : before.cases) {
      const auto found = after.figures.find(name);
      if (found == after.figures.end())
        std::printf("%-52s only in OLD\n", name.c_str());
      else
        compare(name, before.figures.at(name), found->second);
    }
    for (const auto& name : after.cases)
      if (!before.figures.contains(name))
        std::printf("%-52s only in NEW\n", name.c_str());
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "bench_compare: " << failure.what() << '\n';
    return 1;
  }
}
