// What troupe-sim is asked to do, and how it is asked to do it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include "sim/settings.hpp"

namespace troupe::sim {

inline constexpr int exit_ok = 0;
inline constexpr int exit_failure = 1;  ///< A world fails, or something wanted was not found.
inline constexpr int exit_usage = 2;    ///< The command line, a file or the output.
inline constexpr int exit_signal = 128; ///< And the number of the signal.

struct options {
  std::uint64_t first = 1;
  std::uint64_t last = 1;        ///< At most `seed_max`.
  std::optional<double> minutes; ///< In place of `last`.
  bool shows_trace = false;
  std::uint64_t from = 0; ///< The steps that the trace shows.
  std::uint64_t to = seed_max;
  bool shows_situations = false;
  bool needs_situations = false;
  std::uint64_t twice_every = 50; ///< 0: none.
  std::uint64_t failures_max = 5;
  std::uint64_t jobs = 1;
  mutant bug = mutant::none; ///< To be planted.
  bool finds_mutants = false;
  std::uint64_t crash_at = 0;    ///< A step of the world; 0: none.
  std::uint64_t crash_every = 0; ///< Runs each seed once for each such step; 0: it does not.
  bool is_slow = false;          ///< With tables that RocksDB writes.
  std::string config;            ///< A file of settings, in place of what a seed draws.
  std::optional<settings> kept;  ///< Its content.
  bool shrinks = false;
  std::size_t shrink_runs_max = 2'000;
  std::string into; ///< The file for what is left of a failure; of --find-mutants a directory.

  /// Whether it is about one world that was chosen.
  [[nodiscard]] bool is_single() const { return first == last && !minutes && crash_every == 0; }
};

/// The options; or the code to end with, and it has been said why.
[[nodiscard]] std::variant<options, int> read_command_line(int argc, const char* const* argv);

/// The settings of that world. With a file, those of the file.
[[nodiscard]] settings settings_of(const options& in, std::uint64_t seed);

/// The command that does these `words` with that world, for example "troupe-sim --trace --seed 7".
[[nodiscard]] std::string command_for(const options& in, const settings& how,
                                      const std::string& words);
/// The same for all seeds from `first` to `last`.
[[nodiscard]] std::string command_for_range(const options& in, std::uint64_t first,
                                            std::uint64_t last);

} // namespace troupe::sim
