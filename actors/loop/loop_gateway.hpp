// An event loop's side of its gateway actor: registers requests that wait, makes the replies that
// answer them, handles the actor's messages, and starts a successor when it dies. The gateway makes
// one for each loop (gateway::attach) and keeps it to its own end, so that a reply may come however
// late.
#pragma once

#include "actors/loop/pending_requests.hpp"
#include "actors/service/answer.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace troupe {

struct environment;

class loop_gateway {
public:
  /// `notify` is called on any thread when there are messages, must not block, and leads to a call
  /// of `run` on the loop's thread.
  loop_gateway(environment& env, std::function<void()> notify);
  ~loop_gateway();
  loop_gateway(const loop_gateway&) = delete;
  loop_gateway& operator=(const loop_gateway&) = delete;

  // -- the loop's thread --------------------------------------------------------------------------

  /// Handles the messages that have gathered.
  void run();
  /// From now on, and until `forget`, answers to the number reach `who`.
  [[nodiscard]] request_number expect(pending_request& who);
  /// From now on `who` waits for it.
  void replace(request_number number, pending_request& who) noexcept;
  void forget(request_number number) noexcept;
  /// The request is answered with a stream: the gateway actor owns its feed from now on, until
  /// `forget`. If the actor dies, the feed ends, and `pending_request::on_failure` is called.
  void own(request_number number, std::shared_ptr<feed> source) noexcept;
  /// Null once the feed has ended.
  [[nodiscard]] feed* feed_of(request_number number) const noexcept;
  /// Says that the current thread is the loop's for as long as it lives: what is answered meanwhile
  /// needs no message.
  class turn {
  public:
    explicit turn(const loop_gateway* which) noexcept : before_(std::exchange(current, which)) {}
    ~turn() { current = before_; }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

  private:
    const loop_gateway* before_;
  };

  // -- any thread ---------------------------------------------------------------------------------

  /// Answers a request; late or doubled answers are ignored.
  void answer(request_number number, service_answer value);
  /// Makes the request look again at what it watches.
  void wake(request_number number);
  template<class T>
  [[nodiscard]] reply<T> reply_to(request_number number) {
    // Small and trivial: no allocation.
    return [this, number](result<T> value) { answer(number, std::move(value)); };
  }
  /// Ends the feeds that `reader` reads on this loop (gateway::end_feeds_of: on all). Their streams
  /// get `reason`.
  void end_feeds_of(const principal& reader, const error& reason);
  /// Ends the actor as a fault in it would; for tests.
  void kill();

  // -- the gateway's ------------------------------------------------------------------------------

  /// The loop has ended: no message is taken any more, and answers go nowhere.
  void close();

private:
  struct impl;

  static thread_local const loop_gateway* current;

  std::unique_ptr<impl> impl_;
};

} // namespace troupe
