// So many at once, and the others wait in line, each up to its own time. For one loop.
#pragma once

#include "client/io.hpp"
#include "client/timers.hpp"

#include <cstddef>
#include <deque>
#include <memory>

namespace troupe::net {

class admission_queue : public std::enable_shared_from_this<admission_queue> {
  struct waiter;

public:
  /// A place that is held until this is destroyed, or the wait for one.
  class ticket {
  public:
    ticket() = default;
    ticket(ticket&&) noexcept = default;
    ticket& operator=(ticket&& other) noexcept;
    ~ticket() { release(); }
    /// Gives the place back; a wait ends without one.
    void release();
    [[nodiscard]] bool has_place() const noexcept;

  private:
    friend class admission_queue;
    std::shared_ptr<admission_queue> from_;
    std::shared_ptr<waiter> waiter_;
  };

  /// `waiting_max`: those that come when so many wait get no place.
  admission_queue(timers_ptr clock, std::size_t places, std::size_t waiting_max)
      : clock_(std::move(clock)), places_(places), free_(places), waiting_max_(waiting_max) {}
  admission_queue(const admission_queue&) = delete;
  admission_queue& operator=(const admission_queue&) = delete;

  /// A ticket with a place, or one that is in line.
  [[nodiscard]] ticket enter();
  /// Until it has a place, its line was left, or it is `until`; false: it has none.
  [[nodiscard]] static awaitable<bool> wait(ticket& on, time_point until);

  /// Places in all.
  [[nodiscard]] std::size_t places() const noexcept { return places_; }
  /// Places that are free.
  [[nodiscard]] std::size_t free() const noexcept { return free_; }
  [[nodiscard]] std::size_t waiting() const noexcept { return line_.size(); }

private:
  void leave();

  const timers_ptr clock_;
  const std::size_t places_;
  std::size_t free_;
  const std::size_t waiting_max_;
  std::deque<std::shared_ptr<waiter>> line_;
};

} // namespace troupe::net
