// Changing a value that may have other owners. Readers get records as shared pointers to const,
// under a lock. The thread that has this lock changes a record in place if it has no other owner,
// and changes a copy otherwise.
#pragma once

#include <atomic>
#include <memory>

namespace troupe {

/// Whether the caller's pointer is the only one. Call under the lock under which copies are made,
/// so that the count cannot grow meanwhile.
template<class T>
[[nodiscard]] bool is_unshared(const std::shared_ptr<T>& held) noexcept {
  if (held.use_count() != 1)
    return false;
#if defined(__SANITIZE_THREAD__)
  // ThreadSanitizer does not know fences. It sees that a copy takes the count.
  [[maybe_unused]] const auto seen = held;
#else
  // Pairs with the release of the last reader's count: its reads happened
  // before our writes.
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  return true;
}

/// The value to change: the one `held` points to, or a copy that replaces it in `held`.
template<class T>
[[nodiscard]] T& unshared(std::shared_ptr<T>& held) {
  if (!is_unshared(held))
    held = std::make_shared<T>(*held);
  return *held;
}

/// The same for a pointer to const whose value was made by std::make_shared<T>.
template<class T>
[[nodiscard]] T& unshared(std::shared_ptr<const T>& held) {
  if (!is_unshared(held))
    held = std::make_shared<T>(*held);
  return const_cast<T&>(*held);
}

} // namespace troupe
