// `troupe session export|check|import`: objectives as session files. The result is the exit code of
// the process.
#pragma once

#include "apps/session/session_options.hpp"

namespace troupe {

[[nodiscard]] int session_command(const session_options& options);

} // namespace troupe
