// Waits for what another thread answers, with a bound: a test that waits in vain says so.
#pragma once

#include <chrono>
#include <future>
#include <stdexcept>
#include <string>

namespace troupe::testing {

/// The answer, if it comes within 20 seconds. Else throws std::runtime_error, which names what was
/// `awaited`.
template<class T>
T answer_in_time(std::future<T> answer, const std::string& awaited = "an answer") {
  if (answer.wait_for(std::chrono::seconds{20}) != std::future_status::ready)
    throw std::runtime_error("the test waits in vain for " + awaited);
  return answer.get();
}

} // namespace troupe::testing
