// What every benchmark needs: options, repetition, a table for people, JSON lines for machines, and
// a check that turns a wrong result into a failed run. Used by the benchmarks alone; one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {

/// The options that all benchmarks understand.
struct options {
  bool quick = false; ///< Smoke size: shows that the benchmark works, not how fast anything is.
  std::size_t threads =
      0; ///< Of the thing measured; filled in with the number of cores if not given.
  std::size_t rounds = 0; ///< Measured repetitions; 0 = the benchmark's own choice.
  std::string filter;     ///< Only cases whose name contains this.
  std::string
      out; ///< Path of the JSON lines; default `build/bench/<name>.jsonl` in the source tree.

  mutable bool wanted_any = false; ///< `wants` has been true.

  [[nodiscard]] bool wants(const std::string& name) const {
    const bool fits = name.find(filter) != std::string::npos;
    wanted_any = wanted_any || fits;
    return fits;
  }
  [[nodiscard]] std::size_t rounds_or(std::size_t full) const {
    return rounds ? rounds : quick ? 1 : full;
  }
};

/// An option of one benchmark: `--name VALUE`.
struct extra_option {
  std::string name; ///< With its dashes: `--input`.
  std::string help;
  std::string* value;
};

/// The result is not what it must be: the run fails.
class wrong_result : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Throws wrong_result with `text` unless `holds`.
void check(bool holds, const std::string& text);

/// The middle value; 0 for none. The mean of the middle two for an even number.
[[nodiscard]] double median(std::vector<double> values);
/// Nearest rank, `share` in 0..1; 0 for none.
[[nodiscard]] double percentile(std::vector<double> values, double share);

/// Seconds that `work` takes, by the steady clock.
[[nodiscard]] double seconds_of(const std::function<void()>& work);

/// Something to be measured; each call is one run and returns its figure.
using contender = std::function<double()>;

/// One warm-up round (thrown away) and `rounds` measured ones; in each, every contender runs once,
/// so that what disturbs the machine meanwhile hits all of them. `[contender][round]`.
[[nodiscard]] std::vector<std::vector<double>> measure_in_turn(std::size_t rounds,
                                                               const std::vector<contender>& all);

/// The median of `value[i] / base[i]`: both of the same round.
[[nodiscard]] double ratio_of(const std::vector<double>& value, const std::vector<double>& base);

/// Collects results; prints each as a table row and appends it to the JSON lines.
class report {
public:
  /// `name`: the benchmark's, as in the file's name.
  report(std::string name, options how);

  /// A line of text above the following rows.
  void heading(const std::string& text);
  /// A figure that has no baseline, or is one.
  void add(const std::string& case_name, double value, const std::string& unit);
  /// A figure with its baseline of the same run; `ratio` = value / baseline unless given.
  void add(const std::string& case_name, double value, const std::string& unit, double baseline,
           std::optional<double> ratio = std::nullopt);

private:
  void append_line(const std::string& case_name, double value, const std::string& unit,
                   const std::optional<double>& baseline, const std::optional<double>& ratio) const;

  std::string name_;
  options how_;
  std::string commit_;
};

/// Reads the command line, runs `body`, and turns what it throws into a message and exit code 1
/// (wrong usage: 2). A filter that fits no case is a failure.
int run_benchmark(int argc, char** argv, const std::string& name, const std::string& question,
                  const std::function<void(const options&, report&)>& body,
                  std::vector<extra_option> extras = {});

/// Major.minor.patch of the CAF this was built against.
[[nodiscard]] std::string caf_version();

} // namespace troupe::bench
