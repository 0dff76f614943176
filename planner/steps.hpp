// How much the reader of texts looks at: its time grows with the text only, and a test counts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe::planner {

/// Characters, words and dependencies that were looked at on this thread so far; what is looked at
/// twice counts twice.
inline thread_local constinit std::uint64_t reader_steps = 0;

inline void count_steps(std::size_t looked_at) noexcept {
  reader_steps += looked_at;
}

} // namespace troupe::planner
