#include "store/short_time_slices.hpp"

#if defined(__linux__)

#include <cstdint>
#include <linux/sched.h>

#include <sys/syscall.h>
#include <unistd.h>

namespace troupe {

namespace {

/// sched_setattr(2); glibc has it from 2.41 on.
struct scheduling {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t niceness;
  std::uint32_t priority;
  std::uint64_t runtime; ///< Nanoseconds.
  std::uint64_t deadline;
  std::uint64_t period;
};

/// The shortest that Linux takes.
constexpr std::uint64_t slice_ns = 100'000;

} // namespace

void take_short_time_slices() noexcept {
  scheduling own{};
  if (::syscall(SYS_sched_getattr, 0, &own, sizeof own, 0) != 0 || own.policy != SCHED_NORMAL)
    return; // The user wants another policy.
  own.size = sizeof own;
  own.flags |= SCHED_FLAG_RESET_ON_FORK;
  own.runtime = slice_ns;
  static_cast<void>(::syscall(SYS_sched_setattr, 0, &own, 0));
}

} // namespace troupe

#else

namespace troupe {

void take_short_time_slices() noexcept {}

} // namespace troupe

#endif
