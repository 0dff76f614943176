// The tables of the store in memory, in place of RocksDB: they open at once, and have no threads.
// They outlive the process that writes them. Like RocksDB without a log of its own they have what
// was flushed after a death, and nothing else.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace rocksdb {
class DB;
}

namespace troupe::sim {

class memory_tables {
public:
  /// Those of an empty directory. They outlive everything that `open` has returned.
  memory_tables() = default;
  memory_tables(const memory_tables&) = delete;
  memory_tables& operator=(const memory_tables&) = delete;

  /// What the store asks RocksDB for: get, iterate forward, write, flush. Other calls must not be
  /// made. What was not flushed before is gone.
  [[nodiscard]] std::unique_ptr<rocksdb::DB> open();
  /// From now on every change is refused, until the next `open`.
  void freeze() noexcept { is_frozen_ = true; }

  /// Whether the next read of what was flushed fails; may be empty.
  std::function<bool()> refuses_read;

private:
  class opened;
  class cursor;
  class adder;

  using flushed_rows = std::map<std::string, std::string, std::less<>>;
  /// Nothing: the row was deleted.
  using recent_rows = std::map<std::string, std::optional<std::string>, std::less<>>;

  [[nodiscard]] bool fails_to_read() const { return refuses_read && refuses_read(); }

  flushed_rows flushed_;
  recent_rows recent_; ///< Since the last flush.
  bool is_frozen_ = false;
};

} // namespace troupe::sim
