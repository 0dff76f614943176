#include "store/rocksdb/rocksdb_open.hpp"

#include "store/disk_full.hpp"
#include "store/journal/file_disk.hpp"
#include "store/rocksdb/catch_up.hpp"
#include "store/rocksdb/old_log.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"
#include <troupe/protocol/ids.hpp>

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr int bloom_bits_per_key = 10;
constexpr int open_files_max = 512; ///< Unlimited would open every file at start.

/// Table files that were flushed and not yet compacted. With more, writing waits for compactions.
constexpr int new_tables_max = 96;

error refuse(std::string why) {
  return make_error(errc::store_failed, std::move(why));
}

/// Whether a file may be in a directory where a new database is to be made: RocksDB leaves some
/// when it is killed while it makes one, and a file system of its own has lost+found.
bool may_precede_database(const std::string& name) {
  return name == "lost+found" || name == lock_name || name == "LOCK" || name == "IDENTITY"
         || name.starts_with("LOG") || name.starts_with("MANIFEST-") || name.starts_with("OPTIONS-")
         || name.ends_with(".dbtmp");
}

result<void> check_directory(const std::string& directory, bool has_tables) {
  if (directory.empty())
    return refuse("No data directory was given.");
  std::error_code failure;
  const auto kind = fs::status(directory, failure).type();
  if (kind != fs::file_type::not_found && kind != fs::file_type::directory
      && kind != fs::file_type::none)
    return refuse("The data directory " + directory + " is a file, not a directory; name another.");
  if (kind == fs::file_type::directory) {
    if (::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
      return refuse("The data directory " + directory + " cannot be written to ("
                    + std::strerror(errno) + "); correct its permissions or name another.");
    std::error_code unknown;
    const bool has_database = fs::exists(fs::path{directory} / "CURRENT", unknown);
    if (!has_tables && has_database)
      return refuse("The directory " + directory
                    + " has a store of the kind rocksdb; start with that kind, or name another "
                      "directory.");
    if (!has_tables || has_database || unknown)
      return {};
    if (fs::exists(fs::path{directory} / origin_marker, unknown))
      return refuse("The directory " + directory
                    + " has a store of the kind session-jsonl; start with that kind, or name "
                      "another directory.");
    if (fs::exists(journal_path(directory), unknown))
      return refuse("The store in " + directory
                    + " is incomplete: journal found, RocksDB tables missing (no file CURRENT); "
                      "restore it from a backup.");
    for (const auto& entry : fs::directory_iterator{directory, failure})
      if (!may_precede_database(entry.path().filename().string()))
        return refuse("The directory " + directory
                      + " contains files that do not belong to a store (such as "
                      + entry.path().filename().string() + "); name an empty or a new directory.");
    return failure ? refuse("The data directory " + directory + " cannot be read ("
                            + failure.message() + ").")
                   : result<void>{};
  }
  // What clients sent, and credentials for notifications: its owner's alone.
  if (fs::create_directories(directory, failure); !failure)
    fs::permissions(directory, fs::perms::owner_all, failure);
  if (failure)
    return refuse("The data directory " + directory + " cannot be created (" + failure.message()
                  + "); check the permissions of its parent directory or name another.");
  return {};
}

/// The memory table begins its search for a row's place where the last row of that group went in.
/// Any grouping is correct.
class insert_hint_groups final : public rocksdb::SliceTransform {
public:
  [[nodiscard]] const char* Name() const override { return "troupe.insert_hint_groups"; }
  [[nodiscard]] rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return slice_of(rows::group_of(text_of(key)));
  }
  [[nodiscard]] bool InDomain(const rocksdb::Slice&) const override { return true; }
};

/// The filters of table files know the streams whose changes they have: a reader of one stream asks
/// no other files (`reads_one_stream` in rocksdb_scan.hpp).
class history_streams final : public rocksdb::SliceTransform {
public:
  [[nodiscard]] const char* Name() const override { return "troupe.history_streams"; }
  [[nodiscard]] rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return slice_of(rows::stream_prefix_of(text_of(key)));
  }
  [[nodiscard]] bool InDomain(const rocksdb::Slice& key) const override {
    return !rows::stream_prefix_of(text_of(key)).empty();
  }
};

