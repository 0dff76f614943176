#include "store/rocksdb/rocksdb_archive.hpp"

#include "protocol/record/record.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"
#include <troupe/store/limits.hpp>
#include <troupe/store/store.hpp>

#include <memory>
#include <utility>

namespace troupe {

namespace {

constexpr std::array terminal_states{task_state::completed, task_state::failed,
                                     task_state::canceled, task_state::rejected};
constexpr std::array settled_states{objective_state::completed, objective_state::failed,
                                    objective_state::canceled};

/// Rows of placements that wait for the next batch; more are made when the records are read again.
constexpr std::size_t missing_rows_max = 256;

[[noreturn]] void fail_reading(const std::string& why) {
  throw store_unreadable("the store cannot be read: " + why);
}

/// What a row said; throws store_unreadable if nothing that can be understood.
template<class Read>
auto understood(Read read, std::string_view key) {
  if (!read)
    fail_reading("the row " + std::string{key} + " is damaged");
  return std::move(*read);
}

/// Walks the rows of one index prefix after `after` in list order; `visit(position, value)`
/// returns false to stop. Throws store_unreadable.
template<class Visit>
void walk(rocksdb::DB& db, const std::string& prefix, const std::optional<position>& after,
          Visit visit) {
  auto start = prefix;
  if (after)
    rows::append_position(start, after->at, after->id);
  const auto read = scan_from(db, prefix, start, [&](std::string_view key, std::string_view value) {
    const auto where = rows::position_of(key, prefix.size());
    return !where || (after && !comes_behind(where->at, where->id, *after)) || visit(*where, value);
  });
  if (!read.ok())
    fail_reading(read.ToString());
}

/// The records of a list's `ids` in their order, until they are bytes enough for a page. `read` may
/// find none: it is passed over.
template<class Row, class Read, class Bytes>
listed<Row> read_rows(const std::vector<std::string>& ids, std::uint64_t total, Read read,
                      Bytes bytes) {
  listed<Row> out{.rows = {}, .total = total, .more = false};
  std::size_t sum = 0;
  for (const auto& id : ids) {
    out.more = sum > page_bytes_max;
    if (out.more)
      break;
    if (Row row = read(id)) {
      sum += bytes(row);
      out.rows.push_back(std::move(row));
    }
  }
  return out;
}

} // namespace

rocksdb_archive::rocksdb_archive(rocksdb::DB& db, memory_budget_ptr memory,
                                 const record_cache_limits& limits)
    : db_(db), recent_(limits.recent_tasks, limits.recent_tasks * recent_task_bytes_max,
                       ledger_shards, memory),
      decoded_(std::make_shared<byte_gauge>(memory)), tasks_(limits.tasks_bytes, memory),
      objectives_(limits.objectives_bytes, memory) {}

void rocksdb_archive::shrink() {
  tasks_.shrink();
  objectives_.shrink();
  recent_.shrink();
}

result<void> rocksdb_archive::open() {
  rocksdb::PinnableSlice row;
  const auto status =
      db_.Get(rocksdb::ReadOptions{}, db_.DefaultColumnFamily(), slice_of(rows::counts_key), &row);
  if (status.IsNotFound())
    return {};
  if (!status.ok())
    fail_reading(status.ToString());
  const auto found = rows::read_counts(text_of(row));
  if (!found)
    return make_error(errc::store_failed,
                      "The store's row of counts is damaged; restore the directory from a backup.");
  for (std::size_t i = 0; i < found->tasks.size(); ++i)
    task_counts_[i].store(found->tasks[i], std::memory_order_relaxed);
  set_objective_counts(*found);
  return {};
}

rows::counts rocksdb_archive::counts() const noexcept {
  rows::counts out;
  for (std::size_t i = 0; i < out.tasks.size(); ++i)
    out.tasks[i] = task_counts_[i].load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < out.objectives.size(); ++i)
    out.objectives[i] = objective_counts_[i].load(std::memory_order_relaxed);
  return out;
}

void rocksdb_archive::keep(const task_ptr& ended) {
  if (ended->owner.empty())
    task_counts_[static_cast<std::size_t>(ended->status.state)].fetch_add(
        1, std::memory_order_relaxed);
}

void rocksdb_archive::set_objective_counts(const rows::counts& counts) noexcept {
  for (std::size_t i = 0; i < counts.objectives.size(); ++i)
    objective_counts_[i].store(counts.objectives[i], std::memory_order_relaxed);
}

