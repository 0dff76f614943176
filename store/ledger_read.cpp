// Finding, listing and watching: what the ledger answers. Changing it is in ledger.cpp.
#include "store/ledger.hpp"
#include "store/place.hpp"
#include "store/unrecorded.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

void add_watcher(std::vector<watcher_ptr>& list, const watcher_ptr& who) {
  if (who && std::find(list.begin(), list.end(), who) == list.end())
    list.push_back(who);
}

/// Retries of a look-up that met a task just as it began or ended. Each means that the task moved
/// on meanwhile.
constexpr int looks_max = 8;

} // namespace

ledger::task_shard& ledger::task_shard_of(std::string_view id) const noexcept {
  return tasks_[text_hash{}(id) >> 32 & (ledger_shards - 1)];
}

ledger::objective_shard& ledger::objective_shard_of(std::string_view id) const noexcept {
  return objectives_[text_hash{}(id) >> 32 & (ledger_shards - 1)];
}

// -- where an id belongs --------------------------------------------------------------------------

template<class Attempt>
bool ledger::for_each_place(const plan_id& id, const archive_reads& ended, Attempt attempt) const {
  if (const auto generated = split_number(id.str(), ".p"))
    if (attempt(plan_place{objective_id{generated->base}, generated->number}))
      return true;
  if (const auto chosen = ended.place_of(id))
    return attempt(*chosen);
  return false;
}

namespace {

/// Calls `attempt(base id, generation)` for each way to read a task's id until one returns true.
template<class Attempt>
bool for_each_base(const task_id& id, Attempt attempt) {
  if (attempt(id, 0))
    return true;
  const auto renewed = split_number(id.str(), ".r");
  return renewed && renewed->number > 0 && attempt(task_id{renewed->base}, renewed->number);
}

} // namespace

template<class Attempt>
bool ledger::for_each_generated_place(const task_id& id, const archive_reads& ended,
                                      Attempt attempt) const {
  return for_each_base(id, [&](const task_id& base, std::uint32_t generation) {
    const auto generated = split_number(base.str(), ".t");
    return generated
           && for_each_place(plan_id{generated->base}, ended, [&](const plan_place& plan) {
                return attempt(task_place{plan.objective, plan.plan, generated->number}, base,
                               generation);
              });
  });
}

template<class Attempt>
bool ledger::for_each_chosen_place(const task_id& id, const archive_reads& ended,
                                   Attempt attempt) const {
  return for_each_base(id, [&](const task_id& base, std::uint32_t generation) {
    const auto chosen = ended.place_of(base);
    return chosen && attempt(*chosen, base, generation);
  });
}

template<class Ask>
bool ledger::with_objective(const objective_id& id, const archive_reads& ended, Ask ask) const {
  {
    auto& home = objective_shard_of(id.str());
    const std::lock_guard lock{home.guard};
    const auto found = home.live.find(id.str());
    if (found != home.live.end()) {
      ask(std::as_const(found->second));
      return true;
    }
  }
  auto read = ended.find_objective(id);
  if (!read)
    return false;
  objective_entry entry;
  entry.in_memory = false;
  entry.view = std::move(read->view);
  entry.withdrawn = std::move(read->withdrawn);
  entry.sequence = read->sequence;
  ask(std::as_const(entry));
  return true;
}

// -- one task -------------------------------------------------------------------------------------

task_ptr ledger::find_task(const task_id& id, const archive_reads& ended) const {
  return look(id, nullptr, ended).record;
}

task_snapshot ledger::snapshot_task(const task_id& id, const watcher_ptr& who,
                                    const archive_reads& ended) {
  return look(id, who ? &who : nullptr, ended);
}

bool ledger::knows_task(const task_id& id, const archive_reads& ended) const {
  {
    auto& home = task_shard_of(id.str());
    const std::lock_guard lock{home.guard};
    if (home.live.contains(std::string_view{id.str()}))
      return true;
  }
  if (ended.has_task(id))
    return true;
  const auto is_there = [&](const task_place& place, const task_id& base,
                            std::uint32_t generation) {
    bool known = false;
    with_objective(place.objective, ended, [&](const objective_entry& owner) {
      const auto& plans = owner.view->plans;
      known = place.plan < plans.size() && place.task < plans[place.plan].tasks.size()
              && plans[place.plan].spec->tasks[place.task].id == base
              && generation <= plans[place.plan].tasks[place.task].generation;
    });
    return known;
  };
  return for_each_generated_place(id, ended, is_there)
         || for_each_chosen_place(id, ended, is_there);
}

