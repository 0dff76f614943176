// A store that says how much waits for the disk, and what a plan does about it.
#include <condition_variable>
#include <mutex>

#include "actors/limits.hpp"
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A memory store whose backlog is what the test says.
class busy_store final : public store {
public:
  void commit(change what, committed_fn then, watcher_ptr follow) override {
    inner_->commit(std::move(what), std::move(then), std::move(follow));
  }
  task_ptr find_task(const task_id& id) const override { return inner_->find_task(id); }
  objective_ptr find_objective(const objective_id& id) const override { return inner_->find_objective(id); }
  std::optional<objective_id> objective_of(const plan_id& id) const override { return inner_->objective_of(id); }
  bool knows_task(const task_id& id) const override { return inner_->knows_task(id); }
  bool knows_objective(const objective_id& id) const override { return inner_->knows_objective(id); }
  result<task_page> list(const list_tasks& query) const override { return inner_->list(query); }
  result<objective_page> list(const list_objectives& query) const override { return inner_->list(query); }
  task_snapshot snapshot_task(const task_id& id, watcher_ptr who) override { return inner_->snapshot_task(id, who); }
  objective_snapshot snapshot_objective(const objective_id& id, watcher_ptr who) override {
    return inner_->snapshot_objective(id, who);
  }
  void unwatch(const std::string& id, const watcher_ptr& who) override { inner_->unwatch(id, who); }
  result<journal_page> read_changes(const task_id& id, const journal_range& range) const override {
    return inner_->read_changes(id, range);
  }
  result<journal_page> read_changes(const objective_id& id, const journal_range& range) const override {
    return inner_->read_changes(id, range);
  }
  push_configs& pushes() override { return inner_->pushes(); }
  result<recovered> recover() override { return inner_->recover(); }
  void evict(timestamp before) override { inner_->evict(before); }
  void flush() override { inner_->flush(); }

  store_status status() const override {
    auto out = inner_->status();
    const std::lock_guard lock{mutex_};
    out.backlog_changes = backlog_;
    ++looks_;
    looked_.notify_all();
    return out;
  }

  void set_backlog(std::size_t changes) {
    const std::lock_guard lock{mutex_};
    backlog_ = changes;
  }
  /// Waits until somebody has asked for the status `count` times more.
  void wait_looks(std::size_t count) {
    std::unique_lock lock{mutex_};
    looked_.wait(lock, [this, until = looks_ + count] { return looks_ >= until; });
  }

private:
  const std::unique_ptr<store> inner_ = make_memory_store();
  mutable std::mutex mutex_;
  mutable std::condition_variable looked_;
  mutable std::size_t looks_ = 0;
  std::size_t backlog_ = 0;
};

} // namespace

TEST_CASE("a plan releases no further burst while too much waits for the disk", "[actors][backlog]") {
  busy_store records;
  const auto held = std::make_shared<held_agent>();
  agent_registry agents;
  agents.add("held", held);
  gateway door{records, agents};

  constexpr int tasks = 3 * static_cast<int>(release_burst_max);
  std::vector<task_spec> all;
  for (int i = 0; i < tasks; ++i)
    all.push_back(a_task("t" + std::to_string(i), {}, "held"));
  records.set_backlog(release_backlog_max + 1);
  create_objective wide;
  wide.spec = an_objective({a_plan("wide", std::move(all))});
  wide.start = true;
  awaited<objective_ptr> made;
  door.create(std::move(wide), nullptr, made.to());
  REQUIRE(made.get().has_value());

  held->wait_starts(static_cast<int>(release_burst_max));
  records.wait_looks(5);
  CHECK(held->starts() == static_cast<int>(release_burst_max));
  records.set_backlog(release_backlog_max);
  held->wait_starts(tasks);
}
