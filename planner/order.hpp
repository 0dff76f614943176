// What one sentence, one bracket or a prose text says about the order of tasks.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace troupe::planner {

/// Groups of tasks, by position: all tasks of a group come before all of the next one. A single
/// group: no order among them.
using order_said = std::vector<std::vector<std::uint32_t>>;

/// Why a text was not understood. An expected result, not an error: the text is then used in
/// another way, and people are shown the reason.
struct refusal {
  std::string reason; ///< One sentence for people, in lower case and without a full stop.

  friend bool operator==(const refusal&, const refusal&) = default;
};

/// What was read, or why nothing was.
template<class T>
using read_or_refused = std::variant<T, refusal>;

template<class T>
[[nodiscard]] const refusal* why_not(const read_or_refused<T>& read) noexcept {
  return std::get_if<refusal>(&read);
}

} // namespace troupe::planner