std::optional<placement> ledger::placement_of(const task_id& id, const archive_reads& ended) const {
  if (const auto live = look_live(id, nullptr).record)
    return troupe::placement_of(*live);
  if (const auto recent = ended.recall_task(id))
    return troupe::placement_of(*recent);
  std::optional<placement> out;
  const auto look_there = [&](const task_place& place, const task_id& base,
                              std::uint32_t generation) {
    auto& home = objective_shard_of(place.objective.str());
    const std::lock_guard lock{home.guard};
    const auto found = home.live.find(place.objective.str());
    if (found == home.live.end())
      return false;
    const auto& plans = found->second.view->plans;
    if (place.plan >= plans.size() || place.task >= plans[place.plan].tasks.size()
        || plans[place.plan].spec->tasks[place.task].id != base)
      return false;
    const auto& summary = plans[place.plan].tasks[place.task];
    if (summary.generation == generation && summary.state == task_state::unspecified)
      out = placement{.kind = placement::id_kind::task,
                      .owner = found->second.view->owner,
                      .objective = place.objective,
                      .plan = place.plan,
                      .task = place.task};
    return true;
  };
  for_each_generated_place(id, ended, look_there); // One that has not begun has no record.
  if (!out)
    out = ended.placement_of(id);
  if (!out)
    if (const auto found = find_task(id, ended))
      out = troupe::placement_of(*found);
  return out;
}

task_snapshot ledger::look_live(const task_id& id, const watcher_ptr* who) const {
  auto& home = task_shard_of(id.str());
  const std::lock_guard lock{home.guard};
  const auto found = home.live.find(std::string_view{id.str()});
  if (found == home.live.end())
    return {};
  if (who) {
    if (!found->watched_by)
      found->watched_by = std::make_unique<watchers>();
    add_watcher(*found->watched_by, *who);
  }
  return {found->record, found->sequence};
}

task_snapshot ledger::look(const task_id& id, const watcher_ptr* who,
                           const archive_reads& ended) const {
  summary_look seen;
  for (int tries = 0; tries < looks_max; ++tries) {
    if (auto live = look_live(id, who); live.record)
      return live;
    if (auto recent = ended.recall_task(id))
      return {std::move(recent), sequence_end};
    seen.again = false;
    task_snapshot out;
    const auto look_there = [&](const task_place& place, const task_id& base,
                                std::uint32_t generation) {
      bool matches = false;
      if (who)
        load(place.objective,
             ended); // A task of an evicted objective may begin once that is retried.
      with_objective(place.objective, ended, [&](const objective_entry& owner) {
        const auto& plans = owner.view->plans;
        if (place.plan >= plans.size() || place.task >= plans[place.plan].tasks.size()
            || plans[place.plan].spec->tasks[place.task].id != base)
          return;
        matches = true;
        out = look_in(owner, id, place, generation, who, seen);
      });
      return matches;
    };
    // What says where it is needs no look at the disk while its objective is in memory.
    const bool is_placed = for_each_generated_place(id, ended, look_there);
    if (out.record)
      return out;
    if (auto found = ended.find_task(id))
      return {std::move(found), sequence_end};
    if (!is_placed)
      for_each_chosen_place(id, ended, look_there);
    if (!seen.again)
      return out;
  }
  return {}; // It ended and its record is not kept any more.
}

