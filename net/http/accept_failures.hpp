// What the log says about connections that cannot be accepted, for lack of file descriptors or
// memory: a line when it begins, and one when it is over, however often it is tried meanwhile.
#pragma once

#include "client/io.hpp"

#include <string>

namespace troupe::net {

class accept_failures {
public:
  /// After an attempt that failed with `why`: a line for the log, or nothing.
  [[nodiscard]] std::string on_failed(const error_code& why);
  /// After one that did not.
  [[nodiscard]] std::string on_accepted();

private:
  bool is_known_ = false;
};

} // namespace troupe::net
