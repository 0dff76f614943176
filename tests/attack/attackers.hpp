// Who attacks, and how: a table of kinds. Each kind runs on a thread of its own, from an address of
// its own, until it is over. Whatever it does, it checks that what comes back is HTTP.
#pragma once

#include "tests/attack/child.hpp"
#include "tests/attack/connection.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::attack {

/// What one kind has done. Thread-safe.
struct tally {
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> answers{0};
  std::atomic<std::size_t> refusals{0}; ///< Answers of status 400 and more.

  void note_fault(const std::string& fault) {
    const std::lock_guard lock(guard);
    if (faults.size() < 5)
      faults.push_back(fault.substr(0, 400));
  }

  std::mutex guard;
  std::vector<std::string> faults; ///< Answers that must not be: what is not HTTP, for example.
};

/// How much. Of the whole attack; `share` makes all of it smaller.
struct dose {
  double share = 1;
  /// Doublings of a text of one kB by plans that multiply: 18 make 256 MB, and its dependents copy
  /// it.
  std::size_t doublings = 8;
  std::size_t plan_tasks = 20'000; ///< Of a large plan.

  [[nodiscard]] std::size_t of(std::size_t count) const noexcept {
    const auto part = static_cast<std::size_t>(static_cast<double>(count) * share);
    return part > 0 ? part : 1;
  }
};

/// One attacker at work.
struct attacker {
  route to;
  dose how_much;
  std::mt19937_64 dice;
  tally& count;
  const std::atomic<bool>& over;

  [[nodiscard]] bool is_over() const noexcept { return over.load(std::memory_order_relaxed); }
  /// Waits, but not longer than it lasts.
  void pause(std::chrono::milliseconds time) const;
  [[nodiscard]] std::size_t below(std::size_t bound) { return dice() % bound; }
  [[nodiscard]] connection connect(int receive_bytes = 0);
  /// Takes what has come to a connection; a fault is noted. False: it is closed.
  bool look_at(connection& at);
  /// Sends, and waits for one answer. Its body; empty: there is none.
  std::string ask(connection& at, std::string_view text,
                  std::chrono::milliseconds bound = std::chrono::seconds(20));
  /// The id of a new task of the agent `scripted`, with these steps; it is not waited for.
  std::string begin_task(connection& at, std::string_view steps);
  /// The id of a task that runs for an hour and has a history of `megabytes`; empty: the server
  /// would not.
  std::string make_large_task(connection& at, std::size_t megabytes);
  /// Cancels a task, on new connections until the server has answered: it may have been started
  /// again meanwhile.
  void cancel_task(const std::string& id);
};

struct attacker_kind {
  std::string_view name;
  void (*run)(attacker& self);
};

[[nodiscard]] std::span<const attacker_kind>
connection_attackers();                                           ///< By what they do to sockets.
[[nodiscard]] std::span<const attacker_kind> request_attackers(); ///< By what they send.
[[nodiscard]] std::span<const attacker_kind> work_attackers();    ///< By what they have done.
/// All of them.
[[nodiscard]] std::vector<attacker_kind> all_attackers();

/// Runs in a process of its own, for a server on `port`. `only`: a part of the names of the kinds
/// that take part. It is told:
/// - `begin SHARE`: all kinds start, so much of `whole` (1 = all);
/// - `end`: they leave, and what they have begun is canceled; answers with {"kinds": [{"name",
/// "connections", "answers", "refusals",
///   "faults": [texts]}]}.
void be_attackers(line_pipe& pipe, std::uint16_t port, std::uint64_t seed, const dose& whole,
                  const std::string& only);

} // namespace troupe::attack
