// Tests of permissions, which the superuser does not meet.
#pragma once

#include "tests/support/catch.hpp"

#include <cstdlib>

#include <unistd.h>

namespace troupe::testing {

/// While it lives, the process has no special rights.
class ordinary_user {
public:
  ordinary_user() : was_superuser_(::geteuid() == 0) {
    if (was_superuser_)
      REQUIRE(::seteuid(nobody) == 0);
  }
  ~ordinary_user() {
    if (was_superuser_ && ::seteuid(0) != 0)
      std::abort();
  }
  ordinary_user(const ordinary_user&) = delete;
  ordinary_user& operator=(const ordinary_user&) = delete;

private:
  static constexpr ::uid_t nobody = 65534;
  bool was_superuser_;
};

} // namespace troupe::testing
