#include "store/short_time_slices.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <thread>

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace troupe;

namespace {

id_t own_thread() {
  return static_cast<id_t>(::syscall(SYS_gettid));
}

int own_policy() {
  return ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

/// The time slice of this thread, in nanoseconds; nothing if this Linux does not say (before 6.12).
std::optional<std::uint64_t> own_slice() {
  std::array<std::uint64_t, 6> own{}; // struct sched_attr; the fourth is `sched_runtime`.
  if (::syscall(SYS_sched_getattr, 0, own.data(), sizeof own, 0) != 0 || own[3] == 0)
    return std::nullopt;
  return own[3];
}

} // namespace

TEST_CASE("A thread asks for short time slices, and what it starts has common ones", "[store]") {
  const auto common = own_slice();
  if (!common) {
    WARN("skipped: this Linux knows no time slices of a thread (6.12 does)");
    return;
  }
  std::optional<std::uint64_t> own;
  std::optional<std::uint64_t> of_child;
  std::thread([&] {
    take_short_time_slices();
    own = own_slice();
    std::thread([&] { of_child = own_slice(); }).join();
  }).join();
  CHECK(own == std::uint64_t{100'000});
  CHECK(of_child == common);
}

TEST_CASE("A thread with short time slices keeps its priority and its policy", "[store]") {
  int niceness = 0;
  int policy = -1;
  int policy_of_child = -1;
  std::thread([&] {
    static_cast<void>(::setpriority(PRIO_PROCESS, own_thread(), 7));
    take_short_time_slices();
    niceness = ::getpriority(PRIO_PROCESS, own_thread());
    policy = own_policy();
    std::thread([&] { policy_of_child = ::sched_getscheduler(0); }).join();
  }).join();
  CHECK(niceness == 7);
  CHECK(policy == SCHED_OTHER);
  CHECK(policy_of_child == SCHED_OTHER);
}

TEST_CASE("A policy that the user chose stays", "[store]") {
  int policy = -1;
  std::thread([&] {
    const sched_param none{};
    REQUIRE(::sched_setscheduler(0, SCHED_BATCH, &none) == 0);
    take_short_time_slices();
    policy = ::sched_getscheduler(0);
  }).join();
  CHECK(policy == SCHED_BATCH);
}
