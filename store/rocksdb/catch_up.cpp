#include "store/rocksdb/catch_up.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/record/record.hpp"
#include "store/answers.hpp"
#include "store/journal/readable_groups.hpp"
#include "store/long_changes.hpp"
#include "store/rocksdb/past.hpp"
#include "store/rocksdb/rocksdb_pushes.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"
#include "store/rocksdb/staging.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace troupe {

namespace {

constexpr std::size_t catch_up_page_bytes = std::size_t{4}
                                            << 20; ///< Of groups that are read at once.

error does_not_fit(journal::position at, const std::string& why) {
  return make_error(errc::store_failed, "Group " + std::to_string(at) + " of the journal " + why
                                            + "; restore the data directory from a backup.");
}

class table_follower {
public:
  table_follower(const table_parts& to, journal::follower_mark& mark,
                 std::vector<objective_id>& settled, timestamp now)
      : to_(to), mark_(mark), settled_(settled), now_(now), staging_(to.live, to.archive, to.came) {
  }

  result<void> take(journal::position at, const std::vector<group_entry>& entries) {
    auto reached = mark_;
    reached.at = reached.safe = at;
    return take(at, entries, reached);
  }

  /// What the tables are made of. The mark stays.
  result<void> take_origin(const std::string& group) {
    has_origin_ = true;
    long_changes none;
    const auto whole = none.take(mark_.at, group);
    return whole ? take(mark_.at, whole->entries, mark_)
                 : does_not_fit(mark_.at, "cannot be understood");
  }

  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

private:
  result<void> take(journal::position at, const std::vector<group_entry>& entries,
                    const journal::follower_mark& reached) {
    for (const auto& entry : entries)
      if (const auto taken = std::visit([&](const auto& each) { return take(at, each); }, entry);
          !taken)
        return taken;
    put_pushes(group_.rows, to_.pushes);
    if (const auto written = write_rows(to_.db, group_.rows, reached); !written.ok())
      return make_error(errc::store_failed,
                        "The tables cannot be brought up to date (" + written.ToString() + ").");
    mark_ = reached;
    to_.pushes.publish();
    group_.rows.Clear();
    return {};
  }

  result<void> take(journal::position at, const group_change& entry) {
    if (has_origin_) {
      auto& known = known_[std::string{entry.stream}];
      if (entry.sequence <= known)
        return {};
      known = entry.sequence;
    }
    auto change = record::read_change(entry.row, entry.stream, entry.sequence);
    if (!change)
      return does_not_fit(at, "has a change of " + std::string{entry.stream}
                                  + " that cannot be read (" + change.error().message + ")");
    events_ += change->events.size();
    if (const auto completed = unless_unreadable<bool>([&] { return complete(*change); });
        !completed)
      return completed.error();
    // One by one: what a change needs of the one before is in the ledger.
    group_.changes.resize(1);
    auto& only = group_.changes.front() = submission{};
    only.submitted = std::move(*change);
    only.row = entry.row;
    std::vector<submission> apart; // Its objective is nowhere: the change does not fit.
    staging_.stage(group_, {}, apart);
    if (!only.accepted || only.submitted.sequence != entry.sequence)
      return does_not_fit(
          at, "does not match " + std::string{has_origin_ ? "the session files" : "the tables"}
                  + ": change " + std::to_string(entry.sequence) + " of "
                  + std::string{entry.stream} + " does not follow the changes there"
                  + (has_origin_ ? " (troupe session check says which file was cut)" : ""));
    staging_.close(group_, {});
    staging_.publish(group_, settled_);
    return {};
  }

  result<void> take(journal::position, const group_push& entry) {
    return stage_push(to_.pushes, entry);
  }

  result<void> take(journal::position at, const group_once& entry) {
    auto came = read_once_row(entry.key, entry.row);
    if (!came)
      return does_not_fit(at, "has a damaged row of a remembered request");
    restore_once(to_.came, std::move(*came), now_);
    std::string key;
    rows::once_row_key(key, entry.key);
    group_.rows.Put(key, slice_of(entry.row));
    return {};
  }

  /// Adds what a row leaves out. Its objective is in memory then.
  bool complete(change& news) {
    if (created_objective(news) || (!news.task.id.empty() && news.task.lone))
      return true;
    const objective_id owner{news.context};
    const rocksdb_reads ended{to_.archive, reach::disk};
    to_.live.load(owner, ended);
    if (const auto* created = created_record(news))
      if (const auto view = to_.live.find_objective(owner, ended))
        complete_origin(**created, *view, news.task);
    return true;
  }

  const table_parts& to_;
  journal::follower_mark& mark_;
  std::vector<objective_id>& settled_;
  const timestamp now_;
  staging staging_;
  staged_group group_; ///< With the rows of the whole group, and one change at a time.
  std::uint64_t events_ = 0;
  bool has_origin_ = false;
  /// The last sequence of each stream. Only if the tables are made of something.
  std::unordered_map<std::string, std::uint64_t> known_;
};

/// Reads the groups of a journal one after another.
class group_pages {
public:
  group_pages(journal::journal& from, journal::disk& files, journal::position first)
      : from_(from), files_(files), cursor_{first} {}

