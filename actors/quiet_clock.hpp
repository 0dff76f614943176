// A scheduler for CAF 0.17 whose clock is left alone when an actor ends.
//
// CAF has the clock forget the time-outs of each actor that ends. That wakes the clock's thread
// each time and costs 2 us of CPU time, where the rest of a short actor's life costs 3. Our actors
// have no time-outs of this kind: they send themselves messages with a delay, which stay as they
// are. CAF 1.x does not wake its clock, and keeps its own scheduler.
#pragma once

#include "actors/caf.hpp"

namespace troupe {

/// Gives actor systems that are made of `config` this scheduler.
void use_quiet_clock(caf::actor_system_config& config);

} // namespace troupe
