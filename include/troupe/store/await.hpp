// Waiting for an awaited read, for programs and tests that have a thread to wait with. Event loops,
// actors and whatever a store calls must not: they would wait for each other.
#pragma once

#include <troupe/store/store.hpp>

#include <future>
#include <memory>
#include <utility>

namespace troupe {

/// Calls `start(read_done<T>)` and waits for its answer.
template<class T, class Start>
[[nodiscard]] result<T> await_read(Start start) {
  const auto answer = std::make_shared<std::promise<result<T>>>();
  auto out = answer->get_future();
  start(read_done<T>{[answer](result<T> found) { answer->set_value(std::move(found)); }});
  return out.get();
}

} // namespace troupe
