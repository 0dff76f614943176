// How long a command waits for a disk that takes nothing (`timeouts.disk-wait`). It was taken, and
// its change is on its way: the store keeps it and tries again, so it may still be done. Its client
// does not wait for that without end.
#pragma once

#include "net/a2a/operation.hpp"
#include <troupe/protocol/errc.hpp>

#include <optional>

namespace troupe::net {

/// Of one command, from its making on. On the loop's thread.
class disk_patience {
public:
  explicit disk_patience(const operation_call& call);

  /// When `refusal` should be asked, at the latest.
  [[nodiscard]] time_point until() const noexcept { return until_; }
  /// errc::unavailable, with `{"mayBeDone":true}`, if the command has waited for long enough and
  /// the disk takes nothing. Else nothing; if the disk does not hold it up, it is looked at again
  /// later.
  [[nodiscard]] std::optional<error> refusal();

private:
  const operation_call& call_;
  time_point until_;
};

} // namespace troupe::net
