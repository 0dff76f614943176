// What every actor of one gateway shares: the store, the agents, the options, the directory of live actors and the throttles. Made by the
// gateway before the first actor and destroyed after the last; actors keep a plain reference.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/agent.hpp"
#include "actors/gateway.hpp"
#include "actors/handles.hpp"
#include "actors/manual_clock.hpp"
#include "protocol/ids.hpp"
#include "store/store.hpp"

namespace troupe {

/// Finds the live actor behind an id. The one place to replace when actors span machines. Thread-safe; sharded, so that requests do not share a lock.
template<class Handle>
class directory {
public:
  directory() = default;
  directory(const directory&) = delete;
  directory& operator=(const directory&) = delete;
  /// Under each shard's lock: what the last one to leave did is over then.
  ~directory() {
    for (auto& at : shards_) {
      const std::lock_guard lock{at.mutex};
      at.handles.clear();
    }
  }

  [[nodiscard]] Handle find(const std::string& id) const {
    const auto& at = shard_of(id);
    const std::lock_guard lock{at.mutex};
    const auto it = at.handles.find(id);
    return it == at.handles.end() ? Handle{} : it->second;
  }

  /// After `close` the actor is ended instead.
  void put(const std::string& id, Handle who) {
    auto& at = shard_of(id);
    const std::lock_guard lock{at.mutex};
    if (at.closed)
      return kill(who);
    at.handles.insert_or_assign(id, std::move(who));
  }

  /// Only if it still is `who`: an actor that ends must not remove its successor.
  void remove(const std::string& id, const Handle& who) {
    auto& at = shard_of(id);
    const std::lock_guard lock{at.mutex};
    const auto it = at.handles.find(id);
    if (it != at.handles.end() && it->second == who)
      at.handles.erase(it);
  }

  /// Ends all actors in it, and whoever is put into it later.
  void close() {
    for (auto& at : shards_) {
      const std::lock_guard lock{at.mutex};
      at.closed = true;
      for (const auto& [id, handle] : at.handles)
        kill(handle);
    }
  }

private:
  struct shard {
    mutable std::mutex mutex;
    std::unordered_map<std::string, Handle> handles;
    bool closed = false;
  };

  static constexpr std::size_t shard_count = 64;

  const shard& shard_of(const std::string& id) const { return shards_[std::hash<std::string>{}(id) % shard_count]; }
  shard& shard_of(const std::string& id) { return shards_[std::hash<std::string>{}(id) % shard_count]; }

  std::array<shard, shard_count> shards_;
};

struct environment {
  environment(caf::actor_system& sys, store& recs, const agent_registry& who, executor_options opts)
      : system(sys), records(recs), agents(who), options(opts) {}

  caf::actor_system& system;
  store& records;
  const agent_registry& agents;
  const executor_options options;

  directory<objective_handle> objectives; ///< By objective id; only those with a live actor.
  directory<task_handle> lone_tasks;      ///< By task id; only those that have a record and go on.
  std::mutex entering; ///< Held while an actor for something that exists already is spawned and put into its directory.
  std::unordered_map<std::string, throttle_handle> agent_slots; ///< By agent name, of those that have a limit. Read-only once filled.

  std::atomic<slot_ticket> last_ticket{0};
  std::atomic<std::size_t> live_tasks{0}; ///< Task actors.
  std::atomic<std::size_t> live_bytes{0}; ///< What live work was given: the plans of objectives, begun or not, and messages to tasks.
  std::atomic<bool> draining{false};
  std::atomic<bool> stopping{false}; ///< The gateway is being destroyed: actors end without a word.

  [[nodiscard]] timestamp now() const { return options.by_hand ? options.by_hand->now() : options.now(); }
  /// First of all in such an actor: it must not leave its directory before it was put there, for then it would stay for ever.
  void wait_until_entered() { const std::lock_guard lock{entering}; }
};

} // namespace troupe
