#include "store/rocksdb/replay.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/record/record.hpp"
#include "store/rocksdb/past.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace troupe {

namespace {

/// Calls `visit(change&&)` with each change of a stream in order. An error of the row or the disk
/// ends it.
template<class Visit>
result<std::uint64_t> for_each_change(rocksdb::DB& db, rows::stream_kind kind,
                                      const std::string& stream, Visit visit) {
  std::string prefix;
  std::string first;
  rows::history_prefix(prefix, kind, stream);
  rows::history_key(first, kind, stream, 0);
  auto how = reads_one_stream();
  how.fill_cache = false;
  std::uint64_t last = 0;
  std::optional<error> damage;
  const auto read = scan_from(
      db, prefix, first,
      [&](std::string_view key, std::string_view value) {
        const auto sequence = rows::history_sequence(key, prefix);
        if (!sequence)
          return true;
        if (*sequence != last + 1) {
          damage =
              make_error(errc::store_failed, "The history of " + stream + " lacks change "
                                                 + std::to_string(last + 1)
                                                 + "; restore the data directory from a backup.");
          return false;
        }
        auto change = record::read_change(value, stream, *sequence);
        if (!change) {
          damage = make_error(errc::store_failed,
                              "Change " + std::to_string(*sequence) + " in the history of " + stream
                                  + " cannot be read (" + change.error().message
                                  + "); restore the data directory from a backup.");
          return false;
        }
        last = *sequence;
        visit(std::move(*change));
        return true;
      },
      how);
  if (damage)
    return *damage;
  if (!read.ok())
    return make_error(errc::store_failed,
                      "The history of " + stream + " cannot be read (" + read.ToString() + ").");
  return last;
}

class objective_replay {
public:
  void take(change&& change) {
    if (!state_.view) {
      if (!created_objective(change))
        return;
      state_.view = std::make_shared<objective_view>();
    }
    apply(*state_.view, change);
    note_withdrawals(state_.withdrawn, change);
    state_.sequence = change.sequence;
    state_.at = std::max(state_.at, change.at);
    if (!change.task.id.empty())
      take_task(change);
  }

  [[nodiscard]] objective_state_of_record& state() noexcept { return state_; }
  [[nodiscard]] auto& live_tasks() noexcept { return live_; }

private:
  void take_task(const change& change) {
    if (const auto* created = created_record(change)) {
      complete_origin(**created, *state_.view, change.task);
      live_[change.task.id.str()] = *created;
    }
    const auto found = live_.find(change.task.id.str());
    if (found == live_.end())
      return;
    apply(*found->second, change);
    if (is_terminal(found->second->status.state))
      live_.erase(found);
  }

  objective_state_of_record state_;
  std::unordered_map<std::string, std::shared_ptr<task>> live_;
};

result<void> replay_objective(rocksdb::DB& db, ledger& live, const std::string& id,
                              std::uint64_t& events, std::vector<objective_id>& settled) {
  objective_replay found;
  const auto last = for_each_change(db, rows::stream_kind::objective, id, [&](change&& change) {
    events += change.events.size();
    found.take(std::move(change));
  });
  if (!last)
    return last.error();
  auto& state = found.state();
  const auto sequence = state.sequence;
  const auto at = state.at;
  if (!state.view)
    return make_error(errc::store_failed,
                      "The history of objective " + id
                          + " has no beginning; restore the data directory from a backup.");
  if (is_settled(state.view->state) && found.live_tasks().empty())
    settled.emplace_back(id);
  live.restore(std::move(state), false);
  for (auto& [task, record] : found.live_tasks())
    live.restore(std::move(record), false, sequence, at);
  return {};
}

result<void> replay_lone_task(rocksdb::DB& db, ledger& live, const std::string& id,
                              std::uint64_t& events) {
  std::shared_ptr<task> record;
  timestamp at{};
  const auto last = for_each_change(db, rows::stream_kind::lone_task, id, [&](change&& change) {
    events += change.events.size();
    at = std::max(at, change.at);
    if (const auto* created = created_record(change))
      record = *created;
    if (record)
      apply(*record, change);
  });
  if (!last)
    return last.error();
  if (!record || is_terminal(record->status.state))
    return make_error(errc::store_failed,
                      "The history of task " + id
                          + " is incomplete; restore the data directory from a backup.");
  live.restore(std::move(record), true, *last, at);
  return {};
}

result<std::vector<std::string>> live_streams(rocksdb::DB& db, rows::stream_kind kind) {
  std::vector<std::string> out;
  std::string prefix;
  rows::live_prefix(prefix, kind);
  const auto read = scan(db, prefix, [&](std::string_view key, std::string_view) {
    out.emplace_back(key.substr(prefix.size()));
    return true;
  });
  if (!read.ok())
    return make_error(errc::store_failed,
                      "The list of live streams cannot be read (" + read.ToString() + ").");
  return out;
}

} // namespace

result<std::uint64_t> replay(rocksdb::DB& db, ledger& live, std::vector<objective_id>& settled,
                             const std::function<void(const start_progress&)>& on_progress) {
  const auto objectives = live_streams(db, rows::stream_kind::objective);
  if (!objectives)
    return objectives.error();
  const auto lone_tasks = live_streams(db, rows::stream_kind::lone_task);
  if (!lone_tasks)
    return lone_tasks.error();
  std::uint64_t events = 0;
  start_progress progress{"live streams", 0, objectives->size() + lone_tasks->size()};
  const auto advance = [&] {
    ++progress.done;
    if (on_progress)
      on_progress(progress);
  };
  for (const auto& id : *objectives) {
    if (const auto done = replay_objective(db, live, id, events, settled); !done)
      return done.error();
    advance();
  }
  for (const auto& id : *lone_tasks) {
    if (const auto done = replay_lone_task(db, live, id, events); !done)
      return done.error();
    advance();
  }
  return events;
}

result<void> replay_once(rocksdb::DB& db, once_table& into, timestamp now) {
  std::vector<once> found;
  std::optional<error> damage;
  const auto read = scan(db, rows::once_prefix, [&](std::string_view key, std::string_view row) {
    auto came = read_once_row(key.substr(rows::once_prefix.size()), row);
    if (came)
      found.push_back(std::move(*came));
    else
      damage = came.error();
    return !damage;
  });
  if (damage)
    return *damage;
  if (!read.ok())
    return make_error(errc::store_failed,
                      "What may come once cannot be read (" + read.ToString() + ").");
  std::ranges::stable_sort(found, {}, &once::until); // About as they came.
  for (auto& came : found)
    restore_once(into, std::move(came), now);
  return {};
}

} // namespace troupe
