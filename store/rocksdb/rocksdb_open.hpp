// Opening the database: options for many small durable writes, and every way it can fail said in
// words.
#pragma once

#include "store/rocksdb/rocksdb_store.hpp"
#include <troupe/protocol/errc.hpp>

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace troupe {

/// Keeps RocksDB's warnings instead of writing a log file: what was cut off when the journal was
/// read shows there and nowhere else.
class warning_log final : public rocksdb::Logger {
public:
  warning_log() : rocksdb::Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override;
  /// What was gathered, and begins anew.
  [[nodiscard]] std::vector<std::string> take();

private:
  std::mutex guard_;
  std::vector<std::string> lines_;
};

struct opened_database {
  std::shared_ptr<warning_log> warnings;
  std::unique_ptr<rocksdb::Env> env;
  std::unique_ptr<rocksdb::DB> db;
  std::string repaired; ///< What was cut off, in words; empty if nothing.
};

[[nodiscard]] result<opened_database> open_database(const rocksdb_options& options,
                                                    const rocksdb_internals& internals);

/// A failure to write, in words with what to do.
[[nodiscard]] std::string describe_write_failure(const rocksdb::Status& failure,
                                                 const std::string& directory);

} // namespace troupe
