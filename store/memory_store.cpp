// The store that forgets: a change is visible at once, on the caller's thread, and gone with the process.
#include <algorithm>
#include <functional>
#include <mutex>

#include "store/ledger.hpp"
#include "store/memory_archive.hpp"
#include "store/push_table.hpp"
#include "store/store.hpp"

namespace troupe {

namespace {

class memory_store final : public store, private push_desk {
public:
  explicit memory_store(const memory_bounds& bounds)
    : bounds_(bounds), archive_(bounds.tasks, bounds.bytes), ledger_(archive_) {}

  void commit(change what, committed_fn then, watcher_ptr follow) override {
    ledger_.publish(std::move(what), nullptr, follow);
    if (then)
      then();
  }

  [[nodiscard]] task_ptr find_task(const task_id& id) const override { return ledger_.find_task(id); }
  [[nodiscard]] objective_ptr find_objective(const objective_id& id) const override {
    return ledger_.find_objective(id);
  }
  [[nodiscard]] std::optional<objective_id> objective_of(const plan_id& id) const override {
    return ledger_.objective_of(id);
  }
  [[nodiscard]] bool knows_task(const task_id& id) const override { return ledger_.knows_task(id); }
  [[nodiscard]] bool knows_objective(const objective_id& id) const override { return ledger_.knows_objective(id); }
  [[nodiscard]] result<task_page> list(const list_tasks& query) const override { return ledger_.list(query); }
  [[nodiscard]] result<objective_page> list(const list_objectives& query) const override {
    return ledger_.list(query);
  }

  [[nodiscard]] task_snapshot snapshot_task(const task_id& id, watcher_ptr who) override {
    return ledger_.snapshot_task(id, who);
  }
  [[nodiscard]] objective_snapshot snapshot_objective(const objective_id& id, watcher_ptr who) override {
    return ledger_.snapshot_objective(id, who);
  }
  void unwatch(const std::string& task_or_objective, const watcher_ptr& who) override {
    ledger_.unwatch(task_or_objective, who);
  }

  /// No journal: whoever has seen everything has missed nothing, everybody else too much.
  [[nodiscard]] result<journal_page> read_changes(const task_id& id, const journal_range& range) const override {
    const auto now = ledger_.snapshot_task(id, nullptr);
    if (!now.record)
      return unknown_task(id.str());
    return past(range, now.sequence);
  }
  [[nodiscard]] result<journal_page> read_changes(const objective_id& id, const journal_range& range) const override {
    const auto now = ledger_.snapshot_objective(id, nullptr);
    if (!now.view)
      return unknown_objective(id.str());
    return past(range, now.sequence);
  }

  [[nodiscard]] result<recovered> recover() override { return recovered{}; }
  [[nodiscard]] push_configs& pushes() override { return *this; }

  /// The newest of the settled stay, as many as the bounds allow and one at least.
  void evict(timestamp) override {
    auto all = ledger_.settled();
    std::ranges::sort(all, std::ranges::greater{}, &ledger::settled_objective::updated);
    std::size_t tasks = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      tasks += all[i].tasks;
      if (i > 0 && (i >= bounds_.objectives || tasks > bounds_.tasks))
        ledger_.forget(all[i]);
    }
  }

  void flush() override {}
  void drain() override {}

  [[nodiscard]] store_status status() const override {
    store_status out;
    out.live_tasks = ledger_.live_tasks();
    out.live_objectives = ledger_.live_objectives();
    return out;
  }

private:
  void submit(push_write what) override {
    std::vector<push_write> one;
    one.push_back(std::move(what));
    {
      const std::lock_guard lock{pushing_};
      table().stage(one);
      table().publish();
    }
    push_table::answer(one);
  }

  static journal_page past(const journal_range& range, std::uint64_t last) {
    return {.changes = {}, .next_after = range.after, .more = false,
            .gone = range.after < std::min(last, range.through)};
  }

  const memory_bounds bounds_;
  memory_archive archive_;
  mutable ledger ledger_;
  std::mutex pushing_;
};

} // namespace

std::unique_ptr<store> make_memory_store(const memory_bounds& bounds) {
  return std::make_unique<memory_store>(bounds);
}

} // namespace troupe
