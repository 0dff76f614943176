// The scheduler of our actors on CAF 0.17. CAF 1.x keeps its own.
//
// Workers: what an actor's message or spawn sets going runs on the same worker next, where what it
// needs is in the core's cache. Only if that worker has more to do, one that sleeps is woken to
// take some of it. CAF gives each message to the workers in turn, and a worker without work looks
// at the others every 50 us to 10 ms.
//
// Clock: it is left alone when an actor ends. CAF has the clock forget the time-outs of each actor
// that ends. That wakes the clock's thread each time and costs 2 us of CPU time, where the rest of
// a short actor's life costs 3. Our actors have no time-outs of this kind: they send themselves
// messages with a delay, which stay as they are.
#pragma once

#include "actors/caf.hpp"

#include <chrono>

namespace troupe {

/// A sleeping worker looks at the queues of the others so often. So long may a job wait behind one
/// that takes long, if its sender had nothing else to do.
inline constexpr std::chrono::milliseconds worker_sleep_max{10};

/// Gives actor systems that are made of `config` this scheduler.
void use_scheduler(caf::actor_system_config& config,
                   std::chrono::milliseconds sleep_max = worker_sleep_max);

} // namespace troupe
