#include "store/rocksdb/staging.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/record/record.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"
#include <troupe/store/limits.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

rows::stream_kind kind_of(const change& change) noexcept {
  return !change.task.id.empty() && change.task.lone ? rows::stream_kind::lone_task
                                                     : rows::stream_kind::objective;
}

/// Keys and lengths beside a long row.
constexpr std::size_t beside_row_bytes = std::size_t{4} << 10;

/// Before rows of so many bytes are added.
void make_room(rocksdb::WriteBatch& batch, std::size_t bytes) {
  if (bytes < rows::long_row_bytes
      || batch.Data().capacity() >= batch.GetDataSize() + bytes + beside_row_bytes)
    return;
  std::string longer;
  longer.reserve(batch.GetDataSize() + bytes + rows::long_row_bytes);
  longer = batch.Data();
  batch = rocksdb::WriteBatch(std::move(longer));
}

/// The row of a change whose time has changed. It stands at the beginning, so that parts which are
/// in the journal already remain the end of the row; else they are of no use.
void write_again(submission& each) {
  std::string row;
  if (each.row.size() >= rows::long_row_bytes)
    row.reserve(each.row.size() + beside_row_bytes);
  record::write(row, each.submitted);
  const std::string_view parts{each.row.data() + each.row.size() - each.parts_bytes,
                               each.parts_bytes};
  if (!row.ends_with(parts))
    each.parts_bytes = 0;
  each.row = std::move(row);
}

/// Of the rows that the changes will have in the tables, about: a long change is in the row of its
/// event, and in that of the record.
std::size_t bytes_of_rows(const std::vector<submission>& changes) {
  std::size_t out = 0;
  for (const auto& each : changes)
    out += 2 * each.row.size();
  return out;
}

} // namespace

bool is_empty(const change& change) noexcept {
  return change.context.empty() && change.task.id.empty() && change.events.empty();
}

void staging::stage(staged_group& group, const std::unordered_set<std::string>& awaited,
                    std::vector<submission>& apart) {
  group.number = ++last_number_;
  group.seals.clear();
  group.added = {};
  group.is_closed = false;
  group_ = &group;
  make_room(group.rows, bytes_of_rows(group.changes));
  delete_forgotten();
  const auto must_wait = [&](const submission& each) {
    const auto is_same = [&](const submission& other) {
      return other.submitted.context == each.submitted.context;
    };
    // The change of a root task follows from its objective's, and waits for it.
    return awaited.contains(each.submitted.context)
           || std::any_of(apart.begin(), apart.end(), is_same);
  };
  for (auto& each : group.changes) {
    is_absent_ = !is_empty(each.submitted) && must_wait(each);
    if (!is_absent_)
      stage_one(each);
    each.is_staged = !is_absent_ || each.is_orphan;
    if (!each.is_staged)
      apart.push_back(std::move(each)); // The element stays: staged changes point into the vector.
  }
  put_live_rows();
}

void staging::stage_one(submission& each) {
  if (each.submitted.conditions.empty())
    return stage_facts(each);
  each.conflict = once_.conflict_of(each.submitted.conditions, each.submitted.at);
  if (each.conflict)
    return;
  stage_facts(each);
  each.holds = each.accepted || is_empty(each.submitted);
  if (each.holds)
    put_conditions(each);
}

void staging::stage_facts(submission& each) {
  if (is_empty(each.submitted))
    return;
  if (each.submitted.task.id.empty())
    stage_objective_facts(each);
  else
    stage_task_facts(each);
}

// -- what may come once ---------------------------------------------------------------------------

void staging::put_conditions(submission& each) {
  for (const auto& one : each.submitted.conditions) {
    once_.stage(one, each.submitted.at);
    delete_forgotten();
    rows::once_row_key(key_, once_key(*one));
    group_->rows.Put(key_, write_once_row(*one));
  }
}

void staging::delete_forgotten() {
  for (const auto& forgotten : once_.take_forgotten()) {
    rows::once_row_key(key_, forgotten);
    group_->rows.Delete(key_);
  }
}

// -- objectives -----------------------------------------------------------------------------------

staging::staged_objective* staging::objective(const std::string& id) {
  if (!last_objective_ || last_objective_->first != id) {
    const auto known = objectives_.find(id);
    last_objective_ = known == objectives_.end() ? nullptr : &*known;
  }
  if (last_objective_) {
    last_objective_->second.last = last_number_;
    return &last_objective_->second;
  }
  const objective_id typed{id};
  const auto found = live_.pin(typed);
  is_absent_ = !found;
  if (!found)
    return nullptr;
  if (found->sealed) { // The objective is live again, so its sealed row is removed.
    rows::live_key(key_, rows::stream_kind::objective, id);
    group_->rows.Put(key_, "");
    derived_.list_rows_of(*found->sealed, [this](std::string_view key, std::string_view) {
      group_->rows.Delete(slice_of(key));
    });
    group_->added = group_->added - rows::counts_of(*found->sealed);
  }
  const auto staged = objectives_
                          .emplace(id, staged_objective{last_number_, found->sequence, found->at,
                                                        found->plans, true})
                          .first;
  last_objective_ = &*staged;
  return &staged->second;
}

