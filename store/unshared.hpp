// Changing a record that readers may hold. Records are handed out as shared pointers to const under a lock; the holder of that lock
// may change one in place while nobody else holds it, and changes a copy otherwise.
#pragma once

#include <atomic>
#include <memory>

namespace troupe {

/// Whether the caller's pointer is the only one. Call under the lock under which copies are handed out: the count cannot grow
/// meanwhile. ThreadSanitizer does not see the fence, so there everything counts as shared.
template<class T>
[[nodiscard]] bool is_unshared(const std::shared_ptr<T>& held) noexcept {
#if defined(__SANITIZE_THREAD__)
  static_cast<void>(held);
  return false;
#else
  if (held.use_count() != 1)
    return false;
  // Pairs with the release of the last reader's count: what it read happened before what we write.
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
#endif
}

/// The value to change: the one `held` points to, or a copy that replaces it in `held`.
template<class T>
[[nodiscard]] T& unshared(std::shared_ptr<T>& held) {
  if (!is_unshared(held))
    held = std::make_shared<T>(*held);
  return *held;
}

} // namespace troupe
