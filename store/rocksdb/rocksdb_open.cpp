#include "store/rocksdb/rocksdb_open.hpp"

#include "store/rocksdb/overwriting_file_system.hpp"
#include "store/rocksdb/resumable_file_system.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t warning_bytes_max = 1024;
constexpr std::size_t warnings_max = 64; ///< Later ones are let go: the first say what happened.
constexpr std::size_t block_cache_bytes = std::size_t{64} << 20;
constexpr int bloom_bits_per_key = 10;
constexpr int open_files_max = 512; ///< Unlimited would open every file at start.

error refuse(std::string why) {
  return make_error(errc::store_failed, std::move(why));
}

/// Whether a file may stand where a new database is to be made: RocksDB leaves some behind when it
/// is killed while it makes one, and a file system of its own has lost+found.
bool may_precede_database(const std::string& name) {
  return name == "lost+found" || name == "LOCK" || name == "IDENTITY" || name.starts_with("LOG")
         || name.starts_with("MANIFEST-") || name.starts_with("OPTIONS-")
         || name.ends_with(".dbtmp");
}

result<void> check_directory(const std::string& directory) {
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
    if (holds_rocksdb_store(directory))
      return {};
    for (const auto& entry : fs::directory_iterator{directory, failure})
      if (!may_precede_database(entry.path().filename().string()))
        return refuse("The directory " + directory + " holds files that are not a store's (such as "
                      + entry.path().filename().string() + "); name an empty or a new directory.");
    return failure ? refuse("The data directory " + directory + " cannot be read ("
                            + failure.message() + ").")
                   : result<void>{};
  }
  // What clients sent, and credentials for notifications: its owner's alone.
  if (fs::create_directories(directory, failure); !failure)
    fs::permissions(directory, fs::perms::owner_all, failure);
  if (failure)
    return refuse("The data directory " + directory + " cannot be made (" + failure.message()
                  + "); correct the permissions above it or name another.");
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
  /// Lone tasks have a stream each, named at random: nothing to remember.
  [[nodiscard]] bool InDomain(const rocksdb::Slice& key) const override {
    return !key.starts_with("e/t");
  }
};

rocksdb::Options database_options(const rocksdb_internals& internals, rocksdb::Env& env,
                                  std::shared_ptr<warning_log> warnings) {
  rocksdb::Options out;
  out.env = &env;
  out.create_if_missing = true;
  out.info_log = std::move(warnings);
  out.max_background_jobs = 2;
  out.max_open_files = open_files_max;
  out.write_buffer_size = internals.write_buffer_bytes;
  out.max_write_buffer_number = 4;
  out.level_compaction_dynamic_level_bytes = true;
  out.bytes_per_sync = 1 << 20;
  // One thread writes, so nothing is won by letting several into the memory table.
  out.allow_concurrent_memtable_write = false;
  out.memtable_insert_with_hint_prefix_extractor = std::make_shared<insert_hint_groups>();
  out.enable_write_thread_adaptive_yield = false;
  // After a power failure everything before the first damage is kept. What was acknowledged lies
  // before it.
  out.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  out.max_bgerror_resume_count = 0; // The store's writer retries and says so.
  out.avoid_flush_during_shutdown =
      true; // All but the writer's own mark (rocksdb_store.cpp) is in the journal.
  out.skip_stats_update_on_db_open = true;
  const auto known = rocksdb::GetSupportedCompressions();
  const bool has_lz4 =
      std::find(known.begin(), known.end(), rocksdb::kLZ4Compression) != known.end();
  out.compression = has_lz4 ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bloom_bits_per_key, false));
  table.block_cache = rocksdb::NewLRUCache(block_cache_bytes);
  table.format_version = 5;
  out.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return out;
}

error describe_open_failure(const rocksdb::Status& failure, const std::string& directory) {
  const auto text = failure.ToString();
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (failure.IsIOError() && (has("lock hold by current process") || has("While lock file")))
    return make_error(errc::store_locked,
                      "The data directory " + directory
                          + " is in use by another process; stop that one or name another "
                            "directory.");
  if (has("Permission denied") || has("Read-only file system"))
    return refuse("The data directory " + directory
                  + " cannot be written to; correct its permissions or name another (" + text
                  + ").");
  if (failure.IsNoSpace() || has("No space left"))
    return refuse("The disk of the data directory " + directory
                  + " is full; free some space and start again (" + text + ").");
  if (failure.IsCorruption())
    return refuse("The store in " + directory
                  + " is damaged; restore the directory from a copy, or name another (" + text
                  + ").");
  return refuse("The store in " + directory + " cannot be opened (" + text + ").");
}