std::size_t rocksdb_archive::bytes_handed_out() const noexcept {
  const auto all = decoded_->bytes();
  const auto cached = tasks_.bytes() + objectives_.bytes();
  return all > cached ? all - cached : 0;
}

void rocksdb_archive::count(read_counters& out) const noexcept {
  out.bytes_handed_out = bytes_handed_out();
  out.cached_records = tasks_.records() + objectives_.records();
  out.cached_bytes = tasks_.bytes() + objectives_.bytes();
  out.cache_hits = hits_.load(std::memory_order_relaxed);
  out.cache_misses = misses_.load(std::memory_order_relaxed);
}

std::vector<rocksdb_archive::missing_row> rocksdb_archive::take_missing_rows() {
  const std::lock_guard lock{missing_guard_};
  return std::exchange(missing_rows_, {});
}

void rocksdb_archive::add_missing_row(missing_row added) const {
  const std::lock_guard lock{missing_guard_};
  if (missing_rows_.size() < missing_rows_max)
    missing_rows_.push_back(std::move(added));
}

// -- reading --------------------------------------------------------------------------------------

bool rocksdb_reads::gives_up() const noexcept {
  is_complete_ = is_complete_ && reach_ == reach::disk;
  return reach_ == reach::memory;
}

/// False if there is no such row, or if it would have to be read from the disk and may not be.
/// Throws store_unreadable.
bool rocksdb_reads::read_row(std::string_view key, rocksdb::PinnableSlice& row) const {
  rocksdb::ReadOptions how;
  if (reach_ == reach::memory)
    how.read_tier = rocksdb::kBlockCacheTier;
  const auto status = of_.db_.Get(how, of_.db_.DefaultColumnFamily(), slice_of(key), &row);
  if (status.IsIncomplete() && gives_up())
    return false;
  if (!status.ok() && !status.IsNotFound())
    fail_reading(status.ToString());
  bytes_ += row.size();
  return status.ok();
}

task_ptr rocksdb_reads::recall_task(const task_id& id) const {
  if (auto recent = of_.recent_.find_task(id))
    return recent;
  auto cached = of_.tasks_.find(id.str());
  if (cached)
    of_.hits_.fetch_add(1, std::memory_order_relaxed);
  return cached;
}

task_ptr rocksdb_reads::find_task(const task_id& id) const {
  if (gives_up()) // The row may be in memory, and large.
    return nullptr;
  auto reading = of_.tasks_.begin_reading(id.str());
  std::size_t row_bytes = 0;
  auto read = read_task(id, row_bytes);
  if (!read)
    return nullptr;
  of_.misses_.fetch_add(1, std::memory_order_relaxed);
  const auto bytes = row_bytes * decoded_bytes_per_row_byte;
  const task_ptr out = of_.decoded_->counted(std::move(*read), bytes);
  reading.keep(out, bytes);
  std::string key;
  rows::task_placement_key(key, id.str());
  keep_placement(key, troupe::placement_of(*out), row_bytes);
  return out;
}

std::optional<placement> rocksdb_reads::read_placement(std::string_view key) const {
  rocksdb::PinnableSlice row;
  return read_row(key, row) ? std::optional{understood(rows::read_placement(text_of(row)), key)}
                            : std::nullopt;
}

std::optional<placement> rocksdb_reads::placement_of(const task_id& id) const {
  std::string key;
  rows::task_placement_key(key, id.str());
  return read_placement(key);
}

std::optional<placement> rocksdb_reads::placement_of(const objective_id& id) const {
  std::string key;
  rows::objective_placement_key(key, id.str());
  return read_placement(key);
}

void rocksdb_reads::keep_placement(std::string_view key, const placement& known,
                                   std::size_t row_bytes) const {
  if (row_bytes <= rows::placed_row_bytes_min || read_placement(key))
    return;
  rocksdb_archive::missing_row missing{std::string{key}, {}};
  rows::write_placement(missing.value, known);
  of_.add_missing_row(std::move(missing));
}

std::optional<task> rocksdb_reads::read_task(const task_id& id, std::size_t& row_bytes) const {
  std::string key;
  rows::task_key(key, id.str());
  rocksdb::PinnableSlice row;
  if (!read_row(key, row))
    return std::nullopt;
  row_bytes = row.size();
  return understood(record::read_task(text_of(row)), key);
}

