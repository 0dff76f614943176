// The floor under a live task: the least an actor can be.
#pragma once

#include <cstddef>
#include <functional>

namespace troupe::bench {

/// Spawns `count` actors that hold an id of a task's length and wait for a message; calls `measure`
/// while all of them are alive, then ends them.
void with_bare_actors(std::size_t count, std::size_t threads, const std::function<void()>& measure);

} // namespace troupe::bench
