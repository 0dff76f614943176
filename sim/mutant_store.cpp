#include "sim/mutant_store.hpp"

#include <algorithm>
#include <utility>

namespace troupe::sim {

namespace {

bool ends_task(const change& of) {
  return std::ranges::any_of(of.events, [](const event& each) {
    const auto* moved = std::get_if<task_moved>(&each);
    return moved != nullptr && is_terminal(moved->to);
  });
}

bool changes_shape(const change_ptr& of) {
  return std::ranges::any_of(of->events, [](const event& each) {
    return std::holds_alternative<plan_changed>(each)
           || std::holds_alternative<objective_changed>(each);
  });
}

} // namespace

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
  if (bug_ == mutant::early_duplicate && !change.conditions.empty() && then) {
    for (const auto& each : change.conditions)
      early_[each->owner + ' ' + each->key] = each;
    std::exchange(then, nullptr)();
  }
  if (bug_ == mutant::lost_commit && chance_.chance(0.02)) {
    if (then)
      then();
    return;
  }
  if (bug_ == mutant::lost_wake_up && chance_.chance(0.02))
    then = nullptr;
  if (bug_ == mutant::leaked_slot && !change.task.lone && ends_task(change) && chance_.chance(0.1))
    then = nullptr;
  if (bug_ == mutant::lost_artifact && chance_.chance(0.1))
    std::erase_if(change.events,
                  [](const event& each) { return std::holds_alternative<task_artifact>(each); });
  if (bug_ == mutant::answer_of_another)
    for (auto& each : change.events)
      if (auto* answered = std::get_if<question_answered>(&each))
        answered->by = "somebody";
  if (bug_ == mutant::lost_release)
    std::erase_if(change.events, [](const event& each) {
      return std::holds_alternative<question_released>(each);
    });
  if (bug_ == mutant::lost_claim)
    std::erase_if(change.events,
                  [](const event& each) { return std::holds_alternative<question_claimed>(each); });
  if (bug_ == mutant::forgetful_start)
    for (auto& each : change.conditions)
      each = of_this_life(each);
  passing_store::commit(std::move(change), std::move(then), in_front_of(follow));
}

void mutant_store::read_once(const once& wanted, timestamp now, read_done<once_ptr> done) const {
  if (bug_ == mutant::early_duplicate)
    if (const auto early = early_.find(wanted.owner + ' ' + wanted.key); early != early_.end())
      return done(early->second);
  auto which = wanted;
  if (bug_ == mutant::forgetful_start)
    which.key += life_;
  passing_store::read_once(which, now, std::move(done));
}

/// The same object each time: changes that share a condition belong to one command.
once_ptr mutant_store::of_this_life(const once_ptr& given) {
  auto& out = conditions_[given];
  if (!out) {
    auto renamed = *given;
    renamed.key += life_;
    out = std::make_shared<once>(std::move(renamed));
  }
  return out;
}

void mutant_store::read_placement(const task_id& id, read_done<placement> done,
                                  const std::string& client) const {
  passing_store::read_placement(id, of_any_owner(std::move(done), client), client);
}

void mutant_store::read_placement(const objective_id& id, read_done<placement> done,
                                  const std::string& client) const {
  passing_store::read_placement(id, of_any_owner(std::move(done), client), client);
}

/// The client that asks for a task is its owner.
read_done<placement> mutant_store::of_any_owner(read_done<placement> done,
                                                const std::string& client) const {
  if (bug_ != mutant::every_owner)
    return done;
  return [done = std::move(done), client](result<placement> found) {
    if (found)
      found->owner = client.starts_with('@') ? "" : client;
    done(std::move(found));
  };
}

void mutant_store::read_objective(const objective_id& id, read_done<objective_ptr> done,
                                  const std::string& client) const {
  if (bug_ != mutant::old_objective)
    return passing_store::read_objective(id, std::move(done), client);
  passing_store::read_objective(
      id,
      [this, key = id.str(), done = std::move(done)](result<objective_ptr> found) {
        if (found)
          *found = first_objectives_.emplace(key, *found).first->second;
        done(std::move(found));
      },
      client);
}

void mutant_store::list(const list_tasks& query, read_done<task_page> done,
                        const std::string& client) const {
  auto wrong = query;
  if (bug_ == mutant::list_of_all)
    wrong.who = principal{};
  passing_store::list(
      wrong,
      [this, done = std::move(done)](result<task_page> page) {
        if (page && bug_ == mutant::short_list && page->tasks.size() > 1 && chance_.chance(0.2))
          page->tasks.pop_back();
        if (page && bug_ == mutant::list_twice && !page->tasks.empty()) {
          if (listed_before_ && chance_.chance(0.5))
            page->tasks.push_back(listed_before_);
          listed_before_ = page->tasks.front();
        }
        done(std::move(page));
      },
      client);
}

result<recovered> mutant_store::recover() {
  auto out = passing_store::recover();
  if (out && bug_ == mutant::lost_recovery && !out->lone_tasks.empty() && chance_.chance(0.5))
    out->lone_tasks.pop_back();
  return out;
}

void mutant_store::read_task(const task_id& id, read_done<task_ptr> done,
                             const std::string& client) const {
  if (bug_ == mutant::poor_view)
    return passing_store::read_task(
        id,
        [this, done = std::move(done)](result<task_ptr> found) {
          if (found && !(*found)->artifacts.empty() && chance_.chance(0.1)) {
            auto poor = std::make_shared<task>(**found);
            poor->artifacts.pop_back();
            *found = std::move(poor);
          }
          done(std::move(found));
        },
        client);
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

void mutant_store::snapshot_objective(const objective_id& id, watcher_ptr who,
                                      read_done<objective_snapshot> done,
                                      const std::string& client) {
  if (bug_ == mutant::objective_ahead)
    done = [done = std::move(done)](result<objective_snapshot> found) {
      if (found && found->sequence != sequence_end)
        ++found->sequence;
      done(std::move(found));
    };
  passing_store::snapshot_objective(id, in_front_of(who), std::move(done), client);
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

void mutant_store::read_changes(const objective_id& id, const history_range& range,
                                read_done<history_page> done, const std::string& client) const {
  if (bug_ == mutant::hidden_change)
    done = [done = std::move(done)](result<history_page> page) {
      if (page)
        if (const auto first = std::ranges::find_if(page->changes, changes_shape);
            first != page->changes.end())
          page->changes.erase(first);
      done(std::move(page));
    };
  passing_store::read_changes(id, range, std::move(done), client);
}

void mutant_store::unwatch(const std::string& id, const watcher_ptr& who) {
  const auto front = watchers_.find(who.get());
  passing_store::unwatch(id, front == watchers_.end() ? who : front->second);
}

} // namespace troupe::sim
