// The scheduler of our actors on CAF 0.17. CAF 1.x keeps its own.
//
// Workers: an actor that a message or a spawn wakes runs next on the same worker, whose cache is
// warm. A sleeping worker is woken to steal only if this worker has more work. Stock CAF gives each
// message to the workers in turn, and a worker without work looks at the others every 50 us to 10
// ms.
//
// Clock: the end of an actor does not touch it. Stock CAF cancels the timeouts of every actor that
// ends. That wakes the clock's thread each time and costs 2 us of CPU time, where the rest of a
// short actor's life costs 3. Our actors have no timeouts of this kind: they send themselves
// messages with a delay, which are not affected.
#pragma once

#include "actors/caf.hpp"

#include <chrono>

namespace troupe {

/// A sleeping worker looks at the queues of the others so often. So long may a job wait behind one
/// that takes long, if its sender had nothing else to do.
inline constexpr std::chrono::milliseconds worker_sleep_max{10};

/// Gives actor systems that are made of `config` this scheduler.
void use_scheduler(caf::actor_system_config& config);

} // namespace troupe
