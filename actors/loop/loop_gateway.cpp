#include "actors/loop/loop_gateway.hpp"

#include "actors/environment.hpp"
#include "actors/loop/companion.hpp"
#include "actors/loop/gateway_actor.hpp"

#include <mutex>
#include <optional>

namespace troupe {

thread_local const loop_gateway* loop_gateway::current = nullptr;

struct loop_gateway::impl {
  impl(environment& in, std::function<void()> to) : env(in), notify(std::move(to)) { begin(); }

  /// Starts an actor in the place of the one that ended, if one did.
  void begin() {
    runner.reset(); // before the state that it runs
    auto next = std::make_unique<gateway_actor>(++actors_made);
    runner.emplace(env.system, *next, notify);
    actor = std::move(next);
    const std::lock_guard guard(lock);
    address = runner->address();
  }

  [[nodiscard]] gateway_handle to() {
    const std::lock_guard guard(lock);
    return address;
  }

  environment& env;
  const std::function<void()> notify;
  std::unique_ptr<gateway_actor> actor;
  std::uint16_t actors_made = 0;
  std::optional<companion<gateway_actor>> runner;
  std::mutex lock;
  gateway_handle address;
};

loop_gateway::loop_gateway(environment& env, std::function<void()> notify)
    : impl_(std::make_unique<impl>(env, std::move(notify))) {}

loop_gateway::~loop_gateway() = default;

void loop_gateway::run() {
  const turn here(this);
  impl_->runner->run();
  if (!impl_->runner->has_ended())
    return;
  // The successor begins first, because a client that is told of the failure may ask again at once.
  const auto dead = std::move(impl_->actor);
  impl_->begin();
  if (impl_->env.options.warn)
    impl_->env.options.warn("a gateway actor has died; its requests were answered with an error, "
                            "and a new one took over");
  dead->requests().fail_all(
      make_error(errc::internal, "the gateway of this connection failed before the answer was "
                                 "complete; a command may have been done: read the task "
                                 "or subscribe to it before you repeat the command"));
}

request_number loop_gateway::expect(pending_request& who) {
  return impl_->actor->requests().add(who);
}

void loop_gateway::replace(request_number number, pending_request& who) noexcept {
  impl_->actor->requests().replace(number, who);
}

void loop_gateway::forget(request_number number) noexcept {
  impl_->actor->requests().forget(number);
}

void loop_gateway::own(request_number number, std::shared_ptr<feed> source) noexcept {
  impl_->actor->requests().own(number, std::move(source));
}

feed* loop_gateway::feed_of(request_number number) const noexcept {
  return impl_->actor->requests().feed_of(number);
}

void loop_gateway::answer(request_number number, service_answer value) {
  request_answered message{number, std::move(value)};
  if (current == this)
    impl_->actor->on(message);
  else
    tell(impl_->to(), std::move(message));
}

void loop_gateway::wake(request_number number) {
  request_woken message{number};
  if (current == this)
    impl_->actor->on(message);
  else
    tell(impl_->to(), message);
}

void loop_gateway::end_feeds_of(const principal& reader, const error& reason) {
  tell(impl_->to(), end_feeds{reader, reason});
}

void loop_gateway::close() {
  impl_->runner.reset();
}

void loop_gateway::kill() {
  troupe::kill(impl_->to());
}

} // namespace troupe
