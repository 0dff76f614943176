// Threads that wait for disk, sockets or each other, on a machine whose processors are busy.
#pragma once

namespace troupe {

/// Asks for short time slices of the processor for the calling thread. When it is woken, it need
/// not wait until another thread has used up its slice, which takes 3 to 5 ms on Linux. Its share
/// of the processor stays the same. Threads and programs that it starts have common slices.
///
/// Linux heeds this from 6.12 on (sched_setattr(2), `sched_runtime`); elsewhere nothing changes.
void take_short_time_slices() noexcept;

} // namespace troupe
