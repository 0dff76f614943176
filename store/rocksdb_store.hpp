// The durable store's inside, for its tests: the same store as open_rocksdb_store (store.hpp) makes, with the doors to the disk and
// to time in the caller's hands.
#pragma once

#include <chrono>
#include <memory>

#include "store/store.hpp"

namespace rocksdb {
class Env;
}

namespace troupe {

struct rocksdb_internals {
  rocksdb::Env* env = nullptr; ///< Null: the operating system's. Outlives the store.
  /// Whether journals that are waited for grow ahead (overwriting_file_system.hpp); RocksDB's file system in memory cannot.
  bool grow_journal_ahead = true;
  /// Between attempts to write while the disk refuses.
  std::chrono::milliseconds retry_interval{1000};
  /// Bytes of the write buffer; a test that wants files on disk early makes it small.
  std::size_t write_buffer_bytes = std::size_t{64} << 20;
};

[[nodiscard]] result<std::unique_ptr<store>> open_rocksdb_store(const rocksdb_options& options,
                                                                const rocksdb_internals& internals);

} // namespace troupe
