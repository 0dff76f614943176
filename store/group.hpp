// The content of a group of the journal: changes, what may come once, and writes of push
// configurations that become durable together. Everything else in the tables is derived from these.
//
// A version byte, then entries: a letter for the kind, then texts with their length before them.
// Lengths and numbers have seven bits in a byte, the lowest first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe {

/// A change that was accepted.
struct group_change {
  std::string_view stream;
  std::uint64_t sequence = 0;
  std::string_view row; ///< protocol/record/record.hpp: a history row.
};

/// What may come once, and came with the change before it, or without one.
struct group_once {
  std::string_view key; ///< once_key.
  std::string_view row; ///< write_once_row.
};

/// The new value of a push configuration.
struct group_push {
  std::string_view task;
  std::string_view config;
  std::optional<std::string_view> row; ///< Nothing: it is removed.
};

using group_entry = std::variant<group_change, group_once, group_push>;

/// Adds an entry to a group; an empty `group` is begun.
void add_entry(std::string& group, const group_entry& entry);

/// The entries of a group, in order; their texts are in `group`. Nothing if it is not a group, or
/// of a newer version.
[[nodiscard]] std::optional<std::vector<group_entry>> read_group(std::string_view group);

} // namespace troupe
