// Troupe's executor as the benchmarks use it: a store, two agents and a gateway put together, and a
// watcher that counts what it sees happen. Used by the benchmarks that run plans.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/store/store.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace troupe::bench {

/// Follows one objective and holds it to account: every task completed exactly once, nothing after
/// the end.
class objective_watch : public watcher {
public:
  /// `settled` is called once, on the committing thread, when the objective is settled: with an
  /// empty text if it completed and all `tasks` of its plans did, each once, else with what was
  /// wrong.
  objective_watch(std::size_t tasks, std::function<void(const std::string& problem)> settled);
  void on_change(const change_ptr& change) override;

private:
  void on_task(const change& change, const task_moved& moved);
  void on_settled(objective_state state, const std::string& reason);

  std::size_t tasks_;
  std::function<void(const std::string&)> settled_;
  std::vector<bool> completed_; ///< By position; of the first plan.
  std::size_t completed_count_ = 0;
  std::string problem_;
  bool over_ = false;
};

/// Store, agents and gateway. `noop` is done at once, `hang` never.
class executor {
public:
  executor(std::unique_ptr<store> records, executor_options how);
  ~executor();

  /// Over a memory store.
  [[nodiscard]] static std::unique_ptr<executor> in_memory(std::size_t threads);
  /// Over RocksDB with fsync; goes on with what `directory` holds.
  [[nodiscard]] static std::unique_ptr<executor> durable(std::size_t threads,
                                                         const std::string& directory);

  /// Over session files with fsync.
  [[nodiscard]] static std::unique_ptr<executor> in_sessions(std::size_t threads,
                                                             const std::string& directory);

  [[nodiscard]] troupe::gateway& main_gateway() noexcept { return *gateway_; }
  [[nodiscard]] store& records() noexcept { return *records_; }
  /// To add agents, before the first objective is started.
  [[nodiscard]] agent_registry& agents() noexcept { return agents_; }
  /// What recovery found.
  [[nodiscard]] const recovered& found() const noexcept { return found_; }

  /// Creates and starts an objective; does not wait. A refusal goes to `refused`.
  void start(objective_spec spec, watcher_ptr follow,
             std::function<void(const std::string&)> refused);
  /// Creates, starts, and waits until it is settled and checked. Throws wrong_result.
  void run(const objective_spec& spec);

private:
  std::unique_ptr<store> records_;
  recovered found_;
  agent_registry agents_;
  std::unique_ptr<troupe::gateway> gateway_;
};

/// The number of tasks in all plans.
[[nodiscard]] std::size_t task_count(const objective_spec& spec);

} // namespace troupe::bench
