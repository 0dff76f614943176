// The store that forgets: a change is visible at once, on the caller's thread, and gone with the
// process.
#include "store/answers.hpp"
#include "store/id_claims.hpp"
#include "store/ledger.hpp"
#include "store/memory/change_tails.hpp"
#include "store/memory/memory_archive.hpp"
#include "store/once_table.hpp"
#include "store/push_table.hpp"
#include <troupe/store/store.hpp>

#include <algorithm>
#include <functional>
#include <mutex>

namespace troupe {

namespace {

class memory_store final : public store, private push_desk {
public:
  explicit memory_store(const memory_bounds& bounds)
      : push_desk(budget_or_own(bounds.memory)), bounds_(bounds),
        memory_(budget_or_own(bounds.memory)), archive_(bounds.tasks, bounds.bytes, memory_),
        tails_(memory_), ledger_(archive_, memory_) {}

  void commit(change change, committed_fn then, watcher_ptr follow) override {
    const bool reads_past = follow && follow->reads_past();
    const auto task = reads_past ? change.task.id : task_id{};
    const auto objective =
        reads_past && task.empty() ? objective_id{change.context} : objective_id{};
    commit_outcome outcome;
    if (change.conditions.empty())
      ledger_.publish(std::move(change), nullptr, follow);
    else
      outcome.conflict = publish_once(std::move(change), follow);
    if (outcome.conflict) {
      if (then)
        then(outcome);
      return;
    }
    if (!task.empty())
      keep_tail(task, follow);
    else if (reads_past)
      keep_tail(objective, follow);
    if (then)
      then();
  }

  void read_once(const once& wanted, timestamp now, read_done<once_ptr> done) const override {
    done(came_.find(wanted, now));
  }

  void read_task(const task_id& id, read_done<task_ptr> done, const std::string&) const override {
    done(answer_task(ledger_, archive_, id));
  }
  void read_objective(const objective_id& id, read_done<objective_ptr> done,
                      const std::string&) const override {
    done(answer_objective(ledger_, archive_, id));
  }
  void read_objective(const plan_id& id, read_done<objective_ptr> done,
                      const std::string&) const override {
    done(answer_objective(ledger_, archive_, id));
  }
  void read_placement(const task_id& id, read_done<placement> done,
                      const std::string&) const override {
    done(answer_placement(ledger_, archive_, id));
  }
  void read_placement(const objective_id& id, read_done<placement> done,
                      const std::string&) const override {
    done(answer_placement(ledger_, archive_, id));
  }
  void read_placement(const plan_id& id, read_done<placement> done,
                      const std::string&) const override {
    done(answer_placement(ledger_, archive_, id));
  }
  void list(const list_tasks& query, read_done<task_page> done, const std::string&) const override {
    done(ledger_.list(query, archive_));
  }
  void list(const list_objectives& query, read_done<objective_page> done,
            const std::string&) const override {
    done(ledger_.list(query, archive_));
  }
  void list(const list_inputs& query, read_done<input_page> done,
            const std::string&) const override {
    done(ledger_.list(query));
  }
  void claim_ids(std::vector<std::string> ids, read_done<void> done,
                 const std::string& client) override {
    static_cast<void>(client);
    claims_.claim(ids, [this, ids, done = std::move(done)](const result<void>& claimed) {
      if (!claimed)
        return done(claimed);
      const auto unused = answer_unused(ledger_, archive_, ids);
      if (!unused)
        claims_.release(ids);
      done(unused);
    });
  }
  void release_ids(const std::vector<std::string>& ids) override { claims_.release(ids); }
  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string&) override {
    if (who && who->reads_past())
      keep_tail(id, who);
    done(answer_snapshot(ledger_, archive_, id, who));
  }
  void snapshot_objective(const objective_id& id, watcher_ptr who,
                          read_done<objective_snapshot> done, const std::string&) override {
    if (who && who->reads_past())
      keep_tail(id, who);
    done(answer_snapshot(ledger_, archive_, id, who));
  }
  void unwatch(const std::string& task_or_objective, const watcher_ptr& who) override {
    ledger_.unwatch(task_or_objective, who);
    if (who && who->reads_past())
      if (const auto unused = tails_.leave(task_or_objective, who))
        ledger_.unwatch(task_or_objective, unused);
  }
  void watch_all(const watcher_ptr& who) override { ledger_.watch_all(who); }
  void unwatch_all(const watcher_ptr& who) override { ledger_.unwatch_all(who); }

