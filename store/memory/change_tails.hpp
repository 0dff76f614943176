// The latest changes of streams whose watchers may fall behind: the memory store keeps them
// in place of a history. Kept as long as such a watcher is there. Thread-safe.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/store/limits.hpp>
#include <troupe/store/store.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

/// The latest changes of one task or objective, told by the ledger like any watcher.
class change_tail final : public watcher {
public:
  /// `held`: bytes of all tails; outlives it.
  change_tail(std::atomic<std::size_t>& held, memory_budget_ptr memory)
      : held_(held), memory_(std::move(memory)) {}
  ~change_tail() override;

  void on_change(const change_ptr& change) override;
  /// Everything after `sequence` will be told.
  void begin_after(std::uint64_t sequence);
  /// As store::read_changes.
  [[nodiscard]] history_page read(const history_range& range) const;

private:
  struct entry {
    change_ptr kept;
    std::size_t bytes;
  };

  void drop_front();

  std::atomic<std::size_t>& held_;
  const memory_budget_ptr memory_;
  mutable std::mutex guard_;
  std::deque<entry> entries_;
  std::size_t bytes_ = 0;
  /// All changes after this one are here. sequence_end: not begun.
  std::uint64_t after_ = sequence_end;
};

class change_tails {
public:
  /// Tails count in `memory` (feeds). If the process holds more than that share, they keep less.
  explicit change_tails(memory_budget_ptr memory) : memory_(std::move(memory)) {}

  /// Begins to keep what happens to the task or objective, for `who`. `attach(tail)` has the ledger
  /// tell it, and returns the sequence since which it is told.
  template<class Attach>
  void keep(const std::string& id, const watcher_ptr& who, Attach attach) {
    auto& home = shard_of(id);
    const std::lock_guard lock{home.guard};
    auto& kept = home.tails[id];
    if (!kept.tail) {
      kept.tail = std::make_shared<change_tail>(held_, memory_);
      kept.tail->begin_after(attach(kept.tail));
    }
    kept.readers.push_back(who.get());
  }
  /// The tail if it has no reader any more, to be told nothing further; else null.
  [[nodiscard]] watcher_ptr leave(const std::string& id, const watcher_ptr& who);
  /// Null: nothing is kept.
  [[nodiscard]] std::shared_ptr<const change_tail> find(const std::string& id) const;

private:
  struct place {
    std::shared_ptr<change_tail> tail;
    std::vector<const watcher*> readers;
  };
  struct alignas(64) shard {
    mutable std::mutex guard;
    std::unordered_map<std::string, place> tails;
  };

  [[nodiscard]] shard& shard_of(const std::string& id) const noexcept {
    return shards_[std::hash<std::string>{}(id) % shards_.size()];
  }

  const memory_budget_ptr memory_;
  std::atomic<std::size_t> held_{0}; ///< Bytes of all tails.
  mutable std::array<shard, ledger_shards> shards_;
};

} // namespace troupe
