#include "sim/seeds.hpp"

#include "protocol/text/counted.hpp"
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "sim/jobs.hpp"
#include "sim/memory.hpp"
#include "sim/run.hpp"
#include "sim/settings_text.hpp"
#include "sim/shrink.hpp"
#include "sim/text_files.hpp"
#include "sim/totals.hpp"

namespace troupe::sim {

namespace {

/// A world gives its memory back. What the program keeps for the next one has this bound.
constexpr std::size_t kept_bytes_max = std::size_t{4} << 20;

template<class... Values>
std::string formatted(const char* form, Values... values) {
  char out[256];
  return {out, static_cast<std::size_t>(std::snprintf(out, sizeof out, form, values...))};
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

std::string seed_name(const settings& how) {
  return "seed " + std::to_string(how.seed);
}

// -- what a job gives: what a world came to, and what is to be said of it --------------------------

struct world_report {
  totals came_to;
  std::string text;
  std::string checker; ///< That failed; empty: none that --shrink could ask again.
  settings how;        ///< If one did.
};

void give(job& here, const world_report& of) {
  here.give({of.came_to.text(), of.text, of.checker,
             of.checker.empty() ? std::string{} : write_settings(of.how)});
}

/// But for what it came to, which is added to the whole.
world_report read_world(const std::vector<std::string>& result) {
  world_report out;
  out.text = result.at(1);
  out.checker = result.at(2);
  if (!out.checker.empty())
    out.how = read_settings(result.at(3)).value();
  return out;
}

// -- one world ------------------------------------------------------------------------------------

std::string text_of_failure(const options& in, const settings& how, const outcome& of) {
  auto out = seed_name(how) + " fails: checker " + of.failed->checker + "\n  " + of.failed->sentence
             + "\n";
  std::string others;
  for (const auto& [checker, sentence] : of.found)
    if (checker != of.failed->checker)
      others += (others.empty() ? "" : ", ") + checker;
  if (!others.empty())
    out += "  also found by: " + others + "\n";
  out += formatted("  at %.3f s of virtual time, after ",
                   std::chrono::duration<double>(of.virtual_time).count())
         + counted(of.steps, "step") + " and " + counted(of.crashes, "crash", "crashes")
         + "; built by " + build() + "\n";
  for (const auto& line : of.failed->story)
    out += "  | " + line + "\n";
  return out + "  repeat it: " + command_for(in, how, "--trace") + "\n";
}

/// A second run of the same seed must be the same run. Empty: it has the same lines; else where it
/// has not.
std::string difference(const settings& how, const std::vector<std::string>& lines) {
  std::size_t count = 0;
  std::optional<std::size_t> first;
  std::string other = "(nothing)";
  static_cast<void>(run(how, [&](std::uint64_t, const std::string& line) {
    if (!first && (count >= lines.size() || lines[count] != line)) {
      first = count;
      other = line;
    }
    ++count;
  }));
  if (!first && count < lines.size())
    first = count;
  if (!first)
    return {};
  return seed_name(how) + " differs from itself at line " + std::to_string(*first + 1) + ":\n  | "
         + (*first < lines.size() ? lines[*first] : "(nothing)") + "\n  | " + other + "\n";
}

/// Why the process did not die where it should.
std::string note_of_crash(const options& in, const settings& how, const outcome& of) {
  if (in.crash_at + in.crash_every == 0)
    return {};
  if (!how.is_durable)
    return seed_name(how) + " has no disk: its process does not die\n";
  if (how.crash_at_step >= of.steps && in.crash_at > 0)
    return seed_name(how) + " ends after " + counted(of.steps, "step")
           + ": its process does not die at step " + std::to_string(how.crash_at_step) + "\n";
  return {};
}

outcome run_one(const options& in, const settings& how, job& here) {
  if (in.shows_trace)
    here.print(write_settings(how));
  const bool runs_twice =
      !how.has_real_tables && in.twice_every != 0 && how.seed % in.twice_every == 0;
  std::vector<std::string> lines;
  const auto got = run(how, [&](std::uint64_t step, const std::string& line) {
    if (in.shows_trace && step >= in.from && step <= in.to)
      here.print(formatted("%8" PRIu64 " ", step) + line + "\n");
    if (runs_twice)
      lines.push_back(line);
  });
  world_report out;
  out.came_to.add(got);
  out.text = note_of_crash(in, how, got);
  if (got.failed) {
    out.text += text_of_failure(in, how, got);
    out.checker = got.failed->checker;
    out.how = how;
  } else if (runs_twice) {
    if (const auto differs = difference(how, lines); !differs.empty()) {
      ++out.came_to.failed;
      out.text += differs + "  repeat it: " + command_for(in, how, "--twice-every 1") + "\n";
    }
  }
  if (in.is_single())
    out.text += seed_name(how) + formatted(": hash %016" PRIx64 "\n", got.hash);
  give(here, out);
  return got;
}

// -- a job ----------------------------------------------------------------------------------------

/// Of every `in.jobs` seeds one.
class seeds_job {
public:
  seeds_job(const options& in, job& here) : in_(in), here_(here) {}

  void run_from(std::uint64_t first, const std::function<bool()>& has_time) {
    std::optional<std::size_t> bytes_before;
    for (auto seed = first; seed <= in_.last && (seed == first || has_time()); seed += in_.jobs) {
      const auto how = settings_of(in_, seed);
      begin(how, seed);
      const auto got = run_one(in_, how, here_);
      if (in_.crash_every > 0 && how.is_durable)
        run_crashes(how, seed, got);
      const auto bytes = bytes_in_use().value_or(0);
      if (!bytes_before)
        bytes_before = bytes;
      if (bytes > *bytes_before + kept_bytes_max)
        return tell_memory(first, seed, bytes, *bytes_before);
    }
  }

private:
  void begin(const settings& how, std::uint64_t seed) {
    const auto left = (in_.last - seed) / in_.jobs;
    here_.begin({seed_name(how)
                     + (how.crash_at_step == 0
                            ? ""
                            : ", with a crash at step " + std::to_string(how.crash_at_step) + ","),
                 command_for(in_, how, "--trace"),
                 in_.minutes ? "its job runs no other seed"
                 : left == 0
                     ? ""
                     : "its job does not run " + counted(left, "seed") + " that it had before it"});
  }

  /// The world of `first` again and again, in which the process dies at one step after the other,
  /// until faults have ended.
  void run_crashes(settings how, std::uint64_t seed, const outcome& first) {
    for (auto at = in_.crash_every; at < first.steps; at += in_.crash_every) {
      how.crash_at_step = at;
      begin(how, seed);
      if (run_one(in_, how, here_).crashes == first.crashes)
        return;
    }
  }

  void tell_memory(std::uint64_t first, std::uint64_t seed, std::size_t bytes,
                   std::size_t bytes_before) {
    world_report out;
    out.came_to.failed = 1;
    out.text = "seed " + std::to_string(seed) + " leaves memory behind: " + std::to_string(bytes)
               + " bytes are in use, and were " + std::to_string(bytes_before) + " after seed "
               + std::to_string(first) + "\n  repeat it: " + command_for_range(in_, first, seed)
               + "\n";
    give(here_, out);
  }

  const options& in_;
  job& here_;
};

// -- all of them ----------------------------------------------------------------------------------

struct all_worlds {
  totals came_to;
  std::optional<world_report> to_shrink;
  int signal = 0; ///< That ended them.
};

all_worlds run_all(const options& in) {
  all_worlds out;
  const auto& time = system_time();
  const auto begin = time.steady();
  const auto has_time = [&] {
    return !in.minutes
           || std::chrono::duration<double, std::ratio<60>>(time.steady() - begin).count()
                  < *in.minutes;
  };
  const auto goes_on = [&] { return out.came_to.failed < in.failures_max; };
  const auto jobs = static_cast<unsigned>(std::min(in.jobs - 1, in.last - in.first) + 1);
  out.signal = run_jobs(jobs,
                        [&](unsigned number, job& here) {
                          seeds_job(in, here).run_from(in.first + number, has_time);
                        },
                        {.take =
                             [&](const std::vector<std::string>& result) {
                               const auto world = read_world(result);
                               out.came_to.add(result.at(0));
                               print(world.text);
                               if (!world.checker.empty())
                                 out.to_shrink = world;
                               return goes_on();
                             },
                         .note_death =
                             [&] {
                               ++out.came_to.failed;
                               return goes_on();
                             }});
  return out;
}

/// The signal that ended it; 0: none.
int shrink_failure(const options& in, const world_report& failing) {
  std::string text;
  const auto signal = run_jobs(1,
                               [&](unsigned, job& here) {
                                 here.begin({"a smaller world of " + seed_name(failing.how),
                                             command_for(in, failing.how, "--shrink"), ""});
                                 const auto small =
                                     shrink(failing.how, failing.checker, in.shrink_runs_max);
                                 here.give({text_of(small, failing.checker), sizes_of(small)});
                               },
                               {.take =
                                    [&](const std::vector<std::string>& result) {
                                      text = result.at(0);
                                      print(result.at(1) + text);
                                      return true;
                                    },
                                .note_death = [] { return true; }});
  if (text.empty() || in.into.empty())
    return signal;
  if (const auto written = write_text(in.into, text); !written)
    throw std::runtime_error(written.error().message);
  return signal;
}

void print_totals(const totals& all, double took) {
  print(
      counted(all.seeds, "seed")
      + formatted(" in %.1f s (%.0f a minute), ", took, static_cast<double>(all.seeds) / took * 60)
      + std::to_string(all.failed) + " failed; "
      + formatted("%.0f virtual seconds, ", all.virtual_seconds) + counted(all.calls, "call") + ", "
      + counted(all.crashes, "crash", "crashes") + ", " + counted(all.steps, "step")
      + formatted("; hash of all histories %016" PRIx64 "\n", all.hash));
}

} // namespace

int run_seeds(const options& in) {
  const auto& time = system_time();
  const auto begin = time.steady();
  const auto all = run_all(in);
  const auto took = std::chrono::duration<double>(time.steady() - begin).count();
  int signal = all.signal;
  if (signal == 0 && in.shrinks && all.to_shrink)
    signal = shrink_failure(in, *all.to_shrink);
  print_totals(all.came_to, took);
  if (signal != 0)
    return exit_signal + signal;
  if (in.shows_situations)
    for (const auto name : situations)
      print(formatted("%10" PRIu64 "  ", all.came_to.count_of(name)) + std::string(name) + "\n");
  const auto missing = all.came_to.missing();
  if (in.needs_situations)
    for (const auto name : missing)
      print("never reached: " + std::string(name) + "\n");
  return all.came_to.failed == 0 && (missing.empty() || !in.needs_situations) ? exit_ok
                                                                              : exit_failure;
}

} // namespace troupe::sim
