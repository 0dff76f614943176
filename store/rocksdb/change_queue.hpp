// Changes that wait for the writer of the durable store, and which of them make the next group.
//
// As long as all that waits fits one group, the group is all of it, in the order of arrival. If
// more waits, contexts take turns: a context with megabytes in wait gets a small part of each
// group, so that a change of another context need not wait for all of them. Within a context the
// order of arrival holds. A change without content comes after all that arrived before it.
//
// A change that is longer than a group comes in parts: in each turn of its context a part of its
// row goes into the group, between changes of others. It stays in the queue until only the head of
// its row is left, and is taken with that, in a group without a part of it.
#pragma once

#include "store/rocksdb/group_limits.hpp"
#include "store/rocksdb/staging.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace troupe {

/// A part of the row of a change that waits.
struct row_part {
  submission* of = nullptr; ///< Stays where it is until the next group is taken.
  std::string_view bytes;   ///< In its row.
};

/// What waits and makes the next group.
struct next_group {
  std::vector<row_part> parts; ///< Before the changes. One of each row at most.
  std::vector<submission> changes;

  [[nodiscard]] bool empty() const noexcept { return parts.empty() && changes.empty(); }
};

class change_queue {
public:
  using limits = group_limits;

  change_queue() : change_queue(limits{}) {}
  explicit change_queue(const limits& bounds) : bounds_(bounds) {}

  void push(submission&& each);
  /// The next group; empty if nothing waits.
  [[nodiscard]] next_group take();
  /// `used` is empty; its memory serves a later group.
  void reuse(std::vector<submission>&& used) { spare_ = std::move(used); }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// In no particular order.
  void for_each(const std::function<void(submission&)>& look);

private:
  struct waiting {
    submission change;
    std::size_t bytes = 0; ///< That were not taken.
    std::uint64_t section = 0;
    std::size_t parts_left = 0; ///< Bytes at the end of its row that come in parts.
    std::uint64_t part_in = 0;  ///< The last group with a part of it, in the order of `take`.
  };
  struct lane {
    std::deque<waiting> changes;
    std::size_t credit = 0; ///< Bytes that it may take before the next lane has its turn.
  };
  using lanes = std::unordered_map<std::string, lane>;
  /// Changes up to one without content, which comes when they all have been taken.
  struct section {
    std::size_t left = 0;           ///< Not yet taken.
    std::deque<submission> markers; ///< Without content, in order.
  };
  struct group;

  void put_in_lanes();
  [[nodiscard]] next_group take_in_turns();
  /// Whether its lane can give more to this group, if there is room.
  [[nodiscard]] bool may_go_on(const waiting& next, const group& to) const;
  /// What the lane may take in its turn. False: the group has no room for the next change.
  bool take_from(lane& from, group& to);
  /// Of a long change, as much as its lane may take. False: the group has no room for more of it.
  bool take_part(lane& from, group& to) const;
  /// Those that may come now. False: the group has no room for the next one.
  bool take_markers(group& to);

  const limits bounds_;
  std::vector<submission> arrived_; ///< After all that is in lanes.
  std::size_t arrived_bytes_ = 0;
  std::vector<submission> spare_;        ///< Empty.
  lanes lanes_;                          ///< By context; each has a change.
  std::deque<lanes::value_type*> turns_; ///< The next one is the first.
  std::deque<section> sections_;         ///< Empty only if all that waits is in `arrived_`.
  std::uint64_t first_section_ = 0;
  std::uint64_t groups_ = 0; ///< That were taken from lanes.
  std::size_t size_ = 0;
};

} // namespace troupe
