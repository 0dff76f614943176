// How much the writer of the durable store takes into one group (change_queue.hpp).
#pragma once

#include <cstddef>

namespace troupe {

/// Of one group of the writer. A sync of one MiB takes a few milliseconds, and more bytes in one
/// sync are not faster: a change that arrives meanwhile waits for at most about two of them.
inline constexpr std::size_t writer_group_bytes_max = std::size_t{1} << 20;
/// Of one group of the writer. So many are made into rows in a few milliseconds, too.
inline constexpr std::size_t writer_group_changes_max = 1024;
/// Of one context, before the next one has its turn.
inline constexpr std::size_t writer_turn_bytes = std::size_t{64} << 10;

struct group_limits {
  std::size_t group_changes = writer_group_changes_max;
  /// The conditions of a change may exceed it.
  std::size_t group_bytes = writer_group_bytes_max;
  /// Also the length of the head of a row that came in parts: the head comes with the change. At
  /// most `group_bytes`.
  std::size_t turn_bytes = writer_turn_bytes;
  bool has_parts = true; ///< A change that is longer than a group comes in parts.
};

} // namespace troupe
