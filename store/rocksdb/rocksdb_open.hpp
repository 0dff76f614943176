// Opening the files of a store: the journal, and the tables that are derived from it. A directory
// of an older version is brought to this one. Every way it can fail is said in words.
#pragma once

#include "store/directory_lock.hpp"
#include "store/journal/disk.hpp"
#include "store/journal/file_disk.hpp"
#include "store/journal/journal.hpp"
#include "store/rocksdb/resumable_file_system.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include <troupe/protocol/errc.hpp>

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace troupe {

/// In the order in which they are opened.
struct opened_files {
  std::unique_ptr<directory_lock> lock;
  std::shared_ptr<write_patience> patience;
  std::unique_ptr<rocksdb::Env> env;
  std::unique_ptr<rocksdb::DB> db;
  /// A failed write of one of them stops the tables until they are resumed.
  bool tables_have_threads = true;
  std::unique_ptr<journal::file_disk> own_disk; ///< Null: the caller's is used.
  journal::disk* disk = nullptr;                ///< Of the journal.
  std::unique_ptr<journal::journal> journal;
  journal::follower_mark mark; ///< The last group in the tables.
  std::string repaired;        ///< What was cut off, in words; empty if nothing.
};

[[nodiscard]] result<opened_files> open_files(const rocksdb_options& options,
                                              const rocksdb_internals& internals);

/// Tables that are only read.
struct read_tables {
  std::unique_ptr<rocksdb::DB> db;
  std::uint32_t format = 0; ///< rows::format_version or less; 0: the tables are empty.
  std::optional<journal::follower_mark> mark; ///< Nothing in a format that has none.
};

/// Opens the tables as they are on the disk, and changes nothing. Nothing must write to them
/// meanwhile. Errors: store_failed (they are damaged, of a newer format or of another program).
[[nodiscard]] result<read_tables> open_tables_to_read(const std::string& directory);

/// The mark of the rows that have been flushed to disk; `at` is 0 if that is not known.
[[nodiscard]] journal::follower_mark persisted_mark(rocksdb::DB& db);

/// A failure to write, in words with what to do.
[[nodiscard]] std::string describe_write_failure(const rocksdb::Status& failure,
                                                 const std::string& directory);
[[nodiscard]] std::string describe_write_failure(std::error_code failure,
                                                 const std::string& directory);

} // namespace troupe
