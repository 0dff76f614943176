#include "sim/memory.hpp"

#include <cstdint>

/// jemalloc's (jemalloc(3)), in programs that link it (cmake/allocator.cmake); else null.
extern "C" [[gnu::weak]] int mallctl(const char* name, void* old_value, std::size_t* old_size,
                                     void* new_value, std::size_t new_size);

namespace troupe::sim {

std::optional<std::size_t> bytes_in_use() {
  if (::mallctl == nullptr)
    return std::nullopt;
  // What this thread keeps for later counts as allocated.
  static_cast<void>(::mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0));
  std::uint64_t epoch = 1;
  ::mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch);
  std::size_t out = 0;
  auto size = sizeof out;
  if (::mallctl("stats.allocated", &out, &size, nullptr, 0) != 0)
    return std::nullopt;
  return out;
}

} // namespace troupe::sim