/// Ours and of a version this program reads; a new database is given the row.
result<void> check_format(rocksdb::DB& db, const std::string& directory) {
  std::string row;
  const auto found = db.Get(rocksdb::ReadOptions{},
                            rocksdb::Slice{rows::format_key.data(), rows::format_key.size()}, &row);
  if (found.ok()) {
    std::uint32_t version = 0;
    const auto [end, bad] = std::from_chars(row.data(), row.data() + row.size(), version);
    if (bad != std::errc{} || end != row.data() + row.size() || version == 0)
      return refuse("The store in " + directory
                    + " has no readable format number; restore it from a copy.");
    if (version > rows::format_version)
      return refuse("The store in " + directory
                    + " was written by a newer version of this program (format "
                    + std::to_string(version) + ", this one reads up to "
                    + std::to_string(rows::format_version)
                    + "); use that version, or name another directory.");
    return {};
  }
  if (!found.IsNotFound())
    return describe_open_failure(found, directory);
  const std::unique_ptr<rocksdb::Iterator> any{db.NewIterator(rocksdb::ReadOptions{})};
  any->SeekToFirst();
  if (any->Valid())
    return refuse("The directory " + directory
                  + " holds a database of another program; name another directory.");
  rocksdb::WriteOptions now;
  now.sync = true;
  const auto written = db.Put(now, rocksdb::Slice{rows::format_key.data(), rows::format_key.size()},
                              std::to_string(rows::format_version));
  return written.ok() ? result<void>{} : result<void>{describe_open_failure(written, directory)};
}

std::string describe_repair(const std::vector<std::string>& warnings) {
  std::string out;
  for (const auto& line : warnings) {
    const auto at = line.find("dropping ");
    if (at == std::string::npos)
      continue;
    out += out.empty() ? "The end of the journal was torn and has been cut off (" : "; ";
    out += line.substr(at);
  }
  return out.empty() ? out : out + "). Nothing that was acknowledged is lost.";
}

} // namespace

bool holds_rocksdb_store(const std::string& directory) {
  std::error_code unknown;
  return fs::exists(fs::path{directory} / "CURRENT", unknown) || unknown;
}

void warning_log::Logv(const char* format, va_list arguments) {
  char text[warning_bytes_max];
  if (std::vsnprintf(text, sizeof text, format, arguments) <= 0)
    return;
  const std::lock_guard lock{guard_};
  if (lines_.size() < warnings_max)
    lines_.emplace_back(text);
}

std::vector<std::string> warning_log::take() {
  const std::lock_guard lock{guard_};
  return std::exchange(lines_, {});
}

result<opened_database> open_database(const rocksdb_options& options,
                                      const rocksdb_internals& internals) {
  if (const auto usable = check_directory(options.directory); !usable)
    return usable.error();
  opened_database out;
  out.warnings = std::make_shared<warning_log>();
  auto& base = internals.env ? *internals.env : *rocksdb::Env::Default();
  auto files = base.GetFileSystem();
  // Where nothing is waited for, nothing is won, and after a power failure zeros could stand in the
  // middle of what was written.
  if (internals.grow_journal_ahead && options.durability == durability::sync)
    files = make_overwriting(files);
  out.env = rocksdb::NewCompositeEnv(make_resumable(files));
  rocksdb::DB* raw = nullptr;
  const auto opened = rocksdb::DB::Open(database_options(internals, *out.env, out.warnings),
                                        options.directory, &raw);
  out.db.reset(raw);
  if (!opened.ok())
    return describe_open_failure(opened, options.directory);
  out.repaired = describe_repair(out.warnings->take());
  if (const auto ours = check_format(*out.db, options.directory); !ours)
    return ours.error();
  return out;
}

std::string describe_write_failure(const rocksdb::Status& failure, const std::string& directory) {
  const auto text = failure.ToString();
  if (failure.IsNoSpace() || text.find("No space left") != std::string::npos)
    return "The disk of " + directory
           + " is full. Free some space: what waits is then written by itself (" + text + ").";
  return "Writing to " + directory + " fails and is tried again every second. Check the disk ("
         + text + ").";
}

} // namespace troupe