task_snapshot ledger::look_in(const objective_entry& owner, const task_id& id,
                              const task_place& place, std::uint32_t generation,
                              const watcher_ptr* who, summary_look& seen) const {
  const auto& plan = owner.view->plans[place.plan];
  const auto& summary = plan.tasks[place.task];
  if (generation > summary.generation)
    return {};
  if (generation < summary.generation
      && seen.is_unrecorded) // Replaced without ever having had a record: it was withdrawn.
    return {make_unrecorded(*owner.view, id, place, {task_state::canceled, nullptr, plan.updated}),
            sequence_end};
  if (generation == summary.generation && summary.state == task_state::unspecified) {
    if (who && !owner.in_memory) {
      seen.again = true; // Evicted since it was loaded.
      return {};
    }
    if (who) {
      auto& home = task_shard_of(id.str());
      const std::lock_guard lock{home.guard};
      auto& early = home.early[id.str()];
      const auto before = early.size();
      add_watcher(early, *who);
      early_watchers_.fetch_add(early.size() - before, std::memory_order_relaxed);
    }
    return {make_unrecorded(*owner.view, id, place, unbegun_status(plan)), owner.sequence};
  }
  // The task has begun since the look at the live tasks, or it has ended. In both cases its record
  // can be found now, unless it was withdrawn before any attempt, or is not kept. The caller looks
  // for the record again, and then knows which it was.
  if (generation == summary.generation && seen.is_unrecorded)
    return {make_withdrawn(*owner.view, owner.withdrawn, id, place), sequence_end};
  seen.again = true;
  seen.is_unrecorded =
      generation < summary.generation || (is_terminal(summary.state) && summary.attempt == 0);
  return {};
}

// -- one objective --------------------------------------------------------------------------------

objective_ptr ledger::find_objective(const objective_id& id, const archive_reads& ended) const {
  {
    auto& home = objective_shard_of(id.str());
    const std::lock_guard lock{home.guard};
    const auto found = home.live.find(id.str());
    if (found != home.live.end())
      return found->second.view;
  }
  auto read = ended.find_objective(id);
  return read ? objective_ptr{std::move(read->view)} : nullptr;
}

std::optional<placement> ledger::placement_of(const objective_id& id,
                                              const archive_reads& ended) const {
  {
    auto& home = objective_shard_of(id.str());
    const std::lock_guard lock{home.guard};
    const auto found = home.live.find(id.str());
    if (found != home.live.end())
      return troupe::placement_of(*found->second.view);
  }
  if (auto known = ended.placement_of(id))
    return known;
  const auto found = find_objective(id, ended);
  return found ? std::optional{troupe::placement_of(*found)} : std::nullopt;
}

objective_snapshot ledger::snapshot_objective(const objective_id& id, const watcher_ptr& who,
                                              const archive_reads& ended) {
  // Evicted objectives come back to be watched: they may be retried. The second look covers an
  // eviction in between.
  for (int tries = 0; tries < looks_max; ++tries) {
    {
      auto& home = objective_shard_of(id.str());
      const std::lock_guard lock{home.guard};
      const auto found = home.live.find(id.str());
      if (found != home.live.end()) {
        add_watcher(found->second.watched_by, who);
        return {found->second.view, found->second.sequence};
      }
    }
    if (!who) {
      auto read = ended.find_objective(id);
      return read ? objective_snapshot{std::move(read->view), read->sequence}
                  : objective_snapshot{};
    }
    if (!load(id, ended))
      return {};
  }
  return {};
}

bool ledger::knows_objective(const objective_id& id, const archive_reads& ended) const {
  {
    auto& home = objective_shard_of(id.str());
    const std::lock_guard lock{home.guard};
    if (home.live.contains(id.str()))
      return true;
  }
  return ended.has_objective(id);
}

std::optional<objective_id> ledger::objective_of(const plan_id& id,
                                                 const archive_reads& ended) const {
  std::optional<objective_id> out;
  for_each_place(id, ended, [&](const plan_place& place) {
    with_objective(place.objective, ended, [&](const objective_entry& owner) {
      const auto& plans = owner.view->plans;
      if (place.plan < plans.size() && plans[place.plan].spec->id == id)
        out = place.objective;
    });
    return out.has_value();
  });
  return out;
}

void ledger::unwatch(const std::string& task_or_objective, const watcher_ptr& who) {
  {
    auto& home = objective_shard_of(task_or_objective);
    const std::lock_guard lock{home.guard};
    const auto found = home.live.find(task_or_objective);
    if (found != home.live.end())
      std::erase(found->second.watched_by, who);
  }
  auto& home = task_shard_of(task_or_objective);
  const std::lock_guard lock{home.guard};
  const auto live = home.live.find(std::string_view{task_or_objective});
  if (live != home.live.end() && live->watched_by)
    std::erase(*live->watched_by, who);
  const auto early = home.early.find(task_or_objective);
  if (early == home.early.end())
    return;
  early_watchers_.fetch_sub(std::erase(early->second, who), std::memory_order_relaxed);
  if (early->second.empty())
    home.early.erase(early);
}

