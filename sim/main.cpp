// troupe-sim: runs seeds, and says which of them fail and how to repeat them (docs/simulation.md).
#include <troupe/protocol/time_source.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "sim/memory.hpp"
#include "sim/run.hpp"
#include "sim/settings_text.hpp"
#include "sim/shrink.hpp"
#include "sim/totals.hpp"

using namespace troupe;
using namespace troupe::sim;

namespace {

/// So small that segments are removed once the tables have what is in them.
constexpr std::size_t slow_segment_bytes = 8 * 1024;

/// A world gives its memory back. What the program keeps for the next one has this bound.
constexpr std::size_t kept_bytes_max = std::size_t{4} << 20;

struct options {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  std::uint64_t stride = 1; ///< To the next seed.
  double minutes = 0;
  bool shows_trace = false;
  std::uint64_t from = 0; ///< The steps that the trace shows.
  std::uint64_t to = std::numeric_limits<std::uint64_t>::max();
  bool shows_situations = false;
  bool needs_situations = false;
  std::uint64_t twice_every = 50;
  std::uint64_t failures_max = 5;
  unsigned jobs = 1;
  std::string bug; ///< A name of `mutants`; empty: none is planted.
  bool finds_mutants = false;
  std::uint64_t crash_at = 0;    ///< A step of the world; 0: none.
  std::uint64_t crash_every = 0; ///< Runs each seed once for each such step; 0: it does not.
  bool is_slow = false;          ///< With tables that RocksDB writes.
  std::string config;            ///< A file of settings, in place of what a seed draws.
  bool shrinks = false;
  std::size_t shrink_runs_max = 2'000;
  std::string into; ///< The file for what is left of a failure.
};

mutant bug_of(const options& how) {
  const auto found = std::ranges::find(mutants, how.bug, &planted::name);
  return found == mutants.end() ? mutant::none : found->bug;
}

std::string build() {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
#if defined(NDEBUG)
  return compiler + ", without assertions";
#else
  return compiler + ", with assertions";
#endif
}

void print_failure(const options& in, const settings& how, const outcome& of) {
  std::printf("seed %" PRIu64 " fails: checker %s\n  %s\n", how.seed, of.failed->checker.c_str(),
              of.failed->sentence.c_str());
  std::printf("  at %.3f s of virtual time, after %" PRIu64 " steps and %zu crashes; built by %s\n",
              std::chrono::duration<double>(of.virtual_time).count(), of.steps, of.crashes,
              build().c_str());
  for (const auto& line : of.failed->story)
    std::printf("  | %s\n", line.c_str());
  const auto from =
      in.config.empty() ? "--seed " + std::to_string(how.seed) : "--config " + in.config;
  std::printf(
      "  repeat it: troupe-sim --trace %s%s\n",
      (how.crash_at_step == 0 ? from : from + " --crash-at " + std::to_string(how.crash_at_step))
          .c_str(),
      ((in.is_slow ? " --slow" : "") + (in.bug.empty() ? "" : " --mutant " + in.bug)).c_str());
}

/// A second run of the same seed must be the same run: whether it has these lines, too.
bool is_repeated(const settings& how, const std::vector<std::string>& lines) {
  std::size_t at = 0;
  bool is_same = true;
  const auto compare = [&](std::uint64_t, const std::string& line) {
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
  if (out && !how.bug.empty())
    out->bug = bug_of(how);
  if (out && how.crash_at > 0)
    out->crash_at_step = how.crash_at;
  if (out && how.is_slow) {
    out->has_real_tables = true;
    out->segment_bytes = std::min(out->segment_bytes, slow_segment_bytes);
  }
  return out;
}

shrunk make_small(const options& how, const settings& failing, const std::string& checker) {
  auto small = shrink(failing, checker, how.shrink_runs_max);
  const auto text = "# " + checker + ": " + small.sentence + "\n" + write_settings(small.how);
  std::printf("after %zu runs, %zu clients, %zu operations and %zu kinds of faults are left:\n%s",
              small.runs, small.clients, small.operations, small.faults, text.c_str());
  if (!how.into.empty()) {
    std::ofstream file(how.into);
    file << text;
    if (!file.flush())
      std::fprintf(stderr, "%s cannot be written\n", how.into.c_str());
  }
  return small;
}

outcome run_one(const options& how, const settings& drawn, totals& all) {
  if (how.shows_trace)
    std::printf("%s", write_settings(drawn).c_str());
  const bool runs_twice =
      !drawn.has_real_tables && how.twice_every != 0 && drawn.seed % how.twice_every == 0;
  std::vector<std::string> lines;
  const auto got = run(drawn, [&](std::uint64_t step, const std::string& line) {
    if (how.shows_trace && step >= how.from && step <= how.to)
      std::printf("%8" PRIu64 " %s\n", step, line.c_str());
    if (runs_twice)
      lines.push_back(line);
  });
  all.add(got);
  if (got.failed) {
    print_failure(how, drawn, got);
    if (how.shrinks)
      make_small(how, drawn, got.failed->checker);
  } else if (runs_twice && !is_repeated(drawn, lines)) {
    ++all.failed;
  }
  if (how.first == how.last && how.minutes == 0 && how.crash_every == 0)
    std::printf("seed %" PRIu64 ": hash %016" PRIx64 "\n", drawn.seed, got.hash);
  return got;
}

/// The world of `first` again and again, in which the process dies at one step after the other,
/// until faults have ended.
void run_crashes(const options& how, settings drawn, const outcome& first, totals& all) {
  for (auto at = how.crash_every; at < first.steps && all.failed < how.failures_max;
       at += how.crash_every) {
    drawn.crash_at_step = at;
    if (run_one(how, drawn, all).crashes == first.crashes)
      return;
  }
}

totals run_all(const options& how) {
  totals all;
  std::size_t bytes_before = 0;
  const auto& time = system_time();
  const auto begin = time.steady();
  const auto minutes = [&] {
    return std::chrono::duration<double, std::ratio<60>>(time.steady() - begin).count();
  };
  for (auto seed = how.first; how.minutes > 0 ? minutes() < how.minutes : seed <= how.last;
       seed += how.stride) {
    const auto drawn = settings_of(how, seed);
    if (!drawn) {
      std::fprintf(stderr, "%s: %s\n", how.config.c_str(), drawn.error().message.c_str());
      ++all.failed;
      break;
    }
    const auto got = run_one(how, *drawn, all);
    if (how.crash_every > 0)
      run_crashes(how, *drawn, got, all);
    const auto bytes = bytes_in_use().value_or(0);
    if (seed == how.first)
      bytes_before = bytes;
    if (bytes > bytes_before + kept_bytes_max) {
      std::printf("seed %" PRIu64
                  " leaves memory behind: %zu bytes are in use, and were %zu after the "
                  "first seed\n",
                  seed, bytes, bytes_before);
      ++all.failed;
      break;
    }
    if (all.failed >= how.failures_max)
      break;
  }
  return all;
}

/// What each of `jobs` processes says: a world has one thread, and the product keeps things by
/// thread. Empty: the process has died.
std::vector<std::string> in_processes(unsigned jobs,
                                      const std::function<std::string(unsigned job)>& work) {
  if (jobs <= 1)
    return {work(0)};
  std::vector<int> pipes;
  for (unsigned job = 0; job < jobs; ++job) {
    int ends[2];
    if (::pipe(ends) != 0)
      break;
    std::fflush(stdout);
    if (const auto child = ::fork(); child == 0) {
      ::close(ends[0]);
      const auto text = work(job);
      std::fflush(stdout);
      const bool is_told =
          ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
      ::_exit(is_told ? 0 : 1);
    }
    ::close(ends[1]);
    pipes.push_back(ends[0]);
  }
  std::vector<std::string> out(jobs);
  for (std::size_t job = 0; job < pipes.size(); ++job) {
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(pipes[job], buffer, sizeof buffer)) > 0;)
      out[job].append(buffer, static_cast<std::size_t>(count));
    ::close(pipes[job]);
  }
  while (::wait(nullptr) > 0) {
  }
  return out;
}

