// What one sentence, one bracket or a prose text says about the order of tasks, or why it was not
// understood.
#pragma once

#include <boost/system/result.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::planner {

/// Groups of tasks, by position: all tasks of a group come before all of the next one. A single
/// group: no order among them.
using ordering = std::vector<std::vector<std::uint32_t>>;

/// Why a text was not understood. An expected result, not an error: the text is then used in
/// another way, and people are shown the reason.
struct refusal {
  std::string reason; ///< One sentence for people, in lower case and without a full stop.

  friend bool operator==(const refusal&, const refusal&) = default;
};

/// What was read, or why nothing was.
template<class T>
using read_result = boost::system::result<T, refusal>;

/// What read_result::value() throws when nothing was read.
[[noreturn]] inline void throw_exception_from_error(const refusal& why,
                                                    const boost::source_location&) {
  throw std::runtime_error(why.reason);
}

} // namespace troupe::planner
