// Publishing, sealing, evicting, restoring: everything that changes the ledger. Reading is in
// ledger_read.cpp.
#include "store/ledger.hpp"

#include "protocol/change_size.hpp"
#include "protocol/fold/apply.hpp"
#include "protocol/fold/rollup.hpp"
#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

void tell(const std::vector<watcher_ptr>& whom, const change_ptr& change) {
  for (const auto& each : whom)
    each->on_change(change);
}

bool is_watching(const std::vector<watcher_ptr>& list, const watcher_ptr& who) noexcept {
  return std::find(list.begin(), list.end(), who) != list.end();
}

/// Whether an objective may hold more after the event.
bool may_grow(const event& fact) noexcept {
  return std::holds_alternative<objective_edited>(fact)
         || std::holds_alternative<objective_changed>(fact)
         || std::holds_alternative<plan_added>(fact) || std::holds_alternative<plan_edited>(fact)
         || std::holds_alternative<plan_changed>(fact);
}

} // namespace

// -- publishing -----------------------------------------------------------------------------------

ledger::published ledger::publish(change&& change, std::shared_ptr<task> ended,
                                  const watcher_ptr& follow) {
  leftovers gone;
  if (!change.task.id.empty() && change.task.lone)
    return publish_task(nullptr, std::move(change), std::move(ended), follow, gone);
  auto& home = objective_shard_of(change.context);
  const std::lock_guard lock{home.guard};
  if (change.task.id.empty())
    return publish_objective(home, std::move(change), follow, gone);
  const auto owner = home.live.find(change.context);
  if (owner == home.live.end())
    return {};
  const auto out = publish_task(&owner->second, std::move(change), std::move(ended), follow, gone);
  if (out.accepted)
    note_listed(home, owner->second);
  return out;
}

ledger::published ledger::publish_objective(objective_shard& home, change&& news,
                                            const watcher_ptr& follow, leftovers& gone) {
  auto found = home.live.find(news.context);
  const bool is_new = created_objective(news) != nullptr;
  if (is_new != (found == home.live.end()))
    return {};
  if (is_new) {
    found = home.live.emplace(news.context, objective_entry{}).first;
    found->second.view = std::make_shared<objective_view>();
    if (follow)
      found->second.watched_by.push_back(follow);
    live_objectives_.fetch_add(1, std::memory_order_relaxed);
  }
  auto& entry = found->second;
  const auto plans_before = entry.view->plans.size();
  follow_on(news, entry.sequence, entry.at);
  entry.sequence = news.sequence;
  entry.at = std::max(entry.at, news.at);
  auto& view = unshared(entry.view);
  apply(view, news);
  note_listed(home, entry);
  count_ended(entry, std::ranges::any_of(news.events, may_grow));
  note_withdrawals(entry.withdrawn, news);
  for (auto index = plans_before; index < view.plans.size(); ++index)
    archive_.learn(view.id, static_cast<std::uint32_t>(index), *view.plans[index].spec);
  const bool may_settle = is_settled(view.state) && entry.live_tasks == 0;
  const bool is_all_watched = is_all_watched_.load(std::memory_order_acquire);
  if (!entry.watched_by.empty() || is_all_watched
      || early_watchers_.load(std::memory_order_relaxed) != 0) {
    if (!entry.watched_by.empty())
      news.progress = progress_of(view);
    const auto shared = std::make_shared<const change>(std::move(news));
    tell(entry.watched_by, shared);
    tell_all(shared);
    tell_withdrawn(view, shared, gone);
  }
  return {.accepted = true, .may_settle = may_settle};
}

/// Those who wait for a task to begin learn that it never will.
void ledger::tell_withdrawn(const objective_view& view, const change_ptr& change, leftovers& gone) {
  if (early_watchers_.load(std::memory_order_relaxed) == 0)
    return;
  for (const auto& fact : change->events) {
    const auto* withdrawn = std::get_if<tasks_withdrawn>(&fact);
    if (!withdrawn || withdrawn->plan >= view.plans.size())
      continue;
    const auto& plan = view.plans[withdrawn->plan];
    for (const auto index : withdrawn->tasks) {
      if (index >= plan.tasks.size())
        continue;
      const auto id = plan.task_at(index);
      auto& home = task_shard_of(id.str());
      const std::lock_guard lock{home.guard};
      const auto early = home.early.find(id.str());
      if (early == home.early.end())
        continue;
      tell(early->second, change);
      early_watchers_.fetch_sub(early->second.size(), std::memory_order_relaxed);
      gone.released.push_back(std::move(early->second));
      home.early.erase(early);
    }
  }
}

