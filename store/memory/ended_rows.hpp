// Ended tasks in the order in which they came, beside what lists are narrowed by: the rows of one
// owner and state are a line, those of one context another, each from the newest to the oldest. A
// list looks along one line, and no further than it has to. A plain value; not thread-safe, each
// shard of the memory archive has one.
#pragma once

#include "store/page.hpp"
#include <troupe/protocol/task.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace troupe {

class ended_rows {
public:
  /// Adds the newest; it ends as it is. Its number is greater than all before, and stays the same
  /// until `renumber`.
  std::uint64_t add(task_ptr record);
  /// Takes a record out. Its row stays, empty, until it is the oldest.
  [[nodiscard]] task_ptr take(std::uint64_t number);

  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
  /// Null: it was taken out. There is a row.
  [[nodiscard]] const task_ptr& oldest() const noexcept { return rows_.front().record; }
  /// Takes the oldest record out, and its row. There is a row.
  [[nodiscard]] task_ptr drop_oldest();

  /// Many more rows are empty than not: it is time to `renumber`.
  [[nodiscard]] bool is_sparse() const noexcept {
    return rows_.size() > 2 * records_ + sparse_rows_min;
  }
  /// Removes the empty rows. `moved` is called with each record and its new number.
  void renumber(const std::function<void(const task_ptr& record, std::uint64_t number)>& moved);
  /// Empty ones included.
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

  /// Offers all tasks that pass and may stand among the first, and counts the others that pass.
  /// Returns how many rows were looked at.
  std::uint64_t list(const task_filter& filter, first_rows<task_ptr>& rows) const;

private:
  static constexpr std::size_t sparse_rows_min = 1024;

  struct row {
    task_ptr record;
    timestamp at{};
    timestamp at_max{}; ///< The latest of this row and of all after it in the line of its owner.
    std::uint64_t behind_in_owner = 0;   ///< The next older of its owner and state. Perhaps gone.
    std::uint64_t behind_in_context = 0; ///< The next older of its context. Perhaps gone.
  };

  /// The rows of one owner and state.
  struct line {
    std::uint64_t newest = 0; ///< Perhaps gone.
    std::uint64_t size = 0;   ///< Rows with a record.
  };
  struct lines {
    std::array<line, task_state_count> by_state;
    std::uint64_t size = 0;
  };

  [[nodiscard]] bool is_here(std::uint64_t number) const noexcept { return number >= front_; }
  [[nodiscard]] const row& at(std::uint64_t number) const { return rows_[number - front_]; }
  [[nodiscard]] std::uint64_t list_line(const line& from, const task_filter& filter,
                                        first_rows<task_ptr>& rows) const;
  [[nodiscard]] std::uint64_t list_context(const task_filter& filter,
                                           first_rows<task_ptr>& rows) const;

  std::deque<row> rows_;    ///< Oldest in front.
  std::size_t records_ = 0; ///< Rows with a record.
  std::uint64_t front_ = 1; ///< The number of the row in front; 0 is the number of none.
  boost::unordered_flat_map<std::string, std::unique_ptr<lines>> owners_;
  /// The newest by the hash of its context; contexts with the same hash share a line.
  boost::unordered_flat_map<std::size_t, std::uint64_t> contexts_;
};

} // namespace troupe
