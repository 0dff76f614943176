// Waiting for the service from a coroutine, on the loop's own thread: an answer comes through the
// loop's gateway actor, holds no thread meanwhile, and costs nothing if it is there at once.
#pragma once

#include "actors/loop/loop_gateway.hpp"
#include "net/a2a/disk_patience.hpp"
#include "net/a2a/operation.hpp"
#include "net/http/wakeup.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace troupe::net {

/// An answer to come. Lives on the loop's thread.
template<class T>
class awaited_reply final : public pending_request {
public:
  explicit awaited_reply(operation_call& call)
      : own_gateway_(call.home.own_gateway()), wake_(call.responder.wake()),
        number_(own_gateway_.expect(*this)) {}
  /// To where it is waited for; no coroutine waits at `other` yet.
  awaited_reply(awaited_reply&& other) noexcept
      : own_gateway_(other.own_gateway_), wake_(std::move(other.wake_)),
        value_(std::move(other.value_)), number_(std::exchange(other.number_, 0)) {
    own_gateway_.replace(number_, *this);
  }
  awaited_reply& operator=(awaited_reply&&) = delete;
  ~awaited_reply() { own_gateway_.forget(number_); }

  [[nodiscard]] reply<T> to() { return own_gateway_.reply_to<T>(number_); }
  [[nodiscard]] bool is_ready() const noexcept { return value_.has_value(); }
  [[nodiscard]] result<T>& value() { return *value_; }
  /// Not ready yet: it is `reason` now, and an answer that still comes is ignored.
  void give_up(const error& reason) {
    own_gateway_.forget(std::exchange(number_, 0));
    value_.emplace(reason);
  }

  void on_answer(service_answer answer) override { set(std::get<result<T>>(std::move(answer))); }
  void on_wake() override {}
  void on_failure(const error& reason) override { set(reason); }

private:
  void set(result<T> value) {
    value_.emplace(std::move(value));
    const auto reader = wake_; // the coroutine that waits goes on, and may destroy this
    reader->deliver();
  }

  loop_gateway& own_gateway_;
  wakeup_ptr wake_;
  std::optional<result<T>> value_;
  request_number number_;
};

/// Something that is looked at again and again.
class awaited_changes final : public pending_request {
public:
  explicit awaited_changes(operation_call& call)
      : own_gateway_(call.home.own_gateway()), wake_(call.responder.wake()),
        number_(own_gateway_.expect(*this)) {}
  awaited_changes(const awaited_changes&) = delete;
  awaited_changes& operator=(const awaited_changes&) = delete;
  ~awaited_changes() { own_gateway_.forget(number_); }

  /// To be called, on any thread, when there is something to look at.
  [[nodiscard]] std::function<void()> notify() {
    return [own_gateway = &own_gateway_, number = number_] { own_gateway->wake(number); };
  }
  [[nodiscard]] request_number number() const noexcept { return number_; }
  /// Set if no notification comes any more.
  [[nodiscard]] const std::optional<error>& failure() const noexcept { return failure_; }

  void on_answer(service_answer) override {}
  void on_wake() override {
    const auto reader = wake_;
    reader->deliver();
  }
  void on_failure(const error& reason) override {
    failure_ = reason;
    on_wake();
  }

private:
  loop_gateway& own_gateway_;
  wakeup_ptr wake_;
  std::optional<error> failure_;
  request_number number_;
};

/// A feed of the loop's gateway actor, as its stream reads it. Lives on the loop's thread.
class awaited_feed {
public:
  /// The actor owns `source` from now on. Its news wake the call, as make_feed connected them.
  awaited_feed(operation_call& call, std::shared_ptr<feed> source)
      : own_gateway_(call.home.own_gateway()), changes_(call) {
    own_gateway_.own(changes_.number(), std::move(source));
  }

  /// Null once the feed has ended before its reader: `failure` says why.
  [[nodiscard]] feed* get() const noexcept { return own_gateway_.feed_of(changes_.number()); }
  [[nodiscard]] const std::optional<error>& failure() const noexcept { return changes_.failure(); }

private:
  loop_gateway& own_gateway_;
  awaited_changes changes_; ///< The feed ends with it.
};

/// Waits for the reply. False if the client went away meanwhile: an answer has no reader.
template<class T>
awaitable<bool> arrival(operation_call& call, awaited_reply<T>& reply) {
  while (!reply.is_ready() && !call.responder.is_gone())
    co_await call.responder.wait(time_point::max());
  co_return reply.is_ready();
}

/// The same for a command. If the patience with the disk ends, the reply is its refusal.
template<class T>
awaitable<bool> arrival(operation_call& call, awaited_reply<T>& reply, disk_patience& patience) {
  while (!reply.is_ready() && !call.responder.is_gone()) {
    co_await call.responder.wait(patience.until());
    if (const auto refused = reply.is_ready() ? std::nullopt : patience.refusal())
      reply.give_up(*refused);
  }
  co_return reply.is_ready();
}

} // namespace troupe::net