void staging::stage_objective_facts(submission& each) {
  const auto& id = each.submitted.context;
  staged_objective* owner = nullptr;
  if (const auto* created = created_objective(each.submitted)) {
    if (!created->spec || objectives_.contains(id) || !is_new(objective_id{id}))
      return;
    const auto staged = objectives_.emplace(id, staged_objective{last_number_}).first;
    last_objective_ = &*staged;
    owner = &staged->second;
    rows::live_key(key_, rows::stream_kind::objective, id);
    group_->rows.Put(key_, "");
    for (const auto& plan : created->spec->plans)
      put_places(objective_id{id}, owner->plans++, *plan);
  } else {
    owner = objective(id);
  }
  if (!owner)
    return;
  for (const auto& fact : each.submitted.events)
    if (const auto* added = std::get_if<plan_added>(&fact); added && added->spec)
      put_places(objective_id{id}, owner->plans++, *added->spec);
  put_journal_row(each, rows::stream_kind::objective, owner->sequence, owner->at);
}

/// Memory is enough here: an id that a client chose was claimed, and looked for on the disk,
/// before.
bool staging::is_new(const objective_id& id) const {
  return !live_.knows_objective(id, rocksdb_reads{archive_, reach::memory});
}

void staging::put_places(const objective_id& owner, std::uint32_t plan_index,
                         const plan_spec& plan) {
  if (!is_generated(plan.id, owner, plan_index)) {
    rows::plan_place_key(key_, plan.id.str());
    rows::write_place(value_, plan_place{owner, plan_index});
    group_->rows.Put(key_, value_);
  }
  for (std::size_t index = 0; index < plan.tasks.size(); ++index) {
    if (is_generated(plan.tasks[index].id, plan.id, index))
      continue;
    rows::task_place_key(key_, plan.tasks[index].id.str());
    rows::write_place(value_, task_place{owner, plan_index, static_cast<std::uint32_t>(index)});
    group_->rows.Put(key_, value_);
  }
}

// -- tasks ----------------------------------------------------------------------------------------

void staging::stage_task_facts(submission& each) {
  const auto& change = each.submitted;
  const auto* created = created_record(change);
  const auto known = tasks_.find(change.task.id.str());
  const bool is_known = known != tasks_.end();
  if (is_known && (created || known->second.ended))
    return;
  std::optional<ledger::task_base> base;
  if (!is_known) {
    base = live_.live_task(change.task.id);
    if (base.has_value() == (created != nullptr))
      return;
  }
  auto* owner = change.task.lone ? nullptr : objective(change.context);
  if (!owner && !change.task.lone)
    return;

  const bool ends = ends_task(change);
  if (created && ends) { // Nothing else that is staged can concern it, so it needs no entry.
    std::uint64_t sequence = 0;
    timestamp at{};
    put_journal_row(each, kind_of(change), owner ? owner->sequence : sequence,
                    owner ? owner->at : at);
    each.ended = std::make_shared<task>(**created);
    apply(*each.ended, change);
    put_ended_rows(each);
    return;
  }
  const auto place = is_known ? known : tasks_.try_emplace(change.task.id.str()).first;
  auto& entry = place->second;
  entry.last = last_number_;
  if (!is_known) {
    entry.lone = change.task.lone;
    entry.is_listed = created == nullptr;
    entry.sequence = base ? base->sequence : 0;
    entry.at = base ? base->at : timestamp{};
    if (created && entry.lone)
      new_lone_tasks_.push_back(&*place);
  }
  put_journal_row(each, kind_of(change), owner ? owner->sequence : entry.sequence,
                  owner ? owner->at : entry.at);
  entry.pending.push_back({last_number_, &change});
  if (!ends)
    return;
  each.ended = end_of(entry, base ? base->record : nullptr);
  entry.ended = true;
  entry.pending.clear();
  put_ended_rows(each);
  if (entry.lone && entry.is_listed) {
    rows::live_key(key_, rows::stream_kind::lone_task, change.task.id.str());
    group_->rows.Delete(key_);
  }
}

/// Its record after what is pending.
std::shared_ptr<task> staging::end_of(const staged_task& entry,
                                      std::shared_ptr<const task> base) const {
  const auto& first = *entry.pending.front().submitted;
  if (const auto* created = created_record(first))
    base = *created;
  else if (!base)
    base = live_.live_task(first.task.id)->record;
  auto out = std::make_shared<task>(*base);
  for (const auto& each : entry.pending)
    apply(*out, *each.submitted);
  return out;
}