ledger::published ledger::publish_task(objective_entry* owner, change&& news,
                                       std::shared_ptr<task> ended, const watcher_ptr& follow,
                                       leftovers& gone) {
  auto& home = task_shard_of(news.task.id.str());
  const std::lock_guard lock{home.guard};
  auto found = home.live.find(std::string_view{news.task.id.str()});
  const auto* created = created_record(news);
  if ((created != nullptr) != (found == home.live.end()))
    return {};

  watchers mine;
  if (created)
    mine = begin_watching(home, news.task.id, follow);
  const bool watched = (owner && !owner->watched_by.empty()) || !mine.empty()
                       || (!created && found->is_watched())
                       || is_all_watched_.load(std::memory_order_acquire);
  if (owner)
    follow_on(news, owner->sequence, owner->at);
  else if (created)
    follow_on(news, 0, {});
  else
    follow_on(news, found->sequence, found->at);
  if (!created) {
    found->sequence = news.sequence;
    found->at = std::max(found->at, news.at);
  }
  if (owner) {
    owner->sequence = news.sequence;
    owner->at = std::max(owner->at, news.at);
    apply(unshared(owner->view), news);
  }

  const bool asked = !created && found->record->question;
  std::shared_ptr<task> record = std::move(ended);
  if (!record && created) {
    // Watchers are shown the record as it was made, so it is theirs if there is more to apply.
    record = watched && news.events.size() > 1 ? std::make_shared<task>(**created) : *created;
    apply(*record, news);
  } else if (!record) {
    apply(unshared(found->record), news);
    record = found->record;
  }

  if (asked || record->question)
    note_question(*record);

  if (is_terminal(record->status.state)) {
    archive_.keep(record);
    if (!created) {
      if (found->watched_by)
        mine = std::move(*found->watched_by);
      gone.record = found->record;
      drop_live(home, found);
    }
    count_task(owner, created ? 0 : -1);
  } else if (created) {
    auto watched_by = mine.empty() ? nullptr : std::make_unique<watchers>(std::move(mine));
    found = add_live(home, {.record = record,
                            .watched_by = std::move(watched_by),
                            .sequence = news.sequence,
                            .at = news.at})
                .first;
    mine.clear();
    count_task(owner, 1);
  } else {
    note_status(home, *found);
  }

  published out{.accepted = true,
                .may_settle = owner && owner->live_tasks == 0 && is_settled(owner->view->state)};
  if (watched) {
    const bool still_live = !is_terminal(record->status.state);
    if (owner && !owner->watched_by.empty())
      news.progress = progress_of(*owner->view);
    const auto shared = std::make_shared<const change>(std::move(news));
    if (owner)
      tell(owner->watched_by, shared);
    if (!still_live)
      tell(mine, shared);
    else if (found->is_watched())
      tell(*found->watched_by, shared);
    tell_all(shared);
    gone.released.push_back(std::move(mine));
  }
  return out;
}

void ledger::note_question(const task& record) {
  if (is_terminal(record.status.state))
    inputs_.drop(record);
  else
    inputs_.note(record);
}

void ledger::tell_all(const change_ptr& change) const {
  if (!is_all_watched_.load(std::memory_order_acquire))
    return;
  const std::lock_guard lock{all_guard_};
  tell(all_watched_by_, change);
}

/// The watchers of a task from its first event on: `follow`, and those that waited for it to begin.
ledger::watchers ledger::begin_watching(task_shard& home, const task_id& id,
                                        const watcher_ptr& follow) {
  watchers out;
  if (early_watchers_.load(std::memory_order_relaxed) != 0) {
    const auto early = home.early.find(id.str());
    if (early != home.early.end()) {
      out = std::move(early->second);
      home.early.erase(early);
      early_watchers_.fetch_sub(out.size(), std::memory_order_relaxed);
    }
  }
  if (follow && !is_watching(out, follow))
    out.push_back(follow);
  return out;
}

std::pair<ledger::live_tasks_set::iterator, bool> ledger::add_live(task_shard& home,
                                                                   live_entry entry) {
  const auto out = home.live.insert(std::move(entry));
  if (out.second)
    out.first->listed = home.lists.add(*out.first->record);
  return out;
}

