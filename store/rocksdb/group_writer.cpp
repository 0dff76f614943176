#include "store/rocksdb/group_writer.hpp"

#include "store/group.hpp"
#include "store/rocksdb/rocksdb_pushes.hpp"

#include <rocksdb/convenience.h>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Tables that are behind are looked at again after this time.
constexpr std::chrono::milliseconds behind_interval{10};

/// Groups that are staged while the first is on its way to the disk, and their bytes: enough to
/// keep the disk busy. A change that arrives meanwhile waits for all of them.
constexpr std::size_t groups_in_flight_max = 8;
constexpr std::size_t bytes_in_flight_max = std::size_t{2} << 20;

/// Memory for rows that is kept from one group to a later one.
constexpr std::size_t spare_rows_bytes_max = std::size_t{1} << 20;

} // namespace

group_writer::group_writer(opened_files& files, const table_parts& tables, options how)
    : options_(std::move(how)), files_(files), db_(*files.db), journal_(*files.journal),
      pushes_(tables.pushes), staging_(tables.live, tables.archive, tables.came) {}

void group_writer::begin_at_start(std::vector<long_change_place> found) {
  tables_at_ = files_.mark.at;
  long_changes_ = std::move(found);
  forget_groups();
  while (journal_.turn() || files_.disk->wait()) {
  }
  // Each earlier process has begun a segment of its own, whose room counts however little was
  // written.
  behind_bytes_ = journal_.status().segment_bytes;
  bound_journal().PermitUncheckedError(); // The first group tries again.
}

void group_writer::start(std::function<void()> ready) {
  is_started_ = true;
  if (!files_.own_disk)
    return;
  threaded_disk_ = files_.own_disk.get();
  threaded_disk_->start(std::move(ready));
}

// -- groups ---------------------------------------------------------------------------------------

bool group_writer::can_begin() const {
  return groups_.empty()
         || (!is_refused_ && groups_.size() < groups_in_flight_max
             && bytes_in_flight_ < bytes_in_flight_max && groups_.back().pushes.empty());
}

void group_writer::begin(next_group&& next, std::vector<push_write>&& pushes,
                         const std::unordered_set<std::string>& awaited,
                         std::vector<submission>& apart) {
  std::string bytes;
  add_parts(bytes, next.parts);
  auto& group = groups_.emplace_back();
  group.rows = std::exchange(spare_rows_, rocksdb::WriteBatch{});
  group.changes = std::move(next.changes);
  group.pushes = std::move(pushes);
  staging_.stage(group, awaited, apart);
  pushes_.stage(group.pushes);
  put_pushes(group.rows, pushes_);
  for (auto& each : apart) { // Their objectives are read first, and who knows when.
    end_parts(bytes, each);
    each.parts = {};
    each.parts_bytes = 0;
  }
  append(group, std::move(bytes));
}

void group_writer::add_parts(std::string& bytes, const std::vector<row_part>& parts) {
  std::size_t all = 0;
  for (const auto& each : parts)
    all += each.bytes.size();
  bytes.reserve(all + all / 16);
  std::uint64_t begun = 0;
  for (const auto& each : parts) {
    auto& of = *each.of;
    if (of.parts.first == 0) {
      of.parts = {journal_.next(), begun++};
      long_changes_.push_back({of.parts, 0});
    }
    add_entry(bytes, group_part{of.parts, each.bytes});
    of.parts_bytes += each.bytes.size();
  }
}

void group_writer::add_change(std::string& bytes, const submission& each) {
  const std::string_view row = each.row;
  if (!each.accepted || each.parts_bytes == 0) { // It is refused, or comes as a whole.
    end_parts(bytes, each);
    if (each.accepted)
      add_entry(bytes, group_change{each.submitted.stream(), each.submitted.sequence, row});
    return;
  }
  add_entry(bytes,
            group_long_change{each.submitted.stream(), each.submitted.sequence, each.parts,
                              each.parts_bytes, row.substr(0, row.size() - each.parts_bytes)});
  std::ranges::find(long_changes_, each.parts, &long_change_place::parts)->change = journal_.next();
}

