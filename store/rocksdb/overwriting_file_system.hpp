// A file system for RocksDB whose journals grow ahead of what is written: their next bytes are
// there already, as zeros. A write that is made safe then overwrites, where one that appends has to
// record the file's new length as well and wait for the disk once more. Zeros behind the last
// record are no record to RocksDB, so a journal may end in them when the process is killed.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

namespace troupe {

/// Wraps `base`, which it shares.
[[nodiscard]] std::shared_ptr<rocksdb::FileSystem>
make_overwriting(const std::shared_ptr<rocksdb::FileSystem>& base);

} // namespace troupe
