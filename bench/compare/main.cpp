// Compares the JSON lines of two builds: for each case the figures of the same round, new / old.
#include "bench/support/harness.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace troupe::bench;

/// One line of a benchmark.
struct figure {
  std::string unit;
  double value = 0;
  std::optional<double> ratio; ///< To the baseline of the same run.
};

/// Of one case; one figure for each round.
using rounds = std::vector<figure>;

struct figure_file {
  std::vector<std::string> cases; ///< In the order of the file.
  std::map<std::string, rounds> figures;
};

figure_file read(const std::string& path) {
  std::ifstream in{path};
  check(in.is_open(), "cannot read " + path);
  figure_file out;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (text.empty())
      continue;
    try {
      const auto line = boost::json::parse(text);
      const auto name = std::string{line.at("bench").as_string()} + ": "
                        + std::string{line.at("case").as_string()};
      figure read{std::string{line.at("unit").as_string()}, line.at("value").to_number<double>(),
                  std::nullopt};
      if (!line.at("ratio").is_null())
        read.ratio = line.at("ratio").to_number<double>();
      auto& all = out.figures[name];
      if (all.empty())
        out.cases.push_back(name);
      all.push_back(std::move(read));
    } catch (const std::exception& wrong) {
      throw std::runtime_error(path + ", line " + std::to_string(number)
                               + ": not a line of a benchmark (" + wrong.what() + ")");
    }
  }
  check(!out.cases.empty(), path + " has no figures");
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