/// RocksDB would write a file else.
class silent_log final : public rocksdb::Logger {
public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::Options database_options(const rocksdb_internals& internals, rocksdb::Env& env) {
  rocksdb::Options out;
  out.env = &env;
  out.create_if_missing = true;
  out.info_log = std::make_shared<silent_log>();
  // Nobody reads them, and they take a thread.
  out.stats_dump_period_sec = 0;
  out.stats_persist_period_sec = 0;
  out.max_background_jobs = 2;
  out.max_open_files = open_files_max;
  out.max_file_opening_threads = internals.opening_threads;
  out.write_buffer_size = internals.write_buffer_bytes;
  out.max_write_buffer_number = 16; // The writer bounds what is not safe, and does not block.
  out.level_compaction_dynamic_level_bytes = true;
  // The writer does not wait in the tables (when_stalled), so a slow write is a refused one, for
  // all clients and for seconds.
  out.level0_slowdown_writes_trigger = new_tables_max;
  out.level0_stop_writes_trigger = new_tables_max;
  out.bytes_per_sync = 1 << 20;
  // One thread writes, so nothing is won by letting several into the memory table.
  out.allow_concurrent_memtable_write = false;
  out.memtable_insert_with_hint_prefix_extractor = std::make_shared<insert_hint_groups>();
  out.prefix_extractor = std::make_shared<history_streams>();
  out.enable_write_thread_adaptive_yield = false;
  // Of a directory of format 1, whose log was looked at before (old_log.hpp).
  out.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  out.max_bgerror_resume_count = 0;       // The store's writer retries and says so.
  out.avoid_flush_during_shutdown = true; // The store does it, and goes on if it fails.
  out.skip_stats_update_on_db_open = true;
  const auto known = rocksdb::GetSupportedCompressions();
  const bool has_lz4 =
      std::find(known.begin(), known.end(), rocksdb::kLZ4Compression) != known.end();
  out.compression = has_lz4 ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bloom_bits_per_key, false));
  table.block_cache = rocksdb::NewLRUCache(internals.block_cache_bytes);
  table.format_version = 5;
  out.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return out;
}

/// `text` without the path of the directory, which may look like the name of a file.
std::string without_path(std::string text, const std::string& directory) {
  for (auto at = text.find(directory); at != std::string::npos; at = text.find(directory, at))
    text.erase(at, directory.size());
  return text;
}

/// Which of the tables' files is damaged, by what RocksDB says; empty if that is not known.
std::string damaged_file(const rocksdb::Status& failure, const std::string& directory) {
  const auto whole = without_path(failure.ToString(), directory);
  const std::string_view text{whole};
  if (text.find("No such file or directory") != std::string_view::npos) {
    // RocksDB names a missing table by the ending of old versions.
    const auto end = std::min(text.find(".ldb"), text.find(".sst"));
    const auto begin = text.substr(0, end).rfind('/') + 1;
    return end == std::string_view::npos
               ? ": a file is missing"
               : ": the table file " + std::string{text.substr(begin, end - begin)}
                     + ".sst is missing";
  }
  if (!failure.IsCorruption())
    return {};
  if (text.find("MANIFEST") != std::string_view::npos)
    return ": the list of its table files, MANIFEST, is cut off or damaged";
  if (text.find("CURRENT") != std::string_view::npos)
    return ": its file CURRENT is cut off or damaged";
  return {};
}

error describe_open_failure(const rocksdb::Status& failure, const std::string& directory) {
  const auto text = failure.ToString();
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (failure.IsIOError() && (has("lock hold by current process") || has("While lock file")))
    return already_in_use(directory);
  if (has("Permission denied") || has("Read-only file system"))
    return refuse("The data directory " + directory
                  + " cannot be written to; correct its permissions or name another (" + text
                  + ").");
  if (failure.IsNoSpace() || has("No space left"))
    return refuse("The disk of the data directory " + directory
                  + " is full; free some space and start again (" + text + ").");
  if (failure.IsCorruption())
    return refuse("The store in " + directory + " is damaged" + damaged_file(failure, directory)
                  + "; restore the directory from a backup, or name another (" + text + ").");
  if (const auto file = damaged_file(failure, directory); !file.empty())
    return refuse("The store in " + directory + " cannot be opened" + file
                  + "; restore the directory from a backup, or name another (" + text + ").");
  return refuse("The store in " + directory + " cannot be opened (" + text + ").");
}

