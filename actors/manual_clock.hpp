// Turns and time of a gateway's actors in the hands of one thread: no actor runs and no time passes
// unless this is told so. For tests of what happens when, and in which orders it may happen
// (tests/support/clock_bed.hpp); executor_options::by_hand gives it to a gateway.
//
// Both clocks move together: the actor system's, for timers, and the one records take their times
// from. Use it, the gateway and its agents from one thread only.
#pragma once

#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace caf {
class actor_system;
class actor_system_config;
} // namespace caf

namespace troupe {

class manual_clock final : public time_source {
public:
  /// Actors take their turns first come, first served; with a `seed`, whose turn it is and how many
  /// messages it takes are drawn at random: one of the orders that several threads might have led
  /// to, the same one each time.
  explicit manual_clock(timestamp start = {}, std::optional<std::uint64_t> seed = {});
  ~manual_clock() override;

  /// What records are dated with.
  [[nodiscard]] timestamp now() const noexcept override;
  [[nodiscard]] steady_point steady() const noexcept override;
  /// Since it was made; not touched by `set`.
  [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept { return elapsed_; }
  /// Sets what records are dated with, as when the computer's clock is set: no timer notices.
  void set(timestamp to) noexcept;

  /// One turn of one actor; false if none has messages.
  bool step();
  /// Runs actors until none has messages.
  void settle();
  /// Lets time pass: what falls due does so in its order, each at its time, and actors run until
  /// none has messages. Then the gateway's housekeeper has its turn.
  void advance(std::chrono::nanoseconds span);
  /// Lets time pass and takes no turn: for an owner who takes all turns himself, and lets time pass
  /// no further than `next_due`.
  void pass(std::chrono::nanoseconds span);
  /// The gateway's housekeeper has its turn.
  void turn_housekeeper();
  /// Until the next timer falls due; nothing if there is none.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> next_due() const;

  // -- for the gateway, one at a time -------------------------------------------------------------
  /// What else a gateway has that time turns.
  struct gateway_turns {
    std::function<void()> after_advance; ///< At the end of each `advance`.
    std::function<std::optional<timestamp>()> next_deadline;
    std::function<void()> turn_deadlines;
  };
  [[nodiscard]] std::unique_ptr<caf::actor_system> make_system(caf::actor_system_config& config,
                                                               gateway_turns turns);
  /// Before the system is destroyed.
  void detach();

private:
  struct machine; // what differs between CAF's versions

  timestamp start_;
  std::chrono::nanoseconds elapsed_{0};
  std::optional<id_source> random_;
  std::unique_ptr<machine> machine_; ///< Null while there is no gateway.
  gateway_turns turns_;
};

} // namespace troupe
