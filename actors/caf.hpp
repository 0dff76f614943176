// CAF 0.17.6 (Debian 12, what CI builds) and CAF 1.x (1.1.0, tried by hand) behind one face, and
// the header that includes CAF for the rest. Beside it handover.hpp (0.17 under TSan),
// caf_scheduler.cpp (0.17) and manual_clock.cpp (1.x) include a few headers of one version each,
// and bench/ one that names it. What differs and does not stand here stands under `#if
// TROUPE_CAF_1`: the system's configuration (gateway.cpp), the block of message types
// (messages.hpp), clock and scheduler (caf_scheduler.cpp, manual_clock.cpp), and the bare actors of
// bench/.
//
// Our actors only ever send one-way messages to each other, one struct per message.
// `actor_handle<Ms...>` is the typed handle of an actor that takes the messages Ms;
// `spawn_actor<State>` runs a state class, which looks the same on both:
//
//   struct my_actor {
//     using handle = actor_handle<some_message>;
//     my_actor(handle::pointer self, int argument);
//     handle::behavior_type make_behavior();
//   };
//
// or, for actors that live in great numbers, `void begin()` and `void on(M&)` for each of its
// messages in place of make_behavior: then no behaviour is made for each of them, which is 300
// bytes.
#pragma once

// CAF's own headers are not free of the warnings we build with.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <caf/config.hpp>
#ifndef CAF_VERSION_MAJOR
#include <caf/logger.hpp>
// CAF 0.17 writes down for its log which actor runs, under a lock that all threads share, also if
// it was built without a log (as Debian's is). A thread without a logger does not. So our threads
// get none: these macros would give them one, and look up the actor's id for it.
#undef CAF_SET_LOGGER_SYS
#define CAF_SET_LOGGER_SYS(system) static_cast<void>(system)
#undef CAF_PUSH_AID_FROM_PTR
#define CAF_PUSH_AID_FROM_PTR(actor) static_cast<void>(0)
#endif
#include <caf/all.hpp>
#pragma GCC diagnostic pop

#include <chrono>
#include <optional>
#include <utility>

#ifdef CAF_VERSION_MAJOR // only CAF >= 1.0 has it
#define TROUPE_CAF_1 1
#else
#define TROUPE_CAF_1 0
#include "actors/handover.hpp"

#include <caf/scheduler/test_coordinator.hpp>
#endif

namespace troupe {

// -- handles --------------------------------------------------------------------------------------

#if TROUPE_CAF_1
template<class... Messages>
using actor_handle = caf::typed_actor<caf::result<void>(Messages)...>;
#else
// caf::reacts_to by its parts: clang does not see through it.
template<class Message>
using takes = caf::typed_mpi<caf::detail::type_list<Message>, caf::output_tuple<void>>;
template<class... Messages>
using actor_handle = caf::typed_actor<takes<Messages>...>;
#endif

template<class Handle>
using actor_pointer = typename Handle::pointer;

template<class Handle>
using actor_behavior = typename Handle::behavior_type;

// -- spawning -------------------------------------------------------------------------------------

#if TROUPE_CAF_1

/// Gives a state that has `begin` and `on` a make_behavior.
template<class State, class Handle>
struct with_behavior;

template<class State, class... Messages>
struct with_behavior<State, actor_handle<Messages...>>
    : State { // not final: CAF derives from it to look for `name`
  using State::State;
  actor_behavior<actor_handle<Messages...>> make_behavior() {
    this->begin();
    return {[this](Messages& message) { this->on(message); }...};
  }
};

template<class State, class Host, class... Args>
typename State::handle spawn_actor(Host& host, Args&&... args) {
  if constexpr (requires(State & state) { state.make_behavior(); })
    return host.spawn(caf::actor_from_state<State>, std::forward<Args>(args)...);
  else
    return host.spawn(caf::actor_from_state<with_behavior<State, typename State::handle>>,
                      std::forward<Args>(args)...);
}

#else

/// Runs a state class on CAF 0.17: the state lives from the first moment until the actor quits.
///
/// An actor that quits is cleaned up by CAF itself, in every build. CAF 0.17 also has the clock
/// forget the actor's time-outs, which ours never set. That would wake the clock's thread for each
/// actor that ends; the clock of actors/caf_scheduler.hpp does not wake it. A clean-up of our own
/// without that step would be code that no sanitizer build could run: CAF's library is not
/// instrumented, so that TSan does not see how a mailbox synchronises, and UBSan takes the ends of
/// CAF's queues for elements. What each of them costs: docs/decisions/001-dependencies.md.
template<class State>
class state_actor final : public handover<typename State::handle::base> {
public:
  using base_type = handover<typename State::handle::base>;

