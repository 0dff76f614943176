// Threads with little stack: what calls itself once for each of many things does not pass.
#pragma once

#include <cstddef>

#include <pthread.h>

namespace troupe::testing {

/// While it lives, threads begin with a stack of 1 MiB.
class small_stacks {
public:
  small_stacks() {
    ::pthread_getattr_default_np(&before_);
    auto small = before_;
    ::pthread_attr_setstacksize(&small, std::size_t{1} << 20);
    ::pthread_setattr_default_np(&small);
  }
  small_stacks(const small_stacks&) = delete;
  small_stacks& operator=(const small_stacks&) = delete;
  ~small_stacks() { ::pthread_setattr_default_np(&before_); }

private:
  pthread_attr_t before_{};
};

} // namespace troupe::testing
