#include "store/rocksdb/change_batch.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/record/record.hpp"
#include <troupe/store/limits.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

rows::stream_kind kind_of(const change& change) noexcept {
  return !change.task.id.empty() && change.task.lone ? rows::stream_kind::lone_task
                                                     : rows::stream_kind::objective;
}

} // namespace

void change_batch::clear() {
  go_on();
  rows_.Clear();
}

void change_batch::go_on() {
  for (const auto& [id, staged] : objectives_)
    if (staged.pinned)
      live_.unpin(objective_id{id});
  objectives_.clear();
  tasks_.clear();
  seals_.clear();
  counts_changed_ = false;
  last_objective_ = nullptr;
}

void change_batch::stage(std::vector<submission>& changes,
                         const std::unordered_set<std::string>& awaited,
                         std::vector<submission>& apart) {
  counts_ = archive_.counts();
  const auto must_wait = [&](const submission& each) {
    const auto is_same = [&](const submission& other) {
      return other.submitted.context == each.submitted.context;
    };
    // The change of a root task follows from its objective's, and waits for it.
    return awaited.contains(each.submitted.context)
           || std::any_of(apart.begin(), apart.end(), is_same);
  };
  for (auto& each : changes) {
    is_absent_ = must_wait(each);
    if (!is_absent_)
      stage_one(each);
    each.is_staged = !is_absent_ || each.is_orphan;
    if (!each.is_staged)
      apart.push_back(std::move(each));
  }
  // Only from here on: what was staged is pointed to until all is.
  std::erase_if(changes, [](const submission& each) { return !each.is_staged; });
}

void change_batch::stage_one(submission& each) {
  if (each.submitted.task.id.empty())
    stage_objective_facts(each);
  else
    stage_task_facts(each);
}

// -- objectives ------------------------------------------------------------------------------------------------------

change_batch::staged_objective* change_batch::objective(const std::string& id) {
  if (last_objective_ && last_objective_->first == id)
    return &last_objective_->second;
  if (const auto known = objectives_.find(id); known != objectives_.end()) {
    last_objective_ = &*known;
    return &known->second;
  }
  const objective_id typed{id};
  const auto found = live_.pin(typed);
  is_absent_ = !found;
  if (!found)
    return nullptr;
  if (found->sealed) { // It lives again.
    rows::live_key(key_, rows::stream_kind::objective, id);
    rows_.Put(key_, "");
    rows::objective_state_index_prefix(key_, found->sealed->owner, found->sealed->state);
    rows::append_position(key_, found->sealed->updated, id);
    rows_.Delete(key_);
    if (found->sealed->owner.empty()) {
      --counts_.objectives[static_cast<std::size_t>(found->sealed->state)];
      counts_changed_ = true;
    }
  }
  const auto staged =
      objectives_.emplace(id, staged_objective{found->sequence, found->plans, true}).first;
  last_objective_ = &*staged;
  return &staged->second;
}

