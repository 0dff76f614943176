// A memory store that a test puts something in front of: it passes everything on, and the test
// overrides what it is about.
#pragma once

#include <troupe/store/store.hpp>

#include <memory>
#include <utility>

namespace troupe::testing {

class passing_store : public store {
public:
  void commit(change change, committed_fn then = nullptr, watcher_ptr follow = nullptr) override {
    inner_->commit(std::move(change), std::move(then), std::move(follow));
  }
  [[nodiscard]] task_ptr find_task(const task_id& id) const override {
    return inner_->find_task(id);
  }
  [[nodiscard]] objective_ptr find_objective(const objective_id& id) const override {
    return inner_->find_objective(id);
  }
  [[nodiscard]] std::optional<objective_id> objective_of(const plan_id& id) const override {
    return inner_->objective_of(id);
  }
  [[nodiscard]] bool knows_task(const task_id& id) const override { return inner_->knows_task(id); }
  [[nodiscard]] bool knows_objective(const objective_id& id) const override {
    return inner_->knows_objective(id);
  }
  [[nodiscard]] result<task_page> list(const list_tasks& query) const override {
    return inner_->list(query);
  }
  [[nodiscard]] result<objective_page> list(const list_objectives& query) const override {
    return inner_->list(query);
  }
  [[nodiscard]] task_snapshot snapshot_task(const task_id& id, watcher_ptr who) override {
    return inner_->snapshot_task(id, who);
  }
  [[nodiscard]] objective_snapshot snapshot_objective(const objective_id& id,
                                                      watcher_ptr who) override {
    return inner_->snapshot_objective(id, who);
  }
  void unwatch(const std::string& id, const watcher_ptr& who) override { inner_->unwatch(id, who); }
  void watch_all(const watcher_ptr& who) override { inner_->watch_all(who); }
  void unwatch_all(const watcher_ptr& who) override { inner_->unwatch_all(who); }
  [[nodiscard]] result<journal_page> read_changes(const task_id& id,
                                                  const journal_range& range) const override {
    return inner_->read_changes(id, range);
  }
  [[nodiscard]] result<journal_page> read_changes(const objective_id& id,
                                                  const journal_range& range) const override {
    return inner_->read_changes(id, range);
  }
  // Awaited reads are those of `store`: they ask what stands above, and so what a test has put in
  // its place.
  using store::list;
  using store::read_changes;
  using store::snapshot_objective;
  using store::snapshot_task;
  void claim_ids(std::vector<std::string> ids, read_done<void> done,
                 const std::string& client) override {
    inner_->claim_ids(std::move(ids), std::move(done), client);
  }
  void release_ids(const std::vector<std::string>& ids) override { inner_->release_ids(ids); }
  [[nodiscard]] push_configs& pushes() override { return inner_->pushes(); }
  [[nodiscard]] result<recovered> recover() override { return inner_->recover(); }
  void evict(timestamp before) override { inner_->evict(before); }
  void flush() override { inner_->flush(); }
  void drain() override { inner_->drain(); }
  [[nodiscard]] store_status status() const override { return inner_->status(); }

private:
  const std::unique_ptr<store> inner_ = make_memory_store();
};

} // namespace troupe::testing
