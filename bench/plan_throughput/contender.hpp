// What one contender of the throughput benchmark has to do: run `plans` plans of one shape and say
// how fast. Each stands in a file of its own: skeleton.cpp, executor.cpp.
#pragma once

#include "bench/support/shape.hpp"
#include <troupe/store/store.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace troupe::bench {

struct load {
  shape_ptr shape;
  std::size_t plans = 1;
  std::size_t threads = 2;
  std::size_t in_flight_max =
      20'000; ///< Tasks of unfinished plans at any time; at least one plan is.
};

/// What a durable run has reached and written.
struct durable_run {
  double tasks_per_s = 0.0;
  write_counters journal;
  /// By the whole process, into journal and tables. The disk itself writes whole blocks.
  std::uint64_t written_bytes = 0;
  /// Of session files: tasks a second until the files have all of them, too.
  double in_files_per_s = 0.0;
  std::uint64_t session_files = 0;
  std::uint64_t session_bytes = 0; ///< Of all these files.
};

/// Keeps the number of plans under way within `max`: the thread that makes them waits here. It is
/// woken only when half of them are done, so that waking costs next to nothing.
class plan_window {
public:
  explicit plan_window(std::size_t max) : max_(max) {}
  plan_window(const plan_window&) = delete;
  plan_window& operator=(const plan_window&) = delete;

  /// A plan begins. Waits for room.
  void enter();
  /// A plan ended; `problem` is empty if all was as it must be. From any thread.
  void leave(const std::string& problem = {});
  /// Waits for the last plan; throws wrong_result if one had a problem.
  void wait_all();

private:
  const std::size_t max_;
  std::mutex guard_;
  std::condition_variable changed_;
  std::size_t under_way_ = 0;
  std::size_t wanted_ = 0; ///< The waiting thread goes on when so many or fewer are under way.
  bool waiting_ = false;
  std::string problem_;
};

[[nodiscard]] std::size_t plans_in_flight(const load& load);

/// Who runs the actors of the skeleton.
enum class skeleton_scheduler {
  ours,   ///< The scheduler that Troupe's actors have (actors/caf_scheduler.hpp).
  of_caf, ///< CAF's own. With CAF 1.x the two are the same.
};

/// Bare CAF: a plan actor that spawns a task actor for each task that is ready, tells it to start,
/// and is told when it is done. Tasks a second.
[[nodiscard]] double run_skeleton(const load& load, skeleton_scheduler scheduler);

/// Troupe's gateway over a memory store, or over RocksDB (fsync before anything is acknowledged) in
/// `directory`, with no-op tasks. Tasks a second, from the first `create` until the last objective
/// is visibly completed.
[[nodiscard]] double run_in_memory(const load& load);
[[nodiscard]] durable_run run_durable(const load& load, const std::string& directory);

/// The same over session files: the store of the kind session-jsonl.
[[nodiscard]] durable_run run_in_sessions(const load& load, const std::string& directory);

/// Runs `times` objectives of `shape`, one after the other, each alone, on one RocksDB store;
/// seconds each.
[[nodiscard]] std::vector<double> run_alone(const shape_ptr& shape, std::size_t times,
                                            std::size_t threads, const std::string& directory);

} // namespace troupe::bench
