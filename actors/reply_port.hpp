// A reply that is sure to arrive: called once with the answer, or with a fallback error when the
// message that carries it is dropped unanswered (its actor ended meanwhile). Copies share the one
// call.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace troupe {

template<class T>
class reply_port {
public:
  using function = std::function<void(result<T>)>;

  reply_port() = default;
  reply_port(function to, error fallback)
      : shared_(std::make_shared<shared>(std::move(to), std::move(fallback))) {}

  /// The first call counts; further ones do nothing.
  void operator()(result<T> outcome) const {
    if (shared_)
      shared_->deliver(std::move(outcome));
  }

  explicit operator bool() const noexcept { return shared_ != nullptr; }

private:
  struct shared {
    shared(function to, error fallback) : to_(std::move(to)), fallback_(std::move(fallback)) {}
    shared(const shared&) = delete;
    shared& operator=(const shared&) = delete;
    ~shared() { deliver(std::move(fallback_)); }

    void deliver(result<T> outcome) {
      if (done_.exchange(true) || !to_)
        return;
      const auto to = std::exchange(to_, nullptr); // whatever it holds is let go with the answer
      to(std::move(outcome));
    }

    function to_;
    error fallback_;
    std::atomic<bool> done_{false};
  };

  std::shared_ptr<shared> shared_;
};

} // namespace troupe