totals run_jobs(const options& how) {
  totals all;
  for (const auto& text : in_processes(how.jobs, [&](unsigned job) {
         auto own = how;
         own.first += job;
         own.stride = how.jobs;
         return run_all(own).text();
       }))
    if (!all.add(text)) {
      std::fprintf(stderr, "a job has died\n");
      ++all.failed;
    }
  return all;
}

/// A planted bug that was found, and how small its failure was made.
struct found_mutant {
  std::optional<shrunk> small; ///< Nothing: it was not asked for.
};

/// The first seed in which its checker finds a planted bug, as a row of the table of the
/// documentation. Nothing: there is none.
std::optional<found_mutant> find_mutant(const options& how, const planted& one) {
  outcome got;
  auto drawn = draw_settings(how.first);
  const auto is_found = [&] {
    return std::ranges::find(got.checkers, one.checker) != got.checkers.end();
  };
  std::set<std::string> others;
  for (auto seed = how.first; seed <= how.last && !is_found(); ++seed) {
    drawn = draw_settings(seed);
    drawn.bug = one.bug;
    got = run(drawn);
    others.insert(got.checkers.begin(), got.checkers.end());
  }
  const std::string name(one.name);
  const std::string checker(one.checker);
  if (!is_found()) {
    std::string by;
    for (const auto& each : others)
      by += (by.empty() ? "" : ", ") + each;
    std::printf("| `%s` | not found | `%s` | found by: %s\n", name.c_str(), checker.c_str(),
                by.empty() ? "none" : by.c_str());
    return std::nullopt;
  }
  std::printf("| `%s` | %" PRIu64 " | `%s` |\n", name.c_str(), drawn.seed, checker.c_str());
  found_mutant out;
  if (how.shrinks) {
    auto own = how;
    if (!own.into.empty())
      own.into += "/" + name + ".toml";
    out.small = make_small(own, drawn, checker);
  }
  return out;
}

