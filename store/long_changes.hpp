// Puts long changes together whose rows came in parts (group.hpp). Everything that reads the groups
// of a journal uses it, one for each pass over the groups.
#pragma once

#include "store/group.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What a group leads to.
struct whole_group {
  /// In order; long changes are whole. Their texts are in the bytes of the group, or are kept until
  /// the next group is taken.
  std::vector<group_entry> entries;
  /// Left out of `entries`: not all of their parts are in the groups that were taken.
  std::vector<group_long_change> lacking;
};

class long_changes {
public:
  /// Groups are taken in their order, without a gap if all long changes are wanted. `items`: those
  /// of the group at this position (read_group).
  [[nodiscard]] whole_group take(std::uint64_t at, const std::vector<group_item>& items);
  /// The same. Nothing if `group` is not a group, or of a newer version.
  [[nodiscard]] std::optional<whole_group> take(std::uint64_t at, std::string_view group);

  /// The parts from the first one on were taken.
  [[nodiscard]] bool has_begun(const parts_id& id) const;
  /// The first group that a change needs that is still open; nothing if none is. A reader that
  /// begins again with it may meet later parts of changes that are whole already: those are
  /// `lacking` then, and their parts began before that group.
  [[nodiscard]] std::optional<std::uint64_t> first_needed() const;
  /// Takes over the parts of `id` from `earlier`, which has taken the groups right before the first
  /// one that was taken here.
  void put_before(const parts_id& id, long_changes& earlier);
  /// Lets go of the rows of the last group: nobody reads its entries any more.
  void release_rows() noexcept { rows_.clear(); }
  /// Forgets the changes that are not complete.
  void clear();
  /// Changes that are open.
  [[nodiscard]] std::size_t size() const noexcept { return open_.size(); }
  /// Of the parts that are kept.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
  struct open_change {
    std::string parts;
    bool has_begun = false; ///< Else the first parts are missing.
  };

  /// The row; nothing if parts are missing. The parts are forgotten then.
  std::optional<std::string> finish(const group_long_change& change);
  void forget(const parts_id& id);

  std::map<parts_id, open_change> open_;
  std::size_t bytes_ = 0;
  std::deque<std::string> rows_; ///< Of the last group.
};

} // namespace troupe
