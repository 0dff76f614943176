// A store that says how much waits for the disk, and what a plan does about it.
#include "actors/limits.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/specs.hpp"

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
    out.backlog_changes = backlog;
    return out;
  }

  std::size_t backlog = 0;

private:
  const std::unique_ptr<store> inner_ = make_memory_store();
};

} // namespace

TEST_CASE("a plan releases no further burst while too much waits for the disk", "[actors][backlog][time]") {
  auto owned = std::make_unique<busy_store>();
  auto& records = *owned;
  clock_bed bed{std::move(owned), {}, std::nullopt};
  std::vector<task_spec> all;
  for (std::size_t i = 0; i < 3 * release_burst_max; ++i)
    all.push_back(a_task("t" + std::to_string(i), {}, "hand"));
  records.backlog = release_backlog_max + 1;
  bed.begin(an_objective({a_plan("wide", std::move(all))}));
  CHECK(bed.hand->attempts.size() == release_burst_max);
  bed.pass(std::chrono::minutes{1});
  CHECK(bed.hand->attempts.size() == release_burst_max);
  records.backlog = release_backlog_max;
  CHECK(bed.clock.next_due() == release_pause);
  bed.pass(release_pause);
  CHECK(bed.hand->attempts.size() == 3 * release_burst_max);
}