  /// No history, but the tail of a watched stream. Without it, a reader that has seen all has
  /// missed nothing, every other reader too much.
  void read_changes(const task_id& id, const history_range& range, read_done<history_page> done,
                    const std::string&) const override {
    const auto now = answer_snapshot(ledger_, archive_, id, nullptr);
    done(now ? past(id.str(), range, now->sequence) : result<history_page>{now.error()});
  }
  void read_changes(const objective_id& id, const history_range& range,
                    read_done<history_page> done, const std::string&) const override {
    const auto now = answer_snapshot(ledger_, archive_, id, nullptr);
    done(now ? past(id.str(), range, now->sequence) : result<history_page>{now.error()});
  }

  [[nodiscard]] bool has_history() const noexcept override { return false; }

  [[nodiscard]] result<recovered> recover() override { return recovered{}; }
  [[nodiscard]] push_configs& pushes() override { return *this; }

  /// The newest of the settled stay, as many as the bounds and the budget allow and one at least.
  void evict(timestamp) override {
    auto all = ledger_.settled();
    std::ranges::sort(all, std::ranges::greater{}, &ledger::settled_objective::updated);
    std::size_t tasks = 0;
    std::size_t bytes = 0;
    std::size_t kept = 0;
    for (; kept < all.size(); ++kept) {
      tasks += all[kept].tasks;
      bytes += all[kept].bytes;
      if (kept > 0
          && (kept >= bounds_.objectives || tasks > bounds_.tasks || bytes > bounds_.bytes))
        break;
    }
    for (; all.size() > kept; all.pop_back())
      ledger_.forget(all.back());
    for (; all.size() > 1 && !memory_->has_room(memory_account::ended_objectives, 0);
         all.pop_back())
      ledger_.forget(all.back());
    archive_.shrink();
  }

  void forget_expired(timestamp now) override {
    const std::lock_guard lock{committing_once_};
    came_.forget_expired(now);
    static_cast<void>(came_.take_forgotten()); // There are no rows of them.
  }

  void flush() override {}
  void drain() override {}

  [[nodiscard]] store_status status() const override {
    store_status out;
    out.live_tasks = ledger_.live_tasks();
    out.live_objectives = ledger_.live_objectives();
    out.forgotten_early = came_.forgotten_early();
    return out;
  }

private:
  /// What came before; else null, and the change is published if it is about something live.
  once_ptr publish_once(change change, const watcher_ptr& follow) {
    const std::lock_guard lock{committing_once_};
    if (auto before = came_.conflict_of(change.conditions, change.at))
      return before;
    const auto at = change.at;
    const auto conditions = std::exchange(change.conditions, {});
    const bool is_empty = change.events.empty();
    if (!is_empty && !ledger_.publish(std::move(change), nullptr, follow).accepted)
      return nullptr;
    for (const auto& each : conditions) {
      came_.stage(each, at);
      came_.publish(each);
    }
    static_cast<void>(came_.take_forgotten());
    return nullptr;
  }

  void submit(push_write write) override {
    std::vector<push_write> one;
    one.push_back(std::move(write));
    {
      const std::lock_guard lock{pushing_};
      table().stage(one);
      table().publish();
    }
    push_table::answer(one);
  }

  void keep_tail(const task_id& id, const watcher_ptr& who) {
    tails_.keep(id.str(), who, [&](const watcher_ptr& tail) {
      return ledger_.snapshot_task(id, tail, archive_).sequence;
    });
  }
  void keep_tail(const objective_id& id, const watcher_ptr& who) {
    tails_.keep(id.str(), who, [&](const watcher_ptr& tail) {
      return ledger_.snapshot_objective(id, tail, archive_).sequence;
    });
  }

  [[nodiscard]] history_page past(const std::string& id, const history_range& range,
                                  std::uint64_t last) const {
    const bool is_gone = range.after < std::min(last, range.through);
    if (is_gone)
      if (const auto tail = tails_.find(id))
        return tail->read(range);
    return {.changes = {}, .next_after = range.after, .more = false, .gone = is_gone};
  }

  const memory_bounds bounds_;
  const memory_budget_ptr memory_;
  memory_archive archive_;
  change_tails tails_; // Outlives the ledger, which tells them.
  mutable ledger ledger_;
  id_claims claims_;
  once_table came_{once_bounds{}, memory_};
  std::mutex committing_once_; ///< Held while a change with conditions is decided and published.
  std::mutex pushing_;
};

} // namespace

std::unique_ptr<store> make_memory_store(const memory_bounds& bounds) {
  return std::make_unique<memory_store>(bounds);
}

} // namespace troupe
