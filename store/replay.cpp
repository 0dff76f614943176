#include "store/replay.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "protocol/record.hpp"
#include "store/apply.hpp"
#include "store/journal.hpp"
#include "store/rocksdb_rows.hpp"

namespace troupe {

namespace {

std::string_view text_of(const rocksdb::Slice& slice) noexcept { return {slice.data(), slice.size()}; }

rocksdb::Slice slice_of(const std::string& text) noexcept { return {text.data(), text.size()}; }

/// Calls `visit(change&&)` with each change of a stream in order. An error of the row or the disk ends it.
template<class Visit>
result<std::uint64_t> for_each_change(rocksdb::DB& db, rows::stream_kind kind, const std::string& stream, Visit visit) {
  std::string prefix;
  rows::journal_prefix(prefix, kind, stream);
  rocksdb::ReadOptions how;
  how.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> each{db.NewIterator(how)};
  std::uint64_t last = 0;
  for (each->Seek(slice_of(prefix)); each->Valid() && each->key().starts_with(slice_of(prefix)); each->Next()) {
    const auto sequence = rows::journal_sequence(text_of(each->key()), prefix);
    if (!sequence)
      continue;
    if (*sequence != last + 1)
      return make_error(errc::store_failed, "The journal of " + stream + " lacks change " + std::to_string(last + 1)
                                                + "; restore the data directory from a copy.");
    auto what = record::read_change(text_of(each->value()), stream, *sequence);
    if (!what)
      return make_error(errc::store_failed, "Change " + std::to_string(*sequence) + " in the journal of " + stream
                                                + " cannot be read (" + what.error().message
                                                + "); restore the data directory from a copy.");
    last = *sequence;
    visit(std::move(*what));
  }
  if (!each->status().ok())
    return make_error(errc::store_failed,
                      "The journal of " + stream + " cannot be read (" + each->status().ToString() + ").");
  return last;
}

class objective_replay {
public:
  void take(change&& what) {
    if (!state_.view) {
      if (!created_objective(what))
        return;
      state_.view = std::make_shared<objective_view>();
    }
    apply_events(*state_.view, what);
    ledger::note_withdrawals(state_.withdrawn, what);
    state_.sequence = what.sequence;
    if (!what.task.id.empty())
      take_task(what);
  }

  [[nodiscard]] objective_state_of_record& state() noexcept { return state_; }
  [[nodiscard]] auto& live_tasks() noexcept { return live_; }

private:
  void take_task(const change& what) {
    if (const auto* created = created_record(what)) {
      complete_origin(**created, *state_.view, what.task);
      live_[what.task.id.str()] = *created;
    }
    const auto found = live_.find(what.task.id.str());
    if (found == live_.end())
      return;
    apply_events(*found->second, what);
    if (is_terminal(found->second->status.state))
      live_.erase(found);
  }

  objective_state_of_record state_;
  std::unordered_map<std::string, std::shared_ptr<task>> live_;
};

result<void> replay_objective(rocksdb::DB& db, ledger& live, const std::string& id, recovered& out,
                              std::vector<objective_id>& settled) {
  objective_replay found;
  const auto last = for_each_change(db, rows::stream_kind::objective, id,
                                    [&](change&& what) {
                                      out.events_replayed += what.events.size();
                                      found.take(std::move(what));
                                    });
  if (!last)
    return last.error();
  auto& state = found.state();
  const auto sequence = state.sequence;
  if (!state.view)
    return make_error(errc::store_failed,
                      "The journal of objective " + id + " has no beginning; restore the data directory from a copy.");
  if (!is_settled(state.view->state))
    out.objectives.push_back(state.view);
  else if (found.live_tasks().empty())
    settled.emplace_back(id);
  live.restore(std::move(state), false);
  for (auto& [task, record] : found.live_tasks())
    live.restore(std::move(record), false, sequence);
  return {};
}

result<void> replay_lone_task(rocksdb::DB& db, ledger& live, const std::string& id, recovered& out) {
  std::shared_ptr<task> record;
  const auto last = for_each_change(db, rows::stream_kind::lone_task, id, [&](change&& what) {
    out.events_replayed += what.events.size();
    if (const auto* created = created_record(what))
      record = *created;
    if (record)
      apply_events(*record, what);
  });
  if (!last)
    return last.error();
  if (!record || is_terminal(record->status.state))
    return make_error(errc::store_failed,
                      "The journal of task " + id + " is incomplete; restore the data directory from a copy.");
  live.restore(record, true, *last);
  out.lone_tasks.push_back(std::move(record));
  return {};
}

std::vector<std::string> live_streams(rocksdb::DB& db, rows::stream_kind kind) {
  std::vector<std::string> out;
  std::string prefix;
  rows::live_prefix(prefix, kind);
  const std::unique_ptr<rocksdb::Iterator> each{db.NewIterator(rocksdb::ReadOptions{})};
  for (each->Seek(slice_of(prefix)); each->Valid() && each->key().starts_with(slice_of(prefix)); each->Next())
    out.emplace_back(text_of(each->key()).substr(prefix.size()));
  return out;
}

} // namespace

result<recovered> replay(rocksdb::DB& db, ledger& live, std::vector<objective_id>& settled) {
  recovered out;
  for (const auto& id : live_streams(db, rows::stream_kind::objective))
    if (const auto done = replay_objective(db, live, id, out, settled); !done)
      return done.error();
  for (const auto& id : live_streams(db, rows::stream_kind::lone_task))
    if (const auto done = replay_lone_task(db, live, id, out); !done)
      return done.error();
  return out;
}

} // namespace troupe