void ledger::watch_all(const watcher_ptr& who) {
  const std::lock_guard lock{all_guard_};
  add_watcher(all_watched_by_, who);
  is_all_watched_.store(true, std::memory_order_release);
}

void ledger::unwatch_all(const watcher_ptr& who) {
  const std::lock_guard lock{all_guard_};
  std::erase(all_watched_by_, who);
  is_all_watched_.store(!all_watched_by_.empty(), std::memory_order_release);
}

// -- lists ----------------------------------------------------------------------------------------

namespace {

result<std::size_t> checked_page_size(std::uint32_t asked) {
  if (asked < 1 || asked > page_size_max)
    return make_error(errc::invalid_params,
                      "pageSize must be 1 to " + std::to_string(page_size_max) + ", not "
                          + std::to_string(asked) + ".",
                      "pageSize");
  return std::size_t{asked};
}

/// What every list is asked for.
struct asked_page {
  std::uint64_t question; ///< Its fingerprint.
  std::size_t size;
  std::optional<position> after; ///< The end of the page before.
};

template<class Query>
result<asked_page> asked_page_of(const Query& query) {
  const auto question = fingerprint(query);
  const auto size = checked_page_size(query.page_size);
  if (!size)
    return size.error();
  auto after = read_page_token(query.page_token, question);
  if (!after)
    return after.error();
  return asked_page{question, *size, std::move(*after)};
}

position place_of_task(const task_ptr& row) {
  return {row->status.at, row->id.str()};
}

/// `make` gives the row, if it is among the first.
template<class Make>
void offer(first_rows<objective_ptr>& to, const objective_view& row, objective_order order,
           Make make) {
  if (order == objective_order::updated) // most lists: no place is made
    return to.offer_made(row.updated, row.id.str(), std::move(make));
  const auto place = place_in_list(row, order);
  to.offer_made(place.at, place.id, std::move(make));
}

/// Cuts `all` (one row more than fits, if there is one) to a page and says where the next begins.
/// Never after the last row of an archive that has left some out: by that one there are bytes
/// enough here, too.
template<class T, class Place, class Bytes>
std::string cut_page(listed<T>& all, std::size_t size, std::uint64_t question, Place place,
                     Bytes bytes) {
  std::size_t rows = 0;
  for (std::size_t sum = 0; rows < std::min(size, all.rows.size()) && sum <= page_bytes_max; ++rows)
    sum += bytes(*all.rows[rows]);
  if (rows == all.rows.size() && !all.more)
    return {};
  all.rows.resize(rows);
  return write_page_token(place(all.rows.back()), question);
}

} // namespace

/// The tasks of the list that have no record: those of the objective to whose context the list is
/// narrowed, if the caller may see it.
listed<task_ptr> ledger::unrecorded_tasks(const task_filter& filter,
                                          const std::optional<position>& after, std::size_t count,
                                          const archive_reads& ended) const {
  const bool may_pass =
      !filter.state || *filter.state == task_state::submitted || is_terminal(*filter.state);
  if (filter.context.empty() || !may_pass)
    return {};
  objective_state_of_record
      owner; // A copy, so that the objective can go on while its summaries are walked.
  with_objective(objective_id{filter.context}, ended, [&](const objective_entry& entry) {
    if (entry.view->owner == filter.owner)
      owner = {entry.view, entry.withdrawn, entry.sequence, entry.at};
  });
  return owner.view ? list_unrecorded(owner, filter, after, count) : listed<task_ptr>{};
}

