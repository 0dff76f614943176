// The requests of one event loop that wait for an answer, and the feeds of those that are answered
// with a stream. A plain table: a number finds its request, and a number that was forgotten finds
// none, however late its answer comes. For the loop's thread.
#pragma once

#include "actors/service/answer.hpp"
#include <troupe/protocol/principal.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <vector>

namespace troupe {

/// A request that waits. Called on the loop's thread.
class pending_request {
public:
  /// At most once.
  virtual void on_answer(service_answer answer) = 0;
  /// Something it watches has changed; any number of times.
  virtual void on_wake() = 0;
  /// No answer will come: `reason` says why. It is forgotten already.
  virtual void on_failure(const error& reason) = 0;

protected:
  ~pending_request() = default;
};

class pending_requests {
public:
  /// `table` tells the numbers of one table from those of another, modulo 65,536.
  explicit pending_requests(std::uint16_t table = 0) noexcept : table_(table) {}

  /// `who` stays until it is answered or forgotten.
  [[nodiscard]] request_number add(pending_request& who);
  /// From now on `who` waits for it.
  void replace(request_number number, pending_request& who) noexcept;
  /// Its feed ends with it.
  void forget(request_number number) noexcept;
  /// The request has a feed from now on, and owns it.
  void own(request_number number, std::shared_ptr<feed> source) noexcept;
  /// Null if the request was forgotten, or has no feed.
  [[nodiscard]] feed* feed_of(request_number number) const noexcept;
  /// Null if the number's request was answered or forgotten.
  [[nodiscard]] pending_request* find(request_number number) const noexcept;
  /// Forgets all of them, and tells each.
  void fail_all(const error& reason);
  /// The same for those with a feed that `who` reads.
  void fail_feeds_of(const principal& who, const error& reason);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  struct entry {
    pending_request* who = nullptr;
    std::shared_ptr<feed> source{}; ///< Null: it has none.
    std::uint32_t use = 1; ///< Of 24 bits. Counted on when the entry is free again: numbers of
                           ///< earlier uses find nothing.
  };

  [[nodiscard]] request_number number_of(std::uint32_t index) const noexcept;
  template<std::predicate<const entry&> Chosen>
  void fail(Chosen is_chosen, const error& reason);

  const std::uint16_t table_;
  std::vector<entry> entries_;
  std::vector<std::uint32_t> free_;
  std::size_t size_ = 0;
};

} // namespace troupe
