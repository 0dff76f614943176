// An actor whose messages are handled by a thread that is not CAF's (caf::actor_companion): by an
// event loop, in one of its turns. Everything else about it is as with any actor: typed messages
// from anywhere, messages in order, one at a time, an end that others notice.
#pragma once

#include "actors/caf.hpp"

#include <caf/actor_companion.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>
#if !TROUPE_CAF_1
#include <caf/scoped_execution_unit.hpp>
#endif

namespace troupe {

/// `State` has a `handle` and an `on(M&)` for each of its messages. Its thread constructs, runs and
/// destroys it, or they take turns.
template<class State>
class companion {
public:
  using handle = typename State::handle;

  /// `notify` is called on the sender's thread when a message comes into an empty box, and leads to
  /// a call of `run`. It must not block.
  companion(caf::actor_system& system, State& state, std::function<void()> notify)
      : box_(std::make_shared<box>(std::move(notify))), system_(system),
        actor_(system.spawn<caf::actor_companion>()) {
    auto& self = companion_of(actor_);
    self.on_enqueue([to = box_](caf::mailbox_element_ptr message) { to->put(std::move(message)); });
    self.on_exit([to = box_] { to->ended = true; });
    self.set_exception_handler([](std::exception_ptr&) { return end_by_exception(); });
    self.become(behavior_of(state, static_cast<const handle*>(nullptr)));
    handle_ = caf::actor_cast<handle>(actor_);
  }

  companion(const companion&) = delete;
  companion& operator=(const companion&) = delete;

  /// Messages that were not handled are dropped.
  ~companion() {
    if (box_->ended)
      return;
    box_->take();
    kill(handle_);
    run();
  }

  [[nodiscard]] const handle& address() const noexcept { return handle_; }
  /// It was told to end, or one of its handlers threw.
  [[nodiscard]] bool has_ended() const noexcept { return box_->ended; }

  /// Handles what came so far.
  void run() {
    const auto keep = box_; // a handler may lead to the end of this
    for (auto& message : keep->take()) {
      if (keep->ended)
        return;
#if TROUPE_CAF_1
      companion_of(actor_).activate(&system_.scheduler(), *message);
#else
      companion_of(actor_).activate(&unit_, *message);
#endif
    }
  }

private:
  struct box {
    explicit box(std::function<void()> to) : notify(std::move(to)) {}

    void put(caf::mailbox_element_ptr one) {
      bool first = false;
      {
        const std::lock_guard guard(lock);
        first = messages.empty();
        messages.push_back(std::move(one));
      }
      if (first)
        notify();
    }

    std::vector<caf::mailbox_element_ptr> take() {
      const std::lock_guard guard(lock);
      return std::exchange(messages, {});
    }

    const std::function<void()> notify;
    std::mutex lock;
    std::vector<caf::mailbox_element_ptr> messages;
    bool ended = false; ///< For the running thread.
  };

  static caf::actor_companion& companion_of(const caf::actor& who) {
    return *static_cast<caf::actor_companion*>(caf::actor_cast<caf::abstract_actor*>(who));
  }

  template<class... Messages>
  static caf::behavior behavior_of(State& state, const actor_handle<Messages...>*) {
    return caf::behavior{[&state](Messages& message) { state.on(message); }...};
  }

  const std::shared_ptr<box> box_; ///< Senders may still be in it when this is gone.
  caf::actor_system& system_;
#if !TROUPE_CAF_1
  caf::scoped_execution_unit unit_{&system_};
#endif
  caf::actor actor_;
  handle handle_;
};

} // namespace troupe
