// What all sessions of one server share: the gateway, the options, the agent card as it is served, and the counters behind the
// process-wide limits. Built once by the server; counters and the draining flag are the only things that change.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/gateway.hpp"
#include "net/card_documents.hpp"
#include "net/event_texts.hpp"
#include "net/loop.hpp"
#include "net/push_service.hpp"
#include "net/server_options.hpp"

namespace troupe::net {

/// A share of something limited (places, bytes), given back by the destructor.
class counted {
public:
  counted() = default;
  counted(counted&& other) noexcept : counter_(std::exchange(other.counter_, nullptr)), amount_(other.amount_) {}
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
  [[nodiscard]] static counted take(std::atomic<std::size_t>& counter, std::size_t max, std::size_t amount = 1) noexcept {
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

struct server_state {
  server_state(gateway& to, server_options how)
    : door(to), options(std::move(how)), push(to.records(), options.push) {}

  gateway& door;
  const server_options options;
  card_documents cards; ///< Set before anything is served.

  push_service push;

  event_texts texts; ///< Of the events that streams show.

  std::atomic<bool> draining{false};
  alignas(64) std::atomic<std::size_t> connections{0};
  alignas(64) std::atomic<std::size_t> refusals{0};
  alignas(64) std::atomic<std::size_t> streams{0};
  alignas(64) std::atomic<std::size_t> in_flight{0};
  alignas(64) std::atomic<std::size_t> body_bytes{0}; ///< Of long bodies.
  alignas(64) std::atomic<std::size_t> answer_bytes{0}; ///< Of long answers.
};

} // namespace troupe::net