void ledger::note_status(task_shard& home, const live_entry& entry) {
  home.lists.update(entry.listed, *entry.record,
                    [&](const task& moved, const live_index<task>::place& to) {
                      home.live.find(std::string_view{moved.id.str()})->listed = to;
                    });
}

void ledger::drop_live(task_shard& home, live_tasks_set::iterator which) {
  const auto move = [&](const task& moved, const live_index<task>::place& to) {
    home.live.find(std::string_view{moved.id.str()})->listed = to;
  };
  home.lists.remove(which->listed, which->record->owner, move);
  home.live.erase(which);
}

void ledger::note_listed(objective_shard& home, objective_entry& entry) {
  const auto move = [&](const objective_view& moved, const live_index<objective_view>::place& to) {
    home.live.find(moved.id.str())->second.listed = to;
  };
  if (entry.sealed && entry.listed.in) {
    home.lists.remove(entry.listed, entry.view->owner, move);
    entry.listed = {};
  } else if (!entry.sealed && entry.listed.in) {
    home.lists.update(entry.listed, *entry.view, move);
  } else if (!entry.sealed) {
    entry.listed = home.lists.add(*entry.view);
  }
}

void ledger::count_ended(objective_entry& entry, bool may_have_grown) const {
  if (!is_settled(entry.view->state)) {
    entry.held = {};
  } else if (!entry.held || may_have_grown) {
    entry.held = {};
    entry.held =
        memory_charge::force(*memory_, memory_account::ended_objectives, bytes_of(*entry.view));
  }
}

void ledger::count_task(objective_entry* owner, int by) noexcept {
  const auto step = static_cast<std::size_t>(by); // Wraps around for -1, as unsigned addition does.
  live_tasks_.fetch_add(step, std::memory_order_relaxed);
  if (owner)
    owner->live_tasks += step;
}

// -- for stores that write before they publish ----------------------------------------------------

std::optional<ledger::task_base> ledger::live_task(const task_id& id) const {
  auto& home = task_shard_of(id.str());
  const std::lock_guard lock{home.guard};
  const auto found = home.live.find(std::string_view{id.str()});
  if (found == home.live.end())
    return std::nullopt;
  return task_base{found->record, found->sequence, found->at};
}

std::optional<ledger::pinned> ledger::pin(const objective_id& id) {
  auto& home = objective_shard_of(id.str());
  const std::lock_guard lock{home.guard};
  const auto found = home.live.find(id.str());
  if (found == home.live.end())
    return std::nullopt;
  auto& entry = found->second;
  pinned out{entry.sequence, entry.at, static_cast<std::uint32_t>(entry.view->plans.size()),
             entry.sealed ? entry.view : nullptr};
  entry.sealed = false;
  note_listed(home, entry);
  ++entry.pins;
  return out;
}

void ledger::unpin(const objective_id& id) {
  auto& home = objective_shard_of(id.str());
  const std::lock_guard lock{home.guard};
  const auto found = home.live.find(id.str());
  if (found != home.live.end() && found->second.pins > 0)
    --found->second.pins;
}

std::optional<objective_state_of_record> ledger::sealable(const objective_id& id) const {
  auto& home = objective_shard_of(id.str());
  const std::lock_guard lock{home.guard};
  const auto found = home.live.find(id.str());
  if (found == home.live.end())
    return std::nullopt;
  const auto& entry = found->second;
  if (entry.sealed || entry.live_tasks != 0 || !is_settled(entry.view->state))
    return std::nullopt;
  return objective_state_of_record{entry.view, entry.withdrawn, entry.sequence, entry.at};
}

void ledger::mark_sealed(const objective_id& id, std::uint64_t sequence) {
  auto& home = objective_shard_of(id.str());
  const std::lock_guard lock{home.guard};
  const auto found = home.live.find(id.str());
  if (found == home.live.end() || found->second.sequence != sequence)
    return;
  found->second.sealed = true;
  note_listed(home, found->second);
}

void ledger::evict(timestamp settled_before) {
  for (auto& home : objectives_) {
    std::vector<objective_entry> gone; // Destroyed without the lock.
    {
      const std::lock_guard lock{home.guard};
      for (auto each = home.live.begin(); each != home.live.end();) {
        auto& entry = each->second;
        if (!entry.sealed || !entry.is_idle() || entry.view->updated >= settled_before) {
          ++each;
          continue;
        }
        gone.push_back(std::move(entry));
        home.live.erase(each++);
        ++home.evictions;
        live_objectives_.fetch_sub(1, std::memory_order_relaxed);
      }
    }
    for (const auto& each : gone)
      archive_.forget(*each.view);
  }
}

