// The rows that follow from an ended task and from a sealed objective. The writer puts them into
// the tables (staging.hpp), and `troupe store check` expects them.
#pragma once

#include "store/archive.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace troupe::rows {

/// Longer scratch texts are freed, and longer rows get exactly the room that they need: buffers
/// that double would take several times as much.
inline constexpr std::size_t long_row_bytes = std::size_t{1} << 20;

/// Takes a row. Its texts are valid during the call only.
using put_fn = std::function<void(std::string_view key, std::string_view value)>;

/// Depends on nothing but what it is given; the members are scratch.
class derived_rows {
public:
  /// The record, and its placement if its row is large (placed_row_bytes_min). Returns the bytes of
  /// the record's row.
  std::size_t record_of(const task& ended, const put_fn& put);
  std::size_t record_of(const objective_state_of_record& sealed, const put_fn& put);
  /// The rows in the lists.
  void list_rows_of(const task& ended, const put_fn& put);
  void list_rows_of(const objective_view& sealed, const put_fn& put);

private:
  std::size_t put_value(const put_fn& put);
  void put_placement(const placement& placed, const put_fn& put);

  std::string key_;
  std::string value_;
};

/// What an ended task, or a sealed objective, adds to the counts.
[[nodiscard]] counts counts_of(const task& ended) noexcept;
[[nodiscard]] counts counts_of(const objective_view& sealed) noexcept;

} // namespace troupe::rows