  /// Empty: there is none yet.
  result<std::vector<journal::journal_group>> next() {
    std::optional<result<journal::group_page>> page;
    from_.read(cursor_, catch_up_page_bytes,
               [&](result<journal::group_page> read) { page = std::move(read); });
    while (!page)
      if (!from_.turn() && !files_.wait())
        return make_error(errc::store_unreadable, "The journal cannot be read.");
    if (!*page)
      return page->error();
    cursor_ = (*page)->cursor;
    return std::move((*page)->groups);
  }

private:
  journal::journal& from_;
  journal::disk& files_;
  journal::journal_cursor cursor_;
};

/// The groups after the mark, with their long changes whole.
class groups_after_mark {
public:
  /// `has_open_parts`: a change before the mark may have its last parts after it. Else a change
  /// with parts before the mark is older than the mark, too.
  groups_after_mark(journal::journal& from, journal::disk& files,
                    const journal::follower_mark& mark, bool has_open_parts)
      : from_(from), files_(files), journal_id_(mark.journal_id), mark_(mark.at),
        has_open_parts_(has_open_parts) {}

  result<std::vector<group_entry>> take(const journal::journal_group& group) {
    const auto items = read_group(group.bytes);
    if (!items)
      return does_not_fit(group.at, "cannot be understood");
    for (const auto& item : *items)
      if (const auto* change = std::get_if<group_long_change>(&item)) {
        if (has_open_parts_)
          if (auto read = read_back(change->id); !read)
            return read.error();
        found_.push_back({change->id, group.at});
      }
    auto whole = parts_.take(group.at, *items);
    if (!has_open_parts_)
      std::erase_if(whole.lacking, [&](const auto& each) { return each.id.first <= mark_; });
    if (const auto& lacking = whole.lacking; !lacking.empty())
      return does_not_fit(group.at, "has change " + std::to_string(lacking.front().sequence)
                                        + " of " + std::string{lacking.front().stream}
                                        + ", of which parts are missing");
    return std::move(whole.entries);
  }

  [[nodiscard]] std::vector<long_change_place> found() && { return std::move(found_); }
  [[nodiscard]] std::size_t unfinished() const noexcept { return parts_.size(); }

private:
  /// Parts in groups up to the mark, if it has some there. A group that is damaged may be one
  /// without a part of it.
  result<void> read_back(const parts_id& id) {
    if (id.first > mark_ || parts_.has_begun(id) || id.first < from_.first())
      return {};
    long_changes earlier;
    group_pages pages{from_, files_, id.first};
    for (;;) {
      const auto page = pages.next();
      if (!page) {
        earlier.clear();
        if (const auto read = read_readable(id, earlier); !read)
          return read;
        break;
      }
      const bool is_read = page->empty() || page->back().at >= mark_;
      for (const auto& group : *page)
        if (group.at <= mark_ && !earlier.take(group.at, group.bytes))
          return does_not_fit(group.at, "cannot be understood");
      if (is_read)
        break;
    }
    parts_.put_before(id, earlier);
    return {};
  }

  /// The same from those groups that can be read.
  result<void> read_readable(const parts_id& id, long_changes& to) {
    return journal::for_each_readable_group(files_, journal_id_,
                                            [&](const journal::readable_group& group) {
                                              if (group.at >= id.first && group.at <= mark_)
                                                static_cast<void>(to.take(group.at, group.bytes));
                                            });
  }

  journal::journal& from_;
  journal::disk& files_;
  const std::uint64_t journal_id_;
  const journal::position mark_; ///< Where reading began.
  const bool has_open_parts_;
  long_changes parts_;
  std::vector<long_change_place> found_;
};

} // namespace

result<caught_up> catch_up(journal::journal& from, journal::disk& files,
                           journal::follower_mark& mark, const table_parts& to,
                           std::vector<objective_id>& settled, timestamp now,
                           const std::function<void(const start_progress&)>& on_progress,
                           const table_origin* origin) {
  table_follower tables{to, mark, settled, now};
  if (origin != nullptr)
    if (const auto read =
            origin->read([&](const std::string& group) { return tables.take_origin(group); });
        !read)
      return read.error();
  start_progress progress{"groups", 0, from.last() - std::min(from.last(), mark.at)};
  groups_after_mark groups{from, files, mark, origin == nullptr};
  group_pages pages{from, files, mark.at + 1};
  for (;;) {
    const auto page = pages.next();
    if (!page)
      return page.error();
    if (page->empty())
      return caught_up{tables.events(), std::move(groups).found(), groups.unfinished()};
    for (const auto& group : *page) {
      const auto entries = groups.take(group);
      if (!entries)
        return entries.error();
      if (const auto taken = tables.take(group.at, *entries); !taken)
        return taken.error();
      ++progress.done;
      if (on_progress)
        on_progress(progress);
    }
  }
}

rocksdb::Status write_rows(rocksdb::DB& db, rocksdb::WriteBatch& batch,
                           const journal::follower_mark& mark, when_stalled stalled) {
  std::string value;
  rows::write_mark(value, mark);
  batch.SetSavePoint();
  auto status = batch.Put(slice_of(rows::mark_key), value);
  if (status.ok()) {
    rocksdb::WriteOptions how;
    how.disableWAL = true;
    how.no_slowdown = stalled == when_stalled::refuse;
    status = db.Write(how, &batch);
  }
  if (status.ok())
    batch.PopSavePoint().PermitUncheckedError();
  else
    batch.RollbackToSavePoint().PermitUncheckedError();
  return status;
}

} // namespace troupe
