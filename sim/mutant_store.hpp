// A store with a planted bug (mutants.hpp), in front of the real one.
#pragma once

#include "tests/support/passing_store.hpp"

#include <map>
#include <memory>
#include <string>

#include "sim/dice.hpp"
#include "sim/mutants.hpp"

namespace troupe::sim {

class mutant_store final : public testing::passing_store {
public:
  mutant_store(std::unique_ptr<store> real, mutant bug, dice chance)
      : passing_store(std::move(real)), bug_(bug), chance_(chance) {}

  void commit(change change, committed_fn then, watcher_ptr follow) override;
  void read_task(const task_id& id, read_done<task_ptr> done,
                 const std::string& client) const override;
  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string& client) override;
  void snapshot_objective(const objective_id& id, watcher_ptr who,
                          read_done<objective_snapshot> done, const std::string& client) override;
  void read_changes(const task_id& id, const history_range& range, read_done<history_page> done,
                    const std::string& client) const override;
  void read_changes(const objective_id& id, const history_range& range,
                    read_done<history_page> done, const std::string& client) const override;
  void unwatch(const std::string& id, const watcher_ptr& who) override;
  void read_once(const once& wanted, timestamp now, read_done<once_ptr> done) const override;
  void read_placement(const task_id& id, read_done<placement> done,
                      const std::string& client) const override;
  void read_placement(const objective_id& id, read_done<placement> done,
                      const std::string& client) const override;
  void read_objective(const objective_id& id, read_done<objective_ptr> done,
                      const std::string& client) const override;
  void list(const list_tasks& query, read_done<task_page> done,
            const std::string& client) const override;
  [[nodiscard]] result<recovered> recover() override;

  using passing_store::list;
  using passing_store::read_objective;
  using passing_store::read_placement;

private:
  class poor_watcher;

  [[nodiscard]] once_ptr of_this_life(const once_ptr& given);
  [[nodiscard]] watcher_ptr in_front_of(const watcher_ptr& who);
  [[nodiscard]] read_done<placement> of_any_owner(read_done<placement> done,
                                                  const std::string& client) const;

  const mutant bug_;
  mutable dice chance_;
  mutable std::map<std::string, task_ptr> first_reads_;
  mutable std::map<std::string, objective_ptr> first_objectives_;
  mutable task_ptr listed_before_;
  std::map<once_ptr, once_ptr> conditions_;
  std::map<std::string, once_ptr> early_; ///< Of changes that may not be durable yet.
  const std::string life_ = "+" + std::to_string(chance_.next()); ///< Of the process.
  std::map<watcher*, watcher_ptr> watchers_;
};

} // namespace troupe::sim