/// A line for each bug that the job has found: clients, operations and kinds of faults that are
/// left of its failure, if it was made small.
std::string find_mutants_of_job(const options& how, unsigned job) {
  std::ostringstream out;
  for (std::size_t i = job; i < mutants.size(); i += how.jobs) {
    if (!how.bug.empty() && mutants[i].name != how.bug)
      continue;
    const auto found = find_mutant(how, mutants[i]);
    if (found && found->small)
      out << found->small->clients << ' ' << found->small->operations << ' '
          << found->small->faults;
    if (found)
      out << '\n';
  }
  return out.str();
}

std::size_t median(std::vector<std::size_t> of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::ranges::nth_element(of, middle);
  return *middle;
}

/// With several jobs the rows come as they are found.
int find_mutants(const options& how) {
  std::size_t found = 0;
  std::size_t wanted = 0;
  std::vector<std::size_t> clients;
  std::vector<std::size_t> operations;
  std::vector<std::size_t> faults;
  for (const auto& each : mutants)
    wanted += how.bug.empty() || each.name == how.bug ? 1U : 0U;
  for (const auto& text :
       in_processes(how.jobs, [&](unsigned job) { return find_mutants_of_job(how, job); })) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line); ++found) {
      std::istringstream sizes(line);
      std::size_t of_clients = 0;
      std::size_t of_operations = 0;
      std::size_t of_faults = 0;
      if (!(sizes >> of_clients >> of_operations >> of_faults))
        continue;
      clients.push_back(of_clients);
      operations.push_back(of_operations);
      faults.push_back(of_faults);
    }
  }
  std::printf("%zu of %zu planted bugs are found\n", found, wanted);
  if (!clients.empty())
    std::printf("the median of %zu small failures has %zu clients, %zu operations and %zu kinds of "
                "faults\n",
                clients.size(), median(clients), median(operations), median(faults));
  return found == wanted ? 0 : 1;
}

int run_and_tell(const options& how) {
  const auto& time = system_time();
  const auto begin = time.steady();
  const auto all = run_jobs(how);
  const auto took = std::chrono::duration<double>(time.steady() - begin).count();
  std::printf("%" PRIu64 " seeds in %.1f s (%.0f a minute), %" PRIu64
              " failed; %.0f virtual seconds, %" PRIu64 " calls, %" PRIu64 " crashes, %" PRIu64
              " steps; hash of all histories %016" PRIx64 "\n",
              all.seeds, took, static_cast<double>(all.seeds) / took * 60, all.failed,
              all.virtual_seconds, all.calls, all.crashes, all.steps, all.hash);
  if (how.shows_situations)
    for (const auto name : situations)
      std::printf("%10" PRIu64 "  %s\n", all.count_of(name), std::string(name).c_str());
  const auto missing = all.missing();
  if (how.needs_situations)
    for (const auto name : missing)
      std::printf("never reached: %s\n", std::string(name).c_str());
  return all.failed == 0 && (missing.empty() || !how.needs_situations) ? 0 : 1;
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
  app.add_option("--jobs", how.jobs, "Runs so many seeds at a time")->check(CLI::Range(1, 256));
  app.add_flag("--trace", how.shows_trace, "Prints what the seed has drawn, and all that happens");
  app.add_option("--from", how.from, "The first step that --trace prints");
  app.add_option("--to", how.to, "The last step that --trace prints");
  app.add_flag("--situations", how.shows_situations, "Prints how often each situation was reached");
  app.add_flag("--all-situations", how.needs_situations,
               "Fails if a situation was not reached, and says which");
  app.add_option("--twice-every", how.twice_every,
                 "Runs one seed in so many twice and compares; 0: none");
  app.add_option("--failures", how.failures_max, "Ends after so many failures");
  app.add_option("--crash-at", how.crash_at, "The process dies at this step");
  app.add_option(
      "--crash-every", how.crash_every,
      "Runs each world once more for every so many of its steps, and the process dies there");
  app.add_flag(
      "--slow", how.is_slow,
      "RocksDB writes its tables by its own threads, and they are lost with the power; the same "
      "seed is not the same history then");
  app.add_option("--config", how.config, "A file of settings, as --shrink makes them");
  app.add_flag("--shrink", how.shrinks,
               "Leaves out what a failure does not need, and prints the rest");
  app.add_option("--shrink-runs", how.shrink_runs_max, "Tries at most so many smaller worlds");
  app.add_option("--into", how.into, "Writes what --shrink leaves into this file, too");
  app.add_flag("--find-mutants", how.finds_mutants,
               "Says which seed finds each planted bug; with --shrink, --into is a directory");
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
  return how.finds_mutants ? find_mutants(how) : run_and_tell(how);
}
