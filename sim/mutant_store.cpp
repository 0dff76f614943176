#include "sim/mutant_store.hpp"

#include <utility>

namespace troupe::sim {

/// Misses some changes, or gets them twice.
class mutant_store::poor_watcher final : public watcher {
public:
  poor_watcher(watcher_ptr real, mutant bug, dice& chance)
      : real_(std::move(real)), bug_(bug), chance_(chance) {}

  void on_change(const change_ptr& change) override {
    const bool is_wrong = chance_.chance(0.05);
    if (!is_wrong || bug_ != mutant::missed_change)
      real_->on_change(change);
    if (is_wrong && bug_ == mutant::doubled_change)
      real_->on_change(change);
  }
  [[nodiscard]] bool reads_past() const noexcept override { return real_->reads_past(); }

private:
  const watcher_ptr real_;
  const mutant bug_;
  dice& chance_;
};

watcher_ptr mutant_store::in_front_of(const watcher_ptr& who) {
  if (!who || (bug_ != mutant::missed_change && bug_ != mutant::doubled_change))
    return who;
  auto& out = watchers_[who.get()];
  if (!out)
    out = std::make_shared<poor_watcher>(who, bug_, chance_);
  return out;
}

void mutant_store::commit(change change, committed_fn then, watcher_ptr follow) {
  if (bug_ == mutant::answer_before_commit && then)
    std::exchange(then, nullptr)();
  if (bug_ == mutant::lost_commit && chance_.chance(0.02)) {
    if (then)
      then();
    return;
  }
  if (bug_ == mutant::lost_wake_up && chance_.chance(0.02))
    then = nullptr;
  passing_store::commit(std::move(change), std::move(then), in_front_of(follow));
}

void mutant_store::read_task(const task_id& id, read_done<task_ptr> done,
                             const std::string& client) const {
  if (bug_ != mutant::stale_read)
    return passing_store::read_task(id, std::move(done), client);
  passing_store::read_task(
      id,
      [this, key = id.str(), done = std::move(done)](result<task_ptr> found) {
        if (found)
          *found = first_reads_.emplace(key, *found).first->second;
        done(std::move(found));
      },
      client);
}

void mutant_store::snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                                 const std::string& client) {
  auto front = in_front_of(who);
  if (bug_ == mutant::cursor_off_by_one)
    done = [done = std::move(done)](result<task_snapshot> found) {
      if (found && found->sequence != sequence_end)
        ++found->sequence;
      done(std::move(found));
    };
  passing_store::snapshot_task(id, std::move(front), std::move(done), client);
}

void mutant_store::read_changes(const task_id& id, const history_range& range,
                                read_done<history_page> done, const std::string& client) const {
  if (bug_ == mutant::hole_in_history)
    done = [this, done = std::move(done)](result<history_page> page) {
      if (page && page->changes.size() > 1 && chance_.chance(0.5))
        page->changes.erase(page->changes.begin());
      done(std::move(page));
    };
  passing_store::read_changes(id, range, std::move(done), client);
}

void mutant_store::unwatch(const std::string& id, const watcher_ptr& who) {
  const auto front = watchers_.find(who.get());
  passing_store::unwatch(id, front == watchers_.end() ? who : front->second);
}

} // namespace troupe::sim
