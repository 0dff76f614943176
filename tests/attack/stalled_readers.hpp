// What many readers cost that stop reading: a measurement of one kind of attack alone.
#pragma once

#include "tests/attack/world.hpp"

#include <cstddef>

namespace troupe::attack {

struct stalled_readers_cost {
  std::size_t readers = 0;         ///< That got the head of their stream.
  std::size_t resident_before = 0; ///< Bytes of the server, with the task in memory.
  std::size_t resident_most = 0;   ///< Bytes, while nobody reads.
  double quiet_p99_ms = 0;         ///< Of small messages beside, before.
  double stalled_p99_ms = 0;       ///< The same, while the readers stall.
};

/// Makes a task with a history of `megabytes`, and has `readers` subscribe to it and stop.
[[nodiscard]] stalled_readers_cost measure_stalled_readers(const world& of, std::size_t readers,
                                                           std::size_t megabytes);

} // namespace troupe::attack
