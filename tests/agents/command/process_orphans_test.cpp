// What a look for orphans says, without a reactor.
#include "agents/command/process_orphans.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <cerrno>
#include <cstdlib>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace troupe;
using troupe::testing::comes_true;

namespace {

void leave_an_orphan() {
  REQUIRE(std::system("setsid sleep 600 >/dev/null 2>&1 &") == 0);
}

// As for a program with more rights.
int refuse_signal(pid_t, int) {
  errno = EPERM;
  return -1;
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0
         && info.si_pid == pid;
}

// Our soft limit is 0 meanwhile.
class no_descriptors {
public:
  no_descriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    auto none = before_;
    none.rlim_cur = 0;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  ~no_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
  rlimit before_{};
};

} // namespace

TEST_CASE("an orphan that is killed is named until it is reaped, and then one looks once more",
          "[agents][command]") {
  const process_orphans orphans(true);
  leave_an_orphan();
  const auto first = orphans.look({});
  REQUIRE(first.killed.size() == 1);
  CHECK(first.is_whole);
  CHECK(first.any_left);
  REQUIRE(comes_true([&] { return has_ended(first.killed.front().pid); }));
  // What it started may have become ours just now.
  const auto second = orphans.look({});
  CHECK(second.killed.empty());
  CHECK_FALSE(second.is_whole);
  const auto third = orphans.look({});
  CHECK(third.is_whole);
  CHECK_FALSE(third.any_left);
}

TEST_CASE("an orphan that cannot be killed is not waited for, but it is left",
          "[agents][command]") {
  const process_orphans with_rights(true);
  const process_orphans orphans(true, &refuse_signal);
  leave_an_orphan();
  const auto found = orphans.look({});
  CHECK(found.killed.empty());
  CHECK(found.is_whole);
  CHECK(found.any_left);
  CHECK(comes_true([&] { return !with_rights.look({}).any_left; }));
}

TEST_CASE("without file descriptors no look says that there are no orphans", "[agents][command]") {
  const process_orphans orphans(true);
  leave_an_orphan();
  const auto found = [&] {
    const no_descriptors now;
    return orphans.look({});
  }();
  CHECK(found.killed.empty());
  CHECK_FALSE(found.is_whole);
  CHECK(found.any_left);
  CHECK(comes_true([&] { return !orphans.look({}).any_left; }));
}
