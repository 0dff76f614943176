// Timers of one event loop, by the clock that it was given: the only timers of this room and of
// `net/`. The owner of the loop calls `turn`. A loop with its own thread asks for an alarm instead,
// which wakes the thread when a timer is due.
//
// Everything here belongs to the thread that runs the io_context.
#pragma once

#include "client/io.hpp"
#include "protocol/timer_table.hpp"
#include <troupe/protocol/time_source.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace troupe::net {

class timer;

class timers {
public:
  /// `time` outlives them; the context need not once `close` was called.
  timers(asio::io_context& context, const time_source& time);
  ~timers();
  timers(const timers&) = delete;
  timers& operator=(const timers&) = delete;

  [[nodiscard]] const time_source& source() const noexcept { return time_; }
  [[nodiscard]] time_point now() const { return time_.steady(); }
  /// Calls what is due, in the order of the times.
  void turn();
  /// When the next one is due; nothing if there is none.
  [[nodiscard]] std::optional<time_point> next_due() const { return table_.next_due(); }
  /// From now on the context's thread turns by itself when something is due, by the real clock.
  void use_alarm();
  /// Nothing is due any more, and what waits is forgotten.
  void close();

private:
  friend class timer;
  struct alarm;

  void add(timer& which, time_point due);
  void remove(timer& which);
  void arm();

  asio::io_context& context_;
  const time_source& time_;
  timer_table<timer*, time_point> table_;
  std::unique_ptr<alarm> alarm_; ///< Null without `use_alarm`.
};

using timers_ptr = std::shared_ptr<timers>;

/// One moment that is waited for. Forgotten when it is destroyed.
class timer {
public:
  explicit timer(timers_ptr home) : home_(std::move(home)) {}
  ~timer() { cancel(); }
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;

  /// Calls `then` at `due`, in place of what was to be called before.
  void start_at(time_point due, std::function<void()> then);
  void start_after(std::chrono::nanoseconds wait, std::function<void()> then);
  /// Forgets what was to be called.
  void cancel();
  /// Waits until `due`, or until `wake`. One waits at a time.
  [[nodiscard]] awaitable<void> wait_until(time_point due);
  /// What was to be called is called in the loop's next turn, however early.
  void wake();

private:
  friend class timers;

  timers_ptr home_;
  std::function<void()> then_; ///< Empty: nothing is waited for.
};

} // namespace troupe::net