/// The format of the tables; 0 if they are empty.
result<std::uint32_t> read_format(rocksdb::DB& db, const std::string& directory) {
  std::string row;
  const auto found = db.Get(rocksdb::ReadOptions{}, slice_of(rows::format_key), &row);
  if (found.ok()) {
    std::uint32_t version = 0;
    const auto [end, bad] = std::from_chars(row.data(), row.data() + row.size(), version);
    if (bad != std::errc{} || end != row.data() + row.size() || version == 0)
      return refuse("The store in " + directory
                    + " has no readable format number; restore it from a backup.");
    if (version > rows::format_version)
      return refuse("The store in " + directory
                    + " was written by a newer version of this program (format "
                    + std::to_string(version) + ", this one reads up to "
                    + std::to_string(rows::format_version)
                    + "); use that version, or name another directory.");
    return version;
  }
  if (!found.IsNotFound())
    return describe_open_failure(found, directory);
  const std::unique_ptr<rocksdb::Iterator> any{db.NewIterator(rocksdb::ReadOptions{})};
  any->SeekToFirst();
  if (any->Valid())
    return refuse("The directory " + directory
                  + " holds a database of another program; name another directory.");
  return any->status().ok() ? result<std::uint32_t>{0}
                            : describe_open_failure(any->status(), directory);
}

/// The position of the last group in the tables; nothing if they have not followed a journal yet.
result<std::optional<journal::follower_mark>> read_mark(rocksdb::DB& db,
                                                        const std::string& directory) {
  const auto format = read_format(db, directory);
  if (!format)
    return format.error();
  if (*format < rows::format_version)
    return std::optional<journal::follower_mark>{};
  std::string row;
  const auto found = db.Get(rocksdb::ReadOptions{}, slice_of(rows::mark_key), &row);
  if (!found.ok() && !found.IsNotFound())
    return describe_open_failure(found, directory);
  const auto mark = found.ok() ? rows::read_mark(row) : std::nullopt;
  if (!mark)
    return refuse("The tables in " + directory
                  + " have no valid journal position; restore the directory from a backup.");
  return mark;
}

/// From now on the tables follow the journal. Until then they are unchanged: both rows are on the
/// disk or none, and everything that an older program has written is on the disk already.
result<void> begin_following(rocksdb::DB& db, const journal::follower_mark& mark,
                             const std::string& directory) {
  rocksdb::WriteBatch rows;
  auto done = rows.Put(slice_of(rows::format_key), std::to_string(rows::format_version));
  if (done.ok())
    done = write_rows(db, rows, mark);
  if (done.ok())
    done = db.Flush(rocksdb::FlushOptions{});
  return done.ok() ? result<void>{} : result<void>{describe_open_failure(done, directory)};
}

result<void> make_journal_directory(const std::string& directory) {
  const auto path = journal_path(directory);
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return refuse("The directory " + path + " cannot be created (" + std::strerror(errno)
                  + "); check the permissions of its parent directory.");
  const int parent = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_safe = parent >= 0 && ::fsync(parent) == 0;
  const auto reason = errno;
  if (parent >= 0)
    ::close(parent);
  return is_safe ? result<void>{}
                 : result<void>{refuse("The directory " + directory + " cannot be synced to disk ("
                                       + std::strerror(reason) + ").")};
}

/// On the thread of the compactions. They compute much (LZ4, checksums), and loops and actors are
/// not to wait for their turn on the processor. With the lowest priority they would stand still
/// beside a server with much to do, until the tables refuse writes.
void lower_own_priority(void*) {
  constexpr int compaction_niceness = 5;
  static_cast<void>(
      ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), compaction_niceness));
}

result<void> open_tables(opened_files& out, const std::string& directory,
                         const rocksdb_internals& internals) {
  out.patience = std::make_shared<write_patience>(internals.retry_interval);
  if (internals.open_tables) {
    out.db = internals.open_tables();
    out.tables_have_threads = false;
    return {};
  }
  auto& base = internals.env ? *internals.env : *rocksdb::Env::Default();
  const auto ended = look_at_old_log(base, directory);
  if (!ended)
    return ended.error();
  out.repaired = *ended;
  out.env = rocksdb::NewCompositeEnv(make_resumable(base.GetFileSystem(), out.patience));
  rocksdb::DB* raw = nullptr;
  const auto opened = rocksdb::DB::Open(database_options(internals, *out.env), directory, &raw);
  out.db.reset(raw);
  if (!opened.ok())
    return describe_open_failure(opened, directory);
  base.Schedule(lower_own_priority, nullptr, rocksdb::Env::LOW);
  return {};
}

