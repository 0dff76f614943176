#include "sim/command_line.hpp"

#include "protocol/json/quoted.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "sim/settings_text.hpp"
#include "sim/text_files.hpp"

namespace troupe::sim {

namespace {

/// So small that segments are removed once the tables have what is in them.
constexpr std::size_t slow_segment_bytes = 8 * 1024;
constexpr std::uint64_t jobs_max = 256;
/// For --find-mutants: each planted bug is found in one of them.
constexpr std::uint64_t mutant_seeds = 2'000;
constexpr double minutes_max = 1'000'000;

constexpr const char* footer =
    "It ends with 0 if nothing fails; with 1 if a world fails, a process dies, a situation is not\n"
    "reached (--all-situations) or a planted bug is not found (--find-mutants); with 2 if the\n"
    "command line or a file is wrong, or the output cannot be written; and with 128 + N after\n"
    "signal N. docs/simulation.md says more.";

/// Why the command line is refused.
struct refusal : std::runtime_error {
  using runtime_error::runtime_error;
};

// -- values ---------------------------------------------------------------------------------------

/// The whole text is the number.
template<class Number>
std::optional<Number> number_in(std::string_view text) {
  Number out{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (failed != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return out;
}

std::uint64_t read_whole(const std::string& option, const std::string& text, std::uint64_t least,
                         std::uint64_t most) {
  const auto out = number_in<std::uint64_t>(text);
  if (!out || *out < least || *out > most)
    throw refusal(option + " is a whole number from " + std::to_string(least) + " to "
                  + std::to_string(most) + ", not " + troupe::quoted(text));
  return *out;
}

double read_minutes(const std::string& text) {
  const auto out = number_in<double>(text);
  if (!out || !(*out > 0 && *out <= minutes_max))
    throw refusal("--minutes is a number above 0, such as 0.5 or 10, and at most 1000000, not "
                  + troupe::quoted(text));
  return *out;
}

/// "7..12" or "7".
void read_range(const std::string& option, const std::string& text, options& into) {
  const auto seed_in = [&](const std::string& part) {
    const auto out = number_in<std::uint64_t>(part);
    if (!out || *out > static_cast<std::uint64_t>(seed_max))
      throw refusal(option + " is a seed from 0 to " + std::to_string(seed_max)
                    + ", or a range such as 1..1000, not " + troupe::quoted(text));
    return *out;
  };
  const auto dots = text.find("..");
  into.first = seed_in(text.substr(0, dots));
  into.last = dots == std::string::npos ? into.first : seed_in(text.substr(dots + 2));
  if (into.first > into.last)
    throw refusal("the range " + troupe::quoted(text) + " of " + option + " is reversed; write "
                  + std::to_string(into.last) + ".." + std::to_string(into.first));
}

mutant read_bug(const std::string& name) {
  const auto bug = read_mutant(name);
  if (bug)
    return *bug;
  std::string names;
  for (const auto& each : mutants)
    names.append("\n  ").append(each.name);
  throw refusal("--mutant: " + bug.error().message + "\nthere are:" + names);
}

std::string read_path(const std::string& option, const std::string& text) {
  if (text.empty())
    throw refusal(option + " is a path, not \"\"");
  return text;
}

settings read_config(const std::string& path) {
  const auto text = read_text(path);
  if (!text)
    throw refusal("--config: " + text.error().message);
  const auto out = read_settings(*text);
  if (!out)
    throw refusal(path + ": " + out.error().message);
  return *out;
}

// -- options --------------------------------------------------------------------------------------

void add_options(CLI::App& app, options& how) {
  const auto text = [&](const std::string& name, const std::string& kind, const std::string& help,
                        auto read) {
    return app.add_option_function<std::string>(name, read, help)->type_name(kind);
  };
  const auto whole = [&](const std::string& name, auto& into, std::uint64_t least,
                         std::uint64_t most, const std::string& help) {
    text(name, "NUMBER", help, [name, &into, least, most](const std::string& given) {
      into = read_whole(name, given, least, most);
    })->default_str(least > into || into == most ? "" : std::to_string(into));
  };
  constexpr auto most = static_cast<std::uint64_t>(seed_max);
  for (const std::string name : {"--seed", "--seeds"})
    text(name, "SEED",
         name == "--seed" ? "One seed, or a range: 1..1000 (default: 1; with --find-mutants: "
                            "1..2000)"
                          : "The same",
         [name, &how](const std::string& given) { read_range(name, given, how); });
  text("--minutes", "NUMBER", "Runs seeds from --seed on for so long; at least one",
       [&](const std::string& given) { how.minutes = read_minutes(given); });
  whole("--jobs", how.jobs, 1, jobs_max, "Runs so many seeds at a time");
  app.add_flag("--trace", how.shows_trace,
               "Prints what the seed has drawn, and all that happens; needs one job");
  whole("--from", how.from, 0, most, "The first step that is printed; needs --trace");
  whole("--to", how.to, 0, most, "The last step that is printed (default: the end); needs --trace");
  app.add_flag("--situations", how.shows_situations, "Prints how often each situation was reached");
  app.add_flag("--all-situations", how.needs_situations,
               "Fails if a situation was not reached, and says which");
  whole("--twice-every", how.twice_every, 0, most,
        "Runs one seed in so many twice and compares; 0: none");
  whole("--failures", how.failures_max, 1, most, "Ends after so many failures");
  whole("--crash-at", how.crash_at, 1, most, "The process dies at this step");
  whole("--crash-every", how.crash_every, 1, most,
        "Runs each world once more for every so many of its steps; the process\n"
        "dies there");
  app.add_flag("--slow", how.is_slow,
               "RocksDB writes its tables by its own threads, and the power takes\n"
               "them, too; the same seed is not the same history then");
  text("--config", "FILE", "A file of settings, as --shrink makes them, in place of a seed",
       [&](const std::string& given) { how.config = read_path("--config", given); });
  app.add_flag("--shrink", how.shrinks,
               "Ends at the first failure, and leaves out of its world one thing after\n"
               "the other, as long as the same checker fails: kinds of faults, squeezed\n"
               "limits, clients, time, steps of agents, then operations of clients;\n"
               "prints the settings that are left");
  whole("--shrink-runs", how.shrink_runs_max, 1, most,
        "Tries at most so many smaller worlds; needs --shrink");
  text("--into", "FILE", "Writes what --shrink leaves into this file, too; needs --shrink",
       [&](const std::string& given) { how.into = read_path("--into", given); });
  app.add_flag("--find-mutants", how.finds_mutants,
               "Says which seed finds each planted bug; with --shrink, --into is a directory");
  text("--mutant", "NAME", "Plants this bug, which a checker is to find",
       [&](const std::string& given) { how.bug = read_bug(given); });
  app.footer(footer);
}

// -- contradictions -------------------------------------------------------------------------------

struct need {
  std::string_view option;
  std::string_view other;
};

constexpr auto needs = std::to_array<need>({
    {"--from", "--trace"},
    {"--to", "--trace"},
    {"--into", "--shrink"},
    {"--shrink-runs", "--shrink"},
});

struct contradiction {
  std::string_view option;
  std::string_view other;
  std::string_view reason;
};

constexpr std::string_view own_seed = "the file has its own seed";
constexpr std::string_view whole_seeds = "planted bugs are searched in what seeds draw";
constexpr std::string_view only_bugs = "--find-mutants tells nothing but planted bugs";

constexpr auto contradictions = std::to_array<contradiction>({
    {"--seed", "--seeds", "both choose the seeds"},
    {"--config", "--seed", own_seed},
    {"--config", "--seeds", own_seed},
    {"--config", "--minutes", "the file is one world"},
    {"--crash-at", "--crash-every", "both choose the step"},
    {"--shrink", "--failures", "--shrink ends at the first failure"},
    {"--find-mutants", "--config", whole_seeds},
    {"--find-mutants", "--minutes", whole_seeds},
    {"--find-mutants", "--crash-at", whole_seeds},
    {"--find-mutants", "--crash-every", whole_seeds},
    {"--find-mutants", "--slow", whole_seeds},
    {"--find-mutants", "--trace", only_bugs},
    {"--find-mutants", "--situations", only_bugs},
    {"--find-mutants", "--all-situations", only_bugs},
    {"--find-mutants", "--twice-every", only_bugs},
    {"--find-mutants", "--failures", only_bugs},
});

void refuse_contradictions(const CLI::App& app, const options& how) {
  const auto is_given = [&](std::string_view name) { return app.count(std::string(name)) > 0; };
  for (const auto& each : needs)
    if (is_given(each.option) && !is_given(each.other))
      throw refusal(std::string(each.option) + " needs " + std::string(each.other));
  for (const auto& each : contradictions)
    if (is_given(each.option) && is_given(each.other))
      throw refusal(std::string(each.option) + " and " + std::string(each.other)
                    + " exclude each other: " + std::string(each.reason) + "; leave one out");
  if (how.shows_trace && how.jobs > 1)
    throw refusal("--trace needs one job: several would mix their lines; leave out --jobs");
  if (how.from > how.to)
    throw refusal("--from " + std::to_string(how.from) + " is behind --to "
                  + std::to_string(how.to));
  if (how.minutes && how.first != how.last)
    throw refusal("--minutes begins at one seed and has no last one; give it --seed "
                  + std::to_string(how.first));
}

/// Before any world runs: the work of hours must not be lost for want of a place.
void check_into(const options& how) {
  if (how.into.empty())
    return;
  const auto can_write = check_writable(how.finds_mutants ? how.into + "/none.toml" : how.into);
  if (!can_write)
    throw refusal("--into: " + can_write.error().message
                  + (how.finds_mutants ? "; with --find-mutants it is a directory" : ""));
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789_-./+:,@%=";
  if (text.find_first_not_of(plain) == std::string::npos)
    return text;
  std::string out = "'";
  for (const char each : text)
    out += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return out + "'";
}

std::string words_of_all(const options& in) {
  std::string out;
  if (in.is_slow)
    out += " --slow";
  if (in.bug != mutant::none)
    out.append(" --mutant ").append(std::ranges::find(mutants, in.bug, &planted::bug)->name);
  return out;
}

} // namespace

std::variant<options, int> read_command_line(int argc, const char* const* argv) {
  options how;
  CLI::App app{"Runs whole servers from seeds, with faults, and checks what their clients saw",
               "troupe-sim"};
  add_options(app, how);
  try {
    app.parse(argc, argv);
    refuse_contradictions(app, how);
    if (!how.config.empty())
      how.kept = read_config(how.config);
    check_into(how);
  } catch (const CLI::Success& help) {
    std::ostringstream out;
    app.exit(help, out, out);
    print(out.str());
    return exit_ok;
  } catch (const CLI::Error& wrong) {
    std::fprintf(stderr, "%s (try `troupe-sim --help`)\n", wrong.what());
    return exit_usage;
  } catch (const refusal& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return exit_usage;
  }
  if (how.finds_mutants && app.count("--seed") + app.count("--seeds") == 0)
    how.last = mutant_seeds;
  if (how.minutes)
    how.last = static_cast<std::uint64_t>(seed_max);
  if (how.shrinks)
    how.failures_max = 1;
  return how;
}

settings settings_of(const options& in, std::uint64_t seed) {
  auto out = in.kept ? *in.kept : draw_settings(seed);
  if (in.bug != mutant::none)
    out.bug = in.bug;
  if (in.crash_at > 0 && out.is_durable)
    out.crash_at_step = in.crash_at;
  if (in.is_slow) {
    out.has_real_tables = true;
    out.segment_bytes = std::min(out.segment_bytes, slow_segment_bytes);
  }
  return out;
}

std::string command_for(const options& in, const settings& how, const std::string& words) {
  auto out =
      "troupe-sim " + words
      + (in.kept ? " --config " + shell_word(in.config) : " --seed " + std::to_string(how.seed));
  if (how.crash_at_step != (in.kept ? in.kept->crash_at_step : 0))
    out += " --crash-at " + std::to_string(how.crash_at_step);
  return out + words_of_all(in);
}

std::string command_for_range(const options& in, std::uint64_t first, std::uint64_t last) {
  auto out = "troupe-sim --seeds " + std::to_string(first) + ".." + std::to_string(last);
  if (in.crash_at > 0)
    out += " --crash-at " + std::to_string(in.crash_at);
  if (in.crash_every > 0)
    out += " --crash-every " + std::to_string(in.crash_every);
  return out + words_of_all(in);
}

} // namespace troupe::sim
