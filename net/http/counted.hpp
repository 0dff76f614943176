// A share of something that is limited over all connections: places or bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace troupe::net {

/// The destructor gives the share back.
class counted {
public:
  counted() = default;
  counted(counted&& other) noexcept
      : counter_(std::exchange(other.counter_, nullptr)), amount_(other.amount_) {}
  counted& operator=(counted&& other) noexcept {
    std::swap(counter_, other.counter_);
    std::swap(amount_, other.amount_);
    return *this;
  }
  ~counted() {
    if (counter_ != nullptr)
      counter_->fetch_sub(amount_, std::memory_order_relaxed);
  }

  /// Holds nothing (converts to false) if more than `max` would be taken then.
  [[nodiscard]] static counted take(std::atomic<std::size_t>& counter, std::size_t max,
                                    std::size_t amount = 1) noexcept {
    counted out;
    if (counter.fetch_add(amount, std::memory_order_relaxed) + amount <= max) {
      out.counter_ = &counter;
      out.amount_ = amount;
    } else {
      counter.fetch_sub(amount, std::memory_order_relaxed);
    }
    return out;
  }

  [[nodiscard]] std::size_t amount() const noexcept { return counter_ == nullptr ? 0 : amount_; }
  explicit operator bool() const noexcept { return counter_ != nullptr; }

private:
  std::atomic<std::size_t>* counter_ = nullptr;
  std::size_t amount_ = 0;
};

} // namespace troupe::net
