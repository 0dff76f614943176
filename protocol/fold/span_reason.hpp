// Why a phase of a task ended, where it is not told by the task's state or its message.
#pragma once

#include <string_view>

namespace troupe {

/// task_span::reason of an attempt that ended with its process. Its end is then the time at which
/// the next attempt began: when the process ended is not known.
inline constexpr std::string_view interrupted_reason = "interrupted by a restart";

} // namespace troupe
