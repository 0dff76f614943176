// Programs that have left the group of their task, and must not outlive it, nor the server.
#pragma once

#include <cstddef>
#include <string>

#include <sys/types.h>

namespace troupe::attack {

/// For how long these programs sleep: no other process of the machine has this word. `attack`: the
/// process that began the attack.
[[nodiscard]] std::string stray_seconds(pid_t attack);
/// How many are left. Waits until there are none, for at most ten seconds.
[[nodiscard]] std::size_t strays_left(pid_t attack);

} // namespace troupe::attack
