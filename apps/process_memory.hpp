// How the `troupe` programs share out their address space, and what happens when the system gives
// them no more (docs/decisions/014-memory.md).
#pragma once

#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstdint>

namespace troupe {

/// Once, before the first thread starts: stacks of a moderate size, an allocator that gives back
/// what is not in use, and a new-handler that does what memory_search says.
void set_up_memory();

/// Fills the reserve again, if there is memory for it. Any thread.
void keep_memory_reserve();

/// What a thread does whose allocation has found no memory. What the allocator keeps is given back
/// each time before it is tried again.
enum class memory_step : std::uint8_t {
  try_again,
  refuse,       ///< Throws std::bad_alloc.
  take_reserve, ///< Gives the reserve to the allocator, if there is one.
  wait,         ///< For what other threads give back.
  end           ///< Ends the process. What was acknowledged is safe.
};

/// The attempts of one thread to find memory.
class memory_search {
public:
  /// An allocation found nothing. `is_refusable`: it is for refusable_work.
  [[nodiscard]] memory_step next(time_source::steady_point now, bool is_refusable) noexcept;
  /// It is tried again from now on.
  void returns(time_source::steady_point now) noexcept { returned_ = now; }

  /// Between two attempts.
  static constexpr std::chrono::milliseconds pause{10};
  /// Without memory for what cannot be refused.
  static constexpr std::chrono::seconds wait_max{10};

private:
  time_source::steady_point since_{};    ///< When the first of these attempts failed.
  time_source::steady_point returned_{}; ///< When the last one began.
  bool has_reserve_ = false;             ///< It took the reserve.
};

} // namespace troupe
