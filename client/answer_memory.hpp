// What one client holds of the requests that it sends and the answers that it reads. It is counted
// in the budget of the process (memory_account::remote_exchanges), and bounded for each client, so
// that one server does not take the place of all others.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/memory_budget.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace troupe::net {

/// Of `limits.memory`, for the exchanges of one client.
inline constexpr std::size_t answer_memory_percent = 25;

/// Bytes of a text that are not inside the object itself.
[[nodiscard]] inline std::size_t heap_bytes(const std::string& text) noexcept {
  return text.capacity() > std::string{}.capacity() ? text.capacity() : 0;
}

/// For one loop.
class answer_memory {
public:
  /// `budget`: null: it only counts.
  explicit answer_memory(memory_budget_ptr budget) : budget_(budget_or_own(std::move(budget))) {}

  /// For one client; memory_budget::unlimited if the budget is.
  [[nodiscard]] std::size_t bytes_max() const noexcept;
  [[nodiscard]] std::size_t held() const noexcept { return held_; }

private:
  friend class answer_share;

  const memory_budget_ptr budget_;
  std::size_t held_ = 0;
};

using answer_memory_ptr = std::shared_ptr<answer_memory>;

/// Of one request, one answer, or one stream. The destructor gives it back.
class answer_share {
public:
  explicit answer_share(answer_memory_ptr of) : of_(std::move(of)) {}
  ~answer_share() { release(); }
  answer_share(const answer_share&) = delete;
  answer_share& operator=(const answer_share&) = delete;

  /// Holds `bytes` from now on. Errors: overloaded (names the account and `limits.memory`); then it
  /// holds what it held. Less is never refused.
  [[nodiscard]] result<void> resize(std::size_t bytes);
  void release() noexcept;

private:
  const answer_memory_ptr of_;
  std::size_t bytes_ = 0;
};

} // namespace troupe::net
