// What many seeds came to, together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run.hpp"
#include "sim/situations.hpp"

namespace troupe::sim {

struct totals {
  std::uint64_t seeds = 0;
  std::uint64_t failed = 0;
  std::uint64_t calls = 0;
  std::uint64_t crashes = 0;
  std::uint64_t steps = 0;
  double virtual_seconds = 0;
  std::uint64_t hash = 0; ///< Of all histories, in any order.
  std::map<std::string, std::uint64_t, std::less<>> reached;

  void add(const outcome& of);
  /// As `text` writes it, of another process. False if it is not whole.
  bool add(const std::string& text);
  [[nodiscard]] std::string text() const;

  [[nodiscard]] std::uint64_t count_of(std::string_view situation) const;
  /// The situations that no seed has reached.
  [[nodiscard]] std::vector<std::string_view> missing() const;
};

} // namespace troupe::sim
