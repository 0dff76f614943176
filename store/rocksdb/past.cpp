#include "store/rocksdb/past.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/record/record.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"
#include <troupe/store/limits.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

error unreadable(const std::string& stream, const std::string& why) {
  return make_error(errc::store_unreadable, "the history of " + stream + " cannot be read: " + why,
                    stream);
}

/// The page of `range`, of those changes that `is_wanted`; `owner` completes what rows leave out.
template<class Wanted>
result<history_page> read_page(rocksdb::DB& db, rows::stream_kind kind, const std::string& stream,
                               const history_range& range, const objective_view* owner,
                               Wanted is_wanted) {
  history_page out{.changes = {}, .next_after = range.after, .more = false, .gone = false};
  if (range.after >= range.through)
    return out;
  const auto changes_max = std::clamp<std::size_t>(range.max, 1, history_page_changes_max);
  std::string prefix;
  std::string first;
  rows::history_prefix(prefix, kind, stream);
  rows::history_key(first, kind, stream, range.after + 1);
  std::size_t rows_read = 0;
  std::size_t bytes_read = 0;
  std::optional<error> damage;
  const auto take = [&](std::string_view key, std::string_view value) {
    const auto sequence = rows::history_sequence(key, prefix);
    if (!sequence)
      return true;
    if (*sequence > range.through)
      return false;
    out.gone = *sequence != out.next_after + 1;
    out.more = !out.gone
               && (out.changes.size() == changes_max || rows_read++ == history_page_rows_max
                   || bytes_read >= range.bytes_max);
    if (out.gone || out.more)
      return false;
    auto news = record::read_change(value, stream, *sequence);
    if (!news) {
      damage = unreadable(stream, news.error().message);
      return false;
    }
    out.next_after = *sequence;
    if (!is_wanted(*news))
      return true;
    bytes_read += value.size();
    if (const auto* created = created_record(*news); created && owner)
      complete_origin(**created, *owner, news->task);
    out.changes.push_back(std::make_shared<const change>(std::move(*news)));
    return true;
  };
  const auto read = scan_from(db, prefix, first, take, reads_one_stream());
  if (damage)
    return *damage;
  if (!read.ok())
    return unreadable(stream, read.ToString());
  return out;
}

/// An ended task's record does not say whether it was a plan's; its history does.
bool has_lone_history(rocksdb::DB& db, const task_id& id) {
  std::string key;
  rows::history_key(key, rows::stream_kind::lone_task, id.str(), 1);
  rocksdb::PinnableSlice row;
  const auto status = db.Get(rocksdb::ReadOptions{}, db.DefaultColumnFamily(), key, &row);
  if (!status.ok() && !status.IsNotFound())
    throw store_unreadable("the history of " + id.str() + " cannot be read: " + status.ToString());
  return status.ok();
}

bool withdraws(const change& change, const task_origin& which) {
  return std::any_of(change.events.begin(), change.events.end(), [&](const event& fact) {
    const auto* withdrawn = std::get_if<tasks_withdrawn>(&fact);
    return withdrawn && withdrawn->plan == which.plan_index
           && std::find(withdrawn->tasks.begin(), withdrawn->tasks.end(), which.task_index)
                  != withdrawn->tasks.end();
  });
}

} // namespace

result<history_page> read_history(rocksdb::DB& db, const ledger& live, const archive_reads& ended,
                                  const task_id& id, const history_range& range) {
  const auto record = live.find_task(id, ended);
  if (!record)
    return unknown_task(id.str());
  if (!record->origin && has_lone_history(db, id))
    return read_page(db, rows::stream_kind::lone_task, id.str(), range, nullptr,
                     [](const change&) { return true; });
  const auto owner = live.find_objective(objective_id{record->context}, ended);
  if (!owner)
    return unreadable(record->context, "it is missing");
  // A task that was withdrawn never began; any other has nothing to do with withdrawals of its
  // place (those were of earlier ones).
  const bool was_withdrawn =
      record->origin && record->attempt == 0 && is_terminal(record->status.state);
  return read_page(db, rows::stream_kind::objective, record->context, range, owner.get(),
                   [&](const change& news) {
                     return news.task.id == id
                            || (was_withdrawn && news.task.id.empty()
                                && withdraws(news, record->origin));
                   });
}

result<history_page> read_history(rocksdb::DB& db, const ledger& live, const archive_reads& ended,
                                  const objective_id& id, const history_range& range) {
  const auto owner = live.find_objective(id, ended);
  if (!owner)
    return unknown_objective(id.str());
  return read_page(db, rows::stream_kind::objective, id.str(), range, owner.get(),
                   [](const change&) { return true; });
}

void complete_origin(task& record, const objective_view& owner, const task_address& where) {
  if (where.plan_index >= owner.plans.size()
      || where.task_index >= owner.plans[where.plan_index].tasks.size())
    return;
  record.origin =
      task_origin{owner.plans[where.plan_index].spec, where.plan_index, where.task_index};
}

} // namespace troupe
