// Reading the keys of list rows (rocksdb_rows.hpp) backwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

enum class list_kind : char {
  tasks_by_context = 'c',
  tasks_by_state = 's',
  objectives_by_state = 'o',
};

struct list_key {
  list_kind kind = list_kind::tasks_by_context;
  std::optional<char> state; ///< Its digit; of a list by context it is the value of the row.
  std::string id;            ///< Of the task or objective.
};

/// Nothing if `key` is not that of a list row.
[[nodiscard]] std::optional<list_key> read_list_key(std::string_view key);

/// A number of big-endian bytes.
[[nodiscard]] std::uint64_t big_endian(std::string_view bytes) noexcept;

} // namespace troupe
