#include "store/short_time_slices.hpp"
#include "tests/support/catch.hpp"

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

} // namespace

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
