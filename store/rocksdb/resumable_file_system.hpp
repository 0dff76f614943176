// A file system for RocksDB whose failures to write can be overcome. RocksDB takes a failed write
// of its journal for the end of the database, or waits for as much free space as it likes, unless
// the failure is marked as one that may pass. Here all are: the store's writer decides when to try
// again, and a failed batch was never acknowledged.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace troupe {

/// Wraps `base`, which it shares.
[[nodiscard]] std::shared_ptr<rocksdb::FileSystem>
make_resumable(const std::shared_ptr<rocksdb::FileSystem>& base);

} // namespace troupe
