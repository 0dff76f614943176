// The content of a group of the journal: changes, what may come once, and writes of push
// configurations that become durable together. Everything else in the tables is derived from these.
//
// The row of a long change comes in parts, in groups before that of the change, between changes of
// others. Parts mean nothing by themselves: only the entry of the change makes it happen, and what
// reads groups puts its row together (long_changes.hpp). Parts whose change never comes are those
// of a process that ended before, or of a change that was refused.
//
// A version byte, then entries: a letter for the kind, then texts with their length before them.
// Lengths and numbers have seven bits in a byte, the lowest first.
#pragma once

#include <compare>
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

/// Which parts belong together. Unique over the life of a journal.
struct parts_id {
  std::uint64_t first = 0;  ///< The position of the group with the first part; 0: there is none.
  std::uint64_t number = 0; ///< Among those whose first part is in that group.

  friend auto operator<=>(const parts_id&, const parts_id&) = default;
};

/// A part of the row of a long change. Its parts follow each other.
struct group_part {
  parts_id id;
  std::string_view bytes;
};

/// A long change that was accepted: its row begins with `head`, and its parts follow.
struct group_long_change {
  std::string_view stream;
  std::uint64_t sequence = 0;
  parts_id id;
  std::uint64_t parts_bytes = 0; ///< Of all parts.
  std::string_view head;
};

/// The change to which these parts belong was refused.
struct group_parts_end {
  parts_id id;
};

/// What is in effect: long changes are whole.
using group_entry = std::variant<group_change, group_once, group_push>;
/// What is in the bytes of a group.
using group_item = std::variant<group_change, group_once, group_push, group_part, group_long_change,
                                group_parts_end>;

/// Adds an entry to a group; an empty `group` is begun.
void add_entry(std::string& group, const group_entry& entry);
void add_entry(std::string& group, const group_part& part);
void add_entry(std::string& group, const group_long_change& change);
void add_entry(std::string& group, const group_parts_end& end);

/// The items of a group, in order; their texts are in `group`. Nothing if it is not a group, or of
/// a newer version.
[[nodiscard]] std::optional<std::vector<group_item>> read_group(std::string_view group);

} // namespace troupe
