// Lists in pages: the order all lists have (most recent first, ties by id, so that paging is
// stable), the position at which a page ends, and the opaque token that carries it to the next
// request (A2A 1.0 section 3.1.4).
#pragma once

#include "store/text_search.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/protocol/task_state.hpp>
#include <troupe/protocol/time.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// A row's place in a list.
struct position {
  timestamp at{};
  std::string id;
};

/// Whether a row at (at, id) comes after `than`.
[[nodiscard]] inline bool comes_behind(timestamp at, std::string_view id,
                                       const position& than) noexcept {
  return at != than.at ? at < than.at : id > than.id;
}

/// What a list of tasks is narrowed by.
struct task_filter {
  std::string owner{};   ///< Whose tasks (owner_of).
  std::string context{}; ///< Empty: any.
  std::optional<task_state> state{};
  std::optional<timestamp> status_after{}; ///< Inclusive.
};

/// What a list of objectives is narrowed by.
struct objective_filter {
  std::string owner{};                      ///< Whose objectives (owner_of).
  std::vector<objective_state> states{};    ///< Empty: any.
  text_search text{};                       ///< In name, description or id.
  std::optional<timestamp> updated_after{}; ///< Inclusive.

  [[nodiscard]] bool takes(objective_state state) const noexcept {
    return states.empty() || std::ranges::find(states, state) != states.end();
  }
  [[nodiscard]] bool takes(timestamp updated) const noexcept {
    return !updated_after || updated >= *updated_after;
  }
  [[nodiscard]] bool has_text(const objective_view& row) const noexcept {
    return text.is_in(row.name) || text.is_in(row.description) || text.is_in(row.id.str());
  }
};

template<class T>
struct listed {
  std::vector<T> rows;
  std::uint64_t total = 0; ///< Rows that pass, on all pages.
  bool more = false; ///< There are rows after the last: those here are bytes enough for a page.
};

/// Where an objective is in a list of that order.
[[nodiscard]] position place_in_list(const objective_view& row, objective_order order);

/// Finds the first rows of a list among rows that come in any order, holding no more than it gives
/// back.
template<class T>
class first_rows {
public:
  first_rows(const std::optional<position>& after, std::size_t count)
      : after_(after), count_(count) {}

  void offer(timestamp at, const std::string& id, const T& row) {
    offer_made(at, id, [&]() -> const T& { return row; });
  }

  /// The same with a row that `make` makes if it is among the first.
  template<class Make>
  void offer_made(timestamp at, const std::string& id, Make make) {
    ++total_;
    if (count_ == 0 || (after_ && !comes_behind(at, id, *after_)))
      return;
    if (heap_.size() == count_) {
      if (comes_behind(at, id, heap_.front().first))
        return;
      std::pop_heap(heap_.begin(), heap_.end(), before);
      heap_.pop_back();
    }
    heap_.emplace_back(position{at, id}, make());
    std::push_heap(heap_.begin(), heap_.end(), before);
  }

  /// No row of the time `at`, or of an earlier one, can be among the first any more.
  [[nodiscard]] bool is_full_for(timestamp at) const noexcept {
    return heap_.size() == count_ && (count_ == 0 || at < heap_.front().first.at);
  }
  /// Counts rows that pass and are not among the first.
  void count_more(std::uint64_t rows) noexcept { total_ += rows; }

  /// The rows in list order. Call once.
  [[nodiscard]] listed<T> take() {
    std::sort_heap(heap_.begin(), heap_.end(), before);
    listed<T> out{.rows = {}, .total = total_, .more = false};
    out.rows.reserve(heap_.size());
    for (auto& [where, row] : heap_)
      out.rows.push_back(std::move(row));
    return out;
  }

private:
  using item = std::pair<position, T>;
  static bool before(const item& a, const item& b) noexcept {
    return comes_behind(b.first.at, b.first.id, a.first);
  }

  const std::optional<position>& after_;
  std::size_t count_;
  std::uint64_t total_ = 0;
  std::vector<item> heap_; ///< The last in list order on top.
};

/// Two lists in list order as one; a row that is in both (it moved from one to the other
/// meanwhile) is taken from `b` and counted once. `place` gives a row's position.
template<class T, class Place>
[[nodiscard]] listed<T> merge(listed<T> a, listed<T> b, Place place) {
  listed<T> out{.rows = {}, .total = a.total + b.total, .more = a.more || b.more};
  const auto in_b = [&](const T& row) {
    const auto id = place(row).id;
    return std::any_of(b.rows.begin(), b.rows.end(),
                       [&](const T& other) { return place(other).id == id; });
  };
  out.total -= static_cast<std::uint64_t>(std::erase_if(a.rows, in_b));
  out.rows.resize(a.rows.size() + b.rows.size());
  std::merge(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), out.rows.begin(),
             [&](const T& x, const T& y) {
               const auto first = place(x);
               return comes_behind(place(y).at, place(y).id, first);
             });
  return out;
}

/// Roughly the bytes that a list shows of a task, and of an objective those of all its plans.
[[nodiscard]] std::size_t bytes_shown(const task& task, const task_view_options& view) noexcept;
[[nodiscard]] std::size_t bytes_shown(const objective_view& objective_view) noexcept;

/// How many messages of `task` a list shows (the newest).
[[nodiscard]] std::size_t messages_shown(const task& task, const task_view_options& view) noexcept;

/// The fingerprint of what a list was asked for, the caller included: a token is good for the same
/// question only.
[[nodiscard]] std::uint64_t fingerprint(const list_tasks& query);
[[nodiscard]] std::uint64_t fingerprint(const list_objectives& query);
[[nodiscard]] std::uint64_t fingerprint(const list_plans& query);
[[nodiscard]] std::uint64_t fingerprint(const list_inputs& query);

/// Opaque text; any change to it is noticed.
[[nodiscard]] std::string write_page_token(const position& last, std::uint64_t fingerprint);
/// Nothing for an empty token (the first page). errc::invalid_params for one that is not ours or
/// belongs to another question.
[[nodiscard]] result<std::optional<position>> read_page_token(const std::string& token,
                                                              std::uint64_t fingerprint);

} // namespace troupe
