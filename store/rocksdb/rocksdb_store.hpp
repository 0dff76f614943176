// The inside of the durable store, for its tests and for programs that watch its start: the store
// that open_rocksdb_store (store.hpp) makes, with a disk and a clock that the caller chooses.
#pragma once

#include "store/archive_reader.hpp"
#include "store/journal/group_feed.hpp"
#include "store/journal/journal.hpp"
#include "store/rocksdb/group_limits.hpp"
#include <troupe/protocol/time_source.hpp>
#include <troupe/store/limits.hpp>
#include <troupe/store/store.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rocksdb {
class DB;
class Env;
} // namespace rocksdb

namespace troupe {

/// How far the start of a store is.
struct start_progress {
  std::string_view stage; ///< What is read: "live streams" or "groups".
  std::uint64_t done = 0;
  std::uint64_t all = 0;
};

/// Between attempts to write while the disk refuses: a server goes on within a second of room.
inline constexpr std::chrono::milliseconds disk_retry_interval{500};

/// How long the disk may take for the next group. A disk that takes longer counts as one that
/// cannot be written (store_status) until it answers. A slow disk needs less for the largest group.
inline constexpr std::chrono::milliseconds disk_silence_max{5000};

/// In the directory of a store whose tables have an origin: says how far the files are.
inline constexpr std::string_view origin_marker = "sessions/troupe-position.json";

/// Takes a group (group.hpp).
using take_group_fn = std::function<result<void>(const std::string& group)>;

/// Files that have what the tables of another store have: the tables are made of them at each
/// start.
struct table_origin {
  /// They have all groups of the journal up to this one, and perhaps parts of later ones. Nothing:
  /// that is not known, and the journal has all groups that there ever were.
  std::optional<journal::follower_mark> mark;
  /// Hands over everything in them as groups, each stream in its order. Errors are whole sentences.
  std::function<result<void>(const take_group_fn& take)> read;
};

/// Records of ended tasks and settled objectives that stay in memory.
struct record_cache_limits {
  std::size_t recent_tasks = recent_tasks_max; ///< That ended last.
  std::size_t tasks_bytes = cached_tasks_bytes_max;
  std::size_t objectives_bytes = cached_objectives_bytes_max;
};

struct rocksdb_internals {
  rocksdb::Env* env = nullptr; ///< Of the tables; null: the operating system's. Outlives the store.
  /// Opens other tables, without threads, in place of RocksDB's; null: RocksDB on `env`.
  std::function<std::unique_ptr<rocksdb::DB>()> open_tables = nullptr;
  /// Of the journal; null: the directory `journal` in that of the store. Outlives the store.
  journal::disk* journal_files = nullptr;
  /// Off for files in memory, if several stores at a time may name one directory.
  bool locks_directory = true;
  journal::journal_options journal = {}; ///< Durability and retry interval are the store's.
  /// Between attempts to write while the disk refuses.
  std::chrono::milliseconds retry_interval = disk_retry_interval;
  const time_source* time = &system_time(); ///< Says when to try again. It outlives the store.
  /// Bytes of the write buffer; a test that wants files on disk early makes it small.
  std::size_t write_buffer_bytes = std::size_t{64} << 20;
  std::size_t block_cache_bytes = std::size_t{64} << 20; ///< Blocks of tables, as read.
  /// That open table files at the start; the calling thread is one of them.
  int opening_threads = 16;
  /// At the end what is in memory is written to the tables, so that the next start reads less of
  /// the journal. A process that dies does not get that far.
  bool flushes_at_end = true;
  /// While a group is on its way to the disk, the next one is begun once so many changes wait.
  std::size_t group_ahead_changes = group_ahead_changes_min;
  group_limits groups = {};
  std::size_t journal_behind_bytes = journal_behind_bytes_max;
  std::size_t journal_forget_bytes = troupe::journal_forget_bytes;
  reader_limits reads = {};
  record_cache_limits records = {};
  std::size_t history_page_changes = history_page_changes_max; ///< Of a page of a stream's past.
  /// Called while the store starts, often, on the calling thread; may be null.
  std::function<void(const start_progress&)> on_progress = nullptr;
  /// Null: the tables are on a disk. Else `env` keeps them in memory, and is empty.
  std::shared_ptr<const table_origin> origin = nullptr;
  /// Groups from this one on stay in the journal until keep_groups says otherwise. Nothing: those
  /// that the tables have go.
  std::optional<journal::position> keep_groups_from = std::nullopt;
};

/// Buffers and caches of the tables are not counted in the budget: each has at most this part of
/// it.
inline constexpr std::size_t table_buffers_divisor = 16;
/// The write buffer has at least so many bytes.
inline constexpr std::size_t write_buffer_bytes_min = std::size_t{4} << 20;

/// With smaller buffers, if the process may hold little.
[[nodiscard]] rocksdb_internals fitted_to(const memory_budget& memory, rocksdb_internals wanted);

/// Of the journal, in the directory of the store.
inline constexpr const char* journal_directory = "journal";

[[nodiscard]] inline std::string journal_path(const std::string& directory) {
  return directory + "/" + journal_directory;
}

/// A store whose writer and readers are step machines: threads take their turns after `start`, or
/// the owner of the store does.
class turned_store : public store, public journal::group_feed {
public:
  virtual void start() = 0;
  /// Begins a group of what has gathered, or takes one to its end and calls its continuations, or
  /// else does one read. False if there is nothing to do, or the disk refuses or is waited for. For
  /// a store that was not started: from one thread only. There `flush` takes turns until there is
  /// nothing to write or the disk refuses.
  virtual bool turn() = 0;
  /// Long changes of which an earlier process has written parts only: they never happened.
  [[nodiscard]] virtual std::size_t unfinished() const noexcept = 0;
};

/// Without threads.
[[nodiscard]] result<std::unique_ptr<turned_store>>
make_rocksdb_store(const rocksdb_options& options, const rocksdb_internals& internals);
/// The same, started.
[[nodiscard]] result<std::unique_ptr<store>> open_rocksdb_store(const rocksdb_options& options,
                                                                const rocksdb_internals& internals);

} // namespace troupe