// -- for a store that keeps only so much ----------------------------------------------------------

std::vector<ledger::settled_objective> ledger::settled() const {
  std::vector<settled_objective> out;
  for (const auto& home : objectives_) {
    const std::lock_guard lock{home.guard};
    for (const auto& [id, entry] : home.live) {
      if (!entry.is_idle())
        continue;
      std::size_t tasks = 0;
      for (const auto& plan : entry.view->plans)
        tasks += plan.tasks.size();
      out.push_back({entry.view->updated, objective_id{id}, tasks, entry.held.bytes()});
    }
  }
  return out;
}

void ledger::forget(const settled_objective& which) {
  objective_entry gone; // Destroyed without the lock.
  auto& home = objective_shard_of(which.id.str());
  const std::lock_guard lock{home.guard};
  const auto found = home.live.find(which.id.str());
  if (found == home.live.end() || !found->second.is_idle()
      || found->second.view->updated != which.updated)
    return;
  archive_.forget(*found->second.view);
  found->second.sealed = true; // It is in no list any more.
  note_listed(home, found->second);
  gone = std::move(found->second);
  home.live.erase(found);
  live_objectives_.fetch_sub(1, std::memory_order_relaxed);
}

// -- recovery -------------------------------------------------------------------------------------

void ledger::restore(objective_state_of_record record, bool sealed) {
  auto& home = objective_shard_of(record.view->id.str());
  const std::lock_guard lock{home.guard};
  insert(home, std::move(record), sealed);
}

void ledger::restore(std::shared_ptr<task> value, bool lone, std::uint64_t sequence, timestamp at) {
  if (!lone) {
    auto& owners = objective_shard_of(value->context);
    const std::lock_guard lock{owners.guard};
    const auto owner = owners.live.find(value->context);
    if (owner != owners.live.end())
      ++owner->second.live_tasks;
  }
  auto& home = task_shard_of(value->id.str());
  const std::lock_guard lock{home.guard};
  if (value->question)
    note_question(*value);
  if (add_live(home, {.record = std::move(value), .sequence = sequence, .at = at}).second)
    live_tasks_.fetch_add(1, std::memory_order_relaxed);
}

ledger::unfinished ledger::list_unfinished() const {
  unfinished out;
  for (const auto& home : objectives_) {
    const std::lock_guard lock{home.guard};
    for (const auto& [id, entry] : home.live)
      if (!is_settled(entry.view->state))
        out.objectives.push_back(entry.view);
  }
  for (const auto& home : tasks_) {
    const std::lock_guard lock{home.guard};
    for (const auto& entry : home.live)
      if (!entry.record->origin)
        out.lone_tasks.push_back(entry.record);
  }
  const auto by_id = [](const auto& a, const auto& b) { return a->id.str() < b->id.str(); };
  std::ranges::sort(out.objectives, by_id);
  std::ranges::sort(out.lone_tasks, by_id);
  return out;
}

bool ledger::load(const objective_id& id, const archive_reads& ended) const {
  auto& home = objective_shard_of(id.str());
  for (;;) {
    std::uint64_t evictions = 0;
    {
      const std::lock_guard lock{home.guard};
      if (home.live.contains(id.str()))
        return true;
      evictions = home.evictions;
    }
    auto found = ended.find_objective(id);
    if (!found)
      return false;
    const std::lock_guard lock{home.guard};
    if (home.evictions != evictions)
      continue; // It may have come back, changed and gone again: what was read may be old.
    if (!home.live.contains(id.str()))
      insert(home, std::move(*found), true);
    return true;
  }
}

void ledger::insert(objective_shard& home, objective_state_of_record record, bool sealed) const {
  const auto key = record.view->id.str();
  objective_entry entry;
  entry.view = std::move(record.view);
  entry.withdrawn = std::move(record.withdrawn);
  entry.sequence = record.sequence;
  entry.at = record.at;
  entry.sealed = sealed;
  const auto added = home.live.emplace(key, std::move(entry));
  if (!added.second)
    return;
  note_listed(home, added.first->second);
  count_ended(added.first->second, false);
  live_objectives_.fetch_add(1, std::memory_order_relaxed);
}

} // namespace troupe