result<task_page> ledger::list(const list_tasks& query, const archive_reads& ended) const {
  const auto page = asked_page_of(query);
  if (!page)
    return page.error();
  const auto& [question, size, after] = *page;
  const task_filter filter{owner_of(query.who), query.context, query.state, query.status_after};

  const auto place = [](const task_ptr& row) { return place_of_task(row); };
  // A task goes from those without a record to the live ones, and from these to the archive. Looked
  // at in this order, one that goes on meanwhile is in one of them at least.
  auto all = unrecorded_tasks(filter, after, size + 1, ended);
  first_rows<task_ptr> rows{after, size + 1};
  if (!filter.state || !is_terminal(*filter.state)) {
    const auto context_hash = live_index<task>::hash_of(filter.context);
    std::uint64_t looked_at = 0;
    for (const auto& home : tasks_) {
      const std::lock_guard lock{home.guard};
      home.lists.visit(filter.owner, filter.state, [&](const live_index<task>::row& each) {
        ++looked_at;
        if ((filter.status_after && each.at < *filter.status_after)
            || (!filter.context.empty()
                && (each.context_hash != context_hash || each.record->context != filter.context)))
          return;
        const auto& id = each.record->id.str();
        rows.offer_made(each.at, id,
                        [&] { return task_ptr{home.live.find(std::string_view{id})->record}; });
      });
    }
    rows_looked_at_.fetch_add(looked_at, std::memory_order_relaxed);
  }
  all = merge(std::move(all), rows.take(), place);
  if (!filter.state || is_terminal(*filter.state))
    all = merge(std::move(all), ended.list_tasks(filter, after, size + 1, query.view), place);
  task_page out;
  out.total_size = all.total;
  out.next_page_token = cut_page(all, size, question, place,
                                 [&](const task& row) { return bytes_shown(row, query.view); });
  out.tasks = std::move(all.rows);
  return out;
}

result<input_page> ledger::list(const list_inputs& query) const {
  const auto page = asked_page_of(query);
  if (!page)
    return page.error();
  const auto& [question, size, after] = *page;
  input_page out;
  if (!query.task.empty()) {
    const auto found = live_task(query.task);
    if (found && found->record->owner == owner_of(query.who) && found->record->question)
      out.tasks.push_back(found->record);
    out.total_size = out.tasks.size();
    return out;
  }
  const auto open = inputs_.list(query, after, size + 1);
  out.total_size = open.total;
  std::size_t bytes = 0;
  std::size_t seen = 0;
  for (; seen < std::min(open.rows.size(), size) && bytes <= page_bytes_max; ++seen) {
    const auto found = live_task(task_id{open.rows[seen].id});
    if (!found || !found->record->question)
      continue; // It has been closed meanwhile.
    bytes += bytes_of(found->record->question.get());
    out.tasks.push_back(found->record);
  }
  if (seen < open.rows.size())
    out.next_page_token = write_page_token(open.rows[seen - 1], question);
  return out;
}

result<objective_page> ledger::list(const list_objectives& query,
                                    const archive_reads& ended) const {
  const auto page = asked_page_of(query);
  if (!page)
    return page.error();
  const auto& [question, size, after] = *page;
  const objective_filter filter{owner_of(query.who), query.states, text_search{query.text},
                                query.updated_after};
  const auto order = query.order;
  first_rows<objective_ptr> rows{after, size + 1};
  std::uint64_t looked_at = 0;
  for (const auto& home : objectives_) {
    std::vector<objective_ptr> to_search; // without the lock
    {
      const std::lock_guard lock{home.guard};
      const auto look_at = [&](const live_index<objective_view>::row& each) {
        ++looked_at;
        const auto view = [&] {
          return objective_ptr{home.live.find(each.record->id.str())->second.view};
        };
        if (!filter.takes(each.at))
          return;
        if (filter.text.is_empty())
          offer(rows, *each.record, order, view);
        else
          to_search.push_back(view());
      };
      if (filter.states.empty())
        home.lists.visit(filter.owner, std::nullopt, look_at);
      for (const auto state : filter.states)
        home.lists.visit(filter.owner, state, look_at);
    }
    for (const auto& row : to_search)
      if (filter.has_text(*row))
        offer(rows, *row, order, [&] { return row; });
  }
  rows_looked_at_.fetch_add(looked_at, std::memory_order_relaxed);
  auto settled = ended.list_objectives(filter, order, after, size + 1);
  if (!settled)
    return settled.error();
  const auto place = [&](const objective_ptr& row) { return place_in_list(*row, order); };
  auto all = merge(rows.take(), std::move(*settled), place);
  objective_page out;
  out.total_size = all.total;
  out.next_page_token = cut_page(all, size, question, place,
                                 [](const objective_view& row) { return bytes_shown(row); });
  out.objectives = std::move(all.rows);
  return out;
}

} // namespace troupe
