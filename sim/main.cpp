// troupe-sim: runs seeds, and says which of them fail and how to repeat them (docs/simulation.md).
#include <troupe/protocol/time_source.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/run.hpp"
#include "sim/settings_text.hpp"

using namespace troupe;
using namespace troupe::sim;

namespace {

struct options {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  double minutes = 0;
  bool shows_trace = false;
  bool shows_situations = false;
  std::uint64_t twice_every = 50;
  std::uint64_t failures_max = 5;
  std::string bug;    ///< A name of `mutants`; empty: none is planted.
  std::string config; ///< A file of settings, in place of what a seed draws.
  bool shrinks = false;
};

mutant bug_of(const options& how) {
  const auto found = std::ranges::find(mutants, how.bug, &planted::name);
  return found == mutants.end() ? mutant::none : found->bug;
}

struct totals {
  std::uint64_t seeds = 0;
  std::uint64_t failed = 0;
  std::uint64_t calls = 0;
  std::uint64_t crashes = 0;
  std::uint64_t steps = 0;
  std::chrono::nanoseconds virtual_time{};
  std::map<std::string, std::uint64_t, std::less<>> situations;

  void add(const outcome& of) {
    ++seeds;
    failed += of.failed ? 1U : 0U;
    calls += of.calls;
    crashes += of.crashes;
    steps += of.steps;
    virtual_time += of.virtual_time;
    for (const auto& [name, count] : of.situations)
      situations[name] += count;
  }
};

double seconds(std::chrono::nanoseconds of) {
  return std::chrono::duration<double>(of).count();
}

void print_failure(const settings& how, const outcome& of) {
  std::printf("seed %" PRIu64 " fails: checker %s\n  %s\n", how.seed, of.failed->checker.c_str(),
              of.failed->sentence.c_str());
  std::printf("  at %.3f s of virtual time, after %" PRIu64 " steps and %zu crashes\n",
              seconds(of.virtual_time), of.steps, of.crashes);
  for (const auto& line : of.failed->story)
    std::printf("  | %s\n", line.c_str());
  std::printf("  repeat it: troupe-sim --seed %" PRIu64 " --trace\n", how.seed);
}

/// A second run of the same seed must be the same run: whether it has these lines, too.
bool is_repeated(const settings& how, const std::vector<std::string>& lines) {
  std::size_t at = 0;
  bool is_same = true;
  const auto compare = [&](const std::string& line) {
    if (is_same && (at >= lines.size() || lines[at] != line)) {
      is_same = false;
      std::printf("seed %" PRIu64 " differs from itself at line %zu:\n  | %s\n  | %s\n", how.seed,
                  at + 1, at < lines.size() ? lines[at].c_str() : "(nothing)", line.c_str());
    }
    ++at;
  };
  static_cast<void>(run(how, compare));
  return is_same && at == lines.size();
}

/// Leaves out whatever can be left out while the same checker fails.
settings shrink(settings how, const std::string& checker) {
  for (bool is_smaller = true; is_smaller;) {
    is_smaller = false;
    for (const auto& candidate : simpler(how)) {
      const auto got = run(candidate);
      if (!got.failed || got.failed->checker != checker)
        continue;
      how = candidate;
      is_smaller = true;
      break;
    }
  }
  return how;
}

/// Of the file, if there is one.
result<settings> settings_of(const options& how, std::uint64_t seed) {
  auto out = result<settings>{draw_settings(seed)};
  if (!how.config.empty()) {
    std::ifstream file(how.config);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
      return make_error(errc::invalid_params, "the file cannot be read");
    out = read_settings(text.str());
  }
  if (out)
    out->bug = bug_of(how);
  return out;
}

int run_all(const options& how) {
  totals all;
  const auto& time = system_time();
  const auto begin = time.steady();
  const auto elapsed = [&] { return std::chrono::nanoseconds{time.steady() - begin}; };
  for (auto seed = how.first;
       how.minutes > 0 ? seconds(elapsed()) < how.minutes * 60 : seed <= how.last; ++seed) {
    const auto read = settings_of(how, seed);
    if (!read) {
      std::fprintf(stderr, "%s: %s\n", how.config.c_str(), read.error().message.c_str());
      return 2;
    }
    const auto& drawn = *read;
    if (how.shows_trace)
      std::printf("%s", write_settings(drawn).c_str());
    const bool runs_twice = how.twice_every != 0 && seed % how.twice_every == 0;
    std::vector<std::string> lines;
    const auto got = run(drawn, [&](const std::string& line) {
      if (how.shows_trace)
        std::printf("%s\n", line.c_str());
      if (runs_twice)
        lines.push_back(line);
    });
    all.add(got);
    if (got.failed) {
      print_failure(drawn, got);
      if (how.shrinks)
        std::printf("# %s: %s\n%s", got.failed->checker.c_str(), got.failed->sentence.c_str(),
                    write_settings(shrink(drawn, got.failed->checker)).c_str());
    } else if (runs_twice && !is_repeated(drawn, lines))
      ++all.failed;
    if (how.first == how.last)
      std::printf("seed %" PRIu64 ": hash %016" PRIx64 "\n", seed, got.hash);
    if (all.failed >= how.failures_max)
      break;
  }
  const auto took = seconds(elapsed());
  std::printf("%" PRIu64 " seeds in %.1f s (%.0f a minute), %" PRIu64
              " failed; %.0f virtual seconds, %" PRIu64 " calls, %" PRIu64 " crashes, %" PRIu64
              " steps\n",
              all.seeds, took, static_cast<double>(all.seeds) / took * 60, all.failed,
              seconds(all.virtual_time), all.calls, all.crashes, all.steps);
  if (how.shows_situations)
    for (const auto& [name, count] : all.situations)
      std::printf("%10" PRIu64 "  %s\n", count, name.c_str());
  return all.failed == 0 ? 0 : 1;
}

/// "7..12" or "7".
bool read_range(const std::string& text, options& into) {
  const auto dots = text.find("..");
  try {
    into.first = std::stoull(text.substr(0, dots));
    into.last = dots == std::string::npos ? into.first : std::stoull(text.substr(dots + 2));
  } catch (const std::exception&) {
    return false;
  }
  return into.first <= into.last;
}

} // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0); // A run that is stopped has said what it found.
  options how;
  std::string seeds;
  CLI::App app{"Runs whole servers from seeds, with faults, and checks what their clients saw"};
  app.add_option("--seed,--seeds", seeds, "One seed, or a range: 1..1000");
  app.add_option("--minutes", how.minutes, "Runs seeds from the first one on for so long");
  app.add_flag("--trace", how.shows_trace, "Prints what the seed has drawn, and all that happens");
  app.add_flag("--situations", how.shows_situations, "Prints how often each situation was reached");
  app.add_option("--twice-every", how.twice_every,
                 "Runs every so manieth seed twice and compares; 0: none");
  app.add_option("--failures", how.failures_max, "Ends after so many failures");
  app.add_option("--config", how.config, "A file of settings, as --shrink prints them");
  app.add_flag("--shrink", how.shrinks,
               "Leaves out what a failure does not need, and prints the rest");
  app.add_option("--mutant", how.bug, "Plants this bug, which a checker is to find");
  CLI11_PARSE(app, argc, argv);
  if (!how.bug.empty() && bug_of(how) == mutant::none) {
    std::fprintf(stderr, "--mutant is one of:\n");
    for (const auto& each : mutants)
      std::fprintf(stderr, "  %s\n", std::string(each.name).c_str());
    return 2;
  }
  if (!seeds.empty() && !read_range(seeds, how)) {
    std::fprintf(stderr, "--seeds is a number or a range such as 1..1000, not \"%s\"\n",
                 seeds.c_str());
    return 2;
  }
  return run_all(how);
}
