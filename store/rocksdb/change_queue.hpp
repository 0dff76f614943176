// Changes that wait for the writer of the durable store, and which of them make the next group.
//
// As long as all that waits fits one group, the group is all of it, in the order of arrival. If
// more waits, contexts take turns: a context with megabytes in wait gets a small part of each
// group, so that a change of another context need not wait for all of them. Within a context the
// order of arrival holds. A change without content comes after all that arrived before it.
#pragma once

#include "store/rocksdb/staging.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe {

/// Of one group of the writer. A sync of one MiB takes a few milliseconds, and more bytes in one
/// sync are not faster: a change that arrives meanwhile waits for at most about two of them.
inline constexpr std::size_t writer_group_bytes_max = std::size_t{1} << 20;
/// Of one group of the writer. So many are made into rows in a few milliseconds, too.
inline constexpr std::size_t writer_group_changes_max = 1024;
/// Of one context, before the next one has its turn.
inline constexpr std::size_t writer_turn_bytes = std::size_t{64} << 10;

class change_queue {
public:
  struct limits {
    std::size_t group_changes = writer_group_changes_max;
    std::size_t group_bytes = writer_group_bytes_max; ///< A single change may have more.
    std::size_t turn_bytes = writer_turn_bytes;
  };

  change_queue() : change_queue(limits{}) {}
  explicit change_queue(const limits& bounds) : bounds_(bounds) {}

  void push(submission&& each);
  /// The next group; empty if nothing waits.
  [[nodiscard]] std::vector<submission> take();
  /// `used` is empty; its memory serves a later group.
  void reuse(std::vector<submission>&& used) { spare_ = std::move(used); }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// In no particular order.
  void for_each(const std::function<void(submission&)>& look);

private:
  struct waiting {
    submission change;
    std::size_t bytes = 0;
    std::uint64_t section = 0;
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
  [[nodiscard]] std::vector<submission> take_in_turns();
  /// What the lane may take in its turn. False: the group has no room for the next change.
  bool take_from(lane& from, group& to);
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
  std::size_t size_ = 0;
};

} // namespace troupe