/// A repair works with tables, and here there are none.
std::string advice_for_sessions(const std::string& directory,
                                const std::optional<journal::follower_mark>& mark) {
  return " Without a backup: the session files have the groups up to "
         + std::to_string(mark ? mark->at : 0) + ", and those after it may be lost; move "
         + journal_path(directory) + " and " + directory + "/" + std::string{origin_marker}
         + " to another place to go on with the session files alone.";
}

std::string advice_for_tables(const std::string& directory) {
  return " `troupe store repair --lose-after --data " + directory
         + "` copies the directory and goes on with what can be kept; without --lose-after it only "
           "says what that is.";
}

error of_journal(const std::string& directory, const error& why) {
  return make_error(why.code, "In " + journal_path(directory) + ": " + why.message);
}

/// The journal as it was read before the tables were opened, for the mark that they had.
struct early_look {
  journal::follower_mark mark;
  journal::inspection found;
};

/// Refuses a journal that is damaged, or that is not the one of the tables, while nothing is
/// changed: to open the tables writes a new MANIFEST. What else is wrong is found when they are
/// opened. Nothing: the journal was not looked at.
result<std::optional<early_look>> refuse_damaged_journal(const std::string& directory,
                                                         const rocksdb_internals& internals) {
  using look = std::optional<early_look>;
  std::error_code unknown;
  if (internals.open_tables || internals.origin
      || (!internals.journal_files && !fs::exists(journal_path(directory), unknown)))
    return look{};
  auto how = database_options(internals, internals.env ? *internals.env : *rocksdb::Env::Default());
  how.create_if_missing = false;
  how.max_open_files = 16; // It reads one row.
  rocksdb::DB* raw = nullptr;
  const auto opened = rocksdb::DB::OpenForReadOnly(how, directory, &raw);
  const std::unique_ptr<rocksdb::DB> tables(raw);
  const auto mark = opened.ok() ? read_mark(*tables, directory)
                                : result<std::optional<journal::follower_mark>>{std::nullopt};
  if (!mark || !*mark)
    return look{};
  const auto own =
      internals.journal_files ? nullptr : journal::make_file_disk(journal_path(directory));
  auto found = journal::inspect(own ? *own : *internals.journal_files, (*mark)->at);
  if (!found)
    return look{};
  if (const auto refused = journal::refusal_of(*found, *mark, advice_for_tables(directory)))
    return of_journal(directory, *refused);
  return look{early_look{**mark, std::move(*found)}};
}

result<void> open_journal(opened_files& out, const rocksdb_options& options,
                          const rocksdb_internals& internals, std::optional<early_look> seen) {
  const auto& directory = options.directory;
  using mark_read = result<std::optional<journal::follower_mark>>;
  const auto mark =
      internals.origin ? mark_read{internals.origin->mark} : read_mark(*out.db, directory);
  if (!mark)
    return mark.error();
  if (!internals.journal_files) {
    if (const auto made = *mark ? result<void>{} : make_journal_directory(directory); !made)
      return made;
    out.own_disk = journal::make_file_disk(journal_path(directory));
  }
  out.disk = out.own_disk ? out.own_disk.get() : internals.journal_files;
  const auto advice =
      internals.origin ? advice_for_sessions(directory, *mark) : advice_for_tables(directory);
  std::error_code unknown;
  if (internals.origin && out.own_disk && !fs::exists(journal_path(directory), unknown) && !unknown)
    return refuse("The journal is missing: there is no directory " + journal_path(directory)
                  + ". The session files have its groups up to " + std::to_string((*mark)->at)
                  + ", and those after it may be lost. Nothing was changed; restore it, or remove "
                  + directory + "/" + std::string{origin_marker}
                  + " to go on with the session files alone.");
  if (out.own_disk && !fs::exists(journal_path(directory), unknown) && !unknown)
    return refuse("The journal is missing: there is no directory " + journal_path(directory)
                  + ". The tables have its groups up to " + std::to_string((*mark)->at)
                  + ". Nothing was changed; restore the data directory from a backup." + advice);
  auto how = internals.journal;
  how.is_sync = options.durability == durability::sync;
  how.retry_interval = internals.retry_interval;
  how.damage_advice = advice;
  std::optional<journal::inspection> inspected; // Else the same bytes would be read again.
  if (seen && *mark == seen->mark)
    inspected = std::move(seen->found);
  auto opened = journal::open_journal(*out.disk, *internals.time, thread_id_source().next_random(),
                                      how, *mark, std::move(inspected));
  if (!opened)
    return of_journal(directory, opened.error());
  if (!opened->repaired.empty())
    out.repaired = "The end of the journal was cut short: " + journal::describe(opened->repaired)
                   + " Nothing that was acknowledged is lost.";
  out.journal = std::move(opened->opened);
  if (*mark) {
    out.mark = **mark;
    return internals.origin ? begin_following(*out.db, out.mark, directory) : result<void>{};
  }
  if (internals.origin && out.journal->first() != 1)
    return refuse("The journal in " + directory + " begins with group "
                  + std::to_string(out.journal->first()) + ", and " + directory + "/"
                  + std::string{origin_marker}
                  + ", which says what the session files have of it, is missing; restore it.");
  if (!internals.origin && out.journal->last() != 0)
    return refuse("The journal in " + directory + " has " + std::to_string(out.journal->last())
                  + " groups, but the tables are empty; restore the directory from a backup.");
  out.mark = {opened->journal_id, 0, 0};
  return begin_following(*out.db, out.mark, directory);
}

} // namespace

