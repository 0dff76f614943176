// What tasks made, for those that go on with it: however many running tasks depend on one artifact,
// it is in memory once, and counts once among the bytes of live work. Thread-safe; an entry lives
// as long as an order or a read holds one of its artifacts.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/store/store.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace troupe {

/// The disk failed or too much is read at once: whether the record exists is not known, and it is
/// to be read again.
[[nodiscard]] inline bool is_unreadable(const error& why) noexcept {
  return why.code == errc::store_unreadable || why.code == errc::overloaded;
}

/// What a task has made, and its owner.
struct made_by_task {
  task_id id;
  std::string owner;
  std::vector<artifact_ptr> artifacts; ///< Each keeps what the cache holds of the task.
};

class artifact_cache : public std::enable_shared_from_this<artifact_cache> {
public:
  using done_fn = std::function<void(const result<made_by_task>&)>;

  /// Artifacts that are held count in `memory` (live_work), whatever the limit: who is given them
  /// runs already.
  explicit artifact_cache(memory_budget_ptr memory) : memory_(std::move(memory)) {}

  /// What the task has made so far. A request that comes while it is being read waits for the same
  /// read. Errors as of store::read_task.
  void find(const store& records, const task_id& id, done_fn done);

private:
  /// One task's artifacts, held by each of the pointers that were handed out.
  struct holder;
  struct entry {
    std::weak_ptr<const holder> held;
    std::vector<done_fn> waiting; ///< Not empty: it is being read.
  };

  void on_read(const task_id& id, const result<task_ptr>& record);
  void forget(const task_id& id);

  const memory_budget_ptr memory_;
  std::mutex mutex_;
  std::unordered_map<task_id, entry> entries_;
};

} // namespace troupe