/// Without what a list does not show: a page holds as many tasks as were asked for, however large
/// their artifacts are.
task_ptr rocksdb_reads::read_listed(const task_id& id, const task_view_options& view) const {
  if (auto known = recall_task(id))
    return known;
  std::size_t row_bytes = 0;
  auto record = read_task(id, row_bytes);
  if (!record)
    return nullptr;
  if (!view.include_artifacts)
    record->artifacts.clear();
  const auto hidden = record->history.size() - messages_shown(*record, view);
  record->history.erase(record->history.begin(),
                        record->history.begin() + static_cast<std::ptrdiff_t>(hidden));
  const auto bytes = sizeof(task) + bytes_shown(*record, view);
  return of_.decoded_->counted(std::move(*record), bytes);
}

bool rocksdb_reads::has_task(const task_id& id) const {
  if (of_.recent_.has_task(id) || placement_of(id))
    return true;
  std::string key;
  rows::task_key(key, id.str());
  rocksdb::PinnableSlice row;
  return read_row(key, row);
}

std::optional<task_place> rocksdb_reads::place_of(const task_id& id) const {
  std::string key;
  rows::task_place_key(key, id.str());
  rocksdb::PinnableSlice row;
  return read_row(key, row) ? std::optional{understood(rows::read_task_place(text_of(row)), key)}
                            : std::nullopt;
}

std::optional<plan_place> rocksdb_reads::place_of(const plan_id& id) const {
  std::string key;
  rows::plan_place_key(key, id.str());
  rocksdb::PinnableSlice row;
  return read_row(key, row) ? std::optional{understood(rows::read_plan_place(text_of(row)), key)}
                            : std::nullopt;
}

std::optional<objective_state_of_record>
rocksdb_reads::find_objective(const objective_id& id) const {
  if (const auto cached = of_.objectives_.find(id.str())) {
    of_.hits_.fetch_add(1, std::memory_order_relaxed);
    return *cached;
  }
  if (reach_ == reach::memory && !has_objective(id))
    return std::nullopt; // Known to be nowhere, or left to one that reads the disk.
  if (gives_up())
    return std::nullopt;
  auto reading = of_.objectives_.begin_reading(id.str());
  std::string key;
  rows::objective_key(key, id.str());
  rocksdb::PinnableSlice row;
  if (!read_row(key, row))
    return std::nullopt;
  auto read = understood(rows::read_objective_row(text_of(row), id), key);
  of_.misses_.fetch_add(1, std::memory_order_relaxed);
  const auto bytes = row.size() * decoded_bytes_per_row_byte;
  read.view = of_.decoded_->counted(std::move(*read.view), bytes);
  reading.keep(std::make_shared<const objective_state_of_record>(read), bytes);
  rows::objective_placement_key(key, id.str());
  keep_placement(key, troupe::placement_of(*read.view), row.size());
  return read;
}

bool rocksdb_reads::has_objective(const objective_id& id) const {
  if (placement_of(id))
    return true;
  std::string key;
  rows::objective_key(key, id.str());
  rocksdb::PinnableSlice row;
  return read_row(key, row);
}

listed<task_ptr> rocksdb_reads::list_tasks(const task_filter& filter,
                                           const std::optional<position>& after, std::size_t count,
                                           const task_view_options& view) const {
  if (gives_up())
    return {};
  first_rows<std::string> found{after, count}; // Ids; the records are read once it is known which.
  std::uint64_t total = 0;
  const auto passes = [&](task_state state, timestamp at) {
    return (!filter.state || *filter.state == state)
           && (!filter.status_after || at >= *filter.status_after);
  };
  std::string prefix;
  if (!filter.context.empty()) {
    rows::context_index_prefix(prefix, filter.owner, filter.context);
    walk(of_.db_, prefix, std::nullopt, [&](const position& where, std::string_view value) {
      const auto state =
          value.empty() ? task_state::unspecified : static_cast<task_state>(value.front() - '0');
      if (passes(state, where.at)) {
        ++total;
        found.offer(where.at, where.id, where.id);
      }
      return !filter.status_after || where.at >= *filter.status_after;
    });
  } else {
    for (const auto state : terminal_states) {
      if (filter.state && *filter.state != state)
        continue;
      rows::task_state_index_prefix(prefix, filter.owner, state);
      std::size_t rows_taken = 0;
      walk(of_.db_, prefix, after, [&](const position& where, std::string_view) {
        if (!passes(state, where.at) || rows_taken++ == count)
          return false;
        found.offer(where.at, where.id, where.id);
        return true;
      });
      if (!filter.status_after && filter.owner.empty())
        total += of_.task_counts_[static_cast<std::size_t>(state)].load(std::memory_order_relaxed);
      else
        walk(of_.db_, prefix, std::nullopt, [&](const position& where, std::string_view) {
          const bool counts = !filter.status_after || where.at >= *filter.status_after;
          total += counts ? 1 : 0;
          return counts;
        });
    }
  }
  return read_rows<task_ptr>(
      found.take().rows, total,
      [&](const std::string& id) { return read_listed(task_id{id}, view); },
      [&](const task_ptr& row) { return bytes_shown(*row, view); });
}

