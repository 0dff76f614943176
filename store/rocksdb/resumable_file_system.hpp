// A file system for RocksDB that survives failed writes. A write that the disk refuses
// is tried again, by the thread of RocksDB that makes tables, until the disk takes it: RocksDB does
// not go on well after a full disk. A compaction is not waited for: RocksDB gives up its files,
// which frees their room, and begins it anew. A failed sync is not tried again, since the bytes may
// be gone. RocksDB gets a retryable error, and writes the table again after `DB::Resume`. The
// journal has what the tables lack.
#pragma once

#include <rocksdb/file_system.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace troupe {

/// How long writes of tables are tried again. Thread-safe.
class write_patience {
public:
  explicit write_patience(std::chrono::milliseconds interval) : interval_(interval) {}

  /// From now on refused writes wait; before that they fail at once.
  void begin();
  /// They fail again, also those that wait.
  void end();
  /// After a refusal: waits for an interval. False: it is not to be tried again.
  [[nodiscard]] bool wait(const rocksdb::Status& refusal);
  /// The write that waited went well, or is given up.
  void forget();
  /// Why a write waits; ok if none does.
  [[nodiscard]] rocksdb::Status refusal() const;

private:
  const std::chrono::milliseconds interval_;
  mutable std::mutex guard_;
  std::condition_variable ended_;
  bool is_patient_ = false;
  rocksdb::Status refusal_;
};

/// Wraps `base`, which it shares, as `patience`.
[[nodiscard]] std::shared_ptr<rocksdb::FileSystem>
make_resumable(const std::shared_ptr<rocksdb::FileSystem>& base,
               const std::shared_ptr<write_patience>& patience);

} // namespace troupe
