#include "bench/support/harness.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

namespace troupe::bench {

namespace {

/// Of the sources, with `-dirty` if they differ from it; "unknown" outside a git checkout.
std::string current_commit() {
  std::string found;
  const std::string command = std::string("git -C '") + TROUPE_BENCH_SOURCE_DIR
                              + "' describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null";
  if (FILE* pipe = ::popen(command.c_str(), "r")) {
    std::array<char, 128> line{};
    if (std::fgets(line.data(), static_cast<int>(line.size()), pipe))
      found = line.data();
    ::pclose(pipe);
  }
  while (!found.empty() && (found.back() == '\n' || found.back() == '\r'))
    found.pop_back();
  return found.empty() ? "unknown" : found;
}

/// "Intel Xeon, 2 cores"; "unknown" for the model if the system does not say it.
std::string machine() {
  std::string model = "unknown";
  std::ifstream facts{"/proc/cpuinfo"};
  for (std::string line; std::getline(facts, line);) {
    const auto value = line.find(": ");
    if (line.starts_with("model name") && value != std::string::npos) {
      model = line.substr(value + 2);
      break;
    }
  }
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores";
}

/// UTC, as RFC 3339 has it.
std::string date_and_time() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// 123456 as "123,456"; small numbers with three significant decimals.
std::string pretty(double value) {
  std::array<char, 64> text{};
  if (std::abs(value) < 1000.0) {
    std::snprintf(text.data(), text.size(), std::abs(value) < 10.0 ? "%.3f" : "%.1f", value);
    return text.data();
  }
  std::snprintf(text.data(), text.size(), "%.0f", value);
  std::string digits = text.data();
  const auto from = static_cast<std::size_t>(digits[0] == '-');
  for (auto at = digits.size(); at > from + 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

} // namespace

void check(bool holds, const std::string& text) {
  if (!holds)
    throw wrong_result(text);
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0.0;
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

double percentile(std::vector<double> values, double share) {
  if (values.empty())
    return 0.0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<std::vector<double>> measure_in_turn(std::size_t rounds,
                                                 const std::vector<contender>& all) {
  std::vector<std::vector<double>> figures(all.size());
  for (const auto& one : all)
    (void)one();
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i)
      figures[i].push_back(all[i]());
  return figures;
}

double ratio_of(const std::vector<double>& value, const std::vector<double>& base) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(value.size(), base.size()); ++i)
    if (base[i] != 0.0)
      ratios.push_back(value[i] / base[i]);
  return median(std::move(ratios));
}

report::report(std::string name, options how)
    : name_(std::move(name)), how_(std::move(how)), commit_(current_commit()) {
  const auto folder = std::filesystem::path(how_.out).parent_path();
  if (!folder.empty())
    std::filesystem::create_directories(folder);
  std::printf("%s  commit %s  caf %s  threads %zu%s\n", name_.c_str(), commit_.c_str(),
              caf_version().c_str(), how_.threads,
              how_.quick ? "  (quick: figures mean nothing)" : "");
}

void report::heading(const std::string& text) {
  std::printf("\n%s\n", text.c_str());
}

void report::add(const std::string& case_name, double value, const std::string& unit) {
  append_line(case_name, value, unit, std::nullopt, std::nullopt);
}

void report::add(const std::string& case_name, double value, const std::string& unit,
                 double baseline, std::optional<double> ratio) {
  if (!ratio && baseline != 0.0)
    ratio = value / baseline;
  append_line(case_name, value, unit, baseline, ratio);
}

void report::append_line(const std::string& case_name, double value, const std::string& unit,
                         const std::optional<double>& baseline,
                         const std::optional<double>& ratio) const {
  std::printf("  %-44s %14s %-14s", case_name.c_str(), pretty(value).c_str(), unit.c_str());
  if (baseline)
    std::printf(" baseline %14s", pretty(*baseline).c_str());
  if (ratio)
    std::printf("  ratio %6.3f", *ratio);
  std::printf("\n");
  std::fflush(stdout);

  boost::json::object line;
  line["bench"] = name_;
  line["case"] = case_name;
  line["value"] = value;
  line["unit"] = unit;
  line["baseline"] = baseline ? boost::json::value(*baseline) : boost::json::value(nullptr);
  line["ratio"] = ratio ? boost::json::value(*ratio) : boost::json::value(nullptr);
  line["commit"] = commit_;
  line["caf"] = caf_version();
  line["threads"] = how_.threads;
  line["quick"] = how_.quick;
  line["machine"] = machine();
  line["date"] = date_and_time();
  std::ofstream file(how_.out, std::ios::app);
  file << boost::json::serialize(line) << '\n';
  file.flush();
  check(file.good(), "cannot write " + how_.out);
}

int run_benchmark(int argc, char** argv, const std::string& name, const std::string& question,
                  const std::function<void(const options&, report&)>& body,
                  std::vector<extra_option> extras) {
  options how;
  how.out = std::string(TROUPE_BENCH_SOURCE_DIR) + "/build/bench/" + name + ".jsonl";
  CLI::App app{question, "bench_" + name};
  app.add_flag("--quick", how.quick,
               "smoke size: shows that the benchmark works, its figures mean nothing");
  app.add_option("--threads", how.threads, "threads of the thing measured; 0 = one per core");
  app.add_option("--rounds", how.rounds, "measured repetitions; 0 = the benchmark's own choice");
  app.add_option("--filter", how.filter, "only cases whose name contains this");
  app.add_option("--out", how.out, "JSON lines are appended to this file; default: " + how.out);
  for (auto& extra : extras)
    app.add_option(extra.name, *extra.value, extra.help);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  }
  if (how.threads == 0)
    how.threads = std::max(1U, std::thread::hardware_concurrency());
  try {
    report results(name, how);
    body(how, results);
    check(how.filter.empty() || how.wanted_any, "--filter " + how.filter + " fits no case");
    return 0;
  } catch (const std::exception& failure) {
    std::fflush(stdout);
    std::cerr << "bench_" << name << ": " << failure.what() << '\n';
    return 1;
  }
}

} // namespace troupe::bench
