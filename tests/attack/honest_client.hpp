// The client that must not notice the attack: it sends small messages, reads them again, streams
// one now and then, and keeps a list of what was acknowledged.
#pragma once

#include "tests/attack/child.hpp"

#include <cstdint>

namespace troupe::attack {

/// Runs in a process of its own, for a server on `port`. It is told:
/// - `phase`: its figures begin anew;
/// - `verify`: reads what was acknowledged again, the newest and some others;
/// - `verify all`: all of it;
/// - `report`: answers with the figures since `phase`, as JSON: {"requests", "p50_ms", "p99_ms",
///   "max_ms", "refused" (429 or 503), "interrupted" (by a closed connection), "acknowledged"
///   (ever), "read_again" (ever), "problems": [texts]}. A lost task is a problem, and each other
///   answer than those named.
void be_honest(line_pipe& pipe, std::uint16_t port, std::uint64_t seed);

} // namespace troupe::attack
