// What a printed command needs so that it means the runs of this computer.
#pragma once

#include <string>

namespace troupe {

/// ` --server local` if a variable or the context names a server, which commands would ask without
/// it; else empty.
[[nodiscard]] std::string local_flag();

} // namespace troupe
