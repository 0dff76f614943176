#include "store/change_batch.hpp"

#include <algorithm>
#include <utility>

#include "protocol/record.hpp"
#include "store/apply.hpp"
#include "store/limits.hpp"

namespace troupe {

namespace {

rows::stream_kind kind_of(const change& what) noexcept {
  return !what.task.id.empty() && what.task.lone ? rows::stream_kind::lone_task : rows::stream_kind::objective;
}

} // namespace

void change_batch::clear() {
  for (const auto& [id, staged] : objectives_)
    if (staged.pinned)
      live_.unpin(objective_id{id});
  rows_.Clear();
  objectives_.clear();
  tasks_.clear();
  seals_.clear();
  counts_changed_ = false;
  last_objective_ = nullptr;
}

void change_batch::abandon() {
  for (const auto& [id, staged] : objectives_)
    if (staged.sealed_at)
      live_.mark_sealed(objective_id{id}, *staged.sealed_at);
  clear();
}

void change_batch::stage(std::vector<submission>& changes) {
  counts_ = archive_.counts();
  for (auto& each : changes) {
    each.accepted = false; // An earlier attempt may have come to here.
    each.ended = nullptr;
    stage_one(each);
  }
}

void change_batch::stage_one(submission& each) {
  if (each.what.task.id.empty())
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
  auto found = live_.pin(typed);
  while (!found && live_.load(typed)) // It may leave memory again in between.
    found = live_.pin(typed);
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
  const auto staged = objectives_.emplace(id, staged_objective{found->sequence, found->plans, true, std::nullopt}).first;
  if (found->sealed)
    staged->second.sealed_at = found->sequence;
  last_objective_ = &*staged;
  return &staged->second;
}

void change_batch::stage_objective_facts(submission& each) {
  const auto& id = each.what.context;
  staged_objective* owner = nullptr;
  if (const auto* created = created_objective(each.what)) {
    if (!created->spec || objectives_.contains(id) || live_.knows_objective(objective_id{id}))
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
  for (const auto& fact : each.what.events)
    if (const auto* added = std::get_if<plan_added>(&fact); added && added->spec)
      put_places(objective_id{id}, owner->plans++, *added->spec);
  put_journal_row(each, rows::stream_kind::objective, ++owner->sequence);
}

void change_batch::put_places(const objective_id& owner, std::uint32_t plan_index, const plan_spec& plan) {
  if (plan.id != make_plan_id(owner, plan_index)) {
    rows::plan_place_key(key_, plan.id.str());
    rows::write_place(value_, plan_place{owner, plan_index});
    rows_.Put(key_, value_);
  }
  for (std::size_t index = 0; index < plan.tasks.size(); ++index) {
    if (plan.tasks[index].id == make_task_id(plan.id, index))
      continue;
    rows::task_place_key(key_, plan.tasks[index].id.str());
    rows::write_place(value_, task_place{owner, plan_index, static_cast<std::uint32_t>(index)});
    rows_.Put(key_, value_);
  }
}

void change_batch::stage_seal(const objective_id& id) {
  const bool twice = std::any_of(seals_.begin(), seals_.end(), [&](const seal& each) { return each.id == id; });
  if (twice || objectives_.contains(id.str()))
    return;
  const auto what = live_.sealable(id);
  if (!what)
    return;
  rows::objective_key(key_, id.str());
  rows::write_objective_row(value_, *what);
  rows_.Put(key_, value_);
  rows::objective_state_index_prefix(key_, what->view->owner, what->view->state);
  rows::append_position(key_, what->view->updated, id.str());
  rows_.Put(key_, "");
  rows::live_key(key_, rows::stream_kind::objective, id.str());
  rows_.Delete(key_);
  if (what->view->owner.empty()) {
    ++counts_.objectives[static_cast<std::size_t>(what->view->state)];
    counts_changed_ = true;
  }
  seals_.push_back({id, what->sequence});
}

// -- tasks -----------------------------------------------------------------------------------------------------------

void change_batch::stage_task_facts(submission& each) {
  const auto& what = each.what;
  const auto* created = created_record(what);
  const auto staged = tasks_.find(what.task.id.str());
  const bool in_batch = staged != tasks_.end();
  if (in_batch && (created || staged->second.ended))
    return;
  std::optional<ledger::task_base> base;
  if (!in_batch) {
    base = live_.live_task(what.task.id);
    if (base.has_value() == (created != nullptr))
      return;
  }
  auto* owner = what.task.lone ? nullptr : objective(what.context);
  if (!owner && !what.task.lone)
    return;

  const bool ends = ends_task(what);
  if (created && ends) { // Nothing else in this batch can concern it, so it needs no entry.
    each.ended = std::make_shared<task>(**created);
    apply_events(*each.ended, what);
    put_journal_row(each, kind_of(what), owner ? ++owner->sequence : 1);
    put_ended_rows(each);
    return;
  }
  auto& entry = in_batch ? staged->second : tasks_[what.task.id.str()];
  if (!in_batch) {
    entry.lone = what.task.lone;
    entry.is_new = created != nullptr;
    entry.base = created ? *created : std::move(base->record);
    entry.sequence = base ? base->sequence : 0;
  }
  put_journal_row(each, kind_of(what), owner ? ++owner->sequence : ++entry.sequence);
  if (!ends) {
    entry.pending.push_back(&what);
    return;
  }
  each.ended = std::make_shared<task>(*entry.base);
  for (const auto* earlier : entry.pending)
    apply_events(*each.ended, *earlier);
  apply_events(*each.ended, what);
  entry.ended = true;
  entry.base = nullptr;
  put_ended_rows(each);
  if (entry.lone && !entry.is_new) {
    rows::live_key(key_, rows::stream_kind::lone_task, what.task.id.str());
    rows_.Delete(key_);
  }
}

void change_batch::put_journal_row(submission& each, rows::stream_kind kind, std::uint64_t sequence) {
  each.accepted = true;
  each.what.sequence = sequence;
  rows::journal_key(key_, kind, each.what.stream(), sequence);
  rows_.Put(key_, each.row);
}

void change_batch::put_ended_rows(submission& each) {
  const auto& record = *each.ended;
  value_.clear();
  record::write(value_, record);
  rows::task_key(key_, record.id.str());
  rows_.Put(key_, value_);
  each.may_be_recalled = value_.size() <= recent_task_bytes_max;
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
  if (counts_changed_) {
    rows::write_counts(value_, counts_);
    rows_.Put(rows::counts_key, value_);
  }
}

void change_batch::publish(std::vector<submission>& changes, std::vector<objective_id>& settled) {
  archive_.set_objective_counts(counts_);
  for (const auto& sealed : seals_)
    live_.mark_sealed(sealed.id, sealed.sequence);
  for (auto& each : changes) {
    if (!each.accepted)
      continue;
    if (each.ended && each.may_be_recalled)
      archive_.remember(each.ended);
    objective_id owner;
    if (each.what.task.id.empty() || !each.what.task.lone)
      owner = objective_id{each.what.context};
    const auto done = live_.publish(std::move(each.what), std::move(each.ended), each.follow);
    if (done.may_settle)
      settled.push_back(std::move(owner));
  }
}

} // namespace troupe