result<read_tables> open_tables_to_read(const std::string& directory) {
  auto how = database_options({}, *rocksdb::Env::Default());
  how.create_if_missing = false;
  rocksdb::DB* raw = nullptr;
  const auto opened = rocksdb::DB::OpenForReadOnly(how, directory, &raw);
  read_tables out;
  out.db.reset(raw);
  if (!opened.ok())
    return describe_open_failure(opened, directory);
  const auto format = read_format(*out.db, directory);
  if (!format)
    return format.error();
  const auto mark = read_mark(*out.db, directory);
  if (!mark)
    return mark.error();
  out.format = *format;
  out.mark = *mark;
  return out;
}

bool holds_rocksdb_store(const std::string& directory) {
  std::error_code unknown;
  return fs::exists(fs::path{directory} / "CURRENT", unknown) || unknown
         || fs::exists(fs::path{journal_path(directory)}, unknown) || unknown;
}

rocksdb_internals fitted_to(const memory_budget& memory, rocksdb_internals wanted) {
  const auto share = std::max(memory.bytes_max() / table_buffers_divisor, write_buffer_bytes_min);
  wanted.write_buffer_bytes = std::min(wanted.write_buffer_bytes, share);
  wanted.block_cache_bytes = std::min(wanted.block_cache_bytes, share);
  // Rows take more than twice the bytes of their groups.
  wanted.journal_behind_bytes = std::min(wanted.journal_behind_bytes, share / 2);
  return wanted;
}

result<opened_files> open_files(const rocksdb_options& options,
                                const rocksdb_internals& internals) {
  if (const auto usable = check_directory(options.directory, !internals.origin); !usable)
    return usable.error();
  opened_files out;
  if (internals.locks_directory) {
    auto locked = directory_lock::take(options.directory);
    if (!locked)
      return locked.error();
    out.lock = std::move(*locked);
  }
  auto seen = refuse_damaged_journal(options.directory, internals);
  if (!seen)
    return seen.error();
  if (const auto opened = open_tables(out, options.directory, internals); !opened)
    return opened.error();
  if (const auto opened = open_journal(out, options, internals, std::move(*seen)); !opened)
    return opened.error();
  return out;
}

journal::follower_mark persisted_mark(rocksdb::DB& db) {
  rocksdb::ReadOptions how;
  how.read_tier = rocksdb::kPersistedTier;
  std::string row;
  const auto found = db.Get(how, slice_of(rows::mark_key), &row);
  return found.ok() ? rows::read_mark(row).value_or(journal::follower_mark{})
                    : journal::follower_mark{};
}

namespace {

std::string describe_full_disk(const std::string& directory, const std::string& why) {
  return "The disk of " + directory
         + " is full. Free some space; pending writes then continue automatically (" + why + ").";
}

std::string describe_failing_disk(const std::string& directory, const std::string& why) {
  return "Writing to " + directory + " fails and is tried again. Check the disk (" + why + ").";
}

} // namespace

std::string describe_write_failure(const rocksdb::Status& failure, const std::string& directory) {
  const auto text = failure.ToString();
  return failure.IsNoSpace() || text.find("No space left") != std::string::npos
             ? describe_full_disk(directory, text)
             : describe_failing_disk(directory, text);
}

std::string describe_write_failure(std::error_code failure, const std::string& directory) {
  return is_disk_full(failure) ? describe_full_disk(directory, failure.message())
                               : describe_failing_disk(directory, failure.message());
}

} // namespace troupe