void change_batch::stage_objective_facts(submission& each) {
  const auto& id = each.submitted.context;
  staged_objective* owner = nullptr;
  if (const auto* created = created_objective(each.submitted)) {
    if (!created->spec || objectives_.contains(id) || !is_new(objective_id{id}))
      return;
    const auto staged = objectives_.emplace(id, staged_objective{}).first;
    last_objective_ = &*staged;
    owner = &staged->second;
    rows::live_key(key_, rows::stream_kind::objective, id);
    rows_.Put(key_, "");
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
  put_journal_row(each, rows::stream_kind::objective, ++owner->sequence);
}

/// As far as memory knows: ids that clients choose were claimed, and looked for, before.
bool change_batch::is_new(const objective_id& id) const {
  return !live_.knows_objective(id, rocksdb_reads{archive_, reach::memory});
}

void change_batch::put_places(const objective_id& owner, std::uint32_t plan_index,
                              const plan_spec& plan) {
  if (!is_generated(plan.id, owner, plan_index)) {
    rows::plan_place_key(key_, plan.id.str());
    rows::write_place(value_, plan_place{owner, plan_index});
    rows_.Put(key_, value_);
  }
  for (std::size_t index = 0; index < plan.tasks.size(); ++index) {
    if (is_generated(plan.tasks[index].id, plan.id, index))
      continue;
    rows::task_place_key(key_, plan.tasks[index].id.str());
    rows::write_place(value_, task_place{owner, plan_index, static_cast<std::uint32_t>(index)});
    rows_.Put(key_, value_);
  }
}

void change_batch::stage_seal(const objective_id& id) {
  const bool twice =
      std::any_of(seals_.begin(), seals_.end(), [&](const seal& each) { return each.id == id; });
  if (twice || objectives_.contains(id.str()))
    return;
  const auto record = live_.sealable(id);
  if (!record)
    return;
  rows::objective_key(key_, id.str());
  rows::write_objective_row(value_, *record);
  rows_.Put(key_, value_);
  if (value_.size() > rows::placed_row_bytes_min) {
    rows::objective_placement_key(key_, id.str());
    rows::write_placement(value_, placement_of(*record->view));
    rows_.Put(key_, value_);
  }
  rows::objective_state_index_prefix(key_, record->view->owner, record->view->state);
  rows::append_position(key_, record->view->updated, id.str());
  rows_.Put(key_, "");
  rows::live_key(key_, rows::stream_kind::objective, id.str());
  rows_.Delete(key_);
  if (record->view->owner.empty()) {
    ++counts_.objectives[static_cast<std::size_t>(record->view->state)];
    counts_changed_ = true;
  }
  seals_.push_back({id, record->sequence});
}

// -- tasks -----------------------------------------------------------------------------------------------------------

void change_batch::stage_task_facts(submission& each) {
  const auto& change = each.submitted;
  const auto* created = created_record(change);
  const auto staged = tasks_.find(change.task.id.str());
  const bool in_batch = staged != tasks_.end();
  if (in_batch && (created || staged->second.ended))
    return;
  std::optional<ledger::task_base> base;
  if (!in_batch) {
    base = live_.live_task(change.task.id);
    if (base.has_value() == (created != nullptr))
      return;
  }
  auto* owner = change.task.lone ? nullptr : objective(change.context);
  if (!owner && !change.task.lone)
    return;

  const bool ends = ends_task(change);
  if (created && ends) { // Nothing else in this batch can concern it, so it needs no entry.
    each.ended = std::make_shared<task>(**created);
    apply(*each.ended, change);
    put_journal_row(each, kind_of(change), owner ? ++owner->sequence : 1);
    put_ended_rows(each);
    return;
  }
  auto& entry = in_batch ? staged->second : tasks_[change.task.id.str()];
  if (!in_batch) {
    entry.lone = change.task.lone;
    entry.is_new = created != nullptr;
    entry.base = created ? *created : std::move(base->record);
    entry.sequence = base ? base->sequence : 0;
  }
  put_journal_row(each, kind_of(change), owner ? ++owner->sequence : ++entry.sequence);
  if (!ends) {
    entry.pending.push_back(&change);
    return;
  }
  each.ended = std::make_shared<task>(*entry.base);
  for (const auto* earlier : entry.pending)
    apply(*each.ended, *earlier);
  apply(*each.ended, change);
  entry.ended = true;
  entry.base = nullptr;
  put_ended_rows(each);
  if (entry.lone && !entry.is_new) {
    rows::live_key(key_, rows::stream_kind::lone_task, change.task.id.str());
    rows_.Delete(key_);
  }
}

void change_batch::put_journal_row(submission& each, rows::stream_kind kind,
                                   std::uint64_t sequence) {
  each.accepted = true;
  each.submitted.sequence = sequence;
  rows::journal_key(key_, kind, each.submitted.stream(), sequence);
  rows_.Put(key_, each.row);
}

void change_batch::put_ended_rows(submission& each) {
  const auto& record = *each.ended;
  value_.clear();
  record::write(value_, record);
  rows::task_key(key_, record.id.str());
  rows_.Put(key_, value_);
  each.may_be_recalled = value_.size() <= recent_task_bytes_max;
  if (value_.size() > rows::placed_row_bytes_min) {
    rows::task_placement_key(key_, record.id.str());
    rows::write_placement(value_, placement_of(record));
    rows_.Put(key_, value_);
  }
  const char state = static_cast<char>('0' + static_cast<int>(record.status.state));
  rows::context_index_prefix(key_, record.owner, record.context);
  rows::append_position(key_, record.status.at, record.id.str());
  rows_.Put(key_, rocksdb::Slice{&state, 1});
  rows::task_state_index_prefix(key_, record.owner, record.status.state);
  rows::append_position(key_, record.status.at, record.id.str());
  rows_.Put(key_, "");
  if (record.owner.empty()) {
    ++counts_.tasks[static_cast<std::size_t>(record.status.state)];
    counts_changed_ = true;
  }
}

// -- the batch as a whole ----------------------------------------------------------------------------------------------

void change_batch::finish() {
  for (auto& [id, staged] : tasks_) {
    staged.base = nullptr; // A record that only the ledger holds is changed in place.
    if (!staged.lone || !staged.is_new || staged.ended)
      continue;
    rows::live_key(key_, rows::stream_kind::lone_task, id);
    rows_.Put(key_, "");
  }
  for (const auto& missing : archive_.take_missing_rows())
    rows_.Put(missing.key, missing.value);
  if (counts_changed_) {
    rows::write_counts(value_, counts_);
    rows_.Put(rows::counts_key, value_);
  }
}

void change_batch::publish(std::vector<submission>& changes, std::vector<objective_id>& settled) {
  archive_.set_objective_counts(counts_);
  for (const auto& sealed : seals_) {
    archive_.replaced(sealed.id);
    live_.mark_sealed(sealed.id, sealed.sequence);
  }
  for (auto& each : changes) {
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
}

} // namespace troupe
