// What happens to objectives and tasks, as lines of the server's log.
#pragma once

#include <troupe/protocol/event.hpp>
#include <troupe/store/store.hpp>

#include <string>
#include <vector>

namespace troupe {

/// A line for a new objective, for each of its moves, and for a task that failed; none for all
/// else.
[[nodiscard]] std::vector<std::string> life_lines(const change& news);

/// Logs them at `info`. For store::watch_all.
[[nodiscard]] watcher_ptr make_life_log();

} // namespace troupe
