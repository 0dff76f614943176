// Collects what sentences say about the order of tasks, and checks that it fits together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "planner/ordering.hpp"
#include "planner/text_reading.hpp"

namespace troupe::planner {

/// Adds edges, sources and problems to a reading whose tasks are known.
class edge_collector {
public:
  explicit edge_collector(text_reading& into) : into_(into) {}

  /// What `source` says. Above edges_max there is one problem, and no edge is added any more.
  void add(const ordering& said, std::string_view source);

  /// Problems: a cycle, with the sentences that make it; steps that one sentence puts in parallel
  /// and another one in a row.
  void check();

private:
  struct unordered_steps {
    std::vector<std::uint32_t> steps;
    std::string source;
  };

  void check_parallel();
  void check_cycle();

  text_reading& into_;
  std::unordered_set<std::uint64_t> pairs_;
  std::vector<unordered_steps> parallel_;
  bool is_full_ = false;
};

} // namespace troupe::planner
