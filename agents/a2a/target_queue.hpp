// Delegations that wait for their turn: at one target (target_gate), and for a place among all that
// are open.
#pragma once

#include "agents/a2a/limits.hpp"
#include "agents/a2a/target_gate.hpp"
#include "client/a2a/call_loop.hpp"
#include "client/read_pace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

namespace troupe {

class target_queue;

/// How many delegations are open at all targets together, and how fast is read there what brings
/// nothing new. For the loop's thread.
struct open_delegations {
  std::size_t count = 0;
  const std::size_t max;
  /// Queues that have found no place. Each comes once.
  std::deque<std::weak_ptr<target_queue>> waiting{};
  net::read_pace idle_frames{idle_frames_per_second_of_all, idle_frames_per_second_of_all};
};

/// Those that wait for their turn at one target, and how many are open there. For the loop's
/// thread.
class target_queue : public std::enable_shared_from_this<target_queue> {
public:
  /// One that waits: `go` is called, unless it was dropped.
  struct ticket {
    std::function<void()> go;
  };

  target_queue(a2a::call_loop& loop, target_limits limits, std::shared_ptr<open_delegations> all)
      : loop_(loop), gate_(limits), all_(std::move(all)) {}

  [[nodiscard]] target_gate& gate() noexcept { return gate_; }
  /// `count` events of the target brought nothing new: when the next one of their stream may be
  /// read, as far as the target is concerned. Then `next_read_of_all` is to be asked.
  [[nodiscard]] target_gate::point next_read(target_gate::point now, std::uint32_t count) noexcept {
    return idle_frames_.take(now, count);
  }
  [[nodiscard]] target_gate::point next_read_of_all(target_gate::point now,
                                                    std::uint32_t count) noexcept {
    return all_->idle_frames.take(now, count);
  }
  /// One goes on that an earlier process has begun: it has its place, also above the limits.
  void rejoin() noexcept {
    gate_.rejoin();
    ++all_->count;
  }
  [[nodiscard]] std::shared_ptr<ticket> enter(std::function<void()> go);
  /// One that was let in has ended.
  void leave();
  /// Those that wait, and some that were dropped: at most a thousand of these, or as many as wait.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
  void wait_for_all() {
    if (!std::exchange(waits_for_all_, true))
      all_->waiting.push_back(weak_from_this());
  }

  /// A place among all is free: the queue that has waited longest for one looks.
  void wake_next();

  void let_in();

  a2a::call_loop& loop_;
  target_gate gate_;
  net::read_pace idle_frames_{idle_frames_per_second, idle_frames_per_second};
  const std::shared_ptr<open_delegations> all_;
  static constexpr std::size_t sweep_min = 1'000;
  std::deque<std::weak_ptr<ticket>> waiting_;
  std::size_t swept_at_ = sweep_min; ///< With so many, those that were dropped are taken out.
  bool waits_for_all_ = false;       ///< It is in `all_->waiting`.
  a2a::call_handle timer_;
};

} // namespace troupe
