// A store (in memory, unless another one is given) that a test puts something in front of: it
// passes everything on, and the test overrides what it is about.
#pragma once

#include <troupe/store/store.hpp>

#include <memory>
#include <utility>

namespace troupe::testing {

class passing_store : public store {
public:
  explicit passing_store(std::unique_ptr<store> inner = make_memory_store())
      : inner_(std::move(inner)) {}

  void commit(change change, committed_fn then = nullptr, watcher_ptr follow = nullptr) override {
    inner_->commit(std::move(change), std::move(then), std::move(follow));
  }
  void read_once(const once& wanted, timestamp now, read_done<once_ptr> done) const override {
    inner_->read_once(wanted, now, std::move(done));
  }
  void read_task(const task_id& id, read_done<task_ptr> done,
                 const std::string& client) const override {
    inner_->read_task(id, std::move(done), client);
  }
  void read_objective(const objective_id& id, read_done<objective_ptr> done,
                      const std::string& client) const override {
    inner_->read_objective(id, std::move(done), client);
  }
  void read_objective(const plan_id& id, read_done<objective_ptr> done,
                      const std::string& client) const override {
    inner_->read_objective(id, std::move(done), client);
  }
  void read_placement(const task_id& id, read_done<placement> done,
                      const std::string& client) const override {
    inner_->read_placement(id, std::move(done), client);
  }
  void read_placement(const objective_id& id, read_done<placement> done,
                      const std::string& client) const override {
    inner_->read_placement(id, std::move(done), client);
  }
  void read_placement(const plan_id& id, read_done<placement> done,
                      const std::string& client) const override {
    inner_->read_placement(id, std::move(done), client);
  }
  void list(const list_tasks& query, read_done<task_page> done,
            const std::string& client) const override {
    inner_->list(query, std::move(done), client);
  }
  void list(const list_objectives& query, read_done<objective_page> done,
            const std::string& client) const override {
    inner_->list(query, std::move(done), client);
  }
  void list(const list_inputs& query, read_done<input_page> done,
            const std::string& client) const override {
    inner_->list(query, std::move(done), client);
  }
  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string& client) override {
    inner_->snapshot_task(id, std::move(who), std::move(done), client);
  }
  void snapshot_objective(const objective_id& id, watcher_ptr who,
                          read_done<objective_snapshot> done, const std::string& client) override {
    inner_->snapshot_objective(id, std::move(who), std::move(done), client);
  }
  void unwatch(const std::string& id, const watcher_ptr& who) override { inner_->unwatch(id, who); }
  void watch_all(const watcher_ptr& who) override { inner_->watch_all(who); }
  void unwatch_all(const watcher_ptr& who) override { inner_->unwatch_all(who); }
  void read_changes(const task_id& id, const history_range& range, read_done<history_page> done,
                    const std::string& client) const override {
    inner_->read_changes(id, range, std::move(done), client);
  }
  void read_changes(const objective_id& id, const history_range& range,
                    read_done<history_page> done, const std::string& client) const override {
    inner_->read_changes(id, range, std::move(done), client);
  }
  [[nodiscard]] bool has_history() const noexcept override { return inner_->has_history(); }
  void claim_ids(std::vector<std::string> ids, read_done<void> done,
                 const std::string& client) override {
    inner_->claim_ids(std::move(ids), std::move(done), client);
  }
  void release_ids(const std::vector<std::string>& ids) override { inner_->release_ids(ids); }
  [[nodiscard]] push_configs& pushes() override { return inner_->pushes(); }
  [[nodiscard]] result<recovered> recover() override { return inner_->recover(); }
  void evict(timestamp before) override { inner_->evict(before); }
  void forget_expired(timestamp now) override { inner_->forget_expired(now); }
  void flush() override { inner_->flush(); }
  void drain() override { inner_->drain(); }
  [[nodiscard]] store_status status() const override { return inner_->status(); }

private:
  const std::unique_ptr<store> inner_;
};

} // namespace troupe::testing
