// Waits for what other threads bring about, where nothing could tell the test of it.
#pragma once

#include <chrono>
#include <thread>

namespace troupe::testing {

/// Waits until `condition()`, at most so long; false if it never became true.
template<class Condition>
[[nodiscard]] bool comes_true(Condition condition,
                              std::chrono::seconds at_most = std::chrono::seconds{20}) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    std::this_thread::yield();
  }
  return true;
}

} // namespace troupe::testing
