#include "protocol/core_count.hpp"

#include <algorithm>
#include <thread>

namespace troupe {

std::uint32_t core_count() noexcept {
  return std::max(1U, std::thread::hardware_concurrency());
}

} // namespace troupe
