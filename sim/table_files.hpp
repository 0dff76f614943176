// The files of RocksDB's tables, in memory. They outlive the process that writes them: when it dies
// nothing more is written, by RocksDB's own threads either, and the next one finds them as they
// were at that moment.
#pragma once

#include <atomic>
#include <memory>

namespace rocksdb {
class Env;
}

namespace troupe::sim {

class table_files {
public:
  table_files();
  ~table_files();
  table_files(const table_files&) = delete;
  table_files& operator=(const table_files&) = delete;

  [[nodiscard]] rocksdb::Env& env() noexcept { return *env_; }
  /// From now on every change of a file is refused, until `thaw`.
  void freeze() noexcept { *is_frozen_ = true; }
  void thaw() noexcept { *is_frozen_ = false; }

private:
  std::shared_ptr<std::atomic<bool>> is_frozen_; ///< Files of RocksDB share it.
  std::unique_ptr<rocksdb::Env> memory_;
  std::unique_ptr<rocksdb::Env> env_;
};

} // namespace troupe::sim