/// Ends the parts of a change that does not happen, if it has some: nobody needs them any more.
void group_writer::end_parts(std::string& bytes, const submission& each) {
  if (each.parts.first == 0)
    return;
  const auto known = std::ranges::find(long_changes_, each.parts, &long_change_place::parts);
  if (known == long_changes_.end())
    return;
  add_entry(bytes, group_parts_end{each.parts});
  long_changes_.erase(known);
}

/// What cannot be derived goes into the journal. Seals follow from what is there already.
void group_writer::append(flight& group, std::string bytes) {
  std::size_t rows = bytes.size();
  for (const auto& each : group.changes)
    rows += each.accepted ? each.row.size() - each.parts_bytes : 0;
  bytes.reserve(rows + rows / 16); // Beside rows it has little.
  for (const auto& each : group.changes) {
    add_change(bytes, each);
    if (each.holds)
      for (const auto& one : each.submitted.conditions)
        add_entry(bytes, group_once{once_key(*one), write_once_row(*one)});
  }
  add_pushes(bytes, pushes_);
  behind_bytes_ += bytes.size();
  behind_row_bytes_ += group.rows.GetDataSize();
  group.held = memory_charge::force(*options_.memory, memory_account::backlog,
                                    group.rows.GetDataSize() + bytes.size());
  group.bytes = bytes.size();
  bytes_in_flight_ += bytes.size();
  group.is_durable = bytes.empty();
  if (bytes.empty())
    return;
  unforgotten_bytes_ += bytes.size();
  journal_.append(std::move(bytes), [&group](journal::position at) {
    group.at = at;
    group.is_durable = true;
  });
}

group_writer::progress
group_writer::advance(const std::function<std::vector<objective_id>()>& seals, bool is_alone,
                      bool is_stopping) {
  turn_journal(is_alone || is_refused_); // Also what was acknowledged already becomes safe.
  is_refused_ = false;
  if (groups_.empty())
    return progress::waits;
  auto& first = groups_.front();
  if (!first.is_durable) {
    is_refused_ = static_cast<bool>(journal_.status().refused);
    return is_refused_ ? progress::refused : progress::waits;
  }
  if (!first.is_closed)
    staging_.close(first, seals());
  is_refused_ = !write_tables(first, is_stopping);
  return is_refused_ ? progress::refused : progress::written;
}

void group_writer::turn_journal(bool is_alone) {
  for (;;) {
    while (journal_.turn()) {
    }
    if (!threaded_disk_ && is_started_ && files_.disk->wait())
      continue; // A disk that wakes no thread is waited for here.
    if (!threaded_disk_)
      return;
    if (!is_alone) {
      threaded_disk_->hand_over();
      return;
    }
    if (!threaded_disk_->carry_out())
      return;
  }
}

std::optional<group_writer::refusal> group_writer::refused() const {
  if (tables_refused_)
    return tables_refused_;
  if (const auto refused = journal_.status().refused)
    return refusal{describe_write_failure(refused, options_.directory), options_.retry_interval};
  return std::nullopt;
}

group_writer::ended_group group_writer::publish() {
  auto& first = groups_.front();
  tables_at_ = files_.mark.at;
  published_groups_ += first.bytes != 0 ? 1 : 0;
  published_bytes_ += first.bytes;
  bytes_in_flight_ -= first.bytes;
  ended_group out;
  staging_.publish(first, out.settled);
  if (!first.pushes.empty())
    pushes_.publish();
  if (first.rows.GetDataSize() <= spare_rows_bytes_max) {
    spare_rows_ = std::move(first.rows);
    spare_rows_.Clear();
  }
  out.group = std::move(first);
  groups_.pop_front();
  return out;
}

write_counters group_writer::counters() const {
  const auto written = journal_.status();
  return {published_groups_, published_bytes_, written.written_bytes, written.syncs};
}

void group_writer::take_continuations(std::vector<committed_fn>& into) {
  for (auto& group : groups_)
    for (auto& each : group.changes)
      into.push_back(std::exchange(each.then, nullptr));
}

// -- tables ---------------------------------------------------------------------------------------

