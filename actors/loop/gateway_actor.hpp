// The actor between an event loop and all others: one for each loop, on the loop's own thread. It
// owns the loop's requests that wait for an answer, and the feeds of its streams; answers come to
// it as messages and are handed on in the loop's next turn. If it dies, its requests and streams
// get an error, its feeds end, and the loop_gateway that runs it starts its successor. What it
// decides stands in pending_requests.
#pragma once

#include "actors/loop/pending_requests.hpp"
#include "actors/messages.hpp"

namespace troupe {

class gateway_actor {
public:
  using handle = gateway_handle;
  static inline const char* name = "gateway";

  /// `number` tells it from the ones before it on the same loop.
  explicit gateway_actor(std::uint16_t number) : requests_(number) {}

  void on(request_answered& message);
  void on(request_woken& message);
  void on(end_feeds& message);

  [[nodiscard]] pending_requests& requests() noexcept { return requests_; }

private:
  pending_requests requests_;
};

} // namespace troupe