  template<class... Args>
  explicit state_actor(caf::actor_config& cfg, Args&&... args) : base_type(cfg) {
    state_.emplace(this, std::forward<Args>(args)...);
    this->handing_over();
  }
  ~state_actor() override { this->taken_over(); }

  const char* name() const override { return State::name; }
  void on_exit() override { state_.reset(); }

  caf::invoke_message_result consume(caf::mailbox_element& element) override {
    current_ = this;
    return base_type::consume(element);
  }

protected:
  typename base_type::behavior_type make_behavior() override {
    if constexpr (requires(State & state) { state.make_behavior(); }) {
      return state_->make_behavior();
    } else {
      state_->begin();
      return shared_behavior(static_cast<const typename State::handle*>(nullptr));
    }
  }

private:
  /// One for all actors of the kind. Its handlers find the state by way of who consumes a message
  /// on this thread.
  template<class... Messages>
  static typename base_type::behavior_type shared_behavior(const actor_handle<Messages...>*) {
    static const typename base_type::behavior_type one{
        [](Messages& message) { current_->state_->on(message); }...};
    return one;
  }

  static inline thread_local constinit state_actor* current_ = nullptr;
  std::optional<State> state_;
};

template<class State, class Host, class... Args>
typename State::handle spawn_actor(Host& host, Args&&... args) {
  return host.template spawn<state_actor<State>>(std::forward<Args>(args)...);
}

#endif

/// Why an actor ends if one of its handlers throws.
inline caf::error end_by_exception() {
#if TROUPE_CAF_1
  return caf::make_error(caf::sec::runtime_error);
#else
  return caf::make_error(caf::exit_reason::unhandled_exception);
#endif
}

// -- sending --------------------------------------------------------------------------------------

#if TROUPE_CAF_1
/// CAF 1.x counts a message to an ended actor in the actor system, which may be no more: an agent
/// of another thread keeps the way back to its task.
template<class Handle>
bool has_quit(const Handle& who) {
  return caf::actor_cast<caf::abstract_actor*>(who)->getf(caf::abstract_actor::is_terminated_flag);
}
#endif

/// From anywhere, also outside of actors, and when the actor has ended.
template<class Handle, class Message>
void tell(const Handle& to, Message&& message) {
#if TROUPE_CAF_1
  if (has_quit(to))
    return;
  caf::anon_mail(std::forward<Message>(message)).send(to);
#else
  caf::anon_send(to, std::forward<Message>(message));
#endif
}

/// The same after `delay`, on the actor system's clock.
template<class Handle, class Message>
void tell_after(std::chrono::nanoseconds delay, const Handle& to, Message&& message) {
#if TROUPE_CAF_1
  if (has_quit(to))
    return;
  // Not `.delay`, which counts from the steady clock even where the system has another
  // (actors/manual_clock.hpp).
  const auto now = caf::actor_cast<caf::abstract_actor*>(to)->home_system().clock().now();
  caf::anon_mail(std::forward<Message>(message))
      .schedule(now + std::chrono::duration_cast<caf::timespan>(delay))
      .send(to);
#else
  caf::delayed_anon_send(to, delay, std::forward<Message>(message));
#endif
}

/// Ends an actor where it stands.
template<class Handle>
void kill(const Handle& whom) {
  if (whom)
    caf::anon_send_exit(whom, caf::exit_reason::kill);
}

/// A strong handle to the actor that runs `self`.
template<class Pointer>
auto handle_of(Pointer self) {
  using handle = typename std::remove_pointer_t<Pointer>::actor_hdl;
  return handle{self};
}

} // namespace troupe

// -- message types --------------------------------------------------------------------------------
// Ours stay within the process: they are not serialised, so CAF is told that this is meant. CAF 1.x
// also wants a number for each type.

#if TROUPE_CAF_1
#define TROUPE_BEGIN_MESSAGES CAF_BEGIN_TYPE_ID_BLOCK(troupe, caf::first_custom_type_id)
#define TROUPE_MESSAGE(type)                                                                       \
  CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)                                                              \
  CAF_ADD_TYPE_ID(troupe, (type))
#define TROUPE_END_MESSAGES CAF_END_TYPE_ID_BLOCK(troupe)
#else
#define TROUPE_BEGIN_MESSAGES
#define TROUPE_MESSAGE(type) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)
#define TROUPE_END_MESSAGES
#endif