bool group_writer::write_tables(flight& group, bool is_stopping) {
  if (tables_refused_ && options_.time->steady() < tables_retry_at_ && !is_stopping)
    return false;
  if (group.at != 0) {
    files_.mark.at = group.at;
    files_.mark.safe = std::min(group.at, journal_.status().safe);
  }
  auto status =
      is_stopping ? rocksdb::Status{} : bound_journal(); // A store that closes has the journal.
  if (status.ok() && (group.at != 0 || group.rows.Count() != 0)) // At least the mark.
    status = write_rows(db_, group.rows, files_.mark, when_stalled::refuse);
  tables_refused_.reset();
  if (status.ok())
    return true;
  if (status.IsIncomplete()) // The disk is slow, or a write of the tables has failed.
    tables_refused_ = {
        "The tables of " + options_.directory
            + " are behind the journal; writing goes on when the disk has taken "
              "them.",
        std::min<std::chrono::milliseconds>(options_.retry_interval, behind_interval)};
  else
    tables_refused_ = {describe_write_failure(status, options_.directory), options_.retry_interval};
  tables_retry_at_ = options_.time->steady() + tables_refused_->pause;
  if (!is_stopping)
    resume_tables();
  return false;
}

rocksdb::Status group_writer::bound_journal() {
  if (unforgotten_bytes_ >= options_.journal_forget_bytes) {
    unforgotten_bytes_ = 0;
    forget_groups();
  }
  if (std::max(behind_bytes_, behind_row_bytes_) < options_.journal_behind_bytes)
    return {};
  if (is_behind()) {
    auto waits = files_.patience->refusal();
    return waits.ok() ? rocksdb::Status::Incomplete() : waits;
  }
  rocksdb::FlushOptions how;
  how.wait = false;
  how.allow_write_stall = true;
  auto status = db_.Flush(how);
  if (status.ok()) {
    flushed_at_ = tables_at_;
    behind_bytes_ = behind_row_bytes_ = 0;
  }
  return status;
}

/// Of a long change that the tables do not have on the disk yet, all parts are needed.
void group_writer::forget_groups() {
  const auto persisted = persisted_mark(db_).at;
  auto needed = persisted + 1;
  std::erase_if(long_changes_, [&](const long_change_place& each) {
    return each.change != 0 && each.change <= persisted;
  });
  for (const auto& each : long_changes_)
    needed = std::min(needed, each.parts.first);
  journal_.forget(needed);
}

bool group_writer::is_behind() {
  return persisted_mark(db_).at < flushed_at_;
}

/// RocksDB writes the tables again whose sync has failed. The call blocks, so it runs on its own
/// thread.
void group_writer::resume_tables() {
  if (!files_.tables_have_threads || is_resuming() || options_.time->steady() < resume_at_
      || !files_.patience->refusal().ok())
    return;
  resume_at_ = options_.time->steady() + options_.retry_interval;
  resuming_ = std::async(std::launch::async, [this] {
    db_.Resume().PermitUncheckedError(); // The tables say whether it helped.
  });
}

bool group_writer::is_resuming() const {
  return resuming_.valid()
         && resuming_.wait_for(std::chrono::seconds{0}) != std::future_status::ready;
}

// -- the end --------------------------------------------------------------------------------------

void group_writer::close() {
  if (is_resuming()) { // Perhaps for ever.
    rocksdb::CancelAllBackgroundWork(&db_, false);
    resuming_.wait();
  }
  finish_journal_work(); // The tables may take long.
  rocksdb::FlushOptions how;
  how.allow_write_stall = true;
  // A disk that refuses is left alone. Otherwise rows that are on their way to the disk are waited
  // for: without them, the next start would read the same groups again.
  const bool refuses = is_behind() && !files_.patience->refusal().ok();
  if (options_.flushes_at_end && groups_.empty() && !refuses && db_.Flush(how).ok()) {
    // A long change that has begun and is not complete will never be complete.
    std::erase_if(long_changes_, [](const long_change_place& each) { return each.change == 0; });
    forget_groups();
  }
  close_journal();
}

void group_writer::close_journal() {
  finish_journal_work();
  journal_.close(nullptr);
  finish_journal_work();
}

void group_writer::finish_journal_work() {
  do
    turn_journal(true);
  while (threaded_disk_ && threaded_disk_->wait());
}

} // namespace troupe
