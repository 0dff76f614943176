// What ThreadSanitizer has to be told about actors. Debian's CAF is not instrumented, so it does
// not see that a mailbox hands things over from one thread to another, and would report every
// message as a race. `handover<Base>` stands between an actor class and its CAF base and says so,
// and no more: what came before an enqueue, or before the end of one of the actor's turns, happened
// before the consumption of a message, or the begin of a turn. Two actors that share something by
// another way are still found out.
//
// In every other build `handover<Base>` does nothing. For actors/caf.hpp alone, and for CAF 0.17
// alone: a CAF 1.x can be built with TSan.
#pragma once

#include <caf/actor_control_block.hpp>

#ifdef __SANITIZE_THREAD__
#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/invoke_message_result.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/resumable.hpp>

#include <sanitizer/tsan_interface.h>
#endif

#include <cstddef>
#include <utility>

namespace troupe {

#ifdef __SANITIZE_THREAD__

template<class Base>
class handover : public Base {
public:
  using Base::Base;

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* host) override {
    handing_over();
    Base::enqueue(std::move(element), host);
  }

  caf::resumable::resume_result resume(caf::execution_unit* host,
                                       std::size_t messages_max) override {
    taken_over();
    const auto how = Base::resume(host, messages_max);
    handing_over();
    return how;
  }

  caf::invoke_message_result consume(caf::mailbox_element& element) override {
    taken_over();
    const auto how = Base::consume(element);
    handing_over();
    return how;
  }

  bool cleanup(caf::error&& why, caf::execution_unit* host) override {
    taken_over();
    return Base::cleanup(std::move(why), host);
  }

  /// A worker gives the actor back after its turn; another thread may then destroy it.
  void intrusive_ptr_release_impl() override {
    handing_over();
    Base::intrusive_ptr_release_impl();
  }

protected:
  void handing_over() { __tsan_release(this); }
  void taken_over() { __tsan_acquire(this); }
};

/// The same for a message that CAF's clock delivers later: to the actor `to`.
inline void handing_over_to(const caf::strong_actor_ptr& to) {
  if (auto* actor = caf::actor_cast<caf::abstract_actor*>(to))
    __tsan_release(dynamic_cast<void*>(actor)); // The address of its handover.
}

#else

template<class Base>
class handover : public Base {
public:
  using Base::Base;

protected:
  void handing_over() {}
  void taken_over() {}
};

inline void handing_over_to(const caf::strong_actor_ptr&) {}

#endif

} // namespace troupe
