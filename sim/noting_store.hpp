// A store that notes situations that only it sees, in front of the real one. It changes nothing.
#pragma once

#include "tests/support/passing_store.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sim/world.hpp"

namespace troupe::sim {

class noting_store final : public testing::passing_store {
public:
  /// `is_syncing`: whether a group of the journal is on its way to the disk.
  noting_store(std::unique_ptr<store> real, world& in, std::function<bool()> is_syncing)
      : passing_store(std::move(real)), in_(in), is_syncing_(std::move(is_syncing)) {}

  void commit(change change, committed_fn then, watcher_ptr follow) override;
  void snapshot_task(const task_id& id, watcher_ptr live, read_done<task_snapshot> done,
                     const std::string& client) override;
  void read_changes(const task_id& id, const history_range& range, read_done<history_page> done,
                    const std::string& client) const override;

  using passing_store::read_changes;

private:
  world& in_;
  const std::function<bool()> is_syncing_;
  std::map<std::string, std::uint64_t> opened_at_; ///< Of the last snapshot of a task.
};

} // namespace troupe::sim
