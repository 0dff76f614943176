// The files of RocksDB's tables, in memory. They outlive the process that writes them: when it dies
// nothing more is written, by RocksDB's own threads either, and the next one finds them as they
// were at that moment, or, if the power failed, what was synced of them.
#pragma once

#include <memory>

#include "sim/dice.hpp"

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
  void freeze() noexcept;
  void thaw() noexcept;
  /// Frozen. Of each file a part of what was not synced is lost; a new or another name that was not
  /// synced is there or not.
  void lose_power(dice& chance);

private:
  struct state;
  class kept_file;
  class kept_directory;
  class kept_file_system;

  std::shared_ptr<state> state_; ///< Files of RocksDB share it.
  std::unique_ptr<rocksdb::Env> memory_;
  std::unique_ptr<rocksdb::Env> env_;
};

} // namespace troupe::sim
