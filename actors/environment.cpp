#include "actors/environment.hpp"

#include <string>

namespace troupe {

result<void> environment::has_room(std::size_t bytes) const {
  const auto live = memory.held(memory_account::live_work);
  if (live + bytes <= options.live_bytes_max) {
    if (memory.has_room(memory_account::live_work, bytes))
      return {};
    return memory.refusal(memory_account::live_work, bytes);
  }
  return make_error(errc::overloaded,
                    "live plans and messages use " + std::to_string(live) + " bytes, and "
                        + std::to_string(bytes) + " more would exceed "
                        + std::to_string(options.live_bytes_max) + " (limits.live-bytes)",
                    "");
}

} // namespace troupe
