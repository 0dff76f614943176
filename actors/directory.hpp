// Finds the live actor behind an id, and says who has it if this process has not: the one thing
// that is asked for an owner. Today everything is here; when actors span machines, the code that
// moves partitions calls `begin_move` and `end_move` of the gateway, and nothing else changes.
#pragma once

#include "actors/caf.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/protocol/time.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace troupe {

/// This process has it. A null handle: it has no live actor at the moment.
template<class Handle>
struct here {
  Handle actor;
};

/// Another process has it.
struct there {
  std::string address;
};

/// It is on its way from one process to another: wait for `end_move`.
struct being_moved {};

template<class Handle>
using whereabouts = std::variant<here<Handle>, there, being_moved>;

/// Thread-safe; sharded, so that requests do not share a lock.
template<class Handle>
class directory {
public:
  /// Told where the id is once that is known, or `being_moved` if that took too long. Any thread;
  /// must not block.
  using on_found = std::function<void(whereabouts<Handle>)>;

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

  /// The live actor in this process; null if there is none. For callers that know the id is here.
  [[nodiscard]] Handle find(const std::string& id) const {
    const auto& at = shard_of(id);
    const std::lock_guard lock{at.mutex};
    return at.find(id);
  }

  [[nodiscard]] whereabouts<Handle> locate(const std::string& id) const {
    const auto& at = shard_of(id);
    const std::lock_guard lock{at.mutex};
    return at.locate(id);
  }

  /// After `close` the actor is ended instead.
  void put(const std::string& id, Handle actor) {
    auto& at = shard_of(id);
    const std::lock_guard lock{at.mutex};
    if (at.closed)
      return kill(actor);
    at.handles.insert_or_assign(id, std::move(actor));
  }

  /// Only if it still is `actor`: one that ends must not remove its successor.
  void remove(const std::string& id, const Handle& actor) {
    auto& at = shard_of(id);
    const std::lock_guard lock{at.mutex};
    const auto it = at.handles.find(id);
    if (it != at.handles.end() && it->second == actor)
      at.handles.erase(it);
  }

  /// Ends all actors in it, and each that is put into it later.
  void close() {
    for (auto& at : shards_) {
      const std::lock_guard lock{at.mutex};
      at.closed = true;
      for (const auto& [id, handle] : at.handles)
        kill(handle);
    }
  }

  // -- moves --------------------------------------------------------------------------------------

  /// From now on the id is being moved.
  void begin_move(const std::string& id) {
    auto& at = shard_of(id);
    const std::lock_guard lock{at.mutex};
    at.away.insert_or_assign(id, moving{});
  }

  /// The move is over: the id is at `address`, or, if that is empty, here. Tells all that wait.
  void end_move(const std::string& id, const std::string& address) {
    moving over;
    whereabouts<Handle> found;
    {
      auto& at = shard_of(id);
      const std::lock_guard lock{at.mutex};
      if (const auto it = at.away.find(id); it != at.away.end())
        if (auto* waiting = std::get_if<moving>(&it->second))
          over = std::move(*waiting);
      if (address.empty())
        at.away.erase(id);
      else
        at.away.insert_or_assign(id, there{address});
      found = at.locate(id);
    }
    for (const auto& [until, tell] : over)
      tell(found);
  }

  /// Tells `tell` at once, or, if the id is being moved, when it has arrived; but `being_moved` at
  /// `until`, by `expire`, and at once if `move_waits_max` wait for it already.
  void wait(const std::string& id, timestamp until, on_found tell) {
    whereabouts<Handle> found;
    {
      auto& at = shard_of(id);
      const std::lock_guard lock{at.mutex};
      found = at.locate(id);
      if (std::holds_alternative<being_moved>(found)) {
        auto& waiting = std::get<moving>(at.away.find(id)->second);
        if (waiting.size() < move_waits_max) {
          waiting.emplace_back(until, std::move(tell));
          return;
        }
      }
    }
    tell(std::move(found));
  }

  /// Tells all that have waited long enough.
  void expire(timestamp now) {
    for (auto& at : shards_) {
      moving late;
      {
        const std::lock_guard lock{at.mutex};
        for (auto& [id, where] : at.away)
          if (auto* waiting = std::get_if<moving>(&where))
            std::erase_if(*waiting, [&](auto& one) {
              if (one.first > now)
                return false;
              late.push_back(std::move(one));
              return true;
            });
      }
      for (const auto& [until, tell] : late)
        tell(being_moved{});
    }
  }

private:
  using moving = std::vector<std::pair<timestamp, on_found>>; ///< Who waits for the end of a move,
                                                              ///< and how long.

  struct shard {
    [[nodiscard]] Handle find(const std::string& id) const {
      const auto it = handles.find(id);
      return it == handles.end() ? Handle{} : it->second;
    }
    [[nodiscard]] whereabouts<Handle> locate(const std::string& id) const {
      if (!away.empty())
        if (const auto it = away.find(id); it != away.end()) {
          if (const auto* where = std::get_if<there>(&it->second))
            return *where;
          return being_moved{};
        }
      return here<Handle>{find(id)};
    }

    mutable std::mutex mutex;
    std::unordered_map<std::string, Handle> handles;
    std::unordered_map<std::string, std::variant<moving, there>>
        away; ///< What this process has not.
    bool closed = false;
  };

  static constexpr std::size_t shard_count = 64;

  const shard& shard_of(const std::string& id) const {
    return shards_[std::hash<std::string>{}(id) % shard_count];
  }
  shard& shard_of(const std::string& id) {
    return shards_[std::hash<std::string>{}(id) % shard_count];
  }

  std::array<shard, shard_count> shards_;
};

} // namespace troupe
