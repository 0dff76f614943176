// The open questions of each owner, each context and each plan, in the order in which they were
// asked: a page of a list costs as much among 100,000 as among 100. Thread-safe.
#pragma once

#include "store/page.hpp"
#include "store/text_hash.hpp"
#include <troupe/protocol/command.hpp>
#include <troupe/protocol/task.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

class input_index {
public:
  /// The task has changed, or is there again after a start: notes its open question, if it has one.
  void note(const task& record);
  /// The task has ended.
  void drop(const task& record);

  /// Tasks that ask, in the order of the list.
  struct found {
    std::vector<position> rows; ///< When the question was asked, and the task's id.
    std::uint64_t total = 0;    ///< On all pages.
  };
  /// The first `count` after `after`. A plan is one of the query's objective.
  [[nodiscard]] found list(const list_inputs& query, const std::optional<position>& after,
                           std::size_t count) const;

private:
  struct row {
    timestamp at{};
    std::string task;
    std::optional<std::uint32_t> plan; ///< Of a task of an objective.

    friend bool operator<(const row& a, const row& b) noexcept {
      return a.at != b.at ? a.at < b.at : a.task < b.task;
    }
  };
  using rows = std::set<row>;
  using groups = boost::unordered_flat_map<std::string, std::unique_ptr<rows>>;

  /// Calls `use` with each place of a row of the task: a map, and the key in it.
  template<class Use>
  void at_places(const task& record, const row& which, Use use);
  void erase(const task& record);

  mutable std::mutex guard_;
  groups of_owner_;
  groups of_context_;                                ///< By owner and context.
  groups of_plan_;                                   ///< By owner, context and plan.
  boost::unordered_flat_map<std::string, row> open_; ///< By task: what stands in the groups.
};

} // namespace troupe
