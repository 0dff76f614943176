// The changes that a reader has not taken yet: a bounded queue, in commit order. Progress in it is
// merged (the latest of a task), chunks of one artifact are joined. What does not fit is left out,
// and of each stream it is known from where to where: the history has it. A plain value without a
// lock; `feed_inbox` (actors/feed/feed.hpp) puts one around it.
#pragma once

#include "actors/feed/budget.hpp"
#include <troupe/protocol/event.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe {

class live_queue {
public:
  struct bounds {
    std::size_t changes_max; ///< At least 1.
    std::size_t bytes_max;   ///< Of what gathers behind the oldest change: that one is kept however
                             ///< large it is.
    bool joins_chunks = true;
  };

  /// A part of a stream that was left out.
  struct missed_part {
    std::string stream;      ///< change::stream().
    bool lone = false;       ///< The stream is a lone task's; else an objective's.
    std::uint64_t after = 0; ///< What was left out is in (after, through].
    std::uint64_t through = 0;
  };

  live_queue(bounds limits, feed_budget_ptr budget);
  ~live_queue();
  live_queue(const live_queue&) = delete;
  live_queue& operator=(const live_queue&) = delete;

  /// The next change. While a part of its stream is missed, that part grows instead. What was
  /// missed counts in the budget, too (missed_part_bytes).
  void push(const change_ptr& next);

  /// The oldest changes, until they have `bytes` or more; at least one, if there is one.
  [[nodiscard]] std::vector<change_ptr> take(std::size_t bytes);

  /// A missed part of which everything before it was taken; nothing if there is none.
  [[nodiscard]] std::optional<missed_part> missed() const;
  /// The missed part of the stream was read up to `through`. True if that was all of it: later
  /// changes are queued again.
  [[nodiscard]] bool resume(const std::string& stream, std::uint64_t through);

  /// Parts of more than missed_parts_max streams were missed: what comes next is not known any
  /// more, until `clear`.
  [[nodiscard]] bool is_lost() const noexcept { return is_lost_; }

  /// As new: what waits and what was missed are forgotten.
  void clear();

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// Changes held, at most `changes_max`.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
  struct entry {
    change_ptr held;
    std::size_t bytes = 0;
    bool is_growing = false; ///< Chunks that were joined here: it is not shared.
  };
  struct missed_state {
    missed_part part;
    std::size_t before = 0; ///< Changes of the stream that still wait here.
  };

  [[nodiscard]] bool join(const change& next);
  [[nodiscard]] bool has_room(std::size_t bytes) noexcept;
  void miss(const change& next);
  void forget_all();
  void drop_progress_of(const std::string& task);
  void remove(std::list<entry>::iterator which);

  const bounds limits_;
  const feed_budget_ptr budget_;
  std::list<entry> entries_;
  std::size_t bytes_ = 0; ///< Of all entries.
  std::unordered_map<std::string, std::list<entry>::iterator>
      progress_; ///< Task to its progress among the entries.
  std::unordered_map<std::string, missed_state> missed_; ///< By stream.
  bool is_lost_ = false;
};

} // namespace troupe