void staging::put_journal_row(submission& each, rows::stream_kind kind, std::uint64_t& sequence,
                              timestamp& at) {
  auto& news = each.submitted;
  const auto encoded_at = news.at;
  follow_on(news, sequence, at);
  if (news.at != encoded_at) // Seldom: a clock was set, or another thread was faster.
    write_again(each);
  at = std::max(at, news.at);
  each.accepted = true;
  news.sequence = ++sequence;
  rows::history_key(key_, kind, each.submitted.stream(), sequence);
  into_rows()(key_, each.row);
}

rows::put_fn staging::into_rows() {
  return [this](std::string_view key, std::string_view value) {
    make_room(group_->rows, value.size());
    group_->rows.Put(slice_of(key), slice_of(value));
  };
}

void staging::put_ended_rows(submission& each) {
  const rows::put_fn put = into_rows();
  each.may_be_recalled = derived_.record_of(*each.ended, put) <= recent_task_bytes_max;
  derived_.list_rows_of(*each.ended, put);
  group_->added = group_->added + rows::counts_of(*each.ended);
}

// -- the group as a whole -------------------------------------------------------------------------

void staging::put_live_rows() {
  for (auto* each : std::exchange(new_lone_tasks_, {})) {
    if (each->second.ended)
      continue;
    rows::live_key(key_, rows::stream_kind::lone_task, each->first);
    group_->rows.Put(key_, "");
    each->second.is_listed = true;
  }
}

void staging::close(staged_group& group, const std::vector<objective_id>& seals) {
  group_ = &group;
  for (const auto& each : seals)
    put_seal(each);
  for (const auto& missing : archive_.take_missing_rows())
    group.rows.Put(missing.key, missing.value);
  if (group.added != rows::counts{}) {
    rows::write_counts(value_, archive_.counts() + group.added);
    group.rows.Put(rows::counts_key, value_);
  }
  group.is_closed = true;
}

void staging::put_seal(const objective_id& id) {
  const bool twice = std::ranges::any_of(
      group_->seals, [&](const staged_group::seal& each) { return each.id == id; });
  if (twice || objectives_.contains(id.str()))
    return;
  const auto record = live_.sealable(id);
  if (!record)
    return;
  const rows::put_fn put = into_rows();
  derived_.record_of(*record, put);
  derived_.list_rows_of(*record->view, put);
  rows::live_key(key_, rows::stream_kind::objective, id.str());
  group_->rows.Delete(key_);
  group_->added = group_->added + rows::counts_of(*record->view);
  group_->seals.push_back({id, record->sequence});
}

void staging::publish(staged_group& group, std::vector<objective_id>& settled) {
  const auto unpinned = forget(group);
  archive_.set_objective_counts(archive_.counts() + group.added);
  for (const auto& sealed : group.seals) {
    archive_.replaced(sealed.id);
    live_.mark_sealed(sealed.id, sealed.sequence);
  }
  for (auto& each : group.changes) {
    if (each.holds)
      for (const auto& one : std::exchange(each.submitted.conditions, {}))
        once_.publish(one);
    if (!each.accepted)
      continue;
    if (each.ended && each.may_be_recalled)
      archive_.remember(each.ended);
    objective_id owner;
    if (each.submitted.task.id.empty() || !each.submitted.task.lone)
      owner = objective_id{each.submitted.context};
    const auto done = live_.publish(std::move(each.submitted), std::move(each.ended), each.follow);
    if (done.may_settle)
      settled.push_back(std::move(owner));
  }
  for (const auto& each : unpinned)
    live_.unpin(each);
}

/// The pinned objectives among what is forgotten.
std::vector<objective_id> staging::forget(const staged_group& published) {
  std::vector<objective_id> out;
  const auto forget_objective = [&](auto which) {
    if (which->second.pinned)
      out.emplace_back(which->first);
    return objectives_.erase(which);
  };
  last_objective_ = nullptr;
  if (published.number == last_number_) {
    tasks_.clear();
    for (auto each = objectives_.begin(); each != objectives_.end();)
      each = forget_objective(each);
    return out;
  }
  for (const auto& each : published.changes) {
    if (!each.accepted)
      continue;
    const auto owner = objectives_.find(each.submitted.context);
    if (owner != objectives_.end() && owner->second.last <= published.number)
      forget_objective(owner);
    const auto concerned = tasks_.find(each.submitted.task.id.str());
    if (concerned == tasks_.end())
      continue;
    if (concerned->second.last <= published.number)
      tasks_.erase(concerned);
    else
      std::erase_if(concerned->second.pending,
                    [&](const auto& pending) { return pending.group <= published.number; });
  }
  return out;
}

} // namespace troupe
