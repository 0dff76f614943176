// How far the work of a plan or objective is, as integers: what its tasks have done, weighted by
// the time that each is expected to take. These are sums, so that an event costs what it touches;
// protocol/fold/rollup.hpp keeps them.
#pragma once

#include <troupe/protocol/chunked.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace troupe {

/// All of something: fractions count in millionths.
inline constexpr std::uint32_t whole_fraction = 1'000'000;

/// What tasks add up to. Those whose time is not known have the median of the others as weight, so
/// they are counted apart.
struct rollup_sums {
  /// Of tasks with `expected`: their milliseconds, each times its fraction. 100,000 tasks of a year
  /// do not fit into 64 bits.
  __extension__ unsigned __int128 known_done = 0;
  std::uint64_t known_total = 0;   ///< Milliseconds of these tasks.
  std::uint64_t unknown_done = 0;  ///< Of the others: their fractions.
  std::uint64_t unknown_tasks = 0; ///< How many others there are.

  rollup_sums& operator+=(const rollup_sums& more) noexcept {
    known_done += more.known_done;
    known_total += more.known_total;
    unknown_done += more.unknown_done;
    unknown_tasks += more.unknown_tasks;
    return *this;
  }
  rollup_sums& operator-=(const rollup_sums& less) noexcept {
    known_done -= less.known_done;
    known_total -= less.known_total;
    unknown_done -= less.unknown_done;
    unknown_tasks -= less.unknown_tasks;
    return *this;
  }
  friend bool operator==(const rollup_sums&, const rollup_sums&) = default;
};

/// How far something is. `done` of `total`: seconds if any task of the objective has
/// `expectedSeconds`, else tasks. `fraction`: in millionths, as shown.
struct rolled_up {
  double done = 0;
  double total = 0;
  std::uint32_t fraction = 0;
};

/// The highest fraction within one revision of the objective: what is shown does not go back.
struct held_fraction {
  std::uint32_t fraction = 0;
  std::uint64_t revision = 0; ///< Of the objective.

  friend bool operator==(const held_fraction&, const held_fraction&) = default;
};

/// Of a plan.
struct plan_rollup {
  rollup_sums sums;
  held_fraction held;
  bool is_counted = false; ///< In the sums of its objective.
  /// By task: how far it stands, as it said, without those that have completed. The tasks after the
  /// last one that said anything are left out.
  chunked<std::uint32_t> reached;
  std::optional<std::uint32_t> alternative_of; ///< The plan that it may replace.
  std::vector<std::uint32_t> alternatives;     ///< Plans that may replace it, in this order.
};

/// How many tasks of an objective are expected to take so many milliseconds. Times are rounded to
/// three digits, so there are at most some thousands of them.
using expected_times = std::map<std::int64_t, std::uint32_t>;

/// Of an objective.
struct objective_rollup {
  /// An actor's view keeps none: while a plan runs, the summaries of its tasks are elsewhere.
  bool is_kept = true;
  rollup_sums sums; ///< Of all plans that count.
  held_fraction held;
  std::shared_ptr<const expected_times> expected; ///< Null: no task has such a time.
  std::int64_t median_ms = 0;                     ///< Of `expected`; 0: there is none.
  std::uint32_t plans_blocked = 0;                ///< How many plans are blocked.
};

} // namespace troupe