/// The ids of a list in the order of the index, which says all that the list is narrowed by.
listed<std::string> rocksdb_reads::find_listed(const objective_filter& filter,
                                               const std::optional<position>& after,
                                               std::size_t count) const {
  first_rows<std::string> found{after, count};
  std::uint64_t total = 0;
  std::string prefix;
  for (const auto each : settled_states) {
    if (!filter.takes(each))
      continue;
    rows::objective_state_index_prefix(prefix, filter.owner, each);
    std::size_t rows_taken = 0;
    walk(of_.db_, prefix, after, [&](const position& where, std::string_view) {
      if (!filter.takes(where.at) || rows_taken++ == count)
        return false;
      found.offer(where.at, where.id, where.id);
      return true;
    });
    if (filter.owner.empty() && !filter.updated_after)
      total +=
          of_.objective_counts_[static_cast<std::size_t>(each)].load(std::memory_order_relaxed);
    else
      walk(of_.db_, prefix, std::nullopt, [&](const position& where, std::string_view) {
        const bool counts = filter.takes(where.at);
        total += counts ? 1 : 0;
        return counts;
      });
  }
  auto out = found.take();
  out.total = total;
  return out;
}

/// The ids of a list of which the index does not know enough: each record is read.
result<listed<std::string>> rocksdb_reads::read_to_list(const objective_filter& filter,
                                                        objective_order order,
                                                        const std::optional<position>& after,
                                                        std::size_t count) const {
  first_rows<std::string> found{after, count};
  std::size_t records = 0;
  std::string prefix;
  for (const auto each : settled_states) {
    if (!filter.takes(each))
      continue;
    rows::objective_state_index_prefix(prefix, filter.owner, each);
    walk(of_.db_, prefix, std::nullopt, [&](const position& where, std::string_view) {
      if (!filter.takes(where.at) || ++records > listed_records_max)
        return false;
      const auto sealed = find_objective(objective_id{where.id});
      if (!sealed || !filter.has_text(*sealed->view))
        return true;
      const auto place = place_in_list(*sealed->view, order);
      found.offer(place.at, place.id, where.id);
      return true;
    });
    if (records > listed_records_max)
      return make_error(
          errc::limit_exceeded,
          "the list is narrowed by a text, or ordered otherwise than by updatedAt, and "
          "would read more than "
              + std::to_string(listed_records_max)
              + " ended objectives (limit listed_records_max); narrow it by "
                "updatedAfter or status");
  }
  return found.take();
}

result<listed<objective_ptr>> rocksdb_reads::list_objectives(const objective_filter& filter,
                                                             objective_order order,
                                                             const std::optional<position>& after,
                                                             std::size_t count) const {
  if (gives_up())
    return listed<objective_ptr>{};
  const bool index_is_enough = order == objective_order::updated && filter.text.is_empty();
  auto found = index_is_enough ? result<listed<std::string>>(find_listed(filter, after, count))
                               : read_to_list(filter, order, after, count);
  if (!found)
    return found.error();
  const auto read = [&](const std::string& id) -> objective_ptr {
    const auto sealed = find_objective(objective_id{id});
    return sealed ? sealed->view : nullptr;
  };
  return read_rows<objective_ptr>(found->rows, found->total, read,
                                  [](const objective_ptr& row) { return bytes_shown(*row); });
}

} // namespace troupe
